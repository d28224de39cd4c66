//! What in a git directory must not be read.
//!
//! A git directory may come with a repository's files, in an archive. A library that reads it would wait for the other end
//! of a pipe, and follow links and `alternates` into the repositories of the user. So whatever is about to be read is
//! looked at first.

use super::location::common_dir;
use super::{MAX_REF_FILE, text};
use std::fs;
use std::path::{Path, PathBuf};

/// The entries of a git directory that are read. Links elsewhere, like hooks, concern no one.
const READ: [&str; 10] = [
    "HEAD",
    "commondir",
    "config",
    "config.worktree",
    "info",
    "objects",
    "packed-refs",
    "refs",
    "reftable",
    "shallow",
];

/// Why a git directory must not be opened by a library; `None` if it may.
pub(crate) fn hazard(git_dir: &Path) -> Option<String> {
    let common = common_dir(git_dir);
    let inside = [common.canonicalize().ok()?, git_dir.canonicalize().ok()?];
    let objects = common.join("objects");
    let folders = fs::read_dir(&objects).into_iter().flatten().flatten().map(|entry| entry.path());
    let top = [git_dir.to_path_buf(), common.clone()];
    let below = [git_dir.join("info"), common.join("info"), common.join("refs/replace")]
        .into_iter()
        .chain([objects.join("info/commit-graphs"), objects.clone()])
        .chain(folders);
    top.iter()
        .find_map(|folder| hazardous_entry(folder, &inside, |name| READ.contains(&name)))
        .or_else(|| below.into_iter().find_map(|one| hazardous_entry(&one, &inside, |_| true)))
        .or_else(|| foreign_alternate(&objects, &inside))
}

/// An entry of a folder that blocks its reader, or one of those `is_read` that leads out of the repository.
fn hazardous_entry(
    folder: &Path,
    inside: &[PathBuf],
    is_read: impl Fn(&str) -> bool,
) -> Option<String> {
    let check = |entry: fs::DirEntry| {
        let path = entry.path();
        let mut kind = entry.file_type().ok()?;
        if kind.is_symlink() {
            if !entry.file_name().to_str().is_some_and(&is_read) {
                return None;
            }
            let target = path.canonicalize().ok()?;
            if !inside.iter().any(|folder| target.starts_with(folder)) {
                return Some(format!("{} leads to {}", path.display(), target.display()));
            }
            kind = fs::metadata(&path).ok()?.file_type();
        }
        let is_blocking = !kind.is_file() && !kind.is_dir();
        is_blocking.then(|| format!("{} is not a regular file", path.display()))
    };
    fs::read_dir(folder).ok()?.flatten().find_map(check)
}

/// A line of `alternates` that names the objects of another repository.
fn foreign_alternate(objects: &Path, inside: &[PathBuf]) -> Option<String> {
    let path = objects.join("info/alternates");
    let is_small = fs::metadata(&path).is_ok_and(|found| found.len() < MAX_REF_FILE);
    let Some(lines) = text(objects, "info/alternates").filter(|_| is_small) else {
        return path.exists().then(|| format!("{} cannot be read", path.display()));
    };
    let is_foreign = |line: &&str| {
        let target = objects.join(line).canonicalize();
        // Objects that are not there cannot be shown.
        target.is_ok_and(|target| !inside.iter().any(|folder| target.starts_with(folder)))
    };
    let foreign = lines.lines().map(str::trim).filter(|line| !line.is_empty()).find(is_foreign)?;
    Some(format!(
        "{} names the objects of another repository, {foreign}; `git repack -a -d` copies them, then remove that file",
        path.display()
    ))
}
