//! From changed files to indexed files, on all cores, with bounded memory.
//!
//! Workers take the next file, read, parse, count, embed, and hand the result through a short channel to the
//! one writer. A slow writer thus holds the workers up instead of filling the memory.

use super::progress::{Cancel, Observer, Progress, StageTimes};
use super::skip::SkipReason;
use super::source;
use super::terms::terms;
use super::trigrams::TrigramSet;
use super::walk::{WalkOptions, WalkedFile};
use crate::error::EngineError;
use groma_core::{
    ChunkKind, EmbedError, Embedder, IndexedFile, ManifestEntry, ParseHealth, ParseStatus, RelPath,
    SkippedFile, TextRole, Vector, VersionKey, Writer,
};
use groma_syntax::Parsed;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The version of everything that turns bytes into rows. Raise it with any change to what is stored.
pub const PIPELINE_VERSION: u32 = 2;

/// Results that may wait for the writer.
const WAITING: usize = 64;

/// Bytes of a chunk that are embedded; what follows adds little to a sum of words.
const EMBEDDED_BYTES: usize = 6000;

/// What the workers need.
pub(crate) struct Pipeline<'a> {
    pub root: &'a Path,
    pub options: &'a WalkOptions,
    pub embedder: Option<&'a dyn Embedder>,
    pub observer: &'a dyn Observer,
    pub cancel: &'a Cancel,
}

/// A file whose parse was not perfect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseTrouble {
    /// The file.
    pub path: RelPath,
    /// What is wrong.
    pub health: ParseHealth,
}

/// What a run over the changed files gave.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub entries: Vec<(RelPath, ManifestEntry)>,
    pub skipped: Vec<SkippedFile>,
    pub trouble: Vec<ParseTrouble>,
    pub parsed: usize,
    pub chunks: usize,
    pub symbols: usize,
    pub vectors: usize,
    pub bytes: u64,
    pub times: StageTimes,
    /// Why some chunks have no vector.
    pub embed_failure: Option<EmbedError>,
}

/// One file's result on its way to the writer.
enum Done {
    /// The version is stored already.
    Known(RelPath, ManifestEntry),
    Indexed(Box<IndexedFile>, ManifestEntry),
    Skipped(SkippedFile),
}

impl Pipeline<'_> {
    /// Indexes `files` into `writer`.
    pub fn run(
        &self,
        files: &[WalkedFile],
        writer: &mut dyn Writer,
    ) -> Result<Outcome, EngineError> {
        let workers = std::thread::available_parallelism().map_or(2, |count| count.get()).min(16);
        let workers = workers.min(files.len().div_ceil(4)).max(1);
        let next = AtomicUsize::new(0);
        let times = Mutex::new(StageTimes::default());
        let failure = Mutex::new(None);
        // The writer is asked by the workers what it knows, and fed by this thread.
        let writer = Mutex::new(writer);
        let known = |key: &VersionKey| {
            let writer = writer.lock().unwrap_or_else(PoisonError::into_inner);
            writer.known(&[*key]).is_ok_and(|known| known[0])
        };
        let mut outcome = Outcome::default();
        std::thread::scope(|scope| {
            let (send, receive) = sync_channel::<Done>(WAITING);
            for _ in 0..workers {
                let send = send.clone();
                let (next, times, failure, known) = (&next, &times, &failure, &known);
                scope.spawn(move || {
                    let mut worker = Worker {
                        pipeline: self,
                        trigrams: TrigramSet::new(),
                        times: StageTimes::default(),
                        failure,
                    };
                    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if self.cancel.is_cancelled()
                            || send.send(worker.index_guarded(file, known)).is_err()
                        {
                            break;
                        }
                    }
                    times.lock().unwrap_or_else(PoisonError::into_inner).add(&worker.times);
                });
            }
            drop(send);
            for (done, result) in receive.into_iter().enumerate() {
                self.take(result, &writer, &mut outcome)?;
                if done % 16 == 0 {
                    self.observer
                        .progress(Progress::Indexing { done: done + 1, total: files.len() });
                }
            }
            Ok::<(), EngineError>(())
        })?;
        if self.cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        self.observer.progress(Progress::Indexing { done: files.len(), total: files.len() });
        outcome.times.add(&times.into_inner().unwrap_or_else(PoisonError::into_inner));
        outcome.embed_failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(outcome)
    }

    fn take(
        &self,
        done: Done,
        writer: &Mutex<&mut dyn Writer>,
        outcome: &mut Outcome,
    ) -> Result<(), EngineError> {
        match done {
            Done::Known(path, entry) => outcome.entries.push((path, entry)),
            Done::Skipped(skipped) => outcome.skipped.push(skipped),
            Done::Indexed(file, entry) => {
                let started = Instant::now();
                outcome.parsed += 1;
                outcome.bytes += entry.stamp.size;
                outcome.chunks += file.facts.chunks.len();
                outcome.symbols += file.facts.symbols.len();
                // A vector of zeros stands for none.
                outcome.vectors += file.vectors.iter().filter(|one| one.scale != 0.0).count();
                if matches!(file.facts.health.status, ParseStatus::Partial | ParseStatus::Error) {
                    let health = file.facts.health.clone();
                    outcome.trouble.push(ParseTrouble { path: file.path.clone(), health });
                }
                outcome.entries.push((file.path.clone(), entry));
                writer.lock().unwrap_or_else(PoisonError::into_inner).add(vec![*file])?;
                outcome.times.store += started.elapsed();
            }
        }
        Ok(())
    }
}

struct Worker<'a> {
    pipeline: &'a Pipeline<'a>,
    trigrams: TrigramSet,
    times: StageTimes,
    failure: &'a Mutex<Option<EmbedError>>,
}

impl Worker<'_> {
    /// A file that brings a parser down is left out like any other that cannot be read; the run goes on.
    fn index_guarded(
        &mut self,
        file: &WalkedFile,
        known: &(dyn Fn(&VersionKey) -> bool + Sync),
    ) -> Done {
        catch_unwind(AssertUnwindSafe(|| self.index(file, known))).unwrap_or_else(|_| {
            self.trigrams = TrigramSet::new();
            Done::Skipped(SkipReason::Failed.skip(file.path.as_str(), ""))
        })
    }

    fn index(&mut self, file: &WalkedFile, known: &(dyn Fn(&VersionKey) -> bool + Sync)) -> Done {
        let path = &file.path;
        let mut clock = Clock(Instant::now());
        let source = match source::read(self.pipeline.root, path, self.pipeline.options) {
            Ok(source) => source,
            Err(skipped) => return Done::Skipped(skipped),
        };
        let key = VersionKey::new(path, &source.bytes, PIPELINE_VERSION);
        let entry = ManifestEntry { key, stamp: file.stamp };
        self.times.read += clock.lap();
        if known(&key) {
            return Done::Known(path.clone(), entry);
        }
        let text = &source.text;
        let parsed = groma_syntax::parse(path, text);
        self.times.parse += clock.lap();
        let line_starts = groma_syntax::line_starts(text);
        let terms = terms(path, &parsed, text, &line_starts);
        self.times.terms += clock.lap();
        let trigrams = self.trigrams.of(text.as_bytes());
        self.times.trigrams += clock.lap();
        let vectors = self.vectors(path, &parsed, text, &line_starts);
        self.times.embed += clock.lap();
        let facts = parsed.facts;
        let indexed = IndexedFile { path: path.clone(), key, facts, terms, vectors, trigrams };
        Done::Indexed(Box::new(indexed), entry)
    }

    /// One vector a chunk; none at all when there is no embedder or it failed.
    fn vectors(
        &self,
        path: &RelPath,
        parsed: &Parsed,
        text: &str,
        starts: &[usize],
    ) -> Vec<Vector> {
        let Some(embedder) = self.pipeline.embedder else { return Vec::new() };
        let passages: Vec<String> = (0..parsed.facts.chunks.len())
            .map(|chunk| passage(path, parsed, chunk, text, starts))
            .collect();
        let texts: Vec<&str> = passages.iter().map(String::as_str).collect();
        match embedder.embed(TextRole::Passage, &texts) {
            Ok(vectors) => vectors,
            Err(error) => {
                self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                let dimensions = embedder.identity().dimensions;
                vec![Vector::quantise(&vec![0.0; dimensions]); texts.len()]
            }
        }
    }
}

struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.0, now)
    }
}

/// What is embedded for a chunk: where it is, what it is called, and what it says.
fn passage(path: &RelPath, parsed: &Parsed, index: usize, text: &str, starts: &[usize]) -> String {
    let chunk = &parsed.facts.chunks[index];
    let mut passage = String::with_capacity(256);
    passage.push_str(path.as_str());
    passage.push('\n');
    if chunk.kind == ChunkKind::Symbols {
        passage.push_str(&groma_syntax::overview(&parsed.facts));
    } else {
        if let Some(symbol) = chunk.symbol.map(|place| &parsed.facts.symbols[place as usize]) {
            passage.push_str(&symbol.qualified);
            passage.push('\n');
        }
        let start = starts[chunk.lines.start as usize - 1];
        let end = starts.get(chunk.lines.end as usize).copied().unwrap_or(text.len());
        passage.push_str(&text[start..end]);
    }
    let mut length = passage.len().min(EMBEDDED_BYTES);
    while !passage.is_char_boundary(length) {
        length -= 1;
    }
    passage.truncate(length);
    passage
}
