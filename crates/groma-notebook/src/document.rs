//! What documents state: decision records, rules for contributors and assistants, and the sections of any document
//! whose heading says that they hold rules, decisions or known issues.

use crate::blocks::{Block, blocks};
use crate::statement::{self, LABELLED, PHRASED, Statement, phrase, sentences, sounds_like, state};
use groma_core::{DiscoveryKind, RelPath, from_iso};
use groma_search::{PathKind, path_kind};
use std::time::SystemTime;

/// How sure a statement is that stands where such statements are collected.
const COLLECTED: f32 = 0.8;

/// How sure a decision is that its own record calls withdrawn.
const WITHDRAWN: f32 = 0.3;

/// A document that states more is a list of something else.
const MOST: usize = 300;

/// Folders of decision records.
const RECORD_FOLDERS: &[&str] =
    &["adr", "adrs", "decisions", "decision-records", "architecture-decisions"];

/// How documents are named that tell contributors and assistants what to do.
const RULE_BOOKS: &[&str] = &[
    "agents",
    "claude",
    "codestyle",
    "coding",
    "contributing",
    "conventions",
    "copilot-instructions",
    "gemini",
    "guidelines",
    "style",
    "styleguide",
];

/// Words of a heading, and what its section states.
const SECTIONS: &[(&str, DiscoveryKind)] = &[
    ("known issue", DiscoveryKind::Issue),
    ("known bug", DiscoveryKind::Issue),
    ("known limitation", DiscoveryKind::Issue),
    ("gotcha", DiscoveryKind::Issue),
    ("pitfall", DiscoveryKind::Issue),
    ("caveat", DiscoveryKind::Issue),
    ("limitation", DiscoveryKind::Issue),
    ("limits", DiscoveryKind::Issue),
    ("decision", DiscoveryKind::Decision),
    ("rationale", DiscoveryKind::Decision),
    ("trade-off", DiscoveryKind::Decision),
    ("tradeoff", DiscoveryKind::Decision),
    ("alternatives considered", DiscoveryKind::Decision),
    ("why", DiscoveryKind::Decision),
    ("invariant", DiscoveryKind::Rule),
    ("principle", DiscoveryKind::Rule),
    ("guideline", DiscoveryKind::Rule),
    ("convention", DiscoveryKind::Pattern),
    ("best practice", DiscoveryKind::Pattern),
];

/// The same for words that are the subject of many a project: only a heading that is little else says what its
/// section states.
const PLAIN_SECTIONS: &[(&str, DiscoveryKind)] =
    &[("rule", DiscoveryKind::Rule), ("pattern", DiscoveryKind::Pattern)];

/// What may stand before such a word.
const BEFORE: &[&str] = &[
    "basic",
    "code",
    "coding",
    "common",
    "core",
    "design",
    "development",
    "general",
    "golden",
    "ground",
    "house",
    "important",
    "our",
    "project",
    "style",
    "team",
    "the",
];

/// What a document states.
#[derive(Debug, Default)]
pub(crate) struct Stated {
    /// Each statement with its line.
    pub statements: Vec<(u32, Statement)>,
    /// The date the document gives itself.
    pub date: Option<SystemTime>,
}

/// What a document states.
pub(crate) fn in_document(path: &RelPath, text: &str) -> Stated {
    // A changelog tells what was, not what holds.
    if path_kind(path) == PathKind::Record {
        return Stated::default();
    }
    let blocks = blocks(text);
    let mut statements = match is_record(path) {
        true => record(&blocks).into_iter().collect(),
        false => collected(path, &blocks),
    };
    statements.truncate(MOST);
    Stated { statements, date: stated_date(text) }
}

fn is_record(path: &RelPath) -> bool {
    let stem = path.stem().to_ascii_lowercase();
    let numbered = stem.starts_with("adr-") || stem.starts_with(|c: char| c.is_ascii_digit());
    numbered && path.folders().any(|folder| RECORD_FOLDERS.contains(&&*folder.to_ascii_lowercase()))
        || stem.starts_with("adr-")
}

fn is_rule_book(path: &RelPath) -> bool {
    let stem = path.stem().to_ascii_lowercase();
    RULE_BOOKS.contains(&&*stem.replace('_', "-"))
}

/// The decision of a decision record: its title, and what its section about the decision says.
fn record(blocks: &[Block]) -> Option<(u32, Statement)> {
    let says = |block: &&Block, word: &str| {
        block.headings.iter().skip(1).any(|heading| heading.to_lowercase().contains(word))
    };
    let title = blocks.iter().find_map(|block| block.headings.first());
    let title = title.map(|title| numberless(title)).unwrap_or_default();
    let decided: Vec<&Block> = blocks.iter().filter(|block| says(block, "decision")).collect();
    let first = decided.first().copied().or_else(|| {
        blocks.iter().find(|block| !says(block, "status") && !is_metadata(&block.text))
    })?;
    let text = match decided.is_empty() {
        true => first.text.clone(),
        false => decided.iter().map(|block| &*block.text).collect::<Vec<_>>().join(" "),
    };
    let withdrawn = blocks
        .iter()
        .filter(|block| says(block, "status") || is_metadata(&block.text))
        .any(|block| {
            let text = block.text.to_lowercase();
            ["superseded", "rejected", "deprecated", "withdrawn"]
                .iter()
                .any(|word| text.contains(word))
        });
    let confidence = if withdrawn { WITHDRAWN } else { LABELLED };
    let content = joined(title, &text);
    Some((first.line, state(DiscoveryKind::Decision, &content, confidence)?))
}

fn is_metadata(text: &str) -> bool {
    let plain = text.trim_start_matches(['*', '_', ' ']).to_lowercase();
    ["date", "status", "deciders", "author", "tags"].iter().any(|word| plain.starts_with(word))
}

/// A title without `ADR-0003:` or `3.` in front.
fn numberless(title: &str) -> &str {
    let rest = title.trim_start_matches("ADR").trim_start_matches(['-', ' ', '#']);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.trim_start_matches(['.', ':', ')', '-', ' ', '–', '—']);
    if rest.is_empty() { title } else { rest }
}

fn joined(heading: &str, text: &str) -> String {
    let text = text.replace("**", "");
    if heading.is_empty() { text } else { format!("{heading}: {text}") }
}

/// What any other document states.
fn collected(path: &RelPath, blocks: &[Block]) -> Vec<(u32, Statement)> {
    let rule_book = is_rule_book(path);
    let sounds = if rule_book { sounds_like } else { phrase };
    let mut found = Vec::new();
    for block in blocks {
        if let Some((kind, rest)) = statement::label(&block.text) {
            found.extend(
                state(kind, &rest.replace("**", ""), LABELLED).map(|one| (block.line, one)),
            );
            continue;
        }
        match section_kind(&block.headings, rule_book && block.is_item) {
            Some(kind) => {
                let content = joined(topic(&block.headings), &block.text);
                found.extend(state(kind, &content, COLLECTED).map(|one| (block.line, one)));
            }
            None => {
                let sentences = sentences(&block.text);
                let stated = sentences.filter_map(|one| state(sounds(one)?, one, PHRASED));
                found.extend(stated.map(|one| (block.line, one)));
            }
        }
    }
    found
}

/// What the nearest telling heading says the block states.
fn section_kind(headings: &[String], is_rule: bool) -> Option<DiscoveryKind> {
    let told = headings.iter().rev().find_map(|heading| {
        let plain = heading.to_lowercase();
        let starts = |word: &str| {
            plain.match_indices(word).any(|(at, _)| !plain[..at].ends_with(char::is_alphanumeric))
        };
        let told = SECTIONS.iter().find(|(word, _)| starts(word)).map(|(_, kind)| *kind);
        told.or_else(|| plainly(&plain))
    });
    told.or(is_rule.then_some(DiscoveryKind::Rule))
}

/// What a heading says its section states by a word that means many things: `Rules`, `House rules`, `Rules for tests`.
fn plainly(heading: &str) -> Option<DiscoveryKind> {
    let mut words = heading.split_whitespace().skip_while(|word| BEFORE.contains(word));
    let word = words.next()?.trim_end_matches(':');
    let goes_on =
        words.next().is_some_and(|next| !matches!(next, "for" | "of" | "when" | "and" | "we"));
    let kind = PLAIN_SECTIONS.iter().find(|(name, _)| {
        word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest == "s")
    });
    kind.filter(|_| !goes_on).map(|(_, kind)| *kind)
}

/// The heading that says what a block is about; one that only says what it is says nothing.
fn topic(headings: &[String]) -> &str {
    let heading = headings.iter().skip(1).next_back().map_or("", String::as_str);
    let words: Vec<String> = heading.split_whitespace().map(str::to_lowercase).collect();
    let is_bare = words.len() <= 2
        && SECTIONS
            .iter()
            .any(|(word, _)| words.join(" ").trim_end_matches('s') == word.trim_end_matches('s'));
    if is_bare { "" } else { heading }
}

/// The date a document gives itself in its first lines.
fn stated_date(text: &str) -> Option<SystemTime> {
    text.lines().take(30).find_map(|line| {
        let plain = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let rest =
            plain.get(..4).filter(|word| word.eq_ignore_ascii_case("date")).map(|_| &plain[4..])?;
        let rest = rest.trim_start_matches(|c: char| !c.is_ascii_digit());
        from_iso(rest.get(..10)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::iso;

    fn shown(path: &str, text: &str) -> Vec<String> {
        in_document(&RelPath::new(path).unwrap(), text)
            .statements
            .into_iter()
            .map(|(line, one)| format!("{line} {} {}: {}", one.kind, one.confidence, one.content))
            .collect()
    }

    const RECORD: &str = "\
# ADR-0003: Keep tokens in cookies

Date: 2024-03-09

## Status

Accepted

## Context

Scripts can read local storage.

## Decision

We keep the JWT in an httpOnly cookie.

- It is refreshed under a lock.

## Consequences

None.
";

    #[test]
    fn a_decision_record_is_one_decision() {
        assert_eq!(
            shown("docs/adr/0003-cookies.md", RECORD),
            ["15 decision 0.9: Keep tokens in cookies: We keep the JWT in an httpOnly cookie. \
              It is refreshed under a lock."]
        );
        let withdrawn = RECORD.replace("Accepted", "Superseded by ADR-0007");
        assert!(shown("docs/adr/0003-cookies.md", &withdrawn)[0].starts_with("15 decision 0.3"));
        let stated = in_document(&RelPath::new("docs/adr/0003-cookies.md").unwrap(), RECORD);
        assert_eq!(stated.date.map(iso).as_deref(), Some("2024-03-09T00:00:00Z"));
    }

    #[test]
    fn a_book_of_rules_is_its_items() {
        let text = "\
# For assistants

Some words first. Never commit to main directly.

## Tests

- Run `make check`
  before you push.
- ok

```sh
- must not be read
```
";
        let expected = [
            "3 rule 0.6: Never commit to main directly.",
            "7 rule 0.8: Tests: Run `make check` before you push.",
        ];
        assert_eq!(shown("CLAUDE.md", text), expected);
        assert_eq!(shown("docs/guide.md", text), [""; 0]);
    }

    #[test]
    fn headings_say_what_their_sections_state() {
        let text = "\
Handbook
========

Why not Kafka
-------------

One queue is enough for us.

## Known issues

| # | issue |
|--:|---|
| 1 | the cache is never emptied |

## Usage

We use tabs here. Call it twice.
";
        assert_eq!(
            shown("README.md", text),
            [
                "7 decision 0.8: Why not Kafka: One queue is enough for us.",
                "13 issue 0.8: the cache is never emptied",
                "17 pattern 0.6: We use tabs here.",
            ]
        );
        assert_eq!(shown("CHANGELOG.md", text), [""; 0]);
    }

    #[test]
    fn a_subject_is_no_promise() {
        let told = |heading: &str| {
            let text =
                format!("# Handbook\n\n## {heading}\n\nEvery rule has a name and a group.\n");
            shown("docs/a.md", &text).len()
        };
        for heading in
            ["Rules", "House rules", "The rules of the house", "Rules for tests", "Design patterns"]
        {
            assert_eq!(told(heading), 1, "{heading}");
        }
        for heading in ["Rule manager", "Alerting rules", "Pattern matching", "Ruler"] {
            assert_eq!(told(heading), 0, "{heading}");
        }
    }
}
