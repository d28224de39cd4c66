//! Opens files beneath a folder.
//!
//! A path is resolved once, and what was checked is what is read: on Linux by `openat2`, which leaves the folder under no
//! circumstances, even if the tree changes meanwhile; elsewhere by a walk of the path before and after. Nothing blocks on
//! a pipe: it is opened without waiting for its other end, and found to be no regular file.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Which symbolic links are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    /// None.
    None,
    /// Those that stay in the folder.
    Inside,
}

/// A folder to open files beneath of.
pub(crate) struct Beneath<'a> {
    folder: &'a Path,
    links: Links,
    #[cfg(target_os = "linux")]
    opened: Option<rustix::fd::OwnedFd>,
}

impl<'a> Beneath<'a> {
    pub fn new(folder: &'a Path, links: Links) -> Self {
        Self {
            folder,
            links,
            #[cfg(target_os = "linux")]
            opened: open_folder(folder),
        }
    }

    /// As on a system that cannot do it in one step.
    #[cfg(test)]
    pub fn unassisted(folder: &'a Path, links: Links) -> Self {
        Self {
            folder,
            links,
            #[cfg(target_os = "linux")]
            opened: None,
        }
    }

    /// Opens a regular file by its relative path; `None` if it is none, or a link on the way is not to be followed.
    pub fn regular(&self, path: &str) -> io::Result<Option<File>> {
        let Some(file) = self.any(path)? else { return Ok(None) };
        let is_file = file.metadata()?.is_file();
        Ok(is_file.then_some(file))
    }

    fn any(&self, path: &str) -> io::Result<Option<File>> {
        #[cfg(target_os = "linux")]
        if let Some(opened) = self.opened.as_ref().and_then(|one| openat2(one, path, self.links)) {
            return opened;
        }
        self.checked(path)
    }

    /// As [`Beneath::any`], where the system cannot do it in one step.
    fn checked(&self, path: &str) -> io::Result<Option<File>> {
        if !self.is_beneath(path)? {
            return Ok(None);
        }
        let file = open(&self.folder.join(path), self.links)?;
        // A folder on the way may have been replaced by a link since; the file that was opened is then another one.
        Ok(self.is_beneath(path)?.then_some(file))
    }

    fn is_beneath(&self, path: &str) -> io::Result<bool> {
        match self.links {
            Links::None => Ok(first_symlink(self.folder, path).is_none()),
            Links::Inside => {
                let resolved = self.folder.join(path).canonicalize()?;
                Ok(resolved.starts_with(self.folder.canonicalize()?))
            }
        }
    }
}

/// The first symbolic link in a path, its last part included.
pub(crate) fn first_symlink<'p>(folder: &Path, path: &'p str) -> Option<&'p str> {
    let ends = path.match_indices('/').map(|(slash, _)| slash);
    let is_link =
        |part: &&str| fs::symlink_metadata(folder.join(part)).is_ok_and(|found| found.is_symlink());
    ends.chain([path.len()]).map(|end| &path[..end]).find(is_link)
}

#[cfg(target_os = "linux")]
fn open_folder(folder: &Path) -> Option<rustix::fd::OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(folder, flags, Mode::empty()).ok()
}

/// `None` if the kernel lacks it.
#[cfg(target_os = "linux")]
fn openat2(
    folder: &rustix::fd::OwnedFd,
    path: &str,
    links: Links,
) -> Option<io::Result<Option<File>>> {
    use rustix::fs::{Mode, OFlags, ResolveFlags};
    use rustix::io::Errno;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    if links == Links::None {
        resolve |= ResolveFlags::NO_SYMLINKS;
    }
    match rustix::fs::openat2(folder, path, flags, Mode::empty(), resolve) {
        Ok(file) => Some(Ok(Some(File::from(file)))),
        Err(Errno::NOSYS | Errno::PERM) => None,
        Err(Errno::LOOP | Errno::XDEV) => Some(Ok(None)),
        Err(error) => Some(Err(error.into())),
    }
}

#[cfg(unix)]
fn open(path: &Path, links: Links) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let follow = if links == Links::None { libc::O_NOFOLLOW } else { 0 };
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | follow).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path, _: Links) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_as_far_as_they_stay_inside() {
        let (tree, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let path = |name: &str| tree.path().join(name);
        fs::create_dir(path("folder")).unwrap();
        fs::write(path("folder/file"), "1").unwrap();
        fs::write(outside.path().join("file"), "2").unwrap();
        symlink("folder/file", path("inside")).unwrap();
        symlink(outside.path().join("file"), path("outside")).unwrap();
        symlink(outside.path(), path("elsewhere")).unwrap();
        let opens = |links, name: &str| {
            let both = [Beneath::new(tree.path(), links), Beneath::unassisted(tree.path(), links)];
            let [opened, checked] =
                both.map(|one| one.regular(name).is_ok_and(|file| file.is_some()));
            assert_eq!(checked, opened, "{name}");
            opened
        };
        assert!(opens(Links::None, "folder/file") && opens(Links::Inside, "folder/file"));
        assert!(!opens(Links::None, "inside") && opens(Links::Inside, "inside"));
        for name in ["outside", "elsewhere/file", "missing"] {
            assert!(!opens(Links::None, name) && !opens(Links::Inside, name), "{name}");
        }
        assert!(!opens(Links::Inside, "../file"));
        assert!(Beneath::new(tree.path(), Links::None).regular("folder").unwrap().is_none());
    }
}
