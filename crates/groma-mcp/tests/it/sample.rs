//! A small project to ask about.

use crate::host::TestHost;
use groma_testkit::{ProjectFolder, SAMPLE_FILES};
use std::fs::File;
use std::path::PathBuf;

/// A project in a folder of its own, with an index of its own.
pub struct Sample {
    folder: ProjectFolder,
    pub host: TestHost,
}

impl Sample {
    /// The project, written but not indexed.
    pub fn new() -> Self {
        Self::with(SAMPLE_FILES)
    }

    /// A project of these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let folder = ProjectFolder::new(files);
        let host = TestHost::in_memory(folder.root());
        Self { folder, host }
    }

    /// The same with indexes on disk, and engines as a server has them.
    pub fn on_disk(files: &[(&str, &str)]) -> Self {
        let folder = ProjectFolder::new(files);
        let host = TestHost::on_disk(folder.root(), &folder.beside("data"));
        Self { folder, host }
    }

    /// A project without a file.
    pub fn bare() -> Self {
        Self::with(&[])
    }

    pub fn root(&self) -> PathBuf {
        self.folder.root().to_path_buf()
    }

    pub fn write(&self, path: &str, text: &str) {
        self.folder.write(path, text);
    }

    /// The folder of the project's index, if it is on disk.
    pub fn data(&self) -> PathBuf {
        self.host.index_folder(self.folder.root())
    }

    /// Holds the writer's lease of the project's index, as another process would, until it is dropped.
    pub fn hold(&self) -> File {
        hold(&self.data())
    }
}

/// Holds the writer's lease of the index in a folder, as another process would, until it is dropped.
pub fn hold(index: &std::path::Path) -> File {
    let path = index.join("writer.lock");
    let lock = File::options().create(true).truncate(false).write(true).open(path).unwrap();
    lock.lock().unwrap();
    lock
}
