//! The statement of a commit message: the reason for a change, or the problem it fixes.
//!
//! Most messages only describe the diff and are ignored. One that gives a reason is a decision, and one that fixes
//! something is an issue. A commit has at most one statement.

use crate::statement::{
    Statement, classify_phrase, contains_phrase, label, new_statement, sentences,
};
use groma_core::DiscoveryKind;
use rustc_hash::FxHashSet;

/// The confidence of a decision whose message gives a reason.
const REASON_CONFIDENCE: f32 = 0.7;

/// The confidence of an issue whose message says `fix`.
const FIX_CONFIDENCE: f32 = 0.65;

/// How much less a message counts whose body gives no reason.
const UNEXPLAINED: f32 = 0.15;

/// The maximum length of a statement, in bytes; sentences that give reasons are preferred.
const MAX_CONTENT: usize = 500;

/// The maximum length of a subject.
const MAX_SUBJECT: usize = 72;

/// A sentence with at most this many letters gives no reason.
const MIN_REASON: usize = 25;

/// Prefixes of generated and temporary messages.
const IGNORED_PREFIXES: &[&str] = &[
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

/// Types of conventional commits; any other word before the colon is a module.
const CHORE_TYPES: &[&str] =
    &["build", "chore", "ci", "deps", "doc", "docs", "lint", "release", "style", "test", "tests"];
const CHANGE_TYPES: &[&str] =
    &["bugfix", "enhancement", "feat", "feature", "fix", "hotfix", "perf", "refactor", "revert"];

/// First words of the subject of a fix.
const FIX_VERBS: &[&str] = &[
    "bugfix", "correct", "corrects", "fix", "fixed", "fixes", "fixing", "hotfix", "prevent",
    "prevents", "resolve", "resolved", "resolves",
];

/// Topics of fixes that are not worth remembering.
const TRIVIAL_TOPICS: &[&str] = &[
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

/// Topics of changes to documentation only.
const DOCUMENTATION_TOPICS: &[&str] = &[
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

/// Phrases that introduce a reason or a choice.
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

/// The statement of a message, and the module its subject names.
#[derive(Debug, PartialEq)]
pub(crate) struct CommitStatement {
    pub statement: Statement,
    pub module: Option<String>,
}

/// The statement of a message, if it has one.
pub(crate) fn commit_statement(message: &str) -> Option<CommitStatement> {
    let message = Message::parse(message)?;
    let is_fix = message.is_fix();
    if message.is_trivial(is_fix) {
        return None;
    }
    let says_why = message.sentences().any(gives_reason);
    let states_anything = says_why || states_choice(message.subject);
    let labelled = message.paragraphs.iter().find_map(|text| label(text));
    let kind = match labelled {
        Some((kind, _)) => kind,
        None if is_fix => DiscoveryKind::Issue,
        None if !states_anything => return None,
        None => DiscoveryKind::Decision,
    };
    let confidence = if is_fix { FIX_CONFIDENCE } else { REASON_CONFIDENCE };
    let confidence = if says_why { confidence } else { confidence - UNEXPLAINED };
    let statement = new_statement(kind, &message.content(), confidence)?;
    Some(CommitStatement { statement, module: message.module.map(str::to_string) })
}

/// Whether a sentence gives a reason.
fn gives_reason(sentence: &str) -> bool {
    sentence.chars().filter(|c| c.is_alphabetic()).count() > MIN_REASON
        && (contains_phrase(sentence, REASONS) || classify_phrase(sentence).is_some())
}

/// Whether a subject alone states a choice.
fn states_choice(subject: &str) -> bool {
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
    contains_phrase(subject, CHOICES)
}

/// A parsed message.
struct Message<'a> {
    /// The type of a conventional commit.
    change_type: Option<&'a str>,
    /// The module it is about.
    module: Option<&'a str>,
    subject: &'a str,
    /// The body, without trailers, code and headings.
    paragraphs: Vec<String>,
}

impl<'a> Message<'a> {
    /// Parses a message; `None` if it was generated or is temporary.
    fn parse(message: &'a str) -> Option<Self> {
        let mut lines = message.lines().map(str::trim);
        let mut first = lines.find(|line| !line.is_empty())?;
        if first.starts_with("Merge pull request") || first.starts_with("Merge PR") {
            first = lines.find(|line| !line.is_empty())?;
        }
        let plain = first.to_lowercase();
        if IGNORED_PREFIXES.iter().any(|start| plain.starts_with(start)) {
            return None;
        }
        let (change_type, module, subject) = split_prefix(first);
        let subject = subject.trim_end_matches('.');
        if module == Some("deps") || subject.to_lowercase().starts_with("bump ") {
            return None;
        }
        Some(Self { change_type, module, subject, paragraphs: paragraphs(lines, first) })
    }

    fn is_fix(&self) -> bool {
        let first = self.subject.split_whitespace().next().unwrap_or_default().to_lowercase();
        let change_type = self.change_type.unwrap_or_default();
        FIX_VERBS.contains(&first.trim_end_matches(':'))
            || matches!(change_type, "bugfix" | "fix" | "hotfix")
    }

    /// Whether it is not worth remembering.
    fn is_trivial(&self, is_fix: bool) -> bool {
        let is_chore = self.change_type.is_some_and(|name| CHORE_TYPES.contains(&name));
        let mut words = self.subject.split(|c: char| !c.is_alphanumeric());
        let is_trivial = words.any(|word| TRIVIAL_TOPICS.contains(&&*word.to_lowercase()));
        let mut words = self.subject.split(|c: char| !c.is_alphanumeric());
        let is_documentation =
            words.any(|word| DOCUMENTATION_TOPICS.contains(&&*word.to_lowercase()));
        is_documentation
            || (is_chore || is_trivial) && is_fix
            || is_chore && !self.sentences().any(gives_reason)
            || self.subject.split_whitespace().count() < 2 && self.paragraphs.is_empty()
    }

    fn sentences(&self) -> impl Iterator<Item = &str> {
        self.paragraphs.iter().flat_map(|text| sentences(text))
    }

    /// The subject and as much of the body as fits [`MAX_CONTENT`].
    fn content(&self) -> String {
        // A squash merge repeats what its commits say.
        let mut seen = FxHashSet::default();
        let all: Vec<&str> = self.sentences().filter(|one| seen.insert(*one)).collect();
        let total: usize = all.iter().map(|one| one.len()).sum();
        let mut remaining = MAX_CONTENT;
        let mut fits = |one: &str| match remaining.checked_sub(one.len()) {
            Some(left) => {
                remaining = left;
                true
            }
            None => false,
        };
        let mut selected = vec![total <= MAX_CONTENT; all.len()];
        if total > MAX_CONTENT {
            let reasons = (0..all.len()).filter(|at| gives_reason(all[*at]));
            let order: Vec<usize> = std::iter::once(0).chain(reasons).collect();
            for at in order {
                selected[at] = selected[at] || fits(all[at]);
            }
        }
        let body = all.iter().zip(selected).filter(|(_, selected)| *selected);
        let mut content = self.subject.to_string();
        for (sentence, _) in body {
            // The last sentence of a paragraph or an item of a list often has no full stop.
            content.push_str(if content.ends_with(['.', '!', '?', ':', ';', ',']) {
                " "
            } else {
                ". "
            });
            content.push_str(sentence);
        }
        content
    }
}

/// Type, module and the rest of a subject like `fix(auth): ...`, `auth: ...` or `[BUGFIX] auth: ...`.
fn split_prefix(subject: &str) -> (Option<&str>, Option<&str>, &str) {
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
    let known =
        CHORE_TYPES.iter().chain(CHANGE_TYPES).find(|one| name.eq_ignore_ascii_case(one)).copied();
    match (known, scope) {
        (Some(change_type), scope) => {
            // In `fix: auth: ...` the module comes second.
            let (_, module, rest) =
                if scope.is_none() { split_prefix(rest) } else { (None, None, rest) };
            (Some(change_type), scope.or(module), rest)
        }
        (None, None) => (None, Some(name), rest),
        (None, Some(_)) => (None, None, subject),
    }
}

/// The paragraphs of the body: prose only.
fn paragraphs<'a>(lines: impl Iterator<Item = &'a str>, subject: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut continues = false;
    let (mut in_fence, mut in_html_comment) = (false, false);
    for line in lines {
        if line.starts_with("```") {
            in_fence = !in_fence;
        }
        in_html_comment = in_html_comment || line.starts_with("<!--");
        let is_prose = !in_fence && !in_html_comment && is_prose(line);
        in_html_comment = in_html_comment && !line.contains("-->");
        if !is_prose {
            continues = false;
            continue;
        }
        let item = line.strip_prefix("* ").or_else(|| line.strip_prefix("- "));
        // A squash merge lists the subjects of its commits.
        let is_subject = item.is_some_and(|item| item.len() < MAX_SUBJECT && !gives_reason(item));
        if is_subject || repeats_subject(item.unwrap_or(line), subject) {
            continues = false;
            continue;
        }
        match found.last_mut().filter(|_| continues && item.is_none()) {
            Some(paragraph) => {
                paragraph.push(' ');
                paragraph.push_str(line);
            }
            None => found.push(item.unwrap_or(line).to_string()),
        }
        continues = true;
    }
    found
}

/// A subject without the number of the pull request that a forge appends to it.
fn without_pull_request(subject: &str) -> &str {
    let is_number = |rest: &str| {
        let digits = rest.strip_suffix(')').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    match subject.trim_end().rsplit_once(" (#") {
        Some((text, rest)) if is_number(rest) => text,
        _ => subject,
    }
}

/// Whether a line repeats the subject, apart from the pull request number and the module.
fn repeats_subject(line: &str, subject: &str) -> bool {
    let core = |text: &str| -> String {
        without_pull_request(text)
            .chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let (line, subject) = (core(line), core(subject));
    !line.is_empty() && (subject.ends_with(&line) || line.ends_with(&subject))
}

/// Whether a line is prose: no heading, no trailer, no mere reference.
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
        commit_statement(message).map_or("-".into(), |found| {
            let module = found.module.map_or(String::new(), |module| format!(" in {module}"));
            format!("{}{module}: {}", found.statement.kind, found.statement.content)
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
    fn a_fix_is_an_issue() {
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
    fn subjects_of_squashed_commits_are_ignored() {
        let message = "scrape: add label limits (#8777)\n\n* scrape: add label limits\n\nThe limits are tested \
            before relabelling, because that is cheaper.\n\n* fix lint\n\n* Address feedback\n";
        assert_eq!(
            shown(message),
            "decision in scrape: add label limits (#8777). The limits are tested before relabelling, \
             because that is cheaper."
        );
    }

    #[test]
    fn sentences_are_separated_and_not_repeated() {
        let message = "queue: limit the jobs that are moved\n\n\
            * Move a thousand jobs at a time to avoid a crash of the server, which has one thread\n\
            * Move a thousand jobs at a time to avoid a crash of the server, which has one thread\n\
            * Run the next move at once, because the queue is long\n";
        assert_eq!(
            shown(message),
            "decision in queue: limit the jobs that are moved. Move a thousand jobs at a time to avoid a crash \
             of the server, which has one thread. Run the next move at once, because the queue is long"
        );
    }

    #[test]
    fn a_label_decides_the_kind() {
        assert_eq!(
            shown("Add a limit\n\nRULE: no request may allocate more than a megabyte"),
            "rule: Add a limit. RULE: no request may allocate more than a megabyte"
        );
    }

    #[test]
    fn long_messages_are_cut_to_their_reasons() {
        let filler: String = (0..20)
            .map(|n| format!("Nothing of importance is said here for the {n}th time. "))
            .collect();
        let message = format!(
            "io: drop the cache\n\nIt was slow. {filler}We drop it because nobody hits it."
        );
        assert_eq!(
            shown(&message),
            "decision in io: drop the cache. It was slow. We drop it because nobody hits it."
        );
    }

    #[test]
    fn a_message_that_says_why_counts_more() {
        let confidence = |message: &str| commit_statement(message).unwrap().statement.confidence;
        let why = "\n\nThe list was copied for each request, because it was owned.";
        for subject in ["Use a ring buffer instead of a list", "Fix a leak when a task is dropped"]
        {
            assert!(confidence(&format!("{subject}{why}")) > confidence(subject), "{subject}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_message_is_read(message in "(\\PC|\n){0,300}") {
            commit_statement(&message);
        }
    }
}
