//! Every rule of the walk, on small trees.

use super::*;
use groma_core::FileStamp;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// A tree of `path -> content`; a path that ends in `/` is an empty folder.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().unwrap();
    for (path, content) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if path.to_string_lossy().ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::write(path, content).unwrap();
        }
    }
    root
}

fn kept(walked: &WalkResult) -> Vec<&str> {
    walked.files.iter().map(|file| file.path.as_str()).collect()
}

fn left_out(walked: &WalkResult) -> Vec<(&str, &str)> {
    walked.skipped.iter().map(|file| (file.path.as_str(), file.reason.as_str())).collect()
}

#[test]
fn a_root_deleted_during_a_walk_is_an_error() {
    let tree = tree(&[("a.rs", "")]);
    let root = tree.path().canonicalize().unwrap();
    let filter = FileFilter::new(&root, &WalkOptions::default()).unwrap();
    fs::remove_dir_all(&root).unwrap();
    let walked = traverse(&root, filter);
    assert!(matches!(walked, Err(WalkError::Missing { .. })), "{walked:?}");
}

#[test]
fn an_ignore_file_that_is_too_large_is_refused() {
    let patterns: String = (0..20_000).map(|n| format!("**/a{n}\n")).collect();
    let root = tree(&[(".gitignore", &patterns), ("a.rs", "")]);
    let walked = walk(root.path(), &WalkOptions::default());
    assert!(matches!(walked, Err(WalkError::IgnoreFile { .. })), "{walked:?}");
    let inside = tree(&[("sub/.gitignore", &patterns), ("sub/a.rs", ""), ("b.rs", "")]);
    let walked = walk(inside.path(), &WalkOptions::default()).unwrap();
    assert_eq!((kept(&walked), left_out(&walked)), (vec!["b.rs"], vec![("sub", "unreadable")]));
}

#[cfg(unix)]
#[test]
fn git_excludes_that_are_a_pipe_do_not_block() {
    let with_pipe = |files: &[(&str, &str)], pipe: &str| {
        let root = tree(files);
        let pipe = root.path().join(pipe);
        fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        root
    };
    let root =
        with_pipe(&[("a.rs", ""), (".git/HEAD", "ref: refs/heads/main\n")], ".git/info/exclude");
    let walked = walk(root.path(), &WalkOptions::default());
    assert!(matches!(walked, Err(WalkError::IgnoreFile { .. })), "{walked:?}");
    let root = with_pipe(&[("a.rs", "")], "sub/.git/info/exclude");
    let walked = walk(root.path(), &WalkOptions::default()).unwrap();
    assert_eq!((kept(&walked), left_out(&walked)), (vec!["a.rs"], vec![("sub", "unreadable")]));
    let root = with_pipe(&[("a.rs", "")], "store/commondir");
    let named = format!("gitdir: {}\n", root.path().join("store").display());
    fs::write(root.path().join(".git"), named).unwrap();
    let walked = walk(root.path(), &WalkOptions::default());
    assert!(matches!(walked, Err(WalkError::IgnoreFile { .. })), "{walked:?}");
}

/// The text of a rule is shown, so it must not come from a file outside of the project.
#[cfg(unix)]
#[test]
fn rules_are_not_shown_from_behind_a_link() {
    let (root, outside) = (tree(&[("a.rs", "")]), tree(&[("private", "*.rs\n")]));
    std::os::unix::fs::symlink(outside.path().join("private"), root.path().join(".gitignore"))
        .unwrap();
    let filter = FileFilter::new(root.path(), &WalkOptions::default()).unwrap();
    assert_eq!(filter.rule(&RelPath::new("a.rs").unwrap()), "git's own excludes");
}

#[cfg(unix)]
#[test]
fn files_with_other_names_are_reported() {
    let root = tree(&[("a.rs", ""), ("b.rs", ""), ("target/x", "")]);
    fs::hard_link(root.path().join("a.rs"), root.path().join("c.txt")).unwrap();
    let mut walked = walk(root.path(), &WalkOptions::default()).unwrap();
    walked.linked.sort();
    assert_eq!(walked.linked, ["a.rs", "c.txt"].map(PathBuf::from));
}

/// Walks, and checks that the filter decides the same about each single path.
fn walk_and_check(root: &Path, options: &WalkOptions) -> WalkResult {
    let walked = walk(root, options).unwrap();
    let mut filter = FileFilter::new(root, options).unwrap();
    for file in &walked.files {
        assert_eq!(filter.check(&file.path).map(|stamp| stamp.size), Ok(file.stamp.size));
    }
    for skipped in &walked.skipped {
        if let Ok(path) = RelPath::new(&skipped.path)
            && root.join(&skipped.path).is_file()
        {
            assert_eq!(filter.check(&path).unwrap_err().reason, skipped.reason, "{path}");
        }
    }
    walked
}

fn with(change: impl FnOnce(&mut WalkOptions)) -> WalkOptions {
    let mut options = WalkOptions::default();
    change(&mut options);
    options
}

/// One file of a tree, the path that is reported, why, and the option that includes the file.
type Case = (&'static str, &'static str, SkipReason, fn(&mut WalkOptions));

const NO_OPTION: fn(&mut WalkOptions) = |_| {};

#[rustfmt::skip]
const CASES: &[Case] = &[
    (".git/config", ".git", SkipReason::VersionControl, NO_OPTION),
    ("sub/.git", "sub/.git", SkipReason::VersionControl, NO_OPTION),
    (".hg/store", ".hg", SkipReason::VersionControl, NO_OPTION),
    (".env", ".env", SkipReason::Secret, |o| o.include = vec![".env".into()]),
    ("app/.env.production", "app/.env.production", SkipReason::Secret, |o| o.include = vec![".env*".into()]),
    ("deploy/id_ed25519", "deploy/id_ed25519", SkipReason::Secret, |o| o.include = vec!["deploy/id_*".into()]),
    ("tls/server.pem", "tls/server.pem", SkipReason::Secret, |o| o.include = vec!["tls/server.pem".into()]),
    ("tls/server.KEY", "tls/server.KEY", SkipReason::Secret, |o| o.include = vec!["*.KEY".into()]),
    (".npmrc", ".npmrc", SkipReason::Secret, |o| o.include = vec![".npmrc".into()]),
    ("aws/credentials", "aws/credentials", SkipReason::Secret, |o| o.include = vec!["aws/credentials".into()]),
    (".editorconfig", ".editorconfig", SkipReason::Hidden, |o| o.hidden = true),
    (".idea/workspace.xml", ".idea", SkipReason::Hidden, |o| o.include = vec![".idea/**".into()]),
    ("node_modules/x/index.js", "node_modules", SkipReason::Vendored, |o| o.vendored = true),
    ("go/vendor/a/b.go", "go/vendor", SkipReason::Vendored, |o| o.include = vec!["go/vendor/a/".into()]),
    ("third_party/zlib/zlib.c", "third_party", SkipReason::Vendored, |o| o.vendored = true),
    ("env/pyvenv.cfg", "env", SkipReason::Vendored, |o| o.vendored = true),
    ("api/user.pb.go", "api/user.pb.go", SkipReason::Generated, |o| o.generated = true),
    ("api/user_pb2.py", "api/user_pb2.py", SkipReason::Generated, |o| o.include = vec!["*_pb2.py".into()]),
    ("schema.generated.ts", "schema.generated.ts", SkipReason::Generated, |o| o.generated = true),
    ("app.js.map", "app.js.map", SkipReason::Generated, |o| o.generated = true),
    ("a/__pycache__/x.txt", "a/__pycache__", SkipReason::Generated, |o| o.generated = true),
    ("target/CACHEDIR.TAG", "target", SkipReason::Generated, |o| o.generated = true),
    ("coverage/lcov.info", "coverage", SkipReason::Generated, |o| o.generated = true),
    ("js/app.min.js", "js/app.min.js", SkipReason::Minified, |o| o.minified = true),
    ("js/app.bundle.js", "js/app.bundle.js", SkipReason::Minified, |o| o.minified = true),
    ("Cargo.lock", "Cargo.lock", SkipReason::LockFile, |o| o.lock_files = true),
    ("web/package-lock.json", "web/package-lock.json", SkipReason::LockFile, |o| o.lock_files = true),
    ("go.sum", "go.sum", SkipReason::LockFile, |o| o.include = vec!["go.sum".into()]),
    ("logo.PNG", "logo.PNG", SkipReason::Binary, |o| o.include = vec!["*.PNG".into()]),
    ("lib/x.so", "lib/x.so", SkipReason::Binary, |o| o.include = vec!["lib/**".into()]),
];

#[test]
fn each_rule_skips_and_each_option_includes() {
    for (path, reported, reason, option) in CASES {
        let root = tree(&[(path, "x"), ("main.rs", "fn main() {}")]);
        let walked = walk_and_check(root.path(), &WalkOptions::default());
        assert_eq!(left_out(&walked), [(*reported, reason.as_str())], "{path}");
        assert_eq!(kept(&walked), ["main.rs"], "{path}");
        if *reason != SkipReason::VersionControl {
            let walked = walk_and_check(root.path(), &with(option));
            assert!(kept(&walked).contains(path), "{path} should be let in: {walked:?}");
        }
    }
}

#[test]
fn files_of_other_languages_are_not_reported() {
    let files = [
        ("main.go", "package main"),
        ("main.py", "x = 1"),
        ("README.md", "# x"),
        ("vendor/a/a.go", "package a"),
        ("main_test.go", "package main"),
        ("go.mod", "module m"),
    ];
    let root = tree(&files);
    let only = |change: fn(&mut WalkOptions)| {
        with(|options| {
            options.languages = vec!["go".into()];
            change(options);
        })
    };
    let walked = walk_and_check(root.path(), &only(|_| {}));
    assert_eq!(kept(&walked), ["main.go", "main_test.go"]);
    assert_eq!(left_out(&walked), [("vendor", "vendored")]);
    let included = only(|options| options.include = vec!["*.py".into(), "*.md".into()]);
    assert_eq!(kept(&walk_and_check(root.path(), &included)), ["main.go", "main_test.go"]);
    let narrow = only(|options| options.exclude = vec!["*_test.go".into()]);
    assert_eq!(kept(&walk_and_check(root.path(), &narrow)), ["main.go"]);
    let error =
        FileFilter::new(root.path(), &narrow).unwrap().check(&RelPath::new("main.py").unwrap());
    assert_eq!(error.unwrap_err().reason, "other_language");
}

#[test]
fn ordinary_names_are_indexed() {
    let paths = [
        "build/tool.py",
        "coverage/report.py",
        "credentials.go",
        "dist/index.js",
        "env/settings.py",
        "logo.svg",
        "pool_test.go",
        "target/mod.rs",
    ];
    let root = tree(&paths.map(|path| (path, "x")));
    let walked = walk_and_check(root.path(), &WalkOptions::default());
    assert_eq!(kept(&walked), paths);
    assert_eq!(left_out(&walked), []);
}

#[test]
fn target_beside_a_manifest_is_generated() {
    let root = tree(&[("a/Cargo.toml", ""), ("a/target/debug/x.d", ""), ("b/target/x.rs", "")]);
    let walked = walk_and_check(root.path(), &WalkOptions::default());
    assert_eq!(kept(&walked), ["a/Cargo.toml", "b/target/x.rs"]);
}

#[test]
fn nested_gitignores_with_negation() {
    let root = tree(&[
        (".gitignore", "*.log\n/out/\n"),
        ("a.log", ""),
        ("out/x.rs", ""),
        ("src/out/y.rs", ""),
        ("src/.gitignore", "!keep.log\nskip.rs\n"),
        ("src/keep.log", ""),
        ("src/skip.rs", ""),
        ("skip.rs", ""),
    ]);
    let walked = walk_and_check(root.path(), &WalkOptions::default());
    assert_eq!(kept(&walked), ["skip.rs", "src/keep.log", "src/out/y.rs"]);
    assert_eq!(
        left_out(&walked),
        [
            (".gitignore", "hidden"),
            ("a.log", "ignored"),
            ("out", "ignored"),
            ("src/.gitignore", "hidden"),
            ("src/skip.rs", "ignored"),
        ]
    );
    let walked = walk_and_check(root.path(), &with(|o| o.gitignore = false));
    assert_eq!(walked.files.len(), 6);
}

#[test]
fn every_ignore_file_applies_and_gromaignore_wins() {
    let root = tree(&[
        (".git/info/exclude", "excluded.rs\n"),
        (".gitignore", "a.rs\nb.rs\n"),
        (".ignore", "c.rs\n!b.rs\n"),
        (".gromaignore", "d.rs\n!a.rs\n"),
        ("a.rs", ""),
        ("b.rs", ""),
        ("c.rs", ""),
        ("d.rs", ""),
        ("e.rs", ""),
        ("excluded.rs", ""),
    ]);
    let walked = walk_and_check(root.path(), &WalkOptions::default());
    assert_eq!(kept(&walked), ["a.rs", "b.rs", "e.rs"]);
    let walked = walk_and_check(root.path(), &with(|o| o.gitignore = false));
    assert_eq!(kept(&walked), ["a.rs", "b.rs", "e.rs", "excluded.rs"]);
}

#[test]
fn ignore_files_above_the_root_apply_up_to_the_repository() {
    let root = tree(&[
        (".gitignore", "*\n"),
        ("repo/.git/HEAD", ""),
        ("repo/.gitignore", "*.tmp\n"),
        ("repo/sub/a.rs", ""),
        ("repo/sub/b.tmp", ""),
    ]);
    let walked = walk_and_check(&root.path().join("repo/sub"), &WalkOptions::default());
    assert_eq!(kept(&walked), ["a.rs"]);
    assert_eq!(left_out(&walked), [("b.tmp", "ignored")]);
}

#[test]
fn include_selects_only_what_it_names() {
    let root = tree(&[
        (".gitignore", "/gen/\n*.tmp\n"),
        ("gen/api/a.rs", ""),
        ("gen/api/.env", ""),
        ("gen/other/b.rs", ""),
        ("gen/c.rs", ""),
        ("node_modules/x/y.tmp", ""),
        ("z.tmp", ""),
    ]);
    let options = with(|o| o.include = vec!["gen/api/**".into(), "*.tmp".into()]);
    let walked = walk_and_check(root.path(), &options);
    assert_eq!(kept(&walked), ["gen/api/a.rs", "z.tmp"]);
    assert_eq!(
        left_out(&walked),
        [
            (".gitignore", "hidden"),
            ("gen", "ignored"),
            ("gen/api/.env", "secret"),
            ("node_modules", "vendored"),
        ]
    );
}

#[test]
fn exclude_takes_precedence_over_include() {
    let root = tree(&[("a/b.rs", ""), ("a/c.rs", ""), ("d/e.rs", "")]);
    let options = with(|o| {
        o.include = vec!["**".into()];
        o.exclude = vec!["a/b.rs".into(), "./d/".into()];
    });
    let walked = walk_and_check(root.path(), &options);
    assert_eq!(kept(&walked), ["a/c.rs"]);
    assert_eq!(left_out(&walked), [("a/b.rs", "excluded"), ("d", "excluded")]);
}

#[test]
fn tests_can_be_skipped() {
    let root = tree(&[("a_test.go", ""), ("a.go", ""), ("tests/it.rs", ""), ("x.spec.ts", "")]);
    let walked = walk_and_check(root.path(), &with(|o| o.tests = false));
    assert_eq!(kept(&walked), ["a.go"]);
    assert_eq!(
        left_out(&walked),
        [("a_test.go", "test"), ("tests", "test"), ("x.spec.ts", "test")]
    );
}

#[test]
fn large_files_are_skipped_even_if_included() {
    let root = tree(&[("big.rs", "0123456789"), ("fits.rs", "012345678")]);
    let options = with(|o| {
        o.max_file_size = 9;
        o.include = vec!["**".into()];
    });
    let walked = walk_and_check(root.path(), &options);
    assert_eq!(kept(&walked), ["fits.rs"]);
    assert_eq!(walked.skipped, [SkipReason::TooLarge.skip("big.rs", "10 bytes")]);
}

#[test]
fn stamps_have_size_mtime_and_a_racy_flag() {
    let root = tree(&[("old.rs", "abc"), ("fresh.rs", ""), ("future.rs", ""), ("ancient.rs", "")]);
    let age = |name: &str, time| {
        fs::File::open(root.path().join(name)).unwrap().set_modified(time).unwrap();
    };
    let now = std::time::SystemTime::now();
    let hour = std::time::Duration::from_secs(3600);
    age("old.rs", std::time::UNIX_EPOCH + hour);
    age("future.rs", now + hour);
    age("ancient.rs", std::time::UNIX_EPOCH - hour);
    let walked = walk(root.path(), &WalkOptions::default()).unwrap();
    let stamps: Vec<_> = walked.files.iter().map(|file| file.stamp).collect();
    assert_eq!(
        stamps.iter().map(|stamp| stamp.racy).collect::<Vec<_>>(),
        [false, true, true, false]
    );
    let (size, modified) = (3, 3_600_000_000_000);
    assert_eq!(stamps[3], FileStamp { size, modified, racy: false, ..stamps[3] });
    assert_eq!(stamps[0].modified, -3_600_000_000_000);
}

#[test]
fn an_invalid_root_or_glob_is_an_error_with_a_hint() {
    let root = tree(&[("a.rs", "")]);
    let options = WalkOptions::default();
    let missing = walk(&root.path().join("nowhere"), &options).unwrap_err();
    assert!(matches!(missing, WalkError::Missing { .. }));
    assert!(
        missing
            .to_string()
            .ends_with("nowhere does not exist; give the path of the project's folder")
    );
    let file = walk(&root.path().join("a.rs"), &options).unwrap_err();
    assert!(matches!(file, WalkError::NotAFolder { .. }));
    let glob = walk(root.path(), &with(|o| o.exclude = vec!["a[".into()])).unwrap_err();
    assert!(matches!(glob, WalkError::Glob { glob, .. } if glob == "a["));
}

#[test]
fn an_empty_folder_is_an_empty_project() {
    let root = tree(&[("empty/", "")]);
    let walked = walk(root.path(), &WalkOptions::default()).unwrap();
    assert_eq!((walked.files.len(), walked.skipped.len()), (0, 0));
}

#[test]
fn a_vanished_file_is_a_skip() {
    let root = tree(&[("a.rs", "")]);
    let mut filter = FileFilter::new(root.path(), &WalkOptions::default()).unwrap();
    let gone = RelPath::new("b.rs").unwrap();
    assert_eq!(filter.check(&gone).unwrap_err().reason, "vanished");
    let below_a_file = RelPath::new("a.rs/b.rs").unwrap();
    assert_eq!(filter.check(&below_a_file).unwrap_err().reason, "vanished");
}

#[test]
fn files_are_sorted() {
    let paths: Vec<String> = (0..2000).map(|n| format!("d{}/e{}/f{n}.rs", n % 7, n % 31)).collect();
    let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "x")).collect();
    let root = tree(&files);
    let walked = walk(root.path(), &WalkOptions::default()).unwrap();
    assert_eq!(walked.files.len(), 2000);
    assert!(walked.files.is_sorted_by(|a, b| a.path < b.path));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    fn make_pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    #[test]
    fn symlinks_are_not_followed() {
        let root = tree(&[("src/a.rs", "")]);
        symlink("..", root.path().join("src/up")).unwrap();
        symlink("a.rs", root.path().join("src/b.rs")).unwrap();
        symlink("/etc", root.path().join("etc")).unwrap();
        symlink("nowhere", root.path().join("broken.rs")).unwrap();
        let walked = walk_and_check(root.path(), &WalkOptions::default());
        assert_eq!(kept(&walked), ["src/a.rs"]);
        let skip = |path, detail| SkipReason::Symlink.skip(path, detail);
        assert_eq!(
            walked.skipped,
            [
                skip("broken.rs", "-> nowhere"),
                skip("etc", "-> /etc"),
                skip("src/b.rs", "-> a.rs"),
                skip("src/up", "-> .."),
            ]
        );
        let mut filter = FileFilter::new(root.path(), &WalkOptions::default()).unwrap();
        let through = RelPath::new("src/up/src/a.rs").unwrap();
        assert_eq!(filter.check(&through).unwrap_err(), skip("src/up/src/a.rs", "src/up"));
    }

    #[test]
    fn the_root_may_be_a_symlink() {
        let root = tree(&[("real/a.rs", "")]);
        symlink("real", root.path().join("link")).unwrap();
        let walked = walk_and_check(&root.path().join("link"), &WalkOptions::default());
        assert_eq!(kept(&walked), ["a.rs"]);
    }

    #[test]
    fn an_unreadable_folder_is_a_skip() {
        let root = tree(&[("open/a.rs", ""), ("shut/b.rs", "")]);
        let shut = root.path().join("shut");
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
        let is_superuser = fs::read_dir(&shut).is_ok();
        let walked = walk(root.path(), &WalkOptions::default()).unwrap();
        let root_error = walk(&shut, &WalkOptions::default());
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
        if !is_superuser {
            assert_eq!(left_out(&walked), [("shut", "unreadable")]);
            assert!(matches!(root_error, Err(WalkError::Unreadable { .. })));
        }
        assert!(kept(&walked).contains(&"open/a.rs"));
    }

    #[test]
    fn names_that_are_not_utf8_are_skips() {
        let root = tree(&[("a.rs", "")]);
        let name = OsStr::from_bytes(b"caf\xe9.rs");
        if fs::write(root.path().join(name), "").is_err() {
            return; // This file system has UTF-8 names only.
        }
        fs::create_dir(root.path().join(OsStr::from_bytes(b"d\xff"))).unwrap();
        fs::write(root.path().join(OsStr::from_bytes(b"d\xff/x.rs")), "").unwrap();
        let walked = walk(root.path(), &WalkOptions::default()).unwrap();
        assert_eq!(kept(&walked), ["a.rs"]);
        assert_eq!(
            left_out(&walked),
            [("caf\u{fffd}.rs", "not_utf8_name"), ("d\u{fffd}", "not_utf8_name")]
        );
    }

    #[test]
    fn a_pipe_is_a_skip() {
        let root = tree(&[("a.rs", "")]);
        make_pipe(&root.path().join("pipe.rs"));
        let walked = walk(root.path(), &WalkOptions::default()).unwrap();
        assert_eq!(left_out(&walked), [("pipe.rs", "not_a_file")]);
    }

    #[test]
    fn an_ignore_file_that_is_a_pipe_does_not_block() {
        let root = tree(&[("a.rs", ""), ("sub/b.rs", "")]);
        make_pipe(&root.path().join("sub/.gitignore"));
        let walked = walk(root.path(), &WalkOptions::default()).unwrap();
        assert_eq!(left_out(&walked), [("sub", "unreadable")]);
        let error = walk(&root.path().join("sub"), &WalkOptions::default()).unwrap_err();
        assert!(matches!(error, WalkError::IgnoreFile { .. }));
    }
}
