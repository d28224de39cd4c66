//! Reads files below a folder: bounded, never through a symbolic link, never blocking on a pipe.

use crate::beneath::{Beneath, Links, first_symlink};
use crate::skip::SkipReason;
use crate::stamp::stamp;
use crate::tree::OpenFile;
use groma_core::{FileStamp, RelPath, SkippedFile};
use std::fs::{self, File};
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
            return Err(match first_symlink(root, path.as_str()) {
                Some(link) => skip(SkipReason::Symlink, &format!("{link} is a link")),
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

/// Opens files of a folder, following no link.
pub(super) struct Opener<'a>(Beneath<'a>);

impl<'a> Opener<'a> {
    pub fn new(root: &'a Path) -> Self {
        Self(Beneath::new(root, Links::None))
    }

    /// Opens a file; `None` if it is not a regular one or a link is on the way.
    fn file(&self, path: &RelPath) -> io::Result<Option<File>> {
        self.0.regular(path.as_str())
    }
}

impl OpenFile for Opener<'_> {
    fn open(&self, path: &RelPath) -> io::Result<Option<Box<dyn Read>>> {
        Ok(self.file(path)?.map(|file| Box::new(file) as Box<dyn Read>))
    }
}

/// All bytes, or `None` if there are more than `limit`.
fn read_bounded(source: impl Read, expected: u64, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::with_capacity(expected.min(limit) as usize + 1);
    source.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}

#[cfg(test)]
mod tests;
