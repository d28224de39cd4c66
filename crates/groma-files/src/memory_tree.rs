//! Files in memory, for texts that are in no folder.

use crate::error::WalkError;
use crate::filter::{Entry, FileFilter, FilterBase};
use crate::options::WalkOptions;
use crate::skip::SkipReason;
use crate::tree::{FileTree, OpenFile, UnresolvedPath, WalkResult, WalkedFile};
use groma_core::{FileStamp, RelPath, SkippedFile};
use ignore::gitignore::Gitignore;
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// Files in memory. They never change, have no times, and no ignore file applies to them.
#[derive(Clone, Default)]
pub struct MemoryTree {
    files: Arc<BTreeMap<RelPath, Arc<str>>>,
}

impl MemoryTree {
    /// A tree of these files.
    pub fn new(files: BTreeMap<RelPath, Arc<str>>) -> Self {
        Self { files: Arc::new(files) }
    }

    fn file(&self, path: &RelPath) -> Result<&Arc<str>, SkippedFile> {
        self.files.get(path).ok_or_else(|| SkipReason::Vanished.skip(path.as_str(), ""))
    }
}

fn stamp(text: &str) -> FileStamp {
    FileStamp { size: text.len() as u64, ..FileStamp::default() }
}

impl FileTree for MemoryTree {
    fn walk(&self, options: &WalkOptions) -> Result<WalkResult, WalkError> {
        let mut filter = self.filter(options)?;
        let mut walked = WalkResult::default();
        for path in self.files.keys() {
            match filter.check(path) {
                Ok(stamp) => walked.files.push(WalkedFile { path: path.clone(), stamp }),
                Err(skipped) => walked.skipped.push(skipped),
            }
        }
        walked.skipped.sort_unstable();
        Ok(walked)
    }

    fn filter(&self, options: &WalkOptions) -> Result<FileFilter, WalkError> {
        FileFilter::over(Box::new(self.clone()), options)
    }

    fn load(&self, path: &RelPath, limit: u64) -> Result<(Vec<u8>, FileStamp), SkippedFile> {
        let text = self.file(path)?;
        if text.len() as u64 > limit {
            let detail = format!("more than {limit} bytes");
            return Err(SkipReason::TooLarge.skip(path.as_str(), detail));
        }
        Ok((text.as_bytes().to_vec(), stamp(text)))
    }

    fn stamp(&self, path: &RelPath) -> Option<FileStamp> {
        self.files.get(path).map(|text| stamp(text))
    }

    fn opener(&self) -> Box<dyn OpenFile + '_> {
        Box::new(self)
    }

    fn resolve(&self, path: &RelPath) -> Result<RelPath, UnresolvedPath> {
        self.files.contains_key(path).then(|| path.clone()).ok_or(UnresolvedPath::Missing)
    }

    fn modified(&self, _: &FileStamp) -> SystemTime {
        SystemTime::UNIX_EPOCH
    }
}

impl OpenFile for &MemoryTree {
    fn open(&self, path: &RelPath) -> io::Result<Option<Box<dyn Read>>> {
        let text = self.files.get(path).cloned();
        Ok(text.map(|text| Box::new(Cursor::new(text.as_bytes().to_vec())) as Box<dyn Read>))
    }
}

/// A file in memory, as the filter sees it.
struct MemoryEntry(FileStamp);

impl Entry for MemoryEntry {
    fn is_link(&self) -> bool {
        false
    }

    fn is_file(&self) -> bool {
        true
    }

    fn size(&self) -> u64 {
        self.0.size
    }

    fn stamp(&self) -> FileStamp {
        self.0
    }
}

impl FilterBase for MemoryTree {
    fn boxed_clone(&self) -> Box<dyn FilterBase> {
        Box::new(self.clone())
    }

    fn is_ignored(&mut self, _: &str, _: bool, _: &WalkOptions) -> bool {
        false
    }

    fn ignore_path(&self, path: &RelPath) -> PathBuf {
        path.as_str().into()
    }

    fn entry(&self, path: &RelPath) -> Result<Box<dyn Entry>, SkippedFile> {
        Ok(Box::new(MemoryEntry(stamp(self.file(path)?))))
    }

    fn is_link(&self, _: &str) -> bool {
        false
    }

    fn target(&self, _: &str) -> String {
        String::new()
    }

    fn exists(&self, folder: &str, name: &str) -> bool {
        let path = if folder.is_empty() { name.into() } else { format!("{folder}/{name}") };
        self.files.contains_key(path.as_str())
    }

    fn has_unusable_ignore_file(&self, _: &str) -> bool {
        false
    }

    fn ignore_file(&self, _: &str, _: &str) -> Option<Gitignore> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    #[test]
    fn files_are_walked_filtered_and_read() {
        let files = [("src/a.rs", "fn a() {}\n"), ("node_modules/b.js", "b();\n"), ("c.rs", "")];
        let tree = MemoryTree::new(files.map(|(at, text)| (path(at), text.into())).into());
        let walked = tree.walk(&WalkOptions::default()).unwrap();
        let paths: Vec<&str> = walked.files.iter().map(|file| file.path.as_str()).collect();
        assert!(paths.contains(&"src/a.rs") && !paths.contains(&"node_modules/b.js"), "{paths:?}");
        assert_eq!(walked.skipped[0].path, "node_modules/b.js");
        let (bytes, stamp) = tree.load(&path("src/a.rs"), 100).unwrap();
        assert_eq!(bytes, b"fn a() {}\n");
        assert!(stamp.proves_unchanged(&tree.stamp(&path("src/a.rs")).unwrap()));
        assert_eq!(tree.load(&path("src/a.rs"), 3).unwrap_err().reason, "too_large");
        assert_eq!(tree.load(&path("src/b.rs"), 3).unwrap_err().reason, "vanished");
        assert!(tree.opener().open(&path("src/b.rs")).unwrap().is_none());
        assert_eq!(tree.resolve(&path("src/b.rs")), Err(UnresolvedPath::Missing));
    }
}
