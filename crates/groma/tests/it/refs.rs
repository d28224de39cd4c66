//! `--ref`: branches, tags and commits on the command line.

use crate::sample::Sample;
use groma_core::Pipeline;
use groma_store::EmbeddedStore;
use groma_testkit::{git, git_commit, git_init};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

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
fn every_command_that_reads_files_takes_a_ref() {
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
fn a_ref_is_indexed_listed_and_deleted() {
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
fn an_unknown_ref_is_reported_with_a_next_step() {
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
    assert!(ran.stderr.contains("this is not a git repository"), "{}", ran.stderr);
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
    // The other direction, too; a deleted tree affects nothing else.
    git(&sample.root(), &["merge", "-q", "feature"]);
    assert_eq!(json(&sample, &["index"])["parsed"], 0);
    fs::remove_dir_all(&other).unwrap();
    sample.write("src/new.rs", "pub fn brand_new() {}\n");
    assert_eq!(json(&sample, &["index"])["parsed"], 1);
    assert_eq!(json(&sample, &["index", "--force"])["parsed"], 4, "made anew, nothing is taken");
}

/// Whose file each part of each index is, by project: the folder, and the numbers that the system gave its parts.
#[cfg(unix)]
fn parts(sample: &Sample) -> Vec<(PathBuf, Vec<u64>)> {
    use std::os::unix::fs::MetadataExt;
    let entries = |folder: PathBuf| {
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let number = |path: PathBuf| fs::metadata(path).unwrap().ino();
    let projects = entries(sample.home().join("projects")).into_iter();
    let projects = projects.filter(|folder| folder.join("segments").is_dir());
    let parts =
        |folder: &PathBuf| entries(folder.join("segments")).into_iter().map(number).collect();
    projects.map(|folder| (folder.clone(), parts(&folder))).collect()
}

/// Whether every byte of each index is what it was when it was written.
#[cfg(unix)]
fn sound(sample: &Sample) -> Vec<bool> {
    let opened = |folder: &Path| {
        EmbeddedStore::open(folder, Pipeline { version: 0, embedder: None }).unwrap()
    };
    parts(sample).iter().map(|(folder, _)| opened(folder).verify().is_ok()).collect()
}

#[cfg(unix)]
#[test]
fn working_trees_share_files_and_do_not_affect_each_other() {
    let sample = repository();
    let here = sample.root().to_string_lossy().into_owned();
    let there = sample.home().join("tree").to_string_lossy().into_owned();
    json(&sample, &["index"]);
    sample.run(&["remember", "We decided to lend connections for a minute"]);
    git(&sample.root(), &["worktree", "add", "-q", &there, "feature"]);
    assert_eq!(json(&sample, &["index", "--project", &there])["parsed"], 1);
    let [(_, one), (_, other)] = &parts(&sample)[..] else { panic!("two projects") };
    let mut sizes = [one.len(), other.len()];
    sizes.sort();
    assert_eq!(sizes, [1, 2], "what only the branch has is a part of its own");
    let shared = one.iter().filter(|number| other.contains(number)).count();
    assert_eq!(shared, 1, "the rest is the same file");

    let is_whole = |root: &str| {
        assert!(sound(&sample).into_iter().all(|sound| sound));
        let question = "lend_connection find_user place_order";
        let ran = sample.run(&["search", question, "--paths-only", "--project", root]);
        let mut paths: Vec<_> = ran.stdout.lines().collect();
        paths.sort();
        let all = ["src/order.rs", "src/pool.rs", "src/user.rs"];
        assert_eq!(paths, if root == there { &all[..] } else { &all[1..] }, "{}", ran.stderr);
    };
    [&here, &there].into_iter().for_each(|root| is_whole(root));
    let notes = json(&sample, &["notebook", "list", "--project", &there]);
    assert!(!notes.to_string().contains("lend connections"), "a notebook is one project's own");

    for (busy, quiet) in [(&here, &there), (&there, &here)] {
        json(&sample, &["index", "--force", "--project", busy]);
        is_whole(quiet);
        json(&sample, &["clear", busy, "--yes"]);
        is_whole(quiet);
        assert_eq!(
            json(&sample, &["index", "--project", busy])["parsed"],
            u32::from(busy == &there)
        );
    }
    [&here, &there].into_iter().for_each(|root| is_whole(root));

    // A damaged shared file is damaged for both; each detects and repairs it.
    for part in
        parts(&sample).iter().flat_map(|(folder, _)| fs::read_dir(folder.join("segments")).unwrap())
    {
        let file = fs::File::options().write(true).open(part.unwrap().path()).unwrap();
        file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    }
    assert_eq!(sound(&sample), [false; 2]);
    for root in [&here, &there] {
        assert_eq!(sample.run(&["search", "lend_connection", "--project", root]).code, Some(0));
    }
    [&here, &there].into_iter().for_each(|root| is_whole(root));
    let kept = json(&sample, &["notebook", "list", "--project", &here]);
    assert!(kept.to_string().contains("lend connections"), "{kept:#}");
}
