//! A search sees the tree as it is now, and shows no line that is not in it.

use crate::show::{assert_true, paths};
use groma_core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
use groma_engine::SearchRequest;
use groma_testkit::{Sandbox, Setup, WordEmbedder};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const PROJECT: &str = "\
//- src/lamp.rs
/// Lights the lantern.
pub fn light_lantern() {}
//- src/door.py
def open_door():
    return 'hinge'
//- docs/guide.md
# Lantern

Keep it dry.
";

/// Searches, with every line compared with the tree.
fn found(sandbox: &Sandbox, query: &str) -> Vec<String> {
    let answer = sandbox.search(query);
    assert_true(sandbox, &answer);
    paths(&answer).into_iter().map(String::from).collect()
}

/// A change to the tree, a question about it, and where the answer is.
type Case = (&'static str, fn(&Sandbox), &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    ("nothing changed", |_| {}, "lantern", &["docs/guide.md", "src/lamp.rs"]),
    (
        "a new file",
        |s| s.save("src/bell.go", "package bell\n\nfunc Gong() {}\n"),
        "gong",
        &["src/bell.go"],
    ),
    ("an edit", |s| s.save("src/door.py", "def creak():\n    pass\n"), "creak", &["src/door.py"]),
    (
        "an edit behind a time that was set back",
        |s| {
            s.save("src/door.py", "def creak():\n    pass\n");
            s.set_time("src/door.py", UNIX_EPOCH + Duration::from_secs(1));
        },
        "creak",
        &["src/door.py"],
    ),
    (
        "an edit that is dated after now",
        |s| {
            s.save("src/door.py", "def creak():\n    pass\n");
            s.set_time("src/door.py", SystemTime::now() + Duration::from_secs(1_000_000));
        },
        "creak",
        &["src/door.py"],
    ),
    #[cfg(unix)]
    (
        "an edit of the same length and time",
        |s| s.restore("src/door.py", "def shut_door():\n    return 'creak'\n"),
        "creak",
        &["src/door.py"],
    ),
    #[cfg(unix)]
    (
        "another file of the same length and time",
        |s| {
            s.rename("src/door.py", "old");
            s.restore("old", "def shut_door():\n    return 'creak'\n");
            s.rename("old", "src/door.py");
        },
        "creak",
        &["src/door.py"],
    ),
    ("what an edit took away", |s| s.save("src/door.py", "def creak():\n    pass\n"), "hinge", &[]),
    (
        "lines moved down",
        |s| s.save("docs/guide.md", "\n\n\n# Lantern\n"),
        "lantern",
        &["docs/guide.md", "src/lamp.rs"],
    ),
    ("a removed file", |s| s.remove("src/lamp.rs"), "lantern", &["docs/guide.md"]),
    (
        "a renamed file",
        |s| s.rename("src/lamp.rs", "lib/lamp.rs"),
        "light_lantern",
        &["docs/guide.md", "lib/lamp.rs"],
    ),
    (
        "a file in place of another",
        |s| s.rename("src/door.py", "docs/guide.md"),
        "lantern",
        &["src/lamp.rs"],
    ),
    ("an emptied file", |s| s.save("src/lamp.rs", ""), "light_lantern", &["docs/guide.md"]),
    (
        "a file turned binary",
        |s| s.save("src/lamp.rs", [0u8; 64]),
        "light_lantern",
        &["docs/guide.md"],
    ),
    ("an ignored file", |s| s.save(".gitignore", "src/\n"), "lantern", &["docs/guide.md"]),
    (
        "an emptied folder",
        |s| std::fs::remove_dir_all(s.path("src")).unwrap(),
        "light_lantern",
        &["docs/guide.md"],
    ),
];

#[test]
fn every_change_is_seen_by_the_next_search() {
    for (name, change, query, expected) in CASES {
        let setup = Setup { embedder: None, ..Setup::in_memory() };
        let sandbox = Sandbox::with(setup, PROJECT);
        sandbox.index();
        found(&sandbox, query);
        change(&sandbox);
        assert_eq!(found(&sandbox, query), *expected, "{name}");
    }
}

#[test]
fn many_edits_in_a_row_are_each_seen() {
    let sandbox = Sandbox::new(PROJECT);
    for number in 0..10 {
        let above = "\n".repeat(number);
        sandbox.save("src/lamp.rs", format!("{above}pub fn wick{number}() {{}}\n"));
        let answer = sandbox.search(&format!("wick{number}"));
        assert_true(&sandbox, &answer);
        assert_eq!(answer.hits[0].lines.start as usize, number + 1);
        assert!(answer.hits[0].content.contains(&format!("wick{number}")));
    }
}

/// An embedder that edits a file whenever it embeds a query: after indexing, before presentation.
struct Meddler {
    file: Mutex<PathBuf>,
    times: Mutex<u32>,
}

impl Embedder for Meddler {
    fn identity(&self) -> EmbedderIdentity {
        WordEmbedder.identity()
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let mut times = self.times.lock().unwrap();
        if role == TextRole::Query && *times > 0 {
            *times -= 1;
            let text =
                format!("/// Edit {times}.\n\npub fn light_lantern() {{ edited_{times}() }}\n");
            std::fs::write(&*self.file.lock().unwrap(), text).unwrap();
        }
        WordEmbedder.embed(role, texts)
    }
}

/// A project whose lamp is edited so many times while it is searched.
fn meddled(times: u32) -> Sandbox {
    let meddler = Arc::new(Meddler { file: Mutex::default(), times: Mutex::new(times) });
    let setup = Setup { embedder: Some(meddler.clone()), ..Setup::default() };
    let sandbox = Sandbox::with(setup, PROJECT);
    *meddler.file.lock().unwrap() = sandbox.path("src/lamp.rs");
    sandbox
}

#[test]
fn a_file_edited_during_a_search_is_shown_as_it_is() {
    let sandbox = meddled(1);
    let answer = sandbox.search("light_lantern");
    assert_true(&sandbox, &answer);
    assert!(answer.hits[0].content.contains("edited_0"), "{:?}", answer.hits);
}

#[test]
fn a_file_that_keeps_changing_is_left_out_and_said_to_be() {
    let sandbox = meddled(100);
    let answer = sandbox.search("light_lantern");
    assert_eq!(paths(&answer), ["docs/guide.md", "src/door.py"]);
    assert!(answer.notes.iter().any(|note| note.contains("keep changing")), "{:?}", answer.notes);
}

#[test]
fn a_search_of_the_index_alone_shows_nothing_outdated_either() {
    let sandbox = Sandbox::new(PROJECT);
    let request = SearchRequest::new("light_lantern");
    sandbox.ask(&request);
    sandbox.save("src/lamp.rs", "pub fn dark() {}\n");
    let answer = sandbox.engine().search_indexed(&request).unwrap();
    assert!(!paths(&answer).contains(&"src/lamp.rs"), "{answer:?}");
}

#[test]
fn the_generation_is_reported_without_a_scan() {
    let sandbox = Sandbox::in_memory("//- a.rs\nfn one() {}\n");
    assert_eq!(sandbox.engine().generation().unwrap(), None);
    assert!(sandbox.engine().statistics().unwrap().is_none());
    let first = sandbox.index().generation;
    sandbox.write("b.rs", "fn two() {}\n");
    let now = sandbox.engine().generation().unwrap();
    assert_eq!(now.as_ref().map(|info| info.generation), first, "there was no scan for changes");
    let statistics = sandbox.engine().statistics().unwrap().unwrap();
    assert_eq!((statistics.generation, statistics.languages["rust"].files), (now, 1));
}
