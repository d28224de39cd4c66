//! The parser beside the grammar.

use super::{FIELDS, KINDS, parse};
use crate::differential::{Outcome, Pair};
use crate::tests::files;

/// All constructs, as declarations.
const CONSTRUCTS: &str = include_str!("fixtures/constructs.go");

/// What comes of a text, which has to be read without a mistake by both.
fn check(text: &str) {
    assert_eq!(Pair::go().compare(text), Outcome::Equal, "{text}");
}

#[test]
fn go_in_the_repository_gives_the_same_tree() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let found: Vec<_> =
        files(crates, "go").into_iter().filter(|path| !path.ends_with("constructs.go")).collect();
    assert!(found.len() > 2, "{found:?}");
    for path in found {
        check(&std::fs::read_to_string(&path).unwrap());
    }
}

#[test]
fn lines_and_files_may_begin_and_end_in_any_way() {
    check(&CONSTRUCTS.replace('\n', "\r\n").replace("two\r\n\tlines", "two\n\tlines"));
    check(&CONSTRUCTS.replace('\n', "\n\n"));
    check(&CONSTRUCTS.replace('\n', " // end\n").replace("` // end\n", "`\n"));
    check(&format!("\u{feff}{CONSTRUCTS}"));
    check("// only a comment\n\n");
    check("package p");
    check("package p\nfunc f() {}");
}

#[test]
fn what_the_grammar_reads_in_many_ways_is_left_to_it() {
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
fn every_construct_gives_the_same_tree() {
    assert_eq!(Pair::go().compare(CONSTRUCTS), Outcome::Equal);
}

#[test]
fn no_kind_and_no_field_is_missing_among_the_constructs() {
    let list = parse(CONSTRUCTS).unwrap();
    let missing = |names: &[&'static str], has: &dyn Fn(usize) -> bool| -> Vec<&'static str> {
        (0..names.len()).filter(|at| !has(*at)).map(|at| names[at]).collect()
    };
    let none: Vec<&str> = Vec::new();
    assert_eq!(missing(KINDS, &|at| list.iter().any(|n| usize::from(n.kind) == at)), none);
    assert_eq!(missing(FIELDS, &|at| list.iter().any(|n| usize::from(n.field) == at)), none);
}

/// The declarations by themselves, since what is small is compared fast.
fn declarations() -> Vec<&'static str> {
    CONSTRUCTS.split_inclusive("\n}\n").collect()
}

/// The text with a little of it gone, moved or replaced, in all ways that are the same each time.
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
fn what_is_broken_is_never_read_otherwise() {
    // Each of them takes the grammar a while.
    let pair = Pair::go();
    for text in declarations().into_iter().flat_map(mutations).step_by(7) {
        let outcome = pair.compare(&text);
        assert!(!outcome.is_mismatch(), "{outcome:?}\n{text}");
    }
}

#[test]
fn no_part_of_a_text_stops_the_parser() {
    for (at, _) in CONSTRUCTS.char_indices() {
        parse(&CONSTRUCTS[..at]);
        parse(&CONSTRUCTS[at..]);
    }
}

#[test]
fn what_is_long_is_read_at_once() {
    for (first, again) in [("a", "[0]"), ("a", "[b]"), ("a", ".b"), ("a", "()"), ("a", " + a")] {
        let text = format!("var x = {first}{}\n", again.repeat(100_000));
        assert!(parse(&text).is_some(), "{again}");
    }
    // Each step back is over all that follows.
    let text = format!("var x = {}0{}\n", "a[b](".repeat(180), ")".repeat(180));
    assert_eq!(parse(&text), None);
}

#[test]
fn what_is_too_deep_is_left_to_the_grammar() {
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
