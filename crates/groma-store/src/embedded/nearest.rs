//! Chunks by vector: a Hamming pass over all of them, coarse scores of the likely ones, exact scores of the nearest.
//!
//! The Hamming pass counts the components whose sign is that of the query: 32 bytes a chunk instead of 256. Coarse
//! scores are products of the query, quantised to four bits a component, with the same signs. Each pass keeps far more
//! chunks than are wanted. On a quarter of a million chunks this reads an eighth of the bytes. A small index is scored
//! exactly from the start. All sums are of integers, so every processor and every history of commits gives the same
//! result.

use super::fetch::AHEAD;
use super::sections::Section;
use super::segment::Segment;
use super::signs::Planes;
use super::snapshot::{Admitted, View, join};
use groma_core::{Scored, StoreError, Vector};
use std::borrow::Cow;
use std::ops::Range;

/// Up to this many chunks every vector is compared exactly.
const MAX_EXACT: usize = 8192;

/// How many chunks the Hamming pass keeps for each that the coarse scores keep.
const HAMMING_FACTOR: usize = 6;

/// How many chunks the coarse scores keep for each that is wanted, and how many at least. Among 246,000 chunks it
/// then finds 0.9995 of the ten nearest to 200 questions (`cargo xtask bench`), and 0.956 of the two hundred nearest.
const RESCORE_FACTOR: usize = 8;
const MIN_RESCORED: usize = 2048;

/// Every admitted chunk that may be among the `limit` nearest, with its score. `scores` is a scratch buffer.
pub(super) fn nearest(
    views: &[View],
    admitted: &[Admitted<'_>],
    vector: &Vector,
    limit: usize,
    scores: &mut Vec<u32>,
) -> Result<Vec<Scored>, StoreError> {
    let fits = |view: &View| view.segment.dimensions as usize == vector.values.len();
    let mut candidates = Vec::new();
    for (index, view) in views.iter().enumerate() {
        if fits(view) && !vector.values.is_empty() {
            let all = 0..view.segment.doc_count;
            let (docs, referenced) = match &admitted[index] {
                Admitted::All => (Docs::Below(view.segment.doc_count), None),
                Admitted::Referenced(referenced) => {
                    (Docs::Below(view.segment.doc_count), Some(*referenced))
                }
                Admitted::Some(some) => {
                    (Docs::These(all.filter(|doc| some[*doc as usize]).collect()), None)
                }
            };
            candidates.push(Candidates { index, segment: &view.segment, docs, referenced });
        }
    }
    let wanted = limit.saturating_mul(RESCORE_FACTOR).max(MIN_RESCORED);
    let count = candidates.iter().map(Candidates::count).sum::<usize>();
    if count > MAX_EXACT.max(wanted) {
        let query = Planes::new(&vector.values);
        let hamming = wanted.saturating_mul(HAMMING_FACTOR);
        if count > 2 * hamming {
            hamming_pass(&mut candidates, hamming, &query, scores)?;
        }
        candidates.iter_mut().for_each(Candidates::drop_unreferenced);
        scores.clear();
        for candidate in &candidates {
            candidate.segment.check(Section::Signs)?;
            query.coarse_scores(candidate.segment.signs(), &candidate.docs.list(), scores);
        }
        keep_best(&mut candidates, wanted, query.max_score(), scores);
    }
    candidates.iter_mut().for_each(Candidates::drop_unreferenced);
    let mut hits = Vec::new();
    for candidate in &candidates {
        candidate.score(vector, &mut hits)?;
    }
    Ok(hits)
}

/// The chunks of one segment that are still candidates.
struct Candidates<'a> {
    index: usize,
    segment: &'a Segment,
    docs: Docs,
    /// Which chunks are referenced, while unreferenced ones are still in `docs`: filtering them first would cost more
    /// than scoring them, too.
    referenced: Option<&'a [bool]>,
}

/// Some chunks of a segment, ascending. All of them need no list, which would be as large as the scores.
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

    /// As a list, for passes over few chunks.
    fn list(&self) -> Cow<'_, [u32]> {
        match self {
            Docs::Below(end) => (0..*end).collect(),
            Docs::These(docs) => docs.into(),
        }
    }

    /// Keeps those whose score is at least `least`.
    fn keep(&mut self, scores: &[u32], least: u32) {
        let docs = self.list();
        let large = docs.iter().zip(scores).filter(|(_, score)| **score >= least);
        *self = Docs::These(large.map(|(doc, _)| *doc).collect());
    }
}

impl Candidates<'_> {
    /// How many chunks are referenced.
    fn count(&self) -> usize {
        self.referenced.map_or(self.docs.len(), |referenced| {
            referenced.iter().filter(|referenced| **referenced).count()
        })
    }

    /// The number of signs equal to the query's, for a range of the list.
    fn equal_signs(&self, query: &Planes, range: Range<usize>, out: &mut Vec<u32>) {
        out.clear();
        let rows = self.segment.signs();
        match &self.docs {
            Docs::Below(_) => {
                query.equal_signs(rows, range.start as u32..range.end as u32, out);
            }
            Docs::These(docs) => query.equal_signs(rows, docs[range.clone()].iter().copied(), out),
        }
        // Unreferenced chunks score 0, below every referenced one.
        if let Some(referenced) = self.referenced {
            for (score, referenced) in out.iter_mut().zip(&referenced[range]) {
                *score *= u32::from(*referenced);
            }
        }
    }

    /// The chunks whose score is at least `least`, each with it.
    fn above(&self, query: &Planes, least: u32) -> Vec<(u32, u32)> {
        let (mut found, mut scores) = (Vec::new(), Vec::new());
        for range in blocks(self.docs.len()) {
            self.equal_signs(query, range.clone(), &mut scores);
            match &self.docs {
                Docs::Below(_) => {
                    let docs = range.start as u32..range.end as u32;
                    keep_large(docs, &scores, least, &mut found);
                }
                Docs::These(docs) => {
                    keep_large(docs[range].iter().copied(), &scores, least, &mut found);
                }
            }
        }
        found
    }

    fn drop_unreferenced(&mut self) {
        if let Some(referenced) = self.referenced.take() {
            let docs = self.docs.list();
            let docs = docs.iter().copied().filter(|doc| referenced[*doc as usize]).collect();
            self.docs = Docs::These(docs);
        }
    }

    fn score(&self, vector: &Vector, hits: &mut Vec<Scored>) -> Result<(), StoreError> {
        let docs = self.docs.list();
        for (index, doc) in docs.iter().copied().enumerate() {
            if let Some(ahead) = docs.get(index + AHEAD) {
                self.segment.fetch_vector(*ahead);
            }
            if let Some(score) = similarity(self.segment, vector, doc)? {
                hits.push(Scored { chunk: join(self.index, doc), score });
            }
        }
        Ok(())
    }
}

/// The similarity of one chunk; `None` if it has no vector, or one of another length.
pub(super) fn similarity(
    segment: &Segment,
    vector: &Vector,
    doc: u32,
) -> Result<Option<f32>, StoreError> {
    if segment.dimensions as usize != vector.values.len() || vector.values.is_empty() {
        return Ok(None);
    }
    let (values, scale) = segment.vector(doc)?;
    // In the order of operations of `Vector::similarity`.
    Ok((scale != 0.0).then(|| vector.scale * scale * dot(&vector.values, values) as f32))
}

/// Appends the chunks whose score is at least `least`. The branch is unpredictable, so store
/// unconditionally and advance only on a hit.
fn keep_large(
    docs: impl ExactSizeIterator<Item = u32>,
    scores: &[u32],
    least: u32,
    found: &mut Vec<(u32, u32)>,
) {
    let (first, mut count) = (found.len(), 0);
    found.resize(first + docs.len() + 1, (0, 0));
    let here = &mut found[first..];
    for (doc, score) in docs.zip(scores) {
        here[count] = (doc, *score);
        count += usize::from(*score >= least);
    }
    found.truncate(first + count);
}

/// A histogram of the scores, which are at most `max`. Runs of equal scores would wait for store-to-load forwarding of
/// one counter, so four histograms are filled by turns and summed.
fn counts(scores: &[u32], max: usize) -> Vec<u32> {
    let mut counts = vec![[0u32; 4]; max + 1];
    let (fours, rest) = scores.as_chunks::<4>();
    for four in fours {
        for (list, score) in four.iter().enumerate() {
            counts[*score as usize][list] += 1;
        }
    }
    rest.iter().for_each(|score| counts[*score as usize][0] += 1);
    counts.iter().map(|lists| lists.iter().sum()).collect()
}

/// The largest score that at least `wanted` of the scores reach; none where there are fewer.
fn threshold(scores: &[u32], max: usize, wanted: usize) -> u32 {
    let mut total = 0;
    let least = counts(scores, max).iter().rposition(|count| {
        total += *count as usize;
        total >= wanted
    });
    least.unwrap_or(0) as u32
}

/// Keeps the chunks with the largest scores, which are at most `max`; ties included, so at least `wanted` of them.
fn keep_best(candidates: &mut [Candidates<'_>], wanted: usize, max: usize, scores: &[u32]) {
    let least = threshold(scores, max, wanted);
    let mut rest = scores;
    for candidate in candidates {
        let (of, others) = rest.split_at(candidate.docs.len());
        candidate.docs.keep(of, least);
        rest = others;
    }
}

/// Chunks of a block: their scores stay in the cache until they are compared.
const BLOCK: usize = 512;

fn blocks(count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count).step_by(BLOCK).map(move |start| start..count.min(start + BLOCK))
}

/// One block in this many is sampled to estimate the distribution of the scores.
const SAMPLE_INTERVAL: usize = 16;

/// Keeps the chunks with the smallest Hamming distance to the query, ties included: at least `wanted` of them. A sample
/// gives a conservative threshold, so that most chunks are dropped block by block; if it was too high, the pass runs
/// again without one. Which chunks are kept does not depend on the sample.
fn hamming_pass(
    candidates: &mut [Candidates<'_>],
    wanted: usize,
    query: &Planes,
    scores: &mut Vec<u32>,
) -> Result<(), StoreError> {
    candidates.iter().try_for_each(|candidate| candidate.segment.check(Section::Signs))?;
    let (mut sample, mut of_block) = (Vec::new(), Vec::new());
    for candidate in candidates.iter() {
        for range in blocks(candidate.docs.len()).step_by(SAMPLE_INTERVAL) {
            candidate.equal_signs(query, range, &mut of_block);
            sample.extend_from_slice(&of_block);
        }
    }
    let count: usize = candidates.iter().map(|candidate| candidate.docs.len()).sum();
    let expected = threshold(&sample, query.dimensions, 2 * wanted * sample.len() / count.max(1));
    let find = |least| -> Vec<_> {
        candidates.iter().map(|candidate| candidate.above(query, least)).collect()
    };
    // Unreferenced chunks score 0.
    let mut found = find(expected.max(1));
    if found.iter().map(Vec::len).sum::<usize>() < wanted {
        found = find(1);
    }
    scores.clear();
    for (candidate, found) in candidates.iter_mut().zip(found) {
        scores.extend(found.iter().map(|(_, score)| *score));
        candidate.docs = Docs::These(found.into_iter().map(|(doc, _)| doc).collect());
        candidate.referenced = None;
    }
    keep_best(candidates, wanted, query.dimensions, scores);
    Ok(())
}

/// The dot product of two vectors of the same length.
fn dot(a: &[i8], b: &[i8]) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the required CPU feature was just detected.
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

    #[test]
    fn the_largest_scores_are_kept() {
        let scores: Vec<u32> = (0..103).map(|n| n * 37 % 50).collect();
        let sizes = counts(&scores, 50);
        let of = |size: u32| scores.iter().filter(|score| **score == size).count();
        assert!((0..=50).all(|size| sizes[size as usize] as usize == of(size)), "{sizes:?}");
        for least in [0, 1, 25, 49, 50] {
            let large = |doc: &u32| scores[*doc as usize] >= least;
            let mut docs = Docs::Below(103);
            docs.keep(&scores, least);
            assert_eq!(docs.list(), (0..103).filter(large).collect::<Vec<_>>());
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
