//! `groma grep`: output as grep prints it, JSON and exit codes.

use crate::sample::{Ran, Sample, pretty};
use expect_test::{Expect, expect};

fn check(ran: &Ran, code: i32, expected: Expect) {
    assert_eq!(ran.code, Some(code), "{ran:?}");
    expected.assert_eq(&format!("{}---\n{}", ran.stdout, ran.stderr));
}

fn grep(sample: &Sample, arguments: &[&str]) -> Ran {
    sample.run(&[&["grep"], arguments].concat())
}

#[test]
fn lines_are_found_with_and_without_an_index() {
    for sample in [Sample::new(), Sample::indexed()] {
        let ran = grep(&sample, &["order|token", "--limit", "4"]);
        assert_eq!(
            (ran.code, ran.stderr.as_str()),
            (Some(0), "4 of 7 lines; --limit shows more\n")
        );
        assert_eq!(
            ran.stdout.lines().collect::<Vec<_>>(),
            [
                "README.md:6:How orders are kept.",
                "auth/token.py:4:def verify_token(token):",
                "auth/token.py:5:    \"\"\"Verify the signature of a token.\"\"\"",
                "auth/token.py:6:    return token.startswith(\"ok\")",
            ]
        );
        let ran = grep(&sample, &["nowhere_at_all"]);
        assert_eq!((ran.code, &*ran.stdout, &*ran.stderr), (Some(1), "", "nothing found\n"));
    }
}

#[test]
fn no_index_is_created() {
    let sample = Sample::new();
    assert_eq!(grep(&sample, &["order"]).code, Some(0));
    assert!(!sample.home().join("projects").exists());
}

#[test]
fn an_edit_is_seen_at_once() {
    let sample = Sample::indexed();
    sample.write("src/limit.rs", "pub fn brand_new() {}\n");
    assert_eq!(grep(&sample, &["brand_new"]).stdout, "src/limit.rs:1:pub fn brand_new() {}\n");
    assert_eq!(grep(&sample, &["RateLimiter"]).code, Some(1));
}

#[test]
fn options_narrow_and_widen() {
    let sample = Sample::indexed();
    let lines = |arguments: &[&str]| grep(&sample, arguments).stdout;
    assert_eq!(lines(&["-i", "RATE LIMITING"]), "src/limit.rs:1://! Rate limiting.\n");
    assert_eq!(lines(&["-S", "rate limiting"]), "src/limit.rs:1://! Rate limiting.\n");
    assert_eq!(lines(&["-S", "Rate Limiting"]), "");
    assert_eq!(lines(&["-w", "allow"]), "src/limit.rs:10:    pub fn allow(&mut self) -> bool {\n");
    assert_eq!(lines(&["-F", "(r *Order"]).lines().count(), 1);
    assert_eq!(lines(&["-g", "*.md", "order"]), "README.md:6:How orders are kept.\n");
    assert_eq!(lines(&["--lang", "golang", "return"]), "store/order.go:8:\treturn \"order\"\n");
    assert_eq!(lines(&["--count", "return"]), "3\n");
    assert_eq!(lines(&["--count", "nowhere_at_all"]), "0\n");
}

#[test]
fn context_is_printed_once_with_separators() {
    let sample = Sample::indexed();
    check(
        &grep(&sample, &["allowed|^}|def ", "-C", "1", "-g", "src", "-g", "auth"]),
        0,
        expect![[r#"
            auth/token.py-3-
            auth/token.py:4:def verify_token(token):
            auth/token.py-5-    """Verify the signature of a token."""
            --
            src/limit.rs-4-pub struct RateLimiter {
            src/limit.rs:5:    allowed: u32,
            src/limit.rs:6:}
            src/limit.rs-7-
            src/limit.rs-8-impl RateLimiter {
            src/limit.rs:9:    /// Whether one more request is allowed now.
            src/limit.rs-10-    pub fn allow(&mut self) -> bool {
            src/limit.rs:11:        if self.allowed == 0 {
            src/limit.rs-12-            return false;
            src/limit.rs-13-        }
            src/limit.rs:14:        self.allowed -= 1;
            src/limit.rs-15-        true
            src/limit.rs-16-    }
            src/limit.rs:17:}
            ---
        "#]],
    );
}

#[test]
fn as_json() {
    let sample = Sample::indexed();
    let mut value = sample.json(&["grep", "verify", "-A", "1"]);
    // Stamps of files written this second are racy.
    value["files_read"] = 1.into();
    expect![[r#"
        {
          "pattern": "verify",
          "project": "[ROOT]",
          "total": 1,
          "is_total_exact": true,
          "files_searched": 4,
          "files_read": 1,
          "files_matched": 1,
          "took_ms": null,
          "notes": [],
          "matches": [
            {
              "path": "auth/token.py",
              "line": 4,
              "column": 5,
              "text": "def verify_token(token):",
              "before": [],
              "after": [
                "    \"\"\"Verify the signature of a token.\"\"\""
              ]
            }
          ]
        }"#]]
    .assert_eq(&pretty(&sample, value));
}

#[test]
fn colours_show_the_matches() {
    let sample = Sample::indexed();
    let ran = grep(&sample, &["[Oo]rder", "-g", "*.go", "--limit", "1", "--color", "always"]);
    expect![[r#"
        ESC[35mstore/order.goESC[0m:ESC[32m3ESC[0m:// ESC[1;33mOrderESC[0mRepository keeps ESC[1;33morderESC[0ms.
    "#]].assert_eq(&ran.stdout.replace('\x1b', "ESC"));
}

#[test]
fn lines_can_be_grouped_by_file_and_enclosing_definition() {
    let indexed = grep(&Sample::indexed(), &["allowed|token", "--heading"]).stdout;
    let sample = Sample::new();
    let grouped = grep(&sample, &["allowed|token", "--heading"]);
    assert_eq!(grouped.stdout, indexed);
    check(
        &grouped,
        0,
        expect![[r#"
            auth/token.py
            function verify_token 4-6
            4:def verify_token(token):
            5:    """Verify the signature of a token."""
            6:    return token.startswith("ok")
            src/limit.rs
            5:    allowed: u32,
            method RateLimiter::allow 9-16
            9:    /// Whether one more request is allowed now.
            11:        if self.allowed == 0 {
            14:        self.allowed -= 1;
            ---
        "#]],
    );
    let some = grep(&sample, &["allowed", "--heading", "--limit", "2"]);
    check(
        &some,
        0,
        expect![[r#"
            2 of 4 lines in 1 file
            src/limit.rs (2 of 4)
            5:    allowed: u32,
            method RateLimiter::allow 9-16
            9:    /// Whether one more request is allowed now.
            note: also on lines 11, 14
            ---
        "#]],
    );
    let ran = grep(&sample, &["allowed == 0", "-C1", "--heading", "--color", "always"]);
    expect![[r#"
        ESC[35msrc/limit.rsESC[0m
        ESC[1mmethod RateLimiter::allow 9-16ESC[0m
        ESC[2m10-ESC[0m    pub fn allow(&mut self) -> bool {
        ESC[32m11:ESC[0m        if self.ESC[1;33mallowed == 0ESC[0m {
        ESC[2m12-ESC[0m            return false;
    "#]]
    .assert_eq(&ran.stdout.replace('\x1b', "ESC"));
    let last = grep(&sample, &["-w", "allow", "--heading", "--no-heading"]).stdout;
    assert_eq!(last, "src/limit.rs:10:    pub fn allow(&mut self) -> bool {\n");
    assert!(!sample.home().join("projects").exists(), "no index is needed");
}

#[test]
fn errors_are_reported() {
    let sample = Sample::new();
    check(
        &grep(&sample, &["fn ("]),
        2,
        expect![[r#"
        ---
        error: pattern: unclosed group, at character 4; correct it, or search for it literally
    "#]],
    );
    check(
        &grep(&sample, &["a", "--limit", "0"]),
        2,
        expect![[r#"
        ---
        error: limit: must be 1 to 10000
    "#]],
    );
    check(
        &grep(&sample, &["a", "-g", "["]),
        2,
        expect![[r#"
        ---
        error: paths: path pattern `[`: unclosed character class; missing ']'; write globs as in a .gitignore
    "#]],
    );
    check(
        &grep(&sample, &["a", "nowhere"]),
        3,
        expect![[r#"
            ---
            error: there is no folder nowhere
              next: give a folder that exists; a query of several words needs quotes
        "#]],
    );
}
