//! Where the git directory of a folder is, if the folder may use it.
//!
//! `.git` comes with a folder's files. A file or link of that name, and `commondir` in it, could name any repository of the
//! user, whose code and commits would then be shown as the project's. So a directory elsewhere counts only if it names the
//! folder in turn, as that of a linked working tree does, or is in the repository around it, as that of a submodule.

use super::text;
use std::fs;
use std::path::{Path, PathBuf};

/// The git directory of a working tree with this root, and the one that it shares with others.
pub(super) fn git_dirs(folder: &Path) -> Option<[PathBuf; 2]> {
    let dot_git = folder.join(".git");
    let kind = fs::symlink_metadata(&dot_git).ok()?;
    let git_dir = if kind.is_dir() {
        dot_git
    } else if kind.is_symlink() {
        Some(dot_git).filter(|link| link.is_dir() && is_around(link, folder))?
    } else {
        let named = folder.join(text(folder, ".git")?.strip_prefix("gitdir:")?.trim());
        Some(named).filter(|named| names_folder(named, folder) || is_around(named, folder))?
    };
    let common = common_dir(&git_dir);
    let is_whole = git_dir.join("HEAD").is_file();
    (is_whole && contains(&common, &git_dir)).then_some([git_dir, common])
}

/// Whether a folder is a bare repository of its own.
pub(super) fn is_bare(root: &Path) -> bool {
    let is_folder =
        |name: &str| fs::symlink_metadata(root.join(name)).is_ok_and(|found| found.is_dir());
    is_folder("objects") && is_folder("refs") && root.join("HEAD").is_file()
}

/// The directory that a git directory shares with those of other working trees; itself if there are none.
pub(super) fn common_dir(git_dir: &Path) -> PathBuf {
    text(git_dir, "commondir").map_or_else(|| git_dir.into(), |path| git_dir.join(path))
}

/// A file of the git directory that ripgrep's matcher would wait for or read without a limit when it looks for git's
/// excludes of a folder.
pub(crate) fn unusable_for_ignores(
    folder: &Path,
    is_unusable: impl Fn(&Path) -> bool,
) -> Option<PathBuf> {
    let dot_git = folder.join(".git");
    let kind = fs::metadata(&dot_git).ok()?;
    let common = if kind.is_file() {
        if is_unusable(&dot_git) {
            return Some(dot_git);
        }
        // As the matcher does, which takes a relative path from the working directory.
        let git_dir = PathBuf::from(text(folder, ".git")?.strip_prefix("gitdir: ")?);
        let commondir = git_dir.join("commondir");
        if is_unusable(&commondir) {
            return Some(commondir);
        }
        common_dir(&git_dir)
    } else {
        dot_git
    };
    Some(common.join("info/exclude")).filter(|path| is_unusable(path))
}

/// Whether the directory of a linked working tree names the tree's folder in turn.
fn names_folder(git_dir: &Path, folder: &Path) -> bool {
    let back = text(git_dir, "gitdir").map(|back| git_dir.join(back).canonicalize());
    let back = back.and_then(Result::ok);
    back.is_some() && back == folder.join(".git").canonicalize().ok()
}

/// Whether a git directory is in the folder, or in the git directory of a folder around it.
fn is_around(git_dir: &Path, folder: &Path) -> bool {
    let (Ok(git_dir), Ok(folder)) = (git_dir.canonicalize(), folder.canonicalize()) else {
        return false;
    };
    let is_in = |outer: &Path| {
        let dot_git = outer.join(".git");
        // A link of that name would be as little proof as the one that is checked.
        let is_folder = fs::symlink_metadata(&dot_git).is_ok_and(|found| found.is_dir());
        is_folder && git_dir.starts_with(dot_git)
    };
    git_dir.starts_with(&folder) || folder.ancestors().any(is_in)
}

/// Whether the directory that a git directory shares is one that contains it, as it does for linked working trees.
fn contains(common: &Path, git_dir: &Path) -> bool {
    let resolved = (common.canonicalize(), git_dir.canonicalize());
    matches!(resolved, (Ok(common), Ok(git_dir)) if git_dir.starts_with(&common))
}
