//! Small trees, written as text and indexed for real.
//!
//! Facts come from the parser of the product; terms, vectors and trigrams are computed by simple rules, because a
//! store must not depend on how they were computed.

use groma_core::{
    ChunkKind, EmbedderIdentity, Field, FileFacts, FileStamp, IndexedFile, Manifest, ManifestEntry,
    Pipeline, RefName, RelPath, SkippedFile, Store, StoreError, TermBag, Vector, VersionKey, Word,
    stem, words,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const DIMENSIONS: usize = 16;

/// The pipeline that fixtures are indexed by.
pub fn pipeline() -> Pipeline {
    let embedder =
        EmbedderIdentity { name: "fixture".into(), version: "1".into(), dimensions: DIMENSIONS };
    Pipeline { version: 1, embedder: Some(embedder) }
}

/// Creates an empty store for what [`pipeline`] produces.
pub type Make<'a> = &'a dyn Fn() -> Box<dyn Store>;

/// Files by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// Reads a tree from text: each file follows a line `//- path`.
    pub fn parse(text: &str) -> Self {
        let mut tree = Self::default();
        let mut path = String::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("//- ") {
                path = name.trim().to_string();
                tree.files.insert(path.clone(), String::new());
            } else if let Some(file) = tree.files.get_mut(&path) {
                file.push_str(line);
                file.push('\n');
            }
        }
        tree
    }

    /// Writes a file.
    pub fn write(&mut self, path: &str, text: &str) -> &mut Self {
        self.files.insert(path.to_string(), text.to_string());
        self
    }

    /// Removes a file.
    pub fn remove(&mut self, path: &str) -> &mut Self {
        self.files.remove(path);
        self
    }

    /// The files, by path.
    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// Every file, ready to be stored.
    pub fn indexed(&self) -> Vec<IndexedFile> {
        self.files.iter().map(|(path, text)| indexed(path, text)).collect()
    }

    /// The manifest of exactly these files.
    pub fn manifest(&self) -> Manifest {
        let entry = |(path, text): (&String, &String)| {
            let path = rel(path);
            let key = VersionKey::new(&path, text.as_bytes(), pipeline().version);
            let modified = i64::from(key.as_bytes()[0]) - 100;
            let (size, state) = (text.len() as u64, u64::MAX - modified as u64);
            let stamp = FileStamp { size, modified, state, racy: modified % 2 == 0 };
            (path, ManifestEntry { key, stamp })
        };
        // Not in order of path: a store keeps the order it was given.
        let skipped = ["z.bin", "a.bin"].map(|path| SkippedFile {
            path: path.into(),
            reason: "binary".into(),
            detail: String::new(),
            stamp: (path == "z.bin").then_some(FileStamp {
                size: 5,
                modified: -1,
                state: 0,
                racy: true,
            }),
        });
        Manifest {
            files: self.files.iter().map(entry).collect(),
            skipped: skipped.into(),
            options_hash: u64::MAX,
            commit: None,
        }
    }

    /// Makes this tree the state of `reference`, storing only what the store does not have.
    pub fn commit(&self, store: &dyn Store, reference: &RefName) -> Result<(), StoreError> {
        let manifest = self.manifest();
        let mut writer = store.writer()?;
        let keys: Vec<_> = manifest.files.values().map(|entry| entry.key).collect();
        let known = writer.known(&keys)?;
        let missing = self.files.iter().zip(known).filter(|(_, known)| !known);
        writer.add(missing.map(|((path, text), _)| indexed(path, text)).collect())?;
        writer.commit(reference, &manifest).map(drop)
    }
}

fn rel(path: &str) -> RelPath {
    RelPath::new(path).expect("fixtures use paths inside the project")
}

/// Indexes one file.
pub fn indexed(path: &str, text: &str) -> IndexedFile {
    let path = rel(path);
    let facts = groma_syntax::parse(&path, text).facts;
    IndexedFile {
        key: VersionKey::new(&path, text.as_bytes(), pipeline().version),
        terms: terms(&path, &facts, text),
        vectors: facts.chunks.iter().map(|chunk| embed(&lines_of(text, chunk.lines))).collect(),
        trigrams: trigrams(text),
        facts,
        path,
    }
}

fn lines_of(text: &str, lines: groma_core::Lines) -> String {
    let inside = text.lines().skip(lines.start as usize - 1).take(lines.count() as usize);
    inside.collect::<Vec<_>>().join("\n")
}

fn terms(path: &RelPath, facts: &FileFacts, text: &str) -> TermBag {
    let mut bag = TermBag::default();
    for (ordinal, chunk) in (0..).zip(&facts.chunks) {
        if chunk.kind == ChunkKind::Overview {
            count(&mut bag, path.as_str(), ordinal, Field::Path);
            facts
                .symbols
                .iter()
                .for_each(|symbol| count(&mut bag, &symbol.name, ordinal, Field::Name));
            continue;
        }
        for symbol in facts.symbols.iter().filter(|symbol| chunk.lines.contains(symbol.name_line)) {
            count(&mut bag, &symbol.name, ordinal, Field::Name);
            count(&mut bag, &symbol.doc, ordinal, Field::Doc);
        }
        count(&mut bag, &lines_of(text, chunk.lines), ordinal, Field::Body);
    }
    bag
}

fn count(bag: &mut TermBag, text: &str, chunk: u32, field: Field) {
    words(text, |word| match word {
        Word::Part(part) => bag.add(stem(part), chunk, field),
        Word::Whole(whole) => bag.add(whole, chunk, field),
    });
}

/// A vector that points where the words of a text do; the zero vector for a text without words.
pub fn embed(text: &str) -> Vector {
    let mut components = [0f32; DIMENSIONS];
    words(text, |word| {
        if let Word::Part(part) = word {
            let hash =
                part.bytes().fold(7u32, |hash, byte| hash.wrapping_mul(31) + u32::from(byte));
            let sign = if hash & 64 == 0 { 1.0 } else { -1.0 };
            components[hash as usize % DIMENSIONS] += sign;
        }
    });
    Vector::quantise(&components)
}

/// The different three-byte sequences of a text.
pub fn trigrams(text: &str) -> Vec<u32> {
    let lower = text.to_ascii_lowercase();
    let number = |three: &[u8]| three.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
    let all: BTreeSet<u32> = lower.as_bytes().windows(3).map(number).collect();
    all.into_iter().collect()
}
