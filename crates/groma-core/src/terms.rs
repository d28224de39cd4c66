//! The terms of one file, counted by chunk and field.

use rustc_hash::FxHashMap;

/// The field of a chunk that a term occurs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Field {
    /// Names that the chunk defines.
    Name = 0,
    /// The file's path (the overview chunk only, which represents the file).
    Path = 1,
    /// Comments and prose.
    Doc = 2,
    /// Code.
    Body = 3,
}

impl Field {
    /// How many fields there are.
    pub const COUNT: usize = 4;
}

/// How often one term occurs in each field of one chunk; counts stop at 255, where they no longer matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TermPosting {
    /// The term, by its number in the bag.
    pub term: u32,
    /// The chunk, by its index in the file.
    pub chunk: u32,
    /// The counts, by [`Field`].
    pub counts: [u8; Field::COUNT],
}

/// The terms of one file.
#[derive(Clone, Debug, Default)]
pub struct TermBag {
    text: String,
    ends: Vec<u32>,
    numbers: FxHashMap<Box<str>, u32>,
    last: Vec<u32>,
    postings: Vec<TermPosting>,
    lengths: Vec<[u32; Field::COUNT]>,
}

impl TermBag {
    /// Counts one occurrence. Chunks must come in ascending order.
    pub fn add(&mut self, term: &str, chunk: u32, field: Field) {
        let number = self.intern(term);
        self.count(number, chunk, field);
    }

    /// The number of a term, for repeated use with [`count`](Self::count).
    pub fn intern(&mut self, term: &str) -> u32 {
        if let Some(number) = self.numbers.get(term) {
            return *number;
        }
        let number = self.ends.len() as u32;
        self.text.push_str(term);
        self.ends.push(self.text.len() as u32);
        self.last.push(u32::MAX);
        self.numbers.insert(term.into(), number);
        number
    }

    /// Counts one occurrence of an interned term.
    pub fn count(&mut self, term: u32, chunk: u32, field: Field) {
        let last = self.last[term as usize];
        let posting = match self.postings.get_mut(last as usize) {
            Some(posting) if posting.chunk == chunk => posting,
            _ => {
                self.last[term as usize] = self.postings.len() as u32;
                self.postings.push(TermPosting { term, chunk, counts: [0; Field::COUNT] });
                self.postings.last_mut().expect("just pushed")
            }
        };
        let count = &mut posting.counts[field as usize];
        *count = count.saturating_add(1);
        if self.lengths.len() <= chunk as usize {
            self.lengths.resize(chunk as usize + 1, [0; Field::COUNT]);
        }
        self.lengths[chunk as usize][field as usize] += 1;
    }

    /// The text of a term.
    pub fn term(&self, term: u32) -> &str {
        let start = if term == 0 { 0 } else { self.ends[term as usize - 1] };
        &self.text[start as usize..self.ends[term as usize] as usize]
    }

    /// How many different terms there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The counts; those of one term are in ascending order of chunk.
    pub fn postings(&self) -> &[TermPosting] {
        &self.postings
    }

    /// How many terms each field of a chunk holds.
    pub fn lengths(&self, chunk: u32) -> [u32; Field::COUNT] {
        self.lengths.get(chunk as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_by_chunk_and_field() {
        let mut bag = TermBag::default();
        bag.add("pool", 0, Field::Body);
        bag.add("pool", 0, Field::Body);
        bag.add("pool", 0, Field::Name);
        bag.add("pool", 2, Field::Doc);
        let counts: Vec<_> = bag.postings().iter().map(|p| (p.chunk, p.counts)).collect();
        assert_eq!(counts, [(0, [1, 0, 0, 2]), (2, [0, 0, 1, 0])]);
        assert_eq!(bag.lengths(0), [1, 0, 0, 2]);
        assert_eq!(bag.lengths(1), [0; 4]);
        assert_eq!(bag.term(0), "pool");
    }
}
