//! Lines of an input, with a hash of everything read so far.

use groma_core::TranscriptMark;
use std::io::{self, BufRead, Read};

/// The longest line, in bytes; longer ones contain embedded images.
const MAX_LINE: usize = 16 << 20;

/// A line without its terminator.
pub enum Line<'a> {
    /// The complete line.
    Whole(&'a [u8]),
    /// Longer than `MAX_LINE`.
    TooLong,
}

/// An iterator over lines.
pub struct Lines<R> {
    input: R,
    line: Vec<u8>,
    /// The hash of all terminated lines.
    pub hasher: blake3::Hasher,
    /// Their bytes.
    pub bytes: u64,
    /// The number of terminated lines read here.
    pub ended: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines of an input whose beginning was read before.
    pub fn new(input: R, hasher: blake3::Hasher, bytes: u64) -> Self {
        Self { input, line: Vec::new(), hasher, bytes, ended: 0 }
    }

    /// The next line.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.line.clear();
        let mut hasher = self.hasher.clone();
        let mut length = 0;
        let mut is_ended = false;
        while !is_ended {
            let buffer = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            if buffer.is_empty() {
                break;
            }
            let end = buffer.iter().position(|byte| *byte == b'\n');
            let part = &buffer[..end.map_or(buffer.len(), |end| end + 1)];
            hasher.update(part);
            length += part.len();
            if length <= MAX_LINE {
                self.line.extend_from_slice(part);
            }
            is_ended = end.is_some();
            let taken = part.len();
            self.input.consume(taken);
        }
        if length == 0 {
            return Ok(None);
        }
        // An unterminated line may still be written to; it is read again next time.
        if is_ended {
            (self.hasher, self.bytes, self.ended) =
                (hasher, self.bytes + length as u64, self.ended + 1);
        }
        if length > MAX_LINE {
            return Ok(Some(Line::TooLong));
        }
        let line = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        Ok(Some(Line::Whole(line.strip_suffix(b"\r").unwrap_or(line))))
    }
}

/// Skips what was read before; `None` if the input does not begin with it.
pub fn skip(input: &mut impl Read, mark: &TranscriptMark) -> io::Result<Option<blake3::Hasher>> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(input.take(mark.bytes))?;
    let is_same = hasher.count() == mark.bytes && *hasher.finalize().to_hex() == *mark.digest;
    Ok(is_same.then_some(hasher))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_may_be_unterminated_or_too_long() {
        let long = "x".repeat(MAX_LINE + 1);
        let text = format!("a\r\n\n{long}\nü");
        let mut lines = Lines::new(text.as_bytes(), blake3::Hasher::new(), 0);
        let mut shown = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            shown.push(match line {
                Line::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
                Line::TooLong => "too long".into(),
            });
        }
        assert_eq!(shown, ["a", "", "too long", "ü"]);
        assert_eq!((lines.ended, lines.bytes), (3, text.len() as u64 - 2));
        let digest = lines.hasher.finalize().to_hex().to_string();
        let mark = TranscriptMark { bytes: lines.bytes, digest, ..TranscriptMark::default() };
        assert!(skip(&mut text.as_bytes(), &mark).unwrap().is_some());
        assert!(skip(&mut text.replace("a", "b").as_bytes(), &mark).unwrap().is_none());
        assert!(skip(&mut "a".as_bytes(), &mark).unwrap().is_none());
    }
}
