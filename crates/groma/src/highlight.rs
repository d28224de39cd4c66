//! Syntax highlighting on a terminal: comments, strings, keywords, numbers, and words that match the query.
//!
//! A simple lexer: a hit is a fragment of a file, which a grammar could not parse reliably either, and an
//! occasional wrong colour does no harm.

use crate::print::{Tint, paint};
use groma_core::stem;

/// Comment and string syntax of a family of languages.
struct Family {
    languages: &'static [&'static str],
    line: &'static [&'static str],
    block: Option<(&'static str, &'static str)>,
    quotes: &'static [char],
}

const C_LIKE: Family =
    Family { languages: &[], line: &["//"], block: Some(("/*", "*/")), quotes: &['"', '\'', '`'] };

const FAMILIES: &[Family] = &[
    Family {
        languages: &[
            "python",
            "ruby",
            "bash",
            "perl",
            "r",
            "julia",
            "elixir",
            "yaml",
            "toml",
            "make",
            "cmake",
            "dockerfile",
            "nix",
        ],
        line: &["#"],
        block: None,
        quotes: &['"', '\''],
    },
    Family {
        languages: &["hcl", "php"],
        line: &["#", "//"],
        block: Some(("/*", "*/")),
        quotes: &['"', '\''],
    },
    // A single quote often begins a lifetime, so it is not highlighted.
    Family { languages: &["rust"], line: &["//"], block: Some(("/*", "*/")), quotes: &['"'] },
    Family {
        languages: &["sql", "lua"],
        line: &["--"],
        block: Some(("/*", "*/")),
        quotes: &['"', '\''],
    },
    Family {
        languages: &["haskell", "elm"],
        line: &["--"],
        block: Some(("{-", "-}")),
        quotes: &['"'],
    },
    Family { languages: &["ocaml"], line: &[], block: Some(("(*", "*)")), quotes: &['"'] },
    Family { languages: &["erlang", "latex"], line: &["%"], block: None, quotes: &['"'] },
    Family { languages: &["clojure", "lisp", "scheme"], line: &[";"], block: None, quotes: &['"'] },
    Family {
        languages: &["html", "xml", "vue", "svelte"],
        line: &[],
        block: Some(("<!--", "-->")),
        quotes: &['"'],
    },
    Family {
        languages: &["markdown", "rst", "text", "asciidoc"],
        line: &[],
        block: None,
        quotes: &[],
    },
];

/// Keywords of most languages. In other languages a word is highlighted by mistake, which does no harm.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "begin", "break", "case", "catch", "class", "const",
    "continue", "def", "default", "defer", "delete", "do", "elif", "else", "elsif", "end", "enum",
    "except", "export", "extends", "false", "final", "finally", "fn", "for", "foreach", "from",
    "fun", "func", "function", "go", "if", "impl", "implements", "import", "in", "instanceof",
    "interface", "internal", "is", "lambda", "let", "local", "loop", "match", "mod", "module",
    "move", "mut", "namespace", "new", "nil", "None", "not", "null", "object", "of", "override",
    "package", "pass", "private", "protected", "protocol", "pub", "public", "raise", "range", "ref",
    "require", "return", "select", "self", "Self", "static", "struct", "super", "switch", "then",
    "this", "throw", "throws", "trait", "true", "True", "False", "try", "type", "typeof",
    "undefined", "union", "unless", "unsafe", "use", "using", "val", "var", "void", "when", "where",
    "while", "with", "yield",
];

/// Highlights the lines of one hit, in order.
pub struct Highlighter<'a> {
    colors: bool,
    family: &'a Family,
    prose: bool,
    terms: Vec<&'a str>,
    in_block: bool,
}

impl<'a> Highlighter<'a> {
    /// A highlighter for a language; `terms` are the query's stems, lowercase.
    pub fn new(colors: bool, language: &str, terms: impl Iterator<Item = &'a str>) -> Self {
        let family =
            FAMILIES.iter().find(|family| family.languages.contains(&language)).unwrap_or(&C_LIKE);
        let prose = family.quotes.is_empty();
        let terms = terms.filter(|term| term.len() > 2).collect();
        Self { colors, family, prose, terms, in_block: false }
    }

    /// Highlights one line.
    pub fn line(&mut self, line: &str) -> String {
        if !self.colors {
            return line.to_string();
        }
        if self.prose {
            let tint = if line.starts_with('#') { Tint::Name } else { Tint::Plain };
            return self.emphasised(line, tint);
        }
        let mut painted = String::with_capacity(line.len() * 2);
        let mut rest = line;
        while !rest.is_empty() {
            let (length, tint) = self.token(rest);
            painted += &self.emphasised(&rest[..length], tint);
            rest = &rest[length..];
        }
        painted
    }

    /// The length and the tint of the first token.
    fn token(&mut self, text: &str) -> (usize, Tint) {
        if let Some((open, close)) = self.family.block {
            let from = if self.in_block { 0 } else { open.len() };
            if self.in_block || text.starts_with(open) {
                let end = text[from..].find(close).map(|at| from + at + close.len());
                self.in_block = end.is_none();
                return (end.unwrap_or(text.len()), Tint::Comment);
            }
        }
        if self.family.line.iter().any(|mark| text.starts_with(mark)) {
            return (text.len(), Tint::Comment);
        }
        let first = text.chars().next().unwrap_or(' ');
        if self.family.quotes.contains(&first) {
            return (string(text, first), Tint::Text);
        }
        let word = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        match word {
            0 => (first.len_utf8(), Tint::Plain),
            _ if first.is_ascii_digit() => (word, Tint::Number),
            _ if KEYWORDS.contains(&&text[..word]) => (word, Tint::Keyword),
            _ => (word, Tint::Plain),
        }
    }

    /// The text in its tint, with matching words emphasised.
    fn emphasised(&self, text: &str, tint: Tint) -> String {
        let mut painted = String::new();
        let mut from = 0;
        for (start, end) in word_ranges(text) {
            let lower = text[start..end].to_lowercase();
            if self.terms.contains(&stem(&lower)) {
                painted += &paint(true, tint, &text[from..start]);
                painted += &paint(true, Tint::Match, &text[start..end]);
                from = end;
            }
        }
        painted + &paint(true, tint, &text[from..])
    }
}

/// The length of a string literal with its quotes; an unterminated one extends to the end of the line.
fn string(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if letter == quote => return at + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The ranges of the words of a text, with identifiers split: `HTTPServer` is `HTTP` and `Server`.
fn word_ranges(text: &str) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut start = None;
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    for (index, (at, letter)) in letters.iter().copied().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before].1);
        let next = letters.get(index + 1).map(|(_, letter)| *letter);
        let ends = !letter.is_alphabetic()
            || letter.is_uppercase()
                && (before.is_some_and(char::is_lowercase) || next.is_some_and(char::is_lowercase));
        if ends && let Some(start) = start.take() {
            parts.push((start, at));
        }
        if letter.is_alphabetic() {
            start.get_or_insert(at);
        }
    }
    parts.extend(start.map(|start| (start, text.len())));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Colours as marks: k keyword, s string, c comment, n number, m match.
    fn marked(language: &str, terms: &[&str], lines: &[&str]) -> String {
        let mut highlighter = Highlighter::new(true, language, terms.iter().copied());
        let text: Vec<String> = lines.iter().map(|line| highlighter.line(line)).collect();
        let marks = [
            ("\x1b[34m", "k<"),
            ("\x1b[32m", "s<"),
            ("\x1b[2;3m", "c<"),
            ("\x1b[36m", "n<"),
            ("\x1b[1;33m", "m<"),
        ];
        let text =
            marks.iter().fold(text.join("\n"), |text, (code, mark)| text.replace(code, mark));
        text.replace("\x1b[0m", ">")
    }

    #[test]
    fn colours_follow_the_language() {
        assert_eq!(
            marked("rust", &[], &["let x = \"a\\\"b\"; // 1", "&'a str 12"]),
            "k<let> x = s<\"a\\\"b\">; c<// 1>\n&'a str n<12>"
        );
        assert_eq!(marked("python", &[], &["return 'x' # why"]), "k<return> s<'x'> c<# why>");
        assert_eq!(marked("go", &[], &["a /* b", "c */ d"]), "a c</* b>\nc<c */> d");
        assert_eq!(marked("python", &[], &["x = 'open"]), "x = s<'open>");
    }

    #[test]
    fn matching_words_are_emphasised() {
        assert_eq!(
            marked("go", &["connect", "pool"], &["NewConnectionPool"]),
            "Newm<Connection>m<Pool>"
        );
        assert_eq!(marked("go", &["rat"], &["ratio(rateLimit)"]), "ratio(m<rate>Limit)");
        assert_eq!(marked("go", &["server"], &["HTTPServer"]), "HTTPServer", "the stem is `serv`");
        assert_eq!(marked("go", &["serv"], &["HTTPServer"]), "HTTPm<Server>");
        assert_eq!(marked("text", &["größe"], &["die größe"]), "die m<größe>");
    }

    #[test]
    fn plain_is_untouched() {
        let mut plain = Highlighter::new(false, "go", ["if"].into_iter());
        assert_eq!(plain.line("if x { \"y\" }"), "if x { \"y\" }");
    }
}
