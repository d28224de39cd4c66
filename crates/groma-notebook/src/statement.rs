//! What a sentence states: a pattern, a rule, a decision or an issue, by the words people mark such things with.

use groma_core::DiscoveryKind;

/// What is shorter says nothing by itself.
const SHORTEST: usize = 10;

/// What is longer is cut after a word.
pub(crate) const LONGEST: usize = 1000;

/// How sure a statement is whose first word says what it is.
pub(crate) const LABELLED: f32 = 0.9;

/// How sure a statement is that only sounds like one.
pub(crate) const PHRASED: f32 = 0.6;

/// Something that was stated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub kind: DiscoveryKind,
    pub content: String,
    pub confidence: f32,
}

/// Words that say, before a colon, what follows; the second list only in capitals, because prose uses them freely.
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

/// Phrases that state something wherever they stand in a sentence, the surest kinds first.
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

/// Texts of which every file holds one that states something in a comment; lowercase.
pub(crate) fn telling_words() -> impl Iterator<Item = String> {
    let labels = LABELS.iter().chain(CAPITAL_LABELS).map(|(label, _)| label.to_lowercase());
    // A label is followed by its colon, or by somebody's name in parentheses.
    let labels = labels.flat_map(|label| [format!("{label}:"), format!("{label}(")]);
    labels.chain(PHRASES.iter().map(|(phrase, _)| phrase.to_string()))
}

/// What a text is labelled as, and the text behind the label: `RULE: ...`, `FIXME(ann): ...`.
pub(crate) fn label(text: &str) -> Option<(DiscoveryKind, &str)> {
    let text = text.trim_start().trim_start_matches(['*', '_', '@', '\\']);
    let colon = text.find(':').filter(|colon| *colon <= 40)?;
    let (head, rest) = (text[..colon].trim_end_matches(['*', '_']), &text[colon + 1..]);
    let word = head.split_once('(').map_or(head, |(word, _)| word).trim();
    let plain = word.to_ascii_lowercase();
    let any = LABELS.iter().find(|(name, _)| *name == plain);
    let (_, kind) = any.or_else(|| CAPITAL_LABELS.iter().find(|(name, _)| *name == word))?;
    // `issue::Tracker` and `http://` have a colon too.
    let apart =
        rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || "*_".contains(c));
    apart.then(|| (*kind, rest.trim_start_matches(['*', '_', ' ', '\t'])))
}

/// What a sentence sounds like.
pub(crate) fn phrase(sentence: &str) -> Option<DiscoveryKind> {
    kind_by(PHRASES, sentence)
}

/// The kind that the first of some phrases gives a sentence that holds it.
pub(crate) fn kind_by(phrases: &[(&str, DiscoveryKind)], sentence: &str) -> Option<DiscoveryKind> {
    let plain = sentence.to_lowercase();
    phrases.iter().find(|(phrase, _)| stands(phrase, &plain)).map(|(_, kind)| *kind)
}

/// Whether a text holds one of some phrases, as words of their own.
pub(crate) fn holds(text: &str, phrases: &[&str]) -> bool {
    let plain = text.to_lowercase();
    phrases.iter().any(|phrase| stands(phrase, &plain))
}

fn stands(phrase: &str, plain: &str) -> bool {
    plain.match_indices(phrase).any(|(start, _)| {
        let before = plain[..start].chars().next_back();
        let after = plain[start + phrase.len()..].chars().next();
        ![before, after].into_iter().flatten().any(char::is_alphanumeric)
    })
}

/// What a sentence sounds like where every sentence is meant to state something: plain orders are rules, too.
pub(crate) fn sounds_like(sentence: &str) -> Option<DiscoveryKind> {
    const ORDERS: [&str; 7] =
        [" must ", " never ", " always ", " do not ", " don't ", " avoid ", " prefer "];
    phrase(sentence).or_else(|| {
        let plain = format!(" {} ", sentence.to_lowercase());
        ORDERS.iter().any(|order| plain.contains(order)).then_some(DiscoveryKind::Rule)
    })
}

/// Everything a paragraph states: the whole of it when it is labelled, else each sentence that sounds like it.
pub(crate) fn statements(paragraph: &str) -> Vec<Statement> {
    if let Some((kind, rest)) = label(paragraph) {
        return state(kind, rest, LABELLED).into_iter().collect();
    }
    sentences(paragraph)
        .filter_map(|sentence| state(phrase(sentence)?, sentence, PHRASED))
        .collect()
}

/// A statement, if the text is long enough to be one.
pub(crate) fn state(kind: DiscoveryKind, text: &str, confidence: f32) -> Option<Statement> {
    let content = shortened(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let letters = content.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= SHORTEST).then_some(Statement { kind, content, confidence })
}

/// At most [`LONGEST`] characters, cut after a word.
fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(LONGEST - 3) else { return text.to_string() };
    if text[end..].chars().count() <= 3 {
        return text.to_string();
    }
    let end = text[..end].rfind(' ').unwrap_or(end);
    format!("{}...", &text[..end])
}

/// The sentences of a text. A full stop ends one only before white space, so that `v1.2` and `e.g.x` stay whole.
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
        assert!(content.chars().count() <= LONGEST && content.ends_with("wörter..."), "{content}");
    }
}
