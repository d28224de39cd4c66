//! Segments as files of a folder.

use super::files::remove_old_segments;
use super::{io_error, sections};
use crate::random;
use groma_core::{Blob, Blobs, Deadline, SegmentId, SegmentInfo, StoreError};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The segments in a folder, each in a file that is named by its hash.
pub struct FolderBlobs {
    folder: PathBuf,
}

impl FolderBlobs {
    /// The segments of the index in `folder`. Nothing is created yet.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.join("segments") }
    }

    fn path(&self, id: &SegmentId) -> PathBuf {
        self.folder.join(format!("{id}.segment"))
    }

    fn create_folder(&self) -> Result<(), StoreError> {
        crate::private::create_private_folders(&self.folder)
            .map_err(|source| io_error(&self.folder, source))
    }
}

impl Blobs for FolderBlobs {
    fn put(&self, slices: &[&[u8]], _: Deadline) -> Result<SegmentInfo, StoreError> {
        self.create_folder()?;
        let token = u128::from_le_bytes(random::bytes()?);
        let temporary = self.folder.join(format!("{token:032x}.temporary"));
        let write = || -> std::io::Result<SegmentInfo> {
            let mut file = BufWriter::with_capacity(1 << 20, File::create_new(&temporary)?);
            let mut hasher = blake3::Hasher::new();
            for slice in slices {
                hasher.update(slice);
                file.write_all(slice)?;
            }
            file.into_inner()?.sync_data()?;
            let id = SegmentId::from_bytes(*hasher.finalize().as_bytes());
            // A file of that name may exist and be damaged, so replace it.
            std::fs::rename(&temporary, self.path(&id))?;
            Ok(SegmentInfo { id, bytes: slices.iter().map(|slice| slice.len() as u64).sum() })
        };
        write().map_err(|source| {
            let _ = std::fs::remove_file(&temporary);
            io_error(&temporary, source)
        })
    }

    fn link(&self, id: &SegmentId, file: &Path) -> Option<SegmentInfo> {
        self.create_folder().ok()?;
        let path = self.path(id);
        std::fs::hard_link(file, &path).ok()?;
        let bytes = std::fs::metadata(&path).ok()?.len();
        Some(SegmentInfo { id: *id, bytes })
    }

    fn get(&self, ids: &[SegmentId], _: Deadline) -> Result<Vec<Blob>, StoreError> {
        Ok(ids.iter().map(|id| Blob::File(self.path(id))).collect())
    }

    fn retain(&self, ids: &[SegmentId], _: Deadline) -> Result<(), StoreError> {
        let entries = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|source| io_error(&self.folder, source))?,
        };
        let kept: Vec<PathBuf> = ids.iter().map(|id| self.path(id)).collect();
        for entry in entries.flatten().filter(|entry| !kept.contains(&entry.path())) {
            // A file that cannot be removed now (mapped, on some systems) is removed by a later writer.
            let _ = std::fs::remove_file(entry.path());
        }
        remove_old_segments(&self.folder);
        Ok(())
    }
}

/// Stores a segment made of sections.
pub(super) fn put(
    blobs: &dyn Blobs,
    numbers: sections::Numbers,
    sections: &[Vec<u8>; sections::SECTIONS],
) -> Result<SegmentInfo, StoreError> {
    let header = sections::header(numbers, sections);
    let slices: Vec<&[u8]> =
        std::iter::once(header.as_slice()).chain(sections.iter().map(Vec::as_slice)).collect();
    // Long enough for the largest segment on a slow disk.
    let deadline = Deadline::after(std::time::Duration::from_secs(600));
    blobs.put(&slices, deadline)
}
