//! Whatever a text does to the grammar of a language happens in a worker: here nothing panics, hangs or dies, and the
//! facts are within the text.
//!
//! The first line is the extension of the file, which chooses the language. The program is its own worker.
#![no_main]

use groma_core::RelPath;
use groma_syntax::parse;
use groma_worker::{isolate_grammars, run_worker};
use libfuzzer_sys::fuzz_target;

const WORKER: &str = "parse-worker";

/// Becomes a worker if it was started as one.
fn begin() {
    if std::env::args().any(|argument| argument == WORKER) {
        let ended = run_worker();
        std::process::exit(i32::from(ended.is_err()));
    }
    isolate_grammars(std::env::current_exe().expect("the program"), WORKER);
}

fuzz_target!(init: begin(), |bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Some((extension, text)) = text.split_once('\n') else { return };
    let Ok(path) = RelPath::new(format!("a.{extension}")) else { return };
    let facts = parse(&path, text).facts;
    for chunk in &facts.chunks {
        assert!(chunk.lines.end <= facts.line_count && chunk.lines.start <= chunk.lines.end);
    }
});
