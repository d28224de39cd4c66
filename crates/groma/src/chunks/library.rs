//! A folder of chunk files, loaded, and loaded again when its files change.

use super::load::{Broken, Loaded, load};
use super::watch::{DEBOUNCE, Stamps, stamps, watch};
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
        watch(self.folder.clone(), seen, DEBOUNCE, move || match library.upgrade() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Environment;
    use serde_json::json;
    use std::fs;
    use std::path::Path;
    use std::time::{Duration, Instant};

    /// Reached only by a test that fails.
    const TIMEOUT: Duration = Duration::from_secs(60);

    /// Writes a chunk file with this many chunks.
    fn put(folder: &Path, count: usize) {
        let chunk = |number| json!({ "id": format!("{number}"), "text": "token" });
        let text = json!({ "chunks": (0..count).map(chunk).collect::<Vec<_>>() }).to_string();
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("draft"), text).unwrap();
        fs::rename(folder.join("draft"), folder.join("code-data.json")).unwrap();
    }

    fn wait_for(library: &Library, count: usize) {
        let started = Instant::now();
        while library.chunks().len() != count {
            assert!(started.elapsed() < TIMEOUT, "{} of {count}", library.chunks().len());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn a_broken_file_leaves_what_was_loaded() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("served");
        put(&folder, 1);
        let environment = Environment::of_test(&root.path().join("data"));
        let project = Project::find(root.path(), &environment).unwrap();
        let library = Library::open(folder.clone(), project).unwrap();
        assert_eq!(library.chunks().len(), 1);
        fs::write(folder.join("code-data.json"), "{ \"chunks\": [ { \"id\": ").unwrap();
        library.reload();
        assert_eq!(library.chunks().len(), 1);
        put(&folder, 2);
        wait_for(&library, 2);
        // A removed folder takes nothing away either; one that is created again is followed.
        fs::remove_dir_all(&folder).unwrap();
        library.reload();
        assert_eq!(library.chunks().len(), 2);
        put(&folder, 3);
        wait_for(&library, 3);
        put(&folder, 4);
        wait_for(&library, 4);
    }
}
