//! String literals of a line, and their placeholders.

use super::random::Random;

/// The texts between double or single quotes on a line, without escapes in them.
pub fn literals(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(['"', '\'']) {
        let quote = rest[start..].chars().next().unwrap_or('"');
        let inner = &rest[start + 1..];
        let Some(end) = inner.find(quote) else { break };
        if !inner[..end].contains('\\') {
            found.push(&inner[..end]);
        }
        rest = &inner[end + 1..];
    }
    found
}

/// Whether a literal reads like a message: at least four words of letters, a space between them.
pub fn is_message(text: &str) -> bool {
    let words =
        text.split(' ').filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1);
    text.len() >= 20 && text.len() <= 160 && words.count() >= 4 && !text.contains(['<', '>', '='])
}

/// The placeholders of a text as byte ranges: `%s`, `%d`, `{}`, `{name}`, `{0}`, `${x}`, `#{x}`, `$x`.
pub fn placeholders(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match placeholder(&text[at..]) {
            Some(length) => {
                found.push((at, at + length));
                at += length;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// The length of the placeholder at the beginning of a text.
fn placeholder(text: &str) -> Option<usize> {
    let word = |from: usize| {
        text[from..]
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count()
    };
    let braces = |open: usize| {
        let length = text[open..].find('}')?;
        (length <= 24 && !text[open..open + length].contains(' ')).then_some(open + length + 1)
    };
    if text.starts_with("${") || text.starts_with("#{") {
        return braces(2);
    }
    if text.starts_with('{') {
        return braces(1);
    }
    if text.starts_with('$') && word(1) > 1 {
        return Some(1 + word(1));
    }
    let verb = text.strip_prefix('%')?;
    let flags = verb.bytes().take_while(|byte| b"0123456789.-+lzhq#".contains(byte)).count();
    let conversion = verb.as_bytes().get(flags)?;
    b"sdiuvxpfgcr".contains(conversion).then_some(2 + flags)
}

/// A message as a program would print it.
pub fn fill(text: &str, random: &mut Random) -> String {
    const VALUES: [&str; 10] = [
        "42",
        "8080",
        "user_17",
        "orders",
        "/var/lib/data/x7.tmp",
        "alpha-3",
        "0x7ffe12",
        "2.31.0",
        "Widget",
        "10.0.0.7",
    ];
    let mut filled = String::new();
    let mut from = 0;
    for (start, end) in placeholders(text) {
        filled.push_str(&text[from..start]);
        filled.push_str(VALUES[random.below(VALUES.len())]);
        from = end;
    }
    filled + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_of_many_languages() {
        let names = |text: &'static str| -> Vec<&str> {
            placeholders(text).into_iter().map(|(start, end)| &text[start..end]).collect()
        };
        assert_eq!(names("no file %s in %-5d of %lu"), ["%s", "%-5d", "%lu"]);
        assert_eq!(names("bad {name} in {} and {0}"), ["{name}", "{}", "{0}"]);
        assert_eq!(names("a ${x} b #{y} c $zed"), ["${x}", "#{y}", "$zed"]);
        assert!(names("100% sure, { a b c d }, costs $5").is_empty());
    }

    #[test]
    fn literals_are_between_quotes() {
        assert_eq!(literals("f(\"one two\", 'three') + \"a\\\"b\""), ["one two", "three"]);
        assert!(is_message("cannot open the file today"));
        assert!(!is_message("cannot open"));
    }
}
