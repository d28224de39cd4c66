//! Discoveries derived from the files of the newest generation and from the commits up to HEAD.
//!
//! Those of files are not stored but cached in memory by version key: a file version always yields the same ones. They
//! disappear with their file.

use crate::comment::comment_statements;
use crate::document::{DocumentStatements, document_statements};
use crate::history::CommitHistory;
use crate::isolation::isolated;
use crate::module::Modules;
use crate::near_duplicate::merge;
use crate::statement::{Statement, marker_words};
use crate::worth::{Candidate, is_worth_keeping};
use groma_core::{
    Discovery, Evidence, FileStamp, Generation, History, Locked, ManifestEntry, Notebook, Origin,
    RelPath, Snapshot, StoreError, VersionKey,
};
use groma_search::Reader;
use groma_secrets::redact;
use groma_syntax::{LanguageKind, detect};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// Maximum discoveries per file; a file with more is data.
const MAX_PER_FILE: usize = 300;

/// Derives discoveries from files and commits, with caches of both.
pub(crate) struct Derivation {
    modules: Modules,
    history: CommitHistory,
    files: Locked<FileDiscoveries>,
    derived: Locked<Option<Derived>>,
}

/// The discoveries of file versions.
#[derive(Default)]
struct FileDiscoveries {
    by_version: FxHashMap<VersionKey, Arc<[Discovery]>>,
    merged: Option<MergedDiscoveries>,
}

/// The discoveries of all files of a generation, near-duplicates merged.
struct MergedDiscoveries {
    generation: Generation,
    discoveries: Arc<[Discovery]>,
}

/// The discoveries of files and commits together, as last derived.
struct Derived {
    files: Option<Arc<[Discovery]>>,
    commits: Option<Arc<History>>,
    all: Arc<[Discovery]>,
}

impl Derived {
    fn is_from(&self, files: Option<&Arc<[Discovery]>>, commits: Option<&Arc<History>>) -> bool {
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
            files: Locked::default(),
            derived: Locked::default(),
        }
    }

    /// Deletes the stored commit history.
    pub fn forget_history(&self) {
        self.history.forget();
    }

    /// All derived discoveries, near-duplicates merged: files first, then commits, newest first.
    pub fn discoveries(
        &self,
        reader: Option<&Reader>,
        notes: &mut Vec<String>,
    ) -> Result<Arc<[Discovery]>, StoreError> {
        let files = reader.map(|reader| self.of_files(reader)).transpose()?;
        let commits = self.history.read(notes);
        let mut cached = self.derived.lock();
        let current = cached.take().filter(|known| known.is_from(files.as_ref(), commits.as_ref()));
        let derived = current.unwrap_or_else(|| {
            let from_files = files.iter().flat_map(|files| files.iter());
            let from_commits = commits.iter().flat_map(|history| &history.discoveries);
            let all = merge(from_files.chain(from_commits).cloned().collect()).into();
            Derived { files, commits, all }
        });
        Ok(cached.insert(derived).all.clone())
    }

    /// The discoveries of comments and documents, near-duplicates merged, ordered by path and line.
    fn of_files(&self, reader: &Reader) -> Result<Arc<[Discovery]>, StoreError> {
        let generation = reader.snapshot.info().generation;
        let mut known = self.files.lock();
        if let Some(merged) = &known.merged
            && merged.generation == generation
        {
            return Ok(merged.discoveries.clone());
        }
        let files = candidate_files(&*reader.snapshot)?;
        let unread: Vec<_> =
            files.iter().filter(|(_, entry)| !known.by_version.contains_key(&entry.key)).collect();
        let read = self.read_statements(reader, &unread);
        let is_complete = read.len() == unread.len();
        known.by_version.extend(read);
        let wanted: FxHashSet<VersionKey> = files.iter().map(|(_, entry)| entry.key).collect();
        known.by_version.retain(|key, _| wanted.contains(key));
        let all = files.iter().filter_map(|(_, entry)| known.by_version.get(&entry.key));
        let merged: Arc<[Discovery]> =
            merge(all.flat_map(|found| found.iter().cloned()).collect()).into();
        // A file that changed meanwhile is read once it has been indexed again.
        let discoveries = merged.clone();
        known.merged = is_complete.then_some(MergedDiscoveries { generation, discoveries });
        Ok(merged)
    }

    /// Reads files on all cores; those that changed since they were indexed are omitted.
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
                    let found =
                        isolated(|| file_discoveries(path, &text, &entry.stamp, &self.modules));
                    Some((entry.key, found.unwrap_or_default()))
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

/// Documents, and code that contains a marker word.
fn candidate_files(snapshot: &dyn Snapshot) -> Result<Vec<(RelPath, ManifestEntry)>, StoreError> {
    let alternatives: Vec<Vec<u32>> = marker_words().map(|word| trigrams(&word)).collect();
    let candidates = snapshot.candidates(&alternatives)?;
    let files = &snapshot.manifest().files;
    let mut found: Vec<(RelPath, ManifestEntry)> = candidates
        .into_iter()
        .filter_map(|path| files.get(&path).map(|entry| (path.clone(), *entry)))
        .collect();
    let documents = files.iter().filter(|(path, _)| detect(path, b"").kind == LanguageKind::Prose);
    found.extend(documents.map(|(path, entry)| (path.clone(), *entry)));
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found.dedup_by(|(a, _), (b, _)| a == b);
    Ok(found)
}

fn trigrams(word: &str) -> Vec<u32> {
    let windows = word.as_bytes().windows(3);
    windows.map(|three| u32::from_be_bytes([0, three[0], three[1], three[2]])).collect()
}

/// The discoveries of one file.
fn file_discoveries(
    path: &RelPath,
    text: &str,
    stamp: &FileStamp,
    modules: &Modules,
) -> Arc<[Discovery]> {
    let language = detect(path, text.as_bytes());
    let (origin, found) = match language.kind {
        LanguageKind::Prose => (Origin::Document, document_statements(path, text)),
        LanguageKind::Code | LanguageKind::Data => {
            let statements = comment_statements(language, text);
            (Origin::Comment, DocumentStatements { statements, date: None })
        }
    };
    let date = found.date.unwrap_or_else(|| changed(stamp));
    let is_worth_keeping = |(_, one): &(u32, Statement)| {
        let Statement { kind, content, confidence } = one;
        let (kind, confidence) = (*kind, *confidence);
        is_worth_keeping(&Candidate { origin, kind, content, confidence, path: Some(path) })
    };
    let statements = found.statements.into_iter().filter(is_worth_keeping).take(MAX_PER_FILE);
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

/// The module of a discovery: that of its file, or the one it names if it is in a documentation folder.
fn module(path: &RelPath, found: &Discovery, modules: &Modules) -> Option<String> {
    let own = modules.of(path).map(str::to_string);
    match found.origin() {
        Origin::Document => {
            let own = own.filter(|module| !is_documentation(module));
            own.or_else(|| modules.named_in(&found.content))
        }
        _ => own,
    }
}

fn is_documentation(module: &str) -> bool {
    module.starts_with('.') || matches!(module, "doc" | "docs" | "documentation" | "adr" | "wiki")
}

pub(super) fn changed(stamp: &FileStamp) -> SystemTime {
    groma_core::from_unix_nanos(stamp.modified)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signs of several bytes beside whatever the scanners cut at.
    const ANYTHING: &str = "(\\PC|[„“—«»✅（）]|RULE: |we decided to |must not |```|\n|# |// |/\\*|\\*/|<!--|: |\\[|`|Date: |=){0,60}";

    proptest::proptest! {
        /// Any text of any file is derived from without a panic.
        #[test]
        fn any_text_is_read(text in ANYTHING) {
            for path in ["a.rs", "a.py", "a.html", "CLAUDE.md", "docs/adr/0001-x.md", "docs/a.rst"] {
                let path = RelPath::new(path).unwrap();
                file_discoveries(&path, &text, &FileStamp::default(), &Modules::default());
            }
        }
    }
}
