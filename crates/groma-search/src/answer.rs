//! Answers a search request from one generation.

use crate::error::SearchError;
use crate::query::glossary;
use crate::query::plan::plan;
use crate::query::ranking::Ranking;
use crate::query::request::{SearchAnswer, SearchMode, SearchRequest};
use crate::query::wording::{mix, title, without_project_name};
use crate::query::{Analysis, QueryContext, run};
use crate::reader::Reader;
use groma_core::{EmbedError, Embedder, RelPath, TextRole, Vector};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Maximum length of a query, in characters.
const MAX_QUERY_LENGTH: usize = 10_000;

/// Maximum number of hits of one search.
pub const MAX_HITS: usize = 1000;

/// A request's text as a vector, or why there is none.
#[derive(Clone, Default)]
pub struct EmbeddedQuery {
    /// The vector.
    pub vector: Option<Vector>,
    /// The embedder's error.
    pub failure: Option<String>,
    /// Why there is no vector.
    pub notes: Vec<String>,
    /// The text that is looked up, if it is not the request's.
    text: Option<String>,
    time: Duration,
}

impl EmbeddedQuery {
    /// Drops the vector, for an index whose vectors are not comparable with it.
    pub fn without_vector(mut self, why: &str) -> Self {
        if self.vector.take().is_some() {
            self.notes.push(keywords_only(why));
        }
        self
    }
}

/// Embeds the query of a request, unless its mode is keyword-only. The name of the project at `root` is left out.
pub fn embed_query(
    embedder: Option<&dyn Embedder>,
    request: &SearchRequest,
    root: Option<&Path>,
) -> EmbeddedQuery {
    let started = Instant::now();
    let mut query = EmbeddedQuery::default();
    if let Some(Cow::Owned(text)) = root.map(|root| without_project_name(&request.query, root)) {
        query.text = Some(text);
    }
    let text = query.text.as_deref().unwrap_or(&request.query);
    let mut notes = Vec::new();
    match embedder {
        _ if request.mode == SearchMode::Keyword => {}
        None => notes.push(keywords_only("embeddings are off")),
        Some(embedder) => match vector(embedder, text, &mut notes) {
            Ok(vector) => query.vector = vector,
            Err(error) => {
                notes.push(keywords_only(&error.to_string()));
                query.failure = Some(error.to_string());
            }
        },
    }
    query.notes = notes;
    query.time = started.elapsed();
    query
}

/// The vector of a query, in which its title counts as much as all of it.
fn vector(
    embedder: &dyn Embedder,
    query: &str,
    notes: &mut Vec<String>,
) -> Result<Option<Vector>, EmbedError> {
    let text = readable(embedder, query, notes);
    let texts: Vec<&str> = std::iter::once(&*text).chain(title(&text)).collect();
    let vectors = embedder.embed(TextRole::Query, &texts)?;
    Ok(match &vectors[..] {
        [text, title] => Some(mix(text, title)),
        other => other.first().cloned(),
    })
}

/// The text that a model is given: the built-in one reads English only, and gets the English words that are known.
fn readable<'q>(embedder: &dyn Embedder, query: &'q str, notes: &mut Vec<String>) -> Cow<'q, str> {
    let foreign = if embedder.remote().is_none() { glossary::foreign(query) } else { None };
    match foreign {
        Some(foreign) => {
            notes.push(foreign.note());
            Cow::Owned(format!("{} {query}", foreign.english.join(" ")))
        }
        None => Cow::Borrowed(query),
    }
}

/// The note on an answer without vectors.
fn keywords_only(why: &str) -> String {
    format!("{why}: answered by keywords and symbols")
}

/// Answers a search request from one generation. `reads` is the access score of recently read files, 0..1. Files that
/// changed since they were indexed are left out; their paths are returned beside the answer.
pub fn search(
    reader: &Reader,
    ranking: &Ranking,
    request: &SearchRequest,
    query: EmbeddedQuery,
    reads: &FxHashMap<RelPath, f32>,
) -> Result<(SearchAnswer, Vec<RelPath>), SearchError> {
    let started = Instant::now();
    let mut request = request.clone();
    let mut plan = plan(query.text.as_deref().unwrap_or(&request.query));
    plan.query = request.query.trim().to_string();
    let planned = started.elapsed();
    if query.vector.is_none() && request.mode == SearchMode::Vector {
        request.mode = SearchMode::Keyword;
    }
    // Half of the candidates may be overviews, which are rarely returned.
    let depth = ranking.depth.max(2 * request.limit);
    let outcome = run(&QueryContext {
        reader,
        request: &request,
        plan: &plan,
        ranking: &Ranking { depth, ..*ranking },
        vector: query.vector.as_ref(),
        reads,
    })?;
    let analysis = outcome.analysis.map(|analysis| Analysis {
        mode: if query.vector.is_none() { SearchMode::Keyword } else { request.mode },
        plan_time: planned,
        embed_time: query.time,
        total_time: started.elapsed() + query.time,
        ..analysis
    });
    let answer = SearchAnswer {
        plan,
        hits: outcome.hits,
        named: outcome.named,
        named_by: outcome.named_by,
        absent: outcome.absent,
        more_results: outcome.more_results,
        candidates: outcome.candidates,
        matching: outcome.matching,
        stages: outcome.stages,
        analysis,
        generation: reader.snapshot.info(),
        cached: false,
        is_behind: false,
        embed_failure: query.failure,
        notes: query.notes,
    };
    Ok((answer, outcome.outdated))
}

impl SearchRequest {
    /// Validates the request; costs nothing.
    pub fn check(&self) -> Result<(), SearchError> {
        if self.query.trim().is_empty() {
            return Err(SearchError::invalid("query", "is empty; say what to look for"));
        }
        if self.query.chars().count() > MAX_QUERY_LENGTH {
            let reason = format!("is longer than {MAX_QUERY_LENGTH} characters");
            return Err(SearchError::invalid("query", reason));
        }
        if self.limit == 0 || self.limit > MAX_HITS {
            return Err(SearchError::invalid("limit", format!("must be 1 to {MAX_HITS}")));
        }
        if !(0.0..=1.0).contains(&self.min_score) {
            return Err(SearchError::invalid("min_score", "must be 0 to 1"));
        }
        Ok(())
    }
}
