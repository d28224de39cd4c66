//! A folder of chunk files, loaded, and loaded again when its files change.

use super::load::{Broken, Loaded, load};
use super::watch::{Stamps, stamps, watch};
use crate::failure::{Failure, Kind};
use crate::numbers::counted;
use crate::print;
use crate::project::Project;
use anyhow::Result;
use groma_core::Locked;
use groma_engine::DocumentIndex;
use std::path::PathBuf;
use std::sync::Arc;

/// A folder of chunk files.
pub struct Library {
    folder: PathBuf,
    project: Project,
    current: Locked<Arc<DocumentIndex>>,
}

impl Library {
    /// Loads a folder, and reloads it after changes of its files (debounced).
    pub fn open(folder: PathBuf, project: Project) -> Result<Arc<Self>> {
        if !folder.is_dir() {
            let message = format!("there is no folder of chunk files at {}", folder.display());
            let hint = format!("`groma index --chunks-dir {}` creates it", folder.display());
            return Err(Failure::new(Kind::NotFound, message).hint(hint).into());
        }
        let seen = stamps(&folder);
        let Loaded { chunks, warnings } = load(&folder, &project, Broken::Skipped)?;
        let library = Arc::new(Self { folder, project, current: Locked::new(Arc::new(chunks)) });
        library.report(&warnings);
        library.follow(seen);
        Ok(library)
    }

    /// The chunks that were loaded last.
    pub fn chunks(&self) -> Arc<DocumentIndex> {
        self.current.lock().clone()
    }

    fn follow(self: &Arc<Self>, seen: Stamps) {
        let library = Arc::downgrade(self);
        watch(self.folder.clone(), seen, move || match library.upgrade() {
            Some(library) => {
                library.reload();
                true
            }
            None => false,
        });
    }

    /// Running searches keep the old chunks; the next one gets the new chunks.
    fn reload(&self) {
        match load(&self.folder, &self.project, Broken::Refused) {
            Ok(Loaded { chunks, warnings }) => {
                let chunks = Arc::new(chunks);
                *self.current.lock() = chunks;
                self.report(&warnings);
            }
            Err(error) => {
                print::message(&format!("groma: {error:#}; the previous chunks stay loaded"))
            }
        }
    }

    fn report(&self, warnings: &[String]) {
        warnings.iter().for_each(|warning| print::message(&format!("groma: {warning}")));
        let count = counted(self.chunks().len(), "chunk");
        print::message(&format!("groma: {count} loaded from {}", self.folder.display()));
    }
}
