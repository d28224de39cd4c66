//! Boosts files in which many chunks match the query.
//!
//! A topic is spread over a file: it belongs to the file in which many chunks match a little, not to the one in which a
//! single chunk happens to contain all terms. Only the file's best definition is boosted, so that one file does not
//! fill the page and its opening lines do not rank above the code below them.

use super::ranking::Ranking;
use super::rerank::{Candidate, is_opening, is_overview};
use groma_core::RelPath;
use rustc_hash::FxHashMap;

/// How many chunks of a file are summed, and the decay from each to the next.
const MAX_CHUNKS: u32 = 16;
const DECAY: f32 = 0.9;

/// Boosts the best chunk of each file by the decayed sum of the file's scores, in proportion to `topic` (0..1). The
/// candidates must be sorted by score.
pub(crate) fn cohere(ranked: &mut [Candidate], ranking: &Ranking, topic: f32) {
    let share = ranking.coherence * topic;
    if share <= 0.0 {
        return;
    }
    let files = sums(ranked);
    let highest = files.values().map(|file| file.sum).fold(f32::MIN_POSITIVE, f32::max);
    let boosted: Vec<(usize, f32)> = files
        .values()
        .filter_map(|file| Some((file.code.or(file.best)?, file.sum / highest)))
        .collect();
    for (index, relative_sum) in boosted {
        let factor = 1.0 + share * relative_sum;
        ranked[index].score *= factor;
        ranked[index].signals.push(("coherence", factor));
    }
}

#[derive(Default)]
struct FileSum {
    /// Index of the best chunk that is not an overview.
    best: Option<usize>,
    /// Index of the best of those that is not the file's opening lines.
    code: Option<usize>,
    sum: f32,
    count: u32,
}

/// The decayed sum of each file's scores.
fn sums(ranked: &[Candidate]) -> FxHashMap<RelPath, FileSum> {
    let mut files: FxHashMap<RelPath, FileSum> = FxHashMap::default();
    for (index, candidate) in ranked.iter().enumerate() {
        let file = match files.get_mut(&candidate.chunk.path) {
            Some(file) => file,
            None => files.entry(candidate.chunk.path.clone()).or_default(),
        };
        if !is_overview(candidate) {
            file.best.get_or_insert(index);
            if !is_opening(&candidate.chunk) {
                file.code.get_or_insert(index);
            }
        }
        if file.count < MAX_CHUNKS {
            file.sum += candidate.score * DECAY.powi(file.count as i32);
            file.count += 1;
        }
    }
    files
}
