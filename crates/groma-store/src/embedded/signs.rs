//! The signs of vectors, one bit a component, and what a query computes from them: how many agree with its own (Hamming
//! pass), and its product with them in four bits a component (coarse scores). The code for each processor gives the
//! same integers.

use super::fetch::{AHEAD, fetch};

/// The signs of a vector's components, one bit each, padded to whole bytes.
pub(super) fn signs(values: &[i8]) -> Vec<u8> {
    let byte = |eight: &[i8]| {
        eight.iter().enumerate().fold(0, |bits, (bit, value)| bits | u8::from(*value > 0) << bit)
    };
    values.chunks(8).map(byte).collect()
}

/// Bits of a quantised component of the query.
const BITS: usize = 4;

/// The largest level of a component.
const TOP: i32 = (1 << BITS) - 1;

/// A component this many times the usual size, or more, has the largest level: few are, and finer steps between
/// the others are worth more.
const CLIP: f32 = 2.5;

/// A query as bit planes: its components quantised to sixteen levels, one plane for each bit.
pub(super) struct Planes {
    /// The bits of the levels of 64 components at a time, each plane laid out as the signs of a chunk are.
    words: Vec<[u64; BITS]>,
    /// The signs alone.
    signs: Vec<u8>,
    pub dimensions: usize,
}

impl Planes {
    pub fn new(values: &[i8]) -> Self {
        let squares: f32 = values.iter().map(|value| f32::from(*value) * f32::from(*value)).sum();
        let usual = (squares / values.len() as f32).sqrt().max(f32::MIN_POSITIVE);
        let level = |value: &i8| {
            let share = f32::from(*value) / (CLIP * usual);
            ((share + 1.0) / 2.0 * TOP as f32).round().clamp(0.0, TOP as f32) as u64
        };
        let words = values.chunks(64).map(|components| {
            let mut planes = [0; BITS];
            for (component, level) in components.iter().map(level).enumerate() {
                for (bit, plane) in planes.iter_mut().enumerate() {
                    *plane |= (level >> bit & 1) << component;
                }
            }
            planes
        });
        Self { words: words.collect(), signs: signs(values), dimensions: values.len() }
    }

    /// The largest coarse score. Scores are above zero: a component counts from the lowest level.
    pub fn max_score(&self) -> usize {
        2 * TOP as usize * self.dimensions
    }

    /// Appends how many components of each of the chunks have the sign of the query's.
    pub fn equal_signs(
        &self,
        rows: &[u8],
        docs: impl ExactSizeIterator<Item = u32>,
        out: &mut Vec<u32>,
    ) {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: the required CPU feature was just detected.
            return unsafe { equal_signs_popcnt(self, rows, docs, out) };
        }
        equal_signs_portable(self, rows, docs, out)
    }

    /// Appends the product of the query with the signs of each of the chunks, in half steps and above zero.
    pub fn coarse_scores(&self, rows: &[u8], docs: &[u32], out: &mut Vec<u32>) {
        #[cfg(target_arch = "x86_64")]
        if self.dimensions == WIDE && std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the required CPU feature was just detected.
            return unsafe { coarse_scores_wide(self, rows, docs, out) };
        }
        coarse_scores_portable(self, rows, docs, out)
    }
}

/// The dimensions of the built-in model: the signs of a chunk fill one register.
const WIDE: usize = 256;

/// Compiled with the `popcnt` instruction; the loop is the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn equal_signs_popcnt(
    query: &Planes,
    rows: &[u8],
    docs: impl ExactSizeIterator<Item = u32>,
    out: &mut Vec<u32>,
) {
    equal_signs_portable(query, rows, docs, out)
}

#[inline(always)]
fn equal_signs_portable(
    query: &Planes,
    rows: &[u8],
    docs: impl ExactSizeIterator<Item = u32>,
    out: &mut Vec<u32>,
) {
    let width = query.signs.len();
    let own: Vec<u64> = query.signs.chunks(8).map(word).collect();
    let agree = |row: &[u8]| {
        let differing = |(own, eight): (&u64, &[u8])| (own ^ word(eight)).count_ones();
        query.dimensions as u32 - own.iter().zip(row.chunks(8)).map(differing).sum::<u32>()
    };
    let first = out.len();
    out.resize(first + docs.len(), 0);
    let out = out[first..].iter_mut().zip(docs);
    // The rows of the built-in model have a length that the compiler can unroll. A loop, because closures of iterators
    // do not inherit `target_feature`.
    match <[u64; WIDE / 64]>::try_from(own.as_slice()) {
        Ok(own) => {
            let (rows, _) = rows.as_chunks::<{ WIDE / 8 }>();
            for (score, doc) in out {
                let (eights, _) = rows[doc as usize].as_chunks::<8>();
                let mut differing = 0;
                for (own, eight) in own.iter().zip(eights) {
                    differing += (own ^ u64::from_le_bytes(*eight)).count_ones();
                }
                *score = WIDE as u32 - differing;
            }
        }
        Err(_) => {
            for (score, doc) in out {
                *score = agree(&rows[doc as usize * width..][..width]);
            }
        }
    }
}

/// Counts bits by table lookup (`pshufb`) of both halves of each byte; the sum of a byte fits a byte.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn coarse_scores_wide(query: &Planes, rows: &[u8], docs: &[u32], out: &mut Vec<u32>) {
    use std::arch::x86_64::*;
    let counts = |unit: i8| {
        let of = |half: i8| half.count_ones() as i8 * unit;
        let half = _mm_setr_epi8(
            of(0),
            of(1),
            of(2),
            of(3),
            of(4),
            of(5),
            of(6),
            of(7),
            of(8),
            of(9),
            of(10),
            of(11),
            of(12),
            of(13),
            of(14),
            of(15),
        );
        _mm256_broadcastsi128_si256(half)
    };
    let count = |bytes: __m256i, counts: __m256i| {
        let low = _mm256_set1_epi8(15);
        let halves = (_mm256_and_si256(bytes, low), _mm256_srli_epi16(bytes, 4));
        _mm256_add_epi8(
            _mm256_shuffle_epi8(counts, halves.0),
            _mm256_shuffle_epi8(counts, _mm256_and_si256(halves.1, low)),
        )
    };
    let (each, top) = (counts(2), counts(TOP as i8));
    let planes: [__m256i; BITS] = std::array::from_fn(|bit| {
        let word = |index: usize| query.words[index][bit] as i64;
        _mm256_setr_epi64x(word(0), word(1), word(2), word(3))
    });
    out.reserve(docs.len());
    for (index, doc) in docs.iter().copied().enumerate() {
        if let Some(ahead) = docs.get(index + AHEAD) {
            fetch(&rows[*ahead as usize * (WIDE / 8)..][..WIDE / 8]);
        }
        let row: &[u8; WIDE / 8] = rows[doc as usize * (WIDE / 8)..].first_chunk().expect("a row");
        // SAFETY: the row is as long as what is loaded, which need not be aligned.
        let signs = unsafe { _mm256_loadu_si256(row.as_ptr().cast()) };
        let mut sum = _mm256_setzero_si256();
        for plane in planes.iter().rev() {
            let of_plane = count(_mm256_and_si256(signs, *plane), each);
            sum = _mm256_add_epi8(_mm256_add_epi8(sum, sum), of_plane);
        }
        let zeros = _mm256_sub_epi8(_mm256_set1_epi8(8 * TOP as i8), count(signs, top));
        let bytes = _mm256_sad_epu8(_mm256_add_epi8(sum, zeros), _mm256_setzero_si256());
        let halves =
            _mm_add_epi64(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
        out.push((_mm_cvtsi128_si64(halves) + _mm_extract_epi64(halves, 1)) as u32);
    }
}

/// The same on any processor and for any width.
fn coarse_scores_portable(query: &Planes, rows: &[u8], docs: &[u32], out: &mut Vec<u32>) {
    let width = query.dimensions.div_ceil(8);
    out.reserve(docs.len());
    for doc in docs.iter().copied() {
        let row = &rows[doc as usize * width..][..width];
        let (mut ones, mut sum) = (0, 0);
        for (planes, signs) in query.words.iter().zip(row.chunks(8)) {
            let signs = word(signs);
            ones += signs.count_ones();
            let set = |(bit, plane): (usize, &u64)| (signs & plane).count_ones() << bit;
            sum += planes.iter().enumerate().map(set).sum::<u32>();
        }
        out.push(2 * sum + TOP as u32 * (query.dimensions as u32 - ones));
    }
}

/// Up to eight bytes as a word.
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores_of(score: impl Fn(&mut Vec<u32>)) -> Vec<u32> {
        let mut out = Vec::new();
        score(&mut out);
        out
    }

    /// The coarse score of a chunk, computed from the levels.
    fn coarse_score(query: &[i8], chunk: &[i8]) -> u32 {
        let planes = Planes::new(query);
        let level = |index: usize| {
            let bit = |bit: usize| (planes.words[index / 64][bit] >> (index % 64) & 1) << bit;
            (0..BITS).map(bit).sum::<u64>() as i32
        };
        let ones = chunk.iter().enumerate().filter(|(_, value)| **value > 0);
        let product: i32 = ones.map(|(index, _)| 2 * level(index) - TOP).sum();
        (product + TOP * query.len() as i32) as u32
    }

    #[test]
    fn coarse_scores_are_alike_on_every_path() {
        for length in [3, 8, 11, 64, 75, 256, 1024, 3072] {
            let row = |step: i32| -> Vec<i8> {
                (0..length).map(|n| (n * step % 255 - 127) as i8).collect()
            };
            let query = row(37);
            let rows = [row(91), row(53), query.clone()];
            let all: Vec<u8> = rows.iter().flat_map(|row| signs(row)).collect();
            let planes = Planes::new(&query);
            let expected: Vec<u32> =
                [2, 0, 1].iter().map(|n| coarse_score(&query, &rows[*n])).collect();
            let docs = [2, 0, 1];
            assert_eq!(scores_of(|out| planes.coarse_scores(&all, &docs, out)), expected);
            assert_eq!(
                scores_of(|out| coarse_scores_portable(&planes, &all, &docs, out)),
                expected
            );
            let in_order = [expected[1], expected[2], expected[0]];
            assert_eq!(scores_of(|out| planes.coarse_scores(&all, &[0, 1, 2], out)), in_order);
            assert!(expected.iter().all(|score| *score as usize <= planes.max_score()));
            assert!(expected[0] >= expected[1].max(expected[2]), "nothing is nearer than itself");
        }
    }

    #[test]
    fn agreements_are_counted_alike_on_every_path() {
        for length in [3, 8, 11, 64, 75, 256, 1024] {
            let row = |step: i32| -> Vec<i8> {
                (0..length).map(|n| (n * step % 255 - 127) as i8).collect()
            };
            let query = row(37);
            let rows = [row(91), query.clone(), row(53)];
            let all: Vec<u8> = rows.iter().flat_map(|row| signs(row)).collect();
            let agree = |row: &Vec<i8>| {
                row.iter().zip(&query).filter(|(a, b)| (**a > 0) == (**b > 0)).count() as u32
            };
            let expected: Vec<u32> = rows.iter().map(agree).collect();
            assert_eq!(expected[1], length as u32);
            let planes = Planes::new(&query);
            assert_eq!(scores_of(|out| planes.equal_signs(&all, 0..3, out)), expected);
            assert_eq!(
                scores_of(|out| planes.equal_signs(&all, [0, 2].into_iter(), out)),
                [expected[0], expected[2]]
            );
            assert_eq!(scores_of(|out| equal_signs_portable(&planes, &all, 0..3, out)), expected);
        }
    }
}
