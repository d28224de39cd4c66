//! Reads one file as text, or returns why it is not indexed.
//!
//! Files are classified by name first; the rest is decided here, by content: binary, minified, generated, private key.
//! Single secrets in a file are overwritten in its text, so that neither the index nor any answer contains them.

use crate::file_names;
use crate::globs::Globs;
use crate::options::WalkOptions;
use crate::skip::SkipReason;
use crate::tree::FileTree;
use groma_core::{FileStamp, RelPath, SkippedFile};
use groma_secrets::Context;
use groma_syntax::{LanguageKind, detect};
use memchr::{memchr, memchr_iter, memmem};

/// How many bytes are examined to detect binary files.
const SNIFF_LENGTH: usize = 8192;

/// How many bytes are searched for a generator's header.
const HEADER_LENGTH: usize = 1024;

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The bytes on disk, from which the version key is derived.
    pub bytes: Vec<u8>,
    /// The decoded text, without a byte order mark and with its secrets overwritten.
    pub text: String,
    /// How many secrets were overwritten.
    pub withheld: usize,
    /// The stat data, taken before the first byte was read.
    pub stamp: FileStamp,
}

/// Reads a file of a tree.
pub fn read(
    tree: &dyn FileTree,
    path: &RelPath,
    options: &WalkOptions,
) -> Result<Source, SkippedFile> {
    let (bytes, stamp) = tree.load(path, options.max_file_size)?;
    let rejected = |(reason, detail): (SkipReason, &str)| SkippedFile {
        stamp: Some(stamp),
        ..reason.skip(path.as_str(), detail)
    };
    let mut text = decode(path, &bytes, options).map_err(rejected)?;
    let withheld = mask_secrets(path, &mut text);
    Ok(Source { bytes, text, withheld, stamp })
}

/// Overwrites the secrets in the text of a file, which keeps its length and its lines; returns how many there were.
pub fn mask_secrets(path: &RelPath, text: &mut String) -> usize {
    groma_secrets::mask(text, secret_context(path))
}

/// Only code assigns expressions to names; in configuration and prose an unquoted value is a value.
fn secret_context(path: &RelPath) -> Context {
    match detect(path, b"").kind {
        LanguageKind::Code => Context::Code,
        LanguageKind::Data | LanguageKind::Prose => Context::Text,
    }
}

/// Whether a file that begins with these bytes is a private key that `include` does not name.
pub fn is_secret(path: &RelPath, head: &[u8], options: &WalkOptions) -> bool {
    // The first byte excludes nearly all files.
    let first = head.trim_ascii_start().first();
    first.is_some_and(|byte| matches!(byte, b'-' | b'P' | 0x80..))
        && text_of(head).is_some_and(|text| is_private_key(&text))
        && !is_included(path, SkipReason::Secret, options)
}

/// The text, as [`read`] returns it, of bytes that it accepted before.
pub fn decode_accepted(path: &RelPath, bytes: Vec<u8>) -> Option<String> {
    let mut text = text_of_accepted(bytes)?;
    mask_secrets(path, &mut text);
    Some(text)
}

fn text_of_accepted(bytes: Vec<u8>) -> Option<String> {
    // Plain UTF-8 is converted without a copy.
    let has_mark =
        bytes.starts_with(b"\xef\xbb\xbf") || matches!(*bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
    if has_mark {
        text_of(&bytes)
    } else {
        String::from_utf8(bytes).map_or_else(|error| text_of(error.as_bytes()), Some)
    }
}

/// The text of a file's bytes, or why it is not indexed.
pub fn decode(
    path: &RelPath,
    bytes: &[u8],
    options: &WalkOptions,
) -> Result<String, (SkipReason, &'static str)> {
    let text = text_of(bytes).ok_or((SkipReason::Binary, "by its content"))?;
    match content_reason(path, &text, options) {
        Some((reason, _)) if is_included(path, reason, options) => Ok(text),
        Some(reason) => Err(reason),
        None => Ok(text),
    }
}

/// Decodes text; `None` for binary content.
fn text_of(bytes: &[u8]) -> Option<String> {
    if bytes.starts_with(&[0xff, 0xfe, 0, 0]) {
        return None;
    }
    let text = match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            if is_binary(&bytes[..bytes.len().min(SNIFF_LENGTH)]) {
                return None;
            }
            // Checking first is several times faster than a lossy conversion that changes nothing.
            return Some(match std::str::from_utf8(bytes) {
                Ok(text) => text.to_owned(),
                Err(_) => String::from_utf8_lossy(bytes).into_owned(),
            });
        }
    };
    let mut end = text.len().min(SNIFF_LENGTH);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (!is_binary(&text.as_bytes()[..end])).then_some(text)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    let mut text = String::from_utf16_lossy(&units);
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text
}

/// A zero byte, or more than one control character in ten.
fn is_binary(head: &[u8]) -> bool {
    let is_control =
        |byte: &&u8| matches!(**byte, 0x01..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    memchr(0, head).is_some() || head.iter().filter(is_control).count() * 10 > head.len()
}

fn content_reason(
    path: &RelPath,
    text: &str,
    options: &WalkOptions,
) -> Option<(SkipReason, &'static str)> {
    if is_private_key(text) {
        Some((SkipReason::Secret, "a private key by its content"))
    } else if file_names::may_hold_secrets(path)
        && !groma_secrets::find(text, Context::Text).is_empty()
    {
        Some((SkipReason::Secret, "a password or key by its content"))
    } else if !options.generated && has_generated_header(text) {
        Some((SkipReason::Generated, "by its header"))
    } else if !options.minified && is_minified(path, text) {
        Some((SkipReason::Minified, "by its long lines"))
    } else {
        None
    }
}

/// Whether `include` overrides the reason. The globs are compiled each time because this is rare.
fn is_included(path: &RelPath, reason: SkipReason, options: &WalkOptions) -> bool {
    if options.include.is_empty() {
        return false;
    }
    Globs::new(options).is_ok_and(|globs| match reason {
        SkipReason::Secret => globs.names(path.as_str()),
        _ => globs.included(path.as_str(), false),
    })
}

fn is_private_key(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or("");
    first.starts_with("-----BEGIN ") && first.contains("PRIVATE KEY")
        || first.starts_with("PuTTY-User-Key-File-")
}

/// A generator's header in a comment near the top. Only comments count: a generator's own source contains the same
/// words in a string.
fn has_generated_header(text: &str) -> bool {
    let head = &text.as_bytes()[..text.len().min(HEADER_LENGTH)];
    head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| is_comment(line)).any(
        |line| {
            let contains = |words: &str| memmem::find(line, words.as_bytes()).is_some();
            contains("Code generated") && contains("DO NOT EDIT")
                || contains("<auto-generated")
                || says_generated(line)
                || contains_word(line, b"@generated")
        },
    )
}

/// A comment that begins like the header of a generator, as in `/* automatically generated by rust-bindgen`.
fn says_generated(comment: &[u8]) -> bool {
    let words =
        comment.iter().position(u8::is_ascii_alphabetic).map_or(&[][..], |at| &comment[at..]);
    let starts_with = |beginning: &str| {
        words.get(..beginning.len()).is_some_and(|w| w.eq_ignore_ascii_case(beginning.as_bytes()))
    };
    [
        "automatically generated by ",
        "this file is automatically generated",
        "this file was automatically generated",
    ]
    .into_iter()
    .any(starts_with)
}

fn is_comment(line: &[u8]) -> bool {
    ["//", "/*", "*", "#", "--", ";", "<!--", "%", "(*", "{-", "\"\"\"", "'", "@generated"]
        .iter()
        .any(|mark| line.starts_with(mark.as_bytes()))
}

fn contains_word(line: &[u8], word: &[u8]) -> bool {
    memmem::find_iter(line, word).any(|start| {
        let before = start.checked_sub(1).map(|at| line[at]);
        let after = line.get(start + word.len());
        before.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'*' | b'/' | b'#'))
            && after.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'*' | b'.'))
    })
}

/// Web files of very long lines, and code that is mostly one line. One long line in ordinary code is embedded data,
/// and no reason to skip the file.
fn is_minified(path: &RelPath, text: &str) -> bool {
    const MIN_LENGTH: usize = 4096;
    const MAX_AVERAGE_LINE: usize = 500;
    const MAX_LINE: usize = 20_000;
    let extension = file_names::extension(path.file_name()).unwrap_or("").to_ascii_lowercase();
    if text.len() <= MIN_LENGTH || is_prose(&extension) {
        return false;
    }
    let (lines, longest) = line_lengths(text);
    (is_web(&extension) && text.len() / lines > MAX_AVERAGE_LINE)
        || (longest > MAX_LINE && longest * 2 > text.len())
}

/// How many lines there are, at least one, and how long the longest is.
fn line_lengths(text: &str) -> (usize, usize) {
    let (mut lines, mut longest, mut start) = (1, 0, 0);
    for end in memchr_iter(b'\n', text.as_bytes()) {
        longest = longest.max(end - start);
        start = end + 1;
        lines += usize::from(start < text.len());
    }
    (lines, longest.max(text.len() - start))
}

fn is_web(extension: &str) -> bool {
    matches!(
        extension,
        "js" | "mjs"
            | "cjs"
            | "jsx"
            | "ts"
            | "tsx"
            | "css"
            | "json"
            | "html"
            | "htm"
            | "svg"
            | "xml"
    )
}

/// Files in which a line is a paragraph or a record.
fn is_prose(extension: &str) -> bool {
    matches!(
        extension,
        "" | "md"
            | "markdown"
            | "mdx"
            | "txt"
            | "rst"
            | "adoc"
            | "org"
            | "tex"
            | "csv"
            | "tsv"
            | "log"
    )
}

#[cfg(test)]
mod tests;
