//! What refs mean.

use groma_engine::{Engine, Meaning};
use groma_testkit::Sandbox;

const MAIN: &str = "1111111111111111111111111111111111111111";
const OTHER: &str = "2222222222222222222222222222222222222222";

/// What a ref means, in one line.
fn meaning(engine: &Engine, name: &str) -> String {
    let given = (!name.is_empty()).then_some(name);
    match engine.meaning(given) {
        Meaning::Tree(name) => format!("tree {name}"),
        Meaning::Other { name, target } => format!("other {name} {}", &target[..4]),
        Meaning::Unknown(name) => format!("unknown {name}"),
    }
}

#[test]
fn without_git_there_is_the_working_tree_alone() {
    let sandbox = Sandbox::in_memory("//- a.rs\nfn a() {}\n");
    let meaning = |name: &str| meaning(sandbox.engine(), name);
    assert_eq!(meaning(""), "tree live");
    assert_eq!(meaning("live"), "tree live");
    assert_eq!(meaning("HEAD"), "tree live");
    assert_eq!(meaning("main"), "unknown main");
}

#[test]
fn what_is_checked_out_is_the_working_tree() {
    let sandbox = Sandbox::in_memory("//- a.rs\nfn a() {}\n");
    sandbox.save(".git/HEAD", "ref: refs/heads/main\n");
    sandbox.save(".git/refs/heads/main", MAIN);
    sandbox.save(".git/refs/heads/feat/x", OTHER);
    sandbox.save(".git/refs/tags/here", MAIN);
    let meaning = |name: &str| meaning(sandbox.engine(), name);
    for name in ["", "HEAD", "@", "main", "refs/heads/main"] {
        assert_eq!(meaning(name), "tree main", "{name}");
    }
    assert_eq!(meaning("live"), "tree live");
    assert_eq!(meaning("11111111"), "tree 11111111");
    assert_eq!(meaning("here"), "tree here", "a tag of the commit that is checked out");
    assert_eq!(meaning("feat/x"), "other feat/x 2222");
    assert_eq!(meaning("refs/heads/feat/x"), "other feat/x 2222");
    assert_eq!(meaning("nope"), "unknown nope");
    assert_eq!(meaning(OTHER), format!("unknown {OTHER}"));

    sandbox.save(".git/HEAD", OTHER);
    assert_eq!(meaning(""), "tree live", "no branch is checked out");
    assert_eq!(meaning("feat/x"), "tree feat/x");
    assert_eq!(meaning("main"), "other main 1111");
    assert_eq!(meaning(OTHER), format!("tree {OTHER}"));

    sandbox.save(".git/HEAD", "ref: refs/heads/new\n");
    assert_eq!(meaning(""), "tree new", "before its first commit");
    assert_eq!(meaning("new"), "tree new");
}
