//! Replacing several parts by one that holds only the versions still in use.

use super::build::PartBuilder;
use super::part::{Part, Section};
use super::postings::Posting;
use super::trigrams;
use fst::Streamer;
use groma_core::{StoreError, VersionKey};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Parts with more chunks than this are not merged with others: memory stays bounded, and rewriting them for
/// a few files would cost more than reading two parts does.
pub(crate) const LARGEST_MERGED: u32 = 60_000;

/// More small parts than this are merged.
pub(crate) const MOST_SMALL_PARTS: usize = 8;

/// Which parts to merge now. `live` says how many chunks of a part are in use.
pub(crate) fn choose(parts: &[Arc<Part>], live: impl Fn(&Part) -> u32) -> Vec<Arc<Part>> {
    let wasteful = |part: &Part| live(part) * 2 < part.doc_count;
    let small: Vec<_> = parts.iter().filter(|part| live(part) <= LARGEST_MERGED).cloned().collect();
    let mut chosen: Vec<Arc<Part>> =
        if small.len() > MOST_SMALL_PARTS { small } else { Vec::new() };
    for part in parts.iter().filter(|part| wasteful(part)) {
        if !chosen.iter().any(|other| other.id == part.id) {
            chosen.push(part.clone());
        }
    }
    chosen.sort_by_key(|part| part.id);
    chosen
}

/// Writes the versions of `parts` that are in use to a new part; gives their keys in order.
pub(crate) fn merge(
    parts: &[Arc<Part>],
    in_use: impl Fn(&VersionKey) -> bool,
    path: &Path,
) -> Result<Vec<VersionKey>, StoreError> {
    let mut builder = PartBuilder::default();
    let mut maps = Vec::with_capacity(parts.len());
    for part in parts {
        maps.push(copy_files(&mut builder, part, &in_use)?);
    }
    merge_terms(&mut builder, parts, &maps)?;
    merge_trigrams(&mut builder, parts, &maps);
    builder.write_sections(path)?;
    Ok(std::mem::take(&mut builder.keys))
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
    for ordinal in 0..part.file_count {
        let file = part.file(ordinal);
        if !in_use(&file.key) {
            continue;
        }
        let new_ordinal = builder.keys.len() as u32;
        moved.files[ordinal as usize] = new_ordinal;
        let head = part.head_bytes(&file)?;
        builder.add_file(file.key, head, part.facts_bytes(&file)?, file.doc_count as usize);
        for doc in file.first_doc..file.first_doc + file.doc_count {
            moved.docs[doc as usize] = builder.doc_count;
            let (row, names) = part.doc_bytes(doc, new_ordinal, builder.section(Section::Names).len());
            builder.section(Section::Docs).extend(row);
            builder.section(Section::Names).extend_from_slice(names);
            builder.doc_count += 1;
            if part.dimensions > 0 {
                let (values, scale) = part.vector(doc);
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
            postings.extend(parts[place.index].postings_at(place.value).filter_map(|posting| {
                let chunk = *docs.get(posting.chunk as usize)?;
                (chunk != u32::MAX).then_some(Posting { chunk, ..posting })
            }));
        }
        if !postings.is_empty() {
            let term = std::str::from_utf8(term)
                .map_err(|_| StoreError::Damaged("a term is not UTF-8".into()))?;
            builder.push_term(&mut map, term, &postings)?;
        }
    }
    builder.finish_map(map)
}

fn merge_trigrams(builder: &mut PartBuilder, parts: &[Arc<Part>], moved: &[Moved]) {
    let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (part, moved) in parts.iter().zip(moved) {
        for (trigram, files) in part.all_trigrams() {
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
}
