//! Classifies sentences as statements of a pattern, a rule, a decision or an issue, by labels and phrases.

use groma_core::DiscoveryKind;

/// Minimum number of letters of a statement.
const MIN_LETTERS: usize = 10;

/// Maximum length of a statement in characters; a longer one is cut after a word.
pub(crate) const MAX_LENGTH: usize = 1000;

/// The confidence of a statement with a label.
pub(crate) const LABEL_CONFIDENCE: f32 = 0.9;

/// The confidence of a statement recognised by a phrase.
pub(crate) const PHRASE_CONFIDENCE: f32 = 0.6;

/// A sentence or paragraph with its kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub kind: DiscoveryKind,
    pub content: String,
    pub confidence: f32,
}

/// Words that label, before a colon, what follows; those of the second list only in capitals, because prose uses them
/// freely.
const LABELS: &[(&str, DiscoveryKind)] = &[
    ("rule", DiscoveryKind::Rule),
    ("requirement", DiscoveryKind::Rule),
    ("invariant", DiscoveryKind::Rule),
    ("decision", DiscoveryKind::Decision),
    ("rationale", DiscoveryKind::Decision),
    ("convention", DiscoveryKind::Pattern),
    ("pattern", DiscoveryKind::Pattern),
    ("fixme", DiscoveryKind::Issue),
    ("bug", DiscoveryKind::Issue),
    ("issue", DiscoveryKind::Issue),
    ("fixed", DiscoveryKind::Issue),
    ("known issue", DiscoveryKind::Issue),
    ("workaround", DiscoveryKind::Issue),
];

const CAPITAL_LABELS: &[(&str, DiscoveryKind)] = &[
    ("NOTE", DiscoveryKind::Pattern),
    ("IMPORTANT", DiscoveryKind::Rule),
    ("HACK", DiscoveryKind::Issue),
    ("XXX", DiscoveryKind::Issue),
];

/// Phrases that mark a statement anywhere in a sentence, the most reliable kinds first.
const PHRASES: &[(&str, DiscoveryKind)] = &[
    ("we decided", DiscoveryKind::Decision),
    ("decided to", DiscoveryKind::Decision),
    ("decided against", DiscoveryKind::Decision),
    ("decided not to", DiscoveryKind::Decision),
    ("we chose", DiscoveryKind::Decision),
    ("chose to", DiscoveryKind::Decision),
    ("was chosen", DiscoveryKind::Decision),
    ("went with", DiscoveryKind::Decision),
    ("opted for", DiscoveryKind::Decision),
    ("opted to", DiscoveryKind::Decision),
    ("must always", DiscoveryKind::Rule),
    ("must never", DiscoveryKind::Rule),
    ("must not", DiscoveryKind::Rule),
    ("should never", DiscoveryKind::Rule),
    ("should always", DiscoveryKind::Rule),
    ("known issue", DiscoveryKind::Issue),
    ("known bug", DiscoveryKind::Issue),
    ("works around", DiscoveryKind::Issue),
    ("workaround for", DiscoveryKind::Issue),
    ("by convention", DiscoveryKind::Pattern),
    ("the convention is", DiscoveryKind::Pattern),
    ("pattern is", DiscoveryKind::Pattern),
    ("we use", DiscoveryKind::Pattern),
    ("we always", DiscoveryKind::Pattern),
    ("we prefer", DiscoveryKind::Pattern),
];

/// Lowercase texts; a file whose comments contain a statement contains at least one of them.
pub(crate) fn marker_words() -> impl Iterator<Item = String> {
    let labels = LABELS.iter().chain(CAPITAL_LABELS).map(|(label, _)| label.to_lowercase());
    // A label is followed by a colon, or by a name in parentheses.
    let labels = labels.flat_map(|label| [format!("{label}:"), format!("{label}(")]);
    labels.chain(PHRASES.iter().map(|(phrase, _)| phrase.to_string()))
}

/// The label of a text, and the text after it: `RULE: ...`, `FIXME(ann): ...`.
pub(crate) fn label(text: &str) -> Option<(DiscoveryKind, &str)> {
    let text = text.trim_start().trim_start_matches(['*', '_', '@', '\\']);
    let colon = text.find(':').filter(|colon| *colon <= 40)?;
    let (head, rest) = (text[..colon].trim_end_matches(['*', '_']), &text[colon + 1..]);
    let word = head.split_once('(').map_or(head, |(word, _)| word).trim();
    let plain = word.to_ascii_lowercase();
    let any = LABELS.iter().find(|(name, _)| *name == plain);
    let (_, kind) = any.or_else(|| CAPITAL_LABELS.iter().find(|(name, _)| *name == word))?;
    // `issue::Tracker` and `http://` have a colon too.
    let is_label =
        rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || "*_".contains(c));
    is_label.then(|| (*kind, rest.trim_start_matches(['*', '_', ' ', '\t'])))
}

/// The kind of a sentence, by its phrases.
pub(crate) fn classify_phrase(sentence: &str) -> Option<DiscoveryKind> {
    classify_by(PHRASES, sentence)
}

/// The kind of the first of `phrases` that a sentence contains.
pub(crate) fn classify_by(
    phrases: &[(&str, DiscoveryKind)],
    sentence: &str,
) -> Option<DiscoveryKind> {
    let plain = sentence.to_lowercase();
    phrases.iter().find(|(phrase, _)| contains_words(phrase, &plain)).map(|(_, kind)| *kind)
}

/// Whether a text contains one of `phrases` as whole words.
pub(crate) fn contains_phrase(text: &str, phrases: &[&str]) -> bool {
    let plain = text.to_lowercase();
    phrases.iter().any(|phrase| contains_words(phrase, &plain))
}

fn contains_words(phrase: &str, plain: &str) -> bool {
    plain.match_indices(phrase).any(|(start, _)| {
        let before = plain[..start].chars().next_back();
        let after = plain[start + phrase.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// The kind of a sentence in a document of instructions, where a plain imperative is a rule, too.
pub(crate) fn classify_instruction(sentence: &str) -> Option<DiscoveryKind> {
    const IMPERATIVES: [&str; 7] =
        [" must ", " never ", " always ", " do not ", " don't ", " avoid ", " prefer "];
    classify_phrase(sentence).or_else(|| {
        let plain = format!(" {} ", sentence.to_lowercase());
        IMPERATIVES.iter().any(|word| plain.contains(word)).then_some(DiscoveryKind::Rule)
    })
}

/// The statements of a paragraph: all of it if it is labelled, otherwise each sentence with a phrase.
pub(crate) fn statements(paragraph: &str) -> Vec<Statement> {
    if let Some((kind, rest)) = label(paragraph) {
        return new_statement(kind, rest, LABEL_CONFIDENCE).into_iter().collect();
    }
    sentences(paragraph)
        .filter_map(|sentence| {
            new_statement(classify_phrase(sentence)?, sentence, PHRASE_CONFIDENCE)
        })
        .collect()
}

/// A statement, if the text is long enough to be one.
pub(crate) fn new_statement(kind: DiscoveryKind, text: &str, confidence: f32) -> Option<Statement> {
    let content = shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let letters = content.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= MIN_LETTERS).then_some(Statement { kind, content, confidence })
}

/// At most [`MAX_LENGTH`] characters, cut after a word.
fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MAX_LENGTH - 3) else { return text.to_string() };
    if text[end..].chars().count() <= 3 {
        return text.to_string();
    }
    let end = text[..end].rfind(' ').unwrap_or(end);
    format!("{}...", &text[..end])
}

/// The sentences of a text. A full stop ends one only before white space, so that `v1.2` and `e.g.x` are not split.
pub(crate) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .filter(|(_, c)| matches!(c, '.' | '!' | '?'))
            .map(|(at, c)| at + c.len_utf8())
            .find(|end| {
                let tail = &rest[*end..];
                let begins = tail.trim_start().chars().next();
                tail.starts_with(char::is_whitespace)
                    && begins.is_some_and(|c| c.is_uppercase() || "`\"'([".contains(c))
            })
            .unwrap_or(rest.len());
        let (sentence, tail) = rest.split_at(end);
        rest = tail;
        Some(sentence.trim_end())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        statements(text).into_iter().map(|one| format!("{}: {}", one.kind, one.content)).collect()
    }

    #[test]
    fn labels_say_what_follows() {
        assert_eq!(shown("RULE: never log a token"), ["rule: never log a token"]);
        assert_eq!(shown("FIXME(ann): leaks on  cancel"), ["issue: leaks on cancel"]);
        assert_eq!(
            shown("**Decision**: PostgreSQL, not MySQL"),
            ["decision: PostgreSQL, not MySQL"]
        );
        assert_eq!(shown("Fixed: the lock was never freed"), ["issue: the lock was never freed"]);
        assert_eq!(shown("Note: see the other file over there"), [""; 0]);
        assert_eq!(shown("issue::Tracker is the type"), [""; 0]);
        assert_eq!(shown("BUG: short"), [""; 0]);
    }

    #[test]
    fn phrases_state_their_sentence() {
        let text =
            "Tokens expire. We decided to keep them in httpOnly cookies, e.g. for XSS. It works.";
        assert_eq!(
            shown(text),
            ["decision: We decided to keep them in httpOnly cookies, e.g. for XSS."]
        );
        assert_eq!(
            shown("Callers must not hold the lock here."),
            ["rule: Callers must not hold the lock here."]
        );
        assert_eq!(shown("As we used to do for v1.2. Nothing else."), [""; 0]);
    }

    #[test]
    fn long_statements_are_cut_after_a_word() {
        let text = format!("RULE: {}", "wörter ".repeat(400));
        let content = &statements(&text)[0].content;
        assert!(
            content.chars().count() <= MAX_LENGTH && content.ends_with("wörter..."),
            "{content}"
        );
    }
}
