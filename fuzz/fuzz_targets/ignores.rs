//! Ignore files of any bytes neither panic nor hang, and a walk decides about each file as a check of its path does.
//!
//! The first byte chooses the file that the rest is written to.
#![no_main]

use groma_core::RelPath;
use groma_files::{FileFilter, FileTree, WalkOptions, WorkingTree};
use libfuzzer_sys::fuzz_target;
use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;
use tempfile::TempDir;

const FILES: [&str; 6] = ["a.rs", "b/a.rs", "b/c/d.go", "x y.md", "b/\u{e9}.py", "target/a.c"];

const PLACES: [&str; 6] =
    [".gitignore", ".ignore", ".gromaignore", "b/.gitignore", "b/c/.gitignore", ".git/info/exclude"];

static ROOT: LazyLock<TempDir> = LazyLock::new(|| {
    let root = tempfile::tempdir().expect("a temporary folder");
    for path in FILES.iter().chain(&[".git/HEAD", ".git/info/exclude"]) {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "ref: refs/heads/main\n").expect("a file");
    }
    root
});

fuzz_target!(|input: &[u8]| {
    let Some((place, bytes)) = input.split_first() else { return };
    let root = ROOT.path().canonicalize().expect("a folder");
    let place = root.join(PLACES[usize::from(*place) % PLACES.len()]);
    fs::write(&place, bytes).expect("a file");
    let options = WalkOptions::default();
    let walked = WorkingTree::new(&root).walk(&options).expect("the files are small");
    let walked: BTreeSet<RelPath> = walked.files.into_iter().map(|file| file.path).collect();
    let mut filter = FileFilter::new(&root, &options).expect("as before");
    for path in FILES.map(|path| RelPath::new(path).expect("a path")) {
        let is_included = filter.check(&path).is_ok();
        assert_eq!(is_included, walked.contains(&path), "{path}");
        if !is_included {
            filter.rule(&path);
        }
    }
    fs::remove_file(place).expect("it was written");
});
