//! What is left out by default, and the reason that is given for it.

use groma_core::SkippedFile;
use groma_engine::SkipReason;
use groma_engine::WalkOptions;
use groma_testkit::{Sandbox, Setup};

const KEPT: &str = "fn kept() {}\n";

/// A file, why it is left out, and the option that brings it in.
type Case = (&'static str, SkipReason, fn(&mut WalkOptions));

const CASES: &[Case] = &[
    (".hidden/file.rs", SkipReason::Hidden, |options| options.hidden = true),
    (".env.local", SkipReason::Secret, |options| options.include = vec![".env.local".into()]),
    ("keys/server.pem", SkipReason::Secret, |options| {
        options.include = vec!["keys/server.pem".into()]
    }),
    ("node_modules/left/pad.js", SkipReason::Vendored, |options| options.vendored = true),
    ("Cargo.lock", SkipReason::LockFile, |options| options.lock_files = true),
    ("web/app.min.js", SkipReason::Minified, |options| options.minified = true),
    ("api/types.pb.go", SkipReason::Generated, |options| options.generated = true),
    ("ignored/file.rs", SkipReason::Ignored, |options| options.gitignore = false),
    ("picture.png", SkipReason::Binary, |options| options.include = vec!["picture.png".into()]),
    ("large.txt", SkipReason::TooLarge, |options| options.max_file_size = 2_000_000),
];

fn project(path: &str, setup: Setup) -> Sandbox {
    let sandbox = Sandbox::with(setup, "");
    std::fs::create_dir(sandbox.path(".git")).unwrap();
    sandbox.write(".gitignore", "ignored/\n");
    sandbox.write("src/kept.rs", KEPT);
    let text = if path == "large.txt" { "kept words\n".repeat(100_000) } else { KEPT.to_string() };
    sandbox.write(path, text);
    sandbox
}

fn covers(skipped: &SkippedFile, path: &str) -> bool {
    path == skipped.path || path.starts_with(&format!("{}/", skipped.path))
}

#[test]
fn every_default_exclusion_has_a_reason_and_a_way_round() {
    for (path, reason, bring_in) in CASES {
        let sandbox = project(path, Setup::in_memory());
        let walked = sandbox.engine().walk().unwrap();
        let found = walked.skipped.iter().find(|skipped| covers(skipped, path));
        assert_eq!(found.map(|skipped| skipped.reason.as_str()), Some(reason.as_str()), "{path}");
        assert!(walked.files.iter().all(|file| file.path.as_str() != *path), "{path}");
        let reasons = sandbox.index().skip_reasons;
        assert!(reasons.contains_key(reason.as_str()), "{path}: {reasons:?}");
        let mut setup = Setup::in_memory();
        bring_in(&mut setup.walk);
        let walked = project(path, setup).engine().walk().unwrap();
        assert!(walked.files.iter().any(|file| file.path.as_str() == *path), "{path}: {walked:?}");
    }
}

#[test]
fn hidden_files_that_a_team_shares_are_indexed() {
    for path in [".github/workflows/ci.yml", ".gitlab-ci.yml", ".devcontainer/setup.sh"] {
        let walked = project(path, Setup::in_memory()).engine().walk().unwrap();
        assert!(walked.files.iter().any(|file| file.path.as_str() == path), "{path}: {walked:?}");
    }
    let secret = project(".github/.env", Setup::in_memory()).engine().walk().unwrap();
    assert!(secret.files.iter().all(|file| file.path.file_name() != ".env"), "{secret:?}");
}

#[test]
fn what_is_left_out_later_is_reported_too() {
    let sandbox = project("src/other.rs", Setup::in_memory());
    let before = sandbox.index().skipped;
    sandbox.write("picture.png", "no picture");
    assert_eq!(sandbox.index().skipped, before + 1);
    assert!(
        sandbox
            .engine()
            .status()
            .unwrap()
            .skipped
            .iter()
            .any(|skipped| skipped.path == "picture.png")
    );
}

#[test]
fn a_missing_project_is_reported() {
    let sandbox = Sandbox::in_memory("");
    std::fs::remove_dir_all(sandbox.root()).unwrap();
    let error = sandbox.engine().walk().unwrap_err();
    assert_eq!(error.kind(), groma_engine::ErrorKind::NotFound);
    assert!(error.to_string().contains("does not exist"), "{error}");
}
