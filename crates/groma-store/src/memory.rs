//! A store in plain collections.
//!
//! Every query scans every chunk, so there is little to get wrong: this is the oracle that the embedded store is
//! compared with. It is quick enough for tests of the layers above, too.

use crate::bm25::{Collection, Scorer};
use crate::job_log::MemoryJobLog;
use crate::matching::{
    Nearest, add_to_file, check_vectors, coverage, defined, kind_bits, never_stored, order,
    stored_lengths, unknown_chunk,
};
use crate::memory_leases::MemoryLeases;
use crate::random;
use groma_core::{
    Chunk, ChunkFilter, ChunkId, ChunkOutline, CommitReport, Field, FileFacts, FilterSubject,
    Generation, GenerationId, GenerationInfo, IndexedFile, IndexedRef, JobLog, KeywordHit,
    KeywordQuery, Lease, LeaseKind, Leases, Locked, Manifest, ManifestEntry, NameLike, Pipeline,
    RefName, RelPath, Scored, Snapshot, Store, StoreError, StoreSize, StoredChunk, StoredVersions,
    SymbolKind, TermQuery, Vector, VersionKey, Writer, folded,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, MutexGuard};
use std::time::{Instant, SystemTime};

/// An index in memory; it is gone with its process.
pub struct MemoryStore {
    pipeline: Pipeline,
    /// Shared with the writer.
    state: Arc<Locked<State>>,
    leases: MemoryLeases,
    job_log: MemoryJobLog,
}

#[derive(Default)]
struct State {
    versions: BTreeMap<VersionKey, Version>,
    refs: BTreeMap<RefName, (GenerationInfo, Manifest)>,
    /// Generations so far, forgotten ones included.
    generations: u64,
}

/// A stored version, its facts shared with every reader.
#[derive(Clone)]
struct Version {
    file: Arc<IndexedFile>,
    facts: Arc<FileFacts>,
}

impl MemoryStore {
    /// An empty store for what `pipeline` makes.
    pub fn new(pipeline: Pipeline) -> Self {
        let (leases, job_log) = (MemoryLeases::default(), MemoryJobLog::default());
        Self { pipeline, state: Arc::default(), leases, job_log }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl Store for MemoryStore {
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError> {
        let state = self.state();
        let Some((info, manifest)) = state.refs.get(reference) else { return Ok(None) };
        let versions = manifest.files.values().map(|entry| state.versions[&entry.key].clone());
        Ok(Some(Arc::new(MemorySnapshot::new(info.clone(), manifest.clone(), versions.collect()))))
    }

    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError> {
        Ok(self.state().refs.get(reference).map(|(info, _)| info.generation))
    }

    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError> {
        let indexed =
            |(name, (info, manifest)): (&RefName, &(GenerationInfo, Manifest))| IndexedRef {
                name: name.clone(),
                commit: manifest.commit.clone(),
                info: info.clone(),
                files: manifest.files.len(),
            };
        Ok(self.state().refs.iter().map(indexed).collect())
    }

    fn referenced_versions(
        &self,
        options_hash: u64,
        keys: &[VersionKey],
    ) -> Result<Vec<bool>, StoreError> {
        let state = self.state();
        let has_options = |(_, manifest): &&(_, Manifest)| manifest.options_hash == options_hash;
        let alike = state.refs.values().filter(has_options);
        let entries = alike.flat_map(|(_, manifest)| manifest.files.values());
        let referenced: BTreeSet<VersionKey> = entries.map(|entry| entry.key).collect();
        Ok(keys.iter().map(|key| referenced.contains(key)).collect())
    }

    fn forget(&self, reference: &RefName) -> Result<bool, StoreError> {
        let _lease = self.leases.require(LeaseKind::Writer)?;
        Ok(self.state().refs.remove(reference).is_some())
    }

    fn writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        Ok(Box::new(MemoryWriter::start(self, false)?))
    }

    fn replacing_writer(&self) -> Result<Box<dyn Writer>, StoreError> {
        Ok(Box::new(MemoryWriter::start(self, true)?))
    }

    fn clear(&self) -> Result<(), StoreError> {
        let _lease = self.leases.require(LeaseKind::Writer)?;
        let mut state = self.state();
        *state = State { generations: state.generations, ..State::default() };
        Ok(())
    }

    fn size(&self) -> Result<StoreSize, StoreError> {
        Ok(StoreSize::default())
    }

    fn is_outdated(&self) -> Result<bool, StoreError> {
        // The store and its pipeline exist only within this process.
        Ok(false)
    }

    fn leases(&self) -> &dyn Leases {
        &self.leases
    }

    fn job_log(&self) -> &dyn JobLog {
        &self.job_log
    }
}

struct MemoryWriter {
    pipeline: Pipeline,
    state: Arc<Locked<State>>,
    /// The newest generations when it started.
    parents: BTreeMap<RefName, Generation>,
    _lease: Lease,
    started: Instant,
    /// The commit replaces all there is.
    anew: bool,
    added: BTreeMap<VersionKey, Version>,
}

impl MemoryWriter {
    fn start(store: &MemoryStore, anew: bool) -> Result<Self, StoreError> {
        let lease = store.leases.require(LeaseKind::Writer)?;
        let refs = &store.state().refs;
        let parents = refs.iter().map(|(name, (info, _))| (name.clone(), info.generation));
        Ok(Self {
            pipeline: store.pipeline.clone(),
            state: store.state.clone(),
            parents: parents.collect(),
            _lease: lease,
            started: Instant::now(),
            anew,
            added: BTreeMap::new(),
        })
    }

    fn is_stored(&self, state: &State, key: &VersionKey) -> bool {
        self.added.contains_key(key) || !self.anew && state.versions.contains_key(key)
    }
}

/// The versions of a store.
struct MemoryVersions(BTreeSet<VersionKey>);

impl StoredVersions for MemoryVersions {
    fn contains(&self, key: &VersionKey) -> bool {
        self.0.contains(key)
    }
}

impl Writer for MemoryWriter {
    fn stored(&self) -> Arc<dyn StoredVersions> {
        let state = self.state.lock();
        let stored = state.versions.keys().filter(|_| !self.anew).copied().collect();
        Arc::new(MemoryVersions(stored))
    }

    fn known(&self, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError> {
        let state = self.state.lock();
        Ok(keys.iter().map(|key| self.is_stored(&state, key)).collect())
    }

    fn add(&mut self, files: Vec<IndexedFile>) -> Result<(), StoreError> {
        files.iter().try_for_each(|file| check_vectors(&self.pipeline, file))?;
        let known = self.known(&files.iter().map(|file| file.key).collect::<Vec<_>>())?;
        for (file, _) in files.into_iter().zip(known).filter(|(_, known)| !known) {
            let facts = Arc::new(file.facts.clone());
            self.added.insert(file.key, Version { file: Arc::new(file), facts });
        }
        Ok(())
    }

    fn commit(
        mut self: Box<Self>,
        reference: &RefName,
        manifest: &Manifest,
    ) -> Result<CommitReport, StoreError> {
        let shared = self.state.clone();
        let mut state = shared.lock();
        let newest = state.refs.get(reference).map(|(info, _)| info.generation);
        if newest != self.parents.get(reference).copied() {
            return Err(StoreError::superseded());
        }
        let is_missing = |entry: &ManifestEntry| !self.is_stored(&state, &entry.key);
        if let Some((path, _)) = manifest.files.iter().find(|(_, entry)| is_missing(entry)) {
            return Err(never_stored(path));
        }
        if self.anew {
            state.versions.clear();
            state.refs.clear();
        }
        let versions = self.added.len();
        state.versions.append(&mut self.added);
        state.generations += 1;
        let info = GenerationInfo {
            generation: Generation {
                number: state.generations,
                id: GenerationId::from_bytes(random::bytes()?),
            },
            committed: SystemTime::now(),
            duration_ms: self.started.elapsed().as_millis() as u64,
        };
        let generation = info.generation;
        state.refs.insert(reference.clone(), (info, manifest.clone()));
        Ok(CommitReport { generation, versions })
    }
}

struct MemorySnapshot {
    info: GenerationInfo,
    manifest: Manifest,
    /// In order of path.
    files: Vec<Document>,
    chunk_lengths: Collection,
    file_lengths: Collection,
}

/// A file of a snapshot.
struct Document {
    path: RelPath,
    version: Version,
    /// Field lengths of its chunks, and of the file.
    chunk_lengths: Vec<[u32; Field::COUNT]>,
    file_lengths: [u32; Field::COUNT],
}

impl Document {
    fn new(path: RelPath, version: Version) -> Self {
        let chunks = &version.facts.chunks;
        let mut chunk_lengths = Vec::new();
        let mut file_lengths = [0; Field::COUNT];
        for (ordinal, chunk) in chunks.iter().enumerate() {
            let lengths = version.file.terms.lengths(ordinal as u32);
            let lengths = stored_lengths(lengths).map(u32::from);
            chunk_lengths.push(lengths);
            add_to_file(&mut file_lengths, lengths, chunk.kind);
        }
        Self { path, version, chunk_lengths, file_lengths }
    }

    /// How often a term occurs in each of the chunks that hold it, by ordinal.
    fn counts(&self, term: &str) -> BTreeMap<usize, [u32; Field::COUNT]> {
        let terms = &self.version.file.terms;
        let postings = terms.postings().iter().filter(|posting| terms.term(posting.term) == term);
        postings.map(|posting| (posting.chunk as usize, posting.counts.map(u32::from))).collect()
    }

    fn admits(&self, filter: &ChunkFilter, chunk: &Chunk) -> bool {
        let facts = &self.version.facts;
        let subject = FilterSubject {
            path: self.path.as_str(),
            language: &facts.language,
            package: facts.package.as_deref(),
            tags: &facts.tags,
        };
        let symbols = defined(facts, chunk);
        let outlines = symbols.clone().map(|symbol| facts.outline(symbol));
        filter.admits_file(&subject)
            && filter.admits_chunk(
                chunk.kind,
                kind_bits(symbols.map(|symbol| symbol.kind)),
                outlines,
            )
    }
}

impl MemorySnapshot {
    fn new(info: GenerationInfo, manifest: Manifest, versions: Vec<Version>) -> Self {
        let paths = manifest.files.keys().cloned();
        let files: Vec<_> =
            paths.zip(versions).map(|(path, version)| Document::new(path, version)).collect();
        let (mut chunk_lengths, mut file_lengths) = (Collection::default(), Collection::default());
        for file in &files {
            file.chunk_lengths.iter().for_each(|lengths| chunk_lengths.add(*lengths));
            file_lengths.add(file.file_lengths);
        }
        Self { info, manifest, files, chunk_lengths, file_lengths }
    }

    /// Every admitted chunk: the index of its file, its ordinal, itself.
    fn admitted<'a>(
        &'a self,
        filter: &'a ChunkFilter,
    ) -> impl Iterator<Item = (usize, usize, &'a Chunk)> {
        self.files.iter().enumerate().flat_map(move |(file_index, file)| {
            let chunks = file.version.facts.chunks.iter().enumerate();
            chunks
                .filter(|(_, chunk)| file.admits(filter, chunk))
                .map(move |(ordinal, chunk)| (file_index, ordinal, chunk))
        })
    }

    /// Sorts by path and line; an overview comes before the chunk at its first line.
    fn sort_key(&self, chunk: ChunkId) -> (usize, u32, usize) {
        let (file_index, ordinal) = split(chunk);
        (file_index, self.files[file_index].version.facts.chunks[ordinal].lines.start, ordinal)
    }

    fn scored_term(&self, query: &KeywordQuery, term: &TermQuery) -> ScoredTerm {
        let chunks = Scorer::new(&query.chunk_fields, &self.chunk_lengths);
        let files = Scorer::new(&query.file_fields, &self.file_lengths);
        let counts: Vec<_> = self.files.iter().map(|file| file.counts(&term.term)).collect();
        let in_chunks = counts.iter().map(|counts| counts.len() as u64).sum();
        let in_files = counts.iter().filter(|counts| !counts.is_empty()).count() as u64;
        let chunk_weight = term.weight * chunks.rarity(in_chunks);
        let file_weight = term.weight * files.rarity(in_files);
        let mut scored = ScoredTerm::default();
        for (file_index, (file, counts)) in self.files.iter().zip(&counts).enumerate() {
            let mut total = [0; Field::COUNT];
            for (ordinal, counts) in counts {
                let strength = chunks.strength(*counts, file.chunk_lengths[*ordinal]);
                scored.chunks.insert((file_index, *ordinal), chunk_weight * strength);
                add_to_file(&mut total, *counts, file.version.facts.chunks[*ordinal].kind);
            }
            let strength = files.strength(total, file.file_lengths);
            scored.files.push(file_weight * strength);
            if total[Field::Path as usize] + total[Field::Name as usize] > 0 {
                scored.named.insert(file_index);
            }
        }
        scored
    }
}

/// The contributions of one term of a query to the scores.
#[derive(Default)]
struct ScoredTerm {
    /// By the file's index and the chunk's ordinal.
    chunks: BTreeMap<(usize, usize), f32>,
    /// By the file's index.
    files: Vec<f32>,
    /// Files with the term in their path or names.
    named: BTreeSet<usize>,
}

fn join(file_index: usize, ordinal: usize) -> ChunkId {
    ChunkId((file_index as u64) << 32 | ordinal as u64)
}

fn split(chunk: ChunkId) -> (usize, usize) {
    ((chunk.0 >> 32) as usize, chunk.0 as u32 as usize)
}

impl Snapshot for MemorySnapshot {
    fn info(&self) -> GenerationInfo {
        self.info.clone()
    }

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn chunk_count(&self) -> usize {
        self.files.iter().map(|file| file.version.facts.chunks.len()).sum()
    }

    fn keyword(
        &self,
        query: &KeywordQuery,
        filter: &ChunkFilter,
    ) -> Result<Vec<KeywordHit>, StoreError> {
        let terms: Vec<_> = query.terms.iter().map(|term| self.scored_term(query, term)).collect();
        let mut hits = Vec::new();
        for (file_index, ordinal, _) in self.admitted(filter) {
            let (mut own, mut file) = (0.0, 0.0);
            for term in &terms {
                own += term.chunks.get(&(file_index, ordinal)).copied().unwrap_or(0.0);
                file += term.files[file_index];
            }
            if own > 0.0 {
                let occurs = |number: usize| {
                    terms[number].chunks.contains_key(&(file_index, ordinal))
                        || terms[number].named.contains(&file_index)
                };
                hits.push(KeywordHit {
                    chunk: join(file_index, ordinal),
                    score: own + query.file_share * file,
                    own,
                    file,
                    coverage: coverage(query, occurs),
                });
            }
        }
        hits.sort_by(|a, b| {
            order(a.score, b.score, || (self.sort_key(a.chunk), self.sort_key(b.chunk)))
        });
        hits.truncate(query.limit);
        Ok(hits)
    }

    fn nearest(
        &self,
        vector: &Vector,
        filter: &ChunkFilter,
        limit: usize,
    ) -> Result<Vec<Scored>, StoreError> {
        let mut hits = Vec::new();
        for (file_index, ordinal, _) in self.admitted(filter) {
            let Some(other) = self.files[file_index].version.file.vectors.get(ordinal) else {
                continue;
            };
            if other.scale != 0.0 && other.values.len() == vector.values.len() {
                hits.push(Scored {
                    chunk: join(file_index, ordinal),
                    score: vector.similarity(other),
                });
            }
        }
        hits.sort_by(|a, b| {
            order(a.score, b.score, || (self.sort_key(a.chunk), self.sort_key(b.chunk)))
        });
        hits.truncate(limit);
        Ok(hits)
    }

    fn keyword_scores(
        &self,
        query: &KeywordQuery,
        ids: &[ChunkId],
    ) -> Result<Vec<Option<KeywordHit>>, StoreError> {
        self.chunks(ids)?;
        let query = KeywordQuery { limit: usize::MAX, ..query.clone() };
        let hits = self.keyword(&query, &ChunkFilter::default())?;
        let of = |id: &ChunkId| hits.iter().find(|hit| hit.chunk == *id).copied();
        Ok(ids.iter().map(of).collect())
    }

    fn similarities(
        &self,
        vector: &Vector,
        ids: &[ChunkId],
    ) -> Result<Vec<Option<f32>>, StoreError> {
        self.chunks(ids)?;
        let hits = self.nearest(vector, &ChunkFilter::default(), usize::MAX)?;
        let of = |id: &ChunkId| hits.iter().find(|hit| hit.chunk == *id).map(|hit| hit.score);
        Ok(ids.iter().map(of).collect())
    }

    fn definitions(
        &self,
        names: &[String],
        filter: &ChunkFilter,
    ) -> Result<Vec<ChunkId>, StoreError> {
        let wanted: BTreeSet<String> = names.iter().map(|name| folded(name)).collect();
        let defines = |file_index: usize, chunk: &Chunk| {
            defined(&self.files[file_index].version.facts, chunk)
                .any(|symbol| wanted.contains(&folded(&symbol.name)))
        };
        let found =
            self.admitted(filter).filter(|(file_index, _, chunk)| defines(*file_index, chunk));
        let mut found: Vec<_> =
            found.map(|(file_index, ordinal, _)| join(file_index, ordinal)).collect();
        found.sort_by_key(|chunk| self.sort_key(*chunk));
        Ok(found)
    }

    fn similar(&self, name: &NameLike, limit: usize) -> Result<Vec<String>, StoreError> {
        let all = ChunkFilter::default();
        let mut nearest = Nearest::new(name, limit);
        for (file_index, _, chunk) in self.admitted(&all) {
            for symbol in defined(&self.files[file_index].version.facts, chunk) {
                nearest.offer(&folded(&symbol.name), || Ok::<_, StoreError>(true))?;
            }
        }
        Ok(nearest.names())
    }

    fn candidates(&self, alternatives: &[Vec<u32>]) -> Result<Vec<RelPath>, StoreError> {
        let fits = |file: &&Document| {
            let here = &file.version.file.trigrams;
            alternatives.is_empty()
                || alternatives.iter().any(|all| all.iter().all(|one| here.contains(one)))
        };
        Ok(self.files.iter().filter(fits).map(|file| file.path.clone()).collect())
    }

    fn chunks_of(
        &self,
        paths: &[RelPath],
        filter: &ChunkFilter,
    ) -> Result<Vec<Vec<ChunkId>>, StoreError> {
        let admitted: Vec<(usize, usize)> =
            self.admitted(filter).map(|(file_index, ordinal, _)| (file_index, ordinal)).collect();
        let of = |path: &RelPath| {
            let own =
                admitted.iter().filter(|(file_index, _)| self.files[*file_index].path == *path);
            own.map(|(file_index, ordinal)| join(*file_index, *ordinal)).collect()
        };
        Ok(paths.iter().map(of).collect())
    }

    fn outlines(&self, ids: &[ChunkId]) -> Result<Vec<ChunkOutline>, StoreError> {
        let outline = |stored: StoredChunk| {
            let (facts, chunk) = (&stored.file, stored.chunk());
            ChunkOutline {
                lines: chunk.lines,
                kind: chunk.kind,
                names: defined(facts, chunk).map(|symbol| symbol.name.clone()).collect(),
                symbol_kinds: kind_bits(defined(facts, chunk).map(|symbol| symbol.kind)),
                id: stored.id,
                ordinal: stored.ordinal,
                path: stored.path,
            }
        };
        Ok(self.chunks(ids)?.into_iter().map(outline).collect())
    }

    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError> {
        let stored = |id: &ChunkId| {
            let (file_index, ordinal) = split(*id);
            let file = self.files.get(file_index).ok_or_else(unknown_chunk)?;
            file.version.facts.chunks.get(ordinal).ok_or_else(unknown_chunk)?;
            Ok(StoredChunk {
                id: *id,
                path: file.path.clone(),
                key: file.version.file.key,
                ordinal: ordinal as u32,
                file: file.version.facts.clone(),
            })
        };
        ids.iter().map(stored).collect()
    }

    fn vectors(&self, paths: &[RelPath]) -> Result<Vec<Vec<Option<Vector>>>, StoreError> {
        let of = |path: &RelPath| {
            let file = self.files.iter().find(|file| file.path == *path)?;
            let vector = |chunk: usize| file.version.file.vectors.get(chunk).cloned();
            let chunks = 0..file.version.facts.chunks.len();
            Some(chunks.map(|chunk| vector(chunk).filter(|one| one.scale != 0.0)).collect())
        };
        Ok(paths.iter().map(|path| of(path).unwrap_or_default()).collect())
    }

    fn vector_count(&self) -> Result<usize, StoreError> {
        let vectors = self.files.iter().flat_map(|file| &file.version.file.vectors);
        Ok(vectors.filter(|vector| vector.scale != 0.0).count())
    }

    fn facts(&self, paths: &[RelPath]) -> Result<Vec<Option<Arc<FileFacts>>>, StoreError> {
        let facts = |path: &RelPath| {
            let file = self.files.iter().find(|file| file.path == *path);
            file.map(|file| file.version.facts.clone())
        };
        Ok(paths.iter().map(facts).collect())
    }

    fn frequency(&self, term: &str) -> Result<usize, StoreError> {
        Ok(self.files.iter().map(|file| file.counts(term).len()).sum())
    }

    fn symbol_counts(&self) -> Result<BTreeMap<SymbolKind, usize>, StoreError> {
        let mut counts = BTreeMap::new();
        for symbol in self.files.iter().flat_map(|file| &file.version.facts.symbols) {
            *counts.entry(symbol.kind).or_default() += 1;
        }
        Ok(counts)
    }
}
