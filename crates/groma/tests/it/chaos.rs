//! Everything at once: servers that are killed and stopped, runs that are killed or find the disk full, damage to every
//! file of an index, edits, moves and branch switches. After each step every server is asked, and its answer is compared
//! with what the test knows to be in the files; every note that was acknowledged is there at the end.
//!
//! `GROMA_CHAOS_SECONDS=3600 cargo test -p groma --test it chaos -- --nocapture` runs for an hour; `GROMA_CHAOS_SEED`
//! chooses another sequence of steps.
#![cfg(unix)]

use crate::client::Client;
use crate::faults::asked;
use crate::sample::Sample;
use std::collections::BTreeMap;
use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SERVERS: usize = 3;
const FILES: u64 = 12;

/// How often a request that failed with an error is repeated: damage is an error once, then the index is rebuilt.
const ATTEMPTS: usize = 4;

/// A project, its servers, and what must be found in it.
struct Chaos {
    sample: Sample,
    servers: Vec<Client>,
    /// The number in each file.
    files: BTreeMap<String, u64>,
    /// The files of the branch that is not checked out.
    other: BTreeMap<String, u64>,
    notes: Vec<String>,
    next: u64,
    dice: u64,
    counts: BTreeMap<&'static str, u64>,
}

impl Chaos {
    fn new(seed: u64) -> Self {
        let sample = Sample::bare();
        let mut chaos = Self {
            sample,
            servers: Vec::new(),
            files: BTreeMap::new(),
            other: BTreeMap::new(),
            notes: Vec::new(),
            next: 0,
            dice: seed | 1,
            counts: BTreeMap::new(),
        };
        for file in 0..FILES {
            chaos.write(&format!("src/file{file}.py"));
        }
        chaos.git(&["init", "-q", "-b", "main"]);
        chaos.git(&["config", "user.email", "a@b"]);
        chaos.git(&["config", "user.name", "a"]);
        chaos.commit();
        chaos.git(&["branch", "other"]);
        chaos.other = chaos.files.clone();
        chaos.servers = (0..SERVERS).map(|_| Client::start(&chaos.sample, &[])).collect();
        chaos
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        self.dice % bound
    }

    fn git(&self, arguments: &[&str]) {
        let ran = Command::new("git").args(arguments).current_dir(self.sample.root()).output();
        let ran = ran.unwrap();
        assert!(ran.status.success(), "git {arguments:?}: {ran:?}");
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "a step"]);
    }

    /// Writes a file with a number that no other has.
    fn write(&mut self, path: &str) {
        self.next += 1;
        let number = self.next;
        let text = format!("def chaos_marker_{number}(value):\n    return value + {number}\n");
        self.sample.write(path, &text);
        self.files.insert(path.to_string(), number);
    }

    fn some_file(&mut self) -> Option<String> {
        let at = self.below(self.files.len().max(1) as u64) as usize;
        self.files.keys().nth(at).cloned()
    }

    fn step(&mut self) -> &'static str {
        let server = self.below(SERVERS as u64) as usize;
        match self.below(12) {
            0 | 1 => {
                if let Some(path) = self.some_file() {
                    self.write(&path);
                }
                "edit"
            }
            2 => {
                let path = format!("src/new{}.py", self.below(FILES));
                self.write(&path);
                "create"
            }
            3 => {
                if let Some(path) = self.some_file().filter(|_| self.files.len() > 4) {
                    fs::remove_file(self.sample.root().join(&path)).unwrap();
                    self.files.remove(&path);
                }
                "delete"
            }
            4 => {
                if let Some(path) = self.some_file() {
                    let to = format!("src/moved{}.py", self.below(FILES));
                    let at = |path: &str| self.sample.root().join(path);
                    fs::rename(at(&path), at(&to)).unwrap();
                    let number = self.files.remove(&path).unwrap();
                    self.files.insert(to, number);
                }
                "move"
            }
            5 => {
                self.commit();
                let branch = self.git_branch();
                self.git(&["checkout", "-q", if branch == "main" { "other" } else { "main" }]);
                std::mem::swap(&mut self.files, &mut self.other);
                "switch"
            }
            6 => {
                self.signal(server, "KILL");
                self.servers[server] = Client::start(&self.sample, &[]);
                "kill"
            }
            7 => {
                self.signal(server, "STOP");
                if let Some(path) = self.some_file() {
                    self.write(&path);
                }
                std::thread::sleep(Duration::from_millis(50));
                self.signal(server, "CONT");
                "stop"
            }
            8 => {
                self.killed_run();
                "killed run"
            }
            9 => {
                self.full_disk();
                "full disk"
            }
            10 => {
                self.damage();
                "damage"
            }
            _ => {
                self.note();
                "note"
            }
        }
    }

    fn git_branch(&self) -> String {
        let head = fs::read_to_string(self.sample.root().join(".git/HEAD")).unwrap();
        head.trim().rsplit('/').next().unwrap().to_string()
    }

    fn signal(&self, server: usize, signal: &str) {
        let id = self.servers[server].process().to_string();
        let sent = Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap();
        assert!(sent.success());
    }

    /// An index run that is killed in the middle.
    fn killed_run(&mut self) {
        let mut command = self.sample.command(&["index", "--force", "--quiet"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(self.below(120)));
        let _ = child.kill();
        child.wait().unwrap();
    }

    /// A run and a note that can write nothing: a limit on the size of files fails like a full disk.
    fn full_disk(&mut self) {
        let note = "We decided something that could not be written, because the disk was full";
        for arguments in [&["index", "--force", "--quiet"][..], &["notes", "add", note]] {
            let command = self.sample.command(arguments);
            let mut limited = Command::new("sh");
            limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]);
            limited.arg(command.get_program()).args(command.get_args());
            for (name, value) in command.get_envs() {
                match value {
                    Some(value) => limited.env(name, value),
                    None => limited.env_remove(name),
                };
            }
            let ran = limited.current_dir(self.sample.root()).output().unwrap();
            // One that had nothing to write succeeds.
            assert!(ran.status.code().is_some(), "{arguments:?}: {ran:?}");
            if arguments[0] == "notes" {
                let is_acknowledged = ran.status.success();
                assert!(!is_acknowledged || self.notes.contains(&note.to_string()), "{ran:?}");
            }
        }
    }

    /// Overwrites, truncates or removes a file of the index; never of the notebook, which is original data.
    fn damage(&mut self) {
        let mut found = Vec::new();
        files_below(&self.sample.data(), &mut found);
        found.retain(|path| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            !name.starts_with("notebook") && !name.ends_with(".lock") && !name.contains("lease")
        });
        found.sort();
        if found.is_empty() {
            return;
        }
        let path = found[self.below(found.len() as u64) as usize].clone();
        let length = fs::metadata(&path).map_or(0, |found| found.len());
        let is_database = path.to_string_lossy().contains(".db");
        match self.below(3) {
            // A database that is overwritten while another process has it open may be written back from memory.
            0 if !is_database => {
                let at = self.below(length.max(1));
                let bytes: Vec<u8> = (0..64).map(|_| self.below(256) as u8).collect();
                let Ok(mut file) = fs::File::options().write(true).open(&path) else { return };
                file.seek(SeekFrom::Start(at)).unwrap();
                file.write_all(&bytes[..bytes.len().min((length - at) as usize)]).unwrap();
            }
            1 if !is_database => {
                if let Ok(file) = fs::File::options().write(true).open(&path) {
                    file.set_len(length / 2).unwrap();
                }
            }
            _ => {
                let _ = fs::remove_file(&path);
            }
        }
    }

    fn note(&mut self) {
        self.next += 1;
        let text = format!("We decided to keep part {} apart, because it is counted", self.next);
        if self.sample.run(&["notes", "add", &text]).code == Some(0) {
            self.notes.push(text);
        }
    }

    /// Asks every server for a file that is there and for a number that is not.
    fn check(&mut self, after: &str) {
        let Some(path) = self.some_file() else { return };
        let number = self.files[&path];
        let gone = (1..=self.next).rev().find(|one| !self.files.values().any(|kept| kept == one));
        for server in 0..self.servers.len() {
            let name = format!("chaos_marker_{number}");
            let line = format!("def {name}(value)");
            let found = self.ask(server, &name);
            assert!(
                found.contains(&line) && found.contains(&path),
                "after {after}, server {server} does not find {name} in {path}: {found}"
            );
            if let Some(gone) = gone {
                let found = self.ask(server, &format!("chaos_marker_{gone}"));
                assert!(
                    !found.contains(&format!("def chaos_marker_{gone}(")),
                    "after {after}, server {server} finds {gone}, which is gone: {found}"
                );
            }
        }
    }

    /// The answer of a server. An error is no wrong answer, but the next one must be right.
    fn ask(&mut self, server: usize, query: &str) -> String {
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let (is_error, text) = asked(&mut self.servers[server], query);
            if !is_error {
                return text;
            }
            last = text;
        }
        panic!("server {server} fails: {last}");
    }
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files_below(&path, found) } else { found.push(path) }
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn no_answer_is_wrong_whatever_happens() {
    let seconds = number("GROMA_CHAOS_SECONDS", 20);
    let mut chaos = Chaos::new(number("GROMA_CHAOS_SEED", 0x67_726f_6d61));
    chaos.check("the start");
    let started = Instant::now();
    let mut steps = 0;
    while started.elapsed() < Duration::from_secs(seconds) {
        let step = chaos.step();
        *chaos.counts.entry(step).or_default() += 1;
        chaos.check(step);
        steps += 1;
    }
    assert!(steps >= 5, "{steps}");
    let listed = chaos.sample.run(&["notes", "list"]);
    for note in &chaos.notes {
        assert!(listed.stdout.contains(note), "{note} was acknowledged: {listed:?}");
    }
    assert_eq!(chaos.sample.run(&["doctor"]).code, Some(0));
    println!("{steps} steps, {} answers a step: {:?}", 2 * SERVERS, chaos.counts);
}
