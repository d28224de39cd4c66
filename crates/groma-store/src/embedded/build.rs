//! Builds a segment in memory and writes it at once.

use super::blobs::put;
use super::codec::{Encoder, encode_facts, encode_outline, write_number};
use super::postings::{self, Posting, name_term};
use super::sections::{Numbers, SECTIONS, Section};
use super::segment::{DOC_ROW, FILE_ROW};
use super::signs::signs;
use super::trigrams;
use crate::matching::{kind_bits, stored_lengths};
use groma_core::{
    Blobs, Chunk, ChunkKind, Field, IndexedFile, SegmentInfo, StoreError, Symbol, SymbolKind,
    SymbolOutline, Vector, VersionKey,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A segment is written out when its postings come to this many...
const MAX_POSTINGS: usize = 4_000_000;

/// ...or its facts and vectors to this many bytes, so that memory stays bounded however large the tree is.
const MAX_BYTES: usize = 96 << 20;

/// A posting before it is sorted by term.
#[derive(Clone, Copy)]
struct LoosePosting {
    term: u32,
    posting: Posting,
}

/// A segment under construction.
pub(super) struct SegmentBuilder {
    pub keys: Vec<VersionKey>,
    pub doc_count: u32,
    dimensions: usize,
    sections: [Vec<u8>; SECTIONS],
    terms: FxHashMap<Box<str>, u32>,
    postings: Vec<LoosePosting>,
    /// (trigram, file) as one number, in order of file.
    trigrams: Vec<u64>,
    scratch: Vec<u8>,
}

impl SegmentBuilder {
    /// An empty segment for vectors of this many dimensions; 0 for an index without vectors.
    pub fn new(dimensions: usize) -> Self {
        Self {
            keys: Vec::new(),
            doc_count: 0,
            dimensions,
            sections: Default::default(),
            terms: FxHashMap::default(),
            postings: Vec::new(),
            trigrams: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether the segment should be written before more is added.
    pub fn is_full(&self) -> bool {
        self.postings.len() >= MAX_POSTINGS
            || self.trigrams.len() >= 2 * MAX_POSTINGS
            || self.sections.iter().map(Vec::len).sum::<usize>() >= MAX_BYTES
    }

    /// Adds a file version.
    pub fn add(&mut self, file: &IndexedFile) {
        let ordinal = self.keys.len() as u32;
        let first_doc = self.doc_count;
        self.add_postings(file, first_doc);
        self.trigrams
            .extend(file.trigrams.iter().map(|t| u64::from(*t) << 32 | u64::from(ordinal)));
        self.add_file(file.key, &head(file), &encode_facts(&file.facts), file.facts.chunks.len());
        let by_line = file.facts.symbols_by_line();
        for (index, chunk) in file.facts.chunks.iter().enumerate() {
            // An overview lists the symbols of the other chunks and defines none.
            let is_overview = chunk.kind == ChunkKind::Overview;
            let symbols = if is_overview { Vec::new() } else { by_line.within(chunk.lines) };
            self.add_names(&symbols);
            let outlines: Vec<_> = symbols.iter().map(|one| file.facts.outline(one)).collect();
            self.add_doc(ordinal, chunk, &outlines, file.terms.lengths(index as u32));
            if self.dimensions > 0 {
                self.add_indexed_vector(file.vectors.get(index));
            }
        }
    }

    /// The number of a term in this segment.
    fn term(&mut self, term: &str) -> u32 {
        let next = self.terms.len() as u32;
        match self.terms.get(term) {
            Some(number) => *number,
            None => *self.terms.entry(term.into()).or_insert(next),
        }
    }

    fn add_postings(&mut self, file: &IndexedFile, first_doc: u32) {
        let terms = 0..file.terms.len() as u32;
        let numbers: Vec<u32> = terms.map(|term| self.term(file.terms.term(term))).collect();
        self.postings.extend(file.terms.postings().iter().map(|posting| LoosePosting {
            term: numbers[posting.term as usize],
            posting: Posting { chunk: first_doc + posting.chunk, counts: posting.counts },
        }));
    }

    /// Adds the names that the next chunk defines as terms.
    fn add_names(&mut self, symbols: &[&Symbol]) {
        let mut names: Vec<String> = symbols.iter().map(|symbol| name_term(&symbol.name)).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let posting = Posting { chunk: self.doc_count, counts: [1, 0, 0, 0] };
            let term = self.term(&name);
            self.postings.push(LoosePosting { term, posting });
        }
    }

    /// Adds a file's row, its head and its facts.
    pub fn add_file(&mut self, key: VersionKey, head: &[u8], facts: &[u8], docs: usize) {
        let mut row = Vec::with_capacity(FILE_ROW);
        row.extend_from_slice(key.as_bytes());
        row.extend(self.doc_count.to_le_bytes());
        row.extend((docs as u32).to_le_bytes());
        row.extend((self.section(Section::Heads).len() as u32).to_le_bytes());
        row.extend((facts.len() as u32).to_le_bytes());
        row.extend((self.section(Section::Facts).len() as u64).to_le_bytes());
        self.section(Section::Files).extend(row);
        write_number(self.section(Section::Heads), head.len() as u64);
        self.section(Section::Heads).extend_from_slice(head);
        self.section(Section::Facts).extend_from_slice(facts);
        self.keys.push(key);
    }

    fn add_doc(
        &mut self,
        file: u32,
        chunk: &Chunk,
        symbols: &[SymbolOutline<'_>],
        lengths: [u32; Field::COUNT],
    ) {
        let symbols_offset = self.section(Section::Symbols).len() as u32;
        let mut row = Vec::with_capacity(DOC_ROW);
        row.extend(file.to_le_bytes());
        row.extend(chunk.lines.start.to_le_bytes());
        row.extend(chunk.lines.end.to_le_bytes());
        row.extend([chunk.kind.code(), 0, 0, 0]);
        row.extend(kind_bits(symbols.iter().map(|symbol| symbol.kind)).to_le_bytes());
        row.extend(symbols_offset.to_le_bytes());
        stored_lengths(lengths).iter().for_each(|length| row.extend(length.to_le_bytes()));
        let mut outlines = Encoder::default();
        outlines.list(symbols, encode_outline);
        self.add_doc_bytes(&row, &outlines.bytes);
    }

    /// Adds a chunk's row and its symbols.
    pub fn add_doc_bytes(&mut self, row: &[u8], symbols: &[u8]) {
        self.section(Section::Docs).extend_from_slice(row);
        self.section(Section::Symbols).extend_from_slice(symbols);
        self.doc_count += 1;
    }

    /// Adds the vector of a chunk; a chunk without one has one of zeros.
    fn add_indexed_vector(&mut self, vector: Option<&Vector>) {
        match vector {
            Some(vector) => self.add_vector(&vector.values, vector.scale),
            None => self.add_vector(&vec![0; self.dimensions], 0.0),
        }
    }

    pub fn add_vector(&mut self, values: &[i8], scale: f32) {
        self.section(Section::Vectors).extend(values.iter().map(|value| *value as u8));
        self.section(Section::Scales).extend(scale.to_le_bytes());
        self.section(Section::Signs).extend(signs(values));
    }

    pub fn section(&mut self, section: Section) -> &mut Vec<u8> {
        &mut self.sections[section as usize]
    }

    /// Sorts what was added and stores the segment.
    pub fn write(mut self, blobs: &dyn Blobs) -> Result<SegmentInfo, StoreError> {
        self.finish_terms()?;
        self.finish_trigrams();
        self.write_sections(blobs)
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
            let position = &mut next[loose.term as usize];
            sorted[*position as usize] = loose.posting;
            *position += 1;
        }
        let mut terms: Vec<(Box<str>, u32)> = std::mem::take(&mut self.terms).into_iter().collect();
        terms.sort_unstable();
        let mut map = fst::MapBuilder::memory();
        for (term, number) in terms {
            let postings = starts[number as usize] as usize..starts[number as usize + 1] as usize;
            self.push_term(&mut map, term.as_bytes(), &sorted[postings])?;
        }
        self.finish_map(map)
    }

    /// Adds a term with its postings; terms come in order.
    pub fn push_term(
        &mut self,
        map: &mut fst::MapBuilder<Vec<u8>>,
        term: &[u8],
        postings: &[Posting],
    ) -> Result<(), StoreError> {
        let out = &mut self.sections[Section::Postings as usize];
        let offset = out.len() as u64;
        postings::encode(out, &mut self.scratch, postings.iter().copied());
        map.insert(term, offset).map_err(StoreError::unavailable)
    }

    pub fn finish_map(&mut self, map: fst::MapBuilder<Vec<u8>>) -> Result<(), StoreError> {
        let bytes = map.into_inner().map_err(StoreError::unavailable)?;
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

    /// Writes the sections as they are.
    pub fn write_sections(&self, blobs: &dyn Blobs) -> Result<SegmentInfo, StoreError> {
        let numbers = Numbers {
            files: self.keys.len() as u32,
            docs: self.doc_count,
            dimensions: self.dimensions as u32,
        };
        put(blobs, numbers, &self.sections)
    }
}

fn head(file: &IndexedFile) -> Vec<u8> {
    let facts = &file.facts;
    let mut counts: BTreeMap<SymbolKind, u64> = BTreeMap::new();
    facts.symbols.iter().for_each(|symbol| *counts.entry(symbol.kind).or_default() += 1);
    let counts: Vec<_> = counts.into_iter().collect();
    let mut out = Encoder::default();
    out.text(file.path.as_str());
    out.text(&facts.language);
    out.optional_text(facts.package.as_deref());
    out.list(&facts.tags, |out, tag| out.text(tag));
    out.list(&counts, |out, (kind, count)| {
        out.number(u64::from(kind.code()));
        out.number(*count);
    });
    out.bytes
}
