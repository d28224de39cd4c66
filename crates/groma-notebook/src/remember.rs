//! What was told: kept, changed, forgotten, exchanged.

use crate::error::Error;
use crate::module::Modules;
use crate::overlap::{WordSet, absorb};
use crate::redact::redact;
use crate::statement::{LONGEST, label, sounds_like};
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

/// What takes the place of a discovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Something that is told now; kind and module are those of the other unless they are given.
    Told(Telling),
    /// Something that was told, by its id.
    Known(String),
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

/// What was told about one project.
#[derive(Clone, Copy)]
pub(crate) struct Memory<'a> {
    pub notebook: &'a dyn Notebook,
    pub modules: &'a Modules,
}

impl Memory<'_> {
    /// Keeps something that was told. What is known already is not kept twice.
    pub fn remember(&self, telling: &Telling) -> Result<Remembered, Error> {
        let (discovery, was_redacted) = discovery(telling, self.modules, SystemTime::now())?;
        let mut kept = None;
        self.notebook.change(&mut |known| {
            let (same, outcome) = keep(known, &mut sets(known), discovery.clone());
            // What is told again holds again.
            if same.superseded.is_some()
                && let Some(same) = known.iter_mut().find(|one| one.id == same.id)
            {
                same.superseded = None;
                same.edited = Some(discovery.date);
            }
            kept = Some((same, outcome));
        })?;
        let (discovery, outcome) = kept.unwrap_or((discovery, Outcome::Added));
        let was_known = outcome != Outcome::Added && discovery.superseded.is_none();
        let discovery = Discovery { superseded: None, ..discovery };
        Ok(Remembered { discovery, was_known, was_redacted })
    }

    /// Puts something in the place of what no longer holds: `old` answers nothing from now on, and says by what it
    /// was superseded. What is stated somewhere can be superseded, too.
    pub fn supersede(&self, old: &Discovery, by: &Replacement) -> Result<Discovery, Error> {
        let now = moment(SystemTime::now());
        let fresh = match by {
            Replacement::Told(telling) => {
                let mut telling = telling.clone();
                telling.kind = telling.kind.or(Some(old.kind));
                telling.module = telling.module.or_else(|| old.module.clone());
                Some(discovery(&telling, self.modules, now)?.0)
            }
            Replacement::Known(id) if *id == old.id => {
                return Err(Error::invalid("id", "cannot take its own place"));
            }
            Replacement::Known(_) => None,
        };
        let mut taken = None;
        self.notebook.change(&mut |known| taken = replace(known, old, by, fresh.clone(), now))?;
        taken.ok_or_else(|| match by {
            Replacement::Known(id) => unknown(id),
            Replacement::Told(_) => unknown(&old.id),
        })
    }

    /// Changes something that was told.
    pub fn revise(&self, id: &str, change: &Change) -> Result<Discovery, Error> {
        let content = change.content.as_deref().map(checked).transpose()?;
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
            discovery.edited = Some(moment(SystemTime::now()));
            revised = Some(discovery.clone());
        })?;
        revised.ok_or_else(|| unknown(id))
    }

    /// Forgets something that was told; gives it back.
    pub fn forget(&self, id: &str) -> Result<Discovery, Error> {
        let mut forgotten = None;
        self.notebook.change(&mut |known| {
            let place = known.iter().position(|one| one.id == id);
            forgotten = place.map(|place| known.remove(place));
            // What it stood in place of holds again.
            for one in known.iter_mut().filter(|one| one.superseded.as_deref() == Some(id)) {
                one.superseded = None;
                one.edited = Some(moment(SystemTime::now()));
            }
        })?;
        forgotten.ok_or_else(|| unknown(id))
    }

    /// Takes in what was told elsewhere. Doing it twice changes nothing.
    pub fn take_in(&self, discoveries: &[Discovery]) -> Result<Imported, Error> {
        let mut imported = Imported::default();
        self.notebook.change(&mut |known| {
            imported = Imported::default();
            // Each text is taken apart once, however many there are.
            let mut sets = sets(known);
            for discovery in discoveries {
                let content = redact(&discovery.content);
                let taken = Discovery { content, ..discovery.clone() };
                let (_, outcome) = keep(known, &mut sets, taken);
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

/// The words of each discovery.
fn sets(known: &[Discovery]) -> Vec<WordSet> {
    known.iter().map(|one| WordSet::new(&one.content)).collect()
}

/// Adds a discovery to what is known, or to the one that says the same; `sets` are the words of what is known.
fn keep(
    known: &mut Vec<Discovery>,
    sets: &mut Vec<WordSet>,
    discovery: Discovery,
) -> (Discovery, Outcome) {
    let words = WordSet::new(&discovery.content);
    let says_same = |(one, set): (&Discovery, &WordSet)| {
        // What took the place of another may be said in nearly the same words.
        one.kind == discovery.kind
            && (one.superseded.is_none() || one.content == discovery.content)
            && discovery.superseded.is_none()
            && set.is_near(&words)
    };
    let place = known.iter().position(|one| one.id == discovery.id);
    let place = place.or_else(|| known.iter().zip(&*sets).position(says_same));
    match place {
        Some(place) => {
            let same = &mut known[place];
            let before = same.clone();
            absorb(same, discovery);
            sets[place] = WordSet::new(&same.content);
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
    telling: &Telling,
    modules: &Modules,
    now: SystemTime,
) -> Result<(Discovery, bool), Error> {
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
        module: telling.module.clone().or_else(|| modules.told(&content)),
        content,
        session: telling.session.clone(),
        date: moment(now),
        confidence: 1.0,
        evidence: vec![Evidence::remembered()],
        edited: None,
        superseded: None,
    };
    Ok((discovery, was_redacted))
}

/// A moment to the millisecond, as it is written down.
fn moment(now: SystemTime) -> SystemTime {
    from_iso(&iso_exact(now)).unwrap_or(now)
}

/// Marks what no longer holds, and gives what took its place.
fn replace(
    known: &mut Vec<Discovery>,
    old: &Discovery,
    by: &Replacement,
    fresh: Option<Discovery>,
    now: SystemTime,
) -> Option<Discovery> {
    let new = match (by, fresh) {
        (Replacement::Known(id), _) => known.iter().find(|one| one.id == *id)?.clone(),
        (Replacement::Told(_), fresh) => fresh?,
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

/// A text that can be kept, and whether secrets were taken out of it.
fn checked(content: &str) -> Result<(String, bool), Error> {
    let content = content.trim();
    if content.chars().filter(|c| c.is_alphanumeric()).count() < 3 {
        return Err(Error::invalid("content", "is empty; say what to remember"));
    }
    if content.chars().count() > LONGEST_TOLD {
        let reason = format!("is longer than {LONGEST_TOLD} characters; tell one thing at a time");
        return Err(Error::invalid("content", reason));
    }
    let redacted = redact(content);
    let was_redacted = redacted != content;
    Ok((redacted, was_redacted))
}

fn unknown(id: &str) -> Error {
    let reason = format!("`{id}` is nothing that was told; `groma notebook list` shows what was");
    Error::invalid("id", reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(content: &str) -> Discovery {
        discovery(&Telling::new(content), &Modules::default(), UNIX_EPOCH).unwrap().0
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
        let wrong =
            |text: &str| discovery(&Telling::new(text), &Modules::default(), UNIX_EPOCH).is_err();
        assert!(wrong("") && wrong("  !") && wrong(&"x".repeat(LONGEST_TOLD + 1)));
        assert!(!wrong("use tabs"));
    }
}
