//! Many processes on one project, and the state that a killed process leaves.

use crate::client::Client;
use crate::sample::Sample;
use groma_core::{Embedder, Pipeline, RefName, RelPath, Snapshot, Store};
use groma_embed::StaticEmbedder;
use groma_engine::PIPELINE_VERSION;
use groma_store::EmbeddedStore;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Long enough for a loaded machine; reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(60);

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// The process that watches the project, according to `groma doctor`.
fn background_indexer(sample: &Sample) -> Option<u32> {
    let holders = sample.json(&["doctor"])["holders"].take();
    let is_background = |holder: &&Value| holder["role"] == "background_indexer";
    let holder = holders.as_array().unwrap().iter().find(is_background)?;
    holder["process"].as_u64().map(|process| process as u32)
}

/// Queries all servers at once; each must find `sought`.
fn all_find(servers: &mut [Client], query: &str, sought: &str) {
    let call = json!({ "name": "search", "arguments": { "query": query } });
    let asked: Vec<u64> =
        servers.iter_mut().map(|server| server.post("tools/call", call.clone())).collect();
    for (server, id) in servers.iter_mut().zip(asked) {
        let answer = server.answer(id)["result"].take();
        let text = answer["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.contains(sought), "{answer:#}");
    }
}

/// Waits until nothing is pending, without a query.
fn until_indexed(sample: &Sample) {
    until("changes are indexed between queries", || sample.json(&["status"])["pending"] == 0);
}

#[test]
fn sixteen_servers_share_one_project() {
    let sample = Sample::new();
    let mut servers: Vec<Client> = (0..16).map(|_| Client::start(&sample, &[])).collect();
    // All start without an index, at once.
    all_find(&mut servers, "verify_token", "def verify_token");
    assert_eq!(sample.json(&["status"])["files"], 4);

    let mut first = None;
    until("a background indexer", || {
        first = background_indexer(&sample);
        first.is_some()
    });
    sample.write("auth/token.py", "def check_token(token):\n    return True\n");
    until_indexed(&sample);
    all_find(&mut servers, "check_token", "def check_token");

    #[cfg(target_os = "linux")]
    for server in &servers {
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", server.process())).unwrap();
        assert!(maps.contains(".segment"), "parts are mapped, so that processes share them");
    }

    let place = servers.iter().position(|server| Some(server.process()) == first);
    let killed = servers.remove(place.expect("one of them holds the lease"));
    let process = killed.process().to_string();
    assert!(Command::new("kill").args(["-9", &process]).status().unwrap().success());
    drop(killed);
    until("another background indexer", || {
        background_indexer(&sample).is_some_and(|now| Some(now) != first)
    });
    sample.write("auth/token.py", "def judge_token(token):\n    return True\n");
    until_indexed(&sample);
    all_find(&mut servers, "judge_token", "def judge_token");
}

/// Files that are all rewritten in each round, so that a generation can be matched to its round.
const FILES: usize = 24;

/// How often the program is killed.
const KILLS: u32 = 200;

fn text(file: usize, round: u32) -> String {
    let body: String = (0..8).map(|n| format!("    step_{n}(config, {round})\n")).collect();
    format!("def parse_{file}_of_round_{round}(config):\n    \"\"\"Round {round}.\"\"\"\n{body}")
}

fn path(file: usize) -> String {
    format!("src/f{file}.py")
}

fn write_round(sample: &Sample, round: u32) {
    (0..FILES).for_each(|file| sample.write(&path(file), &text(file, round)));
}

fn open(folder: &std::path::Path) -> (EmbeddedStore, Arc<dyn Snapshot>) {
    let embedder = Some(StaticEmbedder::default().identity());
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder };
    let store = EmbeddedStore::open(folder, pipeline).unwrap();
    let snapshot = store.snapshot(&RefName::live()).unwrap().expect("a generation");
    (store, snapshot)
}

/// The round of a generation; all files must be of the same one.
fn round_of(snapshot: &dyn Snapshot) -> u32 {
    assert_eq!(snapshot.manifest().files.len(), FILES);
    let round = |path: &RelPath| {
        let facts = snapshot.file_facts(path).unwrap().expect("facts");
        let name = &facts.symbols.first().expect("a definition").name;
        name.rsplit('_').next().and_then(|round| round.parse().ok()).expect("a round")
    };
    let rounds: BTreeSet<u32> = snapshot.manifest().files.keys().map(round).collect();
    assert_eq!(rounds.len(), 1, "a mixture: {rounds:?}");
    rounds.into_iter().next().expect("one")
}

/// Everything that is stored for each file.
fn everything(snapshot: &dyn Snapshot) -> String {
    let mut all = format!("{:#?}", snapshot.manifest());
    for path in snapshot.manifest().files.keys() {
        let vectors = snapshot.vectors(std::slice::from_ref(path)).unwrap();
        all.push_str(&format!("{:?}\n{vectors:?}\n", snapshot.file_facts(path).unwrap()));
    }
    all
}

/// A deterministic pseudo-random generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

/// Indexes, and kills the program after `time`. Returns whether it was still running.
fn killed_after(sample: &Sample, arguments: &[&str], time: Duration) -> bool {
    let mut child = sample.command(arguments).stdout(Stdio::null()).spawn().unwrap();
    std::thread::sleep(time);
    let was_at_work = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    was_at_work
}

#[test]
fn a_process_killed_at_any_moment_leaves_a_complete_generation() {
    let sample = Sample::bare();
    write_round(&sample, 0);
    assert_eq!(sample.run(&["index", "--quiet"]).code, Some(0));
    let told = "We decided to keep rounds apart, because they are counted";
    assert_eq!(sample.run(&["remember", told]).code, Some(0));
    let started = Instant::now();
    assert_eq!(sample.run(&["index", "--force", "--quiet"]).code, Some(0));
    let whole = started.elapsed().as_micros() as u64;

    let (mut dice, mut committed, mut at_work, mut moved_on) = (Dice(0x0067_726f_6d61), 0, 0, 0);
    for round in 1..=KILLS {
        write_round(&sample, round);
        let arguments: &[&str] = match round % 3 {
            0 => &["index", "--force", "--quiet"],
            _ => &["index", "--quiet"],
        };
        let time = Duration::from_micros(dice.below(whole * 3 / 2));
        at_work += u32::from(killed_after(&sample, arguments, time));
        let (store, snapshot) = open(&sample.data());
        store.verify().unwrap_or_else(|error| panic!("round {round} after {time:?}: {error}"));
        let found = round_of(&*snapshot);
        if found == round {
            (committed, moved_on) = (round, moved_on + 1);
        } else {
            assert_eq!(found, committed, "round {round} after {time:?}");
        }
    }
    assert!(at_work > KILLS / 4, "only {at_work} of {KILLS} were ended at work");
    assert!(moved_on > 0, "none of {KILLS} got as far as a commit");

    // Old enough that no stamp is racy.
    for file in 0..FILES {
        let file = std::fs::File::options().write(true).open(sample.root().join(path(file)));
        file.unwrap()
            .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_500_000_000))
            .unwrap();
    }
    assert_eq!(sample.run(&["index", "--quiet"]).code, Some(0));
    let (store, snapshot) = open(&sample.data());
    let parts = std::fs::read_dir(sample.data().join("segments")).unwrap().count();
    assert_eq!(parts as u64, store.size().unwrap().segments, "nothing is left behind");
    let other = Sample::bare();
    let afresh = sample.command(&["index", "--quiet"]).env("GROMA_HOME", other.home()).output();
    assert!(afresh.unwrap().status.success());
    let (_, fresh) = open(&other.data());
    assert!(everything(&*snapshot) == everything(&*fresh), "unlike an index made afresh");
    assert_eq!(sample.run(&["doctor"]).code, Some(0));
    assert!(
        sample.run(&["notebook", "list"]).stdout.contains("keep rounds apart"),
        "the notebook is lost"
    );
}
