//! Recorded discoveries: adding, editing, superseding, deleting and importing them.

use crate::error::Error;
use crate::module::Modules;
use crate::near_duplicate::{WordSet, merge_into};
use crate::statement::{MAX_LENGTH, classify_instruction, label};
use groma_core::{Discovery, DiscoveryKind, Evidence, Notebook, from_iso, iso_exact};
use groma_secrets::redact;
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum length of a discovery, in characters; a longer text is a document.
const MAX_CONTENT: usize = 4 * MAX_LENGTH;

/// A discovery to record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDiscovery {
    /// The text.
    pub content: String,
    /// Its kind; classified by its words if `None`.
    pub kind: Option<DiscoveryKind>,
    /// Its module; the one that the text names if `None`.
    pub module: Option<String>,
    /// The session it was made in.
    pub session: Option<String>,
}

impl NewDiscovery {
    /// A text without further data.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), kind: None, module: None, session: None }
    }
}

/// The outcome of recording a discovery.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// The discovery as stored.
    pub discovery: Discovery,
    /// Whether the same statement existed already.
    pub was_known: bool,
    /// Recorded discoveries in nearly the same words, which may say something else.
    pub similar: Vec<Discovery>,
    /// Whether secrets were redacted.
    pub was_redacted: bool,
}

/// The replacement of a superseded discovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// A new discovery; kind and module default to those of the superseded one.
    New(NewDiscovery),
    /// A recorded discovery, by its id.
    Existing(String),
}

/// An edit of a discovery; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The new text.
    pub content: Option<String>,
    /// The new kind.
    pub kind: Option<DiscoveryKind>,
    /// The new module; empty for none.
    pub module: Option<String>,
}

/// The outcome of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Discoveries that were new.
    pub added: usize,
    /// Discoveries merged into existing ones, which changed.
    pub merged: usize,
    /// Discoveries that changed nothing.
    pub unchanged: usize,
}

/// The recorded discoveries of one project.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub notebook: &'a dyn Notebook,
    pub modules: &'a Modules,
}

impl Memory<'_> {
    /// Records a discovery; if the same statement was recorded already, it is merged into that one.
    pub fn remember(&self, new: &NewDiscovery) -> Result<Remembered, Error> {
        let (discovery, was_redacted) = discovery(new, self.modules, SystemTime::now())?;
        let mut stored = None;
        let mut similar = Vec::new();
        self.notebook.change(&mut |known| {
            similar = similar_to(&discovery, known);
            let (same, outcome) = insert_or_merge(known, &mut word_sets(known), discovery.clone());
            // Recording a superseded discovery again restores it.
            if same.superseded.is_some()
                && let Some(same) = known.iter_mut().find(|one| one.id == same.id)
            {
                same.superseded = None;
                same.edited = Some(discovery.date);
            }
            stored = Some((same, outcome));
        })?;
        let (discovery, outcome) = stored.unwrap_or((discovery, Outcome::Added));
        let was_known = outcome != Outcome::Added && discovery.superseded.is_none();
        let discovery = Discovery { superseded: None, ..discovery };
        similar.retain(|one| one.id != discovery.id);
        Ok(Remembered { discovery, was_known, similar, was_redacted })
    }

    /// Marks `old` as superseded: it is no longer returned, and refers to its replacement. Derived discoveries can be
    /// superseded, too.
    pub fn supersede(&self, old: &Discovery, by: &Replacement) -> Result<Discovery, Error> {
        let now = to_milliseconds(SystemTime::now());
        let fresh = match by {
            Replacement::New(new) => {
                let mut new = new.clone();
                new.kind = new.kind.or(Some(old.kind));
                new.module = new.module.or_else(|| old.module.clone());
                Some(discovery(&new, self.modules, now)?.0)
            }
            Replacement::Existing(id) if *id == old.id => {
                return Err(Error::invalid("id", "cannot supersede itself"));
            }
            Replacement::Existing(_) => None,
        };
        let mut replacement = None;
        self.notebook
            .change(&mut |known| replacement = replace(known, old, by, fresh.clone(), now))?;
        replacement.ok_or_else(|| match by {
            Replacement::Existing(id) => unknown(id),
            Replacement::New(_) => unknown(&old.id),
        })
    }

    /// Edits a recorded discovery.
    pub fn revise(&self, id: &str, change: &Change) -> Result<Discovery, Error> {
        let content = change.content.as_deref().map(validate).transpose()?;
        let mut revised = None;
        self.notebook.change(&mut |known| {
            let Some(discovery) = known.iter_mut().find(|one| one.id == id) else { return };
            if let Some((content, _)) = &content {
                discovery.content.clone_from(content);
            }
            discovery.kind = change.kind.unwrap_or(discovery.kind);
            if let Some(module) = &change.module {
                discovery.module = Some(module.clone()).filter(|module| !module.is_empty());
            }
            discovery.edited = Some(to_milliseconds(SystemTime::now()));
            revised = Some(discovery.clone());
        })?;
        revised.ok_or_else(|| unknown(id))
    }

    /// Deletes a recorded discovery and returns it.
    pub fn forget(&self, id: &str) -> Result<Discovery, Error> {
        let mut deleted = None;
        self.notebook.change(&mut |known| {
            let position = known.iter().position(|one| one.id == id);
            deleted = position.map(|position| known.remove(position));
            // The discoveries it superseded are current again.
            for one in known.iter_mut().filter(|one| one.superseded.as_deref() == Some(id)) {
                one.superseded = None;
                one.edited = Some(to_milliseconds(SystemTime::now()));
            }
        })?;
        deleted.ok_or_else(|| unknown(id))
    }

    /// Imports discoveries of another notebook. Idempotent.
    pub fn import(&self, discoveries: &[Discovery]) -> Result<Imported, Error> {
        let mut imported = Imported::default();
        self.notebook.change(&mut |known| {
            imported = Imported::default();
            // Each text is tokenised once.
            let mut sets = word_sets(known);
            for discovery in discoveries {
                let content = redact(&discovery.content);
                let redacted = Discovery { content, ..discovery.clone() };
                let (_, outcome) = insert_or_merge(known, &mut sets, redacted);
                match outcome {
                    Outcome::Added => imported.added += 1,
                    Outcome::Merged => imported.merged += 1,
                    Outcome::Unchanged => imported.unchanged += 1,
                }
            }
        })?;
        Ok(imported)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Added,
    Merged,
    Unchanged,
}

/// The word sets of discoveries.
fn word_sets(known: &[Discovery]) -> Vec<WordSet> {
    known.iter().map(|one| WordSet::new(&one.content)).collect()
}

/// Current discoveries in nearly the same words as another.
pub(crate) fn similar_to(one: &Discovery, known: &[Discovery]) -> Vec<Discovery> {
    let words = WordSet::new(&one.content);
    let current = known.iter().filter(|other| other.superseded.is_none() && other.id != one.id);
    current.filter(|other| WordSet::new(&other.content).is_similar(&words)).cloned().collect()
}

/// Adds a discovery, or merges it into one that says the same; `sets` are the word sets of `known`.
fn insert_or_merge(
    known: &mut Vec<Discovery>,
    sets: &mut Vec<WordSet>,
    discovery: Discovery,
) -> (Discovery, Outcome) {
    let words = WordSet::new(&discovery.content);
    let is_duplicate = |(one, set): (&Discovery, &WordSet)| {
        // A replacement may differ from the superseded discovery by a word only.
        one.kind == discovery.kind
            && (one.superseded.is_none() || one.content == discovery.content)
            && discovery.superseded.is_none()
            && set.is_same(&words)
    };
    let position = known.iter().position(|one| one.id == discovery.id);
    let position = position.or_else(|| known.iter().zip(&*sets).position(is_duplicate));
    match position {
        Some(position) => {
            let same = &mut known[position];
            let before = same.clone();
            merge_into(same, discovery);
            sets[position] = WordSet::new(&same.content);
            let outcome = if *same == before { Outcome::Unchanged } else { Outcome::Merged };
            (same.clone(), outcome)
        }
        None => {
            known.push(discovery.clone());
            sets.push(words);
            (discovery, Outcome::Added)
        }
    }
}

fn discovery(
    new: &NewDiscovery,
    modules: &Modules,
    now: SystemTime,
) -> Result<(Discovery, bool), Error> {
    let (content, was_redacted) = validate(&new.content)?;
    let labelled = label(&content).map(|(kind, rest)| (kind, rest.trim().to_string()));
    let (classified, content) = match labelled.filter(|(_, rest)| !rest.is_empty()) {
        Some((kind, rest)) => (Some(kind), rest),
        None => (classify_instruction(&content), content),
    };
    let nanos = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
    let discovery = Discovery {
        id: Discovery::name(&[&content, &nanos]),
        kind: new.kind.or(classified).unwrap_or(DiscoveryKind::Pattern),
        module: new.module.clone().or_else(|| modules.named_in(&content)),
        content,
        session: new.session.clone(),
        date: to_milliseconds(now),
        confidence: 1.0,
        evidence: vec![Evidence::remembered()],
        edited: None,
        superseded: None,
    };
    Ok((discovery, was_redacted))
}

/// Truncates a time to milliseconds, as exports do.
fn to_milliseconds(now: SystemTime) -> SystemTime {
    from_iso(&iso_exact(now)).unwrap_or(now)
}

/// Marks a discovery as superseded and returns its replacement.
fn replace(
    known: &mut Vec<Discovery>,
    old: &Discovery,
    by: &Replacement,
    fresh: Option<Discovery>,
    now: SystemTime,
) -> Option<Discovery> {
    let new = match (by, fresh) {
        (Replacement::Existing(id), _) => known.iter().find(|one| one.id == *id)?.clone(),
        (Replacement::New(_), fresh) => fresh?,
    };
    let superseded = Discovery {
        superseded: Some(new.id.clone()),
        edited: Some(now),
        ..known.iter().find(|one| one.id == old.id).unwrap_or(old).clone()
    };
    known.retain(|one| one.id != old.id && one.id != new.id);
    known.extend([superseded, new.clone()]);
    Some(new)
}

/// The redacted text, and whether secrets were redacted.
fn validate(content: &str) -> Result<(String, bool), Error> {
    let content = content.trim();
    if content.chars().filter(|c| c.is_alphanumeric()).count() < 3 {
        return Err(Error::invalid("content", "is empty; say what to remember"));
    }
    if content.chars().count() > MAX_CONTENT {
        let reason =
            format!("is longer than {MAX_CONTENT} characters; record one discovery at a time");
        return Err(Error::invalid("content", reason));
    }
    let redacted = redact(content);
    let was_redacted = redacted != content;
    Ok((redacted, was_redacted))
}

fn unknown(id: &str) -> Error {
    let reason = format!("`{id}` is not a recorded discovery; `groma notes list` lists them");
    Error::invalid("id", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(content: &str) -> Discovery {
        discovery(&NewDiscovery::new(content), &Modules::default(), UNIX_EPOCH).unwrap().0
    }

    #[test]
    fn kind_and_module_are_classified() {
        let kind = |text: &str| recorded(text).kind.as_str();
        assert_eq!(kind("DECISION: PostgreSQL, not MySQL"), "decision");
        assert_eq!(recorded("DECISION: PostgreSQL, not MySQL").content, "PostgreSQL, not MySQL");
        assert_eq!(kind("We decided to drop support for Windows 7"), "decision");
        assert_eq!(kind("Never log a token"), "rule");
        assert_eq!(kind("Known issue: none of it works on Fridays"), "issue");
        assert_eq!(kind("Errors carry their causes"), "pattern");
        assert_eq!(recorded("in the auth module tokens rotate").module.as_deref(), Some("auth"));
    }

    #[test]
    fn invalid_texts_are_rejected() {
        let wrong = |text: &str| {
            discovery(&NewDiscovery::new(text), &Modules::default(), UNIX_EPOCH).is_err()
        };
        assert!(wrong("") && wrong("  !") && wrong(&"x".repeat(MAX_CONTENT + 1)));
        assert!(!wrong("use tabs"));
    }
}
