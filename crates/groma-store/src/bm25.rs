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

    /// The inverse document frequency of a term that occurs in `frequency` of the collection.
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

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: usize = Field::Name as usize;
    const BODY: usize = Field::Body as usize;

    /// Lengths or counts of the name and the body; the other fields are empty.
    fn fields(name: u32, body: u32) -> [u32; Field::COUNT] {
        let mut fields = [0; Field::COUNT];
        (fields[NAME], fields[BODY]) = (name, body);
        fields
    }

    /// A collection of three chunks: average lengths are 2 (name) and 20 (body).
    fn scorer() -> Scorer {
        let mut collection = Collection::default();
        for lengths in [fields(1, 10), fields(2, 20), fields(3, 30)] {
            collection.add(lengths);
        }
        let (mut weights, mut length) = ([0.0; Field::COUNT], [0.0; Field::COUNT]);
        (weights[NAME], weights[BODY]) = (3.0, 1.0);
        (length[NAME], length[BODY]) = (0.5, 0.75);
        Scorer::new(&FieldWeights { weights, length, saturation: 1.2 }, &collection)
    }

    fn near(found: f32, expected: f32) {
        assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
    }

    #[test]
    fn scores_are_those_computed_by_hand() {
        let scorer = scorer();
        // ln(1 + (3 - 1 + 0.5) / (1 + 0.5)) = ln(8/3), and ln(1 + 0.5 / 3.5) = ln(8/7).
        near(scorer.rarity(1), 0.980829);
        near(scorer.rarity(3), 0.133531);
        // Average length: nothing is discounted. 3 * 1 + 1 * 2 = 5, and 5 / (1.2 + 5).
        near(scorer.strength(fields(1, 2), fields(2, 20)), 0.806452);
        // A body of half the average: 2 / (0.25 + 0.75 * 10 / 20) = 3.2, and 3.2 / 4.4.
        near(scorer.strength(fields(0, 2), fields(1, 10)), 0.727273);
        // A name of 1.5 times the average: 3 * 1 / (0.5 + 0.5 * 3 / 2) = 2.4, and 2.4 / 3.6.
        near(scorer.strength(fields(1, 0), fields(3, 30)), 0.666667);
        near(scorer.strength(fields(0, 0), fields(3, 30)), 0.0);
        // A field that is empty everywhere has no average, and its lengths do not count.
        let mut counts = [0; Field::COUNT];
        counts[Field::Doc as usize] = 4;
        near(scorer.strength(counts, [7; Field::COUNT]), 0.0);
    }
}
