//! What the files of the newest generation state, and the commits behind it.
//!
//! Nothing of it is stored: a file version always states the same, so what it states is read once and kept beside
//! its key for as long as a process lives. When a file goes, what it stated goes too.

use super::comment::in_comments;
use super::document::{Stated, in_document};
use super::module::Modules;
use super::overlap::merge;
use super::redact::redact;
use super::statement::{Statement, telling_words};
use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{
    Discovery, Evidence, FileStamp, Generation, History, ManifestEntry, Origin, RelPath, Snapshot,
    VersionKey,
};
use groma_syntax::{LanguageKind, detect};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A file that states more is data.
const MOST_FROM_ONE: usize = 300;

/// What file versions state, as far as they were read.
#[derive(Default)]
pub(super) struct StatedCache(Mutex<Known>);

#[derive(Default)]
struct Known {
    by_version: FxHashMap<VersionKey, Arc<[Discovery]>>,
    merged: Option<(Generation, Arc<[Discovery]>)>,
}

/// What files and commits state together, as it was asked about last.
#[derive(Default)]
pub(super) struct DerivedCache(Mutex<Option<Derived>>);

struct Derived {
    files: Option<Arc<[Discovery]>>,
    commits: Option<Arc<History>>,
    all: Arc<[Discovery]>,
}

impl Derived {
    fn is_of(&self, files: Option<&Arc<[Discovery]>>, commits: Option<&Arc<History>>) -> bool {
        let same_files = match (&self.files, files) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let same_commits = match (&self.commits, commits) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        same_files && same_commits
    }
}

impl Engine {
    /// What files and commits state, near-duplicates merged: files first, then commits from the newest on.
    pub(super) fn derived(
        &self,
        snapshot: Option<&dyn Snapshot>,
        notes: &mut Vec<String>,
    ) -> Result<Arc<[Discovery]>, EngineError> {
        let files = snapshot.map(|snapshot| self.stated(snapshot)).transpose()?;
        let commits = self.history(notes);
        let mut known = self.notes().derived.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known.take().filter(|known| known.is_of(files.as_ref(), commits.as_ref()));
        let derived = kept.unwrap_or_else(|| {
            let stated = files.iter().flat_map(|files| files.iter());
            let told = commits.iter().flat_map(|history| &history.discoveries);
            let all = merge(stated.chain(told).cloned().collect()).into();
            Derived { files, commits, all }
        });
        Ok(known.insert(derived).all.clone())
    }

    /// What comments and documents of a snapshot state, near-duplicates merged, in order of path and line.
    fn stated(&self, snapshot: &dyn Snapshot) -> Result<Arc<[Discovery]>, EngineError> {
        let generation = snapshot.info().generation;
        let mut known = self.notes().stated.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, merged)) = &known.merged
            && *of == generation
        {
            return Ok(merged.clone());
        }
        let files = telling_files(snapshot)?;
        let unread: Vec<_> =
            files.iter().filter(|(_, entry)| !known.by_version.contains_key(&entry.key)).collect();
        let read = self.read_statements(snapshot, &unread);
        let is_whole = read.len() == unread.len();
        known.by_version.extend(read);
        let wanted: FxHashSet<VersionKey> = files.iter().map(|(_, entry)| entry.key).collect();
        known.by_version.retain(|key, _| wanted.contains(key));
        let all = files.iter().filter_map(|(_, entry)| known.by_version.get(&entry.key));
        let merged: Arc<[Discovery]> =
            merge(all.flat_map(|stated| stated.iter().cloned()).collect()).into();
        // A file that changed under us is read when it is indexed again.
        known.merged = is_whole.then(|| (generation, merged.clone()));
        Ok(merged)
    }

    /// Reads files on all cores; what has changed since it was indexed is left out.
    fn read_statements(
        &self,
        snapshot: &dyn Snapshot,
        files: &[&(RelPath, ManifestEntry)],
    ) -> Vec<(VersionKey, Arc<[Discovery]>)> {
        let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
        let share = files.len().div_ceil(workers).max(1);
        let read = |part: &[&(RelPath, ManifestEntry)]| -> Vec<_> {
            part.iter()
                .filter_map(|(path, entry)| {
                    let text = self.current_text(snapshot.manifest(), path, &entry.key)?;
                    Some((entry.key, of_file(path, &text, &entry.stamp, self.modules())))
                })
                .collect()
        };
        std::thread::scope(|scope| {
            let parts: Vec<_> =
                files.chunks(share).map(|part| scope.spawn(move || read(part))).collect();
            parts
                .into_iter()
                .flat_map(|part| {
                    part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                })
                .collect()
        })
    }
}

/// Documents, and code that holds a word that marks a statement.
fn telling_files(snapshot: &dyn Snapshot) -> Result<Vec<(RelPath, ManifestEntry)>, EngineError> {
    let alternatives: Vec<Vec<u32>> = telling_words().map(|word| trigrams(&word)).collect();
    let candidates = snapshot.candidates(&alternatives)?;
    let files = &snapshot.manifest().files;
    let mut telling: Vec<(RelPath, ManifestEntry)> = candidates
        .into_iter()
        .filter_map(|path| files.get(&path).map(|entry| (path.clone(), *entry)))
        .collect();
    let documents = files.iter().filter(|(path, _)| detect(path, b"").kind == LanguageKind::Prose);
    telling.extend(documents.map(|(path, entry)| (path.clone(), *entry)));
    telling.sort_by(|(a, _), (b, _)| a.cmp(b));
    telling.dedup_by(|(a, _), (b, _)| a == b);
    Ok(telling)
}

fn trigrams(word: &str) -> Vec<u32> {
    let windows = word.as_bytes().windows(3);
    windows.map(|three| u32::from_be_bytes([0, three[0], three[1], three[2]])).collect()
}

/// What one file states.
fn of_file(path: &RelPath, text: &str, stamp: &FileStamp, modules: &Modules) -> Arc<[Discovery]> {
    let language = detect(path, text.as_bytes());
    let (origin, stated) = match language.kind {
        LanguageKind::Prose => (Origin::Document, in_document(path, text)),
        LanguageKind::Code | LanguageKind::Data => {
            let statements = in_comments(language, text);
            (Origin::Comment, Stated { statements, date: None })
        }
    };
    let date = stated.date.unwrap_or_else(|| changed(stamp));
    let statements = stated.statements.into_iter().take(MOST_FROM_ONE);
    statements
        .map(|(line, statement)| {
            let place = path.to_string();
            let mut one = discovery(statement, Evidence { origin, place, line }, date);
            one.module = module(path, &one, modules);
            one
        })
        .collect()
}

fn discovery(statement: Statement, evidence: Evidence, date: SystemTime) -> Discovery {
    let content = redact(&statement.content);
    Discovery {
        id: Discovery::name(&[&evidence.place, statement.kind.as_str(), &content]),
        kind: statement.kind,
        content,
        module: None,
        session: None,
        date,
        confidence: statement.confidence,
        evidence: vec![evidence],
        edited: None,
        superseded: None,
    }
}

/// The module that what a file states is about: the file's own, and for a document in a folder of documents what it
/// names.
fn module(path: &RelPath, stated: &Discovery, modules: &Modules) -> Option<String> {
    let own = modules.of(path).map(str::to_string);
    match stated.origin() {
        Origin::Document => {
            let own = own.filter(|module| !is_about_nothing(module));
            own.or_else(|| modules.told(&stated.content))
        }
        _ => own,
    }
}

fn is_about_nothing(module: &str) -> bool {
    module.starts_with('.') || matches!(module, "doc" | "docs" | "documentation" | "adr" | "wiki")
}

pub(super) fn changed(stamp: &FileStamp) -> SystemTime {
    let since = Duration::from_nanos(u64::try_from(stamp.modified).unwrap_or(0));
    UNIX_EPOCH.checked_add(since).unwrap_or(UNIX_EPOCH)
}
