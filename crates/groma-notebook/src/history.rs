//! What the commits up to the one that is checked out state.
//!
//! A commit never changes, so each is read once: what was found is kept with the commit it goes up to, and when
//! another is checked out only the commits between the two are read. What is no longer reachable goes.

use crate::commit::in_message;
use crate::redact::redact;
use groma_core::{Discovery, Evidence, History, Notebook, Origin};
use groma_files::Repository;
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Raise it with any change to what messages are taken to state: what was kept before is read again.
const VERSION: u32 = 2;

/// Most commits that are read of one history, the newest.
const MAX_COMMITS: u64 = 50_000;

/// How long one question may read commits; the next goes on from there.
const TIME_LIMIT: Duration = Duration::from_secs(3);

/// Most of a message that is read, in bytes.
const MAX_MESSAGE: usize = 32 << 10;

/// Memory for commits that are looked up twice in a row.
const OBJECTS: usize = 4 << 20;

/// The commits behind a project, and the history that was asked about last.
pub(crate) struct CommitHistory {
    root: PathBuf,
    notebook: Option<Arc<dyn Notebook>>,
    held: Mutex<Option<Arc<History>>>,
}

impl CommitHistory {
    pub fn new(root: &Path, notebook: Option<Arc<dyn Notebook>>) -> Self {
        Self { root: root.into(), notebook, held: Mutex::default() }
    }

    /// What the commits up to the one that is checked out state; `None` where there are none.
    pub fn read(&self, notes: &mut Vec<String>) -> Option<Arc<History>> {
        let repository = Repository::around(&self.root)?;
        let head = repository.head().commit?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = || self.notebook.as_ref()?.history().ok()?.map(Arc::new);
        let known = held.take().or_else(kept).filter(|known| known.version == VERSION);
        if let Some(known) = known.clone().filter(|known| known.tip == head && is_read(known)) {
            *held = Some(known.clone());
            return Some(known);
        }
        let reader = Reader::open(&repository, &self.root);
        match reader.and_then(|reader| reader.read(known.as_deref(), &head)) {
            Ok(history) => {
                // If it cannot be stored it is read again next time.
                let _ = self.notebook.as_ref().map(|book| book.keep_history(Some(&history)));
                notes.extend((!is_read(&history)).then(|| {
                    format!("{} commits were read so far, the next question reads on", history.read)
                }));
                Some(held.insert(Arc::new(history)).clone())
            }
            Err(reason) => {
                notes.push(format!("commits were left out: {reason}"));
                None
            }
        }
    }

    /// Deletes what is stored of commits; the next question reads them again.
    pub fn forget(&self) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let _ = self.notebook.as_ref().map(|notebook| notebook.keep_history(None));
    }
}

fn is_read(history: &History) -> bool {
    history.rest.is_empty() || history.read >= MAX_COMMITS
}

/// Reads commits of one repository until its time is up.
struct Reader {
    repository: gix::Repository,
    /// Where the project lies in it; empty for all of it.
    inside: PathBuf,
    until: Instant,
}

/// Commits that were read, and those that come next.
#[derive(Default)]
struct Walked {
    read: Vec<gix::ObjectId>,
    found: Vec<Discovery>,
    rest: Vec<gix::ObjectId>,
}

impl Reader {
    fn open(repository: &Repository, root: &Path) -> Result<Self, String> {
        // Nothing but the repository's own settings is looked at, and no program is run.
        let options = gix::open::Options::isolated();
        let mut opened = gix::open_opts(repository.folder(), options).map_err(reason)?;
        opened.object_cache_size(OBJECTS);
        let around = opened.workdir().and_then(|folder| folder.canonicalize().ok());
        let inside = around.and_then(|around| {
            Some(root.canonicalize().ok()?.strip_prefix(around).ok()?.to_path_buf())
        });
        let until = Instant::now() + TIME_LIMIT;
        Ok(Self { repository: opened, inside: inside.unwrap_or_default(), until })
    }

    /// The history up to `head`, with what is known of another.
    fn read(&self, known: Option<&History>, head: &str) -> Result<History, String> {
        let id = |text: &str| gix::ObjectId::from_hex(text.as_bytes()).ok();
        let head_id = id(head).ok_or("HEAD names no commit")?;
        let tip = known.and_then(|known| id(&known.tip));
        let tip = tip.filter(|tip| self.repository.find_commit(*tip).is_ok());
        let Some((known, tip)) = known.zip(tip) else {
            return self.anew(head, head_id);
        };
        let mut history = known.clone();
        if tip != head_id {
            let gone = self.walk(vec![tip], Some(head_id), MAX_COMMITS, false)?;
            let new = self.walk(vec![head_id], Some(tip), MAX_COMMITS, true)?;
            let is_cut = !gone.rest.is_empty() || !new.rest.is_empty();
            if is_cut || !gone.read.is_empty() && !known.rest.is_empty() {
                return self.anew(head, head_id);
            }
            forget(&mut history, &gone.read);
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

    fn anew(&self, head: &str, head_id: gix::ObjectId) -> Result<History, String> {
        let mut history = History { tip: head.to_string(), version: VERSION, ..History::default() };
        add(&mut history, self.walk(vec![head_id], None, MAX_COMMITS, true)?);
        Ok(history)
    }

    /// Walks from some commits to their parents, the newest first, as far as time and `most` allow, leaving out what
    /// `hidden` leads to.
    fn walk(
        &self,
        from: Vec<gix::ObjectId>,
        hidden: Option<gix::ObjectId>,
        most: u64,
        is_wanted: bool,
    ) -> Result<Walked, String> {
        use gix::revision::walk::Sorting;
        let newest = Sorting::ByCommitTime(Default::default());
        let mut walked = Walked::default();
        let mut next: FxHashSet<gix::ObjectId> = from.iter().copied().collect();
        if next.is_empty() {
            return Ok(walked);
        }
        let walk = self.repository.rev_walk(from).sorting(newest).with_hidden(hidden);
        for commit in walk.all().map_err(reason)? {
            if walked.read.len() as u64 >= most || Instant::now() >= self.until {
                let read: FxHashSet<gix::ObjectId> = walked.read.iter().copied().collect();
                walked.rest = next.into_iter().filter(|id| !read.contains(id)).collect();
                walked.rest.sort();
                break;
            }
            // A commit that is not there, as in a clone of a part, ends its line.
            let Ok(commit) = commit else { continue };
            next.extend(commit.parent_ids.iter().copied());
            walked.read.push(commit.id);
            if is_wanted {
                walked.found.extend(self.stated_by(&commit));
            }
        }
        Ok(walked)
    }

    fn stated_by(&self, info: &gix::revision::walk::Info<'_>) -> Option<Discovery> {
        let commit = info.object().ok()?;
        let message = commit.message_raw_sloppy();
        let message = String::from_utf8_lossy(&message[..message.len().min(MAX_MESSAGE)]);
        let told = in_message(&message)?;
        if !self.is_inside(&commit) {
            return None;
        }
        let hash = info.id.to_string();
        Some(Discovery {
            id: Discovery::name(&["commit", &hash]),
            kind: told.statement.kind,
            content: redact(&told.statement.content),
            module: told.module,
            session: None,
            date: date(info.commit_time.unwrap_or_default()),
            confidence: told.statement.confidence,
            evidence: vec![Evidence { origin: Origin::Commit, place: hash, line: 0 }],
            edited: None,
            superseded: None,
        })
    }

    /// Whether a commit changed anything in the project's folder.
    fn is_inside(&self, commit: &gix::Commit<'_>) -> bool {
        if self.inside.as_os_str().is_empty() {
            return true;
        }
        let folder = |commit: &gix::Commit<'_>| {
            let entry = commit.tree().ok()?.lookup_entry_by_path(&self.inside).ok()??;
            Some(entry.object_id())
        };
        let before = commit.parent_ids().next();
        let before = before.and_then(|id| folder(&self.repository.find_commit(id).ok()?));
        folder(commit) != before
    }
}

fn add(history: &mut History, walked: Walked) {
    history.read += walked.read.len() as u64;
    history.rest.extend(walked.rest.iter().map(ToString::to_string));
    history.discoveries.extend(walked.found);
    history.discoveries.sort_by(|a, b| (b.date, &a.id).cmp(&(a.date, &b.id)));
    history.discoveries.dedup_by(|a, b| a.id == b.id);
}

/// Takes out what commits stated that are no longer part of it.
fn forget(history: &mut History, gone: &[gix::ObjectId]) {
    let gone: FxHashSet<String> = gone.iter().map(ToString::to_string).collect();
    let stays = |one: &Discovery| one.evidence.iter().all(|place| !gone.contains(&place.place));
    history.discoveries.retain(stays);
    history.read = history.read.saturating_sub(gone.len() as u64);
}

fn date(seconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or(0).min(1 << 40))
}

fn reason(error: impl std::fmt::Display) -> String {
    error.to_string()
}
