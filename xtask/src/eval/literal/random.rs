//! Random numbers with a fixed seed, so that a repository always gives the same questions.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: &str) -> Self {
        // FNV-1a: the same on every platform and in every version.
        let hash = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(seed.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// At most `count` of the items, in random order.
    pub fn sample<T: Clone>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut items = items.to_vec();
        let count = count.min(items.len());
        for index in 0..count {
            let other = index + self.below(items.len() - index);
            items.swap(index, other);
        }
        items.truncate(count);
        items
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers() {
        let sample = |seed: &str| Random::new(seed).sample(&(0..100).collect::<Vec<i32>>(), 5);
        assert_eq!(sample("flask"), sample("flask"));
        assert_ne!(sample("flask"), sample("redis"));
        assert_eq!(sample("flask").len(), 5);
    }
}
