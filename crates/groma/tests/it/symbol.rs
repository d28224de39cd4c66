//! `groma symbol` and `groma read`, as text and as JSON.

use crate::sample::{Sample, pretty};
use expect_test::{Expect, expect};
use groma_core::Notebook;
use groma_store::EmbeddedNotebook;

/// Checks the exit code and the output of a command.
fn check(sample: &Sample, arguments: &[&str], code: i32, expected: Expect) {
    let ran = sample.run(arguments);
    assert_eq!(ran.code, Some(code), "{ran:?}");
    let arguments = arguments.join(" ");
    expected.assert_eq(&format!("$ groma {arguments}\n{}{}", ran.stdout, ran.stderr));
}

/// The sample with uses of its definitions.
fn used() -> Sample {
    let sample = Sample::new();
    sample.write(
        "src/server.rs",
        "use crate::limit::RateLimiter;\n\npub trait Handler {}\n\nimpl Handler for RateLimiter {}\n\n\
         pub fn serve(limiter: &mut RateLimiter) {\n    if limiter.allow() {\n        answer();\n    }\n}\n\n\
         fn answer() {}\n",
    );
    sample
}

#[test]
fn definitions() {
    let sample = Sample::new();
    check(
        &sample,
        &["symbol", "RateLimiter"],
        0,
        expect![[r#"
            $ groma symbol RateLimiter
            src/limit.rs struct RateLimiter 3-6 of 17 lines
            3:/// Limits how many requests a client may send.
            4:pub struct RateLimiter {
            5:    allowed: u32,
            6:}
        "#]],
    );
    check(
        &sample,
        &["symbol", "limit.RateLimiter#allow"],
        0,
        expect![[r#"
            $ groma symbol limit.RateLimiter#allow
            src/limit.rs method RateLimiter::allow 9-16 of 17 lines
            9:    /// Whether one more request is allowed now.
            10:    pub fn allow(&mut self) -> bool {
            11:        if self.allowed == 0 {
            12:            return false;
            13:        }
            14:        self.allowed -= 1;
            15:        true
            16:    }
        "#]],
    );
    check(
        &sample,
        &["symbol", "verifyToken"],
        0,
        expect![[r#"
            $ groma symbol verifyToken
            auth/token.py function verify_token 4-6 of 6 lines
            4:def verify_token(token):
            5:    """Verify the signature of a token."""
            6:    return token.startswith("ok")
        "#]],
    );
    check(
        &sample,
        &["symbol", "verfy_token"],
        0,
        expect![[r#"
            $ groma symbol verfy_token
            no definition of verfy_token; these names are similar:
            auth/token.py function verify_token 4-6 of 6 lines
            4:def verify_token(token):
            5:    """Verify the signature of a token."""
            6:    return token.startswith("ok")
        "#]],
    );
    check(
        &sample,
        &["symbol", "nobody_defines_this"],
        1,
        expect![[r#"
            $ groma symbol nobody_defines_this
            no definitions found
            `groma search` also searches text; `groma status --skipped` lists skipped files
        "#]],
    );
    check(
        &sample,
        &["symbol", "FindOrder", "--kind", "struct"],
        1,
        expect![[r#"
            $ groma symbol FindOrder --kind struct
            no definitions found
            `groma search` also searches text; `groma status --skipped` lists skipped files
        "#]],
    );
    check(
        &sample,
        &["symbol", "order", "--lang", "go", "--limit", "1"],
        0,
        expect![[r#"
            $ groma symbol order --lang go --limit 1
            no definition of order; these names are similar:
            store/order.go struct OrderRepository 3-4 of 9 lines
            3:// OrderRepository keeps orders.
            4:type OrderRepository struct{}
            note: 1 more definition: qualify the name or give a path
        "#]],
    );
}

#[test]
fn the_body_of_the_best_definition() {
    let sample = Sample::new();
    let answer = sample.json(&["symbol", "allow"]);
    let body = &answer["bodies"][0];
    assert_eq!(
        (&body["path"], &body["excerpts"][0]["start_line"]),
        (&"src/limit.rs".into(), &9.into())
    );
    let long: String = (0..300).map(|n| format!("    print({n})\n")).collect();
    sample.write("long.py", &format!("def long_one():\n{long}"));
    let cut = sample.run(&["symbol", "long_one", "--max-tokens", "500"]).stdout;
    assert!(cut.contains("-301 not shown: read long.py:"), "{cut}");
    assert!(cut.lines().count() < 150, "{cut}");
}

#[test]
fn uses() {
    let sample = used();
    check(
        &sample,
        &["symbol", "RateLimiter", "--references"],
        0,
        expect![[r#"
            $ groma symbol RateLimiter --references
            src/limit.rs:3-6 pub struct RateLimiter
            4 references:
            src/limit.rs:8 impl RateLimiter {
            src/server.rs:1 use crate::limit::RateLimiter;
            src/server.rs:5 impl Handler for RateLimiter {}
            src/server.rs:7 in server::serve 7-11: pub fn serve(limiter: &mut RateLimiter) {
        "#]],
    );
    check(
        &sample,
        &["symbol", "allow", "--callers"],
        0,
        expect![[r#"
            $ groma symbol allow --callers
            src/limit.rs:9-16 pub fn allow(&mut self) -> bool
            1 caller:
            src/server.rs:8 in server::serve 7-11: if limiter.allow() {
        "#]],
    );
    check(
        &sample,
        &["symbol", "serve", "--callees"],
        0,
        expect![[r#"
            $ groma symbol serve --callees
            src/server.rs:7-11 pub fn serve(limiter: &mut RateLimiter)
            2 callees:
            src/server.rs:8 in server::serve 7-11: if limiter.allow() { -> src/limit.rs:10
            src/server.rs:9 in server::serve 7-11: answer(); -> src/server.rs:13
        "#]],
    );
    check(
        &sample,
        &["symbol", "Handler", "--relation", "implementors"],
        0,
        expect![[r#"
            $ groma symbol Handler --relation implementors
            src/server.rs:3 pub trait Handler
            1 implementor:
            src/server.rs:5 in limit::RateLimiter 3-6: impl Handler for RateLimiter {} -> src/limit.rs:4
        "#]],
    );
    check(
        &sample,
        &["symbol", "serve", "--callers"],
        1,
        expect![[r#"
            $ groma symbol serve --callers
            src/server.rs:7-11 pub fn serve(limiter: &mut RateLimiter)
            no callers found
            `groma search` also searches text; `groma status --skipped` lists skipped files
        "#]],
    );
}

#[test]
fn callers_are_followed_to_a_depth() {
    let sample = used();
    sample.write(
        "src/main.rs",
        "fn main() {\n    crate::server::serve(&mut RateLimiter::new());\n}\n",
    );
    check(
        &sample,
        &["symbol", "allow", "--callers", "--depth", "2"],
        0,
        expect![[r#"
            $ groma symbol allow --callers --depth 2
            src/limit.rs:9-16 pub fn allow(&mut self) -> bool
            1 caller:
            src/server.rs:8 in server::serve 7-11: if limiter.allow() {
              src/main.rs:2 in main 1-3: crate::server::serve(&mut RateLimiter::new());
        "#]],
    );
    let further = |depth: &str| {
        let answer = sample.json(&["symbol", "allow", "--callers", "--depth", depth]);
        answer["further"].as_array().unwrap().len()
    };
    assert_eq!((further("1"), further("2"), further("3")), (0, 1, 1));
    assert_eq!(sample.run(&["symbol", "allow", "--depth", "4"]).code, Some(2));
}

#[test]
fn tests_of_a_name() {
    let sample = used();
    sample.write(
        "src/tests.rs",
        "#[test]\nfn it_serves() {\n    crate::server::serve(&mut limiter());\n}\n",
    );
    check(
        &sample,
        &["symbol", "serve", "--tests"],
        0,
        expect![[r#"
            $ groma symbol serve --tests
            src/server.rs:7-11 pub fn serve(limiter: &mut RateLimiter)
            1 test:
            src/tests.rs:3 in tests::it_serves 1-4: crate::server::serve(&mut limiter());
        "#]],
    );
    assert_eq!(sample.json(&["symbol", "serve", "--relation", "tests"])["relation"], "tests");
    let none = sample.run(&["symbol", "Handler", "--tests"]);
    assert_eq!(none.code, Some(1));
    assert!(none.stdout.ends_with("\nno tests found\n"), "{none:?}");
}

#[test]
fn json_has_every_documented_field() {
    let sample = used();
    let json = |arguments: &[&str]| pretty(&sample, sample.json(arguments));
    expect![[r#"
        {
          "name": "allow",
          "project": "[ROOT]",
          "relation": "callers",
          "generation": null,
          "took_ms": null,
          "total_definitions": 1,
          "total_usages": 1,
          "possible_usages": 0,
          "notes": [],
          "definitions": [
            {
              "path": "src/limit.rs",
              "line": 10,
              "column": 11,
              "start_line": 9,
              "end_line": 16,
              "name": "allow",
              "kind": "method",
              "qualified": "limit::RateLimiter::allow",
              "signature": "pub fn allow(&mut self) -> bool",
              "doc": "Whether one more request is allowed now.",
              "visibility": "public",
              "parent": "RateLimiter",
              "language": "rust",
              "package": null,
              "match": "exact",
              "score": null
            }
          ],
          "usages": [
            {
              "path": "src/server.rs",
              "line": 8,
              "column": 15,
              "possible": false,
              "kind": "call",
              "name": "allow",
              "language": "rust",
              "text": "if limiter.allow() {",
              "enclosing": {
                "name": "serve",
                "qualified": "server::serve",
                "kind": "function",
                "start_line": 7,
                "end_line": 11
              },
              "definitions": []
            }
          ],
          "further": [],
          "bodies": []
        }"#]]
    .assert_eq(&json(&["symbol", "allow", "--callers"]));
    expect![[r#"
        {
          "path": "src/limit.rs",
          "language": "rust",
          "bytes": null,
          "line_count": 17,
          "start_line": 3,
          "end_line": 4,
          "content": "/// Limits how many requests a client may send.\npub struct RateLimiter {",
          "dependencies": [],
          "notes": []
        }
    "#]]
    .assert_eq(
        &json(&["read", "src/limit.rs", "--lines", "3-4"])
            .lines()
            .filter(|line| !line.contains("\"modified\""))
            .map(|line| format!("{line}\n"))
            .collect::<String>(),
    );
}

#[test]
fn wrong_requests() {
    let sample = Sample::new();
    check(
        &sample,
        &["symbol", ""],
        2,
        expect![[r#"
        $ groma symbol 
        error: name: is empty; give the name of a definition
    "#]],
    );
    check(
        &sample,
        &["symbol", "x", "--limit", "0"],
        2,
        expect![[r#"
        $ groma symbol x --limit 0
        error: limit: must be 1 to 1000
    "#]],
    );
    check(
        &sample,
        &["symbol", "x", "--relation", "friends"],
        2,
        expect![[r#"
            $ groma symbol x --relation friends
            error: invalid value 'friends' for '--relation <RELATION>': `friends` is none of definitions, references, callers, callees, implementors, tests

            For more information, try '--help'.
        "#]],
    );
    assert_eq!(sample.run(&["symbol", "x", "--callers", "--callees"]).code, Some(2));
    assert_eq!(sample.run(&["symbol", "x", "--callers", "--relation", "callees"]).code, Some(2));
    assert!(!sample.home().join("projects").exists(), "bad input costs nothing");
}

#[test]
fn reading() {
    let sample = Sample::new();
    check(
        &sample,
        &["read", "auth/token.py"],
        0,
        expect![[r#"
        $ groma read auth/token.py
        """Tokens."""


        def verify_token(token):
            """Verify the signature of a token."""
            return token.startswith("ok")
    "#]],
    );
    check(
        &sample,
        &["read", "auth/token.py", "--lines", "4-"],
        0,
        expect![[r#"
        $ groma read auth/token.py --lines 4-
        def verify_token(token):
            """Verify the signature of a token."""
            return token.startswith("ok")
    "#]],
    );
    check(
        &sample,
        &["read", "auth/token.py", "--lines", "-1"],
        0,
        expect![[r#"
        $ groma read auth/token.py --lines -1
        """Tokens."""
    "#]],
    );
    check(
        &sample,
        &["read", "auth/token.py", "--lines", "6-9"],
        0,
        expect![[r#"
        $ groma read auth/token.py --lines 6-9
            return token.startswith("ok")
        note: the file ends at line 6
    "#]],
    );
    check(
        &sample,
        &["read", ".env"],
        2,
        expect![[r#"
        $ groma read .env
        error: .env may contain secrets or is internal to a tool; such files are never read
    "#]],
    );
    check(
        &sample,
        &["read", "../other"],
        2,
        expect![[r#"
        $ groma read ../other
        error: ../other is outside the project; give a path inside its folder, with `/` between names
    "#]],
    );
    check(
        &sample,
        &["read", "logo.png"],
        2,
        expect![[r#"
        $ groma read logo.png
        error: logo.png is not text
    "#]],
    );
    check(
        &sample,
        &["read", "auth/tokens.py"],
        3,
        expect![[r#"
        $ groma read auth/tokens.py
        error: there is no file auth/tokens.py; did you mean auth/token.py?
    "#]],
    );
    check(
        &sample,
        &["read", "auth/token.py", "--lines", "0"],
        2,
        expect![[r#"
        $ groma read auth/token.py --lines 0
        error: invalid value '0' for '--lines <FROM-TO>': give lines as 10-40, 10-, -40 or 10; the first line is 1

        For more information, try '--help'.
    "#]],
    );
}

#[test]
fn reading_several_places() {
    let sample = Sample::new();
    check(
        &sample,
        &["read", "auth/token.py:4-5", "src/limit.rs#RateLimiter.allow", "FindOrder"],
        0,
        expect![[r#"
            $ groma read auth/token.py:4-5 src/limit.rs#RateLimiter.allow FindOrder
            auth/token.py 4-5 of 6 lines
            4:def verify_token(token):
            5:    """Verify the signature of a token."""
            src/limit.rs method RateLimiter::allow 9-16 of 17 lines
            9:    /// Whether one more request is allowed now.
            10:    pub fn allow(&mut self) -> bool {
            11:        if self.allowed == 0 {
            12:            return false;
            13:        }
            14:        self.allowed -= 1;
            15:        true
            16:    }
            store/order.go method OrderRepository.FindOrder 6-9 of 9 lines
            6:// FindOrder finds an order by its number.
            7:func (r *OrderRepository) FindOrder(number int) string {
            8:	return "order"
            9:}
        "#]],
    );
    check(
        &sample,
        &["read", "auth/token.py:4", "auth/tokens.py"],
        3,
        expect![[r#"
        $ groma read auth/token.py:4 auth/tokens.py
        auth/token.py 4 of 6 lines
        4:def verify_token(token):
        error: there is no file auth/tokens.py; did you mean auth/token.py?
    "#]],
    );
    let colored = sample.run(&["read", "auth/token.py:4", "-n", "--color", "always"]).stdout;
    assert!(colored.contains("\n\x1b[32m4:\x1b[0m\x1b[34mdef\x1b[0m "), "{colored}");
    let ran = sample.run(&["read", "auth/token.py", "src/limit.rs", "--lines", "1"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}

#[test]
fn reading_one_place() {
    let sample = Sample::new();
    let long = "x".repeat(2000);
    sample.write("long.py", &format!("def long():\n    return '{long}'\n"));
    sample.write("C#/a#1.txt", "one\ntwo\n");
    sample.write("a#1.txt", "three\n");
    let text = |arguments: &[&str]| {
        let ran = sample.run(&[&["read"], arguments].concat());
        assert_eq!((ran.code, &*ran.stderr), (Some(0), ""), "{arguments:?}");
        ran.stdout
    };
    assert_eq!(text(&["auth/token.py:4"]), "def verify_token(token):\n");
    assert_eq!(text(&["C#/a#1.txt:2"]), "two\n");
    assert_eq!(text(&["a#1.txt"]), "three\n", "a file whose name looks like a member");
    assert_eq!(text(&["long.py#long"]), format!("def long():\n    return '{long}'\n"));
    assert!(!sample.data().join("index.db").exists(), "files need no index");
    assert_eq!(text(&["verify_token"]), text(&["auth/token.py", "--lines", "4-6"]));
    let numbered = "auth/token.py 4 of 6 lines\n4:def verify_token(token):\n";
    assert_eq!(text(&["auth/token.py:4", "-n"]), numbered);
    assert_eq!(text(&["auth/token.py", "--lines", "4", "-n"]), numbered);
    let value = sample.json(&["read", "auth/token.py:4"]);
    assert_eq!(value["content"], "def verify_token(token):");
    let value = sample.json(&["read", "verify_token", "nobody_defines_this"]);
    assert_eq!(value["places"][0]["views"][0]["excerpts"][0]["start_line"], 4, "{value}");
    assert!(value["places"][1]["error"].is_string(), "{value}");
}

#[test]
fn reading_with_imports() {
    let sample = Sample::new();
    sample.write("src/lib.rs", "mod limit;\n\nuse std::fmt;\n");
    sample.write("src/limit.rs", "pub fn allow() {}\n");
    sample.write("Cargo.toml", "[package]\nname = \"sample\"\n");
    check(
        &sample,
        &["read", "src/lib.rs", "--deps"],
        0,
        expect![[r#"
        $ groma read src/lib.rs --deps
        mod limit;

        use std::fmt;

        ==> src/limit.rs (line 1) <==
        pub fn allow() {}
    "#]],
    );
}

#[test]
fn reads_are_recorded_and_no_index_is_created() {
    let sample = Sample::new();
    for _ in 0..2 {
        assert_eq!(sample.run(&["read", "README.md"]).code, Some(0));
    }
    assert_eq!(sample.run(&["read", ".env"]).code, Some(2));
    assert!(!sample.data().join("index.db").exists());
    let counts = || {
        let accesses = EmbeddedNotebook::new(&sample.data()).accesses().unwrap();
        accesses.iter().map(|one| (one.path.to_string(), one.count)).collect::<Vec<_>>()
    };
    assert_eq!(counts(), [("README.md".to_string(), 2)]);
    assert_eq!(sample.run(&["index"]).code, Some(0));
    assert_eq!(sample.run(&["clear", "--yes"]).code, Some(0));
    assert_eq!(counts(), [("README.md".to_string(), 2)], "clearing leaves it");
    std::fs::write(sample.data().join("notebook.db"), "something else\n".repeat(500)).unwrap();
    let ran = sample.run(&["read", "README.md"]);
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("file accesses could not be recorded"), "{}", ran.stderr);
}
