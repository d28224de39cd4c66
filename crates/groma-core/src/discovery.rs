//! What a project knows about itself besides its code: patterns, rules, decisions and issues.

use crate::symbol::named_enum;
use std::fmt;
use std::str::FromStr;
use std::time::SystemTime;

named_enum! {
    /// What a discovery is. The names are those of the Context Tool contract.
    DiscoveryKind {
        /// How things are done here.
        Pattern = "pattern",
        /// What must or must not be.
        Rule = "rule",
        /// What was chosen, and why.
        Decision = "decision",
        /// What is or was wrong.
        Issue = "issue",
    }
}

named_enum! {
    /// Where a discovery was made.
    Origin {
        /// A client recorded it.
        Remembered = "remembered",
        /// A document of the project.
        Document = "document",
        /// A comment in the code.
        Comment = "comment",
        /// The message of a commit.
        Commit = "commit",
        /// The record of a session with an assistant.
        Transcript = "transcript",
    }
}

/// One source of a discovery.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Evidence {
    /// The kind of source.
    pub origin: Origin,
    /// Which one: a path, a commit, the name of a transcript; may be empty.
    pub place: String,
    /// The line in it, where it has lines; 0 where it has none.
    pub line: u32,
}

impl Evidence {
    /// Recorded by a client.
    pub fn remembered() -> Self {
        Self { origin: Origin::Remembered, place: String::new(), line: 0 }
    }

    /// The path of the file, if the source is a file.
    pub fn file(&self) -> Option<&str> {
        matches!(self.origin, Origin::Document | Origin::Comment).then_some(&*self.place)
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)?;
        if !self.place.is_empty() {
            write!(f, " {}", self.place)?;
        }
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        Ok(())
    }
}

impl FromStr for Evidence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (origin, place) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
        let origin = origin.parse()?;
        let numbered = place.rsplit_once(':').and_then(|(place, line)| {
            let line = line.parse().ok().filter(|line| *line > 0)?;
            Some((place, line))
        });
        let (place, line) = numbered.unwrap_or((place, 0));
        Ok(Self { origin, place: place.to_string(), line })
    }
}

/// Something a project knows about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Discovery {
    /// Unique id.
    pub id: String,
    /// What it is.
    pub kind: DiscoveryKind,
    /// What is known, in words.
    pub content: String,
    /// The module of the project it is about, if it is about one.
    pub module: Option<String>,
    /// The session it was made in, if it was made in one.
    pub session: Option<String>,
    /// When it was made first.
    pub date: SystemTime,
    /// How sure it is, 0..1.
    pub confidence: f32,
    /// Its sources, the first one first. Never empty.
    pub evidence: Vec<Evidence>,
    /// When it was last edited, if it was.
    pub edited: Option<SystemTime>,
    /// The id of the discovery that replaced it: it no longer holds, and queries do not return it.
    pub superseded: Option<String>,
}

impl Discovery {
    /// An id derived from these texts.
    pub fn name(texts: &[&str]) -> String {
        let mut hasher = blake3::Hasher::new();
        for text in texts {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        format!("discovery-{}", &hasher.finalize().to_hex()[..16])
    }

    /// Where it was made first.
    pub fn origin(&self) -> Origin {
        self.evidence.first().map_or(Origin::Remembered, |evidence| evidence.origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_written_and_read() {
        for text in [
            "remembered",
            "comment src/a b.ts:12",
            "commit 1a2b3c",
            "transcript 2026-01-02.jsonl:7",
        ] {
            assert_eq!(
                text.parse::<Evidence>().map(|evidence| evidence.to_string()),
                Ok(text.into())
            );
        }
        let odd: Evidence = "document C:notes".parse().unwrap();
        assert_eq!((odd.place.as_str(), odd.line), ("C:notes", 0));
        assert!("rumour x".parse::<Evidence>().is_err());
    }
}
