//! Making a part in memory and writing it in one go.

use super::codec::{Encoder, encode_facts};
use super::part::{HEADER, MAGIC, SECTION_ROW, SECTIONS, Section, checksum};
use super::postings::{self, Posting};
use super::{io_error, trigrams};
use groma_core::{Chunk, Field, FileFacts, IndexedFile, StoreError, VersionKey};
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A part is written out when its postings come to this many...
const MOST_POSTINGS: usize = 4_000_000;

/// ...or its facts and vectors to this many bytes, so that memory stays bounded however large the tree is.
const MOST_BYTES: usize = 96 << 20;

/// A posting before it is sorted by term.
#[derive(Clone, Copy)]
pub(super) struct LoosePosting {
    pub term: u32,
    pub posting: Posting,
}

/// A part being made.
#[derive(Default)]
pub(crate) struct PartBuilder {
    pub(super) keys: Vec<VersionKey>,
    pub(super) sections: [Vec<u8>; SECTIONS],
    pub(super) doc_count: u32,
    pub(super) dimensions: Option<u32>,
    terms: FxHashMap<Box<str>, u32>,
    postings: Vec<LoosePosting>,
    /// (trigram, file) as one number, in order of file.
    trigrams: Vec<u64>,
}

impl PartBuilder {
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether the part should be written before more is added.
    pub fn is_full(&self) -> bool {
        self.postings.len() >= MOST_POSTINGS
            || self.trigrams.len() >= 2 * MOST_POSTINGS
            || self.sections.iter().map(Vec::len).sum::<usize>() >= MOST_BYTES
    }

    /// Adds a file version.
    pub fn add(&mut self, file: &IndexedFile) {
        let ordinal = self.keys.len() as u32;
        let first_doc = self.doc_count;
        self.add_postings(file, first_doc);
        self.trigrams.extend(file.trigrams.iter().map(|t| u64::from(*t) << 32 | u64::from(ordinal)));
        self.add_file(file.key, &head(file), &encode_facts(&file.facts), file.facts.chunks.len());
        for (index, chunk) in file.facts.chunks.iter().enumerate() {
            self.add_doc(ordinal, &file.facts, chunk, file.terms.lengths(index as u32));
        }
        for vector in &file.vectors {
            self.add_vector(&vector.values, vector.scale);
        }
    }

    fn add_postings(&mut self, file: &IndexedFile, first_doc: u32) {
        let mut numbers = Vec::with_capacity(file.terms.len());
        for place in 0..file.terms.len() as u32 {
            let term = file.terms.term(place);
            let next = self.terms.len() as u32;
            let number = match self.terms.get(term) {
                Some(number) => *number,
                None => *self.terms.entry(term.into()).or_insert(next),
            };
            numbers.push(number);
        }
        self.postings.extend(file.terms.postings().iter().map(|posting| LoosePosting {
            term: numbers[posting.term as usize],
            posting: Posting { chunk: first_doc + posting.chunk, counts: posting.counts },
        }));
    }

    /// Adds a file's row, its head and its facts.
    pub(super) fn add_file(&mut self, key: VersionKey, head: &[u8], facts: &[u8], docs: usize) {
        let mut row = Vec::with_capacity(super::part::FILE_ROW);
        row.extend_from_slice(key.as_bytes());
        row.extend(self.doc_count.to_le_bytes());
        row.extend((docs as u32).to_le_bytes());
        row.extend((self.section(Section::Heads).len() as u32).to_le_bytes());
        row.extend((facts.len() as u32).to_le_bytes());
        row.extend((self.section(Section::Facts).len() as u64).to_le_bytes());
        self.section(Section::Files).extend(row);
        self.section(Section::Heads).extend_from_slice(head);
        self.section(Section::Facts).extend_from_slice(facts);
        self.keys.push(key);
    }

    fn add_doc(&mut self, file: u32, facts: &FileFacts, chunk: &Chunk, lengths: [u32; Field::COUNT]) {
        let overview = chunk.kind == groma_core::ChunkKind::Symbols;
        let defined: Vec<_> = facts
            .symbols
            .iter()
            .filter(|symbol| !overview && chunk.lines.contains(symbol.name_line))
            .collect();
        let kinds = defined.iter().fold(0u32, |bits, symbol| bits | 1 << symbol.kind.code());
        let patterns = defined.iter().fold(0u8, |bits, symbol| bits | symbol.patterns.bits());
        let names: Vec<&str> = defined.iter().map(|symbol| symbol.name.as_str()).collect();
        let place = self.section(Section::Names).len() as u32;
        let mut row = Vec::with_capacity(super::part::DOC_ROW);
        row.extend(file.to_le_bytes());
        row.extend(chunk.lines.start.to_le_bytes());
        row.extend(chunk.lines.end.to_le_bytes());
        row.extend([chunk.kind.code(), patterns, 0, 0]);
        row.extend(kinds.to_le_bytes());
        row.extend(place.to_le_bytes());
        for length in lengths {
            row.extend((length.min(u32::from(u16::MAX)) as u16).to_le_bytes());
        }
        self.section(Section::Docs).extend(row);
        let mut encoder = Encoder::default();
        encoder.text(&names.join("\n"));
        self.section(Section::Names).extend(encoder.bytes);
        self.doc_count += 1;
    }

    pub(super) fn add_vector(&mut self, values: &[i8], scale: f32) {
        self.dimensions = Some(values.len() as u32);
        self.section(Section::Vectors).extend(values.iter().map(|value| *value as u8));
        self.section(Section::Scales).extend(scale.to_le_bytes());
    }

    pub(super) fn section(&mut self, section: Section) -> &mut Vec<u8> {
        &mut self.sections[section as usize]
    }

    /// Sorts what was added and writes the part. The keys are those of its files, in order.
    pub fn write(mut self, path: &Path) -> Result<Vec<VersionKey>, StoreError> {
        self.finish_terms()?;
        self.finish_trigrams();
        self.write_sections(path)?;
        Ok(self.keys)
    }

    /// Groups the postings by term (they are in order of chunk already) and the terms by text.
    fn finish_terms(&mut self) -> Result<(), StoreError> {
        let mut starts = vec![0u32; self.terms.len() + 1];
        for loose in &self.postings {
            starts[loose.term as usize + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![Posting { chunk: 0, counts: [0; Field::COUNT] }; self.postings.len()];
        for loose in self.postings.drain(..) {
            let place = &mut next[loose.term as usize];
            sorted[*place as usize] = loose.posting;
            *place += 1;
        }
        let mut terms: Vec<(Box<str>, u32)> = std::mem::take(&mut self.terms).into_iter().collect();
        terms.sort_unstable();
        self.write_terms(terms.iter().map(|(term, number)| {
            let number = *number as usize;
            (&**term, &sorted[starts[number] as usize..starts[number + 1] as usize])
        }))
    }

    /// Writes terms in order with their postings.
    pub(super) fn write_terms<'a>(
        &mut self,
        terms: impl Iterator<Item = (&'a str, &'a [Posting])>,
    ) -> Result<(), StoreError> {
        let mut map = fst::MapBuilder::memory();
        for (term, postings) in terms {
            self.push_term(&mut map, term, postings)?;
        }
        self.finish_map(map)
    }

    pub(super) fn push_term(
        &mut self,
        map: &mut fst::MapBuilder<Vec<u8>>,
        term: &str,
        postings: &[Posting],
    ) -> Result<(), StoreError> {
        let out = self.section(Section::Postings);
        let place = out.len() as u64;
        postings::encode(out, postings.iter().copied());
        map.insert(term, place).map_err(|error| StoreError::Database(Box::new(error)))
    }

    pub(super) fn finish_map(&mut self, map: fst::MapBuilder<Vec<u8>>) -> Result<(), StoreError> {
        let bytes = map.into_inner().map_err(|error| StoreError::Database(Box::new(error)))?;
        *self.section(Section::Terms) = bytes;
        Ok(())
    }

    fn finish_trigrams(&mut self) {
        let mut pairs = std::mem::take(&mut self.trigrams);
        if pairs.is_empty() {
            return;
        }
        pairs.sort_unstable();
        let files: Vec<u32> = pairs.iter().map(|pair| *pair as u32).collect();
        let mut bounds = Vec::new();
        for (index, pair) in pairs.iter().enumerate() {
            if index == 0 || pairs[index - 1] >> 32 != pair >> 32 {
                bounds.push(index);
            }
        }
        let ends = bounds.iter().skip(1).copied().chain([pairs.len()]);
        let lists = bounds
            .iter()
            .copied()
            .zip(ends)
            .map(|(start, end)| ((pairs[start] >> 32) as u32, &files[start..end]));
        let (index, groups) = trigrams::encode(lists);
        *self.section(Section::TrigramIndex) = index;
        *self.section(Section::Trigrams) = groups;
    }

    /// Writes header and sections, and makes sure that they are on the disk.
    pub(super) fn write_sections(&self, path: &Path) -> Result<(), StoreError> {
        let mut header = Vec::with_capacity(HEADER + SECTIONS * SECTION_ROW + 8);
        header.extend_from_slice(MAGIC);
        header.extend((self.keys.len() as u32).to_le_bytes());
        header.extend(self.doc_count.to_le_bytes());
        header.extend(self.dimensions.unwrap_or(0).to_le_bytes());
        header.extend(0u32.to_le_bytes());
        let mut start = (HEADER + SECTIONS * SECTION_ROW + 8) as u64;
        for section in &self.sections {
            header.extend(start.to_le_bytes());
            header.extend((section.len() as u64).to_le_bytes());
            header.extend(checksum(section).to_le_bytes());
            start += section.len() as u64;
        }
        header.extend(checksum(&header).to_le_bytes());
        let write = || -> std::io::Result<()> {
            let mut file = BufWriter::with_capacity(1 << 20, File::create_new(path)?);
            file.write_all(&header)?;
            for section in &self.sections {
                file.write_all(section)?;
            }
            file.into_inner()?.sync_data()
        };
        write().map_err(|source| io_error(path, source))
    }
}

fn head(file: &IndexedFile) -> Vec<u8> {
    let mut out = Encoder::default();
    out.text(file.path.as_str());
    out.text(&file.facts.language);
    out.text(file.facts.package.as_deref().unwrap_or(""));
    out.number(file.facts.tags.len() as u64);
    file.facts.tags.iter().for_each(|tag| out.text(tag));
    out.bytes
}
