//! Splitting code and prose into words.
//!
//! One splitter serves the keyword index, the query planner and the reranker, so that a question and the code
//! that answers it always meet in the same words. Hand-made because it runs over every byte of a
//! project: general tokenizers know neither `camelCase` nor `HTTPServer`, and cost several times as much.

/// Maximum length of an identifier that is split, in bytes; longer ones are encoded data.
const MAX_IDENTIFIER: usize = 80;

/// One word of an identifier, or the identifier itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// A lowercase part of an identifier, or the whole of one that has a single part.
    Part(&'a str),
    /// A whole identifier of several parts: lowercase, separators removed, so that `get_user` and `getUser`
    /// are the same.
    Whole(&'a str),
}

/// Whether the byte can be part of an identifier. Bytes of non-ASCII letters count.
pub fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Calls `emit` for each word of `text`, in order; a whole identifier follows its parts.
pub fn words(text: &str, mut emit: impl FnMut(Word<'_>)) {
    let bytes = text.as_bytes();
    let mut lower = [0u8; MAX_IDENTIFIER];
    let mut at = 0;
    while at < bytes.len() {
        if !is_identifier_byte(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_identifier_byte(bytes[at]) {
            at += 1;
        }
        let identifier = &bytes[start..at];
        if identifier.len() > MAX_IDENTIFIER {
            continue;
        }
        if identifier.is_ascii() {
            split_ascii(identifier, &mut lower, &mut emit);
        } else {
            split_unicode(&text[start..at], &mut emit);
        }
    }
}

/// Splits `identifier` where its case or its class changes, without allocating.
fn split_ascii(
    identifier: &[u8],
    lower: &mut [u8; MAX_IDENTIFIER],
    emit: &mut impl FnMut(Word<'_>),
) {
    let mut length = 0;
    let mut part = 0;
    let mut parts = 0;
    let mut flush = |lower: &[u8], from: usize, to: usize| {
        // Single letters and numbers of more than six digits are not indexed.
        if to - from >= 2 && !(lower[from].is_ascii_digit() && to - from > 6) {
            emit(Word::Part(ascii(&lower[from..to])));
        }
        parts += usize::from(to > from);
    };
    for (index, byte) in identifier.iter().copied().enumerate() {
        if byte == b'_' {
            flush(lower, part, length);
            part = length;
            continue;
        }
        if length > part && starts_part(identifier, index) {
            flush(lower, part, length);
            part = length;
        }
        lower[length] = byte.to_ascii_lowercase();
        length += 1;
    }
    flush(lower, part, length);
    if parts > 1 && !lower[0].is_ascii_digit() {
        emit(Word::Whole(ascii(&lower[..length])));
    }
}

fn ascii(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("only ASCII bytes are collected")
}

/// Whether a new part begins at `index`: `aB`, the last capital of `ABCd`, and between letters and digits.
fn starts_part(identifier: &[u8], index: usize) -> bool {
    let (before, here) = (identifier[index - 1], identifier[index]);
    if here.is_ascii_uppercase() {
        return before.is_ascii_lowercase()
            || before.is_ascii_digit()
            || (before.is_ascii_uppercase()
                && identifier.get(index + 1).is_some_and(u8::is_ascii_lowercase));
    }
    before.is_ascii_digit() != here.is_ascii_digit()
}

/// The parts of an identifier as they are written: `getUserById` has four, `HTTPServer` two.
pub fn parts(identifier: &str) -> Vec<&str> {
    let bytes = identifier.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let ends = *byte == b'_' || index > start && starts_part(bytes, index);
        if ends {
            parts.push(&identifier[start..index]);
            start = index + usize::from(*byte == b'_');
        }
    }
    parts.push(&identifier[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

/// The rare identifier with letters beyond ASCII is split at underscores and lower-to-upper changes only.
fn split_unicode(identifier: &str, emit: &mut impl FnMut(Word<'_>)) {
    let mut whole = String::with_capacity(identifier.len());
    let mut part = String::new();
    let mut parts = 0;
    let mut lower_before = false;
    for letter in identifier.chars() {
        let boundary = !letter.is_alphanumeric() || (letter.is_uppercase() && lower_before);
        if boundary && !part.is_empty() {
            emit(Word::Part(&part));
            parts += 1;
            part.clear();
        }
        if letter.is_alphanumeric() {
            part.extend(letter.to_lowercase());
            whole.extend(letter.to_lowercase());
        }
        lower_before = letter.is_lowercase();
    }
    if !part.is_empty() {
        emit(Word::Part(&part));
        parts += 1;
    }
    if parts > 1 {
        emit(Word::Whole(&whole));
    }
}

/// Suffixes removed once, longest family first, with the length the rest must keep.
const SUFFIXES: &[(&str, usize)] = &[
    ("ization", 4),
    ("isation", 4),
    ("ational", 4),
    ("ations", 3),
    ("ation", 3),
    ("ators", 3),
    ("ator", 3),
    ("ating", 3),
    ("ated", 3),
    ("izing", 4),
    ("ising", 4),
    ("izer", 4),
    ("ized", 4),
    ("ions", 4),
    ("ion", 4),
    ("ment", 4),
    ("able", 4),
    ("ible", 4),
    ("ate", 4),
    ("ize", 4),
    ("ise", 4),
    ("ing", 3),
    ("ers", 4),
    ("ors", 4),
    ("ed", 3),
    ("er", 4),
    ("or", 4),
];

/// The stem under which a lowercase word is indexed and looked up.
///
/// Code says `Connector`, `validate` and `routes` where people ask about connections, validation and
/// routing. General stemmers keep agents (`-er`, `-or`) apart from actions; here they belong together.
pub fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let word = strip_plural(word);
    for (suffix, keep) in SUFFIXES {
        if let Some(rest) = word.strip_suffix(suffix)
            && rest.len() >= *keep
            && has_vowel(rest)
        {
            return trim_end(undouble(rest));
        }
    }
    trim_end(word)
}

fn strip_plural(word: &str) -> &str {
    if let Some(rest) = word.strip_suffix("ies") {
        return if rest.len() >= 2 { &word[..rest.len() + 1] } else { word };
    }
    if word.ends_with("sses")
        || word.ends_with("xes")
        || word.ends_with("ches")
        || word.ends_with("shes")
    {
        return &word[..word.len() - 2];
    }
    match word.strip_suffix('s') {
        Some(rest) if rest.len() >= 3 && !rest.ends_with(['s', 'u', 'i']) => rest,
        _ => word,
    }
}

/// `mapp` (from `mapping`) and `map` are the same.
fn undouble(word: &str) -> &str {
    let bytes = word.as_bytes();
    match bytes {
        [.., a, b] if a == b && bytes.len() > 3 && !matches!(b, b'l' | b's' | b'z') => {
            &word[..word.len() - 1]
        }
        _ => word,
    }
}

/// `route`/`rout(ing)` and `query`/`quer(ies)` differ only in their last letter.
fn trim_end(word: &str) -> &str {
    match word.as_bytes() {
        [.., b'e' | b'y' | b'i'] if word.len() > 3 => &word[..word.len() - 1],
        _ => word,
    }
}

fn has_vowel(word: &str) -> bool {
    word.bytes().any(|byte| matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> String {
        let mut out = Vec::new();
        words(text, |word| {
            out.push(match word {
                Word::Part(part) => part.to_string(),
                Word::Whole(whole) => format!("={whole}"),
            })
        });
        out.join(" ")
    }

    #[test]
    fn splits_identifiers() {
        assert_eq!(split("getUserById"), "get user by id =getuserbyid");
        assert_eq!(split("get_user_by_id"), "get user by id =getuserbyid");
        assert_eq!(split("HTTPServer"), "http server =httpserver");
        assert_eq!(split("sha256sum"), "sha 256 sum =sha256sum");
        assert_eq!(split("x = foo(bar)"), "foo bar");
        assert_eq!(split("MAX_RETRIES"), "max retries =maxretries");
        assert_eq!(split("größeÄndern"), "größe ändern =größeändern");
        assert_eq!(split("__init__"), "init");
        assert_eq!(split(&"a".repeat(200)), "");
    }

    #[test]
    fn parts_are_as_written() {
        assert_eq!(parts("getUserById"), ["get", "User", "By", "Id"]);
        assert_eq!(parts("__get_user__2"), ["get", "user", "2"]);
        assert_eq!(parts("HTTPServer"), ["HTTP", "Server"]);
        assert_eq!(parts("größe2Ändern"), ["größe", "2", "Ändern"]);
        assert_eq!(parts("JWT"), ["JWT"]);
        assert!(parts("__").is_empty());
    }

    #[test]
    fn stems_join_what_people_and_code_say() {
        let same = [
            ["connection", "connections", "connector", "connect"].as_slice(),
            &["validation", "validate", "validator", "validating"],
            &["routing", "router", "routes", "route"],
            &["parser", "parsing", "parse", "parsed"],
            &["mapping", "map", "maps"],
            &["queries", "query"],
            &["iterator", "iterate"],
            &["buffer", "buffers"],
        ];
        for group in same {
            let stems: Vec<_> = group.iter().map(|word| stem(word)).collect();
            assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{group:?} -> {stems:?}");
        }
        for [a, b] in [["user", "use"], ["state", "start"], ["status", "state"], ["error", "err"]] {
            assert_ne!(stem(a), stem(b), "{a} and {b}");
        }
    }
}
