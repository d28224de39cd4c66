//! What the message of a commit states: why something was done, or what was wrong.
//!
//! Most messages state nothing: they name a change that anybody can see. One that gives a reason is a decision, and
//! one that mends something tells of an issue. A commit states one thing at most.

use crate::statement::{Statement, holds, label, phrase, sentences, state};
use groma_core::DiscoveryKind;

/// How sure a decision is that its message gives a reason for.
const REASONED: f32 = 0.7;

/// How sure it is that a message which says `fix` tells of an issue.
const MENDED: f32 = 0.65;

/// Most letters of a statement; the sentences that give reasons come first.
const ENOUGH: usize = 500;

/// A subject has fewer letters than this.
const LONGEST_SUBJECT: usize = 72;

/// A reason has more letters than this.
const SHORTEST_REASON: usize = 25;

/// How a message begins that a program wrote, or that is not meant to stay.
const NOT_MEANT: &[&str] = &[
    "amend!",
    "apply suggestions",
    "automatic",
    "bump ",
    "fixup!",
    "merge ",
    "merging ",
    "release ",
    "squash!",
    "update dependency",
    "update module",
    "wip",
];

/// What a change is for, as some projects write before the colon; the others are parts of the project.
const CHORES: &[&str] =
    &["build", "chore", "ci", "deps", "doc", "docs", "lint", "release", "style", "test", "tests"];
const PURPOSES: &[&str] =
    &["bugfix", "enhancement", "feat", "feature", "fix", "hotfix", "perf", "refactor", "revert"];

/// How a subject begins that mends something.
const MENDS: &[&str] = &[
    "bugfix", "correct", "corrects", "fix", "fixed", "fixes", "fixing", "hotfix", "prevent",
    "prevents", "resolve", "resolved", "resolves",
];

/// What is mended without anybody needing to know.
const TRIFLES: &[&str] = &[
    "changelog",
    "ci",
    "clippy",
    "comment",
    "comments",
    "doc",
    "docs",
    "docstring",
    "documentation",
    "flake8",
    "flaky",
    "formatting",
    "grammar",
    "indentation",
    "lint",
    "lints",
    "link",
    "links",
    "linter",
    "merge",
    "mypy",
    "pyflakes",
    "rebase",
    "rustfmt",
    "spelling",
    "test",
    "tests",
    "typo",
    "typos",
    "warning",
    "warnings",
    "whitespace",
];

/// What a change is about that changes words only.
const DOCUMENTS: &[&str] = &[
    "changelog",
    "doc",
    "docs",
    "docstring",
    "documentation",
    "grammar",
    "readme",
    "typo",
    "typos",
];

/// Words that give a reason or a choice.
const REASONS: &[&str] = &[
    "as a result",
    "as it is",
    "as this",
    "because",
    "by default",
    "causes",
    "compared to",
    "due to",
    "for consistency",
    "for compatibility",
    "in favor of",
    "in favour of",
    "in order to",
    "instead of",
    "is necessary",
    "is needed",
    "is required",
    "is useful",
    "makes it",
    "must be",
    "need to",
    "no longer",
    "not needed",
    "otherwise",
    "rather than",
    "since it",
    "since the",
    "since this",
    "since we",
    "so it",
    "so that",
    "so the",
    "so we",
    "the reason",
    "therefore",
    "this allows",
    "this avoids",
    "this enables",
    "this ensures",
    "this helps",
    "this makes",
    "this means",
    "this prevents",
    "this way",
    "thus",
    "to allow",
    "to avoid",
    "to ensure",
    "to keep",
    "to make",
    "to prevent",
    "to reduce",
    "which means",
    "would be",
];

/// What a message states, and the part of the project its subject names.
#[derive(Debug, PartialEq)]
pub(crate) struct Told {
    pub statement: Statement,
    pub module: Option<String>,
}

/// What a message states, if it states anything.
pub(crate) fn in_message(message: &str) -> Option<Told> {
    let message = Message::read(message)?;
    let mends = message.mends();
    if message.is_trifle(mends) {
        return None;
    }
    let mut reasons: Vec<&str> = message.sentences().filter(|one| gives_reason(one)).collect();
    reasons.extend(Some(message.subject).filter(|subject| weighs(subject)));
    let labelled = message.paragraphs.iter().find_map(|text| label(text));
    let kind = match labelled {
        Some((kind, _)) => kind,
        None if mends => DiscoveryKind::Issue,
        None if reasons.is_empty() => return None,
        None => DiscoveryKind::Decision,
    };
    let sure = if mends { MENDED } else { REASONED };
    let statement = state(kind, &message.content(), sure)?;
    Some(Told { statement, module: message.module.map(str::to_string) })
}

/// Whether a sentence gives a reason.
fn gives_reason(sentence: &str) -> bool {
    sentence.chars().filter(|c| c.is_alphabetic()).count() > SHORTEST_REASON
        && (holds(sentence, REASONS) || phrase(sentence).is_some())
}

/// Whether a subject alone says what was chosen over what.
fn weighs(subject: &str) -> bool {
    const CHOICES: &[&str] = &[
        "because",
        "deprecate",
        "deprecated",
        "deprecates",
        "drop support",
        "in favor of",
        "in favour of",
        "instead of",
        "no longer",
        "rather than",
        "so that",
        "to avoid",
        "to prevent",
    ];
    holds(subject, CHOICES)
}

/// A message, taken apart.
struct Message<'a> {
    /// What stands before the subject's colon.
    purpose: Option<&'a str>,
    /// The part of the project it is about.
    module: Option<&'a str>,
    subject: &'a str,
    /// What is said below, without trailers, code and headings.
    paragraphs: Vec<String>,
}

impl<'a> Message<'a> {
    /// Takes a message apart; `None` where nobody meant it to be read.
    fn read(message: &'a str) -> Option<Self> {
        let mut lines = message.lines().map(str::trim);
        let mut first = lines.find(|line| !line.is_empty())?;
        if first.starts_with("Merge pull request") || first.starts_with("Merge PR") {
            first = lines.find(|line| !line.is_empty())?;
        }
        let plain = first.to_lowercase();
        if NOT_MEANT.iter().any(|start| plain.starts_with(start)) {
            return None;
        }
        let (purpose, module, subject) = prefixed(first);
        let subject = subject.trim_end_matches('.');
        if module == Some("deps") || subject.to_lowercase().starts_with("bump ") {
            return None;
        }
        Some(Self { purpose, module, subject, paragraphs: paragraphs(lines, first) })
    }

    fn mends(&self) -> bool {
        let first = self.subject.split_whitespace().next().unwrap_or_default().to_lowercase();
        let purpose = self.purpose.unwrap_or_default();
        MENDS.contains(&first.trim_end_matches(':'))
            || matches!(purpose, "bugfix" | "fix" | "hotfix")
    }

    /// Whether it is about nothing that anybody asks about later.
    fn is_trifle(&self, mends: bool) -> bool {
        let is_chore = self.purpose.is_some_and(|purpose| CHORES.contains(&purpose));
        let mut words = self.subject.split(|c: char| !c.is_alphanumeric());
        let about_trifle = words.any(|word| TRIFLES.contains(&&*word.to_lowercase()));
        let mut words = self.subject.split(|c: char| !c.is_alphanumeric());
        let about_words = words.any(|word| DOCUMENTS.contains(&&*word.to_lowercase()));
        about_words
            || (is_chore || about_trifle) && mends
            || is_chore && !self.sentences().any(gives_reason)
            || self.subject.split_whitespace().count() < 2 && self.paragraphs.is_empty()
    }

    fn sentences(&self) -> impl Iterator<Item = &str> {
        self.paragraphs.iter().flat_map(|text| sentences(text))
    }

    /// The subject and what is said below, as much of it as is read at a glance.
    fn content(&self) -> String {
        let all: Vec<&str> = self.sentences().collect();
        let whole: usize = all.iter().map(|one| one.len()).sum();
        let mut room = ENOUGH;
        let mut take = |one: &str| match room.checked_sub(one.len()) {
            Some(left) => {
                room = left;
                true
            }
            None => false,
        };
        let mut taken = vec![whole <= ENOUGH; all.len()];
        if whole > ENOUGH {
            let reasons = (0..all.len()).filter(|at| gives_reason(all[*at]));
            let order: Vec<usize> = std::iter::once(0).chain(reasons).collect();
            for at in order {
                taken[at] = taken[at] || take(all[at]);
            }
        }
        let said: Vec<&str> =
            all.iter().zip(taken).filter(|(_, taken)| *taken).map(|(one, _)| *one).collect();
        match said.is_empty() {
            true => self.subject.to_string(),
            false => format!("{}. {}", self.subject, said.join(" ")),
        }
    }
}

/// Purpose, module and the rest of a subject like `fix(auth): ...`, `auth: ...` or `[BUGFIX] auth: ...`.
fn prefixed(subject: &str) -> (Option<&str>, Option<&str>, &str) {
    let Some((head, rest)) = subject.split_once(':').filter(|(_, rest)| rest.starts_with(' '))
    else {
        return (None, None, subject);
    };
    let rest = rest.trim_start();
    let head = head.trim_end_matches('!');
    let (name, scope) = match head.split_once('(') {
        Some((name, scope)) => (name, scope.strip_suffix(')')),
        None => (head, None),
    };
    let is_name = |text: &str| {
        !text.is_empty()
            && text.len() <= 40
            && text.chars().all(|c| c.is_alphanumeric() || "_-./".contains(c))
    };
    if !is_name(name) || scope.is_some_and(|scope| !is_name(scope)) {
        return (None, None, subject);
    }
    let known = CHORES.iter().chain(PURPOSES).find(|one| name.eq_ignore_ascii_case(one)).copied();
    match (known, scope) {
        (Some(purpose), scope) => {
            // In `fix: auth: ...` the part comes second.
            let (_, module, rest) =
                if scope.is_none() { prefixed(rest) } else { (None, None, rest) };
            (Some(purpose), scope.or(module), rest)
        }
        (None, None) => (None, Some(name), rest),
        (None, Some(_)) => (None, None, subject),
    }
}

/// The paragraphs below a subject: prose only.
fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>, subject: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut goes_on = false;
    let (mut in_fence, mut in_remark) = (false, false);
    for line in lines {
        if line.starts_with("```") {
            in_fence = !in_fence;
        }
        in_remark = in_remark || line.starts_with("<!--");
        let is_prose = !in_fence && !in_remark && is_prose(line);
        in_remark = in_remark && !line.contains("-->");
        if !is_prose {
            goes_on = false;
            continue;
        }
        let item = line.strip_prefix("* ").or_else(|| line.strip_prefix("- "));
        // Of commits that were squashed each has left its subject.
        let is_subject =
            item.is_some_and(|item| item.len() < LONGEST_SUBJECT && !gives_reason(item));
        if is_subject || is_same(item.unwrap_or(line), subject) {
            goes_on = false;
            continue;
        }
        match found.last_mut().filter(|_| goes_on && item.is_none()) {
            Some(paragraph) => {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
            None => found.push(item.unwrap_or(line).to_string()),
        }
        goes_on = true;
    }
    found
}

/// Whether a line says what the subject says, without a number behind it or a part in front.
fn is_same(line: &str, subject: &str) -> bool {
    let core = |text: &str| -> String {
        let text = text.rsplit_once(" (#").map_or(text, |(text, _)| text);
        text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let (line, subject) = (core(line), core(subject));
    !line.is_empty() && (subject.ends_with(&line) || line.ends_with(&subject))
}

/// Whether a line of a message is meant to be read: no heading, no trailer, no reference alone.
fn is_prose(line: &str) -> bool {
    let is_trailer = line.split_once(": ").is_some_and(|(name, _)| {
        name.len() > 3
            && (name.contains('-') || TRAILERS.contains(&&*name.to_lowercase()))
            && name.chars().all(|c| c.is_alphanumeric() || c == '-')
            && name.starts_with(char::is_uppercase)
    });
    let is_reference = {
        let mut words = line.split_whitespace();
        let verb = words.next().unwrap_or_default().trim_end_matches(':').to_lowercase();
        let closes = matches!(
            &*verb,
            "close" | "closes" | "fix" | "fixes" | "ref" | "refs" | "resolves" | "see" | "re"
        );
        let mut rest = words.peekable();
        closes
            && rest.peek().is_some()
            && rest.all(|word| word.contains('#') || word.contains("://") || word == "and")
    };
    !(line.is_empty()
        || line.starts_with(['#', '>', '|', '<'])
        || line.starts_with("---")
        || line.starts_with("...")
        || line.starts_with("This reverts commit")
        || line.starts_with("(cherry picked from")
        || line.starts_with("- [")
        || is_trailer
        || is_reference)
}

/// Names of trailers without a hyphen.
const TRAILERS: &[&str] = &["bug", "cc", "closes", "fixes", "link", "refs", "related", "see"];

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(message: &str) -> String {
        in_message(message).map_or("-".into(), |told| {
            let module = told.module.map_or(String::new(), |module| format!(" in {module}"));
            format!("{}{module}: {}", told.statement.kind, told.statement.content)
        })
    }

    #[test]
    fn a_reason_makes_a_decision() {
        let message = "rt: keep one queue for each worker (#12)\n\n\
            A shared queue is contended. One for each worker is used instead, because\n\
            stealing is rare.\n\nSigned-off-by: Ann <ann@example.com>\nFixes: #3\n";
        assert_eq!(
            shown(message),
            "decision in rt: keep one queue for each worker (#12). A shared queue is contended. One \
             for each worker is used instead, because stealing is rare."
        );
        assert_eq!(
            shown("Use a ring buffer instead of a list"),
            "decision: Use a ring buffer instead of a list"
        );
        assert_eq!(shown("Revert \"Cache tokens\"\n\nThis reverts commit 1a2b.\n"), "-");
        assert_eq!(
            shown(
                "Revert \"Cache tokens\"\n\nThis reverts commit 1a2b.\n\nIt leaked, so the memory grew by the hour.\n"
            ),
            "decision: Revert \"Cache tokens\". It leaked, so the memory grew by the hour."
        );
        assert_eq!(shown("Deprecate the old parser"), "decision: Deprecate the old parser");
    }

    #[test]
    fn what_is_mended_is_an_issue() {
        for (message, expected) in [
            ("fix(auth): refresh raced with logout", "issue in auth: refresh raced with logout"),
            (
                "Fix a leak when a task is dropped (#9)",
                "issue: Fix a leak when a task is dropped (#9)",
            ),
            ("tsdb: fixed a lock held twice", "issue in tsdb: fixed a lock held twice"),
            ("fix: auth: refresh raced", "issue in auth: refresh raced"),
            (
                "Merge pull request #7 from ann/x\n\nio: prevent a read past the end\n",
                "issue in io: prevent a read past the end",
            ),
        ] {
            assert_eq!(shown(message), expected);
        }
    }

    #[test]
    fn most_messages_state_nothing() {
        for message in [
            "",
            "\n\n",
            "wip",
            "Add a parser",
            "rt: rename `shared` to `sharded`",
            "Merge branch 'main' into x",
            "Merge pull request #7 from ann/x",
            "Bump serde from 1 to 2\n\nBumps serde so that it is new.",
            "fix(deps): update module x to v2",
            "chore(deps): update y because it is old and needs to be replaced by now",
            "fixup! io: prevent a read past the end",
            "Fix typo in docs",
            "docs: fix the build on Windows",
            "ci: fix new warnings",
            "Fix flaky test of the scheduler",
            "Clarify the documentation of limits\n\nThis is needed because nobody understood it before.",
            "Add x\n\nSigned-off-by: Ann <ann@example.com>\nCloses #12, fixes #13\n",
            "Add x\n\n```\nthis is so that because of code in a fence at last\n```\n",
            "Add x\n\n<!-- Say here why, because\nnobody reads templates otherwise -->\n",
        ] {
            assert_eq!(shown(message), "-", "{message}");
        }
    }

    #[test]
    fn what_squashing_left_is_passed_over() {
        let message = "scrape: add label limits (#8777)\n\n* scrape: add label limits\n\nThe limits are tested \
            before relabelling, because that is cheaper.\n\n* fix lint\n\n* Address feedback\n";
        assert_eq!(
            shown(message),
            "decision in scrape: add label limits (#8777). The limits are tested before relabelling, \
             because that is cheaper."
        );
    }

    #[test]
    fn a_label_says_what_it_is() {
        assert_eq!(
            shown("Add a limit\n\nRULE: no request may allocate more than a megabyte"),
            "rule: Add a limit. RULE: no request may allocate more than a megabyte"
        );
    }

    #[test]
    fn long_messages_are_told_by_their_reasons() {
        let filler = "Nothing of any importance is said here at all. ".repeat(20);
        let message = format!(
            "io: drop the cache\n\nIt was slow. {filler}We drop it because nobody hits it."
        );
        assert_eq!(
            shown(&message),
            "decision in io: drop the cache. It was slow. We drop it because nobody hits it."
        );
    }

    proptest::proptest! {
        #[test]
        fn any_message_is_read(message in "(\\PC|\n){0,300}") {
            in_message(&message);
        }
    }
}
