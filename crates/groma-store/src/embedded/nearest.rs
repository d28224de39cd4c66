//! Chunks by vector: a quick look at all of them, an exact one at the nearest.
//!
//! The first pass takes the product of the query, four bits a component, with the signs of each chunk: 32 bytes a
//! chunk instead of 256. It keeps far more chunks than are wanted; the second pass takes the exact product of
//! those. On a quarter of a million chunks this reads an eighth of the bytes. A small index is looked at exactly
//! from the start. Whole numbers are summed, so every processor and every history of commits gives the same answer.

use super::part::Part;
use super::sections::Section;
use super::snapshot::{Admitted, View, join};
use groma_core::{Scored, StoreError, Vector};

/// Up to this many chunks every vector is compared exactly.
const EXACT: usize = 8192;

/// How many chunks the first pass keeps for each that is wanted, and how many at least.
const KEPT: usize = 16;
const KEPT_AT_LEAST: usize = 4096;

/// Every admitted chunk that may be among the `limit` nearest, with its score.
pub(super) fn nearest(
    views: &[View],
    admitted: &[Admitted<'_>],
    vector: &Vector,
    limit: usize,
) -> Result<Vec<Scored>, StoreError> {
    let fits = |view: &View| view.part.dimensions as usize == vector.values.len();
    let mut looks = Vec::new();
    for (index, view) in views.iter().enumerate() {
        if fits(view) && !vector.values.is_empty() {
            let docs = (0..view.part.doc_count).filter(|doc| admitted[index].has(*doc)).collect();
            looks.push(Look { index, part: &view.part, docs });
        }
    }
    let wanted = (limit * KEPT).max(KEPT_AT_LEAST);
    if looks.iter().map(|look| look.docs.len()).sum::<usize>() > EXACT.max(wanted) {
        keep_likely(&mut looks, vector, wanted)?;
    }
    let mut hits = Vec::new();
    for look in &looks {
        look.score(vector, &mut hits)?;
    }
    Ok(hits)
}

/// The chunks of one part that are still looked at.
struct Look<'a> {
    index: usize,
    part: &'a Part,
    docs: Vec<u32>,
}

impl Look<'_> {
    fn score(&self, vector: &Vector, hits: &mut Vec<Scored>) -> Result<(), StoreError> {
        for doc in self.docs.iter().copied() {
            let (values, scale) = self.part.vector(doc)?;
            if scale != 0.0 {
                // In the order of operations of `Vector::similarity`.
                let score = vector.scale * scale * dot(&vector.values, values) as f32;
                hits.push(Scored { chunk: join(self.index, doc), score });
            }
        }
        Ok(())
    }
}

/// Keeps the chunks whose signs promise most, ties included: at least `wanted` of them.
fn keep_likely(looks: &mut [Look<'_>], vector: &Vector, wanted: usize) -> Result<(), StoreError> {
    let query = Planes::new(&vector.values);
    let mut counts = vec![0usize; query.most() + 1];
    let mut all = Vec::with_capacity(looks.len());
    for look in looks.iter() {
        look.part.check(Section::Signs)?;
        let of = promises(&query, look.part.signs(), &look.docs);
        of.iter().for_each(|promise| counts[*promise as usize] += 1);
        all.push(of);
    }
    let mut total = 0;
    let least = counts.iter().rposition(|count| {
        total += count;
        total >= wanted
    });
    let least = least.unwrap_or(0) as u32;
    for (look, of) in looks.iter_mut().zip(all) {
        let mut of = of.into_iter();
        look.docs.retain(|_| of.next().is_some_and(|promise| promise >= least));
    }
    Ok(())
}

/// The signs of a vector's components, one bit each, padded to whole bytes.
pub(super) fn signs(values: &[i8]) -> Vec<u8> {
    let byte = |eight: &[i8]| {
        eight
            .iter()
            .enumerate()
            .fold(0, |bits, (place, value)| bits | u8::from(*value > 0) << place)
    };
    values.chunks(8).map(byte).collect()
}

/// Bits of a component of the query in the first pass.
const BITS: usize = 4;

/// The largest level of a component.
const TOP: i32 = (1 << BITS) - 1;

/// A component this many times the usual size, or more, has the largest level: few are, and finer steps between
/// the others are worth more.
const CLIP: f32 = 2.5;

/// A query in the form that meets signs fastest: its components in sixteen levels, bit by bit.
struct Planes {
    /// The bits of the levels, each as the signs of a chunk are laid out.
    bits: [Vec<u8>; BITS],
    dimensions: usize,
}

impl Planes {
    fn new(values: &[i8]) -> Self {
        let squares: f32 = values.iter().map(|value| f32::from(*value) * f32::from(*value)).sum();
        let usual = (squares / values.len() as f32).sqrt().max(f32::MIN_POSITIVE);
        let level = |value: &i8| {
            let share = f32::from(*value) / (CLIP * usual);
            ((share + 1.0) / 2.0 * TOP as f32).round().clamp(0.0, TOP as f32) as u8
        };
        let levels: Vec<u8> = values.iter().map(level).collect();
        let plane = |bit: usize| {
            let ones: Vec<i8> = levels.iter().map(|level| (level >> bit & 1) as i8).collect();
            signs(&ones)
        };
        Self { bits: std::array::from_fn(plane), dimensions: values.len() }
    }

    /// What a chunk can promise at most. Above zero everywhere: a component counts from the lowest level.
    fn most(&self) -> usize {
        2 * TOP as usize * self.dimensions
    }
}

/// The product of the query with the signs of each of the chunks, in half steps and above zero.
fn promises(query: &Planes, rows: &[u8], docs: &[u32]) -> Vec<u32> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has just been found to have what the function needs.
        return unsafe { promises_counted(query, rows, docs) };
    }
    promises_portable(query, rows, docs)
}

/// Compiled for processors that count bits in one step.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn promises_counted(query: &Planes, rows: &[u8], docs: &[u32]) -> Vec<u32> {
    promises_portable(query, rows, docs)
}

/// Plain loops: what is called from here must be compiled for the same processor, and closures may not be.
#[inline(always)]
fn promises_portable(query: &Planes, rows: &[u8], docs: &[u32]) -> Vec<u32> {
    let width = query.bits[0].len();
    let words: Vec<[u64; BITS]> = (0..width / 8)
        .map(|place| std::array::from_fn(|bit| word(&query.bits[bit], place)))
        .collect();
    let mut promises = Vec::with_capacity(docs.len());
    for doc in docs {
        let row = &rows[*doc as usize * width..][..width];
        let (mut sum, mut ones) = (0, 0);
        for (place, planes) in words.iter().enumerate() {
            let signs = word(row, place);
            ones += signs.count_ones();
            for (bit, plane) in planes.iter().enumerate() {
                sum += (signs & plane).count_ones() << bit;
            }
        }
        for place in width / 8 * 8..width {
            ones += row[place].count_ones();
            for (bit, plane) in query.bits.iter().enumerate() {
                sum += (row[place] & plane[place]).count_ones() << bit;
            }
        }
        let promise = 2 * sum as i32 - TOP * ones as i32 + TOP * query.dimensions as i32;
        promises.push(promise as u32);
    }
    promises
}

#[inline(always)]
fn word(bytes: &[u8], place: usize) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    u64::from_le_bytes(words[place])
}

/// The dot product of two vectors of the same length.
fn dot(a: &[i8], b: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been found to have what the function needs.
        return unsafe { dot_wide(a, b) };
    }
    dot_portable(a, b)
}

/// Compiled for wider registers; the loop is the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_wide(a: &[i8], b: &[i8]) -> i32 {
    dot_portable(a, b)
}

/// Written in blocks, which the compiler turns into vector instructions.
#[inline(always)]
fn dot_portable(a: &[i8], b: &[i8]) -> i32 {
    const BLOCK: usize = 32;
    let mut sums = [0i32; BLOCK / 2];
    let (blocks_a, rest_a) = a.as_chunks::<BLOCK>();
    let (blocks_b, rest_b) = b.as_chunks::<BLOCK>();
    for (x, y) in blocks_a.iter().zip(blocks_b) {
        for lane in 0..BLOCK / 2 {
            let first = i32::from(x[2 * lane]) * i32::from(y[2 * lane]);
            let second = i32::from(x[2 * lane + 1]) * i32::from(y[2 * lane + 1]);
            sums[lane] += first + second;
        }
    }
    let rest: i32 = rest_a.iter().zip(rest_b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
    sums.iter().sum::<i32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a chunk promises, from the levels themselves.
    fn promise(query: &[i8], chunk: &[i8]) -> u32 {
        let planes = Planes::new(query);
        let level = |place: usize| {
            let bit = |bit: usize| u16::from(planes.bits[bit][place / 8] >> (place % 8) & 1) << bit;
            (0..BITS).map(bit).sum::<u16>() as i32
        };
        let ones = chunk.iter().enumerate().filter(|(_, value)| **value > 0);
        let product: i32 = ones.map(|(place, _)| 2 * level(place) - TOP).sum();
        (product + TOP * query.len() as i32) as u32
    }

    #[test]
    fn promises_are_alike_on_every_path() {
        for length in [3, 8, 11, 64, 75, 256, 1024, 3072] {
            let row = |step: i32| -> Vec<i8> {
                (0..length).map(|n| (n * step % 255 - 127) as i8).collect()
            };
            let query = row(37);
            let rows = [row(91), row(53), query.clone()];
            let all: Vec<u8> = rows.iter().flat_map(|row| signs(row)).collect();
            let planes = Planes::new(&query);
            let expected: Vec<u32> = [2, 0, 1].iter().map(|n| promise(&query, &rows[*n])).collect();
            assert_eq!(promises(&planes, &all, &[2, 0, 1]), expected);
            assert_eq!(promises_portable(&planes, &all, &[2, 0, 1]), expected);
            assert!(expected.iter().all(|promise| *promise as usize <= planes.most()));
            assert!(expected[0] >= expected[1].max(expected[2]), "nothing is nearer than itself");
        }
    }

    #[test]
    fn every_path_agrees() {
        for length in [0, 1, 31, 32, 33, 256, 300] {
            let a: Vec<i8> = (0..length).map(|n| (n * 37 % 255 - 127) as i8).collect();
            let b: Vec<i8> = (0..length).map(|n| (n * 91 % 255 - 127) as i8).collect();
            let plain: i32 = a.iter().zip(&b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
            assert_eq!(dot(&a, &b), plain);
            assert_eq!(dot_portable(&a, &b), plain);
        }
    }
}
