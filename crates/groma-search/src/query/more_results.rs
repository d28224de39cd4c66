//! More results: candidates ranked after the hits, by name and lines only.
//!
//! They cost a few tokens each, compared with about two hundred for a hit. They are grouped by file. On whole
//! checkouts, thirty hits answer 98.3% of the queries within 8,000 tokens; ten hits and these answer 99%
//! (`docs/ranking.md`).

use super::rerank::Candidate;
use groma_core::{Lines, RelPath};
use rustc_hash::FxHashMap;

/// Maximum number of files, and of results per file: the answer to a topic is often in another file, that to an action
/// near a hit.
const MAX_FILES: usize = 30;
const MAX_PER_FILE: usize = 4;

/// A file with more results.
#[derive(Clone, Debug, PartialEq)]
pub struct MoreFile {
    /// The file.
    pub path: RelPath,
    /// Its results, in order of their lines.
    pub results: Vec<MoreResult>,
}

/// A candidate ranked after the hits.
#[derive(Clone, Debug, PartialEq)]
pub struct MoreResult {
    /// Its lines.
    pub lines: Lines,
    /// The symbol it defines, or its kind of chunk.
    pub name: String,
    /// 0..1, comparable with that of a hit.
    pub score: f32,
}

/// Groups the candidates after the hits by file, best file first.
pub(crate) fn more_results(rest: impl Iterator<Item = Candidate>) -> Vec<MoreFile> {
    let mut files: Vec<MoreFile> = Vec::new();
    let mut indices: FxHashMap<RelPath, usize> = FxHashMap::default();
    for candidate in rest {
        let result = MoreResult {
            lines: candidate.chunk.lines,
            name: name(&candidate),
            score: candidate.score,
        };
        match indices.get(&candidate.chunk.path) {
            Some(index) if files[*index].results.len() < MAX_PER_FILE => {
                files[*index].results.push(result);
            }
            None if files.len() < MAX_FILES => {
                indices.insert(candidate.chunk.path.clone(), files.len());
                files.push(MoreFile { path: candidate.chunk.path, results: vec![result] });
            }
            _ => {}
        }
    }
    for file in &mut files {
        file.results.sort_by_key(|result| result.lines.start);
    }
    files
}

fn name(candidate: &Candidate) -> String {
    let chunk = &candidate.chunk;
    chunk.names.first().cloned().unwrap_or_else(|| chunk.kind.to_string())
}
