//! Postings: in which chunks a term occurs, and how often in each field.
//!
//! A list is its number of bytes followed by entries. An entry is the distance to the previous chunk, then one
//! byte that holds the body count (up to 14) and which other fields follow. Most entries take two bytes.

use super::codec::{Decoder, write_number};
use groma_core::{Field, folded};

/// The body count that says the real one follows.
const ESCAPE: u8 = 15;

/// One decoded entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Posting {
    pub chunk: u32,
    pub counts: [u8; Field::COUNT],
}

/// The prefix of a name that is a term. No word of a text begins with this character.
pub(crate) const NAME_MARK: &str = "\u{1}";

/// The term under which the chunks that define a name are found, whatever its words are.
pub(crate) fn name_term(name: &str) -> String {
    format!("{NAME_MARK}{}", folded(name))
}

/// Appends a list, using `scratch` to learn its length.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    scratch: &mut Vec<u8>,
    postings: impl Iterator<Item = Posting>,
) {
    scratch.clear();
    write_entries(scratch, postings);
    write_number(out, scratch.len() as u64);
    out.extend_from_slice(scratch);
}

fn write_entries(out: &mut Vec<u8>, postings: impl Iterator<Item = Posting>) {
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

/// Reads the entries of a list.
pub(crate) struct Reader<'a> {
    from: Decoder<'a>,
    chunk: u32,
    /// How many chunks the segment has. A list ends where it names another.
    chunk_count: u32,
}

impl<'a> Reader<'a> {
    pub fn new(entries: &'a [u8], chunk_count: u32) -> Self {
        Self { from: Decoder::new(entries), chunk: 0, chunk_count }
    }

    /// No fewer entries than are left.
    pub fn at_most(&self) -> usize {
        self.from.left() / 2
    }

    fn entry(&mut self) -> Option<Posting> {
        let distance = self.from.small().ok()?;
        let head = self.from.raw_byte().ok()?;
        let body = match head & 15 {
            ESCAPE => self.from.raw_byte().ok()?,
            body => body,
        };
        let mut counts = [0, 0, 0, body];
        for (field, count) in counts[..3].iter_mut().enumerate() {
            if head & (16 << field) != 0 {
                *count = self.from.raw_byte().ok()?;
            }
        }
        self.chunk = self.chunk.saturating_add(distance);
        (self.chunk < self.chunk_count).then_some(Posting { chunk: self.chunk, counts })
    }
}

impl Iterator for Reader<'_> {
    type Item = Posting;

    fn next(&mut self) -> Option<Posting> {
        if self.from.left() == 0 { None } else { self.entry() }
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
        write_entries(&mut bytes, postings.iter().copied());
        assert_eq!(Reader::new(&bytes, 301).collect::<Vec<_>>(), postings);
        assert!(Reader::new(&bytes, 301).at_most() >= postings.len());
        assert_eq!(Reader::new(&bytes[..3], 301).count(), 1, "a cut list ends early");
        assert_eq!(Reader::new(&bytes, 300).count(), 2, "no chunk is outside of its segment");
    }
}
