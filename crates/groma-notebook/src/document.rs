//! Statements in documents: decision records, instructions for contributors and assistants, and sections of any
//! document whose heading announces rules, decisions or known issues.

use crate::markdown::{Block, parse_blocks};
use crate::statement::{
    self, LABEL_CONFIDENCE, PHRASE_CONFIDENCE, Statement, classify_instruction, classify_phrase,
    new_statement, sentences,
};
use groma_core::{DiscoveryKind, RelPath, from_iso};
use groma_search::{PathKind, path_kind};
use std::time::SystemTime;

/// The confidence of a statement in a section of such statements.
const SECTION_CONFIDENCE: f32 = 0.8;

/// The confidence of a decision whose record has the status of withdrawn or the like.
const WITHDRAWN_CONFIDENCE: f32 = 0.3;

/// Maximum number of statements per document; one with more is a list of something else.
const MAX_STATEMENTS: usize = 300;

/// Folders of decision records.
const RECORD_FOLDERS: &[&str] =
    &["adr", "adrs", "decisions", "decision-records", "architecture-decisions"];

/// File stems of instructions for contributors and assistants.
const INSTRUCTION_FILES: &[&str] = &[
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

/// Words of a heading, and the kind of the statements in its section.
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

/// The same for words that often are the topic of a project: they count only in a heading that contains little else.
const AMBIGUOUS_SECTIONS: &[(&str, DiscoveryKind)] =
    &[("rule", DiscoveryKind::Rule), ("pattern", DiscoveryKind::Pattern)];

/// Words that may precede an ambiguous one.
const QUALIFIERS: &[&str] = &[
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

/// The statements of a document.
#[derive(Debug, Default)]
pub(crate) struct DocumentStatements {
    /// Each statement with its line.
    pub statements: Vec<(u32, Statement)>,
    /// The date that the document states.
    pub date: Option<SystemTime>,
}

/// Extracts the statements of a document.
pub(crate) fn document_statements(path: &RelPath, text: &str) -> DocumentStatements {
    // A changelog describes the past.
    if path_kind(path) == PathKind::Record {
        return DocumentStatements::default();
    }
    let blocks = parse_blocks(text);
    let mut statements = if is_record(path) {
        decision(&blocks).into_iter().collect()
    } else {
        section_statements(path, &blocks)
    };
    statements.truncate(MAX_STATEMENTS);
    DocumentStatements { statements, date: stated_date(text) }
}

fn is_record(path: &RelPath) -> bool {
    let stem = path.stem().to_ascii_lowercase();
    let numbered = stem.starts_with("adr-") || stem.starts_with(|c: char| c.is_ascii_digit());
    numbered && path.folders().any(|folder| RECORD_FOLDERS.contains(&&*folder.to_ascii_lowercase()))
        || stem.starts_with("adr-")
}

fn is_instructions(path: &RelPath) -> bool {
    let stem = path.stem().to_ascii_lowercase();
    INSTRUCTION_FILES.contains(&&*stem.replace('_', "-"))
}

/// The decision of a decision record: its title, and the text of its section `Decision`.
fn decision(blocks: &[Block]) -> Option<(u32, Statement)> {
    let is_in = |block: &&Block, word: &str| {
        block.headings.iter().skip(1).any(|heading| heading.to_lowercase().contains(word))
    };
    let title = blocks.iter().find_map(|block| block.headings.first());
    let title = title.map(|title| without_number(title)).unwrap_or_default();
    let decided: Vec<&Block> = blocks.iter().filter(|block| is_in(block, "decision")).collect();
    let first = decided.first().copied().or_else(|| {
        blocks.iter().find(|block| !is_in(block, "status") && !is_metadata(&block.text))
    })?;
    let text = if decided.is_empty() {
        first.text.clone()
    } else {
        decided.iter().map(|block| &*block.text).collect::<Vec<_>>().join(" ")
    };
    let withdrawn = blocks
        .iter()
        .filter(|block| is_in(block, "status") || is_metadata(&block.text))
        .any(|block| {
            let text = block.text.to_lowercase();
            ["superseded", "rejected", "deprecated", "withdrawn"]
                .iter()
                .any(|word| text.contains(word))
        });
    let confidence = if withdrawn { WITHDRAWN_CONFIDENCE } else { LABEL_CONFIDENCE };
    let content = joined(title, &text);
    Some((first.line, new_statement(DiscoveryKind::Decision, &content, confidence)?))
}

fn is_metadata(text: &str) -> bool {
    let plain = text.trim_start_matches(['*', '_', ' ']).to_lowercase();
    ["date", "status", "deciders", "author", "tags"].iter().any(|word| plain.starts_with(word))
}

/// A title without `ADR-0003:` or `3.` in front.
fn without_number(title: &str) -> &str {
    let rest = title.trim_start_matches("ADR").trim_start_matches(['-', ' ', '#']);
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = rest.trim_start_matches(['.', ':', ')', '-', ' ', '–', '—']);
    if rest.is_empty() { title } else { rest }
}

fn joined(heading: &str, text: &str) -> String {
    let text = text.replace("**", "");
    if heading.is_empty() { text } else { format!("{heading}: {text}") }
}

/// The statements of any other document.
fn section_statements(path: &RelPath, blocks: &[Block]) -> Vec<(u32, Statement)> {
    let is_instructions = is_instructions(path);
    let classify = if is_instructions { classify_instruction } else { classify_phrase };
    let mut found = Vec::new();
    for block in blocks {
        if let Some((kind, rest)) = statement::label(&block.text) {
            found.extend(
                new_statement(kind, &rest.replace("**", ""), LABEL_CONFIDENCE)
                    .map(|one| (block.line, one)),
            );
            continue;
        }
        match section_kind(&block.headings, is_instructions && block.is_item) {
            Some(kind) => {
                let content = joined(topic(&block.headings), &block.text);
                found.extend(
                    new_statement(kind, &content, SECTION_CONFIDENCE).map(|one| (block.line, one)),
                );
            }
            None => {
                let sentences = sentences(&block.text);
                let found_here = sentences
                    .filter_map(|one| new_statement(classify(one)?, one, PHRASE_CONFIDENCE));
                found.extend(found_here.map(|one| (block.line, one)));
            }
        }
    }
    found
}

/// The kind announced by the nearest heading that announces one.
fn section_kind(headings: &[String], is_rule: bool) -> Option<DiscoveryKind> {
    let announced = headings.iter().rev().find_map(|heading| {
        let plain = heading.to_lowercase();
        let starts = |word: &str| {
            plain.match_indices(word).any(|(at, _)| !plain[..at].ends_with(char::is_alphanumeric))
        };
        let kind = SECTIONS.iter().find(|(word, _)| starts(word)).map(|(_, kind)| *kind);
        kind.or_else(|| ambiguous_kind(&plain))
    });
    announced.or(is_rule.then_some(DiscoveryKind::Rule))
}

/// The kind that a heading announces by an ambiguous word: `Rules`, `House rules`, `Rules for tests`.
fn ambiguous_kind(heading: &str) -> Option<DiscoveryKind> {
    let mut words = heading.split_whitespace().skip_while(|word| QUALIFIERS.contains(word));
    let word = words.next()?.trim_end_matches(':');
    let continues =
        words.next().is_some_and(|next| !matches!(next, "for" | "of" | "when" | "and" | "we"));
    let kind = AMBIGUOUS_SECTIONS.iter().find(|(name, _)| {
        word.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest == "s")
    });
    kind.filter(|_| !continues).map(|(_, kind)| *kind)
}

/// The heading that names the topic of a block; empty if it names only the kind.
fn topic(headings: &[String]) -> &str {
    let heading = headings.iter().skip(1).next_back().map_or("", String::as_str);
    let words: Vec<String> = heading.split_whitespace().map(str::to_lowercase).collect();
    let is_kind_only = words.len() <= 2
        && SECTIONS
            .iter()
            .any(|(word, _)| words.join(" ").trim_end_matches('s') == word.trim_end_matches('s'));
    if is_kind_only { "" } else { heading }
}

/// The date in the first lines of a document.
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
        document_statements(&RelPath::new(path).unwrap(), text)
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
        let stated =
            document_statements(&RelPath::new("docs/adr/0003-cookies.md").unwrap(), RECORD);
        assert_eq!(stated.date.map(iso).as_deref(), Some("2024-03-09T00:00:00Z"));
    }

    #[test]
    fn items_of_instructions_are_rules() {
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
    fn headings_announce_the_kind_of_their_sections() {
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
    fn an_ambiguous_word_announces_nothing_as_a_topic() {
        let count = |heading: &str| {
            let text =
                format!("# Handbook\n\n## {heading}\n\nEvery rule has a name and a group.\n");
            shown("docs/a.md", &text).len()
        };
        for heading in
            ["Rules", "House rules", "The rules of the house", "Rules for tests", "Design patterns"]
        {
            assert_eq!(count(heading), 1, "{heading}");
        }
        for heading in ["Rule manager", "Alerting rules", "Pattern matching", "Ruler"] {
            assert_eq!(count(heading), 0, "{heading}");
        }
    }
}
