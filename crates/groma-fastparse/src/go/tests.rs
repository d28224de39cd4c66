//! The parser for Go against the grammar.

use super::{FIELDS, KINDS, parse};
use crate::differential::{Outcome, Pair};
use crate::tests::files;

/// Every construct, as declarations.
const CONSTRUCTS: &str = include_str!("fixtures/constructs.go");

/// Fails unless both give the same tree, without an error.
fn check(text: &str) {
    assert_eq!(Pair::go().compare(text), Outcome::Equal, "{text}");
}

#[test]
fn go_in_the_repository_is_equal() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let found: Vec<_> =
        files(crates, "go").into_iter().filter(|path| !path.ends_with("constructs.go")).collect();
    assert!(found.len() > 2, "{found:?}");
    for path in found {
        check(&std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn line_ends_comments_and_byte_order_marks_are_equal() {
    check(&CONSTRUCTS.replace('\n', "\r\n").replace("two\r\n\tlines", "two\n\tlines"));
    check(&CONSTRUCTS.replace('\n', "\n\n"));
    check(&CONSTRUCTS.replace('\n', " // end\n").replace("` // end\n", "`\n"));
    check(&format!("\u{feff}{CONSTRUCTS}"));
    check("// only a comment\n\n");
    check("package p");
    check("package p\nfunc f() {}");
}

#[test]
fn what_is_ambiguous_to_the_grammar_falls_back() {
    let list = |names: usize| (0..names).map(|at| format!("a{at}, ")).collect::<String>();
    check(&format!("func f({}last int) {{}}\n", list(8)));
    for text in [
        format!("func f({}last int) {{}}\n", list(9)),
        "type T[P *a.B] int\n".to_string(),
        "func f() {\n\ta[b]\n\t(c).d()\n}\n".to_string(),
        "func f() {\n\ta()[b]\n\t(c).d()\n}\n".to_string(),
        "func f() {\n\ta.b\n\t{\n\t}\n}\n".to_string(),
        "type T interface{ ~[]a[b] }\n".to_string(),
        "func f(a int, string) {}\n".to_string(),
        "var x = a[new[b]]\n".to_string(),
        "var x = *a[b, c]\n".to_string(),
        "var x = a[b][c, d]\n".to_string(),
        "func f() {\n\tfor range a.b {\n\t}\n\t{\n\t}\n}\n".to_string(),
    ] {
        assert_eq!(Pair::go().compare(&text), Outcome::Fallback, "{text}");
    }
}

#[test]
fn every_construct_is_equal() {
    assert_eq!(Pair::go().compare(CONSTRUCTS), Outcome::Equal);
}

#[test]
fn the_constructs_have_every_kind_and_field() {
    let list = parse(CONSTRUCTS).unwrap();
    let missing = |names: &[&'static str], has: &dyn Fn(usize) -> bool| -> Vec<&'static str> {
        (0..names.len()).filter(|at| !has(*at)).map(|at| names[at]).collect()
    };
    let none: Vec<&str> = Vec::new();
    assert_eq!(missing(KINDS, &|at| list.iter().any(|n| usize::from(n.kind) == at)), none);
    assert_eq!(missing(FIELDS, &|at| list.iter().any(|n| usize::from(n.field) == at)), none);
}

/// Single declarations, which are fast to compare.
fn declarations() -> Vec<&'static str> {
    CONSTRUCTS.split_inclusive("\n}\n").collect()
}

/// The text with characters removed, swapped, replaced or inserted; the same mutations in every run.
fn mutations(text: &str) -> Vec<String> {
    let signs =
        ["(", ")", "[", "]", "{", "}", ",", ";", ":", ".", "*", "<-", "=", "a", "type", "\n"];
    let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let mut all = Vec::new();
    for (number, window) in bounds.windows(3).enumerate() {
        let [at, next, then] = [window[0], window[1], window[2]];
        let (before, one, two, after) =
            (&text[..at], &text[at..next], &text[next..then], &text[then..]);
        let sign = signs[number * 7 % signs.len()];
        all.push(before.to_string());
        all.push(format!("{before}{two}{after}"));
        all.push(format!("{before}{two}{one}{after}"));
        all.push(format!("{before}{sign}{two}{after}"));
        all.push(format!("{before}{sign}{one}{two}{after}"));
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for at in 0..lines.len() {
        all.push(format!("{}{}", lines[..at].concat(), lines[at + 1..].concat()));
    }
    all
}

#[test]
fn mutations_are_equal_or_fall_back() {
    // All of them take minutes; the fuzz target `go` goes on where this ends.
    let pair = Pair::go();
    for text in declarations().into_iter().flat_map(mutations).step_by(7) {
        let outcome = pair.compare(&text);
        assert!(!outcome.is_mismatch(), "{outcome:?}\n{text}");
    }
}

#[test]
fn no_part_of_a_text_panics() {
    for (at, _) in CONSTRUCTS.char_indices() {
        parse(&CONSTRUCTS[..at]);
        parse(&CONSTRUCTS[at..]);
    }
}

#[test]
fn long_operands_take_linear_time() {
    for (first, again) in [("a", "[0]"), ("a", "[b]"), ("a", ".b"), ("a", "()"), ("a", " + a")] {
        let text = format!("var x = {first}{}\n", again.repeat(100_000));
        assert!(parse(&text).is_some(), "{again}");
    }
    // Each rewind is over all that follows, so the budget is spent.
    let text = format!("var x = {}0{}\n", "a[b](".repeat(180), ")".repeat(180));
    assert_eq!(parse(&text), None);
}

#[test]
fn a_zero_byte_falls_back() {
    for text in ["/* \0 */\npackage p\n", "package p\n\nvar x = \"\0\"\n", "\0"] {
        assert_eq!(parse(text), None, "{text:?}");
    }
}

#[test]
fn an_identifier_begins_with_a_letter() {
    check("package p\n\nvar ä\u{665}, a\u{665}b int\n");
    assert_eq!(Pair::go().compare("package p\n\nvar \u{665}s int\n"), Outcome::Invalid);
}

#[test]
fn deep_nesting_falls_back() {
    for (open, close) in
        [("(", ")"), ("[]", ""), ("{", "}"), ("f(", ")"), ("a[", "]"), ("a[b,", "]{}"), ("*", "")]
            .into_iter()
            .chain([("-", ""), ("T{", "}"), ("{", "},"), ("func(", ")"), ("func() {", "}")])
            .chain([("struct { a ", "}"), ("if a {", "}"), ("if a {} else ", ""), ("a:", "")])
    {
        let nested = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
        for before in ["", "var x = ", "var x ", "var x = T{", "func f() {"] {
            assert_eq!(parse(&format!("{before}{nested}\n")), None, "{before}{open}");
        }
    }
}
