//! `--ref`: branches, tags and commits on the command line.

use crate::sample::Sample;
use groma_testkit::{git, git_commit, git_init};
use serde_json::Value;

/// A repository on `main`, with a branch that has one more file, and a tag of `main`.
fn repository() -> Sample {
    let sample = Sample::with(&[
        ("src/pool.rs", "pub fn lend_connection() {}\n"),
        ("src/user.rs", "pub fn find_user() {}\n"),
    ]);
    let root = sample.root();
    git_init(&root);
    git(&root, &["tag", "v1"]);
    git(&root, &["checkout", "-q", "-b", "feature"]);
    sample.write("src/order.rs", "pub fn place_order() {}\n");
    git_commit(&root);
    git(&root, &["checkout", "-q", "main"]);
    sample
}

fn json(sample: &Sample, arguments: &[&str]) -> Value {
    let ran = sample.run(&[arguments, &["--json"]].concat());
    assert_eq!(ran.code, Some(0), "{arguments:?} {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn every_command_that_looks_at_files_takes_a_ref() {
    let sample = repository();
    for arguments in [
        &["search", "place_order", "--paths-only"][..],
        &["symbol", "place_order"],
        &["grep", "place_order"],
        &["read", "src/order.rs"],
        &["outline", "src/order.rs"],
    ] {
        let ran = sample.run(&[arguments, &["--ref", "feature"]].concat());
        assert_eq!(ran.code, Some(0), "{arguments:?} {}", ran.stderr);
        assert!(ran.stdout.contains("order"), "{arguments:?} {}", ran.stdout);
        for other in [&["--ref", "v1"][..], &["--ref", "live"], &[]] {
            let ran = sample.run(&[arguments, other].concat());
            let told = ran.stdout.contains("src/order.rs") || ran.stdout.contains("place_order()");
            assert!(!told, "{arguments:?} {other:?} {}", ran.stdout);
        }
    }
}

#[test]
fn a_ref_is_indexed_told_of_and_forgotten() {
    let sample = repository();
    assert_eq!(json(&sample, &["status", "--ref", "feature"])["indexed"], false);
    assert_eq!(json(&sample, &["index"])["parsed"], 2);
    let report = json(&sample, &["index", "--ref", "feature"]);
    assert_eq!(
        (&report["ref"], &report["files"], &report["parsed"]),
        (&"feature".into(), &3.into(), &1.into())
    );
    let commit = git(&sample.root(), &["rev-parse", "feature"]);
    let status = json(&sample, &["status"]);
    assert_eq!((&status["ref"], &status["files"]), (&Value::Null, &2.into()));
    assert_eq!(status["refs"][0]["name"], "feature");
    assert_eq!(
        (&status["refs"][0]["commit"], &status["refs"][0]["files"]),
        (&commit.into(), &3.into())
    );
    let status = json(&sample, &["status", "--ref", "feature"]);
    assert_eq!(
        (&status["indexed"], &status["files"], &status["pending"]),
        (&true.into(), &3.into(), &0.into())
    );
    let words = sample.run(&["status"]).stdout;
    assert!(words.contains("refs        feature"), "{words}");
    assert_eq!(json(&sample, &["list"])["projects"][0]["refs"][0]["name"], "feature");
    assert!(sample.run(&["list"]).stdout.contains("and 1 ref"));

    let cleared = json(&sample, &["clear", "--ref", "feature"]);
    assert_eq!(cleared["cleared"][0]["ref"], "feature");
    let status = json(&sample, &["status"]);
    assert_eq!((&status["refs"], &status["files"]), (&Value::Array(Vec::new()), &2.into()));
    let again = sample.run(&["clear", "--ref", "feature"]);
    assert_eq!(again.code, Some(3));
    assert!(again.stderr.contains("feature is not indexed"), "{}", again.stderr);
    json(&sample, &["index", "--ref", "feature"]);
    git(&sample.root(), &["branch", "-D", "feature"]);
    json(&sample, &["clear", "--ref", "feature"]);
}

#[test]
fn a_ref_that_is_none_is_told_with_what_to_do() {
    let sample = repository();
    for arguments in [&["search", "x"][..], &["grep", "x"], &["read", "a"], &["index"], &["status"]]
    {
        let ran = sample.run(&[arguments, &["--ref", "nowhere"]].concat());
        assert_eq!(ran.code, Some(3), "{arguments:?}");
        assert!(ran.stderr.contains("`git branch -a` and `git tag` list them"), "{}", ran.stderr);
    }
    let sample = Sample::with(&[("a.rs", "fn a() {}\n")]);
    let ran = sample.run(&["search", "a", "--ref", "main"]);
    assert_eq!(ran.code, Some(3));
    assert!(ran.stderr.contains("this is no git repository"), "{}", ran.stderr);
    assert_eq!(sample.run(&["search", "a", "--ref", "live"]).code, Some(0));
}

#[test]
fn working_trees_share_what_they_have_in_common() {
    let sample = repository();
    assert_eq!(json(&sample, &["index"])["parsed"], 2);
    let other = sample.home().join("other tree");
    git(&sample.root(), &["worktree", "add", "-q", &other.to_string_lossy(), "feature"]);
    let folder = other.to_string_lossy().into_owned();
    let report = json(&sample, &["index", "--project", &folder]);
    assert_eq!((&report["files"], &report["parsed"]), (&3.into(), &1.into()), "{report:#}");
    let ran = sample.run(&["search", "lend_connection", "--paths-only", "--project", &folder]);
    assert_eq!(ran.stdout.lines().next(), Some("src/pool.rs"), "{}", ran.stderr);
    // The other way round, too; and what is gone costs nothing but itself.
    git(&sample.root(), &["merge", "-q", "feature"]);
    assert_eq!(json(&sample, &["index"])["parsed"], 0);
    std::fs::remove_dir_all(&other).unwrap();
    sample.write("src/new.rs", "pub fn brand_new() {}\n");
    assert_eq!(json(&sample, &["index"])["parsed"], 1);
    assert_eq!(json(&sample, &["index", "--force"])["parsed"], 4, "made anew, nothing is taken");
}
