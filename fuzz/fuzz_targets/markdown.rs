//! Any Markdown is cut into chunks that are in it, in order, without a panic.
#![no_main]

use groma_core::RelPath;
use groma_syntax::parse;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for path in ["a.md", "a.rst", "a.txt"] {
        let path = RelPath::new(path).expect("a path");
        let facts = parse(&path, &text).facts;
        for symbol in &facts.symbols {
            assert!(symbol.lines.end <= facts.line_count);
        }
        for chunk in &facts.chunks {
            assert!(chunk.lines.end <= facts.line_count && chunk.lines.start <= chunk.lines.end);
        }
    }
});
