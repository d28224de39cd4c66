//! Reading one manifest of one generation.

use super::keyword;
use super::nearest;
use super::pool::Pool;
use super::postings::{NAME_MARK, Posting, name_term};
use super::sections::Section;
use super::segment::Segment;
use crate::bm25::Collection;
use crate::matching::{Nearest, add_to_file, order, unknown_chunk};
use fst::{IntoStreamer, Streamer};
use groma_core::{
    ChunkFilter, ChunkId, ChunkKind, ChunkOutline, Field, FileFacts, GenerationInfo, KeywordHit,
    KeywordQuery, Locked, Manifest, NameLike, RelPath, Scored, Snapshot, StoreError, StoredChunk,
    SymbolKind, Vector,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many bytes of facts, as stored, are kept decoded: about four times as many in memory.
const CACHED_FACTS: usize = 16 << 20;

/// A segment as one manifest sees it.
pub(super) struct View {
    pub segment: Arc<Segment>,
    /// The index of the path in the manifest for each file version, or `NOT_HERE`.
    paths: Vec<u32>,
    /// Field lengths of each file version.
    pub lengths: Vec<[u32; Field::COUNT]>,
    /// Whether every version of the segment is in the manifest, which is the usual case.
    whole: bool,
    /// Which chunks belong to versions of the manifest; empty where all do.
    referenced: Vec<bool>,
    /// The first chunk of each file version, and the number of all chunks.
    starts: Vec<u32>,
    /// Which file versions begin with their overview.
    led: Vec<bool>,
    /// Whether overviews are the first chunks of their files, as the pipeline writes them: then no other chunk's
    /// kind need be read.
    overviews_lead: bool,
}

const NOT_HERE: u32 = u32::MAX;

impl View {
    /// A segment with the files that the manifest has in it: their ordinals and the indexes of their paths.
    fn new(segment: Arc<Segment>, files: &[(u32, u32)]) -> Self {
        let mut paths = vec![NOT_HERE; segment.file_count as usize];
        files.iter().for_each(|(ordinal, path)| paths[*ordinal as usize] = *path);
        let whole = paths.iter().all(|path| *path != NOT_HERE);
        let (mut overviews_lead, mut starts, mut led) = (true, Vec::new(), Vec::new());
        let lengths = segment.files().map(|file| {
            let mut total = [0; Field::COUNT];
            starts.push(file.first_doc);
            led.push(false);
            for doc in file.docs() {
                let row = segment.doc(doc);
                add_to_file(&mut total, row.lengths, row.kind);
                if row.kind == ChunkKind::Overview {
                    led.last_mut().into_iter().for_each(|led| *led = true);
                    overviews_lead &= doc == file.first_doc;
                }
            }
            total
        });
        let lengths = lengths.collect();
        starts.push(segment.doc_count);
        let mut referenced = vec![false; if whole { 0 } else { segment.doc_count as usize }];
        if !whole {
            for (file, path) in segment.files().zip(&paths) {
                file.docs().for_each(|doc| referenced[doc as usize] = *path != NOT_HERE);
            }
        }
        Self { segment, paths, lengths, whole, referenced, starts, led, overviews_lead }
    }

    /// The file version that a chunk belongs to, no earlier than `from`, and where its chunks end. Passing the
    /// last file as `from` makes ascending lookups short.
    pub fn file_from(&self, from: usize, chunk: u32) -> (usize, u32) {
        let file = last_not_after(&self.starts, from, chunk);
        (file, self.starts[file + 1])
    }

    /// Whether a chunk of a file version is its overview.
    pub fn is_overview(&self, file: usize, chunk: u32) -> bool {
        if self.overviews_lead {
            self.led[file] && chunk == self.starts[file]
        } else {
            self.segment.kind(chunk) == ChunkKind::Overview
        }
    }

    fn holds(&self, file: u32) -> bool {
        self.paths[file as usize] != NOT_HERE
    }

    /// Offers every name that a chunk of the segment defines.
    fn visit_names(&self, nearest: &mut Nearest<'_>) -> Result<(), StoreError> {
        let mut terms = self.segment.terms().range().ge(NAME_MARK).into_stream();
        while let Some((term, offset)) = terms.next() {
            let Some(name) = term.strip_prefix(NAME_MARK.as_bytes()) else { break };
            let Ok(name) = std::str::from_utf8(name) else { continue };
            nearest.offer(name, || {
                let mut postings = self.segment.postings_at(offset)?;
                Ok(self.whole || postings.any(|one| self.holds(self.segment.file_of(one.chunk))))
            })?;
        }
        Ok(())
    }
}

pub(super) struct EmbeddedSnapshot {
    info: GenerationInfo,
    manifest: Manifest,
    /// The manifest's paths, in order.
    paths: Vec<RelPath>,
    /// Where each path's version is: view and ordinal.
    locations: Vec<(u32, u32)>,
    pub views: Vec<View>,
    pub chunks: Collection,
    pub files: Collection,
    facts: Locked<FactsCache>,
    pub scores: Pool<Vec<keyword::Scores>>,
    coarse: Pool<Vec<u32>>,
}

/// Counts and lengths of the chunks and files in the views.
fn collections(views: &[View]) -> (Collection, Collection) {
    let (mut chunks, mut files) = (Collection::default(), Collection::default());
    for view in views {
        for (ordinal, file) in
            view.segment.files().enumerate().filter(|(n, _)| view.holds(*n as u32))
        {
            file.docs().for_each(|doc| chunks.add(view.segment.lengths(doc)));
            files.add(view.lengths[ordinal]);
        }
    }
    (chunks, files)
}

/// Recently used facts of files, by path, in two generations. When the young one fills half of the budget, the old one
/// is dropped and the young one becomes old.
#[derive(Default)]
struct FactsCache {
    young: FxHashMap<u32, (Arc<FileFacts>, usize)>,
    old: FxHashMap<u32, (Arc<FileFacts>, usize)>,
    /// Bytes of the young, as stored.
    bytes: usize,
}

impl FactsCache {
    fn find(&mut self, path: u32) -> Option<Arc<FileFacts>> {
        if let Some((facts, _)) = self.young.get(&path) {
            return Some(facts.clone());
        }
        let (facts, bytes) = self.old.remove(&path)?;
        self.keep(path, &facts, bytes);
        Some(facts)
    }

    fn keep(&mut self, path: u32, facts: &Arc<FileFacts>, bytes: usize) {
        if self.bytes > CACHED_FACTS / 2 {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.young.insert(path, (facts.clone(), bytes));
    }
}

/// Which chunks of a view a query may find.
pub(super) enum Admitted<'a> {
    All,
    /// Those of versions that the manifest references.
    Referenced(&'a [bool]),
    Some(Vec<bool>),
}

impl Admitted<'_> {
    pub fn has(&self, doc: u32) -> bool {
        match self {
            Admitted::All => true,
            Admitted::Referenced(docs) => docs[doc as usize],
            Admitted::Some(docs) => docs[doc as usize],
        }
    }
}

/// One term's postings in one view, those of the manifest only.
pub(super) struct TermPostings {
    pub view: usize,
    pub postings: Vec<Posting>,
}

impl EmbeddedSnapshot {
    /// A generation over its segments.
    pub fn new(
        info: GenerationInfo,
        manifest: Manifest,
        segments: Vec<Arc<Segment>>,
    ) -> Result<Self, StoreError> {
        let paths: Vec<RelPath> = manifest.files.keys().cloned().collect();
        let mut files = vec![Vec::new(); segments.len()];
        let mut locations = Vec::with_capacity(paths.len());
        for (path, entry) in manifest.files.values().enumerate() {
            let find = |(index, segment): (usize, &Arc<Segment>)| {
                segment.ordinal(&entry.key).map(|ordinal| (index as u32, ordinal))
            };
            let found = segments.iter().enumerate().find_map(find);
            let missing = || StoreError::damaged("a version is missing from its segment");
            let (view, ordinal) = found.ok_or_else(missing)?;
            files[view as usize].push((ordinal, path as u32));
            locations.push((view, ordinal));
        }
        let views: Vec<View> = segments
            .into_iter()
            .zip(&files)
            .map(|(segment, files)| View::new(segment, files))
            .collect();
        let (chunks, files) = collections(&views);
        Ok(Self {
            info,
            manifest,
            paths,
            locations,
            views,
            chunks,
            files,
            facts: Locked::default(),
            scores: Pool::default(),
            coarse: Pool::default(),
        })
    }

    fn admitted(&self, filter: &ChunkFilter) -> Result<Vec<Admitted<'_>>, StoreError> {
        self.views
            .iter()
            .map(|view| {
                if !filter.is_empty() {
                    return admitted_docs(view, filter).map(Admitted::Some);
                }
                Ok(if view.whole { Admitted::All } else { Admitted::Referenced(&view.referenced) })
            })
            .collect()
    }

    /// The postings of a term in every view, without versions that the manifest does not reference.
    pub fn postings(&self, term: &str) -> Result<Vec<TermPostings>, StoreError> {
        let mut found = Vec::new();
        for (index, view) in self.views.iter().enumerate() {
            let Some(reader) = view.segment.postings(term)? else { continue };
            let mut postings = Vec::with_capacity(reader.at_most());
            postings.extend(
                reader.filter(|posting| view.whole || view.referenced[posting.chunk as usize]),
            );
            found.push(TermPostings { view: index, postings });
        }
        Ok(found)
    }

    /// Sorts by path and line; an overview comes before the chunk at its first line.
    pub(super) fn sort_key(&self, chunk: ChunkId) -> (u32, u32, u32) {
        let (view, doc) = split(chunk);
        let view = &self.views[view];
        let row = view.segment.doc(doc);
        (view.paths[row.file as usize], row.lines.start, doc)
    }

    /// Sorts by score, then by path and line, and keeps the best.
    pub(super) fn best(&self, mut hits: Vec<Scored>, limit: usize) -> Vec<Scored> {
        let order = |a: &Scored, b: &Scored| {
            order(a.score, b.score, || (self.sort_key(a.chunk), self.sort_key(b.chunk)))
        };
        if hits.len() > limit && limit > 0 {
            hits.select_nth_unstable_by(limit - 1, order);
        }
        hits.truncate(limit);
        hits.sort_unstable_by(order);
        hits
    }

    /// The view and row of a chunk of this snapshot.
    pub(super) fn locate(&self, id: ChunkId) -> Result<(&View, u32), StoreError> {
        let (view, doc) = split(id);
        let view = self.views.get(view).filter(|view| doc < view.segment.doc_count);
        let view = view.ok_or_else(unknown_chunk)?;
        if view.holds(view.segment.file_of(doc)) { Ok((view, doc)) } else { Err(unknown_chunk()) }
    }

    fn facts_at(&self, path: u32) -> Result<Arc<FileFacts>, StoreError> {
        if let Some(facts) = self.cache().find(path) {
            return Ok(facts);
        }
        let (view, ordinal) = self.locations[path as usize];
        let segment = &self.views[view as usize].segment;
        let file = segment.file(ordinal);
        let facts = Arc::new(segment.facts(&file)?);
        if facts.chunks.len() != file.doc_count as usize {
            return Err(StoreError::damaged("facts do not fit the chunks of their file"));
        }
        self.cache().keep(path, &facts, segment.facts_bytes(&file)?.len());
        Ok(facts)
    }

    fn vectors_at(&self, path: usize) -> Result<Vec<Option<Vector>>, StoreError> {
        let (view, ordinal) = self.locations[path];
        let segment = &self.views[view as usize].segment;
        let vector = |doc: u32| {
            let (values, scale) = segment.vector(doc)?;
            Ok((scale != 0.0).then(|| Vector { scale, values: values.into() }))
        };
        segment.file(ordinal).docs().map(vector).collect()
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, FactsCache> {
        self.facts.lock()
    }
}

fn admitted_docs(view: &View, filter: &ChunkFilter) -> Result<Vec<bool>, StoreError> {
    let segment = &view.segment;
    segment.check(Section::Symbols)?;
    let mut docs = vec![false; segment.doc_count as usize];
    for (_, file) in segment.files().enumerate().filter(|(ordinal, _)| view.holds(*ordinal as u32))
    {
        if !filter.admits_file(&segment.head(&file)?.subject()) {
            continue;
        }
        for doc in file.docs() {
            let row = segment.doc(doc);
            docs[doc as usize] =
                filter.admits_chunk(row.kind, row.symbol_kinds, segment.symbols(&row));
        }
    }
    Ok(docs)
}

pub(super) fn join(view: usize, doc: u32) -> ChunkId {
    ChunkId((view as u64) << 32 | u64::from(doc))
}

pub(super) fn split(chunk: ChunkId) -> (usize, u32) {
    ((chunk.0 >> 32) as usize, chunk.0 as u32)
}

impl Snapshot for EmbeddedSnapshot {
    fn info(&self) -> GenerationInfo {
        self.info.clone()
    }

    fn verify(&self) -> Result<(), StoreError> {
        self.views.iter().try_for_each(|view| view.segment.verify_again())
    }

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn chunk_count(&self) -> usize {
        self.chunks.count as usize
    }

    fn keyword(
        &self,
        query: &KeywordQuery,
        filter: &ChunkFilter,
    ) -> Result<Vec<KeywordHit>, StoreError> {
        keyword::hits(self, query, &self.admitted(filter)?)
    }

    fn nearest(
        &self,
        vector: &Vector,
        filter: &ChunkFilter,
        limit: usize,
    ) -> Result<Vec<Scored>, StoreError> {
        let mut coarse = self.coarse.take().unwrap_or_default();
        let admitted = self.admitted(filter)?;
        let hits = nearest::nearest(&self.views, &admitted, vector, limit, &mut coarse)?;
        self.coarse.give_back(coarse);
        Ok(self.best(hits, limit))
    }

    fn keyword_scores(
        &self,
        query: &KeywordQuery,
        ids: &[ChunkId],
    ) -> Result<Vec<Option<KeywordHit>>, StoreError> {
        keyword::scores(self, query, ids)
    }

    fn similarities(
        &self,
        vector: &Vector,
        ids: &[ChunkId],
    ) -> Result<Vec<Option<f32>>, StoreError> {
        let similarity = |id: &ChunkId| {
            let (view, doc) = self.locate(*id)?;
            nearest::similarity(&view.segment, vector, doc)
        };
        ids.iter().map(similarity).collect()
    }

    fn definitions(
        &self,
        names: &[String],
        filter: &ChunkFilter,
    ) -> Result<Vec<ChunkId>, StoreError> {
        let admitted = self.admitted(filter)?;
        let mut found = Vec::new();
        for name in names {
            for term in self.postings(&name_term(name))? {
                let docs = term.postings.iter().map(|posting| posting.chunk);
                let docs = docs.filter(|doc| admitted[term.view].has(*doc));
                found.extend(docs.map(|doc| join(term.view, doc)));
            }
        }
        found.sort_unstable_by_key(|chunk| self.sort_key(*chunk));
        found.dedup();
        Ok(found)
    }

    fn similar(&self, name: &NameLike, limit: usize) -> Result<Vec<String>, StoreError> {
        let mut nearest = Nearest::new(name, limit);
        self.views.iter().try_for_each(|view| view.visit_names(&mut nearest))?;
        Ok(nearest.names())
    }

    fn candidates(&self, alternatives: &[Vec<u32>]) -> Result<Vec<RelPath>, StoreError> {
        if alternatives.is_empty() || alternatives.iter().any(Vec::is_empty) {
            return Ok(self.paths.clone());
        }
        let mut matches: Vec<u32> = Vec::new();
        for view in &self.views {
            for trigrams in alternatives {
                let files = files_with_all(&view.segment, trigrams)?.into_iter();
                matches.extend(
                    files.map(|file| view.paths[file as usize]).filter(|path| *path != NOT_HERE),
                );
            }
        }
        matches.sort_unstable();
        matches.dedup();
        Ok(matches.into_iter().map(|path| self.paths[path as usize].clone()).collect())
    }

    fn chunks_of(
        &self,
        paths: &[RelPath],
        filter: &ChunkFilter,
    ) -> Result<Vec<Vec<ChunkId>>, StoreError> {
        let admitted = self.admitted(filter)?;
        let of = |path: &RelPath| {
            let Ok(path) = self.paths.binary_search(path) else { return Vec::new() };
            let (view, file) = self.locations[path];
            let view = view as usize;
            let docs = self.views[view].segment.file(file).docs();
            docs.filter(|doc| admitted[view].has(*doc)).map(|doc| join(view, doc)).collect()
        };
        Ok(paths.iter().map(of).collect())
    }

    fn outlines(&self, ids: &[ChunkId]) -> Result<Vec<ChunkOutline>, StoreError> {
        for view in &self.views {
            view.segment.check(Section::Symbols)?;
        }
        let outline = |id: &ChunkId| {
            let (view, doc) = self.locate(*id)?;
            let row = view.segment.doc(doc);
            Ok(ChunkOutline {
                id: *id,
                path: self.paths[view.paths[row.file as usize] as usize].clone(),
                ordinal: doc - view.segment.file(row.file).first_doc,
                lines: row.lines,
                kind: row.kind,
                names: view.segment.symbols(&row).map(|symbol| symbol.name.to_string()).collect(),
                symbol_kinds: row.symbol_kinds,
            })
        };
        ids.iter().map(outline).collect()
    }

    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError> {
        let stored = |id: &ChunkId| {
            let (view, doc) = self.locate(*id)?;
            let ordinal = view.segment.file_of(doc);
            let path = view.paths[ordinal as usize];
            let file = view.segment.file(ordinal);
            Ok(StoredChunk {
                id: *id,
                path: self.paths[path as usize].clone(),
                key: file.key,
                ordinal: doc - file.first_doc,
                file: self.facts_at(path)?,
            })
        };
        ids.iter().map(stored).collect()
    }

    fn vectors(&self, paths: &[RelPath]) -> Result<Vec<Vec<Option<Vector>>>, StoreError> {
        let of = |path: &RelPath| match self.paths.binary_search(path) {
            Ok(path) => self.vectors_at(path),
            Err(_) => Ok(Vec::new()),
        };
        paths.iter().map(of).collect()
    }

    fn vector_count(&self) -> Result<usize, StoreError> {
        let mut count = 0;
        for (view, ordinal) in &self.locations {
            let segment = &self.views[*view as usize].segment;
            for doc in segment.file(*ordinal).docs() {
                count += usize::from(segment.scale(doc)? != 0.0);
            }
        }
        Ok(count)
    }

    fn facts(&self, paths: &[RelPath]) -> Result<Vec<Option<Arc<FileFacts>>>, StoreError> {
        let facts = |path: &RelPath| match self.paths.binary_search(path) {
            Ok(path) => self.facts_at(path as u32).map(Some),
            Err(_) => Ok(None),
        };
        paths.iter().map(facts).collect()
    }

    fn frequency(&self, term: &str) -> Result<usize, StoreError> {
        Ok(self.postings(term)?.iter().map(|term| term.postings.len()).sum())
    }

    fn symbol_counts(&self) -> Result<BTreeMap<SymbolKind, usize>, StoreError> {
        let mut counts = BTreeMap::new();
        for (view, ordinal) in &self.locations {
            let segment = &self.views[*view as usize].segment;
            for (kind, count) in segment.symbol_counts(&segment.file(*ordinal))? {
                *counts.entry(kind).or_default() += count as usize;
            }
        }
        Ok(counts)
    }
}

/// The index of the last of some ascending numbers that is at most `max`, by galloping search from `from`, whose
/// number is at most `max`, too.
fn last_not_after(numbers: &[u32], from: usize, max: u32) -> usize {
    let (mut index, mut step) = (from, 1);
    while numbers.get(index + step).is_some_and(|number| *number <= max) {
        index += step;
        step *= 2;
    }
    let end = numbers.len().min(index + step);
    index + numbers[index + 1..end].partition_point(|number| *number <= max)
}

/// The files of a segment whose text holds all of some trigrams, ascending.
fn files_with_all(segment: &Segment, trigrams: &[u32]) -> Result<Vec<u32>, StoreError> {
    let Some((first, rest)) = trigrams.split_first() else { return Ok(Vec::new()) };
    let mut files = segment.trigram_files(*first)?;
    for trigram in rest {
        if files.is_empty() {
            break;
        }
        files = intersect(&files, &segment.trigram_files(*trigram)?);
    }
    Ok(files)
}

/// The intersection of two ascending lists.
fn intersect(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut rest = b;
    a.iter()
        .copied()
        .filter(|value| {
            let at = rest.partition_point(|other| other < value);
            rest = &rest[at..];
            rest.first() == Some(value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn galloping_search_equals_a_full_scan() {
        // Some are alike: a file without chunks starts where the next one does.
        let numbers: Vec<u32> = (0..200u32).map(|n| n * n / 7 / 3 * 3).collect();
        for max in 0..=*numbers.last().unwrap() + 9 {
            let expected = numbers.partition_point(|number| *number <= max) - 1;
            for from in 0..=expected {
                assert_eq!(last_not_after(&numbers, from, max), expected, "{from}, {max}");
            }
        }
    }
}
