//! Session transcripts and notes, read line by line, so that their size does not matter.

mod lines;
mod message;

use crate::failure::{Failure, Kind};
use anyhow::{Context, Result};
use groma_core::TranscriptMark;
use groma_engine::notebook::{Ingested, TranscriptBuilder};
use groma_engine::{Engine, EngineError};
use lines::{Line, Lines};
use message::Setting;
use serde_json::Value;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Notes are processed in pieces of about this size, in bytes.
const PIECE: usize = 256 << 10;

/// The outcome of ingesting a transcript.
#[derive(Debug)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Lines read this time.
    pub lines: u64,
    /// Invalid lines.
    pub malformed: u64,
    /// What was found; `None` for a skipped session of another project.
    pub found: Option<Ingested>,
    /// The folder of the session, if it is known.
    pub held_in: Option<PathBuf>,
}

/// Ingests a file, or standard input for `-`. Skips sessions of other folders unless `anywhere`.
pub fn ingest(engine: &Engine, file: &Path, anywhere: bool) -> Result<Outcome> {
    if file == Path::new("-") {
        let name = "standard input".to_string();
        let mut reader = Reader::new(engine, name, SystemTime::now(), false);
        reader.read(BufReader::new(io::stdin().lock()))?;
        return reader.finish(engine, anywhere, None);
    }
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    let opened = File::open(file).map_err(|error| unreadable(file, &error))?;
    let metadata = opened.metadata().map_err(|error| unreadable(file, &error))?;
    if !metadata.is_file() {
        return Err(Failure::new(Kind::Usage, format!("{} is not a file", file.display()))
            .hint("name the files themselves")
            .into());
    }
    let at = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    let is_jsonl = file.extension().is_some_and(|extension| extension == "jsonl");
    let mut reader = Reader::new(engine, name.clone(), at, is_jsonl);
    let mark = engine.notebook().read_position(&name).map_err(EngineError::from)?;
    let mut input = BufReader::new(opened);
    let seen = mark.as_ref().map(|mark| lines::skip(&mut input, mark)).transpose();
    match (mark, seen.with_context(|| format!("cannot read {}", file.display()))?.flatten()) {
        (Some(mark), Some(hasher)) => reader.resume(&mark, hasher),
        // Another file had that name, or this one was rewritten.
        (Some(_), None) => {
            input = BufReader::new(File::open(file).map_err(|error| unreadable(file, &error))?);
        }
        _ => {}
    }
    reader.read(input).with_context(|| format!("cannot read {}", file.display()))?;
    reader.finish(engine, anywhere, Some(name))
}

fn unreadable(file: &Path, error: &io::Error) -> Failure {
    Failure::new(Kind::NotFound, format!("cannot read {}: {error}", file.display()))
        .hint("give a transcript: JSONL of Claude Code or Codex, Markdown or plain text")
}

/// A transcript that is being read.
struct Reader {
    transcript: TranscriptBuilder,
    setting: Setting,
    name: String,
    /// Whether each line is a JSON object; decided by the first line that is not empty.
    is_jsonl: Option<bool>,
    hasher: blake3::Hasher,
    bytes: u64,
    before: u64,
    lines: u64,
    malformed: u64,
    is_resumed: bool,
}

impl Reader {
    fn new(engine: &Engine, name: String, at: SystemTime, is_jsonl: bool) -> Self {
        Self {
            transcript: TranscriptBuilder::new(name.clone(), at),
            setting: Setting::of(engine.root()),
            name,
            is_jsonl: is_jsonl.then_some(true),
            hasher: blake3::Hasher::new(),
            bytes: 0,
            before: 0,
            lines: 0,
            malformed: 0,
            is_resumed: false,
        }
    }

    /// Continues where an earlier run ended.
    fn resume(&mut self, mark: &TranscriptMark, hasher: blake3::Hasher) {
        self.hasher = hasher;
        self.bytes = mark.bytes;
        self.before = mark.lines;
        self.is_resumed = true;
        if !mark.session.is_empty() {
            self.setting.session = Some(mark.session.clone());
            self.transcript.set_session(&mark.session);
            self.is_jsonl = Some(true);
        }
    }

    fn read(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut lines = Lines::new(input, self.hasher.clone(), self.bytes);
        let mut piece = Piece::default();
        while let Some(line) = lines.next()? {
            self.lines += 1;
            let number = u32::try_from(self.before + self.lines).unwrap_or(u32::MAX);
            match line {
                Line::TooLong => self.malformed += 1,
                Line::Whole(bytes) if self.is_jsonl(bytes) => self.read_message(bytes, number),
                Line::Whole(bytes) => {
                    if piece.add(number, bytes) {
                        self.transcript.notes(piece.line, &piece.text);
                        piece = Piece::default();
                    }
                }
            }
        }
        if !piece.text.is_empty() {
            self.transcript.notes(piece.line, &piece.text);
        }
        (self.hasher, self.bytes, self.before) =
            (lines.hasher, lines.bytes, self.before + lines.ended);
        Ok(())
    }

    fn is_jsonl(&mut self, line: &[u8]) -> bool {
        if let Some(known) = self.is_jsonl {
            return known;
        }
        let first = line.iter().find(|byte| !byte.is_ascii_whitespace());
        if let Some(first) = first {
            let is_object = *first == b'{' && serde_json::from_slice::<Value>(line).is_ok();
            self.is_jsonl = Some(is_object);
        }
        self.is_jsonl.unwrap_or(false)
    }

    fn read_message(&mut self, line: &[u8], number: u32) {
        if line.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        match serde_json::from_slice::<Value>(line) {
            Ok(Value::Object(fields)) => {
                message::read(&fields, number, &mut self.transcript, &mut self.setting);
            }
            _ => self.malformed += 1,
        }
    }

    fn finish(self, engine: &Engine, anywhere: bool, keep: Option<String>) -> Result<Outcome> {
        let mut outcome = Outcome {
            name: self.name,
            lines: self.lines,
            malformed: self.malformed,
            found: None,
            held_in: self.setting.held_in.clone(),
        };
        if !anywhere && !self.setting.is_here() {
            return Ok(outcome);
        }
        let mark = keep.map(|name| TranscriptMark {
            name,
            session: self.setting.session.unwrap_or_default(),
            bytes: self.bytes,
            lines: self.before,
            digest: self.hasher.finalize().to_hex().to_string(),
        });
        outcome.found = Some(
            engine
                .notebook()
                .ingest(self.transcript, mark.as_ref(), self.is_resumed)
                .map_err(EngineError::from)?,
        );
        Ok(outcome)
    }
}

/// A piece of notes.
#[derive(Default)]
struct Piece {
    line: u32,
    text: String,
}

impl Piece {
    /// Adds a line; returns whether the piece is complete.
    fn add(&mut self, number: u32, line: &[u8]) -> bool {
        if self.text.is_empty() {
            self.line = number;
        }
        self.text.push_str(&String::from_utf8_lossy(line));
        self.text.push('\n');
        let is_break = line.iter().all(u8::is_ascii_whitespace);
        self.text.len() >= PIECE && is_break || self.text.len() >= 4 * PIECE
    }
}
