//! Transcripts of sessions with assistants: processed message by message, in memory independent of their length, and
//! imported at the end.

use crate::document::document_statements;
use crate::error::Error;
use crate::markdown::parse_blocks;
use crate::remember::{Imported, Memory};
use crate::session::{MAX_FILES, MAX_TOPIC_LENGTH, add_topic};
use crate::statement::{
    LABEL_CONFIDENCE, Statement, classify_by, classify_phrase, contains_phrase, label,
    new_statement, sentences,
};
use groma_core::{
    Discovery, DiscoveryKind, Evidence, Origin, RelPath, SessionRecord, TranscriptMark, from_iso,
    iso_exact,
};
use groma_secrets::redact;
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::Path;
use std::time::SystemTime;

/// Maximum number of discoveries per transcript; issues and decisions are preferred.
const MAX_DISCOVERIES: usize = 50;

/// Maximum number of statements considered; later ones are ignored.
const MAX_STATEMENTS: usize = 5_000;

/// The confidence of statements by people and by assistants.
const PERSON_CONFIDENCE: f32 = 0.7;
const ASSISTANT_CONFIDENCE: f32 = 0.5;

/// Maximum bytes read of a message.
const MAX_MESSAGE: usize = 256 << 10;

/// Phrases of conversations that mark a statement.
const CONVERSATION_PHRASES: &[(&str, DiscoveryKind)] = &[
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

/// Phrases of questions, proposals and announcements, which state nothing.
const TENTATIVE_PHRASES: &[&str] = &[
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

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// A person.
    Person,
    /// An assistant.
    Assistant,
}

/// Collects the statements and the session record of a transcript.
#[derive(Debug)]
pub struct TranscriptBuilder {
    name: String,
    session: SessionRecord,
    statements: Vec<(u32, SystemTime, Statement)>,
    seen: FxHashSet<u64>,
    /// Whether it is a conversation; otherwise it is notes.
    is_conversation: bool,
    /// Whether its messages have timestamps.
    has_times: bool,
}

/// The outcome of ingesting a transcript.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ingested {
    /// The outcome of importing its discoveries.
    pub discoveries: Imported,
    /// The id of its session, if it is a conversation.
    pub session: Option<String>,
}

impl TranscriptBuilder {
    /// An empty transcript of this name; messages without a timestamp get the time `at`.
    pub fn new(name: impl Into<String>, at: SystemTime) -> Self {
        let name = name.into();
        let session = SessionRecord {
            id: name.clone(),
            connection: name.clone(),
            started: at,
            active: at,
            ended: Some(at),
            topics: Vec::new(),
            files: BTreeMap::new(),
            calls: BTreeMap::new(),
        };
        Self {
            name,
            session,
            statements: Vec::new(),
            seen: FxHashSet::default(),
            is_conversation: false,
            has_times: false,
        }
    }

    /// Sets the id of the session.
    pub fn set_session(&mut self, session: &str) {
        self.session.id = session.to_string();
        self.session.connection = session.to_string();
    }

    /// Adds a message at a line of the transcript.
    pub fn message(&mut self, speaker: Speaker, line: u32, said: Option<SystemTime>, text: &str) {
        let text = prefix(text, MAX_MESSAGE);
        if !self.seen.insert(hash(text)) {
            return;
        }
        self.is_conversation = true;
        let said = self.advance(said);
        if speaker == Speaker::Person {
            let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            add_topic(&mut self.session, prefix(first, 4 * MAX_TOPIC_LENGTH));
        }
        for block in parse_blocks(&with_separated_labels(text)) {
            for statement in classify_paragraph(speaker, &block.text) {
                self.push(line, said, Some(statement));
            }
        }
    }

    /// Adds a piece of notes that starts at a line.
    pub fn notes(&mut self, line: u32, text: &str) {
        let Ok(path) = RelPath::new("notes.md") else { return };
        let stated = document_statements(&path, text);
        let said = stated.date.unwrap_or(self.session.active);
        for (row, statement) in stated.statements {
            self.push(line.saturating_add(row - 1), said, Some(statement));
        }
    }

    /// Adds a tool call, and the file it was called for.
    pub fn call(&mut self, tool: &str, file: Option<&Path>, root: &Path) {
        self.is_conversation = true;
        *self.session.calls.entry(prefix(tool, 100).to_string()).or_default() += 1;
        let inside = file.map(|file| file.strip_prefix(root).unwrap_or(file));
        let path = inside.and_then(|path| RelPath::new(path.to_str()?).ok());
        let has_room = self.session.files.len() < MAX_FILES;
        if let Some(path) = path.filter(|path| has_room || self.session.files.contains_key(path)) {
            *self.session.files.entry(path).or_default() += 1;
        }
    }

    /// Extends the session to a timestamp; returns the time of the message.
    fn advance(&mut self, said: Option<SystemTime>) -> SystemTime {
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

    fn push(&mut self, line: u32, said: SystemTime, statement: Option<Statement>) {
        if self.statements.len() < MAX_STATEMENTS {
            self.statements.extend(statement.map(|statement| (line, said, statement)));
        }
    }

    /// The discoveries to import.
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
        statements.truncate(MAX_DISCOVERIES);
        statements.sort_by_key(|(line, _, _)| *line);
        statements.into_iter().map(|(line, said, one)| self.discovery(line, said, one)).collect()
    }

    fn discovery(&self, line: u32, said: SystemTime, statement: Statement) -> Discovery {
        let content = redact(&statement.content);
        let place = self.name.clone();
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

/// Imports the discoveries of a transcript and stores its read position. `continues` if it was read from an earlier
/// position: then its session is continued, too.
pub(crate) fn ingest(
    memory: Memory<'_>,
    mut transcript: TranscriptBuilder,
    mark: Option<&TranscriptMark>,
    continues: bool,
) -> Result<Ingested, Error> {
    let Memory { notebook, modules } = memory;
    let mut discoveries = transcript.discoveries();
    for one in &mut discoveries {
        one.module = modules.named_in(&one.content);
    }
    let imported =
        if discoveries.is_empty() { Imported::default() } else { memory.import(&discoveries)? };
    let mut session = None;
    if transcript.is_conversation {
        let before = notebook.last_session(&transcript.session.connection)?;
        let record = merged(before.filter(|_| continues), transcript.session);
        notebook.keep_session(&record)?;
        session = Some(record.id);
    }
    if let Some(mark) = mark {
        notebook.keep_transcript(mark)?;
    }
    Ok(Ingested { discoveries: imported, session })
}

/// A session and its continuation as one.
fn merged(before: Option<SessionRecord>, after: SessionRecord) -> SessionRecord {
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

/// The text with an empty line before each label: typed messages seldom separate paragraphs.
fn with_separated_labels(text: &str) -> String {
    let lines = text.lines().map(|line| match label(line) {
        Some(_) => format!("\n{line}\n"),
        None => format!("{line}\n"),
    });
    lines.collect()
}

/// The statements of a paragraph of a message: each with the sentences that go on about it, without questions.
fn classify_paragraph(speaker: Speaker, paragraph: &str) -> Vec<Statement> {
    if let Some((kind, rest)) = label(paragraph) {
        return new_statement(kind, rest, LABEL_CONFIDENCE).into_iter().collect();
    }
    let confidence = match speaker {
        Speaker::Person => PERSON_CONFIDENCE,
        Speaker::Assistant => ASSISTANT_CONFIDENCE,
    };
    let mut found: Vec<(DiscoveryKind, String)> = Vec::new();
    // Whether the next sentence may go on about the last statement.
    let mut continues = false;
    for sentence in sentences(paragraph) {
        let is_stated = !sentence.ends_with('?') && !contains_phrase(sentence, TENTATIVE_PHRASES);
        match classify(speaker, sentence).filter(|_| is_stated) {
            Some(kind) => {
                found.push((kind, sentence.to_string()));
                continues = true;
            }
            None if is_stated && continues && goes_on(sentence) => {
                if let Some((_, text)) = found.last_mut() {
                    text.push(' ');
                    text.push_str(sentence);
                }
            }
            None => continues = false,
        }
    }
    found.into_iter().filter_map(|(kind, text)| new_statement(kind, &text, confidence)).collect()
}

/// Whether a sentence refers to the one before it.
fn goes_on(sentence: &str) -> bool {
    const REFERENCES: &[&str] = &[
        "because",
        "this",
        "that",
        "these",
        "those",
        "it",
        "they",
        "so",
        "otherwise",
        "therefore",
        "hence",
        "thus",
        "which",
        "the reason",
        "without",
        "instead",
    ];
    let plain = sentence.to_lowercase();
    REFERENCES.iter().any(|word| {
        plain.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// The kind of a sentence of a message. A permanent instruction by a person is a rule.
fn classify(speaker: Speaker, sentence: &str) -> Option<DiscoveryKind> {
    let instruction = || {
        let first = sentence.split_whitespace().next()?.to_lowercase();
        let is_instruction = speaker == Speaker::Person && matches!(&*first, "always" | "never");
        is_instruction.then_some(DiscoveryKind::Rule)
    };
    classify_by(CONVERSATION_PHRASES, sentence)
        .or_else(|| classify_phrase(sentence))
        .or_else(instruction)
}

/// The first `limit` bytes of a text, cut at a character boundary.
fn prefix(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
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
        let mut transcript = TranscriptBuilder::new("a.jsonl", UNIX_EPOCH);
        transcript.message(speaker, 1, None, text);
        let found = transcript.discoveries();
        found.iter().map(|one| format!("{}: {}", one.kind, one.content)).collect()
    }

    #[test]
    fn a_message_is_split_into_its_statements() {
        assert_eq!(
            shown(
                Speaker::Person,
                "From now on always run the tests with pytest -x. Why does login fail when the cookie is missing? \
                 We decided to keep one queue. It is simpler. Thanks!"
            ),
            [
                "decision: We decided to keep one queue. It is simpler.",
                "rule: From now on always run the tests with pytest -x."
            ]
        );
    }

    #[test]
    fn statements_are_recognised() {
        use Speaker::{Assistant, Person};
        for (speaker, text, expected) in [
            (Person, "Never push to main. Thanks!", "rule: Never push to main."),
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
    fn questions_proposals_and_code_state_nothing() {
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
    fn issues_are_preferred_in_a_long_transcript() {
        let mut transcript = TranscriptBuilder::new("a.jsonl", UNIX_EPOCH);
        let add = |transcript: &mut TranscriptBuilder, line: u32, text: &str| {
            transcript.message(Speaker::Assistant, line, None, text);
        };
        for line in 0..60 {
            add(&mut transcript, line, &format!("We use the pattern of number {line} here."));
        }
        add(&mut transcript, 99, "The root cause was a clock that runs backwards.");
        let found = transcript.discoveries();
        assert_eq!(found.len(), MAX_DISCOVERIES);
        assert_eq!(
            found.last().map(|one| (one.kind, one.evidence[0].line)),
            Some((DiscoveryKind::Issue, 99))
        );
    }

    #[test]
    fn a_long_message_is_cut() {
        let mut transcript = TranscriptBuilder::new("a.jsonl", UNIX_EPOCH);
        transcript.message(Speaker::Person, u32::MAX, None, &"ü".repeat(MAX_MESSAGE));
        transcript.message(Speaker::Person, u32::MAX, None, "a\nRULE: never log a token at all");
        assert_eq!(transcript.discoveries()[0].evidence[0].line, u32::MAX);
    }
}
