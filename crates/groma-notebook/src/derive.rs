//! What the files of the newest generation state, and the commits behind it.
//!
//! Nothing of it is stored: a file version always states the same, so what it states is read once and kept beside
//! its key for as long as a process lives. When a file goes, what it stated goes too.

use crate::comment::in_comments;
use crate::document::{Stated, in_document};
use crate::history::CommitHistory;
use crate::module::Modules;
use crate::overlap::merge;
use crate::redact::redact;
use crate::statement::{Statement, telling_words};
use groma_core::{
    Discovery, Evidence, FileStamp, History, ManifestEntry, Notebook, Origin, RelPath, Snapshot,
    StoreError, VersionKey,
};
use groma_search::Reader;
use groma_syntax::{LanguageKind, detect};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::SystemTime;

/// A file that states more is data.
const MAX_FROM_ONE_FILE: usize = 300;

/// What files and commits state, as far as it was read.
pub(crate) struct Derivation {
    modules: Modules,
    history: CommitHistory,
    stated: Mutex<Known>,
    derived: Mutex<Option<Derived>>,
}

/// What file versions state.
#[derive(Default)]
struct Known {
    by_version: FxHashMap<VersionKey, Arc<[Discovery]>>,
    merged: Option<(Weak<dyn Snapshot>, Arc<[Discovery]>)>,
}

/// What files and commits state together, as it was asked about last.
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

impl Derivation {
    pub fn new(root: &Path, notebook: Option<Arc<dyn Notebook>>, modules: Modules) -> Self {
        Self {
            modules,
            history: CommitHistory::new(root, notebook),
            stated: Mutex::default(),
            derived: Mutex::default(),
        }
    }

    /// Deletes what is stored of commits.
    pub fn forget_history(&self) {
        self.history.forget();
    }

    /// What files and commits state, near-duplicates merged: files first, then commits from the newest on.
    pub fn discoveries(
        &self,
        reader: Option<&Reader>,
        notes: &mut Vec<String>,
    ) -> Result<Arc<[Discovery]>, StoreError> {
        let files = reader.map(|reader| self.stated(reader)).transpose()?;
        let commits = self.history.read(notes);
        let mut known = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
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
    fn stated(&self, reader: &Reader) -> Result<Arc<[Discovery]>, StoreError> {
        let generation = Arc::downgrade(&reader.snapshot);
        let mut known = self.stated.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, merged)) = &known.merged
            && of.ptr_eq(&generation)
        {
            return Ok(merged.clone());
        }
        let files = stating_files(&*reader.snapshot)?;
        let unread: Vec<_> =
            files.iter().filter(|(_, entry)| !known.by_version.contains_key(&entry.key)).collect();
        let read = self.read_statements(reader, &unread);
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
        reader: &Reader,
        files: &[&(RelPath, ManifestEntry)],
    ) -> Vec<(VersionKey, Arc<[Discovery]>)> {
        let workers = std::thread::available_parallelism().map_or(1, |count| count.get());
        let share = files.len().div_ceil(workers).max(1);
        let read = |part: &[&(RelPath, ManifestEntry)]| -> Vec<_> {
            part.iter()
                .filter_map(|(path, entry)| {
                    let text = reader.text_of(path, &entry.key)?;
                    Some((entry.key, of_file(path, &text, &entry.stamp, &self.modules)))
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
fn stating_files(snapshot: &dyn Snapshot) -> Result<Vec<(RelPath, ManifestEntry)>, StoreError> {
    let alternatives: Vec<Vec<u32>> = telling_words().map(|word| trigrams(&word)).collect();
    let candidates = snapshot.candidates(&alternatives)?;
    let files = &snapshot.manifest().files;
    let mut stating: Vec<(RelPath, ManifestEntry)> = candidates
        .into_iter()
        .filter_map(|path| files.get(&path).map(|entry| (path.clone(), *entry)))
        .collect();
    let documents = files.iter().filter(|(path, _)| detect(path, b"").kind == LanguageKind::Prose);
    stating.extend(documents.map(|(path, entry)| (path.clone(), *entry)));
    stating.sort_by(|(a, _), (b, _)| a.cmp(b));
    stating.dedup_by(|(a, _), (b, _)| a == b);
    Ok(stating)
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
    let statements = stated.statements.into_iter().take(MAX_FROM_ONE_FILE);
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
    groma_core::from_unix_nanos(stamp.modified)
}
