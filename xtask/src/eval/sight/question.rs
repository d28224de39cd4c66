//! A question from a commit message: what a person would have written before the fix existed.

/// Subjects with one of these words, or a form of it, look like a fix.
const FIX: &str = "\
    fix prevent avoid handle allow correct ensure wrong reject preserve hang panic crash leak";

/// What a commit is for, as its prefix says, if that is no behaviour of the code.
const CHORES: &str = "\
    build changelog chore ci deps doc docs lint refactor release snap style test tests typo";

/// Words of subjects about text, tools or dependencies rather than behaviour.
const CHORE_WORDS: &str = "\
    badge bump bumps ci codeql dependabot doc docs docstring docstrings document documentation flaky javadoc \
    license lint master readme renovate spelling spotless typo typos";

/// How the lines start that people and tools append to a message.
const TRAILERS: [&str; 24] = [
    "acked-by",
    "assisted-by",
    "backport",
    "change-id",
    "cherry picked",
    "close",
    "closes",
    "co-authored-by",
    "compare:",
    "fixes",
    "fix #",
    "generated",
    "http",
    "issue",
    "pr-url",
    "pull request",
    "ref:",
    "refs",
    "related",
    "resolves",
    "reviewed-by",
    "see",
    "signed-off-by",
    "this reverts",
];

/// A sentence longer than this is no sentence of a question.
const MAX_SENTENCE: usize = 400;

/// Fewer words than this say nothing.
const MIN_WORDS: usize = 3;

/// The subject and the first sentence of the body, without what only the repository's machinery needs; `None` if
/// the commit is no fix of code or says too little.
pub fn question(subject: &str, body: &str) -> Option<String> {
    if !is_fix(subject) {
        return None;
    }
    let subject = without_numbers(subject);
    let subject = subject
        .trim_start_matches(|c: char| {
            !c.is_alphanumeric() && (c == '-' || !c.is_ascii_punctuation())
        })
        .trim();
    let words = subject.split_whitespace().filter(|word| word.contains(char::is_alphabetic));
    if words.count() < MIN_WORDS {
        return None;
    }
    let end = if subject.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    Some(match first_sentence(body) {
        Some(sentence) if !sentence.starts_with(subject) => format!("{subject}{end} {sentence}"),
        _ => subject.to_string(),
    })
}

fn is_fix(subject: &str) -> bool {
    let lower = subject.to_lowercase();
    if ["merge ", "revert", "release "].iter().any(|start| lower.starts_with(start)) {
        return false;
    }
    let mut words =
        lower.split_whitespace().map(|w| w.trim_matches(|c: char| !c.is_alphanumeric()));
    let is_chore = words.any(|word| {
        has_word(CHORE_WORDS, word) || word.contains("changelog") || word.contains("clippy")
    });
    let mut marks = lower.split(|c: char| !c.is_alphanumeric());
    marks.any(looks_like_fix) && !is_chore && !has_chore_prefix(&lower)
}

fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

/// Whether a word is one of a fix: `fixes`, `allowed`, `hanging`, but not `fixture`.
fn looks_like_fix(word: &str) -> bool {
    FIX.split(' ').any(|mark| word.starts_with(mark) && word.len() <= mark.len() + 3)
}

/// Whether the words in front are those of a chore: `ci: `, `docs(axum): `, `fix(docs): `, `[refactor] `.
fn has_chore_prefix(lower: &str) -> bool {
    let Some((prefix, _)) = lower.split_once(": ").or_else(|| lower.split_once("] ")) else {
        return false;
    };
    prefix.split(['(', ')', '[', ',', ' ']).any(|part| has_word(CHORES, part))
}

/// The text without references to issues, tickets and changes: `(#123)`, `[Fix #123]`, `[MNG-1]`, `Fix #123:`.
fn without_numbers(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(open) = rest.find(['(', '[']) {
        let close = if rest[open..].starts_with('(') { ')' } else { ']' };
        let Some(length) = rest[open..].find(close) else { break };
        let inner = &rest[open + 1..open + length];
        let end = open + length + 1;
        kept.push_str(if is_reference(inner) { rest[..open].trim_end() } else { &rest[..end] });
        rest = &rest[end..];
    }
    kept.push_str(rest);
    without_loose_numbers(&kept)
}

/// Whether bracketed words only name an issue or a change.
fn is_reference(inner: &str) -> bool {
    let mut words = inner.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
    let number = |word: &str| {
        let digits = word.rsplit(['#', '-', '/']).next().unwrap_or_default();
        !digits.is_empty()
            && digits.len() < word.len()
            && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let linking = |word: &str| {
        let word = word.to_lowercase();
        ["fix", "fixes", "close", "closes", "issue", "pr", "refs", "and", "see", "backport"]
            .contains(&word.trim_end_matches(':'))
    };
    words.peek().is_some()
        && words.clone().all(|word| number(word) || linking(word))
        && words.any(number)
}

/// The text without `#123`, with the words and marks that only led to it.
fn without_loose_numbers(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for word in text.split_whitespace() {
        let bare = word.trim_end_matches([':', ',', '.', ';']);
        let number = bare.strip_prefix('#').is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        });
        if !number {
            kept.push(word);
        } else if kept.last().is_some_and(|last| is_linking(last)) {
            kept.pop();
        }
    }
    kept.join(" ").trim_end_matches([',', ';', ':', '-', ' ']).to_string()
}

fn is_linking(word: &str) -> bool {
    let word = word.to_lowercase();
    ["fix", "fixes", "fixed", "closes", "close", "issue", "refs", "see"].contains(&word.as_str())
}

/// The first sentence of prose in a body.
fn first_sentence(body: &str) -> Option<String> {
    let is_prose = |paragraph: &&str| {
        let first = paragraph.lines().next().unwrap_or_default();
        let is_heading = first.starts_with('#') || paragraph.starts_with("<!--");
        !paragraph.is_empty() && !is_heading && !is_trailer(first)
    };
    let body = body.replace("\r\n", "\n");
    let paragraph = body.split("\n\n").map(str::trim).find(is_prose)?;
    // A list is that of the commits squashed, or has no first sentence.
    if paragraph.starts_with(['*', '-', '|', '`', '>', '<', '=']) {
        return None;
    }
    let prose = paragraph.lines().take_while(|line| !is_trailer(line) && !is_item(line));
    let text = prose.collect::<Vec<_>>().join(" ");
    let sentence = &text[..sentence_end(&text)];
    let says = sentence.split_whitespace().count() >= MIN_WORDS && sentence.len() <= MAX_SENTENCE;
    let refers = sentence.split_whitespace().any(|word| {
        let number = word.split_once('#').is_some_and(|(_, after)| starts_with_digit(after));
        number || word.contains("://") || word.contains("```") || is_hash(word)
    });
    (says && !refers).then(|| sentence.to_string())
}

fn is_trailer(line: &str) -> bool {
    let lower = line.trim_start().to_lowercase();
    let starts = |mark: &&str| lower.starts_with(*mark);
    TRAILERS.iter().any(starts) && {
        // "See" and "fixes" also start sentences: then no number, address or name follows.
        let rest = lower.split_once([' ', ':']).map_or("", |(_, rest)| rest);
        rest.contains(['#', '@'])
            || rest.contains("://")
            || lower.contains("-by:")
            || rest.len() < 30
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word is the name of a commit.
fn is_hash(word: &str) -> bool {
    let word = word.trim_matches(['(', ')', '`', '.', ',']);
    word.len() >= 9 && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_item(line: &str) -> bool {
    line.starts_with("* ") || line.starts_with("- ")
}

/// Where the first sentence ends: after a full stop that a blank and no lower-case letter follow.
fn sentence_end(text: &str) -> usize {
    let ends = text.match_indices(['.', '!', '?']).map(|(at, _)| at + 1);
    let is_end = |end: &usize| {
        let (before, rest) = text.split_at(*end);
        let is_short = ["e.g.", "i.e.", "etc.", "vs.", "cf."].iter().any(|s| before.ends_with(s));
        let next = rest.trim_start().chars().next();
        !is_short && rest.starts_with(' ') && next.is_some_and(|c| !c.is_lowercase())
    };
    ends.into_iter().find(is_end).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(subject: &str, body: &str, expected: Option<&str>) {
        assert_eq!(question(subject, body).as_deref(), expected, "{subject}");
    }

    #[test]
    fn numbers_of_issues_and_changes_are_left_out() {
        for (subject, expected) in [
            ("Fix NPE in inheritance assembler (#12632)", "Fix NPE in inheritance assembler"),
            ("[Fix #15590] Fix an infinite loop error", "Fix an infinite loop error"),
            ("[MNG-7532] Ensure Log is kept", "Ensure Log is kept"),
            ("Fix #12583: Inverted file check in put()", "Inverted file check in put()"),
            ("guard null fields to fix NPE (#8962) (#9345)", "guard null fields to fix NPE"),
            ("fix: respect links (fix #23197) (#23198)", "fix: respect links"),
            (
                "Avoid calling spl_object_hash, fixes #13027 (#13028)",
                "Avoid calling spl_object_hash",
            ),
            ("🐛 Fix `status_code` being ignored", "Fix `status_code` being ignored"),
            ("fix(h2): honour the size (of bodies)", "fix(h2): honour the size (of bodies)"),
        ] {
            check(subject, "", Some(expected));
        }
    }

    #[test]
    fn words_of_chores_within_names_are_none() {
        let subject = "Fix `Lint/Typo` in release mode for tests";
        check(subject, "", Some(subject));
    }

    #[test]
    fn commits_that_change_no_behaviour_ask_nothing() {
        for subject in [
            "Add a new option for colours",
            "Change the prefix of a fixture",
            "fix typo in SimplexStream docs",
            "docs(axum-extra): fix CookieJar request header guidance",
            "ci: preserve the exit status of QEMU",
            "[refactor] Avoid calling it twice",
            "fix: silence `clippy::implicit_clone` in macros",
            "Bump lodash to fix a leak",
            "fix(test): skip cache when a module is missing",
            "Revert \"Fix a crash on start\"",
            "Fix it (#12)",
            "Fix #12",
        ] {
            check(subject, "", None);
        }
    }

    #[test]
    fn the_first_sentence_of_the_body_is_asked_too() {
        let body = "The lock was\nheld too long, e.g. By readers. It is not any more.\n\nFixes #3";
        let expected = "Fix a hang in the pool. The lock was held too long, e.g. By readers.";
        check("Fix a hang in the pool (#4)", body, Some(expected));
        let headed = "## Summary\n\nReaders wait forever.\n";
        check("Fix a hang.", headed, Some("Fix a hang. Readers wait forever."));
    }

    #[test]
    fn trailers_and_lists_are_no_sentences() {
        for body in [
            "Fixes #3",
            "Signed-off-by: A Person <a@example.com>",
            "* fix lint\n* add a test",
            "See https://example.com/issues/3 for what happened",
            "Co-authored-by: A Person <a@example.com>\nReviewed-by: Another",
            "Closes gh-12",
            "introduced by https://example.com/pull/3 of last week",
            "Turns out it was broken by 21fec95b07f04e70dc2a6250f3f00d7b63003650",
            "Similar to #3, applied to readers",
            "Fix a rare hang",
        ] {
            check("Fix a rare hang", body, Some("Fix a rare hang"));
        }
        let sentence = "See how readers wait here forever when the pool is empty";
        check("Fix a rare hang!", sentence, Some(&format!("Fix a rare hang! {sentence}")));
    }
}
