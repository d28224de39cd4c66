//! Chunks by vector: a glance at all of them, a look at the likely ones, an exact product of the nearest.
//!
//! The glance counts the components whose sign is that of the query: 32 bytes a chunk instead of 256. The look takes
//! the product of the query, four bits a component, with the same signs. Each keeps far more chunks than are wanted.
//! On a quarter of a million chunks this reads an eighth of the bytes. A small index is looked at exactly from the
//! start. Whole numbers are summed, so every processor and every history of commits gives the same answer.

use super::part::Part;
use super::sections::Section;
use super::snapshot::{Admitted, View, join};
use groma_core::{Scored, StoreError, Vector};

/// Up to this many chunks every vector is compared exactly.
const EXACT: usize = 8192;

/// How many chunks the glance keeps for each that the look keeps.
const GLANCED: usize = 4;

/// How many chunks the look keeps for each that is wanted, and how many at least. Among 345,000 chunks it
/// then finds 0.9995 of the ten nearest to 200 questions (`cargo xtask bench`).
const KEPT: usize = 16;
const KEPT_AT_LEAST: usize = 4096;

/// Every admitted chunk that may be among the `limit` nearest, with its score. `measures` is room to work in.
pub(super) fn nearest(
    views: &[View],
    admitted: &[Admitted<'_>],
    vector: &Vector,
    limit: usize,
    measures: &mut Vec<u32>,
) -> Result<Vec<Scored>, StoreError> {
    let fits = |view: &View| view.part.dimensions as usize == vector.values.len();
    let mut looks = Vec::new();
    for (index, view) in views.iter().enumerate() {
        if fits(view) && !vector.values.is_empty() {
            let all = 0..view.part.doc_count;
            let docs = match &admitted[index] {
                Admitted::All => Docs::Below(view.part.doc_count),
                some => Docs::These(all.filter(|doc| some.has(*doc)).collect()),
            };
            looks.push(Look { index, part: &view.part, docs });
        }
    }
    let wanted = limit.saturating_mul(KEPT).max(KEPT_AT_LEAST);
    let count = looks.iter().map(|look| look.docs.len()).sum::<usize>();
    if count > EXACT.max(wanted) {
        let query = Planes::new(&vector.values);
        let glanced = wanted.saturating_mul(GLANCED);
        if count > 2 * glanced {
            let most = query.dimensions;
            keep_likely(&mut looks, glanced, most, measures, |rows, docs, out| {
                agreements(&query, rows, docs, out)
            })?;
        }
        let most = query.most();
        keep_likely(&mut looks, wanted, most, measures, |rows, docs, out| {
            promises(&query, rows, docs, out)
        })?;
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
    docs: Docs,
}

/// Some chunks of a part, ascending. All of them need no list, which would be as large as the scores.
enum Docs {
    Below(u32),
    These(Vec<u32>),
}

impl Docs {
    fn len(&self) -> usize {
        match self {
            Docs::Below(end) => *end as usize,
            Docs::These(docs) => docs.len(),
        }
    }

    /// Leaves those whose place among them is to be kept.
    fn keep(&mut self, kept: impl Fn(usize) -> bool) {
        let docs = match self {
            Docs::Below(end) => (0..*end).filter(|doc| kept(*doc as usize)).collect(),
            Docs::These(docs) => {
                let of_place = docs.iter().enumerate().filter(|(place, _)| kept(*place));
                of_place.map(|(_, doc)| *doc).collect()
            }
        };
        *self = Docs::These(docs);
    }
}

impl Look<'_> {
    fn score(&self, vector: &Vector, hits: &mut Vec<Scored>) -> Result<(), StoreError> {
        let mut score = |doc: u32| {
            let (values, scale) = self.part.vector(doc)?;
            if scale != 0.0 {
                // In the order of operations of `Vector::similarity`.
                let score = vector.scale * scale * dot(&vector.values, values) as f32;
                hits.push(Scored { chunk: join(self.index, doc), score });
            }
            Ok(())
        };
        match &self.docs {
            Docs::Below(end) => (0..*end).try_for_each(score),
            Docs::These(docs) => docs.iter().copied().try_for_each(&mut score),
        }
    }
}

/// Keeps the chunks with the largest measure, `most` at most, ties included: at least `wanted` of them.
fn keep_likely(
    looks: &mut [Look<'_>],
    wanted: usize,
    most: usize,
    measures: &mut Vec<u32>,
    measure: impl Fn(&[u8], &Docs, &mut Vec<u32>),
) -> Result<(), StoreError> {
    measures.clear();
    for look in looks.iter() {
        look.part.check(Section::Signs)?;
        measure(look.part.signs(), &look.docs, measures);
    }
    let mut counts = vec![0u32; most + 1];
    measures.iter().for_each(|measure| counts[*measure as usize] += 1);
    let mut total = 0;
    let least = counts.iter().rposition(|count| {
        total += *count as usize;
        total >= wanted
    });
    let least = least.unwrap_or(0) as u32;
    let mut rest = measures.as_slice();
    for look in looks {
        let (of, others) = rest.split_at(look.docs.len());
        look.docs.keep(|place| of[place] >= least);
        rest = others;
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
    /// The bits of the levels of 64 components at a time, each plane laid out as the signs of a chunk are.
    words: Vec<[u64; BITS]>,
    /// The signs alone.
    signs: Vec<u8>,
    dimensions: usize,
}

impl Planes {
    fn new(values: &[i8]) -> Self {
        let squares: f32 = values.iter().map(|value| f32::from(*value) * f32::from(*value)).sum();
        let usual = (squares / values.len() as f32).sqrt().max(f32::MIN_POSITIVE);
        let level = |value: &i8| {
            let share = f32::from(*value) / (CLIP * usual);
            ((share + 1.0) / 2.0 * TOP as f32).round().clamp(0.0, TOP as f32) as u64
        };
        let words = values.chunks(64).map(|components| {
            let mut planes = [0; BITS];
            for (place, level) in components.iter().map(level).enumerate() {
                for (bit, plane) in planes.iter_mut().enumerate() {
                    *plane |= (level >> bit & 1) << place;
                }
            }
            planes
        });
        Self { words: words.collect(), signs: signs(values), dimensions: values.len() }
    }

    /// What a chunk can promise at most. Above zero everywhere: a component counts from the lowest level.
    fn most(&self) -> usize {
        2 * TOP as usize * self.dimensions
    }
}

/// How many components of each of the chunks have the sign of the query's.
fn agreements(query: &Planes, rows: &[u8], docs: &Docs, out: &mut Vec<u32>) {
    match docs {
        Docs::Below(end) => agreements_of(query, rows, 0..*end, out),
        Docs::These(docs) => agreements_of(query, rows, docs.iter().copied(), out),
    }
}

fn agreements_of(
    query: &Planes,
    rows: &[u8],
    docs: impl ExactSizeIterator<Item = u32>,
    out: &mut Vec<u32>,
) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has just been found to have what the function needs.
        return unsafe { agreements_counted(query, rows, docs, out) };
    }
    agreements_portable(query, rows, docs, out)
}

/// Compiled for a processor that counts bits by itself; the loop is the same.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn agreements_counted(
    query: &Planes,
    rows: &[u8],
    docs: impl ExactSizeIterator<Item = u32>,
    out: &mut Vec<u32>,
) {
    agreements_portable(query, rows, docs, out)
}

#[inline(always)]
fn agreements_portable(
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
    // Our own model's rows are of a length that the compiler can unroll.
    match <&[u64; WIDE / 64]>::try_from(own.as_slice()) {
        Ok(own) => out.extend(docs.map(|doc| {
            let row: &[u8; WIDE / 8] =
                rows[doc as usize * (WIDE / 8)..].first_chunk().expect("a row");
            let (eights, _) = row.as_chunks::<8>();
            let differing =
                |place: usize| (own[place] ^ u64::from_le_bytes(eights[place])).count_ones();
            WIDE as u32 - (0..WIDE / 64).map(differing).sum::<u32>()
        })),
        Err(_) => out.extend(docs.map(|doc| agree(&rows[doc as usize * width..][..width]))),
    }
}

/// The product of the query with the signs of each of the chunks, in half steps and above zero.
fn promises(query: &Planes, rows: &[u8], docs: &Docs, out: &mut Vec<u32>) {
    match docs {
        Docs::Below(end) => promises_of(query, rows, 0..*end, out),
        Docs::These(docs) => promises_of(query, rows, docs.iter().copied(), out),
    }
}

fn promises_of(
    query: &Planes,
    rows: &[u8],
    docs: impl ExactSizeIterator<Item = u32>,
    out: &mut Vec<u32>,
) {
    #[cfg(target_arch = "x86_64")]
    if query.dimensions == WIDE && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been found to have what the function needs.
        return unsafe { promises_wide(query, rows, docs, out) };
    }
    promises_portable(query, rows, docs, out)
}

/// The dimensions of our own model: the signs of a chunk fill one register.
const WIDE: usize = 256;

/// Bits are counted by looking up both halves of each byte; what a byte promises fits a byte.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn promises_wide(
    query: &Planes,
    rows: &[u8],
    docs: impl ExactSizeIterator<Item = u32>,
    out: &mut Vec<u32>,
) {
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
        let word = |place: usize| query.words[place][bit] as i64;
        _mm256_setr_epi64x(word(0), word(1), word(2), word(3))
    });
    out.reserve(docs.len());
    for doc in docs {
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
fn promises_portable(
    query: &Planes,
    rows: &[u8],
    docs: impl ExactSizeIterator<Item = u32>,
    out: &mut Vec<u32>,
) {
    let width = query.dimensions.div_ceil(8);
    out.reserve(docs.len());
    for doc in docs {
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

    fn measured(measure: impl Fn(&mut Vec<u32>)) -> Vec<u32> {
        let mut out = Vec::new();
        measure(&mut out);
        out
    }

    /// What a chunk promises, from the levels themselves.
    fn promise(query: &[i8], chunk: &[i8]) -> u32 {
        let planes = Planes::new(query);
        let level = |place: usize| {
            let bit = |bit: usize| (planes.words[place / 64][bit] >> (place % 64) & 1) << bit;
            (0..BITS).map(bit).sum::<u64>() as i32
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
            let docs = [2, 0, 1];
            assert_eq!(
                measured(|out| promises(&planes, &all, &Docs::These(docs.to_vec()), out)),
                expected
            );
            assert_eq!(
                measured(|out| promises_portable(&planes, &all, docs.into_iter(), out)),
                expected
            );
            let in_order = [expected[1], expected[2], expected[0]];
            assert_eq!(measured(|out| promises(&planes, &all, &Docs::Below(3), out)), in_order);
            assert!(expected.iter().all(|promise| *promise as usize <= planes.most()));
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
            assert_eq!(measured(|out| agreements(&planes, &all, &Docs::Below(3), out)), expected);
            assert_eq!(
                measured(|out| agreements(&planes, &all, &Docs::These(vec![0, 2]), out)),
                [expected[0], expected[2]]
            );
            assert_eq!(measured(|out| agreements_portable(&planes, &all, 0..3, out)), expected);
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
