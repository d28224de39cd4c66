//! Every stage that reads repository text takes time in proportion to it: decoding, secrets, parsing, chunks, embedding,
//! the store, search, grep, recall of what files state, ignore files.
//!
//! A process of its own with one test, so that the CPU time of the process is that of the stages. Growth is compared, not
//! seconds: twice the text may cost about twice as much.
#![cfg(unix)]

use groma_engine::notebook::RecallRequest;
use groma_engine::{Cancel, GrepRequest};
use groma_testkit::Sandbox;
use std::time::Duration;

/// A path and the text that is repeated in it: what a stage might look back or ahead for.
const PIECES: &[(&str, &str)] = &[
    ("a.md", "# Heading\n"),
    ("a.md", "## Heading\n\ntext\n\n"),
    ("a.md", "```\n"),
    ("a.md", "> - "),
    ("a.md", "[a](b \"c\n"),
    ("a.md", "a\n---\n"),
    ("a.md", "We must always decide because "),
    ("a.md", "- Decision: we use tabs because of x.\n"),
    ("a.txt", "password = \""),
    ("a.txt", "token: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    ("a.txt", "-----BEGIN PRIVATE KEY-----\n"),
    ("a.txt", "https://user:pass@"),
    ("a.txt", "AKIAAAAAAAAAAAAAAAAA"),
    ("a.txt", "eyJhbGciOi."),
    ("a.txt", "aB3"),
    ("a.txt", "word "),
    ("a.txt", "\n"),
    ("a.txt", "\u{e9}"),
    ("a.txt", "camelCaseWord"),
    ("a.py", "# TODO: must not use this because\n"),
    ("a.py", "class A:\n    def f(self): pass\n"),
    ("a.py", "x = \"\"\"\n"),
    ("a.rs", "// NOTE: decided to x\nfn a() {}\n"),
    ("a.rs", "mod a { "),
    ("a.go", "package a\nimport \"a\"\nfunc a() {}\n"),
    ("a.go", "func a() { "),
    ("a.ts", "import { a } from './a'\n"),
    ("a.json", "{\"a\":["),
    (".gitignore", "**/a*b/**\n"),
    (".gitignore", "a/**/b\n"),
];

/// The larger text; the limit of ignore files is not much above.
const BYTES: usize = 96 << 10;

fn cpu_time() -> Duration {
    // SAFETY: the structure is written by the call and not used if that fails.
    let usage = unsafe {
        let mut usage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, &raw mut usage), 0);
        usage
    };
    let time = |time: libc::timeval| {
        Duration::new(time.tv_sec.unsigned_abs(), 0)
            + Duration::from_micros(time.tv_usec.unsigned_abs())
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// The CPU time of an index run and one request of each kind.
fn time(path: &str, text: &str) -> Duration {
    let sandbox = Sandbox::new("//- sound.py\ndef sound(): pass\n");
    sandbox.write(path, text);
    let before = cpu_time();
    sandbox.index();
    sandbox.search("decide heading word");
    let engine = sandbox.engine();
    let cancel = Cancel::default();
    engine.grep(&GrepRequest::new("a.*b.*c"), &(), &cancel).unwrap();
    engine.recall(&RecallRequest::new("tabs"), &(), &cancel).unwrap();
    cpu_time() - before
}

#[test]
fn every_stage_is_linear() {
    let mut found = Vec::new();
    for (path, piece) in PIECES {
        let text = |bytes: usize| piece.repeat(bytes / piece.len());
        let grows = |attempts: usize| {
            let [once, twice] = [BYTES / 2, BYTES].map(|bytes| {
                let text = text(bytes);
                (0..attempts).map(|_| time(path, &text)).min().unwrap_or_default()
            });
            // Quadratic growth is fourfold.
            (twice > once * 3 + Duration::from_millis(30)).then_some((once, twice))
        };
        let excess = grows(1).and_then(|_| grows(3));
        found.extend(excess.map(|times| format!("{path} {piece:?}: {times:?}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
