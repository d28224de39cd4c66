//! Replacing several parts by one that holds only the versions still in use.

use super::build::PartBuilder;
use super::part::Part;
use super::postings::Posting;
use super::sections::Section;
use super::trigrams;
use fst::Streamer;
use groma_core::{StoreError, VersionKey};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Parts with more chunks than this are merged only to be rid of what nobody uses: rewriting them for a few
/// files would cost more than reading two parts does.
const LARGEST_SMALL: u32 = 60_000;

/// More small parts than this are merged.
const MOST_SMALL: usize = 8;

/// A merge stops growing at so many chunks, so that memory stays bounded.
const LARGEST_MERGE: u32 = 2 * LARGEST_SMALL;

/// A part, and how many of its chunks are in use.
pub(super) struct Candidate {
    part: Arc<Part>,
    live: u32,
}

impl Candidate {
    pub fn new(part: Arc<Part>, is_used: impl Fn(&VersionKey) -> bool) -> Self {
        let live = part.files().filter(|file| is_used(&file.key)).map(|file| file.doc_count).sum();
        Self { part, live }
    }

    /// Most of it is used by nobody.
    pub fn is_wasteful(&self) -> bool {
        self.live * 2 < self.part.doc_count || self.part.file_count == 0
    }
}

/// Which parts to merge now, in order of id.
pub(super) fn choose(mut parts: Vec<Candidate>) -> Vec<Arc<Part>> {
    let small = parts.iter().filter(|part| part.live <= LARGEST_SMALL).count();
    parts.sort_by_key(|candidate| (candidate.live, candidate.part.id));
    let mut chosen = Vec::new();
    let mut sum = 0;
    for (place, candidate) in parts.iter().enumerate() {
        let fits = sum + candidate.live <= LARGEST_MERGE || chosen.is_empty();
        // Small parts are merged with those of their own size, so that each rewrite at least about doubles
        // what it rewrites and a chunk is rewritten only a few times in its life.
        let due = small > MOST_SMALL
            && candidate.live <= LARGEST_SMALL
            && (place < 2 || candidate.live <= 2 * sum);
        if fits && (due || candidate.is_wasteful()) {
            sum += candidate.live;
            chosen.push(candidate.part.clone());
        }
    }
    chosen.sort_by_key(|part| part.id);
    chosen
}

/// Writes the versions of `parts` that are in use to a new part; gives their keys in order, and writes nothing
/// when there are none.
pub(super) fn merge(
    parts: &[Arc<Part>],
    in_use: impl Fn(&VersionKey) -> bool,
    path: &Path,
) -> Result<Vec<VersionKey>, StoreError> {
    let dimensions = parts.first().map_or(0, |part| part.dimensions);
    let mut builder = PartBuilder::new(dimensions as usize);
    let mut moved = Vec::with_capacity(parts.len());
    for part in parts {
        moved.push(copy_files(&mut builder, part, &in_use)?);
    }
    if !builder.is_empty() {
        merge_terms(&mut builder, parts, &moved)?;
        merge_trigrams(&mut builder, parts, &moved)?;
        builder.write_sections(path)?;
    }
    Ok(builder.keys)
}

/// Where the files and chunks of an old part went; `u32::MAX` for those left behind.
struct Moved {
    files: Vec<u32>,
    docs: Vec<u32>,
}

fn copy_files(
    builder: &mut PartBuilder,
    part: &Part,
    in_use: &impl Fn(&VersionKey) -> bool,
) -> Result<Moved, StoreError> {
    let mut moved = Moved {
        files: vec![u32::MAX; part.file_count as usize],
        docs: vec![u32::MAX; part.doc_count as usize],
    };
    part.check(Section::Names)?;
    for (ordinal, file) in part.files().enumerate().filter(|(_, file)| in_use(&file.key)) {
        let new_ordinal = builder.keys.len() as u32;
        moved.files[ordinal] = new_ordinal;
        let head = part.head_bytes(&file)?;
        builder.add_file(file.key, head, part.facts_bytes(&file)?, file.doc_count as usize);
        for doc in file.docs() {
            moved.docs[doc as usize] = builder.doc_count;
            let row = part.doc_bytes(doc, new_ordinal, builder.section(Section::Names).len());
            builder.add_doc_bytes(&row, part.names_bytes(doc));
            if part.dimensions > 0 {
                let (values, scale) = part.vector(doc)?;
                builder.add_vector(values, scale);
            }
        }
    }
    Ok(moved)
}

fn merge_terms(
    builder: &mut PartBuilder,
    parts: &[Arc<Part>],
    moved: &[Moved],
) -> Result<(), StoreError> {
    let mut union = fst::map::OpBuilder::new();
    for part in parts {
        union = union.add(part.terms());
    }
    let mut terms = union.union();
    let mut map = fst::MapBuilder::memory();
    let mut postings: Vec<Posting> = Vec::new();
    while let Some((term, places)) = terms.next() {
        postings.clear();
        let mut places = places.to_vec();
        places.sort_by_key(|place| place.index);
        for place in places {
            let docs = &moved[place.index].docs;
            postings.extend(parts[place.index].postings_at(place.value)?.filter_map(|posting| {
                let chunk = *docs.get(posting.chunk as usize)?;
                (chunk != u32::MAX).then_some(Posting { chunk, ..posting })
            }));
        }
        if !postings.is_empty() {
            builder.push_term(&mut map, term, &postings)?;
        }
    }
    builder.finish_map(map)
}

fn merge_trigrams(
    builder: &mut PartBuilder,
    parts: &[Arc<Part>],
    moved: &[Moved],
) -> Result<(), StoreError> {
    let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (part, moved) in parts.iter().zip(moved) {
        for (trigram, files) in part.all_trigrams()? {
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
