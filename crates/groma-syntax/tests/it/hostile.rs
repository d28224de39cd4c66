//! Hostile input: broken, odd and shuffled text never panics.

use groma_core::{ParseStatus, RelPath};
use groma_syntax::parse;

fn status(path: &str, text: &str) -> ParseStatus {
    let facts = parse(&RelPath::new(path).unwrap(), text).facts;
    let mut last = 0;
    for chunk in &facts.chunks[1..] {
        assert!(chunk.lines.start > last, "{path}: chunks overlap at line {}", chunk.lines.start);
        assert!(chunk.lines.end <= facts.line_count, "{path}: a chunk ends after the file");
        last = chunk.lines.end;
    }
    facts.health.status
}

#[test]
fn broken_code_is_partial_and_still_has_symbols() {
    let text = "package a\n\nfunc good() {}\n\nfunc bad( {{{\n\nfunc fine() {}\n";
    let facts = parse(&RelPath::new("a.go").unwrap(), text).facts;
    assert_ne!(facts.health.status, ParseStatus::Ok);
    assert!(facts.health.message.contains("line"), "{}", facts.health.message);
    assert!(facts.symbols.iter().any(|symbol| symbol.name == "good"));
}

#[test]
fn odd_texts_never_panic() {
    let deep = "(".repeat(1_000);
    let long_line = "x".repeat(100_000);
    let texts = [
        "", "\n", "\r\n\r\n", "\u{feff}", "\0\0\0", "é", &deep, &long_line, "/*", "\"\"\"", "{",
        "}",
    ];
    for language in groma_syntax::LANGUAGES {
        let extension = language.extensions.first().copied();
        let path = match (extension, language.file_names.first()) {
            (Some(extension), _) => format!("a.{extension}"),
            (None, Some(name)) => name.trim_end_matches('*').to_string(),
            (None, None) => continue,
        };
        for text in texts {
            status(&path, text);
        }
    }
}

/// Parts of the fixtures in random order, with random bytes between them.
#[test]
fn shuffled_code_never_panics() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    for path in crate::fixtures() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let fixture = std::fs::read(&path).unwrap();
        for _ in 0..8 {
            let mut bytes = Vec::new();
            for _ in 0..40 {
                let from = random(fixture.len());
                let to = fixture.len().min(from + random(60));
                bytes.extend_from_slice(&fixture[from..to]);
                bytes.push(random(256) as u8);
            }
            status(name, &String::from_utf8_lossy(&bytes));
        }
    }
}

#[test]
fn unknown_text_is_indexed_by_lines() {
    assert_eq!(status("a.unknown", "some words\n\nmore words\n"), ParseStatus::NoGrammar);
}
