//! The model file, read without parsing; see `model/FORMAT.md`.
//!
//! A format of its own, because general formats need parsing at start-up.

/// The model file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    bytes: &'static [u8],
    pub dimensions: usize,
    pub vocabulary: usize,
    pub version: u32,
    slots: usize,
    slot_mask: usize,
    ends: usize,
    strings: usize,
    scales: usize,
    rows: usize,
}

const EMPTY: u32 = u32::MAX;

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn offset_at(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes")) as usize
}

impl Table {
    /// Reads the header. The file is part of the binary, so an invalid one is a build error.
    pub fn new(bytes: &'static [u8]) -> Self {
        assert_eq!(&bytes[..8], b"GROMAEMB", "the model file has another format");
        assert_eq!(u32_at(bytes, 8), 1, "the model file has another format version");
        let slot_count = u32_at(bytes, 20) as usize;
        assert!(slot_count.is_power_of_two(), "the model file's slots are no power of two");
        Self {
            bytes,
            dimensions: u32_at(bytes, 12) as usize,
            vocabulary: u32_at(bytes, 16) as usize,
            version: u32_at(bytes, 24),
            slots: offset_at(bytes, 32),
            slot_mask: slot_count - 1,
            ends: offset_at(bytes, 40),
            strings: offset_at(bytes, 48),
            scales: offset_at(bytes, 56),
            rows: offset_at(bytes, 64),
        }
    }

    pub fn entry(&self, index: u32) -> &'static [u8] {
        let end = |index: usize| u32_at(self.bytes, self.ends + 4 * index) as usize;
        &self.bytes[self.strings + end(index as usize)..self.strings + end(index as usize + 1)]
    }

    /// The index of an entry.
    pub fn find(&self, word: &[u8]) -> Option<u32> {
        let mut hash = 0xCBF2_9CE4_8422_2325u64;
        for byte in word {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
        }
        let mut slot = (hash ^ (hash >> 32)) as usize & self.slot_mask;
        loop {
            match u32_at(self.bytes, self.slots + 4 * slot) {
                EMPTY => return None,
                index if self.entry(index) == word => return Some(index),
                _ => slot = (slot + 1) & self.slot_mask,
            }
        }
    }

    /// The vector of an entry and its scale.
    pub fn row(&self, index: u32) -> (&'static [u8], f32) {
        let start = self.rows + index as usize * self.dimensions;
        let scale = f32::from_bits(u32_at(self.bytes, self.scales + 4 * index as usize));
        (&self.bytes[start..start + self.dimensions], scale)
    }
}
