//! Asking the snapshot: one call for each retriever.

use super::plan::{Intent, Plan};
use super::ranking::Ranking;
use super::request::SearchMode;
use groma_core::{
    ChunkFilter, ChunkId, KeywordHit, KeywordQuery, Scored, Snapshot, StoreError, Vector,
};

/// What each retriever found, best first.
#[derive(Debug, Default)]
pub(crate) struct Retrieved {
    pub keyword: Vec<KeywordHit>,
    pub vector: Vec<Scored>,
    pub definitions: Vec<ChunkId>,
}

/// By keyword.
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

/// A question about a path, or what a file holds, is about the file; one about an error is about the place.
fn file_share(plan: &Plan, ranking: &Ranking) -> f32 {
    match plan.intent {
        _ if plan.wants.contents => 3.0 * ranking.file_share,
        Intent::Path => 3.0 * ranking.file_share,
        Intent::Error => 0.3 * ranking.file_share,
        Intent::Symbol | Intent::NaturalLanguage => ranking.file_share,
    }
}

/// By vector.
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

/// By name.
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
