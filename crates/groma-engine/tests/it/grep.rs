//! Lines by pattern: what is found and what is shown of it.

mod bounds;
mod files;
mod ripgrep;

use groma_engine::{Cancel, Case, GrepAnswer, GrepMatch, GrepRequest};
use groma_testkit::Sandbox;
use std::time::Duration;

fn ask(sandbox: &Sandbox, request: &GrepRequest) -> GrepAnswer {
    sandbox.engine().grep(request, &(), &Cancel::default()).expect("an answer")
}

fn grep(sandbox: &Sandbox, pattern: &str) -> GrepAnswer {
    ask(sandbox, &GrepRequest::new(pattern))
}

/// The places found, as `path:line:column`.
fn places(answer: &GrepAnswer) -> Vec<String> {
    let place = |found: &GrepMatch| format!("{}:{}:{}", found.path, found.line, found.column);
    answer.matches.iter().map(place).collect()
}

/// The files found, each once.
fn files(answer: &GrepAnswer) -> Vec<&str> {
    let mut files: Vec<&str> = answer.matches.iter().map(|found| found.path.as_str()).collect();
    files.dedup();
    files
}

const PROJECT: &str = "\
//- src/lamp.rs
/// Lights the lantern.
pub fn light_lantern() { lantern(\"LANTERN\") }

fn lantern(name: &str) {}
//- src/door.py
def open_door(lantern):
    return 'hinge'
//- docs/guide.md
# Lantern

Größer als die lantern.
";

#[test]
fn lines_come_in_order_of_path_and_line_each_once() {
    let sandbox = Sandbox::in_memory(PROJECT);
    for indexed in [false, true] {
        if indexed {
            sandbox.index();
        }
        let answer = grep(&sandbox, "lantern");
        assert_eq!(
            places(&answer),
            [
                "docs/guide.md:3:16",
                "src/door.py:1:15",
                "src/lamp.rs:1:16",
                "src/lamp.rs:2:14",
                "src/lamp.rs:4:4"
            ]
        );
        assert_eq!(answer.matches[0].text, "Größer als die lantern.");
        assert_eq!((answer.total, answer.is_total_exact, answer.files_matched), (5, true, 3));
        assert_eq!((answer.files_searched, answer.notes.len()), (3, 0));
    }
}

#[test]
fn the_index_rules_out_files() {
    let sandbox = Sandbox::new(PROJECT);
    assert_eq!(grep(&sandbox, "hinge").files_read, 3, "there is no index yet");
    assert_eq!(sandbox.engine().status().unwrap().generation, None, "and none is made for it");
    sandbox.index();
    let answer = grep(&sandbox, "hinge");
    assert_eq!(
        (files(&answer), answer.files_read, answer.files_searched),
        (vec!["src/door.py"], 1, 3)
    );
    assert_eq!(grep(&sandbox, "h.n").files_read, 3, "nothing to go by");
    assert_eq!(grep(&sandbox, "nowhere").files_read, 0);
    sandbox.save("src/door.py", "nowhere\n");
    assert_eq!(grep(&sandbox, "nowhere").files_read, 1, "only what has changed");
}

#[test]
fn case_words_and_literals() {
    let sandbox = Sandbox::in_memory(
        "//- a.txt\nLamp\nlamp\nlamps\nla.p\nblamp\nKELVIN \u{212a}elvin kelvin\nlamp_post lamp\n",
    );
    sandbox.index();
    let lines = |request: GrepRequest| -> Vec<u32> {
        ask(&sandbox, &request).matches.iter().map(|found| found.line).collect()
    };
    let with = |pattern: &str, case| GrepRequest { case, ..GrepRequest::new(pattern) };
    assert_eq!(lines(with("lamp", Case::Sensitive)), [2, 3, 5, 7]);
    assert_eq!(lines(with("lamp", Case::Insensitive)), [1, 2, 3, 5, 7]);
    assert_eq!(lines(with("lamp", Case::Smart)), [1, 2, 3, 5, 7]);
    assert_eq!(lines(with("Lamp", Case::Smart)), [1]);
    assert_eq!(lines(with("^\u{212a}elvin|^kelvin", Case::Insensitive)), [6]);
    assert_eq!(lines(GrepRequest { whole_words: true, ..GrepRequest::new("lamp") }), [2, 7]);
    assert_eq!(lines(GrepRequest { literal: true, ..GrepRequest::new("a.p") }), [4]);
    let request = GrepRequest { whole_words: true, ..GrepRequest::new("lamp") };
    assert_eq!(ask(&sandbox, &request).matches[1].column, 11, "the first match that is a word");
}

#[test]
fn context_is_shown_up_to_the_ends_of_the_file_and_over_other_matches() {
    let sandbox =
        Sandbox::in_memory("//- a.txt\none\nx two\nthree\nx four\nfive\nsix\nseven\nx eight\n");
    let request = GrepRequest { before: 2, after: 1, ..GrepRequest::new("x ") };
    let answer = ask(&sandbox, &request);
    let shown = |found: &GrepMatch| {
        format!("{} < {} < {}", found.before.join(","), found.text, found.after.join(","))
    };
    assert_eq!(
        answer.matches.iter().map(shown).collect::<Vec<_>>(),
        ["one < x two < three", "x two,three < x four < five", "six,seven < x eight < "]
    );
}

#[test]
fn line_ends_and_encodings() {
    let sandbox = Sandbox::in_memory("");
    let utf16 = |text: &str, mark: u16, unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        [mark].into_iter().chain(text.encode_utf16()).flat_map(unit).collect()
    };
    sandbox.write("crlf.txt", "first\r\nlamp\r\n");
    sandbox.write("no_end.txt", "lamp");
    sandbox.write("mark.txt", b"\xef\xbb\xbflamp \xc3\xa9 lamp\n");
    sandbox.write("latin.txt", b"caf\xe9 lamp\n");
    sandbox.write("little.txt", utf16("ä lamp\n", 0xfeff, u16::to_le_bytes));
    sandbox.write("big.txt", utf16("ä lamp\n", 0xfeff, u16::to_be_bytes));
    for indexed in [false, true] {
        if indexed {
            sandbox.index();
        }
        let answer = grep(&sandbox, "lamp");
        let shown: Vec<(String, &str)> = places(&answer)
            .into_iter()
            .zip(answer.matches.iter().map(|found| &*found.text))
            .collect();
        let expected = [
            ("big.txt:1:3", "ä lamp"),
            ("crlf.txt:2:1", "lamp"),
            ("latin.txt:1:6", "caf\u{fffd} lamp"),
            ("little.txt:1:3", "ä lamp"),
            ("mark.txt:1:1", "lamp é lamp"),
            ("no_end.txt:1:1", "lamp"),
        ];
        assert_eq!(shown, expected.map(|(place, text)| (place.to_string(), text)));
        assert_eq!(files(&grep(&sandbox, "(?-u:caf\\xe9 )lamp")), ["latin.txt"], "bytes are bytes");
        assert_eq!(files(&grep(&sandbox, "^lamp")), ["crlf.txt", "mark.txt", "no_end.txt"]);
    }
}

#[test]
fn filters() {
    let sandbox = Sandbox::in_memory(PROJECT);
    sandbox.write("bin/run", "#!/usr/bin/env python3\nlantern = 1\n");
    sandbox.write("bin/other", "#!/bin/sh\nlantern=1\n");
    sandbox.write("src/a.h", "namespace lantern {}\n");
    sandbox.write("src/b.h", "int lantern;\n");
    sandbox.index();
    let found = |paths: &[&str], languages: &[&str]| -> Vec<String> {
        let own = |list: &[&str]| list.iter().map(|text| text.to_string()).collect();
        let request = GrepRequest {
            paths: own(paths),
            languages: own(languages),
            ..GrepRequest::new("lantern")
        };
        files(&ask(&sandbox, &request)).iter().map(|path| path.to_string()).collect()
    };
    assert_eq!(found(&["*.md"], &[]), ["docs/guide.md"]);
    assert_eq!(found(&["src"], &["rust"]), ["src/lamp.rs"]);
    assert_eq!(
        found(&["src/**", "docs"], &["python", "markdown"]),
        ["docs/guide.md", "src/door.py"]
    );
    assert_eq!(found(&["bin"], &["python"]), ["bin/run"]);
    assert_eq!(found(&[], &["cpp"]), ["src/a.h"]);
    assert_eq!(found(&[], &["c"]), ["src/b.h"]);
    assert!(found(&["lib"], &[]).is_empty());
    let request = GrepRequest { paths: vec!["src".into()], ..GrepRequest::new("nowhere") };
    assert_eq!(ask(&sandbox, &request).files_searched, 4);
}

#[test]
fn a_tree_that_is_watched_is_never_remembered_wrong() {
    let sandbox = Sandbox::new(PROJECT);
    let engine = sandbox.shared(Duration::from_secs(60));
    engine.index(&(), &Cancel::default()).unwrap();
    let lines = |pattern: &str| -> Vec<String> {
        let answer = engine.grep(&GrepRequest::new(pattern), &(), &Cancel::default()).unwrap();
        places(&answer)
    };
    for round in 0..100 {
        let (word, path) = (format!("word{round}x"), format!("src/deep{}/new.rs", round % 3));
        assert!(lines(&word).is_empty());
        match round % 5 {
            // The same length at what may be the same time.
            0 => sandbox.save("src/door.py", format!("hinge\n{word}\n")),
            1 => sandbox.save(&path, format!("\n{word}\n")),
            2 => {
                sandbox.write("src/draft", format!("\n{word}\n"));
                sandbox.rename("src/draft", "src/lamp.rs");
            }
            3 => {
                sandbox.save("src/door.py", format!("hinge\n{word}\n"));
                engine.index(&(), &Cancel::default()).unwrap();
            }
            _ => {
                sandbox.save(&path, format!("\n{word}\n"));
                sandbox.save(".gitignore", "");
                assert_eq!(lines(&word).len(), 1, "round {round}");
                sandbox.save(".ignore", "deep*\n");
                assert!(lines(&word).is_empty(), "round {round}");
                sandbox.remove(".ignore");
            }
        }
        let found = lines(&word);
        assert!(found.len() == 1 && found[0].ends_with(":2:1"), "round {round}: {found:?}");
        assert_eq!(found, lines(&word), "asked again");
    }
}
