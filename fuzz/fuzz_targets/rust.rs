//! The fast parser for Rust gives the grammar's tree or declines, and never panics.
#![no_main]

use groma_fastparse::differential::Pair;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static PAIR: LazyLock<Pair> = LazyLock::new(Pair::rust);

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let outcome = PAIR.compare(text);
    assert!(!outcome.is_mismatch(), "{outcome:?}\n{text:?}");
});
