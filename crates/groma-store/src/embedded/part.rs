//! A part: an immutable file that holds some file versions and everything that is searched in them.
//!
//! Keyword postings, vectors, trigrams and facts of the same versions lie in one file, so that a commit adds
//! one file and a merge replaces some by one. This is why full text is not in a general search library: a
//! version is never deleted from a part, only left out by a manifest, and the statistics behind BM25 must be
//! those of the manifest exactly, or an incremental index would rank differently from a fresh one.

use super::codec::{Decoder, damaged};
use super::postings;
use groma_core::{
    ChunkKind, DddPatterns, Field, FileFacts, FilterSubject, Lines, StoreError, VersionKey,
};
use memmap2::Mmap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) const MAGIC: &[u8; 8] = b"GROMAPT1";
pub(crate) const HEADER: usize = 24;
pub(crate) const SECTION_ROW: usize = 24;
pub(crate) const FILE_ROW: usize = 40;
pub(crate) const DOC_ROW: usize = 32;
/// Trigrams are found by binary search over every so many-th, then by reading on.
pub(crate) const TRIGRAM_STEP: usize = 64;

/// What a part is made of, in the order it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Section {
    /// One row a file version: key, first chunk, number of chunks, places of its head and facts.
    Files,
    /// What filters look at: path, language, package, tags.
    Heads,
    /// One row a chunk: file, lines, kind, symbol kinds, roles, names, field lengths.
    Docs,
    /// The names that each chunk defines.
    Names,
    /// Term to place in `Postings`, as a finite state transducer.
    Terms,
    Postings,
    /// One vector a chunk, and its scale.
    Vectors,
    Scales,
    /// Every [`TRIGRAM_STEP`]th trigram and its place in `Trigrams`.
    TrigramIndex,
    Trigrams,
    Facts,
}

pub(crate) const SECTIONS: usize = Section::Facts as usize + 1;

/// The checksum of a section or header.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(blake3::hash(bytes).as_bytes()[..8].try_into().expect("eight bytes"))
}

/// A part, mapped.
pub(crate) struct Part {
    pub id: u64,
    path: PathBuf,
    map: Arc<Mmap>,
    sections: [(usize, usize); SECTIONS],
    pub file_count: u32,
    pub doc_count: u32,
    pub dimensions: u32,
    terms: fst::Map<MappedTerms>,
}

/// The part's own slice of mapped memory, in a form the transducer can own.
struct MappedTerms {
    map: Arc<Mmap>,
    range: (usize, usize),
}

impl AsRef<[u8]> for MappedTerms {
    fn as_ref(&self) -> &[u8] {
        &self.map[self.range.0..self.range.0 + self.range.1]
    }
}

/// A file version in a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileRow {
    pub key: VersionKey,
    pub first_doc: u32,
    pub doc_count: u32,
    head: u32,
    facts: u64,
    facts_length: u32,
}

/// What filters look at, borrowed from the part except for the tags.
#[derive(Debug)]
pub(crate) struct Head<'a> {
    pub path: &'a str,
    pub language: &'a str,
    pub package: Option<&'a str>,
    pub tags: Vec<String>,
}

impl Head<'_> {
    pub fn subject(&self) -> FilterSubject<'_> {
        FilterSubject {
            path: self.path,
            language: self.language,
            package: self.package,
            tags: &self.tags,
        }
    }
}

/// A chunk in a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DocRow {
    pub file: u32,
    pub lines: Lines,
    pub kind: ChunkKind,
    pub patterns: DddPatterns,
    pub symbol_kinds: u32,
    pub names: u32,
    pub lengths: [u32; Field::COUNT],
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

impl Part {
    /// Maps a part and checks its header and the size of its sections.
    pub fn open(id: u64, path: &Path) -> Result<Self, StoreError> {
        let io = |source| StoreError::Io { path: path.to_path_buf(), source };
        let file = File::open(path).map_err(io)?;
        // SAFETY: parts are written once, under a name that is never used again, and never altered.
        let map = Arc::new(unsafe { Mmap::map(&file) }.map_err(io)?);
        let wrong = |what: &str| damaged(&format!("{}: {what}", path.display()));
        let head = HEADER + SECTIONS * SECTION_ROW;
        if map.len() < head + 8 || &map[..8] != MAGIC {
            return Err(wrong("not a part"));
        }
        if checksum(&map[..head]) != u64_at(&map, head) {
            return Err(wrong("the header is altered"));
        }
        let mut sections = [(0, 0); SECTIONS];
        for (index, section) in sections.iter_mut().enumerate() {
            let row = HEADER + index * SECTION_ROW;
            let (start, length) = (u64_at(&map, row) as usize, u64_at(&map, row + 8) as usize);
            if start.checked_add(length).is_none_or(|end| end > map.len()) {
                return Err(wrong("it is cut off"));
            }
            *section = (start, length);
        }
        let (file_count, doc_count) = (u32_at(&map, 8), u32_at(&map, 12));
        let dimensions = u32_at(&map, 16);
        let expected = [
            (Section::Files, file_count as usize * FILE_ROW),
            (Section::Docs, doc_count as usize * DOC_ROW),
            (Section::Vectors, doc_count as usize * dimensions as usize),
        ];
        if expected.iter().any(|(section, length)| sections[*section as usize].1 != *length) {
            return Err(wrong("a section has the wrong size"));
        }
        let terms = MappedTerms { map: map.clone(), range: sections[Section::Terms as usize] };
        let terms = fst::Map::new(terms).map_err(|_| wrong("the terms are altered"))?;
        Ok(Self {
            id,
            path: path.to_path_buf(),
            map,
            sections,
            file_count,
            doc_count,
            dimensions,
            terms,
        })
    }

    /// Reads every byte and compares the checksums.
    pub fn verify(&self) -> Result<(), StoreError> {
        for index in 0..SECTIONS {
            let (start, length) = self.sections[index];
            let stored = u64_at(&self.map, HEADER + index * SECTION_ROW + 16);
            if checksum(&self.map[start..start + length]) != stored {
                return Err(damaged(&format!("{}: section {index} is altered", self.path.display())));
            }
        }
        Ok(())
    }

    pub fn byte_count(&self) -> u64 {
        self.map.len() as u64
    }

    pub fn section(&self, section: Section) -> &[u8] {
        let (start, length) = self.sections[section as usize];
        &self.map[start..start + length]
    }

    pub fn file(&self, ordinal: u32) -> FileRow {
        let row = &self.section(Section::Files)[ordinal as usize * FILE_ROW..][..FILE_ROW];
        FileRow {
            key: VersionKey::from_bytes(row[..16].try_into().expect("sixteen bytes")),
            first_doc: u32_at(row, 16),
            doc_count: u32_at(row, 20),
            head: u32_at(row, 24),
            facts_length: u32_at(row, 28),
            facts: u64_at(row, 32),
        }
    }

    pub fn head(&self, file: &FileRow) -> Result<Head<'_>, StoreError> {
        Ok(self.read_head(file)?.0)
    }

    /// The head as written, for copying.
    pub fn head_bytes(&self, file: &FileRow) -> Result<&[u8], StoreError> {
        let length = self.read_head(file)?.1;
        Ok(&self.section(Section::Heads)[file.head as usize..][..length])
    }

    fn read_head(&self, file: &FileRow) -> Result<(Head<'_>, usize), StoreError> {
        let heads = self.section(Section::Heads);
        let bytes = heads.get(file.head as usize..).ok_or_else(|| damaged("a head is missing"))?;
        let mut from = Decoder::new(bytes);
        let path = from.text()?;
        let language = from.text()?;
        let package = Some(from.text()?).filter(|package| !package.is_empty());
        let count = from.small()?;
        let mut tags = Vec::new();
        for _ in 0..count {
            tags.push(from.text()?.to_string());
        }
        Ok((Head { path, language, package, tags }, from.read()))
    }

    pub fn facts(&self, file: &FileRow) -> Result<FileFacts, StoreError> {
        super::codec::decode_facts(self.facts_bytes(file)?)
    }

    pub fn facts_bytes(&self, file: &FileRow) -> Result<&[u8], StoreError> {
        self.section(Section::Facts)
            .get(file.facts as usize..)
            .and_then(|bytes| bytes.get(..file.facts_length as usize))
            .ok_or_else(|| damaged("facts are missing"))
    }

    pub fn doc(&self, doc: u32) -> DocRow {
        let row = &self.section(Section::Docs)[doc as usize * DOC_ROW..][..DOC_ROW];
        let length = |at: usize| u32::from(u16::from_le_bytes([row[at], row[at + 1]]));
        let start = u32_at(row, 4).max(1);
        DocRow {
            file: u32_at(row, 0),
            lines: Lines { start, end: u32_at(row, 8).max(start) },
            kind: ChunkKind::from_code(row[12]).unwrap_or(ChunkKind::Definitions),
            patterns: DddPatterns::from_bits(row[13]),
            symbol_kinds: u32_at(row, 16),
            names: u32_at(row, 20),
            lengths: [length(24), length(26), length(28), length(30)],
        }
    }

    /// A chunk's row and names as written, for copying: the row with another file and place of names.
    pub fn doc_bytes(&self, doc: u32, file: u32, names: usize) -> (Vec<u8>, &[u8]) {
        let mut row = self.section(Section::Docs)[doc as usize * DOC_ROW..][..DOC_ROW].to_vec();
        row[..4].copy_from_slice(&file.to_le_bytes());
        row[20..24].copy_from_slice(&(names as u32).to_le_bytes());
        let bytes = self.section(Section::Names).get(self.doc(doc).names as usize..).unwrap_or_default();
        let mut from = Decoder::new(bytes);
        let length = from.text().map_or(0, |_| from.read());
        (row, &bytes[..length])
    }

    /// The file a chunk belongs to, without reading the rest of its row.
    pub fn file_of(&self, doc: u32) -> u32 {
        u32_at(self.section(Section::Docs), doc as usize * DOC_ROW)
    }

    /// The names that a chunk defines, as written.
    pub fn names(&self, doc: &DocRow) -> impl Iterator<Item = &str> {
        let bytes = self.section(Section::Names).get(doc.names as usize..).unwrap_or_default();
        Decoder::new(bytes).text().unwrap_or("").split('\n').filter(|name| !name.is_empty())
    }

    pub fn terms(&self) -> &fst::Map<impl AsRef<[u8]>> {
        &self.terms
    }

    /// The postings of a term.
    pub fn postings(&self, term: &str) -> Option<postings::Reader<'_>> {
        Some(self.postings_at(self.terms.get(term)?))
    }

    pub fn postings_at(&self, place: u64) -> postings::Reader<'_> {
        let bytes = self.section(Section::Postings).get(place as usize..).unwrap_or_default();
        postings::Reader::new(bytes)
    }

    /// The vector of a chunk and its scale, if this part has vectors.
    pub fn vector(&self, doc: u32) -> (&[i8], f32) {
        let width = self.dimensions as usize;
        let bytes = &self.section(Section::Vectors)[doc as usize * width..][..width];
        let scale = f32::from_le_bytes(
            self.section(Section::Scales)[doc as usize * 4..][..4].try_into().expect("four bytes"),
        );
        // SAFETY: i8 and u8 have the same size, alignment and validity.
        (unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<i8>(), bytes.len()) }, scale)
    }

    /// The file versions whose text holds a trigram, ascending.
    pub fn trigram_files(&self, trigram: u32) -> Vec<u32> {
        let index = self.section(Section::TrigramIndex);
        let rows = index.len() / 8;
        let (mut low, mut high) = (0, rows);
        while low < high {
            let middle = low.midpoint(high);
            if u32_at(index, middle * 8) <= trigram { low = middle + 1 } else { high = middle }
        }
        let Some(row) = low.checked_sub(1) else { return Vec::new() };
        let place = u32_at(index, row * 8 + 4) as usize;
        let bytes = self.section(Section::Trigrams).get(place..).unwrap_or_default();
        super::trigrams::find(bytes, trigram)
    }

    /// All trigrams with their file versions.
    pub fn all_trigrams(&self) -> Vec<(u32, Vec<u32>)> {
        super::trigrams::all(self.section(Section::Trigrams))
    }
}
