//! What was told: kept, changed, forgotten, exchanged.

use super::module::module_told;
use super::overlap::{WordSet, absorb};
use super::redact::redact;
use super::statement::{LONGEST, label, sounds_like};
use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{Discovery, DiscoveryKind, Evidence, Notebook, from_iso, iso_exact};
use std::time::{SystemTime, UNIX_EPOCH};

/// Longest text that is taken, in characters; what is longer is a document.
const LONGEST_TOLD: usize = 4 * LONGEST;

/// Something to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Telling {
    /// What is known, in words.
    pub content: String,
    /// What it is; told by its words where it is not given.
    pub kind: Option<DiscoveryKind>,
    /// The part of the project it is about; told by its words where it is not given.
    pub module: Option<String>,
    /// The session it was told in.
    pub session: Option<String>,
}

impl Telling {
    /// A text by itself.
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), kind: None, module: None, session: None }
    }
}

/// What became of something that was told.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    /// As it is kept.
    pub discovery: Discovery,
    /// Whether it was known already, in nearly the same words.
    pub was_known: bool,
    /// Whether secrets were taken out of it.
    pub was_redacted: bool,
}

/// What is to be changed of a discovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Other words.
    pub content: Option<String>,
    /// Another kind.
    pub kind: Option<DiscoveryKind>,
    /// Another module; an empty one for none.
    pub module: Option<String>,
}

/// What an import did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Imported {
    /// Discoveries that were new.
    pub added: usize,
    /// Those that said what was known, from another place or with another date.
    pub merged: usize,
    /// Those that were known just so.
    pub unchanged: usize,
}

impl Engine {
    /// Keeps something that was told. What is known already is not kept twice.
    pub fn remember(&self, telling: &Telling) -> Result<Remembered, EngineError> {
        let (discovery, was_redacted) = discovery(telling, SystemTime::now())?;
        let mut kept = None;
        self.book()?.change(&mut |known| kept = Some(keep(known, discovery.clone())))?;
        let (discovery, outcome) = kept.unwrap_or((discovery, Outcome::Added));
        Ok(Remembered { discovery, was_known: outcome != Outcome::Added, was_redacted })
    }

    /// Everything that was told, oldest first.
    pub fn told(&self) -> Result<Vec<Discovery>, EngineError> {
        Ok(self.notebook().map_or(Ok(Vec::new()), |notebook| notebook.discoveries())?)
    }

    /// Changes something that was told.
    pub fn revise(&self, id: &str, change: &Change) -> Result<Discovery, EngineError> {
        let content = change.content.as_deref().map(checked).transpose()?;
        let mut revised = None;
        self.book()?.change(&mut |known| {
            let Some(discovery) = known.iter_mut().find(|one| one.id == id) else { return };
            if let Some((content, _)) = &content {
                discovery.content.clone_from(content);
            }
            discovery.kind = change.kind.unwrap_or(discovery.kind);
            if let Some(module) = &change.module {
                discovery.module = Some(module.clone()).filter(|module| !module.is_empty());
            }
            revised = Some(discovery.clone());
        })?;
        revised.ok_or_else(|| unknown(id))
    }

    /// Forgets something that was told; gives it back.
    pub fn forget_told(&self, id: &str) -> Result<Discovery, EngineError> {
        let mut forgotten = None;
        self.book()?.change(&mut |known| {
            let place = known.iter().position(|one| one.id == id);
            forgotten = place.map(|place| known.remove(place));
        })?;
        forgotten.ok_or_else(|| unknown(id))
    }

    /// Takes in what was told elsewhere. Doing it twice changes nothing.
    pub fn take_in(&self, discoveries: &[Discovery]) -> Result<Imported, EngineError> {
        let mut imported = Imported::default();
        self.book()?.change(&mut |known| {
            imported = Imported::default();
            for discovery in discoveries {
                let content = redact(&discovery.content);
                let (_, outcome) = keep(known, Discovery { content, ..discovery.clone() });
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

impl Engine {
    fn book(&self) -> Result<&dyn Notebook, EngineError> {
        let none = || EngineError::invalid("project", "has no notebook");
        self.notebook().ok_or_else(none)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Added,
    Merged,
    Unchanged,
}

/// Adds a discovery to what is known, or to the one that says the same.
fn keep(known: &mut Vec<Discovery>, discovery: Discovery) -> (Discovery, Outcome) {
    let words = WordSet::new(&discovery.content);
    let says_same = |one: &&mut Discovery| {
        one.id == discovery.id
            || one.kind == discovery.kind && WordSet::new(&one.content).is_near(&words)
    };
    match known.iter_mut().find(says_same) {
        Some(same) => {
            let before = same.clone();
            absorb(same, discovery);
            let outcome = if *same == before { Outcome::Unchanged } else { Outcome::Merged };
            (same.clone(), outcome)
        }
        None => {
            known.push(discovery.clone());
            (discovery, Outcome::Added)
        }
    }
}

fn discovery(telling: &Telling, now: SystemTime) -> Result<(Discovery, bool), EngineError> {
    let (content, was_redacted) = checked(&telling.content)?;
    let labelled = label(&content).map(|(kind, rest)| (kind, rest.trim().to_string()));
    let (told, content) = match labelled.filter(|(_, rest)| !rest.is_empty()) {
        Some((kind, rest)) => (Some(kind), rest),
        None => (sounds_like(&content), content),
    };
    let nanos = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
    let discovery = Discovery {
        id: Discovery::name(&[&content, &nanos]),
        kind: telling.kind.or(told).unwrap_or(DiscoveryKind::Pattern),
        module: telling.module.clone().or_else(|| module_told(&content)),
        content,
        session: telling.session.clone(),
        // To the millisecond, as it is written down.
        date: from_iso(&iso_exact(now)).unwrap_or(now),
        confidence: 1.0,
        evidence: vec![Evidence::remembered()],
    };
    Ok((discovery, was_redacted))
}

/// A text that can be kept, and whether secrets were taken out of it.
fn checked(content: &str) -> Result<(String, bool), EngineError> {
    let content = content.trim();
    if content.chars().filter(|c| c.is_alphanumeric()).count() < 3 {
        return Err(EngineError::invalid("content", "is empty; say what to remember"));
    }
    if content.chars().count() > LONGEST_TOLD {
        let reason = format!("is longer than {LONGEST_TOLD} characters; tell one thing at a time");
        return Err(EngineError::invalid("content", reason));
    }
    let redacted = redact(content);
    let was_redacted = redacted != content;
    Ok((redacted, was_redacted))
}

fn unknown(id: &str) -> EngineError {
    let reason = format!("`{id}` is nothing that was told; `groma notebook list` shows what was");
    EngineError::invalid("id", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(content: &str) -> Discovery {
        discovery(&Telling::new(content), UNIX_EPOCH).unwrap().0
    }

    #[test]
    fn words_tell_what_is_told() {
        let kind = |text: &str| told(text).kind.as_str();
        assert_eq!(kind("DECISION: PostgreSQL, not MySQL"), "decision");
        assert_eq!(told("DECISION: PostgreSQL, not MySQL").content, "PostgreSQL, not MySQL");
        assert_eq!(kind("We decided to drop support for Windows 7"), "decision");
        assert_eq!(kind("Never log a token"), "rule");
        assert_eq!(kind("Known issue: none of it works on Fridays"), "issue");
        assert_eq!(kind("Errors carry their causes"), "pattern");
        assert_eq!(told("in the auth module tokens rotate").module.as_deref(), Some("auth"));
    }

    #[test]
    fn what_cannot_be_kept_is_refused() {
        let wrong = |text: &str| discovery(&Telling::new(text), UNIX_EPOCH).is_err();
        assert!(wrong("") && wrong("  !") && wrong(&"x".repeat(LONGEST_TOLD + 1)));
        assert!(!wrong("use tabs"));
    }
}
