//! A process may die at any step of a commit; the next one finds the generation before or the one after.
//!
//! The process that dies is this test binary, started again with variables that say where to work and at which
//! step to abort. Aborting runs no destructor and flushes nothing, as `kill -9` does not.

use crate::temporary::{Temporary, open};
use groma_core::{RefName, Store};
use groma_store::EmbeddedStore;
use groma_testkit::Tree;
use groma_testkit::answers::answers;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

const FOLDER: &str = "GROMA_TEST_CRASH_FOLDER";
const SCENE: &str = "GROMA_TEST_CRASH_SCENE";
const STEP: &str = "GROMA_TEST_CRASH_STEP";

/// A commit to die in: what was committed before, and what is being committed.
struct Scene {
    name: &'static str,
    /// What the store of another working tree has.
    beside: Option<Tree>,
    before: Vec<Tree>,
    after: Tree,
    /// How many steps the commit has.
    steps: usize,
}

fn scene(name: &'static str, before: Vec<Tree>, after: Tree, steps: usize) -> Scene {
    Scene { name, beside: None, before, after, steps }
}

/// The folder of the other store.
fn beside(folder: &Path) -> PathBuf {
    folder.join("beside")
}

fn scenes() -> Vec<Scene> {
    let base = Tree::parse("//- src/pool.rs\nfn get_user() {}\n//- b.md\n# Pool\n\nusers\n");
    let mut edited = base.clone();
    edited.write("src/new.rs", "struct Pool;\n").remove("b.md");
    let mut growing = base.clone();
    let mut many = Vec::new();
    for number in 0..9 {
        growing.write(&format!("src/{number}.rs"), &format!("fn parse_{number}() {{}}\n"));
        many.push(growing.clone());
    }
    let last = many.pop().expect("nine trees");
    vec![
        scene("first", vec![], base.clone(), 4),
        scene("incremental", vec![base.clone()], edited.clone(), 4),
        scene("merging", many, last, 5),
        Scene { beside: Some(base), ..scene("sharing", vec![], edited, 5) },
    ]
}

/// The process that dies; does nothing when run as a test.
#[test]
fn child() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let scene = std::env::var(SCENE).unwrap();
    let step: usize = std::env::var(STEP).unwrap().parse().unwrap();
    let scene = scenes().into_iter().find(|other| other.name == scene).unwrap();
    let store = open(Path::new(&folder)).unwrap();
    let mut store = store.with_siblings(vec![beside(Path::new(&folder))]);
    let steps = AtomicUsize::new(0);
    store.observe(move |_| {
        if steps.fetch_add(1, Ordering::SeqCst) + 1 == step {
            std::process::abort();
        }
    });
    scene.after.commit(&store, &RefName::live()).unwrap();
}

/// Runs the commit in a process of its own. Returns whether it ended normally.
fn run_child(folder: &Path, scene: &Scene, step: usize) -> bool {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child"])
        .env(FOLDER, folder)
        .env(SCENE, scene.name)
        .env(STEP, step.to_string())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    output.status.success()
}

fn live_answers(store: &EmbeddedStore) -> Option<String> {
    let snapshot = store.snapshot(&RefName::live()).unwrap()?;
    Some(answers(&*snapshot).unwrap())
}

fn prepared(scene: &Scene) -> Temporary {
    let temporary = Temporary::new();
    if let Some(tree) = &scene.beside {
        tree.commit(&open(&beside(temporary.path())).unwrap(), &RefName::live()).unwrap();
    }
    scene.before.iter().for_each(|tree| tree.commit(&temporary, &RefName::live()).unwrap());
    temporary
}

fn check(scene: &Scene) {
    let after = prepared(scene);
    scene.after.commit(&after, &RefName::live()).unwrap();
    let new = live_answers(&after.store);
    for step in 1..=scene.steps + 1 {
        let temporary = prepared(scene);
        let old = live_answers(&temporary.store);
        let completed = run_child(temporary.path(), scene, step);
        let at = format!("{} commit, step {step}", scene.name);
        assert_eq!(completed, step > scene.steps, "{at}");
        // The last two steps come after the commit point.
        let expected = if step + 1 >= scene.steps { &new } else { &old };
        for store in [&open(temporary.path()).unwrap(), &temporary.store] {
            store.verify().unwrap_or_else(|error| panic!("{at}: {error}"));
            assert!(live_answers(store) == *expected, "{at}");
        }
        // The next writer takes over and cleans up.
        scene.after.commit(&temporary, &RefName::live()).unwrap();
        assert!(live_answers(&temporary.store) == new, "{at}, written again");
        temporary.store.verify().unwrap();
        if let Some(tree) = &scene.beside {
            let other = open(&beside(temporary.path())).unwrap();
            other.verify().unwrap();
            let [now, then] = [&other, &Temporary::of(tree).store].map(live_answers);
            assert!(now == then, "{at}, beside it");
        }
        let files = std::fs::read_dir(temporary.path().join("segments")).unwrap().count();
        assert_eq!(files as u64, temporary.size().unwrap().segments, "{at}");
    }
}

#[test]
fn a_first_commit() {
    check(&scenes()[0]);
}

#[test]
fn an_incremental_commit() {
    check(&scenes()[1]);
}

#[test]
fn a_commit_that_merges() {
    check(&scenes()[2]);
}

#[test]
fn a_first_commit_that_takes_from_another_store() {
    check(&scenes()[3]);
}
