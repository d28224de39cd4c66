//! Any text is redacted and masked without a panic: a mask keeps length and lines, and what was redacted stays so.
#![no_main]

use groma_secrets::{Context, mask, redact};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let redacted = redact(&text);
    assert_eq!(redact(&redacted), redacted);
    for context in [Context::Code, Context::Text] {
        let mut masked = text.to_string();
        mask(&mut masked, context);
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.lines().count(), text.lines().count());
    }
});
