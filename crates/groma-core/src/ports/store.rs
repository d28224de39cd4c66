//! The index of one project: a writer commits a generation, snapshots query one.

use crate::{
    ChunkFilter, ChunkId, ChunkOutline, CommitReport, FileFacts, Generation, GenerationInfo,
    IndexedRef, JobLog, KeywordHit, KeywordQuery, Leases, Manifest, NameLike, RefName, RelPath,
    Scored, StoreError, StoredChunk, SymbolKind, TermBag, Vector, VersionKey,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One file version, ready to be stored.
#[derive(Clone, Debug)]
pub struct IndexedFile {
    /// Its path.
    pub path: RelPath,
    /// Which version it is.
    pub key: VersionKey,
    /// What parsing found.
    pub facts: FileFacts,
    /// Its terms, by chunk.
    pub terms: TermBag,
    /// One vector for each chunk, or none at all.
    pub vectors: Vec<Vector>,
    /// The distinct trigrams of its text (ASCII lowercased), in any order.
    pub trigrams: Vec<u32>,
}

/// How much storage an index uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Total bytes.
    pub bytes: u64,
    /// Number of immutable segments.
    pub segments: u64,
}

/// An outdated index: the state of a ref as another pipeline version left it.
#[derive(Clone)]
pub struct PreviousIndex {
    /// The state.
    pub snapshot: Arc<dyn Snapshot>,
    /// Whether its vectors are of this pipeline's embedder, and so can be compared with new ones.
    pub same_embedder: bool,
}

/// The index of one project, as one pipeline sees it.
///
/// An implementer must guarantee:
///
/// - A generation becomes visible in one atomic step, [`Writer::commit`]; a process that dies at any moment leaves
///   the last committed generation whole.
/// - A commit names its parent. One that does not follow the newest generation of its ref fails with
///   [`Superseded`](crate::StoreErrorKind::Superseded), regardless of leases.
/// - A [`Snapshot`] stays readable and unchanged for as long as it is held, whatever is committed, forgotten or
///   cleared meanwhile.
/// - Reading never waits for a writer.
/// - Statistics and scores are those of the manifest alone: an index that was built incrementally answers to the bit
///   like one that was built from scratch.
///
/// Generation numbers are never used again, not even after [`Store::clear`]. Only
/// [`previous_index`](Store::previous_index) has a default: a store without migration keeps none.
pub trait Store: Send + Sync {
    /// Opens the newest generation of a ref; `None` if this pipeline never indexed it.
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError>;

    /// The newest generation of a ref, without opening it. Called for every query, so it must be cheap: a store that
    /// learns of new generations by other means answers without a round trip.
    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError>;

    /// The indexed refs, ordered by name.
    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError>;

    /// Which of the versions are referenced by a ref whose files were selected by options of this hash; as bits, in
    /// the order of `keys`. Such a version belongs in every manifest with the same options and the same bytes at its
    /// path.
    fn referenced_versions(
        &self,
        options_hash: u64,
        keys: &[VersionKey],
    ) -> Result<Vec<bool>, StoreError>;

    /// Deletes one ref; versions that only it references are removed by later merges. Whether it existed.
    fn forget(&self, reference: &RefName) -> Result<bool, StoreError>;

    /// Starts a generation. At most one writer exists at a time, over all processes: others get
    /// [`Busy`](crate::StoreErrorKind::Busy). Dropping it without a commit changes nothing.
    fn writer(&self) -> Result<Box<dyn Writer>, StoreError>;

    /// Starts a generation that replaces everything, other refs included: no version counts as stored. The present
    /// index answers until the commit.
    fn replacing_writer(&self) -> Result<Box<dyn Writer>, StoreError>;

    /// Deletes everything but the job log.
    fn clear(&self) -> Result<(), StoreError>;

    /// How much storage the index uses.
    fn size(&self) -> Result<StoreSize, StoreError>;

    /// Whether the index was made by another pipeline version. The next commit replaces it.
    fn is_outdated(&self) -> Result<bool, StoreError>;

    /// The state of a ref in an outdated index, where it can be read: it answers until the next commit replaces it.
    fn previous_index(&self, _reference: &RefName) -> Result<Option<PreviousIndex>, StoreError> {
        Ok(None)
    }

    /// The leases of this project.
    fn leases(&self) -> &dyn Leases;

    /// The job history of this project.
    fn job_log(&self) -> &dyn JobLog;
}

/// The versions that a writer can reference without adding them.
pub trait StoredVersions: Send + Sync {
    /// Whether a version is stored.
    fn contains(&self, key: &VersionKey) -> bool;
}

/// A generation in the making.
///
/// A writer holds the writer's lease from start to end, and the generation it started from is the parent of what it
/// commits. Calls are batched: a run takes [`stored`](Writer::stored) once, before its workers start, and calls `add`
/// with as many files as are at hand.
pub trait Writer: Send {
    /// The versions that are stored already, as of the start of this writer. Lookups are local and need no lock, so
    /// that many workers share one.
    fn stored(&self) -> Arc<dyn StoredVersions>;

    /// Which of the versions are stored already, or were added to this writer; as bits, in the order of `keys`.
    fn known(&self, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError>;

    /// Stores file versions; those that are known are ignored. Nothing is visible before the commit.
    fn add(&mut self, files: Vec<IndexedFile>) -> Result<(), StoreError>;

    /// Makes `manifest` the state of the ref, in one atomic step. All its versions must be stored, else the commit is
    /// [`Refused`](crate::StoreErrorKind::Refused).
    fn commit(
        self: Box<Self>,
        reference: &RefName,
        manifest: &Manifest,
    ) -> Result<CommitReport, StoreError>;
}

/// One generation of one ref, immutable.
///
/// Every method reads what the snapshot has at hand; none may wait for a writer or a network. Results are
/// deterministic: equal scores are ordered by path and line.
pub trait Snapshot: Send + Sync {
    /// Which generation this is.
    fn info(&self) -> GenerationInfo;

    /// The files.
    fn manifest(&self) -> &Manifest;

    /// Compares everything it reads from with its checksums, even what was compared before: files can be overwritten in
    /// place while they are open. A store whose bytes nothing else can change needs no check.
    fn verify(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// How many chunks there are.
    fn chunk_count(&self) -> usize;

    /// Chunks by keyword (BM25F with the statistics of this manifest), best first; ties ordered by path and line.
    fn keyword(
        &self,
        query: &KeywordQuery,
        filter: &ChunkFilter,
    ) -> Result<Vec<KeywordHit>, StoreError>;

    /// Chunks by vector similarity, best first; ties ordered by path and line. A chunk without a vector, or with a zero
    /// vector, is never returned.
    fn nearest(
        &self,
        vector: &Vector,
        filter: &ChunkFilter,
        limit: usize,
    ) -> Result<Vec<Scored>, StoreError>;

    /// The scores that [`keyword`](Self::keyword) gives to chunks, however far down its list they are; `None` for a
    /// chunk that contains no term of the query.
    fn keyword_scores(
        &self,
        query: &KeywordQuery,
        ids: &[ChunkId],
    ) -> Result<Vec<Option<KeywordHit>>, StoreError>;

    /// The scores that [`nearest`](Self::nearest) gives to chunks; `None` for a chunk that it never returns.
    fn similarities(
        &self,
        vector: &Vector,
        ids: &[ChunkId],
    ) -> Result<Vec<Option<f32>>, StoreError>;

    /// Chunks that define one of the names (ignoring case and separators), ordered by path and line.
    fn definitions(
        &self,
        names: &[String],
        filter: &ChunkFilter,
    ) -> Result<Vec<ChunkId>, StoreError>;

    /// Defined names similar to `name`, ignoring case and separators; nearest first, ties in alphabetical order.
    fn similar(&self, name: &NameLike, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Files whose text may contain all trigrams of at least one alternative, ordered by path; all files if there is no
    /// alternative or one is empty. May return files that do not match, and never omits one that does.
    fn candidates(&self, alternatives: &[Vec<u32>]) -> Result<Vec<RelPath>, StoreError>;

    /// The admitted chunks of files in the order of their lines, the overview first; an empty list for a path that is not
    /// in the manifest.
    fn chunks_of(
        &self,
        paths: &[RelPath],
        filter: &ChunkFilter,
    ) -> Result<Vec<Vec<ChunkId>>, StoreError>;

    /// What ranking needs of the chunks, in the order of `ids`.
    fn outlines(&self, ids: &[ChunkId]) -> Result<Vec<ChunkOutline>, StoreError>;

    /// The chunks with the facts of their files, in the order of `ids`.
    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError>;

    /// The vectors of all chunks of the files, in the order of `paths`; `None` for a chunk without one, and an empty
    /// list for a path that is not in the manifest.
    fn vectors(&self, paths: &[RelPath]) -> Result<Vec<Vec<Option<Vector>>>, StoreError>;

    /// How many chunks have a vector.
    fn vector_count(&self) -> Result<usize, StoreError>;

    /// The facts of files, in the order of `paths`; `None` for a path that is not in the manifest.
    fn facts(&self, paths: &[RelPath]) -> Result<Vec<Option<Arc<FileFacts>>>, StoreError>;

    /// The facts of one file.
    fn file_facts(&self, path: &RelPath) -> Result<Option<Arc<FileFacts>>, StoreError> {
        Ok(self.facts(std::slice::from_ref(path))?.pop().flatten())
    }

    /// In how many chunks a term occurs.
    fn frequency(&self, term: &str) -> Result<usize, StoreError>;

    /// How many symbols of each kind there are.
    fn symbol_counts(&self) -> Result<BTreeMap<SymbolKind, usize>, StoreError>;
}
