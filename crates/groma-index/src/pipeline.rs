//! The indexing pipeline: from changed files to indexed files, on all cores, with bounded memory.
//!
//! Workers take the next file, read, parse, count terms, embed, and send the result through a bounded channel to the
//! single writer. A slow writer thus blocks the workers instead of filling the memory. For a remote embedder a worker
//! batches the chunks of several files.

use crate::error::IndexError;
use crate::terms::terms;
use crate::vectors::{MissingVectors, Vectors};
use groma_core::{
    Cancel, ChunkKind, Embedder, FileStamp, IndexedFile, Locked, ManifestEntry, Observer,
    ParseHealth, ParseStatus, Progress, RelPath, SkippedFile, Snapshot, StageTimes, TrigramSet,
    Vector, VersionKey, Writer,
};
use groma_files::{FileTree, SkipReason, WalkOptions, WalkedFile, source, version};
use groma_syntax::Parsed;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Capacity of the channel to the writer.
const CHANNEL_CAPACITY: usize = 64;

/// Maximum bytes of a passage; more text adds little to its vector.
const MAX_PASSAGE: usize = 6000;

/// The inputs of a pipeline.
pub(crate) struct Pipeline<'a> {
    pub tree: &'a dyn FileTree,
    pub options: &'a WalkOptions,
    pub embedder: Option<&'a dyn Embedder>,
    /// Whether vectors are left to a later run.
    pub later: bool,
    /// The generation whose vectors count as known; `None` if everything is made anew.
    pub before: Option<&'a dyn Snapshot>,
    pub observer: &'a dyn Observer,
    pub cancel: &'a Cancel,
}

/// A file with parse errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseFailure {
    /// The file.
    pub path: RelPath,
    /// What is wrong.
    pub health: ParseHealth,
}

/// The outcome of a run over the changed files.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub entries: Vec<(RelPath, ManifestEntry)>,
    pub skipped: Vec<SkippedFile>,
    pub parse_failures: Vec<ParseFailure>,
    pub parsed: usize,
    pub chunks: usize,
    pub symbols: usize,
    /// Vectors that the version of the file before did not have: those of new and changed chunks.
    pub vectors: usize,
    pub bytes: u64,
    pub times: StageTimes,
    /// Why some chunks have no vector.
    pub missing: MissingVectors,
}

/// The result of one file, sent to the writer.
enum Done {
    /// The version is stored already.
    Known(RelPath, ManifestEntry),
    /// Parsed again, with the same failure as the stored version.
    StillFails(ParseFailure, ManifestEntry),
    Indexed(Box<IndexedFile>, ManifestEntry),
    Skipped(SkippedFile),
}

impl Pipeline<'_> {
    /// Indexes `files` into `writer`.
    pub fn run(
        &self,
        files: &[WalkedFile],
        writer: &mut dyn Writer,
    ) -> Result<Outcome, IndexError> {
        let cores = std::thread::available_parallelism().map_or(2, |count| count.get()).min(16);
        let vectors = Vectors::new(self.embedder, self.later);
        let workers = vectors.workers(cores).min(files.len().div_ceil(4)).max(1);
        let queue = Queue { files, next: AtomicUsize::new(0), cancel: self.cancel };
        let mut times = Locked::new(StageTimes::default());
        // The workers look up stored versions here; only this thread uses the writer.
        let stored = writer.stored();
        let known = |key: &VersionKey| stored.contains(key);
        let mut batch = Vec::with_capacity(BATCH);
        let mut outcome = Outcome::default();
        std::thread::scope(|scope| {
            let (send, receive) = sync_channel::<Done>(CHANNEL_CAPACITY);
            for _ in 0..workers {
                let send = send.clone();
                let mut worker = Worker::new(self, &vectors, &known);
                let (queue, times) = (&queue, &times);
                scope.spawn(move || {
                    worker.work(queue, &send);
                    times.lock().add(&worker.times);
                });
            }
            drop(send);
            for (done, result) in receive.into_iter().enumerate() {
                batch.extend(self.collect(result, &mut outcome));
                if batch.len() >= BATCH {
                    store(&mut batch, writer, &mut outcome)?;
                }
                if done % 16 == 0 {
                    self.observer
                        .progress(Progress::Indexing { done: done + 1, total: files.len() });
                }
            }
            store(&mut batch, writer, &mut outcome)
        })?;
        if self.cancel.is_cancelled() {
            return Err(IndexError::Cancelled);
        }
        self.observer.progress(Progress::Indexing { done: files.len(), total: files.len() });
        outcome.times.add(times.get_mut());
        outcome.missing = vectors.into_missing();
        Ok(outcome)
    }

    /// Adds a result to the outcome; returns the file if it is to be stored.
    fn collect(&self, done: Done, outcome: &mut Outcome) -> Option<IndexedFile> {
        match done {
            Done::Known(path, entry) => outcome.entries.push((path, entry)),
            Done::StillFails(failure, entry) => {
                outcome.entries.push((failure.path.clone(), entry));
                outcome.parse_failures.push(failure);
            }
            Done::Skipped(skipped) => outcome.skipped.push(skipped),
            Done::Indexed(file, entry) => {
                outcome.parsed += 1;
                outcome.bytes += entry.stamp.size;
                outcome.chunks += file.facts.chunks.len();
                outcome.symbols += file.facts.symbols.len();
                outcome.vectors += self.new_vectors(&file);
                if file.facts.health.status.is_failure() {
                    let health = file.facts.health.clone();
                    outcome.parse_failures.push(ParseFailure { path: file.path.clone(), health });
                }
                outcome.entries.push((file.path.clone(), entry));
                return Some(*file);
            }
        }
        None
    }

    /// How many vectors of a file its version before did not have. A chunk that did not change has the same text and so
    /// the same vector: the built-in model makes it again in microseconds, and a service is not asked for it.
    fn new_vectors(&self, file: &IndexedFile) -> usize {
        let before = self.before.and_then(|before| {
            let mut vectors = before.vectors(std::slice::from_ref(&file.path)).ok()?;
            vectors.pop()
        });
        let mut known: Vec<Vector> = before.into_iter().flatten().flatten().collect();
        // A zero vector means that the chunk has none.
        let made = file.vectors.iter().filter(|one| one.scale != 0.0);
        let is_new = |vector: &&Vector| match known.iter().position(|one| one == *vector) {
            Some(at) => {
                known.swap_remove(at);
                false
            }
            None => true,
        };
        made.filter(is_new).count()
    }
}

/// Maximum number of files stored with one call.
const BATCH: usize = 32;

/// Stores a batch of files.
fn store(
    batch: &mut Vec<IndexedFile>,
    writer: &mut dyn Writer,
    outcome: &mut Outcome,
) -> Result<(), IndexError> {
    let started = Instant::now();
    writer.add(std::mem::take(batch))?;
    outcome.times.store += started.elapsed();
    Ok(())
}

/// The files not yet taken by a worker.
struct Queue<'a> {
    files: &'a [WalkedFile],
    next: AtomicUsize,
    cancel: &'a Cancel,
}

impl Queue<'_> {
    fn take(&self) -> Option<&WalkedFile> {
        let file = self.files.get(self.next.fetch_add(1, Ordering::Relaxed));
        file.filter(|_| !self.cancel.is_cancelled())
    }
}

/// A file that is complete except for its vectors.
struct Unembedded {
    file: Box<IndexedFile>,
    stamp: FileStamp,
    /// The text to embed of each chunk.
    passages: Vec<String>,
}

struct Worker<'a> {
    pipeline: &'a Pipeline<'a>,
    vectors: &'a Vectors<'a>,
    known: &'a (dyn Fn(&VersionKey) -> bool + Sync),
    trigrams: TrigramSet,
    times: StageTimes,
    waiting: Vec<Unembedded>,
    done: Vec<Done>,
}

impl<'a> Worker<'a> {
    fn new(
        pipeline: &'a Pipeline<'a>,
        vectors: &'a Vectors<'a>,
        known: &'a (dyn Fn(&VersionKey) -> bool + Sync),
    ) -> Self {
        let (trigrams, times) = (TrigramSet::new(), StageTimes::default());
        Self { pipeline, vectors, known, trigrams, times, waiting: Vec::new(), done: Vec::new() }
    }

    /// Takes files until there are none, or the run was cancelled.
    fn work(&mut self, queue: &Queue<'_>, send: &SyncSender<Done>) {
        while let Some(file) = queue.take() {
            self.index_guarded(file);
            let texts: usize = self.waiting.iter().map(|one| one.passages.len()).sum();
            if texts >= self.vectors.batch() {
                self.embed();
            }
            if self.done.drain(..).any(|done| send.send(done).is_err()) {
                return;
            }
        }
        if !queue.cancel.is_cancelled() {
            self.embed();
            let _ = self.done.drain(..).try_for_each(|done| send.send(done));
        }
    }

    /// A file that makes a parser panic is skipped; the run continues.
    fn index_guarded(&mut self, file: &WalkedFile) {
        let indexed = catch_unwind(AssertUnwindSafe(|| self.index(file)));
        let done = indexed.unwrap_or_else(|_| {
            self.trigrams = TrigramSet::new();
            Some(Done::Skipped(SkipReason::Failed.skip(file.path.as_str(), "")))
        });
        self.done.extend(done);
    }

    /// Indexes a file; `None` if it was queued for embedding.
    fn index(&mut self, file: &WalkedFile) -> Option<Done> {
        let path = &file.path;
        let mut clock = Clock(Instant::now());
        let source = match source::read(self.pipeline.tree, path, self.pipeline.options) {
            Ok(source) => source,
            Err(skipped) => return Some(Done::Skipped(skipped)),
        };
        let key = version::of_bytes(path, &source.bytes);
        self.times.read += clock.lap();
        if let Some(known) = self.known_as(path, key, file.stamp) {
            return Some(known);
        }
        let text = &source.text;
        let parsed = groma_syntax::parse(path, text);
        self.times.parse += clock.lap();
        let line_starts = groma_syntax::line_starts(text);
        let terms = terms(path, &parsed, text, &line_starts);
        self.times.terms += clock.lap();
        let trigrams = self.trigrams.of(text.as_bytes());
        self.times.trigrams += clock.lap();
        let chunks = if self.vectors.are_wanted() { parsed.facts.chunks.len() } else { 0 };
        let passages: Vec<String> =
            (0..chunks).map(|chunk| passage(path, &parsed, chunk, text, &line_starts)).collect();
        self.times.embed += clock.lap();
        let facts = parsed.facts;
        // What a limit cut short is no fact about the file.
        let is_whole = facts.health.status != ParseStatus::Interrupted;
        let key = if is_whole { key } else { key.provisional() };
        let (path, vectors) = (path.clone(), Vec::new());
        let file = Unembedded {
            file: Box::new(IndexedFile { path, key, facts, terms, vectors, trigrams }),
            stamp: file.stamp,
            passages,
        };
        if file.passages.is_empty() {
            return Some(self.finished(file));
        }
        self.waiting.push(file);
        None
    }

    /// The version, if it is stored already, with vectors unless this run makes none.
    fn known_as(&self, path: &RelPath, key: VersionKey, stamp: FileStamp) -> Option<Done> {
        let unembedded = self.vectors.are_wanted() && !self.vectors.are_made();
        let key = [key, key.unembedded()]
            .into_iter()
            .take(if unembedded { 2 } else { 1 })
            .find(self.known)?;
        Some(Done::Known(path.clone(), ManifestEntry { key, stamp }))
    }

    /// Embeds the queued files; on failure they are stored without vectors.
    fn embed(&mut self) {
        let mut clock = Clock(Instant::now());
        let waiting = std::mem::take(&mut self.waiting);
        let passages = waiting.iter().flat_map(|one| &one.passages);
        let texts: Vec<&str> = passages.map(String::as_str).collect();
        if texts.is_empty() {
            return;
        }
        let mut vectors = self.vectors.embed(&texts).map(Vec::into_iter);
        for mut one in waiting {
            match &mut vectors {
                Some(vectors) => one.file.vectors.extend(vectors.take(one.passages.len())),
                None => one.file.key = one.file.key.unembedded(),
            }
            let done = self.finished(one);
            self.done.push(done);
        }
        self.times.embed += clock.lap();
    }

    /// The result of a file. A marked version was not looked up before it was made.
    fn finished(&self, one: Unembedded) -> Done {
        let key = one.file.key;
        if key.is_marked() && (self.known)(&key) { one.known() } else { one.done() }
    }
}

impl Unembedded {
    fn entry(&self) -> ManifestEntry {
        ManifestEntry { key: self.file.key, stamp: self.stamp }
    }

    fn done(self) -> Done {
        let entry = self.entry();
        Done::Indexed(self.file, entry)
    }

    /// The same version is stored already.
    fn known(self) -> Done {
        let entry = self.entry();
        let IndexedFile { path, facts, .. } = *self.file;
        if facts.health.status.is_failure() {
            Done::StillFails(ParseFailure { path, health: facts.health }, entry)
        } else {
            Done::Known(path, entry)
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

/// The text to embed for a chunk: its path, its symbol and its content.
fn passage(path: &RelPath, parsed: &Parsed, index: usize, text: &str, starts: &[usize]) -> String {
    let chunk = &parsed.facts.chunks[index];
    let mut passage = String::with_capacity(256);
    passage.push_str(path.as_str());
    passage.push('\n');
    if chunk.kind == ChunkKind::Overview {
        passage.push_str(&groma_syntax::overview(&parsed.facts));
    } else {
        if let Some(symbol) = chunk.symbol.map(|index| &parsed.facts.symbols[index as usize]) {
            // An embedder may weight the first line as a heading.
            for line in [&symbol.signature, &symbol.qualified] {
                passage.push_str(line);
                passage.push('\n');
            }
        }
        let start = starts[chunk.lines.start as usize - 1];
        let end = starts.get(chunk.lines.end as usize).copied().unwrap_or(text.len());
        passage.push_str(&text[start..end]);
    }
    let mut length = passage.len().min(MAX_PASSAGE);
    while !passage.is_char_boundary(length) {
        length -= 1;
    }
    passage.truncate(length);
    passage
}
