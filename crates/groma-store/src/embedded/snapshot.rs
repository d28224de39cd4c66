//! Reading one manifest of one generation.

use super::EmbeddedStore;
use super::part::{DocRow, Part};
use super::pipeline_text;
use super::postings::Posting;
use crate::bm25::{Collection, Scorer};
use groma_core::{
    ChunkFilter, ChunkId, ChunkKind, Field, FileFacts, GenerationInfo, KeywordHit, KeywordQuery,
    Manifest, RefName, RelPath, Scored, Snapshot, StoreError, StoredChunk, SymbolKind, Vector,
    Word, stem, words,
};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many files' facts are kept decoded.
const CACHED_FACTS: usize = 512;

/// A part as one manifest sees it.
struct View {
    part: Arc<Part>,
    /// The path's place in the manifest of each file version, or `NOT_HERE`.
    paths: Vec<u32>,
    /// Whether every version of the part is in the manifest, which is the usual case.
    whole: bool,
}

const NOT_HERE: u32 = u32::MAX;

impl View {
    fn holds(&self, file: u32) -> bool {
        self.paths[file as usize] != NOT_HERE
    }
}

pub(super) struct EmbeddedSnapshot {
    info: GenerationInfo,
    manifest: Manifest,
    /// The manifest's paths, in order.
    paths: Vec<RelPath>,
    /// Where each path's version is: view and ordinal.
    places: Vec<(u32, u32)>,
    views: Vec<View>,
    chunks: Collection,
    files: Collection,
    facts: Mutex<FxHashMap<u32, Arc<FileFacts>>>,
}

/// Opens the newest state of a ref.
pub(super) fn open(
    store: &EmbeddedStore,
    reference: &RefName,
) -> Result<Option<EmbeddedSnapshot>, StoreError> {
    let database = store.database();
    if database.pipeline()? != Some(pipeline_text(&store.pipeline)) {
        return Ok(None);
    }
    let Some(stored) = database.reference(reference)? else { return Ok(None) };
    let (manifest, places) = database.manifest(stored.id)?;
    drop(database);
    if places.len() != manifest.files.len() {
        return Err(StoreError::Damaged("the manifest and its versions disagree".into()));
    }
    let mut by_part: BTreeMap<u64, Vec<(u32, u32)>> = BTreeMap::new();
    for (path, place) in places.iter().enumerate() {
        by_part.entry(place.part).or_default().push((place.ordinal, path as u32));
    }
    let mut views = Vec::with_capacity(by_part.len());
    let mut located = vec![(0, 0); places.len()];
    for (id, files) in by_part {
        let part = store.part(id)?;
        let mut paths = vec![NOT_HERE; part.file_count as usize];
        for (ordinal, path) in &files {
            let slot = paths
                .get_mut(*ordinal as usize)
                .ok_or_else(|| StoreError::Damaged("a version is missing from its part".into()))?;
            *slot = *path;
            located[*path as usize] = (views.len() as u32, *ordinal);
        }
        let whole = paths.iter().all(|path| *path != NOT_HERE);
        views.push(View { part, paths, whole });
    }
    let paths = manifest.files.keys().cloned().collect();
    let (chunks, files) = collections(&views);
    Ok(Some(EmbeddedSnapshot {
        info: stored.info,
        manifest,
        paths,
        places: located,
        views,
        chunks,
        files,
        facts: Mutex::default(),
    }))
}

/// Counts and lengths of the chunks and files in the views.
fn collections(views: &[View]) -> (Collection, Collection) {
    let (mut chunks, mut files) = (Collection::default(), Collection::default());
    for view in views {
        for ordinal in (0..view.part.file_count).filter(|ordinal| view.holds(*ordinal)) {
            let file = view.part.file(ordinal);
            let mut total = [0u32; Field::COUNT];
            for doc in file.first_doc..(file.first_doc + file.doc_count).min(view.part.doc_count) {
                let row = view.part.doc(doc);
                chunks.add(row.lengths);
                add_to_file(&mut total, &row);
            }
            files.add(total);
        }
    }
    (chunks, files)
}

/// A file's names and path are those of its overview; its prose and code are the sum of its other chunks.
fn add_to_file(total: &mut [u32; Field::COUNT], row: &DocRow) {
    for (field, length) in row.lengths.iter().enumerate() {
        if belongs_to_file(field, row.kind) {
            total[field] += length;
        }
    }
}

fn belongs_to_file(field: usize, kind: ChunkKind) -> bool {
    let overview_field = field == Field::Name as usize || field == Field::Path as usize;
    overview_field == (kind == ChunkKind::Symbols)
}

/// Which chunks of a view a query may find.
enum Admitted {
    All,
    Some(Vec<bool>),
}

impl Admitted {
    fn has(&self, doc: u32) -> bool {
        match self {
            Admitted::All => true,
            Admitted::Some(docs) => docs[doc as usize],
        }
    }
}

/// One term's postings in one view, those of the manifest only.
struct TermPostings {
    view: usize,
    postings: Vec<Posting>,
}

/// Running scores of one view.
struct Scores {
    own: Vec<f32>,
    file: Vec<f32>,
    own_terms: Vec<u32>,
    file_terms: Vec<u32>,
}

impl EmbeddedSnapshot {
    fn admitted(&self, filter: &ChunkFilter) -> Result<Vec<Admitted>, StoreError> {
        self.views
            .iter()
            .map(|view| {
                if filter.is_empty() && view.whole {
                    return Ok(Admitted::All);
                }
                admitted_docs(view, filter).map(Admitted::Some)
            })
            .collect()
    }

    /// The postings of a term in every view, without versions that the manifest does not name.
    fn postings(&self, term: &str) -> Vec<TermPostings> {
        let mut found = Vec::new();
        for (index, view) in self.views.iter().enumerate() {
            let Some(reader) = view.part.postings(term) else { continue };
            let mut postings = Vec::with_capacity((reader.left() as usize).min(view.part.doc_count as usize));
            let docs = view.part.doc_count;
            postings.extend(reader.take_while(|posting| posting.chunk < docs).filter(|posting| {
                view.whole || view.holds(view.part.file_of(posting.chunk))
            }));
            found.push(TermPostings { view: index, postings });
        }
        found
    }

    /// Adds one term's part to the running scores.
    fn score_term(&self, scoring: &Scoring<'_>, number: usize, scores: &mut [Option<Scores>]) {
        let query = &scoring.query.terms[number];
        let found = self.postings(&query.term);
        let chunk_frequency: u64 = found.iter().map(|term| term.postings.len() as u64).sum();
        if chunk_frequency == 0 {
            return;
        }
        let grouped: Vec<Vec<(u32, [u32; Field::COUNT])>> =
            found.iter().map(|term| self.by_file(term)).collect();
        let file_frequency: u64 = grouped.iter().map(|files| files.len() as u64).sum();
        let chunk_weight = query.weight * scoring.chunks.rarity(chunk_frequency);
        let file_weight = query.weight * scoring.files.rarity(file_frequency);
        let bit = 1u32 << (number % 32);
        for (term, files) in found.iter().zip(&grouped) {
            let part = &self.views[term.view].part;
            let scores = scores[term.view].get_or_insert_with(|| Scores {
                own: vec![0.0; part.doc_count as usize],
                file: vec![0.0; part.file_count as usize],
                own_terms: vec![0; part.doc_count as usize],
                file_terms: vec![0; part.file_count as usize],
            });
            for posting in &term.postings {
                let doc = posting.chunk as usize;
                let lengths = part.doc(posting.chunk).lengths;
                let counts = posting.counts.map(u32::from);
                scores.own[doc] += chunk_weight * scoring.chunks.strength(counts, lengths);
                scores.own_terms[doc] |= bit;
            }
            for (file, counts) in files {
                let lengths = self.file_lengths(part, *file);
                scores.file[*file as usize] += file_weight * scoring.files.strength(*counts, lengths);
                if counts[Field::Path as usize] + counts[Field::Name as usize] > 0 {
                    scores.file_terms[*file as usize] |= bit;
                }
            }
        }
    }

    /// Sums a term's counts by file; postings of a file are neighbours.
    fn by_file(&self, term: &TermPostings) -> Vec<(u32, [u32; Field::COUNT])> {
        let part = &self.views[term.view].part;
        let mut files: Vec<(u32, [u32; Field::COUNT])> = Vec::new();
        for posting in &term.postings {
            let row = part.doc(posting.chunk);
            if files.last().is_none_or(|(file, _)| *file != row.file) {
                files.push((row.file, [0; Field::COUNT]));
            }
            let counts = &mut files.last_mut().expect("just pushed").1;
            for (field, count) in posting.counts.iter().enumerate() {
                if belongs_to_file(field, row.kind) {
                    counts[field] += u32::from(*count);
                }
            }
        }
        files
    }

    fn file_lengths(&self, part: &Part, file: u32) -> [u32; Field::COUNT] {
        let file = part.file(file);
        let mut total = [0; Field::COUNT];
        for doc in file.first_doc..(file.first_doc + file.doc_count).min(part.doc_count) {
            add_to_file(&mut total, &part.doc(doc));
        }
        total
    }

    /// Order of path and line, for equal scores.
    fn place(&self, chunk: ChunkId) -> (u32, u32, u32) {
        let (view, doc) = split(chunk);
        let view = &self.views[view];
        let row = view.part.doc(doc);
        let overview = u32::from(row.kind != ChunkKind::Symbols);
        (view.paths[row.file as usize], row.lines.start, overview)
    }

    /// Sorts by score, then by place, and keeps the best.
    fn best<T: Copy>(&self, mut hits: Vec<T>, limit: usize, key: impl Fn(&T) -> (f32, ChunkId)) -> Vec<T> {
        let order = |a: &T, b: &T| {
            let ((score_a, chunk_a), (score_b, chunk_b)) = (key(a), key(b));
            score_b.total_cmp(&score_a).then_with(|| match chunk_a == chunk_b {
                true => Ordering::Equal,
                false => self.place(chunk_a).cmp(&self.place(chunk_b)),
            })
        };
        if hits.len() > limit && limit > 0 {
            hits.select_nth_unstable_by(limit - 1, order);
        }
        hits.truncate(limit);
        hits.sort_unstable_by(order);
        hits
    }

    fn facts_at(&self, path: u32) -> Result<Arc<FileFacts>, StoreError> {
        if let Some(facts) = self.cache().get(&path) {
            return Ok(facts.clone());
        }
        let (view, ordinal) = self.places[path as usize];
        let part = &self.views[view as usize].part;
        let facts = Arc::new(part.facts(&part.file(ordinal))?);
        let mut cache = self.cache();
        if cache.len() >= CACHED_FACTS {
            cache.clear();
        }
        cache.insert(path, facts.clone());
        Ok(facts)
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, FxHashMap<u32, Arc<FileFacts>>> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What stays the same for all terms of a query.
struct Scoring<'a> {
    query: &'a KeywordQuery,
    chunks: Scorer,
    files: Scorer,
}

fn admitted_docs(view: &View, filter: &ChunkFilter) -> Result<Vec<bool>, StoreError> {
    let part = &view.part;
    let mut docs = vec![false; part.doc_count as usize];
    for ordinal in (0..part.file_count).filter(|ordinal| view.holds(*ordinal)) {
        let file = part.file(ordinal);
        if !filter.is_empty() && !filter.admits_file(&part.head(&file)?.subject()) {
            continue;
        }
        for doc in file.first_doc..(file.first_doc + file.doc_count).min(part.doc_count) {
            let row = part.doc(doc);
            docs[doc as usize] =
                filter.admits_chunk(row.kind, row.symbol_kinds, row.patterns, part.names(&row));
        }
    }
    Ok(docs)
}

fn join(view: usize, doc: u32) -> ChunkId {
    ChunkId((view as u64) << 32 | u64::from(doc))
}

fn split(chunk: ChunkId) -> (usize, u32) {
    ((chunk.0 >> 32) as usize, chunk.0 as u32)
}

impl Snapshot for EmbeddedSnapshot {
    fn info(&self) -> GenerationInfo {
        self.info.clone()
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
        let admitted = self.admitted(filter)?;
        let scoring = Scoring {
            query,
            chunks: Scorer::new(&query.chunk_fields, &self.chunks),
            files: Scorer::new(&query.file_fields, &self.files),
        };
        let mut scores: Vec<Option<Scores>> = self.views.iter().map(|_| None).collect();
        for number in 0..query.terms.len() {
            self.score_term(&scoring, number, &mut scores);
        }
        let total_weight: f32 = query.terms.iter().map(|term| term.weight).sum();
        let mut hits = Vec::new();
        for (index, scores) in scores.iter().enumerate() {
            let Some(scores) = scores else { continue };
            let part = &self.views[index].part;
            for (doc, own) in scores.own.iter().copied().enumerate() {
                if own > 0.0 && admitted[index].has(doc as u32) {
                    let owner = part.file_of(doc as u32) as usize;
                    let file = scores.file[owner];
                    let terms = scores.own_terms[doc] | scores.file_terms[owner];
                    hits.push(KeywordHit {
                        chunk: join(index, doc as u32),
                        score: own + query.file_share * file,
                        own,
                        file,
                        coverage: coverage(query, terms) / total_weight,
                    });
                }
            }
        }
        Ok(self.best(hits, query.limit, |hit| (hit.score, hit.chunk)))
    }

    fn nearest(
        &self,
        vector: &Vector,
        filter: &ChunkFilter,
        limit: usize,
    ) -> Result<Vec<Scored>, StoreError> {
        let admitted = self.admitted(filter)?;
        let mut hits = Vec::new();
        for (index, view) in self.views.iter().enumerate() {
            if view.part.dimensions as usize != vector.values.len() {
                continue;
            }
            for doc in (0..view.part.doc_count).filter(|doc| admitted[index].has(*doc)) {
                let (values, scale) = view.part.vector(doc);
                let score = vector.scale * scale * groma_core::dot(&vector.values, values) as f32;
                hits.push(Scored { chunk: join(index, doc), score });
            }
        }
        Ok(self.best(hits, limit, |hit| (hit.score, hit.chunk)))
    }

    fn definitions(
        &self,
        names: &[String],
        filter: &ChunkFilter,
    ) -> Result<Vec<ChunkId>, StoreError> {
        let admitted = self.admitted(filter)?;
        let mut found = Vec::new();
        for name in names {
            let wanted = folded(name);
            for term in self.postings(&lookup_term(name)) {
                let part = &self.views[term.view].part;
                for posting in &term.postings {
                    if posting.counts[Field::Name as usize] == 0 || !admitted[term.view].has(posting.chunk) {
                        continue;
                    }
                    if part.names(&part.doc(posting.chunk)).any(|name| folded(name) == wanted) {
                        found.push(join(term.view, posting.chunk));
                    }
                }
            }
        }
        found.sort_unstable_by_key(|chunk| self.place(*chunk));
        found.dedup();
        Ok(found)
    }

    fn candidates(&self, alternatives: &[Vec<u32>]) -> Result<Vec<RelPath>, StoreError> {
        if alternatives.is_empty() || alternatives.iter().any(Vec::is_empty) {
            return Ok(self.paths.clone());
        }
        let mut places: Vec<u32> = Vec::new();
        for view in &self.views {
            for trigrams in alternatives {
                let mut files: Option<Vec<u32>> = None;
                for trigram in trigrams {
                    let list = view.part.trigram_files(*trigram);
                    files = Some(match files {
                        None => list,
                        Some(files) => intersect(&files, &list),
                    });
                }
                let files = files.unwrap_or_default().into_iter();
                places.extend(files.map(|file| view.paths[file as usize]).filter(|path| *path != NOT_HERE));
            }
        }
        places.sort_unstable();
        places.dedup();
        Ok(places.into_iter().map(|path| self.paths[path as usize].clone()).collect())
    }

    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError> {
        ids.iter()
            .map(|id| {
                let (view, doc) = split(*id);
                let view = &self.views[view];
                let file = view.part.file_of(doc);
                let path = view.paths[file as usize];
                let row = view.part.file(file);
                Ok(StoredChunk {
                    id: *id,
                    path: self.paths[path as usize].clone(),
                    key: row.key,
                    ordinal: doc - row.first_doc,
                    file: self.facts_at(path)?,
                })
            })
            .collect()
    }

    fn facts(&self, path: &RelPath) -> Result<Option<Arc<FileFacts>>, StoreError> {
        match self.paths.binary_search(path) {
            Ok(place) => self.facts_at(place as u32).map(Some),
            Err(_) => Ok(None),
        }
    }

    fn frequency(&self, term: &str) -> Result<usize, StoreError> {
        Ok(self.postings(term).iter().map(|term| term.postings.len()).sum())
    }

    fn symbol_counts(&self) -> Result<BTreeMap<SymbolKind, usize>, StoreError> {
        let mut counts = BTreeMap::new();
        for (view, ordinal) in &self.places {
            let part = &self.views[*view as usize].part;
            for symbol in part.facts(&part.file(*ordinal))?.symbols {
                *counts.entry(symbol.kind).or_default() += 1;
            }
        }
        Ok(counts)
    }
}

fn coverage(query: &KeywordQuery, terms: u32) -> f32 {
    let standing = |number: usize| terms & 1 << (number % 32) != 0;
    query.terms.iter().enumerate().filter(|(n, _)| standing(*n)).map(|(_, term)| term.weight).sum()
}

/// What two lists in ascending order share.
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

/// A name without case and separators.
pub(crate) fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The term under which a name is indexed: the whole of a compound one, the stem of a simple one.
pub(crate) fn lookup_term(name: &str) -> String {
    let mut term = String::new();
    words(name, |word| match word {
        Word::Whole(whole) => term = whole.to_string(),
        Word::Part(part) if term.is_empty() => term = stem(part).to_string(),
        Word::Part(_) => {}
    });
    term
}
