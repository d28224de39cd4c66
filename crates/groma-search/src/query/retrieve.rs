//! The retrievers: one call to the snapshot each.

use super::plan::{Plan, QueryKind};
use super::ranking::Ranking;
use super::request::SearchMode;
use groma_core::{
    ChunkFilter, ChunkId, KeywordHit, KeywordQuery, Scored, Snapshot, StoreError, Vector,
};
use rustc_hash::FxHashSet;

/// The hits of each retriever, best first.
#[derive(Debug, Default)]
pub(crate) struct Retrieved {
    pub keyword: Vec<KeywordHit>,
    pub vector: Vec<Scored>,
    pub definitions: Vec<ChunkId>,
    /// Keyword scores of chunks that only the others found.
    pub keyword_scores: Vec<KeywordHit>,
    /// Vector scores of chunks that only the others found.
    pub vector_scores: Vec<Scored>,
}

/// Keyword search with BM25F.
pub(crate) fn keyword(
    snapshot: &dyn Snapshot,
    plan: &Plan,
    filter: &ChunkFilter,
    ranking: &Ranking,
) -> Result<Vec<KeywordHit>, StoreError> {
    if plan.terms.is_empty() {
        return Ok(Vec::new());
    }
    snapshot.keyword(&keyword_query(plan, ranking), filter)
}

fn keyword_query(plan: &Plan, ranking: &Ranking) -> KeywordQuery {
    KeywordQuery {
        terms: plan.terms.clone(),
        chunk_fields: ranking.chunk_fields,
        file_fields: ranking.file_fields,
        file_share: file_share(plan, ranking),
        limit: ranking.depth,
    }
}

/// Scores every chunk that one retriever found by the other one, too. Without this a chunk just below the end of a list
/// would count as if it had nothing to do with the query.
pub(crate) fn complete(
    snapshot: &dyn Snapshot,
    plan: &Plan,
    vector: Option<&Vector>,
    ranking: &Ranking,
    retrieved: &mut Retrieved,
) -> Result<(), StoreError> {
    let by_keyword: FxHashSet<ChunkId> = retrieved.keyword.iter().map(|hit| hit.chunk).collect();
    let by_vector: FxHashSet<ChunkId> = retrieved.vector.iter().map(|hit| hit.chunk).collect();
    let without = |found: &FxHashSet<ChunkId>, others: &mut dyn Iterator<Item = ChunkId>| {
        let mut missing: Vec<ChunkId> = others.filter(|chunk| !found.contains(chunk)).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    };
    let definitions = || retrieved.definitions.iter().copied();
    let mut near = retrieved.vector.iter().map(|hit| hit.chunk).chain(definitions());
    let no_keyword = without(&by_keyword, &mut near);
    let mut matching = retrieved.keyword.iter().map(|hit| hit.chunk).chain(definitions());
    let no_vector = without(&by_vector, &mut matching);
    if !plan.terms.is_empty() && !no_keyword.is_empty() {
        let scores = snapshot.keyword_scores(&keyword_query(plan, ranking), &no_keyword)?;
        retrieved.keyword_scores = scores.into_iter().flatten().collect();
    }
    if let Some(vector) = vector {
        let scores = snapshot.similarities(vector, &no_vector)?;
        let scored = no_vector.iter().zip(scores);
        let scored =
            scored.filter_map(|(chunk, score)| Some(Scored { chunk: *chunk, score: score? }));
        retrieved.vector_scores = scored.collect();
    }
    Ok(())
}

/// Weight of the file's score: high for queries about a path or a file's contents, low for error messages.
fn file_share(plan: &Plan, ranking: &Ranking) -> f32 {
    match plan.kind {
        _ if plan.requested.contents => 3.0 * ranking.file_share,
        QueryKind::Path => 3.0 * ranking.file_share,
        QueryKind::Literal => 0.3 * ranking.file_share,
        QueryKind::Name | QueryKind::Prose => ranking.file_share,
    }
}

/// Nearest-neighbour search; empty without a vector.
pub(crate) fn nearest(
    snapshot: &dyn Snapshot,
    vector: Option<&Vector>,
    filter: &ChunkFilter,
    ranking: &Ranking,
) -> Result<Vec<Scored>, StoreError> {
    match vector {
        Some(vector) => snapshot.nearest(vector, filter, ranking.depth),
        None => Ok(Vec::new()),
    }
}

/// Chunks that define a name of the query.
pub(crate) fn definitions(
    snapshot: &dyn Snapshot,
    plan: &Plan,
    filter: &ChunkFilter,
    mode: SearchMode,
) -> Result<Vec<ChunkId>, StoreError> {
    if plan.names.is_empty() || mode == SearchMode::Vector {
        return Ok(Vec::new());
    }
    snapshot.definitions(&plan.names, filter)
}
