//! Reads files below a folder: bounded, never through a symbolic link, never blocking on a pipe.

use crate::skip::SkipReason;
use crate::stamp::stamp;
use crate::tree::OpenFile;
use groma_core::{FileStamp, RelPath, SkippedFile};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a file of the project, and its stamp from before the first of them was read.
pub(super) fn load(
    root: &Path,
    path: &RelPath,
    limit: u64,
) -> Result<(Vec<u8>, FileStamp), SkippedFile> {
    let skip = |reason: SkipReason, detail: &str| reason.skip(path.as_str(), detail);
    let skip_io = |error: io::Error| skip(SkipReason::of_io(&error), &error.to_string());
    let file = match Opener::new(root).file(path) {
        Ok(Some(file)) => file,
        Ok(None) => {
            return Err(match first_symlink(root, path) {
                Some(link) => skip(SkipReason::Symlink, &link),
                None => skip(SkipReason::NotAFile, ""),
            });
        }
        Err(error) => {
            // Granting read permission changes the ctime.
            let is_final = error.kind() == io::ErrorKind::PermissionDenied;
            let before = fs::symlink_metadata(path.under(root)).ok().filter(|_| is_final);
            return Err(SkippedFile { stamp: before.map(|found| stamp(&found)), ..skip_io(error) });
        }
    };
    let metadata = file.metadata().map_err(skip_io)?;
    let stamp = stamp(&metadata);
    match read_bounded(file, stamp.size, limit).map_err(skip_io)? {
        Some(bytes) => Ok((bytes, stamp)),
        None => Err(skip(SkipReason::TooLarge, &format!("more than {limit} bytes"))),
    }
}

/// Opens files of a folder.
pub(super) struct Opener<'a> {
    root: &'a Path,
    /// The project's folder, from which paths are resolved without following any link.
    #[cfg(target_os = "linux")]
    folder: Option<rustix::fd::OwnedFd>,
}

impl<'a> Opener<'a> {
    pub fn new(root: &'a Path) -> Self {
        Self {
            root,
            #[cfg(target_os = "linux")]
            folder: open_folder(root),
        }
    }

    /// Opens a file; `None` if it is not a regular one or a link is on the way. What was checked is what is read: the
    /// path is resolved once, and the rest happens on the descriptor.
    fn file(&self, path: &RelPath) -> io::Result<Option<File>> {
        #[cfg(target_os = "linux")]
        if let Some(opened) = self.folder.as_ref().and_then(|folder| open_beneath(folder, path)) {
            return opened.and_then(regular);
        }
        if first_symlink(self.root, path).is_some() {
            return Ok(None);
        }
        let file = open(&path.under(self.root))?;
        // A folder on the way may have been replaced by a link since; the file that was opened is then another one.
        let is_moved = first_symlink(self.root, path).is_some();
        if is_moved { Ok(None) } else { regular(Some(file)) }
    }
}

/// The file, unless it is a pipe, a device or a folder.
fn regular(file: Option<File>) -> io::Result<Option<File>> {
    let Some(file) = file else { return Ok(None) };
    let is_file = file.metadata()?.is_file();
    Ok(is_file.then_some(file))
}

impl OpenFile for Opener<'_> {
    fn open(&self, path: &RelPath) -> io::Result<Option<Box<dyn Read>>> {
        Ok(self.file(path)?.map(|file| Box::new(file) as Box<dyn Read>))
    }
}

#[cfg(target_os = "linux")]
fn open_folder(root: &Path) -> Option<rustix::fd::OwnedFd> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::open(root, flags, Mode::empty()).ok()
}

/// Opens a file with `openat2`, which follows no symbolic link even if the tree changes meanwhile. `None` if the kernel
/// lacks it.
#[cfg(target_os = "linux")]
fn open_beneath(folder: &rustix::fd::OwnedFd, path: &RelPath) -> Option<io::Result<Option<File>>> {
    use rustix::fs::{Mode, OFlags, ResolveFlags};
    use rustix::io::Errno;
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(folder, path.as_str(), flags, Mode::empty(), resolve) {
        Ok(file) => Some(Ok(Some(File::from(file)))),
        Err(Errno::NOSYS | Errno::PERM) => None,
        Err(Errno::LOOP | Errno::XDEV) => Some(Ok(None)),
        Err(error) => Some(Err(error.into())),
    }
}

/// The first symbolic link in a path, the file included.
fn first_symlink(root: &Path, path: &RelPath) -> Option<String> {
    let ends = path.as_str().match_indices('/').map(|(slash, _)| slash);
    ends.chain([path.as_str().len()])
        .map(|end| &path.as_str()[..end])
        .find(|part| fs::symlink_metadata(root.join(part)).is_ok_and(|found| found.is_symlink()))
        .map(|part| format!("{part} is a link"))
}

#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // Neither block on a pipe nor follow a symbolic link that was just created.
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

/// All bytes, or `None` if there are more than `limit`.
fn read_bounded(source: impl Read, expected: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::with_capacity(expected.min(limit) as usize + 1);
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests;
