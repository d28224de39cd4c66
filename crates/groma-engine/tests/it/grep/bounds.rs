//! Limits of grep answers, and requests that are rejected.

use super::{ask, files, grep, places};
use groma_engine::{Cancel, Case, EngineError, ErrorKind, GrepRequest};
use groma_testkit::Sandbox;

#[test]
fn a_limit_takes_the_first_and_the_rest_is_counted() {
    let sandbox = Sandbox::in_memory("");
    for number in 0..60 {
        sandbox.write(&format!("f{number:02}.txt"), "lamp\nno\nlamp\n");
    }
    let first = |limit: usize| ask(&sandbox, &GrepRequest { limit, ..GrepRequest::new("lamp") });
    for indexed in [false, true] {
        if indexed {
            sandbox.index();
        }
        for _ in 0..5 {
            let answer = first(5);
            assert_eq!(
                places(&answer),
                ["f00.txt:1:1", "f00.txt:3:1", "f01.txt:1:1", "f01.txt:3:1", "f02.txt:1:1"]
            );
            assert_eq!(
                (answer.total, answer.is_total_exact, answer.files_matched),
                (120, true, 60)
            );
        }
        assert_eq!(first(1000).matches.len(), 120);
        assert_eq!(grep(&sandbox, "lamp").matches.len(), 50);
    }
}

#[test]
fn context_after_the_last_match_is_whole() {
    let sandbox = Sandbox::in_memory("//- a.txt\nlamp 1\nlamp 2\nlamp 3\nend\n");
    let request = GrepRequest { limit: 1, after: 3, ..GrepRequest::new("lamp") };
    let answer = ask(&sandbox, &request);
    assert_eq!(answer.matches[0].after, ["lamp 2", "lamp 3", "end"]);
    assert_eq!(answer.total, 3);
}

#[test]
fn counting_ends_at_a_million() {
    let sandbox = Sandbox::in_memory("");
    sandbox.write("a.txt", "x\n".repeat(999_999));
    let answer = grep(&sandbox, "x");
    assert_eq!((answer.total, answer.is_total_exact, answer.files_matched), (999_999, true, 1));
    sandbox.write("b.txt", "x\n".repeat(1_500_000));
    for name in ["c", "d", "e"] {
        sandbox.write(&format!("{name}.txt"), "x\n");
    }
    let answer = grep(&sandbox, "x");
    assert_eq!((answer.total, answer.is_total_exact, answer.files_matched), (1_000_000, false, 1));
    assert_eq!(answer.matches.len(), 50);
}

#[test]
fn long_lines_and_large_answers_are_truncated_with_a_note() {
    let sandbox = Sandbox::in_memory("");
    sandbox.write("long.txt", format!("{}lamp\n", "é".repeat(40_000)));
    let answer = grep(&sandbox, "lamp");
    assert_eq!(answer.matches[0].text.len(), 64 << 10);
    assert_eq!(answer.matches[0].column, 40_001);
    assert_eq!(answer.notes, ["lines longer than 64 KiB are cut"]);
    let line = format!("{}\n", "lamp ".repeat(10_000));
    for number in 0..100 {
        sandbox.write(&format!("many{number:02}.txt"), line.repeat(10));
    }
    let request = GrepRequest { limit: 10_000, ..GrepRequest::new("lamp") };
    let (answer, again) = (ask(&sandbox, &request), ask(&sandbox, &request));
    assert_eq!(answer.total, 1001);
    assert!(answer.matches.len() > 300 && answer.matches.len() < 400, "{}", answer.matches.len());
    assert_eq!(answer.matches, again.matches);
    assert_eq!(answer.notes[1], "lines beyond 16 MiB of text are left out");
}

#[test]
fn a_line_too_long_to_be_buffered_is_reported() {
    let sandbox = Sandbox::in_memory("");
    let mut text = b"lamp\n".to_vec();
    text.resize(40 << 20, b'x');
    sandbox.write("huge.txt", text);
    sandbox.write("small.txt", "lamp\n");
    let answer = grep(&sandbox, "lamp");
    assert_eq!(files(&answer), ["huge.txt", "small.txt"]);
    assert!(
        answer.notes[0].contains("could not be searched to the end, such as huge.txt"),
        "{answer:?}"
    );
}

fn refused(request: GrepRequest) -> String {
    let sandbox = Sandbox::in_memory("//- a.rs\nfn lamp() {}\n");
    let error = sandbox.engine().grep(&request, &(), &Cancel::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input);
    assert_eq!(request.check().unwrap_err().to_string(), error.to_string());
    error.to_string()
}

#[test]
fn what_is_wrong_with_a_pattern_is_said_with_its_place() {
    let pattern = |pattern: &str| refused(GrepRequest::new(pattern));
    let hint = "correct it, or search for it as plain text";
    assert_eq!(pattern(""), "pattern: is empty; say what to look for");
    assert_eq!(pattern(&"ä".repeat(1001)), "pattern: is longer than 1000 characters");
    assert_eq!(pattern("größe("), format!("pattern: unclosed group, at character 6; {hint}"));
    assert_eq!(pattern("a)"), format!("pattern: unopened group, at character 2; {hint}"));
    assert_eq!(
        pattern("[z-a]"),
        format!(
            "pattern: invalid character class range, the start must be <= the end, at character 2; {hint}"
        )
    );
    assert_eq!(
        pattern(r"\p{Nope}"),
        format!("pattern: Unicode property not found, at character 1; {hint}")
    );
    assert!(pattern("(?=x)").starts_with("pattern: look-around, including look-ahead and look-behind, is not supported, at character 1;"));
    assert!(pattern(&"(".repeat(400)).starts_with("pattern: "));
    assert_eq!(
        pattern(r"lamp\nlight"),
        "pattern: holds a line end, and lines are searched one by one; search for one of the lines"
    );
    assert_eq!(pattern("a\nb"), pattern(r"a\nb"));
    assert_eq!(pattern(r"\x00"), "pattern: holds a zero byte, which no text has");
    assert_eq!(
        pattern(r"(?:\pL{99}){99}"),
        "pattern: is too large when compiled; repeat less in it"
    );
    let literal = GrepRequest { literal: true, ..GrepRequest::new("fn lamp(") };
    assert_eq!(files(&grep(&Sandbox::in_memory("//- a.rs\nfn lamp() {}\n"), r"lamp\(")), ["a.rs"]);
    assert!(literal.check().is_ok());
}

#[test]
fn bounds_are_checked() {
    let request = || GrepRequest::new("lamp");
    assert_eq!(refused(GrepRequest { limit: 0, ..request() }), "limit: must be 1 to 10000");
    assert_eq!(refused(GrepRequest { limit: 10_001, ..request() }), "limit: must be 1 to 10000");
    assert_eq!(refused(GrepRequest { before: 101, ..request() }), "before: must be 0 to 100 lines");
    assert_eq!(refused(GrepRequest { after: 101, ..request() }), "after: must be 0 to 100 lines");
    let languages = vec!["golang".to_string()];
    assert_eq!(
        refused(GrepRequest { languages, ..request() }),
        "languages: no language is called `golang`"
    );
    let paths = vec!["[".to_string()];
    assert!(refused(GrepRequest { paths, ..request() }).starts_with("paths: path pattern `[`: "));
}

#[test]
fn patterns_that_defeat_backtracking_are_answered() {
    let sandbox = Sandbox::in_memory("");
    sandbox.write("a.txt", format!("{}\n", "a".repeat(50_000)));
    // A backtracking engine needs 2^50,000 steps for these: that they end at all shows that none is at work.
    let cases = [
        ("(a*)*b", 0),
        ("(a|aa)+$x", 0),
        ("(.*a){12}b", 0),
        (r"(?i)(a?){40}a{40}", 1),
        ("(a*)*$", 1),
        ("(x+x+)+y", 0),
    ];
    for (pattern, expected) in cases {
        let request = GrepRequest { case: Case::Smart, ..GrepRequest::new(pattern) };
        let answer = ask(&sandbox, &request);
        assert_eq!((answer.total, answer.is_total_exact), (expected, true), "{pattern}");
        assert_eq!(places(&answer), vec!["a.txt:1:1"; expected], "{pattern}");
    }
}

#[test]
fn it_can_be_stopped() {
    let sandbox = Sandbox::in_memory("//- a.rs\nfn lamp() {}\n");
    let cancel = Cancel::default();
    cancel.cancel();
    let outcome = sandbox.engine().grep(&GrepRequest::new("lamp"), &(), &cancel);
    assert!(matches!(outcome, Err(EngineError::Cancelled)), "{outcome:?}");
}
