//! The status and statistics of a project's index.

use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{
    EmbedderIdentity, GenerationInfo, LeaseKind, Manifest, ParseStatus, SkippedFile, Snapshot,
    StoreError, StoreErrorKind, StoreSize, SymbolKind,
};
use groma_files::{Changes, FileTree, WalkError, WalkOptions, WalkResult, WorkingTree};
use groma_index::{Active, unembedded};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The status of a project's index.
#[derive(Clone, Debug)]
pub struct Status {
    /// The project.
    pub root: PathBuf,
    /// The newest generation; `None` if the project was never indexed.
    pub generation: Option<GenerationInfo>,
    /// Files indexed.
    pub files: usize,
    /// Chunks indexed.
    pub chunks: usize,
    /// Chunks that have a vector.
    pub vectors: usize,
    /// Symbols indexed.
    pub symbols: usize,
    /// Files that are new or may have changed since.
    pub pending: usize,
    /// Files deleted since.
    pub removed: usize,
    /// Skipped files.
    pub skipped: Vec<SkippedFile>,
    /// The disk usage.
    pub size: StoreSize,
    /// The embedder behind the vectors.
    pub embedder: Option<String>,
    /// The configured embedder, while the fallback is used.
    pub awaited: Option<String>,
    /// Files without vectors.
    pub without_vectors: usize,
    /// Whether the only index is one of another version of the program or of another embedder.
    pub is_outdated: bool,
    /// Whether any process is writing to the index.
    pub is_indexing: bool,
}

/// The state of an index relative to the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// There is no index.
    Missing,
    /// The only index is one of another version of the program or of another embedder.
    Outdated,
    /// It is up to date.
    Current,
    /// Files changed since.
    Behind,
}

impl Status {
    /// The state of the index relative to the tree.
    pub fn state(&self) -> IndexState {
        match &self.generation {
            None if self.is_outdated => IndexState::Outdated,
            None => IndexState::Missing,
            Some(_) if self.pending + self.removed == 0 => IndexState::Current,
            Some(_) => IndexState::Behind,
        }
    }
}

/// Whether there is an index to query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// There is one.
    Ready,
    /// The project was never indexed.
    Missing,
    /// The only index is one of another version of the program or of another embedder.
    Outdated,
    /// The index cannot be read, and why.
    Damaged(String),
}

impl Readiness {
    /// Whether there is one.
    pub fn is_ready(&self) -> bool {
        *self == Self::Ready
    }
}

/// Files, chunks and lines of one language.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LanguageCount {
    /// Files.
    pub files: usize,
    /// Chunks.
    pub chunks: usize,
    /// Lines.
    pub lines: u64,
    /// Files by parse status.
    pub health: BTreeMap<ParseStatus, usize>,
}

/// Counts over a whole index.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The generation.
    pub generation: Option<GenerationInfo>,
    /// The disk usage.
    pub size: StoreSize,
    /// By language.
    pub languages: BTreeMap<String, LanguageCount>,
    /// Symbols by kind.
    pub symbols: BTreeMap<SymbolKind, usize>,
    /// Files with parse errors: path, language, status, message.
    pub failures: Vec<(String, String, ParseStatus, String)>,
}

impl Engine {
    /// Whether there is an index to query, without walking the tree.
    pub fn readiness(&self) -> Result<Readiness, EngineError> {
        match self.newest() {
            Ok(Some(_)) => Ok(Readiness::Ready),
            Ok(None) if self.primary().store().is_outdated()? => Ok(Readiness::Outdated),
            Ok(None) => Ok(Readiness::Missing),
            Err(EngineError::Store(error)) if error.is(StoreErrorKind::Damaged) => {
                Ok(Readiness::Damaged(error.detail().to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// Whether any process is writing to the active index.
    pub fn is_being_written(&self) -> Result<bool, EngineError> {
        Ok(self.active().store().leases().holder(LeaseKind::Writer)?.is_some())
    }

    /// How many symbols the newest generation has.
    pub fn symbol_count(&self) -> Result<usize, EngineError> {
        let Some(snapshot) = self.newest()? else { return Ok(0) };
        Ok(snapshot.symbol_counts()?.values().sum())
    }

    /// The status of the index relative to the tree now.
    pub fn status(&self) -> Result<Status, EngineError> {
        let walked = self.walk()?;
        let snapshot = self.newest()?;
        let (source, active) = (self.source(), self.active());
        let changes =
            snapshot.as_ref().map(|s| source.changes(&walked, s.manifest())).unwrap_or_default();
        let without_vectors =
            snapshot.as_ref().map_or(0, |snapshot| unembedded(snapshot.manifest()));
        let name = |identity: EmbedderIdentity| identity.to_string();
        let is_fallback = self.indexer().active() == Active::Fallback;
        Ok(Status {
            root: self.root().to_path_buf(),
            generation: snapshot.as_ref().map(|snapshot| snapshot.info()),
            files: snapshot.as_ref().map_or(0, |snapshot| snapshot.manifest().files.len()),
            chunks: snapshot.as_ref().map_or(0, |snapshot| snapshot.chunk_count()),
            vectors: snapshot.as_ref().map_or(Ok(0), |snapshot| snapshot.vector_count())?,
            symbols: snapshot.as_ref().map_or(Ok(0), |snapshot| symbol_count(&**snapshot))?,
            pending: snapshot.as_ref().map_or(walked.files.len(), |snapshot| {
                changes
                    .pending
                    .iter()
                    .filter(|file| !source.is_indexed_version(file, snapshot.manifest()))
                    .count()
            }),
            removed: changes.removed.len(),
            skipped: snapshot
                .map_or(walked.skipped, |snapshot| skipped_now(changes, snapshot.manifest())),
            size: active.store().size()?,
            embedder: active.embedder_identity().map(name),
            awaited: self.embedder_identity().map(name).filter(|_| is_fallback),
            without_vectors,
            is_outdated: active.store().is_outdated()?,
            is_indexing: self.is_being_written()?,
        })
    }

    /// Counts over the newest generation.
    pub fn statistics(&self) -> Result<Option<Statistics>, EngineError> {
        let Some(snapshot) = self.newest()? else { return Ok(None) };
        let mut statistics = Statistics {
            generation: Some(snapshot.info()),
            size: self.primary().store().size()?,
            symbols: snapshot.symbol_counts()?,
            ..Default::default()
        };
        for path in snapshot.manifest().files.keys() {
            let Some(facts) = snapshot.file_facts(path)? else { continue };
            let count = statistics.languages.entry(facts.language.clone()).or_default();
            count.files += 1;
            count.chunks += facts.chunks.len();
            count.lines += u64::from(facts.line_count);
            *count.health.entry(facts.health.status).or_default() += 1;
            if facts.health.status.is_failure() {
                let health = facts.health.clone();
                let language = facts.language.clone();
                statistics.failures.push((
                    path.to_string(),
                    language,
                    health.status,
                    health.message,
                ));
            }
        }
        Ok(Some(statistics))
    }
}

/// Walks a folder, without reading or changing anything.
pub fn walk(root: &Path, options: &WalkOptions) -> Result<WalkResult, WalkError> {
    WorkingTree::new(root).walk(options)
}

/// Whether a folder has files of a language, vendored, generated and minified ones included.
pub fn has_language(root: &Path, language: &str) -> Result<bool, EngineError> {
    let options = WalkOptions {
        languages: vec![language.to_string()],
        vendored: true,
        generated: true,
        minified: true,
        ..WalkOptions::default()
    };
    Ok(!WorkingTree::new(root).walk(&options)?.files.is_empty())
}

fn symbol_count(snapshot: &dyn Snapshot) -> Result<usize, StoreError> {
    Ok(snapshot.symbol_counts()?.values().sum())
}

/// The files skipped now, by name, or by content when they were last read.
fn skipped_now(changes: Changes, manifest: &Manifest) -> Vec<SkippedFile> {
    let mut skipped = changes.skipped;
    let pending = |path: &str| changes.pending.iter().any(|file| file.path.as_str() == path);
    let read = manifest.skipped.iter().filter(|skipped| skipped.stamp.is_some());
    skipped.extend(read.filter(|skipped| pending(&skipped.path)).cloned());
    skipped.sort();
    skipped
}
