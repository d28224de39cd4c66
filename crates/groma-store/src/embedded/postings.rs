//! Postings: in which chunks a term stands, and how often in each field.
//!
//! A list is a count followed by entries. An entry is the distance to the previous chunk, then one byte that
//! holds the body count (up to 14) and which other fields follow. Most entries take two bytes.

use super::codec::write_number;
use groma_core::Field;

/// The body count that says the real one follows.
const ESCAPE: u8 = 15;

/// One decoded entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Posting {
    pub chunk: u32,
    pub counts: [u8; Field::COUNT],
}

/// Appends a list.
pub(crate) fn encode(out: &mut Vec<u8>, postings: impl ExactSizeIterator<Item = Posting>) {
    write_number(out, postings.len() as u64);
    let mut last = 0;
    for posting in postings {
        write_number(out, u64::from(posting.chunk - last));
        last = posting.chunk;
        let [name, path, doc, body] = posting.counts;
        let flags = u8::from(name > 0) | u8::from(path > 0) << 1 | u8::from(doc > 0) << 2;
        out.push(flags << 4 | body.min(ESCAPE));
        if body >= ESCAPE {
            out.push(body);
        }
        out.extend([name, path, doc].into_iter().filter(|count| *count > 0));
    }
}

/// Reads a list; one that is cut off ends early, which the part's checksum tells apart from a short one.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    left: u64,
    chunk: u32,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut reader = Self { bytes, at: 0, left: 0, chunk: 0 };
        reader.left = reader.number().unwrap_or(0);
        reader
    }

    /// How many entries are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

impl Iterator for Reader<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        self.left = self.left.checked_sub(1)?;
        self.chunk = self.chunk.wrapping_add(self.number()? as u32);
        let head = self.byte()?;
        let body = match head & 15 {
            ESCAPE => self.byte()?,
            body => body,
        };
        let mut counts = [0, 0, 0, body];
        for (field, count) in counts[..3].iter_mut().enumerate() {
            if head & (16 << field) != 0 {
                *count = self.byte()?;
            }
        }
        Some(Posting { chunk: self.chunk, counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let postings = [
            Posting { chunk: 0, counts: [0, 0, 0, 1] },
            Posting { chunk: 7, counts: [1, 2, 3, 15] },
            Posting { chunk: 300, counts: [255, 0, 0, 255] },
        ];
        let mut bytes = Vec::new();
        encode(&mut bytes, postings.iter().copied());
        assert_eq!(Reader::new(&bytes).collect::<Vec<_>>(), postings);
        assert_eq!(Reader::new(&bytes[..4]).count(), 1, "a cut list ends early");
    }
}
