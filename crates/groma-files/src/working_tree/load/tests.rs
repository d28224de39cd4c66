//! Reading hostile and changing files.

use super::*;
use tempfile::TempDir;

fn rel(path: &str) -> RelPath {
    RelPath::new(path).unwrap()
}

fn load_one(root: &Path, path: &RelPath) -> Result<(Vec<u8>, FileStamp), SkippedFile> {
    load(root, path, 1_000_000)
}

#[test]
fn a_file_that_grows_while_it_is_read_is_bounded() {
    assert_eq!(read_bounded(io::repeat(b'a'), 3, 1000).unwrap(), None);
    assert_eq!(read_bounded(&b"abc"[..], 1_000_000_000, 3).unwrap(), Some(b"abc".to_vec()));
}

#[test]
fn a_vanished_file_and_a_folder_are_skips() {
    let root = TempDir::new().unwrap();
    fs::create_dir(root.path().join("dir.rs")).unwrap();
    assert_eq!(load_one(root.path(), &rel("gone.rs")).unwrap_err().reason, "vanished");
    assert_eq!(load_one(root.path(), &rel("gone/a.rs")).unwrap_err().reason, "vanished");
    assert_eq!(load_one(root.path(), &rel("dir.rs")).unwrap_err().reason, "not_a_file");
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    #[test]
    fn a_pipe_does_not_block() {
        let root = TempDir::new().unwrap();
        let pipe = root.path().join("pipe.rs");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let skipped = load_one(root.path(), &rel("pipe.rs")).unwrap_err();
        assert_eq!(skipped.reason, "not_a_file");
    }

    /// A folder that is swapped with a link between the check and the open must not lead out of the project.
    #[test]
    fn a_swapped_folder_leaks_nothing() {
        use std::sync::atomic::{AtomicBool, Ordering};
        let (outside, root) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let at = |name: &str| root.path().join(name);
        fs::write(outside.path().join("a.rs"), "secret").unwrap();
        fs::create_dir(at("folder")).unwrap();
        fs::write(at("folder/a.rs"), "public").unwrap();
        symlink(outside.path(), at("link")).unwrap();
        let is_done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Relaxed) {
                    for (from, to) in [
                        ("folder", "kept"),
                        ("link", "folder"),
                        ("folder", "link"),
                        ("kept", "folder"),
                    ] {
                        fs::rename(at(from), at(to)).unwrap();
                    }
                }
            });
            for _ in 0..20_000 {
                if let Ok((bytes, _)) = load_one(root.path(), &rel("folder/a.rs")) {
                    assert_eq!(bytes, b"public");
                }
            }
            is_done.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn symlinks_are_rejected() {
        let outside = TempDir::new().unwrap();
        fs::write(outside.path().join("a.rs"), "secret").unwrap();
        let root = TempDir::new().unwrap();
        symlink(outside.path(), root.path().join("dir")).unwrap();
        symlink(outside.path().join("a.rs"), root.path().join("b.rs")).unwrap();
        for (path, link) in [("dir/a.rs", "dir is a link"), ("b.rs", "b.rs is a link")] {
            let skipped = load_one(root.path(), &rel(path)).unwrap_err();
            assert_eq!(skipped, SkipReason::Symlink.skip(path, link));
        }
    }

    #[test]
    fn an_unreadable_file_is_a_skip() {
        let root = TempDir::new().unwrap();
        let path = root.path().join("a.rs");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
        if fs::read(&path).is_ok() {
            return; // Root can read everything.
        }
        let skipped = load_one(root.path(), &rel("a.rs")).unwrap_err();
        assert_eq!(skipped.reason, "unreadable");
    }
}

#[cfg(unix)]
#[test]
fn an_opener_follows_no_symlink_on_any_platform() {
    let tree = TempDir::new().unwrap();
    let outside = TempDir::new().unwrap();
    fs::create_dir(tree.path().join("folder")).unwrap();
    fs::write(tree.path().join("folder/a.txt"), "lamp").unwrap();
    fs::write(outside.path().join("a.txt"), "lamp").unwrap();
    std::os::unix::fs::symlink(outside.path(), tree.path().join("link")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("a.txt"), tree.path().join("b.txt")).unwrap();
    let mut openers = vec![Opener::new(tree.path())];
    #[cfg(target_os = "linux")]
    openers.push(Opener(Beneath::unassisted(tree.path(), Links::None)));
    for opener in openers {
        let opens = |path: &str| opener.file(&RelPath::new(path).unwrap());
        assert!(opens("folder/a.txt").unwrap().is_some());
        assert!(opens("link/a.txt").unwrap().is_none());
        assert!(opens("b.txt").unwrap().is_none());
        assert_eq!(opens("gone.txt").unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
