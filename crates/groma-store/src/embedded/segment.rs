//! A segment: an immutable file that holds some file versions and everything that is searched in them.
//!
//! Keyword postings, vectors, trigrams and facts of the same versions lie in one file, so that a commit adds
//! one file and a merge replaces some by one. This is why full text is not in a general search library: a
//! version is never deleted from a segment, only left out by a manifest, and the statistics behind BM25 must be
//! those of the manifest exactly, or an incremental index would rank differently from a fresh one.

use super::codec::{Decoder, decode_facts, decode_outline};
use super::fetch::fetch;
use super::postings;
use super::sections::{Section, Sections, u32_at, u64_at};
use super::trigrams;
use bytes::Bytes;
use groma_core::{
    Blob, ChunkKind, Field, FileFacts, FilterSubject, Lines, SegmentId, StoreError, SymbolKind,
    SymbolOutline, VersionKey,
};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

pub(super) const FILE_ROW: usize = 40;
pub(super) const DOC_ROW: usize = 32;

/// A segment, mapped or in memory. Its rows and terms are known to be sound; the rest is checked as it is read.
pub(super) struct Segment {
    pub id: SegmentId,
    pub file_count: u32,
    pub doc_count: u32,
    pub dimensions: u32,
    sections: Sections,
    terms: fst::Map<Bytes>,
    /// Version to ordinal, made at first use.
    ordinals: OnceLock<FxHashMap<VersionKey, u32>>,
}

/// A file version in a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileRow {
    pub key: VersionKey,
    pub first_doc: u32,
    pub doc_count: u32,
    head: u32,
    facts: u64,
    facts_length: u32,
}

impl FileRow {
    /// Its chunks.
    pub fn docs(&self) -> Range<u32> {
        self.first_doc..self.first_doc + self.doc_count
    }
}

/// What filters test, borrowed from the segment except for the tags.
pub(super) struct Head<'a> {
    path: &'a str,
    language: &'a str,
    package: Option<&'a str>,
    tags: Vec<String>,
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

/// A chunk in a segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocRow {
    pub file: u32,
    pub lines: Lines,
    pub kind: ChunkKind,
    pub symbol_kinds: u32,
    symbols: u32,
    pub lengths: [u32; Field::COUNT],
}

impl Segment {
    /// Maps a segment and makes sure that its rows and terms are sound.
    pub fn open(id: SegmentId, blob: &Blob) -> Result<Self, StoreError> {
        let sections = Sections::open(blob)?;
        let numbers = sections.numbers;
        let (files, docs) = (numbers.files as usize, numbers.docs as usize);
        let lengths = [
            (Section::Files, files * FILE_ROW),
            (Section::Docs, docs * DOC_ROW),
            (Section::Vectors, docs * numbers.dimensions as usize),
            (Section::Scales, if numbers.dimensions > 0 { docs * 4 } else { 0 }),
            (Section::Signs, docs * (numbers.dimensions as usize).div_ceil(8)),
        ];
        for (section, length) in lengths {
            if sections.length(section) != length {
                return Err(sections.altered(section));
            }
        }
        for section in [Section::Files, Section::Docs, Section::Terms] {
            sections.check(section)?;
        }
        let terms = fst::Map::new(sections.owned(Section::Terms))
            .map_err(|_| sections.altered(Section::Terms))?;
        check_rows(&sections)?;
        Ok(Self {
            id,
            file_count: numbers.files,
            doc_count: numbers.docs,
            dimensions: numbers.dimensions,
            sections,
            terms,
            ordinals: OnceLock::new(),
        })
    }

    /// The path it was opened from; by now the file can be removed or replaced. `None` for bytes in memory.
    pub fn path(&self) -> Option<&Path> {
        self.sections.path()
    }

    /// The ordinal of a version; `None` if the segment does not hold it.
    pub fn ordinal(&self, key: &VersionKey) -> Option<u32> {
        let ordinals =
            || self.files().enumerate().map(|(ordinal, file)| (file.key, ordinal as u32)).collect();
        self.ordinals.get_or_init(ordinals).get(key).copied()
    }

    /// Reads every byte and compares the checksums.
    pub fn verify(&self) -> Result<(), StoreError> {
        self.sections.verify()
    }

    /// The same for bytes that were compared before.
    pub fn verify_again(&self) -> Result<(), StoreError> {
        self.check_unaltered()?;
        self.sections.forget_checks();
        self.sections.verify()
    }

    /// Makes sure that the file is what it was when it was mapped.
    pub fn check_unaltered(&self) -> Result<(), StoreError> {
        self.sections.check_unaltered(self.id.as_bytes())
    }

    /// Makes sure that a section is sound, for readers that cannot fail.
    pub fn check(&self, section: Section) -> Result<(), StoreError> {
        self.sections.check(section)
    }

    fn file_row(&self, ordinal: u32) -> &[u8] {
        &self.sections.all(Section::Files)[ordinal as usize * FILE_ROW..][..FILE_ROW]
    }

    pub fn file(&self, ordinal: u32) -> FileRow {
        let row = self.file_row(ordinal);
        FileRow {
            key: VersionKey::from_bytes(row[..16].try_into().expect("sixteen bytes")),
            first_doc: u32_at(row, 16),
            doc_count: u32_at(row, 20),
            head: u32_at(row, 24),
            facts_length: u32_at(row, 28),
            facts: u64_at(row, 32),
        }
    }

    /// Every file version, in order.
    pub fn files(&self) -> impl Iterator<Item = FileRow> {
        (0..self.file_count).map(|ordinal| self.file(ordinal))
    }

    /// The chunks of a file version, without reading the rest of its row.
    pub fn docs(&self, file: u32) -> Range<u32> {
        let row = self.file_row(file);
        u32_at(row, 16)..u32_at(row, 16) + u32_at(row, 20)
    }

    /// The bytes of `section` from `start` on; at most `max` of them.
    fn slice(&self, section: Section, start: usize, max: usize) -> Result<&[u8], StoreError> {
        let end = start.saturating_add(max).min(self.sections.length(section));
        self.sections.read(section, start..end)
    }

    pub fn head(&self, file: &FileRow) -> Result<Head<'_>, StoreError> {
        read_head(&mut Decoder::new(self.head_bytes(file)?))
    }

    /// The head as written, for copying.
    pub fn head_bytes(&self, file: &FileRow) -> Result<&[u8], StoreError> {
        self.prefixed(Section::Heads, file.head as usize)
    }

    /// Bytes that begin with their number.
    fn prefixed(&self, section: Section, start: usize) -> Result<&[u8], StoreError> {
        let mut from = Decoder::new(self.slice(section, start, MAX_VARINT)?);
        let length = from.number()? as usize;
        self.slice(section, start + from.read(), length)
    }

    /// How many symbols of each kind a file defines.
    pub fn symbol_counts(&self, file: &FileRow) -> Result<Vec<(SymbolKind, u32)>, StoreError> {
        let mut from = Decoder::new(self.head_bytes(file)?);
        read_head(&mut from)?;
        from.list(|from| Ok((from.code(SymbolKind::from_code)?, from.small()?)))
    }

    pub fn facts(&self, file: &FileRow) -> Result<FileFacts, StoreError> {
        decode_facts(self.facts_bytes(file)?)
    }

    /// The facts as written, for copying.
    pub fn facts_bytes(&self, file: &FileRow) -> Result<&[u8], StoreError> {
        self.slice(Section::Facts, file.facts as usize, file.facts_length as usize)
    }

    fn doc_row(&self, doc: u32) -> &[u8] {
        &self.sections.all(Section::Docs)[doc as usize * DOC_ROW..][..DOC_ROW]
    }

    pub fn doc(&self, doc: u32) -> DocRow {
        let row = self.doc_row(doc);
        DocRow {
            file: u32_at(row, 0),
            lines: Lines { start: u32_at(row, 4), end: u32_at(row, 8) },
            kind: kind(row),
            symbol_kinds: u32_at(row, 16),
            symbols: u32_at(row, 20),
            lengths: lengths(row),
        }
    }

    /// A chunk's kind, without reading the rest of its row.
    pub fn kind(&self, doc: u32) -> ChunkKind {
        kind(self.doc_row(doc))
    }

    /// The file a chunk belongs to, without reading the rest of its row.
    pub fn file_of(&self, doc: u32) -> u32 {
        u32_at(self.doc_row(doc), 0)
    }

    /// A chunk's field lengths, without reading the rest of its row.
    pub fn lengths(&self, doc: u32) -> [u32; Field::COUNT] {
        lengths(self.doc_row(doc))
    }

    /// A chunk's row as written, for copying, with another file and offset of its symbols.
    pub fn doc_bytes(&self, doc: u32, file: u32, symbols: usize) -> Vec<u8> {
        let mut row = self.doc_row(doc).to_vec();
        row[..4].copy_from_slice(&file.to_le_bytes());
        row[20..24].copy_from_slice(&(symbols as u32).to_le_bytes());
        row
    }

    /// The symbols of a chunk as written, for copying. The section must have been checked.
    pub fn symbols_bytes(&self, doc: u32) -> &[u8] {
        let start = u32_at(self.doc_row(doc), 20) as usize;
        let bytes = &self.sections.all(Section::Symbols)[start..];
        let mut from = Decoder::new(bytes);
        // What was checked can be read: the list ends where reading it ends.
        let _ = from.list(decode_outline);
        &bytes[..from.read()]
    }

    /// The symbols that a chunk defines. The section must have been checked.
    pub fn symbols(&self, doc: &DocRow) -> impl Iterator<Item = SymbolOutline<'_>> + Clone {
        let bytes = &self.sections.all(Section::Symbols)[doc.symbols as usize..];
        let mut from = Decoder::new(bytes);
        let count = from.number().unwrap_or(0);
        (0..count).map_while(move |_| decode_outline(&mut from).ok())
    }

    pub fn terms(&self) -> &fst::Map<impl AsRef<[u8]>> {
        &self.terms
    }

    /// The postings of a term.
    pub fn postings(&self, term: &str) -> Result<Option<postings::Reader<'_>>, StoreError> {
        self.terms.get(term).map(|offset| self.postings_at(offset)).transpose()
    }

    /// The postings at an offset, as the term dictionary gives it.
    pub fn postings_at(&self, offset: u64) -> Result<postings::Reader<'_>, StoreError> {
        let entries = self.prefixed(Section::Postings, offset as usize)?;
        Ok(postings::Reader::new(entries, self.doc_count))
    }

    /// The scale of a chunk's vector; zero for a chunk without one.
    pub fn scale(&self, doc: u32) -> Result<f32, StoreError> {
        if self.dimensions == 0 {
            return Ok(0.0);
        }
        let scale = self.slice(Section::Scales, doc as usize * 4, 4)?;
        Ok(f32::from_bits(u32_at(scale, 0)))
    }

    /// The vector of a chunk and its scale.
    pub fn vector(&self, doc: u32) -> Result<(&[i8], f32), StoreError> {
        let width = self.dimensions as usize;
        let bytes = self.slice(Section::Vectors, doc as usize * width, width)?;
        // SAFETY: i8 and u8 have the same size, alignment and validity.
        let values =
            unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<i8>(), bytes.len()) };
        Ok((values, self.scale(doc)?))
    }

    /// Prefetches the vector of a chunk.
    pub fn fetch_vector(&self, doc: u32) {
        let width = self.dimensions as usize;
        let start = doc as usize * width;
        fetch(self.sections.all(Section::Vectors).get(start..start + width).unwrap_or_default());
    }

    /// Prefetches the row of a chunk.
    pub fn fetch_row(&self, doc: u32) {
        fetch(self.doc_row(doc));
    }

    /// The signs of all vectors. The section must have been checked.
    pub fn signs(&self) -> &[u8] {
        self.sections.all(Section::Signs)
    }

    /// The file versions whose text holds a trigram, ascending.
    pub fn trigram_files(&self, trigram: u32) -> Result<Vec<u32>, StoreError> {
        self.check(Section::TrigramIndex)?;
        let index = self.sections.all(Section::TrigramIndex);
        let Some(group) = trigrams::group(index, trigram) else { return Ok(Vec::new()) };
        let end = group.end.unwrap_or_else(|| self.sections.length(Section::Trigrams));
        let bytes = self.sections.read(Section::Trigrams, group.start..end)?;
        Ok(trigrams::find(bytes, trigram, self.file_count))
    }

    /// All trigrams with their file versions.
    pub fn all_trigrams(&self) -> Result<Vec<(u32, Vec<u32>)>, StoreError> {
        self.check(Section::Trigrams)?;
        Ok(trigrams::all(self.sections.all(Section::Trigrams), self.file_count))
    }
}

/// Makes sure that rows point to one another and into their sections, so that no reader has to.
fn check_rows(sections: &Sections) -> Result<(), StoreError> {
    let (files, _) = sections.all(Section::Files).as_chunks::<FILE_ROW>();
    let (docs, _) = sections.all(Section::Docs).as_chunks::<DOC_ROW>();
    let symbols = sections.length(Section::Symbols);
    let mut first = 0;
    for (ordinal, file) in files.iter().enumerate() {
        let end = first + u32_at(file, 20) as usize;
        if u32_at(file, 16) as usize != first || end > docs.len() {
            return Err(sections.altered(Section::Files));
        }
        let is_sound = |doc: &[u8; DOC_ROW]| {
            u32_at(doc, 0) as usize == ordinal && u32_at(doc, 20) as usize <= symbols
        };
        if !docs[first..end].iter().all(is_sound) {
            return Err(sections.altered(Section::Docs));
        }
        first = end;
    }
    if first == docs.len() { Ok(()) } else { Err(sections.altered(Section::Docs)) }
}

/// Bytes of the longest varint.
const MAX_VARINT: usize = 10;

fn kind(row: &[u8]) -> ChunkKind {
    ChunkKind::from_code(row[12]).unwrap_or(ChunkKind::Code)
}

fn lengths(row: &[u8]) -> [u32; Field::COUNT] {
    [24, 26, 28, 30].map(|at| u32::from(u16::from_le_bytes([row[at], row[at + 1]])))
}

fn read_head<'a>(from: &mut Decoder<'a>) -> Result<Head<'a>, StoreError> {
    Ok(Head {
        path: from.text()?,
        language: from.text()?,
        package: from.optional_text()?,
        tags: from.list(|from| from.string())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embedded::sections::{Numbers, SECTIONS, header};

    /// Whether a segment opens that has one file with this first chunk and number of chunks, and one chunk with this file
    /// and offset of its names.
    fn opens((first, count): (u32, u32), (file, names): (u32, u32)) -> bool {
        let mut sections: [Vec<u8>; SECTIONS] = Default::default();
        let mut file_row = vec![0; FILE_ROW];
        file_row[16..20].copy_from_slice(&first.to_le_bytes());
        file_row[20..24].copy_from_slice(&count.to_le_bytes());
        let mut doc_row = vec![0; DOC_ROW];
        doc_row[..4].copy_from_slice(&file.to_le_bytes());
        doc_row[20..24].copy_from_slice(&names.to_le_bytes());
        sections[Section::Files as usize] = file_row;
        sections[Section::Docs as usize] = doc_row;
        sections[Section::Terms as usize] = fst::Map::default().into_fst().into_inner();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("segment");
        let numbers = Numbers { files: 1, docs: 1, dimensions: 0 };
        std::fs::write(&path, [header(numbers, &sections), sections.concat()].concat()).unwrap();
        Segment::open(SegmentId::from_bytes([0; 32]), &Blob::File(path)).is_ok()
    }

    #[test]
    fn rows_that_point_outside_of_the_segment_are_damage() {
        assert!(opens((0, 1), (0, 0)));
        for file in [(1, 1), (0, 2), (0, 0), (u32::MAX, 2)] {
            assert!(!opens(file, (0, 0)), "{file:?}");
        }
        for doc in [(1, 0), (u32::MAX, 0), (0, 1)] {
            assert!(!opens((0, 1), doc), "{doc:?}");
        }
    }
}
