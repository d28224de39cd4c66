//! Which file versions a ref consists of.

use crate::{RelPath, VersionKey};
use std::collections::BTreeMap;
use std::fmt;

/// The result of a stat: enough to know that a file has not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileStamp {
    /// Size in bytes.
    pub size: u64,
    /// Modification time (mtime), in nanoseconds since 1970. Users can set it.
    pub modified: i64,
    /// Hash of ctime and inode, which users cannot set; 0 on platforms without them. For a file of a commit, the first
    /// bytes of its object id.
    pub state: u64,
    /// The stat was taken so soon after the modification that another one could have the same times (racy, as git
    /// calls it).
    pub racy: bool,
}

impl FileStamp {
    /// Nothing is known: proves nothing.
    pub const UNKNOWN: Self = Self { size: 0, modified: 0, state: 0, racy: true };

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::UNKNOWN
    }

    /// Whether a file that now has the stamp `now` is certainly unchanged. A racy stamp never proves that.
    pub fn proves_unchanged(&self, now: &FileStamp) -> bool {
        !self.racy && self.has_same_stat(now)
    }

    /// Whether both stats have the same values.
    pub fn has_same_stat(&self, other: &FileStamp) -> bool {
        (self.size, self.modified, self.state) == (other.size, other.modified, other.state)
    }
}

/// One file of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestEntry {
    /// The current version.
    pub key: VersionKey,
    /// The stat before it was read, from this machine's [`StatCache`](crate::StatCache); unknown where that has none.
    pub stamp: FileStamp,
}

/// A file that is not indexed, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedFile {
    /// The path, for display.
    pub path: String,
    /// The reason's short name.
    pub reason: String,
    /// More about it; may be empty.
    pub detail: String,
    /// The stat of a file that had to be opened to decide; `None` if its name decided, or if it may be decided
    /// differently next time.
    pub stamp: Option<FileStamp>,
}

/// The files of one ref.
///
/// Shared between machines are paths, versions, skipped files, options and commit: they make the
/// [`id`](Manifest::id). Stamps are of one machine: a store keeps them in a [`StatCache`](crate::StatCache) and joins
/// the two when it opens a snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Path to version.
    pub files: BTreeMap<RelPath, ManifestEntry>,
    /// Files that are not indexed.
    pub skipped: Vec<SkippedFile>,
    /// Hash of the options that selected the files: under other options no stamp proves anything.
    pub options_hash: u64,
    /// The commit that the files belong to; `None` for a working tree.
    pub commit: Option<String>,
}

/// Identifies a manifest: the BLAKE3 hash of its canonical form. Equal trees have equal ids, however they came about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManifestId([u8; 32]);

impl ManifestId {
    /// The id with these bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes it is stored as.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ManifestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Manifest {
    /// The id of the manifest.
    pub fn id(&self) -> ManifestId {
        ManifestId(*blake3::hash(&self.canonical()).as_bytes())
    }

    /// The canonical form: options, commit, paths in byte order (front-coded: the length shared with the path before,
    /// then the rest) each with its version key, and skipped files. Numbers are little-endian.
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + self.files.len() * 48);
        out.extend_from_slice(b"GROMAMF1");
        out.extend(self.options_hash.to_le_bytes());
        out.push(u8::from(self.commit.is_some()));
        text(&mut out, self.commit.as_deref().unwrap_or_default());
        out.extend((self.files.len() as u64).to_le_bytes());
        let mut before = "";
        for (path, entry) in &self.files {
            let path = path.as_str();
            let shared = before.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
            out.extend((shared as u32).to_le_bytes());
            bytes(&mut out, &path.as_bytes()[shared..]);
            out.extend_from_slice(entry.key.as_bytes());
            before = path;
        }
        out.extend((self.skipped.len() as u64).to_le_bytes());
        for skipped in &self.skipped {
            for field in [&skipped.path, &skipped.reason, &skipped.detail] {
                text(&mut out, field);
            }
        }
        out
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    bytes(out, text.as_bytes());
}

fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(paths: &[&str]) -> Manifest {
        let entry = |path: &&str| {
            let path = RelPath::new(path).unwrap();
            let key = VersionKey::new(&path, b"text", 1);
            (path, ManifestEntry { key, stamp: FileStamp::default() })
        };
        Manifest { files: paths.iter().map(entry).collect(), ..Manifest::default() }
    }

    #[test]
    fn the_id_is_that_of_the_tree() {
        let id = manifest(&["src/a.rs", "src/ab.rs", "b.rs"]).id();
        let mut other = manifest(&["b.rs", "src/ab.rs", "src/a.rs"]);
        assert_eq!(id, other.id());
        for entry in other.files.values_mut() {
            entry.stamp.modified = 7;
        }
        assert_eq!(id, other.id(), "stat data is of one machine");
        assert_ne!(id, manifest(&["src/a.rs", "src/b.rs", "b.rs"]).id());
        assert_ne!(id, Manifest { options_hash: 1, ..other.clone() }.id());
        assert_ne!(id, Manifest { commit: Some(String::new()), ..other.clone() }.id());
        let skipped = |path: &str| SkippedFile {
            path: path.into(),
            reason: "binary".into(),
            detail: String::new(),
            stamp: None,
        };
        other.skipped = vec![skipped("x")];
        assert_ne!(id, other.id());
    }
}
