//! What is said in sessions with assistants: heard message by message, so that a record of any length needs little
//! memory, and taken in at its end.

use crate::blocks::blocks;
use crate::document::in_document;
use crate::error::Error;
use crate::redact::redact;
use crate::remember::{Imported, Memory};
use crate::session::{MAX_FILES, MAX_TOPIC_LENGTH, add_topic};
use crate::statement::{LABELLED, Statement, holds, kind_by, label, phrase, sentences, state};
use groma_core::{
    Discovery, DiscoveryKind, Evidence, Origin, RelPath, SessionRecord, TranscriptMark, from_iso,
    iso_exact,
};
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::Path;
use std::time::SystemTime;

/// Most discoveries that are taken from one record; issues and decisions come first.
const MOST: usize = 50;

/// Most that are considered: what comes later in a record without end is left out.
const MOST_HEARD: usize = 5_000;

/// A paragraph of so many characters is taken whole: a sentence by itself seldom says what it is about.
const SHORT: usize = 400;

/// How sure it is what people and assistants say.
const SAID_BY_PEOPLE: f32 = 0.7;
const SAID_BY_ASSISTANTS: f32 = 0.5;

/// Most of one message that is read, in bytes.
const LONGEST_MESSAGE: usize = 256 << 10;

/// How people and assistants speak of what was wrong and of what shall be.
const SPOKEN: &[(&str, DiscoveryKind)] = &[
    ("root cause", DiscoveryKind::Issue),
    ("the bug was", DiscoveryKind::Issue),
    ("the bug is", DiscoveryKind::Issue),
    ("the problem was", DiscoveryKind::Issue),
    ("the issue was", DiscoveryKind::Issue),
    ("was caused by", DiscoveryKind::Issue),
    ("it turned out", DiscoveryKind::Issue),
    ("turns out", DiscoveryKind::Issue),
    ("from now on", DiscoveryKind::Rule),
    ("in this project", DiscoveryKind::Pattern),
    ("in this codebase", DiscoveryKind::Pattern),
];

/// What is only considered, asked or about to be done.
const UNDECIDED: &[&str] = &[
    "can we",
    "could we",
    "do we",
    "how about",
    "i can",
    "i could",
    "i will",
    "i'll",
    "i'm going",
    "if we",
    "if you",
    "let me",
    "let's",
    "maybe",
    "might",
    "perhaps",
    "shall we",
    "should i",
    "should we",
    "whether",
    "would you",
];

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// Somebody who works on the project.
    Person,
    /// An assistant.
    Assistant,
}

/// A record of a session while it is listened to.
#[derive(Debug)]
pub struct Listener {
    place: String,
    session: SessionRecord,
    statements: Vec<(u32, SystemTime, Statement)>,
    heard: FxHashSet<u64>,
    /// Whether somebody speaks in it; else it is notes.
    is_conversation: bool,
    /// Whether it says when.
    has_times: bool,
}

/// What became of a record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ingested {
    /// What became of its discoveries.
    pub discoveries: Imported,
    /// The session it is the record of, if it is one of a session.
    pub session: Option<String>,
}

impl Listener {
    /// Listens to a record of this name; what has no time of its own was said `at` this one.
    pub fn new(place: impl Into<String>, at: SystemTime) -> Self {
        let place = place.into();
        let session = SessionRecord {
            id: place.clone(),
            connection: place.clone(),
            started: at,
            active: at,
            ended: Some(at),
            topics: Vec::new(),
            files: BTreeMap::new(),
            calls: BTreeMap::new(),
        };
        Self {
            place,
            session,
            statements: Vec::new(),
            heard: FxHashSet::default(),
            is_conversation: false,
            has_times: false,
        }
    }

    /// Takes the name the session gives itself.
    pub fn named(&mut self, session: &str) {
        self.session.id = session.to_string();
        self.session.connection = session.to_string();
    }

    /// Hears a message that stands on a line of the record.
    pub fn message(&mut self, speaker: Speaker, line: u32, said: Option<SystemTime>, text: &str) {
        let text = begun(text, LONGEST_MESSAGE);
        if !self.heard.insert(hash(text)) {
            return;
        }
        self.is_conversation = true;
        let said = self.passed(said);
        if speaker == Speaker::Person {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            add_topic(&mut self.session, begun(first, 4 * MAX_TOPIC_LENGTH));
        }
        for block in blocks(&apart(text)) {
            let stated = stated_by(speaker, &block.text);
            self.keep(line, said, stated);
        }
    }

    /// Reads a piece of notes that begins on a line.
    pub fn notes(&mut self, line: u32, text: &str) {
        let Ok(path) = RelPath::new("notes.md") else { return };
        let stated = in_document(&path, text);
        let said = stated.date.unwrap_or(self.session.active);
        for (row, statement) in stated.statements {
            self.keep(line.saturating_add(row - 1), said, Some(statement));
        }
    }

    /// Hears of a tool that was called, and of the file it was called for.
    pub fn call(&mut self, tool: &str, file: Option<&Path>, root: &Path) {
        self.is_conversation = true;
        *self.session.calls.entry(begun(tool, 100).to_string()).or_default() += 1;
        let inside = file.map(|file| file.strip_prefix(root).unwrap_or(file));
        let path = inside.and_then(|path| RelPath::new(path.to_str()?).ok());
        let room = self.session.files.len() < MAX_FILES;
        if let Some(path) = path.filter(|path| room || self.session.files.contains_key(path)) {
            *self.session.files.entry(path).or_default() += 1;
        }
    }

    /// Notes that time has passed; gives the time of what is said now.
    fn passed(&mut self, said: Option<SystemTime>) -> SystemTime {
        let Some(said) = said else { return self.session.active };
        if !self.has_times {
            self.session.started = said;
            self.session.active = said;
        }
        self.has_times = true;
        self.session.started = self.session.started.min(said);
        self.session.active = self.session.active.max(said);
        self.session.ended = Some(self.session.active);
        said
    }

    fn keep(&mut self, line: u32, said: SystemTime, statement: Option<Statement>) {
        if self.statements.len() < MOST_HEARD {
            self.statements.extend(statement.map(|statement| (line, said, statement)));
        }
    }

    /// The discoveries that are worth keeping.
    fn discoveries(&mut self) -> Vec<Discovery> {
        let rank = |kind: DiscoveryKind| match kind {
            DiscoveryKind::Issue => 0,
            DiscoveryKind::Decision => 1,
            DiscoveryKind::Rule => 2,
            DiscoveryKind::Pattern => 3,
        };
        let mut statements = std::mem::take(&mut self.statements);
        statements.sort_by(|(a, _, x), (b, _, y)| {
            rank(x.kind)
                .cmp(&rank(y.kind))
                .then(y.confidence.total_cmp(&x.confidence))
                .then(a.cmp(b))
        });
        statements.truncate(MOST);
        statements.sort_by_key(|(line, _, _)| *line);
        statements.into_iter().map(|(line, said, one)| self.discovery(line, said, one)).collect()
    }

    fn discovery(&self, line: u32, said: SystemTime, statement: Statement) -> Discovery {
        let content = redact(&statement.content);
        let place = self.place.clone();
        Discovery {
            id: Discovery::name(&["transcript", &place, statement.kind.as_str(), &content]),
            kind: statement.kind,
            module: None,
            content,
            session: self.is_conversation.then(|| self.session.id.clone()),
            date: from_iso(&iso_exact(said)).unwrap_or(said),
            confidence: statement.confidence,
            evidence: vec![Evidence { origin: Origin::Transcript, place, line }],
            edited: None,
            superseded: None,
        }
    }
}

/// Takes in what was said in a record, and stores how far it was read. Where it was read on from an earlier `mark` its
/// session goes on, too.
pub(crate) fn ingest(
    memory: Memory<'_>,
    mut listener: Listener,
    mark: Option<&TranscriptMark>,
    goes_on: bool,
) -> Result<Ingested, Error> {
    let Memory { notebook, modules } = memory;
    let mut discoveries = listener.discoveries();
    for one in &mut discoveries {
        one.module = modules.told(&one.content);
    }
    let imported =
        if discoveries.is_empty() { Imported::default() } else { memory.take_in(&discoveries)? };
    let mut session = None;
    if listener.is_conversation {
        let before = notebook.last_session(&listener.session.connection)?;
        let record = joined(before.filter(|_| goes_on), listener.session);
        notebook.keep_session(&record)?;
        session = Some(record.id);
    }
    if let Some(mark) = mark {
        notebook.keep_transcript(mark)?;
    }
    Ok(Ingested { discoveries: imported, session })
}

/// A session and how it went on.
fn joined(before: Option<SessionRecord>, after: SessionRecord) -> SessionRecord {
    let Some(mut session) = before else { return after };
    session.active = session.active.max(after.active);
    session.ended = Some(session.active);
    for topic in &after.topics {
        add_topic(&mut session, topic);
    }
    for (path, count) in after.files {
        *session.files.entry(path).or_default() += count;
    }
    for (tool, count) in after.calls {
        *session.calls.entry(tool).or_default() += count;
    }
    session
}

/// A text whose labelled lines begin paragraphs: who types a message seldom leaves lines empty.
fn apart(text: &str) -> String {
    let lines = text.lines().map(|line| match label(line) {
        Some(_) => format!("\n{line}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// What a paragraph of a message states.
fn stated_by(speaker: Speaker, paragraph: &str) -> Option<Statement> {
    if let Some((kind, rest)) = label(paragraph) {
        return state(kind, rest, LABELLED);
    }
    let confidence = match speaker {
        Speaker::Person => SAID_BY_PEOPLE,
        Speaker::Assistant => SAID_BY_ASSISTANTS,
    };
    let (kind, sentence) = sentences(paragraph)
        .filter(|sentence| !sentence.ends_with('?') && !holds(sentence, UNDECIDED))
        .find_map(|sentence| Some((sounds(speaker, sentence)?, sentence)))?;
    let is_short = paragraph.chars().count() <= SHORT;
    state(kind, if is_short { paragraph } else { sentence }, confidence)
}

/// What a sentence of a message sounds like. An order that a person gives for good is a rule.
fn sounds(speaker: Speaker, sentence: &str) -> Option<DiscoveryKind> {
    let is_order = || {
        let first = sentence.split_whitespace().next()?.to_lowercase();
        let is_order = speaker == Speaker::Person && matches!(&*first, "always" | "never");
        is_order.then_some(DiscoveryKind::Rule)
    };
    kind_by(SPOKEN, sentence).or_else(|| phrase(sentence)).or_else(is_order)
}

/// The beginning of a text, not more than so many bytes.
fn begun(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    fn shown(speaker: Speaker, text: &str) -> Vec<String> {
        let mut listener = Listener::new("a.jsonl", UNIX_EPOCH);
        listener.message(speaker, 1, None, text);
        let found = listener.discoveries();
        found.iter().map(|one| format!("{}: {}", one.kind, one.content)).collect()
    }

    #[test]
    fn what_is_said_for_good_is_taken() {
        use Speaker::{Assistant, Person};
        for (speaker, text, expected) in [
            (Person, "Never push to main. Thanks!", "rule: Never push to main. Thanks!"),
            (
                Assistant,
                "The bug was a lock that is taken twice.",
                "issue: The bug was a lock that is taken twice.",
            ),
            (Person, "DECISION: cookies, not storage", "decision: cookies, not storage"),
            (Assistant, "We decided to keep one queue.", "decision: We decided to keep one queue."),
            (
                Person,
                "In this project errors carry their causes.",
                "pattern: In this project errors carry their causes.",
            ),
        ] {
            assert_eq!(shown(speaker, text), [expected], "{text}");
        }
    }

    #[test]
    fn what_is_asked_considered_or_code_is_not() {
        use Speaker::{Assistant, Person};
        for (speaker, text) in [
            (Person, "Have we decided to keep one queue?"),
            (Assistant, "Let me check whether we use tabs."),
            (Assistant, "Never mind that."),
            (Assistant, "```\n// DECISION: in code that was shown\n```"),
            (Person, "Please add a test for it."),
        ] {
            assert_eq!(shown(speaker, text), [""; 0], "{text}");
        }
    }

    #[test]
    fn the_surest_and_gravest_are_taken_from_a_record_that_says_much() {
        let mut listener = Listener::new("a.jsonl", UNIX_EPOCH);
        let tell = |listener: &mut Listener, line: u32, text: &str| {
            listener.message(Speaker::Assistant, line, None, text);
        };
        for line in 0..60 {
            tell(&mut listener, line, &format!("We use the pattern of number {line} here."));
        }
        tell(&mut listener, 99, "The root cause was a clock that runs backwards.");
        let found = listener.discoveries();
        assert_eq!(found.len(), MOST);
        assert_eq!(
            found.last().map(|one| (one.kind, one.evidence[0].line)),
            Some((DiscoveryKind::Issue, 99))
        );
    }

    #[test]
    fn a_message_without_end_is_cut() {
        let mut listener = Listener::new("a.jsonl", UNIX_EPOCH);
        listener.message(Speaker::Person, u32::MAX, None, &"ü".repeat(LONGEST_MESSAGE));
        listener.message(Speaker::Person, u32::MAX, None, "a\nRULE: never log a token at all");
        assert_eq!(listener.discoveries()[0].evidence[0].line, u32::MAX);
    }
}
