//! The port an index store implements: one writer that commits a generation, and snapshots that read one.
//!
//! Calls are coarse, one for each retriever of a query, so that a store behind a network can serve them in
//! one round trip each. Paths are project-relative and nothing above assumes a local file.

use crate::{
    Chunk, ChunkFilter, ChunkKind, EmbedderIdentity, Field, FileFacts, JobRecord, Lines, NameLike,
    RelPath, Role, Symbol, SymbolKind, TermBag, Turn, Vector, VersionKey,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

/// What the rows of an index depend on besides the files. Any difference means a rebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The version of walking, parsing, chunking and splitting into terms.
    pub version: u32,
    /// The model behind the vectors; `None` for an index without them.
    pub embedder: Option<EmbedderIdentity>,
}

/// A branch, tag or commit, or the working tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefName(String);

impl RefName {
    /// A ref by its name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// The working tree.
    pub fn live() -> Self {
        Self("live".into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as people know it: that of a branch or tag without what stands before it in full.
    pub fn short(&self) -> &str {
        let short = ["refs/heads/", "refs/tags/", "refs/remotes/"];
        short.iter().find_map(|start| self.0.strip_prefix(start)).unwrap_or(&self.0)
    }
}

/// The number of a commit to the store; later is larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u64);

/// What a stat tells of a file: enough to know that it has not changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileStamp {
    /// Size in bytes.
    pub size: u64,
    /// Time of the last change, in nanoseconds since 1970. Anybody may set it.
    pub modified: i64,
    /// A number that differs, as good as surely, where the file was written, replaced or touched since: made of what
    /// nobody can set. 0 where the system tells nothing of the kind.
    pub state: u64,
    /// The stamp was taken so soon after the change that another could hide behind it.
    pub racy: bool,
}

impl FileStamp {
    /// Whether a file that now has the stamp `now` must be as it was. A stamp that was taken too soon after a
    /// change cannot say so.
    pub fn vouches_for(&self, now: &FileStamp) -> bool {
        !self.racy && self.is_like(now)
    }

    /// Whether a stat tells the same.
    pub fn is_like(&self, other: &FileStamp) -> bool {
        (self.size, self.modified, self.state) == (other.size, other.modified, other.state)
    }
}

/// One file of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestEntry {
    /// The version that is current.
    pub key: VersionKey,
    /// What a stat told when it was read.
    pub stamp: FileStamp,
}

/// A file that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkippedFile {
    /// The path, for showing.
    pub path: String,
    /// The reason's short name.
    pub reason: String,
    /// More about it; may be empty.
    pub detail: String,
    /// What a stat told of a file that had to be opened to decide; `None` where that was not needed, or may go
    /// otherwise next time.
    pub stamp: Option<FileStamp>,
}

/// The files of one ref.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Path to version.
    pub files: BTreeMap<RelPath, ManifestEntry>,
    /// What was left out.
    pub skipped: Vec<SkippedFile>,
    /// A number that stands for the rules by which files were chosen: under other rules no stamp vouches.
    pub rules: u64,
    /// The commit that the files are of; `None` for a working tree.
    pub commit: Option<String>,
}

/// A ref that has a manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexedRef {
    /// The ref.
    pub name: RefName,
    /// The commit that was indexed; `None` for a working tree.
    pub commit: Option<String>,
    /// The generation that indexed it last.
    pub info: GenerationInfo,
    /// How many files it has.
    pub files: usize,
}

/// One file version, ready to be stored.
#[derive(Clone, Debug)]
pub struct IndexedFile {
    /// Where it is.
    pub path: RelPath,
    /// Which version it is.
    pub key: VersionKey,
    /// What the parse told.
    pub facts: FileFacts,
    /// Its terms, by chunk.
    pub terms: TermBag,
    /// One vector for each chunk, or none at all.
    pub vectors: Vec<Vector>,
    /// The different three-byte sequences of its text (ASCII lowercased), in any order.
    pub trigrams: Vec<u32>,
}

/// A chunk in one snapshot. Ids of different snapshots are not comparable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub u64);

/// A chunk with a retriever's score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
    /// The chunk.
    pub chunk: ChunkId,
    /// The score; larger is better.
    pub score: f32,
}

/// A term of a keyword query.
#[derive(Clone, Debug, PartialEq)]
pub struct TermQuery {
    /// The term as indexed.
    pub term: String,
    /// How much it counts.
    pub weight: f32,
}

/// How much a term counts in each field, and how strongly a long field is discounted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldWeights {
    /// Weights, by [`Field`].
    pub weights: [f32; Field::COUNT],
    /// Length normalisation (BM25's b), by [`Field`].
    pub length: [f32; Field::COUNT],
    /// Saturation (BM25's k1).
    pub saturation: f32,
}

/// A keyword query: BM25F over the admitted chunks of one manifest, with exact statistics.
#[derive(Clone, Debug)]
pub struct KeywordQuery {
    /// The terms.
    pub terms: Vec<TermQuery>,
    /// Fields of a chunk.
    pub chunk_fields: FieldWeights,
    /// Fields of a file: the sum of its chunks, with its overview.
    pub file_fields: FieldWeights,
    /// How much a chunk's file adds to the chunk's score.
    pub file_share: f32,
    /// How many hits are wanted.
    pub limit: usize,
}

/// A chunk found by keyword.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeywordHit {
    /// The chunk.
    pub chunk: ChunkId,
    /// The whole score: the chunk's own and its file's share.
    pub score: f32,
    /// The chunk's own score.
    pub own: f32,
    /// Its file's score.
    pub file: f32,
    /// The share of the query's weight whose terms stand in the chunk or its file's path and names.
    pub coverage: f32,
}

/// A chunk with what is needed to rank it; cheap enough to be had for hundreds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkOutline {
    /// Its id.
    pub id: ChunkId,
    /// The file it belongs to.
    pub path: RelPath,
    /// Its place in [`FileFacts::chunks`].
    pub ordinal: u32,
    /// Where it is.
    pub lines: Lines,
    /// What it is made of.
    pub kind: ChunkKind,
    /// The names it defines, as written.
    pub names: Vec<String>,
    /// The kinds of what it defines, as bits by [`SymbolKind::code`].
    pub symbol_kinds: u32,
}

impl ChunkOutline {
    /// Whether one of the definitions is of a kind that fits.
    pub fn defines(&self, fits: impl Fn(SymbolKind) -> bool) -> bool {
        SymbolKind::ALL.iter().any(|kind| self.symbol_kinds & 1 << kind.code() != 0 && fits(*kind))
    }
}

/// A chunk with what is needed to show it.
#[derive(Clone, Debug)]
pub struct StoredChunk {
    /// Its id.
    pub id: ChunkId,
    /// The file it belongs to.
    pub path: RelPath,
    /// The version of that file.
    pub key: VersionKey,
    /// Its place in [`FileFacts::chunks`].
    pub ordinal: u32,
    /// The facts of its file.
    pub file: Arc<FileFacts>,
}

impl StoredChunk {
    /// The chunk itself.
    pub fn chunk(&self) -> &Chunk {
        &self.file.chunks[self.ordinal as usize]
    }

    /// The definition it shows.
    pub fn symbol(&self) -> Option<&Symbol> {
        self.chunk().symbol.map(|index| &self.file.symbols[index as usize])
    }

    /// All definitions whose name stands in it.
    pub fn symbols(&self) -> impl Iterator<Item = &Symbol> {
        let lines = self.chunk().lines;
        self.file.symbols.iter().filter(move |symbol| lines.contains(symbol.name_line))
    }
}

/// What a generation is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerationInfo {
    /// Its number.
    pub generation: Generation,
    /// When it was committed.
    pub committed: SystemTime,
    /// How long it took to make, in milliseconds.
    pub duration_ms: u64,
}

/// What the store takes up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoreSize {
    /// Bytes in all.
    pub bytes: u64,
    /// Immutable parts.
    pub parts: u64,
}

/// What a commit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommitReport {
    /// The new generation.
    pub generation: Generation,
    /// File versions written.
    pub versions: usize,
}

/// The state of a ref as another pipeline left it.
#[derive(Clone)]
pub struct Predecessor {
    /// The state.
    pub snapshot: Arc<dyn Snapshot>,
    /// Whether its vectors are of this pipeline's embedder, and so can be compared with new ones.
    pub same_embedder: bool,
}

/// Why a store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process is writing to this project.
    #[error("another process is indexing this project")]
    Busy,
    /// A file of the index is missing, cut off or altered.
    #[error("the index is damaged: {0}")]
    Damaged(String),
    /// The caller asked for what cannot be: the index is as it was.
    #[error("the store refused: {0}")]
    Refused(String),
    /// The disk is full.
    #[error("the disk is full: cannot write {path}")]
    Full {
        /// What could not be written.
        path: PathBuf,
    },
    /// A file of the index could not be read or written.
    #[error("cannot access {path}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The database under the index failed.
    #[error("the index database failed")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// An index of one project.
pub trait Store: Send + Sync {
    /// The newest committed state of a ref, if it was ever indexed by this pipeline.
    fn snapshot(&self, reference: &RefName) -> Result<Option<Arc<dyn Snapshot>>, StoreError>;

    /// The newest committed generation of a ref, without opening it.
    fn generation(&self, reference: &RefName) -> Result<Option<Generation>, StoreError>;

    /// The refs that are indexed, in order of name.
    fn refs(&self) -> Result<Vec<IndexedRef>, StoreError>;

    /// Which of the versions some ref names whose files were chosen by these rules, as bits in the order asked:
    /// such a version belongs into every manifest of the same rules that has its bytes at its path.
    fn named(&self, rules: u64, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError>;

    /// Forgets one ref; what only it has is removed as time goes by. Whether there was such a ref.
    fn forget(&self, reference: &RefName) -> Result<bool, StoreError>;

    /// Starts a generation. At most one writer lives at a time, over all processes; dropping it without
    /// commit leaves everything as it was.
    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError>;

    /// Starts a generation that takes the place of everything, other refs included: nothing counts as stored. What
    /// is there answers until the commit.
    fn writer_anew(&self) -> Result<Box<dyn Writer + '_>, StoreError>;

    /// Forgets everything.
    fn clear(&self) -> Result<(), StoreError>;

    /// What the store takes up.
    fn size(&self) -> Result<StoreSize, StoreError>;

    /// Whether there is an index that another pipeline made. The next commit replaces it.
    fn is_foreign(&self) -> Result<bool, StoreError>;

    /// What another pipeline made of a ref, where it can be read: it can answer until the next commit replaces it.
    fn predecessor(&self, _reference: &RefName) -> Result<Option<Predecessor>, StoreError> {
        Ok(None)
    }

    /// The right to a role: at most one process has it at a time. [`StoreError::Busy`] while another does, which
    /// is how a job that runs is told from one whose process is gone.
    fn turn(&self, role: Role) -> Result<Turn, StoreError>;

    /// Whether somebody has the turn, in whichever process.
    fn is_held(&self, role: Role) -> Result<bool, StoreError>;

    /// Remembers a job, or how it stands now. The history outlives [`Store::clear`]; old jobs are forgotten.
    fn record_job(&self, job: &JobRecord) -> Result<(), StoreError>;

    /// The jobs started last, newest first.
    fn jobs(&self, limit: usize) -> Result<Vec<JobRecord>, StoreError>;
}

/// A generation being made.
pub trait Writer: Send {
    /// Which of the versions are stored already, as bits in the order asked.
    fn known(&self, keys: &[VersionKey]) -> Result<Vec<bool>, StoreError>;

    /// Stores file versions. Nothing is visible before the commit.
    fn add(&mut self, files: Vec<IndexedFile>) -> Result<(), StoreError>;

    /// Makes `manifest` the state of the ref, in one atomic step. All its versions must be stored.
    fn commit(
        self: Box<Self>,
        reference: &RefName,
        manifest: &Manifest,
    ) -> Result<CommitReport, StoreError>;
}

/// One manifest of one generation, immutable.
pub trait Snapshot: Send + Sync {
    /// Which generation this is.
    fn info(&self) -> GenerationInfo;

    /// The files.
    fn manifest(&self) -> &Manifest;

    /// How many chunks there are.
    fn chunk_count(&self) -> usize;

    /// Chunks by keyword, best first; equal scores in order of path and line.
    fn keyword(
        &self,
        query: &KeywordQuery,
        filter: &ChunkFilter,
    ) -> Result<Vec<KeywordHit>, StoreError>;

    /// Chunks by vector, best first; equal scores in order of path and line. A chunk without a vector, or with
    /// one of zeros, points nowhere and is not found.
    fn nearest(
        &self,
        vector: &Vector,
        filter: &ChunkFilter,
        limit: usize,
    ) -> Result<Vec<Scored>, StoreError>;

    /// Chunks that define one of the names (compared without case and separators), in order of path and line.
    fn definitions(
        &self,
        names: &[String],
        filter: &ChunkFilter,
    ) -> Result<Vec<ChunkId>, StoreError>;

    /// Names defined here that are like the one asked for, without case and separators: nearest first, those
    /// equally near in order.
    fn similar(&self, name: &NameLike, limit: usize) -> Result<Vec<String>, StoreError>;

    /// Files whose text may hold all of the trigrams of one of the alternatives, in order of path; everything
    /// when there is no alternative or an alternative is empty.
    fn candidates(&self, alternatives: &[Vec<u32>]) -> Result<Vec<RelPath>, StoreError>;

    /// What ranking needs of the chunks, in the order asked.
    fn outlines(&self, ids: &[ChunkId]) -> Result<Vec<ChunkOutline>, StoreError>;

    /// The chunks themselves, in the order asked.
    fn chunks(&self, ids: &[ChunkId]) -> Result<Vec<StoredChunk>, StoreError>;

    /// The vectors of files' chunks, in the order asked; `None` for a chunk without one, and nothing for a path
    /// that is not there.
    fn vectors(&self, paths: &[RelPath]) -> Result<Vec<Vec<Option<Vector>>>, StoreError>;

    /// How many chunks have a vector.
    fn vector_count(&self) -> Result<usize, StoreError>;

    /// Everything known of one file.
    fn facts(&self, path: &RelPath) -> Result<Option<Arc<FileFacts>>, StoreError>;

    /// In how many chunks a term stands.
    fn frequency(&self, term: &str) -> Result<usize, StoreError>;

    /// How many symbols of each kind there are.
    fn symbol_counts(&self) -> Result<BTreeMap<SymbolKind, usize>, StoreError>;
}
