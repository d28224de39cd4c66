//! Each supported construct of the query language.

use super::Query;
use crate::deadline::Deadline;
use crate::lines::line_starts;
use std::time::Duration;
use tree_sitter::{Language as Grammar, Parser, Tree};

fn json() -> Grammar {
    tree_sitter_json::LANGUAGE.into()
}

fn go() -> Grammar {
    tree_sitter_go::LANGUAGE.into()
}

fn tree(grammar: &Grammar, text: &str) -> Tree {
    crate::memory::prepare();
    let mut parser = Parser::new();
    parser.set_language(grammar).unwrap();
    parser.parse(text, None).unwrap()
}

/// The matches, each as the texts it captures.
fn found(grammar: &Grammar, query: &str, text: &str) -> Vec<String> {
    let query = Query::new(grammar, query).unwrap();
    let tree = tree(grammar, text);
    let mut matches = Vec::new();
    let deadline = &Deadline::after(Duration::from_secs(600));
    let starts = line_starts(text);
    let tree = query.tree(&tree, grammar, &starts, deadline).unwrap();
    let in_time = query.matches(&tree, text, deadline, |_, captures| {
        let one = captures.iter().map(|one| {
            format!(
                "{}={}",
                query.capture_names[usize::from(one.index)],
                &text[one.node.byte_range()]
            )
        });
        matches.push(one.collect::<Vec<_>>().join(" "));
    });
    assert!(in_time);
    matches
}

#[test]
fn each_way_to_place_the_captures_is_a_match() {
    assert_eq!(found(&json(), "(array (number) @n)", "[1, [2], 3]"), ["n=1", "n=3", "n=2"]);
    assert_eq!(
        found(&json(), "(array (number) @a (number) @b)", "[1, 2, 3]"),
        ["a=1 b=2", "a=1 b=3", "a=2 b=3"]
    );
}

#[test]
fn uncaptured_nodes_do_not_multiply_matches() {
    assert_eq!(found(&json(), "(array (number) (number) @b)", "[1, 2, 3]"), ["b=2", "b=3"]);
    // The first child of the kind does not match, the second does.
    let query = "(array (object (pair)) (number) @n)";
    assert_eq!(found(&json(), query, r#"[{}, 1, {"a": 0}, {"b": 0}, 2]"#), ["n=2"]);
}

#[test]
fn an_anchor_demands_adjacent_siblings() {
    let text = "[1, 2, 3]";
    assert_eq!(found(&json(), "(array . (number) @n)", text), ["n=1"]);
    assert_eq!(found(&json(), "(array (number) @n .)", text), ["n=3"]);
    assert_eq!(found(&json(), "(array (number) @a . (number) @b)", text), ["a=1 b=2", "a=2 b=3"]);
    assert_eq!(
        found(&json(), "(array (true) . (number) @n)", "[true, 1, true, 2]"),
        ["n=1", "n=2"]
    );
    assert!(found(&json(), "(array . (number) @n)", "[true, 1]").is_empty());
}

#[test]
fn fields_are_required_and_negated() {
    let text = r#"{"a": "b"}"#;
    assert_eq!(found(&json(), "(pair value: (string) @s)", text), ["s=\"b\""]);
    assert_eq!(found(&json(), "(pair key: (_) @k value: (_) @v)", text), ["k=\"a\" v=\"b\""]);
    let go_text = "package p\ntype T struct {\n\tName string\n\tBase\n}\n";
    assert_eq!(found(&go(), "(field_declaration !name type: (_) @t)", go_text), ["t=Base"]);
    assert_eq!(found(&go(), "(field_declaration name: (_) type: (_) @t)", go_text), ["t=string"]);
}

#[test]
fn any_alternative_matches() {
    let text = r#"{"a": 1, "b": [2], "c": true}"#;
    assert_eq!(found(&json(), "[(number) (true)] @x", text), ["x=1", "x=2", "x=true"]);
    assert_eq!(
        found(&json(), "(pair value: [(number) @n (array (number) @in)] @any)", text),
        ["n=1 any=1", "any=[2] in=2"]
    );
    assert_eq!(
        found(&json(), "(pair [key: (string) value: (number)] @x)", r#"{"a": 1}"#),
        ["x=\"a\"", "x=1"]
    );
}

#[test]
fn of_optional_captures_the_maximal_match_remains() {
    let query = "(array (true) @t (number)? @n)";
    assert_eq!(found(&json(), query, "[true, 1]"), ["t=true n=1"]);
    assert_eq!(found(&json(), query, "[true]"), ["t=true"]);
    let query = "(array . (number)? @n)";
    assert_eq!(found(&json(), query, "[true, 1]"), [""]);
    // A match that a predicate rejects still suppresses the smaller one.
    let query = r#"(array (true) @t (number)? @n (#eq? @n "2"))"#;
    assert!(found(&json(), query, "[true, 1]").is_empty());
}

#[test]
fn wildcards_distinguish_named_nodes_from_tokens() {
    assert_eq!(found(&json(), "(pair (_) @x)", r#"{"a": 1}"#), ["x=\"a\"", "x=1"]);
    assert_eq!(found(&json(), "(pair _ @x)", r#"{"a": 1}"#), ["x=\"a\"", "x=:", "x=1"]);
    assert_eq!(found(&json(), r#"(array "[" @x)"#, "[1]"), ["x=["]);
}

#[test]
fn error_nodes_can_be_matched() {
    let text = "[1 2]";
    assert_eq!(found(&json(), "(ERROR) @x", text).len(), 1);
    assert!(found(&json(), "(array (_) @x)", text).iter().all(|one| one != "x="));
}

#[test]
fn a_group_matches_siblings() {
    let text = "// a\n{}\n// b\n// c\n[]";
    assert_eq!(found(&json(), "((comment) @a . (comment) @b)", text), ["a=// b b=// c"]);
    assert_eq!(found(&json(), "((comment) @c (#eq? @c \"// b\"))", text), ["c=// b"]);
}

#[test]
fn predicates_test_the_text() {
    let text = r#"["ab", "b", "b"]"#;
    let strings = |predicate: &str| {
        found(&json(), &format!("(array (string (string_content) @s) {predicate})"), text).len()
    };
    assert_eq!(strings(""), 3);
    assert_eq!(strings(r#"(#eq? @s "b")"#), 2);
    assert_eq!(strings(r#"(#not-eq? @s "b")"#), 1);
    assert_eq!(strings(r#"(#any-of? @s "x" "ab")"#), 1);
    assert_eq!(strings(r#"(#not-any-of? @s "x" "ab")"#), 2);
    assert_eq!(strings(r#"(#match? @s "^a\\w$")"#), 1);
    assert_eq!(strings(r#"(#not-match? @s "^a")"#), 2);
    let pairs = |predicate: &str| {
        found(&json(), &format!("(array (string) @a (string) @b ({predicate} @a @b))"), text).len()
    };
    assert_eq!((pairs("#eq?"), pairs("#not-eq?")), (1, 2));
}

#[test]
fn captures_come_in_the_order_of_the_text() {
    let query = "(pair key: (string) @k value: (array (number) @n) @v) @p @q";
    assert_eq!(
        found(&json(), query, r#"{"a": [1]}"#),
        ["p=\"a\": [1] q=\"a\": [1] k=\"a\" v=[1] n=1"]
    );
}

#[test]
fn errors_name_the_line() {
    for (query, message) in [
        ("(nothing)", "no node kind `nothing`"),
        ("(pair nothing: (_))", "no field `nothing`"),
        ("(pair !nothing)", "no field `nothing`"),
        ("(pair \"nothing\")", "no token \"nothing\""),
        ("(array (number)* @n)", "`*`"),
        ("(array (number)+ @n)", "`+`"),
        ("(array (number)? . (true))", "beside `?`"),
        ("(array _ . (true))", "after `_`"),
        ("(array ((true) (false)))", "a group inside"),
        ("(array [(true)? (false)])", "`?` inside"),
        ("(array .)", "beside it"),
        ("(_ (true))", "must be of a kind"),
        ("(_value)", "supertypes"),
        ("(array (true)", "`)` is missing"),
        ("[(array)", "`]` is missing"),
        ("[]", "needs a node"),
        ("array", "neither a node"),
        ("(array) @", "a name was expected"),
        ("(array \"", "not closed"),
        ("((true) @t (#eq? @t))", "lacks its text"),
        ("((true) @t (#is? @t \"a\"))", "`#is?` is not supported"),
        ("((true) @t (#set! @t \"a\"))", "is not supported"),
        ("((true) @t (#match? @t \"(\"))", "#match?"),
        ("((true) (#eq? \"a\" \"b\"))", "needs a capture"),
    ] {
        let error = Query::new(&json(), &format!("; A comment.\n{query}")).err().unwrap();
        assert!(error.contains("line 2") && error.contains(message), "{query}: {error}");
    }
}

#[test]
fn nesting_may_be_deep() {
    let depth = 20_000;
    let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(found(&json(), "(array) @a", &text).len(), depth);
    assert_eq!(found(&json(), "(array (array)? @in)", &text).len(), depth);
}

#[test]
fn matching_stops_at_the_deadline() {
    let text = format!("[{}0]", "0, ".repeat(10_000));
    let tree = tree(&json(), &text);
    let query = Query::new(&json(), "(array (number) @a (number) @b (number) @c)").unwrap();
    let (past, starts) = (&Deadline::after(Duration::ZERO), line_starts(&text));
    let grammar = json();
    assert!(query.tree(&tree, &grammar, &starts, past).is_none());
    let tree =
        query.tree(&tree, &grammar, &starts, &Deadline::after(Duration::from_secs(600))).unwrap();
    assert!(!query.matches(&tree, &text, past, |_, _| {}));
    // All triples would take hours.
    let soon = &Deadline::after(Duration::from_millis(50));
    assert!(!query.matches(&tree, &text, soon, |_, _| {}));
}
