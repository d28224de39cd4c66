//! How much of a file is about the question.
//!
//! A topic is spread over a file: its place is the file where many chunks answer a little, not the one where a
//! single chunk happens to use all the words. The file's best definition is raised for it, and only that one, so
//! that a page is not filled by one file, and that its opening lines do not answer for the code below them.

use super::ranking::Ranking;
use super::rerank::{Candidate, is_opening, is_overview};
use groma_core::RelPath;
use rustc_hash::FxHashMap;

/// How many chunks of a file count, and what is left of each one after the next better.
const CHUNKS: u32 = 16;
const DECAY: f32 = 0.9;

/// Raises the best chunk of each file by how much its file says, `breadth` (0..1) being how far that matters.
/// The candidates are in order of their scores.
pub(crate) fn cohere(ranked: &mut [Candidate], ranking: &Ranking, breadth: f32) {
    let share = ranking.coherence * breadth;
    if share <= 0.0 {
        return;
    }
    let files = sums(ranked);
    let most = files.values().map(|file| file.sum).fold(f32::MIN_POSITIVE, f32::max);
    let raised: Vec<(usize, f32)> = files
        .values()
        .filter_map(|file| Some((file.code.or(file.best)?, file.sum / most)))
        .collect();
    for (place, part) in raised {
        let factor = 1.0 + share * part;
        ranked[place].score *= factor;
        ranked[place].signals.push(("coherence", factor));
    }
}

#[derive(Default)]
struct FileSum {
    /// The best chunk that is a place.
    best: Option<usize>,
    /// The best of those that is more than the opening lines.
    code: Option<usize>,
    sum: f32,
    count: u32,
}

/// The decayed sum of each file's scores.
fn sums(ranked: &[Candidate]) -> FxHashMap<RelPath, FileSum> {
    let mut files: FxHashMap<RelPath, FileSum> = FxHashMap::default();
    for (place, candidate) in ranked.iter().enumerate() {
        let file = match files.get_mut(&candidate.chunk.path) {
            Some(file) => file,
            None => files.entry(candidate.chunk.path.clone()).or_default(),
        };
        if !is_overview(candidate) {
            file.best.get_or_insert(place);
            if !is_opening(&candidate.chunk) {
                file.code.get_or_insert(place);
            }
        }
        if file.count < CHUNKS {
            file.sum += candidate.score * DECAY.powi(file.count as i32);
            file.count += 1;
        }
    }
    files
}
