//! The commands in README.md and the other documents, run as they are written.
//!
//! Every line of a `sh` block is run by a shell in a sample project, every command of README's table with its
//! placeholders filled in, and README's example in this repository. What is named in running text must exist.

use crate::sample::{Ran, Sample};
use groma_testkit::Service;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The documents whose commands are run.
const DOCUMENTS: &[&str] = &[
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "AGENTS.md",
    "docs/contracts.md",
    "docs/embedders.md",
    "docs/graph.md",
    "docs/logs.md",
    "docs/notebook.md",
    "docs/ranking.md",
    "docs/scanner-bugs.md",
    "docs/security.md",
    "SECURITY.md",
];

/// Placeholders in README's table of commands, and their values in the sample.
const PLACEHOLDERS: &[(&str, &str)] = &[
    ("QUERY", "'where are tokens verified'"),
    ("QUESTION", "'why are orders kept'"),
    ("PATTERN", "verify_.oken"),
    ("NAME", "verify_token"),
    ("TEXT", "'one text'"),
    ("SHELL", "bash"),
    ("COMMAND", "search"),
    ("--repos DIR", "--repos .."),
    ("--dir DIR", "--dir ../bin"),
    ("PROGRAM", "cortex"),
    ("eval FILE", "eval ../questions.jsonl"),
    ("FILE", "src/limit.rs"),
    ("PLACE...", "src/limit.rs verify_token"),
    ("[PATH]", "."),
];

/// Commands that run until they are stopped; `http.rs` and `protocol.rs` test them.
const SERVERS: &[&str] = &["groma serve", "groma serve-mcp"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn document(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap()
}

/// The blocks of a document in one language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(found) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if found == language {
                blocks.push(block.join("\n"));
            }
        }
    }
    blocks
}

/// The inline code of a document that begins with `groma `.
fn inline_commands(text: &str) -> Vec<String> {
    let is_block = |line: &str| line.starts_with("```");
    let mut in_block = false;
    let mut commands = Vec::new();
    for line in text.lines() {
        in_block ^= is_block(line);
        if in_block || is_block(line) {
            continue;
        }
        let quoted = line.split('`').skip(1).step_by(2);
        commands.extend(quoted.filter(|text| text.starts_with("groma ")).map(String::from));
    }
    commands
}

/// A sample project with what the documents' commands need: records of sessions, notes, questions, a notebook entry.
struct Reader {
    sample: Sample,
    service: Service,
    id: String,
}

impl Reader {
    fn new() -> Self {
        let sample = Sample::new();
        let record = "{\"type\":\"user\",\"sessionId\":\"1\",\"timestamp\":\"2026-03-01T10:00:00Z\",\
                      \"message\":{\"role\":\"user\",\"content\":\"We decided to keep orders in memory\"}}\n";
        let home = sample.home();
        for (path, text) in [
            (".claude/projects/-home-ann-shop/one.jsonl", record),
            (".codex/sessions/2026/03/01/rollout-1.jsonl", record),
        ] {
            let path = home.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        sample.write("meeting.md", "We decided to number invoices without gaps.\n");
        sample.write("docs/guide.md", "# Guide\n");
        sample.write("notes.txt", "RULE: close what you open.\n");
        sample.write(
            "../questions.jsonl",
            "{\"id\":\"1\",\"repo\":\"sample\",\"query\":\"verify_token\",\"relevant\":[{\"path\":\"auth/token.py\"}]}\n",
        );
        let id =
            sample.json(&["remember", "Tokens live a day"])["id"].as_str().unwrap().to_string();
        sample.write("../bin/.keep", "");
        link(Path::new(env!("CARGO_BIN_EXE_groma")), &sample.root().join("../bin/groma"));
        Self { sample, service: Service::start(), id }
    }

    /// Runs a line as a reader would type it, with a home folder and an embedding service of the test's own.
    fn run(&self, line: &str) -> Ran {
        let environment = self.sample.command(&[]);
        let mut command = Command::new("sh");
        for (name, value) in environment.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let programs = self.sample.root().join("../bin");
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        command
            .args(["-euc", line])
            .current_dir(self.sample.root())
            .env("PATH", path)
            .env("HOME", self.sample.home())
            .stdin(Stdio::null());
        if line.contains("GROMA_EMBEDDING_PROVIDER") {
            command.env("GROMA_EMBEDDING_URL", self.service.url());
            command.env("GROMA_EMBEDDING_MODEL", "house-made");
        }
        self.sample.ran(command.output().unwrap())
    }

    fn check(&self, document: &str, line: &str) {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(0), "{document}: {line}: {ran:?}");
    }
}

#[cfg(unix)]
fn link(program: &Path, link: &Path) {
    std::os::unix::fs::symlink(program, link).unwrap();
}

#[cfg(not(unix))]
fn link(program: &Path, link: &Path) {
    fs::copy(program, link.with_extension("exe")).unwrap();
}

/// The command of a line without its comment, as it is run in the sample; `None` where the repository itself is meant.
fn runnable(reader: &Reader, line: &str) -> Option<String> {
    let line = line.split(" #").next().unwrap_or_default().trim();
    if line.starts_with("cargo install") || line.starts_with(".ci/") {
        return None;
    }
    if let Some(arguments) = line.strip_prefix("cargo run --release -- ") {
        return Some(format!("groma {}", arguments.replace("PATH", ".")));
    }
    // A client's own command ends with the server that it starts.
    if let Some((_, server)) = line.split_once(" -- ") {
        return Some(server.to_string());
    }
    let ours = [
        "cargo ",
        "UPDATE_EXPECT=1 cargo ",
        "GROMA_CHAOS_SECONDS=",
        "GROMA_SOURCES=",
        "pip ",
        "python3 ",
    ];
    let is_ours = ours.iter().any(|start| line.starts_with(start));
    (!is_ours).then(|| line.replace("0123", &reader.id).replace("\"...\"", "'Tokens live an hour'"))
}

/// What a `cargo` line of the documents names must be there.
fn check_repository_command(document: &str, line: &str) {
    let words: Vec<&str> = line.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let next = words.get(at + 1).copied().unwrap_or_default();
        if *word == "-p" && next.starts_with("groma") {
            assert!(repository().join("crates").join(next).is_dir(), "{document}: {line}");
        }
        if word.starts_with(".ci/") {
            assert!(repository().join(word).is_file(), "{document}: {line}");
        }
        if *word == "xtask" {
            let tasks = fs::read_to_string(repository().join("xtask/src/main.rs")).unwrap();
            assert!(
                tasks.contains(&format!("::{next}Args"))
                    || tasks.to_lowercase().contains(&format!("task::{next}")),
                "{document}: {line}"
            );
        }
    }
}

#[test]
fn every_line_of_a_shell_block_runs() {
    let mut lines = 0;
    for name in DOCUMENTS {
        let reader = Reader::new();
        for block in blocks(&document(name), "sh") {
            for line in block.lines().filter(|line| !line.trim().is_empty()) {
                match runnable(&reader, line) {
                    Some(command) => reader.check(name, &command),
                    None => check_repository_command(name, line),
                }
                lines += 1;
            }
        }
    }
    assert!(lines > 20, "only {lines} lines were found");
}

#[test]
fn every_command_in_the_table_of_readme_runs() {
    let readme = document("README.md");
    let table = readme.split("## Commands").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: String = table
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.split('|').next())
        .map(|cell| format!("{cell}\n"))
        .collect();
    let commands = inline_commands(&rows);
    assert!(commands.len() > 15, "{commands:?}");
    for command in commands.iter().filter(|command| !SERVERS.contains(&command.as_str())) {
        let mut line = command.clone();
        for (placeholder, value) in PLACEHOLDERS {
            line = line.replace(placeholder, value);
        }
        let line = if line.starts_with("groma clear") { format!("{line} --yes") } else { line };
        let reader = Reader::new();
        assert_eq!(reader.sample.run(&["index", "--quiet"]).code, Some(0));
        reader.check("README.md", &line);
    }
}

/// Commands in running text lack their arguments, so only their names and options are checked.
#[test]
fn every_command_in_running_text_exists() {
    let sample = Sample::new();
    for name in DOCUMENTS {
        for command in inline_commands(&document(name)) {
            let words: Vec<&str> =
                command.split_whitespace().skip(1).skip_while(|word| *word == "help").collect();
            let is_name = |word: &&&str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            let is_option = |word: &&&str| word.starts_with("--");
            let names = words.iter().take_while(|word| is_name(word) && !is_option(word)).take(2);
            let mut arguments: Vec<&str> = names.copied().collect();
            arguments.push("--help");
            let help = sample.run(&arguments);
            assert_eq!(help.code, Some(0), "{name}: {command}: {help:?}");
            for option in words.iter().filter(is_option) {
                assert!(help.stdout.contains(*option), "{name}: {command}: no {option}");
            }
        }
    }
}

/// A line with its numbers replaced.
fn shape(line: &str) -> String {
    let mut shape: String =
        line.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    while shape.contains("00") {
        shape = shape.replace("00", "0");
    }
    shape
}

/// README's example claims to be run in a clone of this repository. Line numbers may move; the results and
/// how they are shown may not.
#[test]
fn the_example_of_readme_is_what_is_printed() {
    let reader = Reader::new();
    let readme = document("README.md");
    let example = blocks(&readme, "text").into_iter().find(|block| block.starts_with("$ groma"));
    let example = example.expect("README.md has an example");
    let mut shown = example.split("$ groma ").skip(1);
    for (number, part) in shown.by_ref().enumerate() {
        let (command, expected) = part.split_once('\n').unwrap();
        let mut ran = Command::new("sh");
        let program = reader.sample.command(&[]);
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => ran.env(name, value),
                None => ran.env_remove(name),
            };
        }
        let line = format!("{} {command}", env!("CARGO_BIN_EXE_groma"));
        let output = ran.args(["-euc", &line]).current_dir(repository()).output().unwrap();
        let ran = reader.sample.ran(output);
        assert_eq!(ran.code, Some(0), "{command}: {ran:?}");
        let (expected, printed) = (expected.trim_end(), ran.stdout.trim_end());
        let first = |text: &str| text.lines().next().map(shape);
        assert_eq!(first(printed), first(expected), "{command}");
        let counts = [expected, printed].map(|text| text.lines().count());
        assert_eq!(counts[0], counts[1], "{command}: as many lines are shown\n{printed}");
        if number == 0 {
            check_excerpt(printed);
            check_excerpt(expected);
        }
    }
}

/// After how sure the answer is, the file and the definition comes the code with its line numbers.
fn check_excerpt(printed: &str) {
    let lines: Vec<&str> = printed.lines().collect();
    assert!(lines.len() > 3, "{printed}");
    for line in &lines[3..] {
        let (number, _) = line.split_once(':').unwrap_or_else(|| panic!("{line}"));
        assert!(number.parse::<u32>().is_ok(), "{line}");
    }
}
