//! A checkout with what questions are made of.

use anyhow::{Context, Result};
use groma_core::{FileFacts, RelPath};
use groma_engine::{PathKind, WalkOptions, parse, path_kind};
use groma_files::{FileTree, WorkingTree, source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A checkout.
pub struct Repository {
    pub name: String,
    pub folder: PathBuf,
    /// The indexed files, by path.
    pub files: BTreeMap<String, File>,
}

/// A file.
pub struct File {
    pub path: RelPath,
    pub lines: Vec<String>,
    pub facts: FileFacts,
    pub kind: PathKind,
}

impl File {
    /// Whether it is code of the product: not a test, an example, a document or a record.
    pub fn is_product(&self) -> bool {
        self.kind == PathKind::Source && !self.is_prose()
    }

    pub fn is_prose(&self) -> bool {
        [".md", ".rst", ".txt", ".adoc"].iter().any(|end| self.path.as_str().ends_with(end))
    }

    /// Whether it is written for readers: no fixture, no changelog.
    pub fn is_document(&self) -> bool {
        self.is_prose() && ![PathKind::Test, PathKind::Record].contains(&self.kind)
    }

    /// The text of lines, as far as they exist.
    pub fn text(&self, start: u32, end: u32) -> String {
        let end = (end as usize).min(self.lines.len());
        let start = (start.max(1) as usize - 1).min(end);
        self.lines[start..end].join("\n")
    }
}

impl Repository {
    pub fn read(folder: &Path) -> Result<Self> {
        let folder = folder.canonicalize()?;
        let name = folder.file_name().context("a checkout is a folder")?.to_string_lossy().into();
        let options = WalkOptions::default();
        let tree = WorkingTree::new(&folder);
        let mut files = BTreeMap::new();
        for walked in tree.walk(&options)?.files {
            let Ok(source) = source::read(&tree, &walked.path, &options) else { continue };
            let file = File {
                lines: source.text.lines().map(str::to_string).collect(),
                facts: parse(&walked.path, &source.text).facts,
                kind: path_kind(&walked.path),
                path: walked.path,
            };
            files.insert(file.path.to_string(), file);
        }
        Ok(Self { name, folder, files })
    }

    /// The files of the product.
    pub fn products(&self) -> impl Iterator<Item = &File> {
        self.files.values().filter(|file| file.is_product())
    }
}
