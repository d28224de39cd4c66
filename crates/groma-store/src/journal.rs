//! The history of a notebook: every change of its notes, in a file of its own that is only appended to.
//!
//! A notebook is original data, and a database that was overwritten or truncated cannot be rebuilt from anything else.
//! So each change is a line here before it is committed there: what was written, and a hash of it and of the line
//! before. Whatever is altered, missing or moved is noticed, and the notes can be restored.

use groma_core::{Discovery, Evidence, NoteOperation};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::sqlite::{milliseconds, time};

/// The name of the file, beside the database.
const FILE: &str = "notebook.history";

/// How much of the end of the file is read to find its last line.
const TAIL: u64 = 64 << 10;

/// The history in one folder.
pub(crate) struct Journal {
    path: PathBuf,
}

/// What a history says.
#[derive(Debug, Default)]
pub(crate) struct Replay {
    /// How many changes it has.
    pub changes: usize,
    /// The notes after the last one, by id.
    pub notes: BTreeMap<String, Discovery>,
    /// What is wrong with it: the other changes were replayed.
    pub problem: Option<String>,
}

impl Replay {
    /// Records that a line cannot be read; the first one is named.
    fn damaged(&mut self, row: usize) {
        self.problem.get_or_insert_with(|| format!("line {} is damaged", row + 1));
    }
}

/// One change, as it is written.
#[derive(Serialize, Deserialize)]
struct Record {
    at: i64,
    id: String,
    /// The note as it is now; none if it was deleted.
    note: Option<Note>,
}

/// A note, as it is written.
#[derive(Serialize, Deserialize)]
struct Note {
    kind: String,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    date: i64,
    confidence: f32,
    evidence: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edited: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded: Option<String>,
}

impl Journal {
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(FILE) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    /// Moves the file away: it stays for a person to look at.
    pub fn set_aside(&self) -> io::Result<()> {
        let name = format!("history-damaged-{}", milliseconds(SystemTime::now()));
        std::fs::rename(&self.path, self.path.with_extension(name))
    }

    /// Appends changes. The caller holds the database's write lock, so no other process appends meanwhile.
    pub fn append(&self, operations: &[NoteOperation]) -> io::Result<()> {
        if operations.is_empty() {
            return Ok(());
        }
        let options = || OpenOptions::new().read(true).append(true).create(true).open(&self.path);
        let mut file = options()?;
        let mut hash = last_hash(&mut file)?;
        let at = milliseconds(SystemTime::now());
        let mut lines = String::new();
        for operation in operations {
            let record = match operation {
                NoteOperation::Insert(one) | NoteOperation::Update(one) => {
                    Record { at, id: one.id.clone(), note: Some(Note::from(one)) }
                }
                NoteOperation::Forget(id) => Record { at, id: id.clone(), note: None },
            };
            let body = serde_json::to_string(&record)?;
            hash = chained(&hash, &body);
            lines.push_str(&format!("{hash} {body}\n"));
        }
        file.write_all(lines.as_bytes())?;
        file.sync_data()
    }

    /// Replays every change and checks the chain.
    pub fn replay(&self) -> io::Result<Replay> {
        let mut replay = Replay::default();
        let bytes = match std::fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(replay),
            Err(error) => return Err(error),
        };
        let mut last = String::new();
        for (row, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
            // A line without its end was being written when the process was killed: the change was not committed.
            let Some(line) = line.strip_suffix(b"\n") else { break };
            let line = String::from_utf8_lossy(line);
            let Some((hash, body)) = line.split_once(' ') else {
                replay.damaged(row);
                continue;
            };
            let is_intact = chained(&last, body) == hash;
            // The next line continues from the hash that stands here: one that is damaged costs itself.
            last = hash.to_string();
            let record = serde_json::from_str::<Record>(body).ok().filter(|_| is_intact);
            let Some(record) = record else {
                replay.damaged(row);
                continue;
            };
            replay.changes += 1;
            match record.note.and_then(|note| note.discovery(&record.id)) {
                Some(note) => replay.notes.insert(record.id, note),
                None => replay.notes.remove(&record.id),
            };
        }
        Ok(replay)
    }
}

/// The hash of the last whole line; what a killed process left behind it is cut off.
fn last_hash(file: &mut File) -> io::Result<String> {
    let length = file.metadata()?.len();
    let mut from = length.saturating_sub(TAIL);
    loop {
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.take(length - from).read_to_end(&mut tail)?;
        let Some(end) = tail.iter().rposition(|byte| *byte == b'\n') else {
            if from == 0 {
                file.set_len(0)?;
                return Ok(String::new());
            }
            from = 0;
            continue;
        };
        let start = tail[..end].iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        if start.is_none() && from > 0 {
            from = 0;
            continue;
        }
        file.set_len(from + end as u64 + 1)?;
        let line = String::from_utf8_lossy(&tail[start.unwrap_or(0)..end]).into_owned();
        return Ok(line.split(' ').next().unwrap_or_default().to_string());
    }
}

fn chained(last: &str, body: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(last.as_bytes()).update(body.as_bytes());
    hasher.finalize().to_hex()[..32].to_string()
}

impl From<&Discovery> for Note {
    fn from(one: &Discovery) -> Self {
        Self {
            kind: one.kind.to_string(),
            content: one.content.clone(),
            module: one.module.clone(),
            session: one.session.clone(),
            date: milliseconds(one.date),
            confidence: one.confidence,
            evidence: one.evidence.iter().map(ToString::to_string).collect(),
            edited: one.edited.map(milliseconds),
            superseded: one.superseded.clone(),
        }
    }
}

impl Note {
    /// The note; `None` if a kind or source is unknown, which a line with a right hash never has.
    fn discovery(self, id: &str) -> Option<Discovery> {
        let evidence: Result<Vec<Evidence>, _> =
            self.evidence.iter().map(|one| one.parse()).collect();
        Some(Discovery {
            id: id.to_string(),
            kind: self.kind.parse().ok()?,
            content: self.content,
            module: self.module,
            session: self.session,
            date: time(self.date),
            confidence: self.confidence,
            evidence: evidence.ok()?,
            edited: self.edited.map(time),
            superseded: self.superseded,
        })
    }
}
