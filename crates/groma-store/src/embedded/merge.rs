//! Replacing several segments by one that holds only the referenced versions.

use super::build::SegmentBuilder;
use super::postings::Posting;
use super::sections::Section;
use super::segment::Segment;
use super::trigrams;
use fst::Streamer;
use groma_core::{Blobs, SegmentInfo, StoreError, VersionKey};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Segments with more chunks than this are merged only to drop unreferenced versions: rewriting them for a few
/// files would cost more than reading two segments does.
const MAX_SMALL_CHUNKS: u32 = 60_000;

/// More small segments than this are merged.
const MAX_SMALL_SEGMENTS: usize = 8;

/// Maximum number of chunks in a merge, so that memory stays bounded.
const MAX_MERGED_CHUNKS: u32 = 2 * MAX_SMALL_CHUNKS;

/// A segment, and how many of its chunks are in use.
pub(super) struct Candidate {
    segment: Arc<Segment>,
    referenced: u32,
}

impl Candidate {
    pub fn new(segment: Arc<Segment>, is_used: impl Fn(&VersionKey) -> bool) -> Self {
        let referenced =
            segment.files().filter(|file| is_used(&file.key)).map(|file| file.doc_count).sum();
        Self { segment, referenced }
    }

    /// Whether most of its chunks are unreferenced.
    pub fn is_wasteful(&self) -> bool {
        self.referenced * 2 < self.segment.doc_count || self.segment.file_count == 0
    }
}

/// Which segments to merge now, oldest first as they are given.
pub(super) fn choose(segments: Vec<Candidate>) -> Vec<Arc<Segment>> {
    let small = segments.iter().filter(|segment| segment.referenced <= MAX_SMALL_CHUNKS).count();
    let mut segments: Vec<(usize, Candidate)> = segments.into_iter().enumerate().collect();
    segments.sort_by_key(|(age, candidate)| (candidate.referenced, *age));
    let mut chosen = Vec::new();
    let mut sum = 0;
    for (rank, (age, candidate)) in segments.iter().enumerate() {
        let fits = sum + candidate.referenced <= MAX_MERGED_CHUNKS || chosen.is_empty();
        // Small segments are merged with those of their own size, so that each rewrite at least about doubles
        // what it rewrites and a chunk is rewritten only a few times in its life.
        let due = small > MAX_SMALL_SEGMENTS
            && candidate.referenced <= MAX_SMALL_CHUNKS
            && (rank < 2 || candidate.referenced <= 2 * sum);
        if fits && (due || candidate.is_wasteful()) {
            sum += candidate.referenced;
            chosen.push((*age, candidate.segment.clone()));
        }
    }
    chosen.sort_by_key(|(age, _)| *age);
    chosen.into_iter().map(|(_, segment)| segment).collect()
}

/// Writes the referenced versions of `segments` to a new segment; writes nothing if there are none.
pub(super) fn merge(
    segments: &[Arc<Segment>],
    in_use: impl Fn(&VersionKey) -> bool,
    blobs: &dyn Blobs,
) -> Result<Option<SegmentInfo>, StoreError> {
    let dimensions = segments.first().map_or(0, |segment| segment.dimensions);
    let mut builder = SegmentBuilder::new(dimensions as usize);
    let mut moved = Vec::with_capacity(segments.len());
    for segment in segments {
        moved.push(copy_files(&mut builder, segment, &in_use)?);
    }
    if builder.is_empty() {
        return Ok(None);
    }
    merge_terms(&mut builder, segments, &moved)?;
    merge_trigrams(&mut builder, segments, &moved)?;
    builder.write_sections(blobs).map(Some)
}

/// Where the files and chunks of an old segment went; `u32::MAX` for those left behind.
struct Moved {
    files: Vec<u32>,
    docs: Vec<u32>,
}

fn copy_files(
    builder: &mut SegmentBuilder,
    segment: &Segment,
    in_use: &impl Fn(&VersionKey) -> bool,
) -> Result<Moved, StoreError> {
    let mut moved = Moved {
        files: vec![u32::MAX; segment.file_count as usize],
        docs: vec![u32::MAX; segment.doc_count as usize],
    };
    segment.check(Section::Symbols)?;
    for (ordinal, file) in segment.files().enumerate().filter(|(_, file)| in_use(&file.key)) {
        let new_ordinal = builder.keys.len() as u32;
        moved.files[ordinal] = new_ordinal;
        let head = segment.head_bytes(&file)?;
        builder.add_file(file.key, head, segment.facts_bytes(&file)?, file.doc_count as usize);
        for doc in file.docs() {
            moved.docs[doc as usize] = builder.doc_count;
            let row = segment.doc_bytes(doc, new_ordinal, builder.section(Section::Symbols).len());
            builder.add_doc_bytes(&row, segment.symbols_bytes(doc));
            if segment.dimensions > 0 {
                let (values, scale) = segment.vector(doc)?;
                builder.add_vector(values, scale);
            }
        }
    }
    Ok(moved)
}

fn merge_terms(
    builder: &mut SegmentBuilder,
    segments: &[Arc<Segment>],
    moved: &[Moved],
) -> Result<(), StoreError> {
    let mut union = fst::map::OpBuilder::new();
    for segment in segments {
        union = union.add(segment.terms());
    }
    let mut terms = union.union();
    let mut map = fst::MapBuilder::memory();
    let mut postings: Vec<Posting> = Vec::new();
    while let Some((term, entries)) = terms.next() {
        postings.clear();
        let mut entries = entries.to_vec();
        entries.sort_by_key(|entry| entry.index);
        for entry in entries {
            let docs = &moved[entry.index].docs;
            postings.extend(segments[entry.index].postings_at(entry.value)?.filter_map(
                |posting| {
                    let chunk = *docs.get(posting.chunk as usize)?;
                    (chunk != u32::MAX).then_some(Posting { chunk, ..posting })
                },
            ));
        }
        if !postings.is_empty() {
            builder.push_term(&mut map, term, &postings)?;
        }
    }
    builder.finish_map(map)
}

fn merge_trigrams(
    builder: &mut SegmentBuilder,
    segments: &[Arc<Segment>],
    moved: &[Moved],
) -> Result<(), StoreError> {
    let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (segment, moved) in segments.iter().zip(moved) {
        for (trigram, files) in segment.all_trigrams()? {
            let files = files
                .into_iter()
                .filter_map(|file| moved.files.get(file as usize).copied())
                .filter(|file| *file != u32::MAX);
            lists.entry(trigram).or_default().extend(files);
        }
    }
    lists.retain(|_, files| !files.is_empty());
    let (index, groups) =
        trigrams::encode(lists.iter().map(|(trigram, files)| (*trigram, files.as_slice())));
    *builder.section(Section::TrigramIndex) = index;
    *builder.section(Section::Trigrams) = groups;
    Ok(())
}
