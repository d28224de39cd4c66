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
        src/limit.rs:4  struct limit::RateLimiter
               pub struct RateLimiter
    "#]],
    );
    check(
        &sample,
        &["symbol", "limit.RateLimiter#allow"],
        0,
        expect![[r#"
        $ groma symbol limit.RateLimiter#allow
        src/limit.rs:10  method limit::RateLimiter::allow
               pub fn allow(&mut self) -> bool
    "#]],
    );
    check(
        &sample,
        &["symbol", "verifyToken"],
        0,
        expect![[r#"
        $ groma symbol verifyToken
        auth/token.py:4  function auth.token.verify_token
               def verify_token(token)
    "#]],
    );
    check(
        &sample,
        &["symbol", "verfy_token"],
        0,
        expect![[r#"
            $ groma symbol verfy_token
            auth/token.py:4  function auth.token.verify_token
                   def verify_token(token)
            note: no definition of verfy_token; these names are similar
        "#]],
    );
    check(
        &sample,
        &["symbol", "nobody_defines_this"],
        1,
        expect![[r#"
            $ groma symbol nobody_defines_this
            no definition found
              `groma search` also searches text; `groma status --skipped` lists skipped files
        "#]],
    );
    check(
        &sample,
        &["symbol", "FindOrder", "--kind", "struct"],
        1,
        expect![[r#"
            $ groma symbol FindOrder --kind struct
            no definition found
              `groma search` also searches text; `groma status --skipped` lists skipped files
        "#]],
    );
    check(
        &sample,
        &["symbol", "order", "--lang", "go", "--limit", "1"],
        0,
        expect![[r#"
            $ groma symbol order --lang go --limit 1
            store/order.go:4  struct store.OrderRepository
                   type OrderRepository struct{}
            note: no definition of order; these names are similar
            1 more definition; --limit shows them
        "#]],
    );
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
        src/limit.rs:4  struct limit::RateLimiter
               pub struct RateLimiter

        src/limit.rs:8  type in the file
               impl RateLimiter {
        src/server.rs:1  import in the file
               use crate::limit::RateLimiter;
        src/server.rs:5  type in the file
               impl Handler for RateLimiter {}
        src/server.rs:7  type in function server::serve
               pub fn serve(limiter: &mut RateLimiter) {
    "#]],
    );
    check(
        &sample,
        &["symbol", "allow", "--callers"],
        0,
        expect![[r#"
        $ groma symbol allow --callers
        src/limit.rs:10  method limit::RateLimiter::allow
               pub fn allow(&mut self) -> bool

        src/server.rs:8  call in function server::serve
               if limiter.allow() {
    "#]],
    );
    check(
        &sample,
        &["symbol", "serve", "--callees"],
        0,
        expect![[r#"
        $ groma symbol serve --callees
        src/server.rs:7  function server::serve
               pub fn serve(limiter: &mut RateLimiter)

        src/server.rs:8  calls allow -> src/limit.rs:10
               if limiter.allow() {
        src/server.rs:9  calls answer -> src/server.rs:13
               answer();
    "#]],
    );
    check(
        &sample,
        &["symbol", "Handler", "--relation", "implementors"],
        0,
        expect![[r#"
        $ groma symbol Handler --relation implementors
        src/server.rs:3  trait server::Handler
               pub trait Handler

        src/server.rs:5  struct limit::RateLimiter at src/limit.rs:4
               impl Handler for RateLimiter {}
    "#]],
    );
    check(
        &sample,
        &["symbol", "serve", "--callers"],
        1,
        expect![[r#"
            $ groma symbol serve --callers
            src/server.rs:7  function server::serve
                   pub fn serve(limiter: &mut RateLimiter)
            no callers found
              `groma search` also searches text; `groma status --skipped` lists skipped files
        "#]],
    );
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
          ]
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
        error: invalid value 'friends' for '--relation <RELATION>': `friends` is none of definitions, references, callers, callees, implementors

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
