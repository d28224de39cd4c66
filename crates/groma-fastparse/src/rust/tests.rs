//! The parser for Rust against the grammar.

use super::{FIELDS, KINDS, parse};
use crate::differential::{Outcome, Pair};
use crate::tests::files;
use std::path::Path;

/// Every construct, in parts separated by empty lines.
const CONSTRUCTS: &str = include_str!("fixtures/constructs.rs");

fn parts() -> impl Iterator<Item = &'static str> {
    CONSTRUCTS.split("\n\n")
}

#[track_caller]
fn check(text: &str) {
    let outcome = Pair::rust().compare(text);
    assert!(outcome == Outcome::Equal, "{text}\n{outcome:?}");
}

/// Fails if the parser accepts the text and the grammar gives another tree or an error.
#[track_caller]
fn check_if_known(text: &str) {
    if parse(text).is_some() {
        check(text);
    }
}

#[test]
fn every_construct_is_equal() {
    parts().for_each(check);
    check(CONSTRUCTS);
}

#[test]
fn the_constructs_have_every_kind_and_field() {
    let list = parse(CONSTRUCTS).unwrap();
    let kind = |at: &usize| !list.iter().any(|node| usize::from(node.kind) == *at);
    let field = |at: &usize| !list.iter().any(|node| usize::from(node.field) == *at);
    let missing: Vec<&str> = (0..KINDS.len()).filter(kind).map(|at| KINDS[at]).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let missing: Vec<&str> = (0..FIELDS.len()).filter(field).map(|at| FIELDS[at]).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn rust_in_the_repository_is_equal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut compared = 0;
    for folder in ["crates", "xtask"] {
        for path in files(&root.join(folder), "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let outcome = Pair::rust().compare(&text);
            assert!(outcome == Outcome::Equal, "{}: {outcome:?}", path.display());
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn tiny_files_are_equal() {
    for text in [
        "",
        " ",
        "\n\n",
        "// a",
        " // a\n ",
        "///",
        "//!",
        "/**/",
        ";",
        "#!/bin/x\n",
        "#! [x]\n",
        "// a\n#!\n[x];",
        "#![x]\n",
        "////\nfn a() {}",
        "//////\nfn a() {}",
    ] {
        check(text);
    }
}

#[test]
fn truncated_texts_are_equal_or_fall_back() {
    for part in parts() {
        part.char_indices().for_each(|(at, _)| check_if_known(&part[..at]));
    }
}

#[test]
fn character_mutations_are_equal_or_fall_back() {
    for part in parts() {
        let boundaries: Vec<usize> = part.char_indices().map(|(at, _)| at).collect();
        for three in boundaries.windows(3) {
            let (before, after) = (&part[..three[0]], &part[three[2]..]);
            let (first, second) = (&part[three[0]..three[1]], &part[three[1]..three[2]]);
            // One of three mutations at each position: all would take three times as long and find little more.
            check_if_known(&match three[0] % 3 {
                0 => format!("{before}{second}{first}{after}"),
                1 => format!("{before}{second}{after}"),
                _ => format!("{before}{first}{first}{second}{after}"),
            });
        }
    }
}

/// Beginnings of constructs that nest.
#[rustfmt::skip]
const OPENINGS: &[&str] = &[
    "a(", "[", "{", "(", "&", "-", "!", "|x| ", "m!(", "m![{", "return ", "break a ",
    "if a {} else ", "match ", "..a..(", "if ", "unsafe {", "loop {", "let ", "let &", "let (",
    "let A {a: ", "let x: &", "let x: (", "let x: A<", "let x: fn(", "let x: impl ", "let x: dyn ",
    "let x: <", "let x: [a; ", "fn a() {", "mod a {", "impl A {", "use a::{", "use {",
    "fn f() -> fn() -> ", "#[a(", "#[a = ", "S { a: ", "a = ", "a[", "match a { _ => ",
    "match a { x if ", "macro_rules! a { ($(", "/*", "'a: {", "async {", "<a as ", "const {",
    "let x: A<{", "'a: loop {", "for x in ", "while let A = ", "let ref ", "let a @ ", "* ",
    "let x: ?", "..", "a + ", "",
];

#[test]
fn deep_nesting_falls_back() {
    for opening in OPENINGS {
        assert!(parse(&opening.repeat(100_000)).is_none_or(|list| list.len() < 2), "{opening}");
    }
}

#[test]
fn a_zero_byte_falls_back() {
    for text in ["// a\0b\n", "fn a() { \"\0\" }", "\0"] {
        assert!(parse(text).is_none(), "{text:?}");
    }
}

#[test]
fn long_chains_are_not_deep() {
    for link in [".b()", " + b", "[0]", "?", " = b", "::b", " as u8", "(c)"] {
        assert!(parse(&format!("fn f() {{ a{} }}", link.repeat(100_000))).is_some(), "{link}");
    }
}

/// The texts of tokens, to replace others with.
const TOKENS: &[&str] = &[
    "a", "A", "1", "1.0", "'a'", "'a", "\"s\"", "_", "as", "async", "await", "break", "const",
    "continue", "crate", "default", "dyn", "else", "enum", "extern", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "raw", "ref", "return",
    "self", "static", "struct", "super", "trait", "true", "type", "u8", "union", "unsafe", "use",
    "where", "while", "(", ")", "[", "]", "{", "}", ",", ";", ":", "::", "#", "$", "?", "@", "'",
    ".", "..", "...", "..=", "->", "=>", "!", "+", "-", "*", "/", "&", "&&", "|", "||", "<<", ">>",
    "=", "==", "!=", "<", ">", "<=", "+=", "()", "{}", "a!()", "<A>", "::<A>", "", "/* c */",
    "// c\n",
];

/// The ranges of the tokens of a text.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut parser = super::Parser::new(text);
    let mut found = Vec::new();
    parser.advance();
    while parser.token != super::Token::End {
        found.push((parser.start, parser.end.max(parser.start + 1)));
        parser.end = parser.end.max(parser.start + 1);
        parser.advance();
    }
    found
}

#[test]
fn token_mutations_are_equal_or_fall_back() {
    // All of them take minutes; the fuzz target `rust` goes on where this ends.
    let mut mutations = 0;
    for part in parts() {
        for (start, end) in tokens(part) {
            for token in TOKENS {
                mutations += 1;
                if mutations % 31 == 0 {
                    check_if_known(&format!("{} {token} {}", &part[..start], &part[end..]));
                    check_if_known(&format!("{} {token} {}", &part[..start], &part[start..]));
                }
            }
        }
    }
    assert!(mutations > 10_000, "{mutations}");
}
