//! Malformed files.

use groma_core::{ParseStatus, RelPath};
use groma_syntax::parse;

/// Parses a text and checks what must hold of any: positions lie within the file, chunks are in order and do not
/// overlap, every line with text is in a chunk, names are not empty, and the result is the same the next time.
fn status(path: &str, text: &str) -> ParseStatus {
    let parse = || parse(&RelPath::new(path).unwrap(), text).facts;
    let facts = parse();
    let mut last = 0;
    let mut covered = vec![false; facts.line_count as usize + 1];
    for chunk in &facts.chunks[1..] {
        let (start, end) = (chunk.lines.start, chunk.lines.end);
        assert!(start > last, "{path}: chunks overlap at line {start}");
        assert!(end >= start && end <= facts.line_count, "{path}: a chunk ends after the file");
        covered[start as usize..=end as usize].fill(true);
        last = end;
    }
    for (line, text) in (1..).zip(text.lines()) {
        let is_blank = text.trim_matches(['\u{feff}', '\0']).trim().is_empty();
        assert!(is_blank || covered[line], "{path}: line {line} is in no chunk");
    }
    for symbol in &facts.symbols {
        assert!(!symbol.name.is_empty(), "{path}: {symbol:?}");
        assert!(symbol.lines.start >= 1 && symbol.lines.end <= facts.line_count, "{symbol:?}");
    }
    assert_eq!(format!("{facts:?}"), format!("{:?}", parse()), "{path}: parsed twice");
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
fn unusual_texts_yield_consistent_facts() {
    let deep = "(".repeat(1_000);
    let long_line = "x".repeat(100_000);
    let texts = [
        "", "\n", "\r\n\r\n", "\u{feff}", "\0\0\0", "é", &deep, &long_line, "/*", "\"\"\"", "{",
        "}",
    ];
    let mut checked = 0;
    for language in groma_syntax::LANGUAGES {
        let extension = language.extensions.first().copied();
        let path = match (extension, language.file_names.first()) {
            (Some(extension), _) => format!("a.{extension}"),
            (None, Some(name)) => name.trim_end_matches('*').to_string(),
            (None, None) => continue,
        };
        for text in texts {
            status(&path, text);
            checked += 1;
        }
    }
    assert!(checked >= 40 * texts.len(), "{checked}");
}

/// Random slices of the fixtures joined by random bytes: what an editor may save at any moment.
#[test]
fn shuffled_code_yields_consistent_facts() {
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
