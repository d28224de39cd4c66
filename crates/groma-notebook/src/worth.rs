//! Whether a derived statement is worth reading: it tells a reader something to act on, by itself.
//!
//! Phrases and labels find statements; many of them are lead-ins without their list, labels, half sentences, chores,
//! etiquette for reporting issues, or comments of vendored code. `tests/judged*.tsv` have entries of real repositories,
//! judged by hand, and the tests hold the rules to them.

use crate::statement::{LABEL_CONFIDENCE, PHRASE_CONFIDENCE, contains_phrase};
use groma_core::{DiscoveryKind, Origin, RelPath};
use groma_search::{PathKind, path_kind};

/// A derived statement and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate<'a> {
    pub origin: Origin,
    pub kind: DiscoveryKind,
    pub content: &'a str,
    pub confidence: f32,
    /// The file, for comments and documents.
    pub path: Option<&'a RelPath>,
}

/// Minimum words of a comment that a phrase marked, and of one in a test.
const MIN_COMMENT_WORDS: usize = 7;
const MIN_TEST_WORDS: usize = 11;

/// Minimum words of a fix whose message has no body.
const MIN_FIX_WORDS: usize = 6;

/// Minimum words besides links and code.
const MIN_WORDS: usize = 3;

/// Folders of code that others wrote.
const VENDORED_FOLDERS: &[&str] = &[
    "deps",
    "dep",
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "3rdparty",
    "external",
    "extern",
    "externals",
    "node_modules",
];

/// Stems of files about the past, also with a version behind: `CHANGELOG-3.0.md`.
const RECORDS: &[&str] =
    &["changelog", "changes", "history", "news", "release", "releases", "upgrading"];

/// Words of a heading whose section tells people how to talk to the project, or why to use it.
const ETIQUETTE_HEADINGS: &[&str] = &[
    "issues",
    "issue",
    "questions",
    "question",
    "feature",
    "reporting",
    "filing",
    "looking for",
    "license",
    "licence",
    "i use",
    "for users",
    "examples",
    "docs",
    "contact",
    "community",
];

/// Folders and files that walk a reader through something step by step.
const WALKTHROUGHS: &[&str] = &[
    "cookbook",
    "examples",
    "getting-started",
    "guide",
    "guides",
    "howto",
    "quickstart",
    "recipes",
    "tutorial",
    "tutorials",
];

/// Phrases of licence agreements, and of texts about reporting issues.
const ETIQUETTE_PHRASES: &[&str] = &[
    "perpetual",
    "means any",
    "general questions",
    "new issue",
    "feature request",
    "feature requests",
    "twitter",
    "stack overflow",
    "pull request template",
    "github account",
    "we are very overloaded",
    "we ask that you",
    "contributor license agreement",
    "license agreement",
    "rebasing on",
    "for more details",
    "for more information",
    "this page",
    "a number of",
    "you to use",
    "out of the box",
    "the above",
    "someone",
];

/// Words of commit subjects about the project's surroundings instead of its code.
const CHORE_WORDS: &[&str] = &[
    "actions",
    "appveyor",
    "artifact",
    "bibtex",
    "brew",
    "checkstyle",
    "committer",
    "committers",
    "composer.json",
    "conflict",
    "conflicts",
    "contributing",
    "copyright",
    "csproj",
    "dependencies",
    "dependency",
    "docblock",
    "docblocks",
    "dokka",
    "example",
    "examples",
    "exdoc",
    "gemfile",
    "gitignore",
    "guide",
    "guidelines",
    "guides",
    "javadoc",
    "layout",
    "maintainer",
    "matrix",
    "mock",
    "mockery",
    "npm",
    "nuspec",
    "package.json",
    "pep8",
    "phpdoc",
    "phpdocs",
    "phpunit",
    "pip",
    "pom",
    "punctuation",
    "pytest",
    "references",
    "sentence",
    "setup.py",
    "spdx",
    "spec",
    "specs",
    "sponsored",
    "style",
    "styleci",
    "tests",
    "tooling",
    "travis",
    "tsdx",
    "tutorial",
    "unneeded",
    "unused",
    "venv",
    "virtualenv",
    "vitest",
    "workflow",
    "workflows",
];

/// The same, unless the message says why.
const BUILD_WORDS: &[&str] = &["build", "builds", "release", "improvement", "improvements"];

/// Minimum words of a body that says why.
const MIN_BODY_WORDS: usize = 12;

/// Phrases of commits that say nothing in particular.
const VAGUE_PHRASES: &[&str] = &[
    "a number of issues",
    "various updates",
    "update everything",
    "doesn't have any impact",
    "sloppy",
    "minor fixes",
    "some fixes",
    "small fixes",
    "some environments",
    "import issues",
    "reference to deprecated",
    "code cleanup",
    "deprecated references",
    "avoid warnings",
    "rest of the codebase",
    "naming conventions",
    "broke everything",
];

/// First words of sentences that continue another one, or refer to it.
const CONTINUATIONS: &[&str] =
    &["then,", "it must", "this should never happen", "instead,", "and ", "also ", "see ", "> "];

/// First words of a comment that says what a method does, not what its callers must do.
const SUMMARIES: &[&str] = &[
    "determine ",
    "determines ",
    "get ",
    "gets ",
    "indicate ",
    "indicates ",
    "set ",
    "sets ",
    "specify ",
];

/// Phrases of comments that explain an example, or code that follows.
const EXPLANATIONS: &[&str] =
    &["in this example", "here we", "should never happen", "should never fire", "for these tests"];

/// Whether a statement is worth keeping.
pub(crate) fn is_worth_keeping(candidate: &Candidate<'_>) -> bool {
    let content = candidate.content.trim();
    !is_lead_in(content)
        && !is_markup(content)
        && (word_count(&without_links(content, candidate.origin)) >= MIN_WORDS
            || deprecates(content))
        && match candidate.origin {
            Origin::Comment => is_worthy_comment(candidate),
            Origin::Document => is_worthy_passage(candidate),
            Origin::Commit => is_worthy_message(candidate),
            Origin::Remembered | Origin::Transcript => true,
        }
}

/// `Before you open a pull request:`: what it announces is not there.
fn is_lead_in(content: &str) -> bool {
    content.trim_end_matches(['*', '_', '`', ' ', '"']).ends_with(':')
}

/// Directives of reStructuredText, and code.
fn is_markup(content: &str) -> bool {
    let signs = content.chars().filter(|c| "{}$;<>|=\\".contains(*c)).count();
    let letters = content.chars().filter(|c| c.is_alphabetic()).count();
    content.starts_with("..")
        || content.contains(": .. ")
        || content.ends_with("::")
        || signs * 16 > letters
        || content.contains(" # ")
}

/// The text without the targets of links, and without headings and inline code, which alone state nothing.
fn without_links(content: &str, origin: Origin) -> String {
    let heading = content.split_once(": ").filter(|_| origin == Origin::Document);
    let content = heading.map_or(content, |(_, rest)| rest);
    let mut out = String::new();
    let mut rest = content;
    while let Some(open) = rest.find(['[', '`', '(']) {
        out.push_str(&rest[..open]);
        let close = match rest.as_bytes()[open] {
            b'[' => ']',
            b'(' => ')',
            _ => '`',
        };
        let tail = &rest[open + 1..];
        rest = tail.find(close).map_or("", |end| &tail[end + 1..]);
        // A name in code counts as a word.
        out.push_str(if close == ']' { "" } else { " " });
        if close == '`' {
            out.push('x');
        }
    }
    out + rest
}

fn word_count(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

fn is_vendored(path: &RelPath) -> bool {
    path.folders().any(|folder| VENDORED_FOLDERS.contains(&&*folder.to_ascii_lowercase()))
}

/// Examples explain how to use the project, not how it works.
fn is_example(path: &RelPath) -> bool {
    let folders = path.folders().take(2);
    folders
        .into_iter()
        .any(|folder| matches!(folder, "example" | "examples" | "samples" | "demo" | "tutorial"))
}

fn is_walkthrough(path: &RelPath) -> bool {
    let stem = path.stem().to_ascii_lowercase();
    let is_one = |name: &str| WALKTHROUGHS.contains(&&*name.to_ascii_lowercase());
    path.folders().any(is_one) || is_one(&stem)
}

fn is_worthy_comment(candidate: &Candidate<'_>) -> bool {
    let content = candidate.content;
    let plain = content.to_lowercase();
    if content.ends_with('?')
        || plain.contains("@param")
        || plain.contains("@return")
        || CONTINUATIONS.iter().chain(SUMMARIES).any(|start| plain.starts_with(start))
        || contains_phrase(&plain, EXPLANATIONS)
        || candidate.path.is_some_and(|path| is_vendored(path) || is_example(path))
    {
        return false;
    }
    let kind = candidate.path.map(path_kind);
    // What is labelled was meant to be read.
    if candidate.confidence >= LABEL_CONFIDENCE {
        return true;
    }
    let words = word_count(content);
    match kind {
        Some(PathKind::Test) if candidate.kind == DiscoveryKind::Pattern => gives_cause(&plain),
        Some(PathKind::Test) => words >= MIN_TEST_WORDS || gives_cause(&plain),
        _ => words >= MIN_COMMENT_WORDS,
    }
}

/// Whether a text says why.
fn gives_cause(plain: &str) -> bool {
    contains_phrase(
        plain,
        &[
            "because",
            "so",
            "since",
            "otherwise",
            "avoid",
            "therefore",
            "hence",
            "ensure",
            "reliable",
        ],
    )
}

fn is_worthy_passage(candidate: &Candidate<'_>) -> bool {
    if let Some(path) = candidate.path {
        let stem = path.stem().to_ascii_lowercase();
        let first = stem.split(['-', '_', '.']).next().unwrap_or_default();
        if is_vendored(path) || RECORDS.contains(&first) {
            return false;
        }
        // "We use", "we chose": the steps of the author, not of the project.
        if candidate.kind != DiscoveryKind::Rule
            && candidate.confidence <= PHRASE_CONFIDENCE
            && is_walkthrough(path)
        {
            return false;
        }
    }
    let heading = candidate.content.split_once(": ").map_or("", |(heading, _)| heading);
    let is_etiquette = word_count(heading) <= 8 && contains_phrase(heading, ETIQUETTE_HEADINGS);
    let plain = candidate.content.to_lowercase();
    !is_etiquette
        && !contains_phrase(&plain, ETIQUETTE_PHRASES)
        && !CONTINUATIONS.iter().any(|start| plain.starts_with(start))
        && !is_example_of_subject(candidate.content)
        && word_count(candidate.content) > MIN_WORDS
}

/// `Commit message guidelines: ci: fix the build`: an example of a subject, not a rule.
fn is_example_of_subject(content: &str) -> bool {
    let mut parts = content.split(": ").skip(1);
    let scope = parts.next().unwrap_or_default();
    parts.next().is_some() && word_count(scope) == 1 && scope.chars().all(char::is_lowercase)
}

fn is_worthy_message(candidate: &Candidate<'_>) -> bool {
    let content = candidate.content;
    let content = without_tags(content);
    let (subject, body) = content.split_once(". ").unwrap_or((content, ""));
    let plain = content.to_lowercase();
    let subject_words = || {
        subject
            .split(|c: char| !(c.is_alphanumeric() || "_.'".contains(c)))
            .map(|word| word.to_lowercase())
    };
    let names_document = subject_words().any(|word| {
        [".md", ".rst", ".txt", ".yml", ".yaml"]
            .iter()
            .any(|end| word.trim_end_matches('.').ends_with(end))
    });
    let is_chore = subject_words().any(|word| CHORE_WORDS.contains(&&*word));
    let says_why = candidate.kind == DiscoveryKind::Decision && word_count(body) >= MIN_BODY_WORDS;
    let is_build = !says_why && subject_words().any(|word| BUILD_WORDS.contains(&&*word));
    let first = subject_words().find(|word| !word.is_empty()).unwrap_or_default();
    let is_chatter = [":)", ":(", ":d", ";)", ":-)"]
        .iter()
        .any(|sign| plain.ends_with(sign) || plain.contains(&format!("{sign} ")))
        || plain.starts_with(':');
    !(names_document
        || is_chore
        || is_build
        || is_chatter
        || matches!(&*first, "test" | "tests" | "testing" | "merge")
        || is_version(subject)
        || is_about_tests(subject)
        || subject.starts_with('*')
        || subject.ends_with(':')
        || contains_phrase(&plain, VAGUE_PHRASES)
        || candidate.kind == DiscoveryKind::Issue && is_bare_fix(subject, body)
        || candidate.kind == DiscoveryKind::Decision && is_half(subject, body))
}

/// A subject without the branches or topics in brackets before it, as in `[12.x] Merge 11.x into 12.x`.
fn without_tags(subject: &str) -> &str {
    let mut rest = subject;
    while let Some((_, after)) = rest.strip_prefix('[').and_then(|tail| tail.split_once(']')) {
        rest = after.trim_start();
    }
    if rest.is_empty() { subject } else { rest }
}

/// Whether a subject is the number of a version: the commit is a release.
fn is_version(subject: &str) -> bool {
    let plain = subject.to_lowercase();
    let rest = plain.strip_prefix("version ").unwrap_or(&plain);
    let number = rest.split_whitespace().next().unwrap_or_default();
    let digits = number.strip_prefix('v').unwrap_or(number);
    digits.contains('.')
        && digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c))
}

/// `Add a test for x`, `Stabilize test so it passes`: the tests change, not what they test.
fn is_about_tests(subject: &str) -> bool {
    let plain = subject.to_lowercase();
    let mut words = plain.split_whitespace().skip(1).take(3);
    words.any(|word| matches!(word, "test" | "tests")) || plain.ends_with("for testing")
}

/// A fix that does not say what was wrong, and when.
fn is_bare_fix(subject: &str, body: &str) -> bool {
    let told = format!("{subject} {body}");
    let words = told.split_whitespace().filter(|word| {
        !word.contains('#') && !word.contains("://") && word.chars().any(char::is_alphanumeric)
    });
    words.count() < MIN_FIX_WORDS
}

/// A choice of two or three words, unless it deprecates something by name.
fn is_half(subject: &str, body: &str) -> bool {
    body.is_empty() && word_count(subject) < 4 && !deprecates(subject)
}

fn deprecates(text: &str) -> bool {
    text.to_lowercase().starts_with("deprecate")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least share of kept entries that must be useful.
    const MIN_PRECISION: f64 = 0.85;

    /// The least share of useful entries that must be kept.
    const MIN_RECALL: f64 = 0.95;

    /// Entries of eleven repositories, judged by hand: verdict, origin, kind, confidence, path, content, reason.
    const JUDGED: &str = include_str!("../tests/judged.tsv");

    /// Entries of eleven others, of those that were kept when they were taken.
    const JUDGED_LATER: &str = include_str!("../tests/judged_later.tsv");

    struct Judged<'a> {
        is_useful: bool,
        is_kept: bool,
        line: &'a str,
    }

    fn judged(table: &'static str) -> Vec<Judged<'static>> {
        let entries = table.lines().filter(|line| !line.starts_with('#'));
        entries
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                let [verdict, origin, kind, confidence, path, content, ..] = *fields else {
                    panic!("{line}")
                };
                let path = RelPath::new(path).ok();
                let is_kept = is_worth_keeping(&Candidate {
                    origin: origin.parse().unwrap(),
                    kind: kind.parse().unwrap(),
                    content,
                    confidence: confidence.parse().unwrap(),
                    path: path.as_ref(),
                });
                Judged { is_useful: verdict == "useful", is_kept, line }
            })
            .collect()
    }

    #[test]
    fn what_is_kept_is_useful_and_what_is_useful_is_kept() {
        hold(&judged(JUDGED), 300);
        hold(&judged(JUDGED_LATER), 250);
    }

    /// Checks that enough of what is kept is useful, and that what is useful is kept.
    fn hold(all: &[Judged<'_>], min_entries: usize) {
        let count = |test: &dyn Fn(&&Judged<'_>) -> bool| all.iter().filter(test).count() as f64;
        let useful = count(&|one| one.is_useful);
        let kept = count(&|one| one.is_kept);
        let both = count(&|one| one.is_kept && one.is_useful);
        let wrong: Vec<&str> =
            all.iter().filter(|one| one.is_kept != one.is_useful).map(|one| one.line).collect();
        eprintln!(
            "{} entries, {useful} useful; {kept} kept, {both} of them useful: precision {:.3}, recall {:.3}",
            all.len(),
            both / kept,
            both / useful
        );
        assert!(all.len() >= min_entries);
        assert!(both / kept >= MIN_PRECISION, "precision {}: {wrong:#?}", both / kept);
        assert!(both / useful >= MIN_RECALL, "recall {}: {wrong:#?}", both / useful);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_judged(content in "(\\PC|[\\[`(:.]){0,60}") {
            for origin in [Origin::Comment, Origin::Document, Origin::Commit] {
                let kind = DiscoveryKind::Issue;
                is_worth_keeping(&Candidate { origin, kind, content: &content, confidence: 0.6, path: None });
            }
        }
    }
}
