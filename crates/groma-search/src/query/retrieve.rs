//! The retrievers: one call to the snapshot each.

use super::plan::{Plan, QueryKind};
use super::ranking::Ranking;
use super::request::SearchMode;
use groma_core::{
    ChunkFilter, ChunkId, KeywordHit, KeywordQuery, Scored, Snapshot, StoreError, Vector,
};

/// The hits of each retriever, best first.
#[derive(Debug, Default)]
pub(crate) struct Retrieved {
    pub keyword: Vec<KeywordHit>,
    pub vector: Vec<Scored>,
    pub definitions: Vec<ChunkId>,
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
    let query = KeywordQuery {
        terms: plan.terms.clone(),
        chunk_fields: ranking.chunk_fields,
        file_fields: ranking.file_fields,
        file_share: file_share(plan, ranking),
        limit: ranking.depth,
    };
    snapshot.keyword(&query, filter)
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
