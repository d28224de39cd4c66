//! Records of projects and sub-indexes: small JSON files in their folders.
//!
//! Several processes change them. A file is replaced by a rename, so that a reader sees the old or the new one.

use super::layout::{RECORD, SUB_INDEX};
use groma_core::{CatalogError, SubIndex};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The content of a project's record.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Record {
    /// The root folder at the time of the first index run.
    pub root: PathBuf,
    /// That time, in seconds since 1970.
    pub created: u64,
    /// Given names, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

impl Record {
    /// The record of a project that is indexed for the first time now.
    pub fn new(root: &Path) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let created = now.map_or(0, |time| time.as_secs());
        Self { root: root.to_path_buf(), created, names: Vec::new() }
    }

    /// The record in a project's folder; `None` if there is none or it cannot be read.
    pub fn read(folder: &Path) -> Option<Self> {
        read_json(&folder.join(RECORD))
    }

    /// Writes the record into a project's folder. The caller holds the catalog's lock.
    pub fn write(&self, folder: &Path) -> Result<(), CatalogError> {
        replace_json(&folder.join(RECORD), &folder.join(format!("{RECORD}.new")), self)
    }
}

/// The content of a sub-index's record.
#[derive(Deserialize, Serialize)]
pub struct SubIndexRecord {
    /// The project's root; `None` if it is not UTF-8.
    pub root: Option<String>,
    scope: Definition,
}

#[derive(Deserialize, Serialize)]
struct Definition {
    name: String,
    languages: Vec<String>,
    vendored: bool,
    exclude: Vec<String>,
}

impl SubIndexRecord {
    /// The record of a sub-index of the project at `root`.
    pub fn new(root: &Path, definition: &SubIndex) -> Self {
        let SubIndex { name, languages, vendored, exclude } = definition.clone();
        let root = root.to_str().map(str::to_string);
        Self { root, scope: Definition { name, languages, vendored, exclude } }
    }

    /// The record in a sub-index's folder; `None` if there is none or it cannot be read.
    pub fn read(folder: &Path) -> Option<Self> {
        read_json(&folder.join(SUB_INDEX))
    }

    /// Writes the record into a sub-index's folder.
    pub fn write(&self, folder: &Path) -> Result<(), CatalogError> {
        let path = folder.join(SUB_INDEX);
        // No lock is held: each process writes a draft of its own.
        let draft = path.with_extension(format!("{}.tmp", std::process::id()));
        replace_json(&path, &draft, self)
    }

    /// The definition.
    pub fn definition(self) -> SubIndex {
        let Definition { name, languages, vendored, exclude } = self.scope;
        SubIndex { name, languages, vendored, exclude }
    }
}

fn read_json<T: for<'de> Deserialize<'de>>(path: &Path) -> Option<T> {
    serde_json::from_str(&fs::read_to_string(path).ok()?).ok()
}

fn replace_json(path: &Path, draft: &Path, value: &impl Serialize) -> Result<(), CatalogError> {
    serde_json::to_string_pretty(value)
        .map_err(io::Error::from)
        .and_then(|text| fs::write(draft, text + "\n"))
        .and_then(|()| fs::rename(draft, path))
        .map_err(|source| failed("write", path, source))
}

/// An error of a record file.
pub fn failed(verb: &str, path: &Path, source: io::Error) -> CatalogError {
    CatalogError::Record { attempt: format!("{verb} {}", path.display()), source }
}
