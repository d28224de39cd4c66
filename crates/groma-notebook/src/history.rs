//! Discoveries derived from the commits reachable from HEAD.
//!
//! Commits are immutable, so each is read once: the discoveries are stored with the tip they were read from, and when
//! HEAD moves only the commits between the two are read. Those of commits that became unreachable are removed.

use crate::commit::commit_statement;
use crate::isolation::isolated;
use crate::statement::Statement;
use crate::worth::{Candidate, is_worth_keeping};
use groma_core::{Discovery, Evidence, History, Locked, Notebook, Origin};
use groma_files::{Repository, open_repository};
use groma_secrets::redact;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Raise it with any change to how messages are classified: stored histories of another version are read again.
const VERSION: u32 = 3;

/// Maximum number of commits read, newest first.
const MAX_COMMITS: u64 = 50_000;

/// How long one request may read commits; the next one continues from there.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// Maximum bytes read of a message.
const MAX_MESSAGE: usize = 32 << 10;

/// Size of the object cache, in bytes.
const OBJECT_CACHE: usize = 4 << 20;

/// The commit history of a project, with a cache of its discoveries.
pub(crate) struct CommitHistory {
    root: PathBuf,
    notebook: Option<Arc<dyn Notebook>>,
    cached: Locked<Option<Arc<History>>>,
}

impl CommitHistory {
    pub fn new(root: &Path, notebook: Option<Arc<dyn Notebook>>) -> Self {
        Self { root: root.into(), notebook, cached: Locked::default() }
    }

    /// The history up to HEAD; `None` if there is none.
    pub fn read(&self, notes: &mut Vec<String>) -> Option<Arc<History>> {
        let repository = Repository::discover(&self.root)?;
        let head = repository.head().commit?;
        let mut cached = self.cached.lock();
        let stored = || self.notebook.as_ref()?.history().ok()?.map(Arc::new);
        let known = cached.take().or_else(stored).filter(|known| known.version == VERSION);
        if let Some(known) = known.clone().filter(|known| known.tip == head && is_complete(known)) {
            *cached = Some(known.clone());
            return Some(known);
        }
        let reader = HistoryReader::open(&repository, &self.root);
        match reader.and_then(|reader| reader.read(known.as_deref(), &head)) {
            Ok(history) => {
                // If it cannot be stored, the next process reads it again.
                let _ = self.notebook.as_ref().map(|book| book.keep_history(Some(&history)));
                notes.extend((!is_complete(&history)).then(|| {
                    format!(
                        "{} commits have been read so far; the next request continues",
                        history.read
                    )
                }));
                Some(cached.insert(Arc::new(history)).clone())
            }
            Err(reason) => {
                notes.push(format!("commits were skipped: {reason}"));
                None
            }
        }
    }

    /// Deletes the stored history; the next request reads it again.
    pub fn forget(&self) {
        *self.cached.lock() = None;
        let _ = self.notebook.as_ref().map(|notebook| notebook.keep_history(None));
    }
}

fn is_complete(history: &History) -> bool {
    history.rest.is_empty() || history.read >= MAX_COMMITS
}

/// Reads commits of one repository until its deadline.
struct HistoryReader {
    repository: gix::Repository,
    /// The project's path in it; empty for all of it.
    prefix: PathBuf,
    deadline: Instant,
}

/// The commits that were read, their discoveries, and the commits to continue from.
#[derive(Default)]
struct CommitWalk {
    read: Vec<gix::ObjectId>,
    found: Vec<Discovery>,
    rest: Vec<gix::ObjectId>,
}

impl HistoryReader {
    fn open(repository: &Repository, root: &Path) -> Result<Self, String> {
        let mut opened = open_repository(repository.git_dir()).map_err(reason)?.to_thread_local();
        opened.object_cache_size(OBJECT_CACHE);
        let prefix = repository.prefix_of(root).unwrap_or_default();
        let deadline = Instant::now() + TIME_LIMIT;
        Ok(Self { repository: opened, prefix: prefix.into(), deadline })
    }

    /// The history up to `head`, reusing that of another tip.
    fn read(&self, known: Option<&History>, head: &str) -> Result<History, String> {
        let id = |text: &str| gix::ObjectId::from_hex(text.as_bytes()).ok();
        let head_id = id(head).ok_or("HEAD names no commit")?;
        let tip = known.and_then(|known| id(&known.tip));
        let tip = tip.filter(|tip| self.repository.find_commit(*tip).is_ok());
        let Some((known, tip)) = known.zip(tip) else {
            return self.read_all(head, head_id);
        };
        let mut history = known.clone();
        if tip != head_id {
            let unreachable = self.walk(vec![tip], Some(head_id), MAX_COMMITS, false)?;
            let new = self.walk(vec![head_id], Some(tip), MAX_COMMITS, true)?;
            let is_truncated = !unreachable.rest.is_empty() || !new.rest.is_empty();
            if is_truncated || !unreachable.read.is_empty() && !known.rest.is_empty() {
                return self.read_all(head, head_id);
            }
            remove(&mut history, &unreachable.read);
            add(&mut history, new);
            history.tip = head.to_string();
        }
        if history.read < MAX_COMMITS {
            let rest = std::mem::take(&mut history.rest);
            let rest = rest.iter().filter_map(|text| id(text)).collect();
            let older = self.walk(rest, None, MAX_COMMITS - history.read, true)?;
            add(&mut history, older);
        }
        Ok(history)
    }

    fn read_all(&self, head: &str, head_id: gix::ObjectId) -> Result<History, String> {
        let mut history = History { tip: head.to_string(), version: VERSION, ..History::default() };
        add(&mut history, self.walk(vec![head_id], None, MAX_COMMITS, true)?);
        Ok(history)
    }

    /// Walks from some commits to their ancestors, newest first, until the deadline or `limit` commits, without those
    /// reachable from `hidden`.
    fn walk(
        &self,
        from: Vec<gix::ObjectId>,
        hidden: Option<gix::ObjectId>,
        limit: u64,
        with_discoveries: bool,
    ) -> Result<CommitWalk, String> {
        use gix::revision::walk::Sorting;
        let newest = Sorting::ByCommitTime(Default::default());
        let mut walked = CommitWalk::default();
        let mut next: FxHashSet<gix::ObjectId> = from.iter().copied().collect();
        if next.is_empty() {
            return Ok(walked);
        }
        let walk = self.repository.rev_walk(from).sorting(newest).with_hidden(hidden);
        for commit in walk.all().map_err(reason)? {
            if walked.read.len() as u64 >= limit || Instant::now() >= self.deadline {
                let read: FxHashSet<gix::ObjectId> = walked.read.iter().copied().collect();
                walked.rest = next.into_iter().filter(|id| !read.contains(id)).collect();
                walked.rest.sort();
                break;
            }
            // A commit missing from a shallow clone ends its branch.
            let Ok(commit) = commit else { continue };
            next.extend(commit.parent_ids.iter().copied());
            walked.read.push(commit.id);
            if with_discoveries {
                walked.found.extend(isolated(|| self.discovery(&commit)).flatten());
            }
        }
        Ok(walked)
    }

    fn discovery(&self, info: &gix::revision::walk::Info<'_>) -> Option<Discovery> {
        let commit = info.object().ok()?;
        let message = commit.message_raw_sloppy();
        let message = String::from_utf8_lossy(&message[..message.len().min(MAX_MESSAGE)]);
        let found = commit_statement(&message).filter(|found| {
            let Statement { kind, content, confidence } = &found.statement;
            let (kind, confidence) = (*kind, *confidence);
            let origin = Origin::Commit;
            is_worth_keeping(&Candidate { origin, kind, content, confidence, path: None })
        })?;
        if !self.touches_project(&commit) {
            return None;
        }
        let hash = info.id.to_string();
        Some(Discovery {
            id: Discovery::name(&["commit", &hash]),
            kind: found.statement.kind,
            content: redact(&found.statement.content),
            module: found.module,
            session: None,
            date: date(info.commit_time.unwrap_or_default()),
            confidence: found.statement.confidence,
            evidence: vec![Evidence { origin: Origin::Commit, place: hash, line: 0 }],
            edited: None,
            superseded: None,
        })
    }

    /// Whether a commit changed anything below the project's root.
    fn touches_project(&self, commit: &gix::Commit<'_>) -> bool {
        if self.prefix.as_os_str().is_empty() {
            return true;
        }
        let folder = |commit: &gix::Commit<'_>| {
            let entry = commit.tree().ok()?.lookup_entry_by_path(&self.prefix).ok()??;
            Some(entry.object_id())
        };
        let before = commit.parent_ids().next();
        let before = before.and_then(|id| folder(&self.repository.find_commit(id).ok()?));
        folder(commit) != before
    }
}

fn add(history: &mut History, walked: CommitWalk) {
    history.read += walked.read.len() as u64;
    history.rest.extend(walked.rest.iter().map(ToString::to_string));
    history.discoveries.extend(walked.found);
    history.discoveries.sort_by(|a, b| (b.date, &a.id).cmp(&(a.date, &b.id)));
    history.discoveries.dedup_by(|a, b| a.id == b.id);
}

/// Removes the discoveries of commits that are no longer reachable.
fn remove(history: &mut History, commits: &[gix::ObjectId]) {
    let hashes: FxHashSet<String> = commits.iter().map(ToString::to_string).collect();
    let is_kept =
        |one: &Discovery| one.evidence.iter().all(|source| !hashes.contains(&source.place));
    history.discoveries.retain(is_kept);
    history.read = history.read.saturating_sub(commits.len() as u64);
}

fn date(seconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or(0).min(1 << 40))
}

fn reason(error: impl std::fmt::Display) -> String {
    error.to_string()
}
