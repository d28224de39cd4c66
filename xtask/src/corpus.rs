//! The corpora of the benchmarks.
//!
//! A tree holds copies of the files that Groma would index and no others, so that every program measured works
//! on the same bytes, and so that files may be changed.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use groma_engine::WalkOptions;
use groma_files::{FileTree, WorkingTree};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A tree laid out for measuring.
pub struct Corpus {
    /// Its short name.
    pub name: String,
    /// The folder that is indexed.
    pub tree: PathBuf,
    /// The folder for what is made of it.
    pub scratch: PathBuf,
    /// The files, in order.
    pub files: Vec<PathBuf>,
    /// Their lines.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Corpus {
    /// The sources of everything this project is built from.
    pub fn dependencies(scratch: &Path) -> Result<Self> {
        Self::lay_out("dependencies", &workspace::dependency_sources()?, scratch)
    }

    /// A project on this machine.
    pub fn project(folder: &Path, scratch: &Path) -> Result<Self> {
        let folder =
            folder.canonicalize().with_context(|| format!("cannot open {}", folder.display()))?;
        let name =
            folder.file_name().context("a corpus has a name")?.to_string_lossy().into_owned();
        Self::lay_out(&name, &[folder], scratch)
    }

    fn lay_out(name: &str, folders: &[PathBuf], scratch: &Path) -> Result<Self> {
        let scratch = scratch.join(name);
        if scratch.exists() {
            fs::remove_dir_all(&scratch)?;
        }
        let tree = scratch.join("tree");
        let mut corpus =
            Self { name: name.into(), tree, scratch, files: Vec::new(), lines: 0, bytes: 0 };
        for folder in folders {
            let place = corpus.tree.join(folder.file_name().unwrap_or_default());
            for file in WorkingTree::new(folder).walk(&WalkOptions::default())?.files {
                corpus.add(&folder.join(file.path.as_str()), place.join(file.path.as_str()))?;
            }
        }
        ensure!(corpus.files.len() >= 100, "{name} is too small to measure anything with");
        Ok(corpus)
    }

    /// Copies a file with its time of change: a copy made just now would be read twice to be sure of it.
    fn add(&mut self, from: &Path, to: PathBuf) -> Result<()> {
        let bytes = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        let modified = fs::metadata(from)?.modified()?;
        fs::create_dir_all(to.parent().context("a file has a folder")?)?;
        let mut copy = File::create(&to)?;
        copy.write_all(&bytes)?;
        copy.set_modified(modified)?;
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.bytes += bytes.len() as u64;
        self.files.push(to);
        Ok(())
    }

    /// Appends a line to `count` files, spread over the tree.
    pub fn change(&self, count: usize) -> Result<()> {
        for file in self.files.iter().step_by(self.files.len() / count).take(count) {
            let mut file = OpenOptions::new().append(true).open(file)?;
            file.write_all(b"\n// One more line.\n")?;
        }
        Ok(())
    }
}

/// The bytes of all files below a folder.
pub fn size_of(folder: &Path) -> Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        size += if metadata.is_dir() { size_of(&entry.path())? } else { metadata.len() };
    }
    Ok(size)
}
