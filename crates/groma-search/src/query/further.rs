//! Places beyond the hits, by name alone: what is worth a look where the hits do not answer.
//!
//! They cost a few tokens each, where a hit costs some two hundred. A file is named once for all its places; of
//! whole checkouts, 98.3% of the questions are answered within 8,000 tokens by thirty hits, and 99% by ten hits and
//! these (`docs/ranking.md`).

use super::rerank::Candidate;
use groma_core::{Lines, RelPath};
use rustc_hash::FxHashMap;

/// Most files, and most places of one: a topic's answer is another file, an action's is a neighbour.
const FILES: usize = 30;
const PLACES_OF_A_FILE: usize = 4;

/// A file with places beyond the hits.
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherFile {
    /// The file.
    pub path: RelPath,
    /// Its places, in order of their lines.
    pub places: Vec<FurtherPlace>,
}

/// A place beyond the hits.
#[derive(Clone, Debug, PartialEq)]
pub struct FurtherPlace {
    /// Its lines.
    pub lines: Lines,
    /// What it defines, or what it is made of.
    pub name: String,
    /// 0..1, as that of a hit.
    pub score: f32,
}

/// The files of the candidates after the hits, best first.
pub(crate) fn further(rest: impl Iterator<Item = Candidate>) -> Vec<FurtherFile> {
    let mut files: Vec<FurtherFile> = Vec::new();
    let mut known: FxHashMap<RelPath, usize> = FxHashMap::default();
    for candidate in rest {
        let place = FurtherPlace {
            lines: candidate.chunk.lines,
            name: name(&candidate),
            score: candidate.score,
        };
        match known.get(&candidate.chunk.path) {
            Some(at) if files[*at].places.len() < PLACES_OF_A_FILE => files[*at].places.push(place),
            None if files.len() < FILES => {
                known.insert(candidate.chunk.path.clone(), files.len());
                files.push(FurtherFile { path: candidate.chunk.path, places: vec![place] });
            }
            _ => {}
        }
    }
    for file in &mut files {
        file.places.sort_by_key(|place| place.lines.start);
    }
    files
}

fn name(candidate: &Candidate) -> String {
    let chunk = &candidate.chunk;
    chunk.names.first().cloned().unwrap_or_else(|| chunk.kind.to_string())
}
