//! The three-byte sequences of a text, by which a regex search narrows the files it reads.

/// The trigrams of a short text on one line, ASCII lowercased, in order of position.
pub fn trigrams(text: &str) -> Vec<u32> {
    let lower = text.to_ascii_lowercase();
    let number = |three: &[u8]| three.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
    lower.as_bytes().windows(3).map(number).collect()
}

/// A set over all trigrams, reused from file to file: clearing what was set is cheaper than a new one.
pub struct TrigramSet {
    bits: Box<[u64]>,
}

impl Default for TrigramSet {
    fn default() -> Self {
        Self::new()
    }
}

impl TrigramSet {
    /// An empty set.
    pub fn new() -> Self {
        Self { bits: vec![0; (1 << 24) / 64].into() }
    }

    /// The different trigrams of `text`, ASCII lowercased, in no particular order. None spans a line end.
    pub fn of(&mut self, text: &[u8]) -> Vec<u32> {
        let mut found = Vec::with_capacity(text.len().min(8192));
        let mut trigram = 0u32;
        let mut length = 0;
        for byte in text.iter().copied() {
            if byte == b'\n' {
                length = 0;
                continue;
            }
            trigram = (trigram << 8 | u32::from(byte.to_ascii_lowercase())) & 0x00ff_ffff;
            length += 1;
            if length < 3 {
                continue;
            }
            let (slot, bit) = ((trigram >> 6) as usize, 1u64 << (trigram & 63));
            if self.bits[slot] & bit == 0 {
                self.bits[slot] |= bit;
                found.push(trigram);
            }
        }
        for trigram in &found {
            self.bits[(trigram >> 6) as usize] = 0;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowercased_unique_and_within_lines() {
        let mut set = TrigramSet::new();
        let of = |set: &mut TrigramSet, text: &str| {
            let mut found = set.of(text.as_bytes());
            found.sort_unstable();
            found
        };
        let abc = u32::from_be_bytes([0, b'a', b'b', b'c']);
        assert_eq!(of(&mut set, "ABCabc")[0], abc);
        assert_eq!(of(&mut set, "ab\ncd"), [0u32; 0]);
        assert_eq!(of(&mut set, "abc"), [abc], "the set is empty again");
        assert_eq!(of(&mut set, "Größe"), {
            let mut same = trigrams("Größe");
            same.sort_unstable();
            same
        });
        assert_eq!(trigrams("ab"), [0u32; 0]);
    }
}
