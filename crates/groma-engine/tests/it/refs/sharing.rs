//! Refs share file versions; unreferenced versions are removed.

use super::{found, repository};
use groma_core::RefName;
use groma_engine::{Cancel, Engine, Readiness};
use groma_testkit::{Sandbox, git, git_commit, git_init};

fn index(engine: &Engine, reference: &str) -> usize {
    engine.at(Some(reference)).unwrap().index(&(), &Cancel::default()).unwrap().parsed
}

/// The refs that are indexed, by name.
fn names(engine: &Engine) -> Vec<String> {
    let refs = engine.indexed_refs().unwrap();
    refs.iter().map(|one| one.name.as_str().to_string()).collect()
}

#[test]
fn only_versions_never_seen_are_parsed() {
    let sandbox = repository();
    let engine = sandbox.engine();
    assert_eq!(sandbox.index().parsed, 3);
    assert_eq!(index(engine, "v1"), 0, "as the working tree");
    assert_eq!(index(engine, "feature"), 2);
    git(sandbox.root(), &["branch", "copy", "feature"]);
    assert_eq!(index(engine, "copy"), 0, "as another ref");
    git(sandbox.root(), &["checkout", "-q", "feature"]);
    assert_eq!(sandbox.index().parsed, 0, "a working tree shares with refs, too");
    let before: Vec<_> = engine.indexed_refs().unwrap();
    assert_eq!(before.len(), 4);
    assert_eq!(index(sandbox.another().at(Some("v1")).as_deref().unwrap(), "v1"), 0);
}

#[test]
fn versions_under_other_rules_are_judged_anew() {
    let mut sandbox = Sandbox::new("//- a.rs\nfn a() {}\n//- b.rs\n// @generated\nfn b() {}\n");
    git_init(sandbox.root());
    git(sandbox.root(), &["tag", "v1"]);
    let files = |sandbox: &Sandbox, name: &str| {
        let view = sandbox.engine().at(Some(name)).unwrap();
        view.index(&(), &Cancel::default()).unwrap().files
    };
    sandbox.reopen(|setup| setup.walk.generated = true);
    assert_eq!((files(&sandbox, "live"), files(&sandbox, "v1")), (2, 2));
    sandbox.reopen(|setup| setup.walk.generated = false);
    assert_eq!((files(&sandbox, "v1"), files(&sandbox, "live")), (1, 1));
}

#[test]
fn forgetting_a_ref_leaves_the_others() {
    let sandbox = repository();
    let engine = sandbox.engine();
    let readiness = |name: &str| engine.at(Some(name)).unwrap().readiness().unwrap();
    assert_eq!(readiness("feature"), Readiness::Missing);
    sandbox.index();
    index(engine, "feature");
    index(engine, "v1");
    assert_eq!(names(engine), ["live", "refs/heads/feature", "refs/tags/v1"]);
    engine.at(Some("feature")).unwrap().clear().unwrap();
    assert_eq!(names(engine), ["live", "refs/tags/v1"]);
    assert_eq!(readiness("feature"), Readiness::Missing);
    assert_eq!((readiness("v1"), readiness("live")), (Readiness::Ready, Readiness::Ready));
    assert_eq!(found(engine, "feature", "place_order")[0], "place_order", "it comes back");
    engine.clear().unwrap();
    assert_eq!(names(engine), Vec::<String>::new(), "all of them with the index");
    assert_eq!(found(engine, "v1", "lend_connection")[0], "lend_connection");
}

#[test]
fn making_a_ref_anew_leaves_the_others() {
    let sandbox = repository();
    sandbox.index();
    let feature = sandbox.engine().at(Some("feature")).unwrap();
    feature.index(&(), &Cancel::default()).unwrap();
    let report = feature.rebuild(&(), &Cancel::default()).unwrap();
    assert_eq!((report.files, report.added), (3, 3));
    assert_eq!(names(sandbox.engine()), ["live", "refs/heads/feature"]);
    assert_eq!(found(sandbox.engine(), "live", "lend_connection")[0], "lend_connection");
}

#[test]
fn refs_that_are_gone_or_too_many_are_forgotten() {
    let sandbox = repository();
    let engine = sandbox.engine();
    sandbox.index();
    index(engine, "feature");
    git(sandbox.root(), &["branch", "-D", "feature"]);
    index(engine, "v1");
    assert_eq!(names(engine), ["live", "refs/tags/v1"], "the branch is gone");
    for number in 0..20 {
        sandbox.write("src/pool.rs", format!("fn pool_{number}() {{}}\n"));
        let commit = git_commit(sandbox.root());
        index(engine, &commit);
    }
    let commits = git(sandbox.root(), &["rev-list", "-n", "16", "HEAD"]);
    let mut expected: Vec<String> = commits.lines().map(str::to_string).collect();
    expected.push("live".into());
    expected.sort();
    assert_eq!(names(engine), expected, "those that were indexed last");
}

#[test]
fn two_processes_index_two_refs() {
    let sandbox = repository();
    let other = sandbox.another();
    sandbox.index();
    index(&other, "feature");
    assert_eq!(found(sandbox.engine(), "feature", "place_order")[0], "place_order");
    sandbox.write("src/new.rs", "fn brand_new() {}\n");
    assert_eq!(found(&other, "live", "brand_new")[0], "brand_new");
    assert_eq!(found(sandbox.engine(), "live", "brand_new")[0], "brand_new");
    let generation = |name: &str| {
        let view = other.at(Some(name)).unwrap();
        view.generation().unwrap().unwrap().generation
    };
    let before = generation("feature");
    sandbox.write("src/new.rs", "fn newer() {}\n");
    sandbox.index();
    assert_eq!(generation("feature"), before, "what changes elsewhere is no change here");
    assert_eq!(RefName::live().as_str(), "live");
}
