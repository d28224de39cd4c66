//! BM25F: how much a term's counts in the fields of a chunk (or file) say about it.
//!
//! Both stores score with these functions, in the same order of operations, so that they agree to the bit.

use groma_core::{Field, FieldWeights};

/// What is known of a collection of chunks or files.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Collection {
    /// How many there are.
    pub count: u64,
    /// The sum of their lengths, by field.
    pub lengths: [u64; Field::COUNT],
}

impl Collection {
    /// Counts one more.
    pub fn add(&mut self, lengths: [u32; Field::COUNT]) {
        self.count += 1;
        for (sum, length) in self.lengths.iter_mut().zip(lengths) {
            *sum += u64::from(length);
        }
    }
}

/// A collection's weights, with what does not depend on the chunk worked out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scorer {
    weights: [f32; Field::COUNT],
    /// What a length is multiplied by, and what is added to it, to give the divisor of a count.
    slope: [f32; Field::COUNT],
    base: [f32; Field::COUNT],
    saturation: f32,
    count: f32,
}

impl Scorer {
    pub fn new(fields: &FieldWeights, collection: &Collection) -> Self {
        let mut slope = [0.0; Field::COUNT];
        let mut base = [1.0; Field::COUNT];
        for field in 0..Field::COUNT {
            let average = collection.lengths[field] as f32 / collection.count.max(1) as f32;
            if average > 0.0 {
                base[field] = 1.0 - fields.length[field];
                slope[field] = fields.length[field] / average;
            }
        }
        Self {
            weights: fields.weights,
            slope,
            base,
            saturation: fields.saturation,
            count: collection.count as f32,
        }
    }

    /// How much a term counts that stands in `frequency` of the collection.
    pub fn rarity(&self, frequency: u64) -> f32 {
        let frequency = frequency as f32;
        (1.0 + (self.count - frequency + 0.5) / (frequency + 0.5)).ln()
    }

    /// The weighted count of a term in all fields, saturated: 0..1.
    pub fn strength(&self, counts: [u32; Field::COUNT], lengths: [u32; Field::COUNT]) -> f32 {
        let mut sum = 0.0;
        for field in 0..Field::COUNT {
            if counts[field] > 0 {
                let divisor = self.base[field] + self.slope[field] * lengths[field] as f32;
                sum += self.weights[field] * counts[field] as f32 / divisor;
            }
        }
        // Without saturation, nothing would be divided by nothing.
        if sum > 0.0 { sum / (self.saturation + sum) } else { 0.0 }
    }
}
