//! Answering a question.

use super::{Effort, Engine};
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer};
use crate::query::plan::plan;
use crate::query::ranking::Ranking;
use crate::query::request::{SearchAnswer, SearchMode, SearchRequest};
use crate::query::{Analysis, Asked, search};
use groma_core::{RelPath, Snapshot, TextRole, Vector};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest question, in characters.
const LONGEST_QUERY: usize = 10_000;

/// Most hits one search gives.
pub const MOST_HITS: usize = 1000;

impl Engine {
    /// Answers a question, on the tree as it is now.
    pub fn search(
        &self,
        request: &SearchRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<SearchAnswer, EngineError> {
        validate(request)?;
        let effort = match request.mode {
            SearchMode::Keyword => Effort::Words,
            SearchMode::Hybrid | SearchMode::Vector => Effort::Quick,
        };
        let first = self.answering();
        // Asked first, one behind a network tells whether files that changed can be embedded now.
        let asked = first.is_remote().then(|| first.question(request));
        let (mut answer, freshness) = self.fresh(effort, observer, cancel, |engine| {
            let asked = asked.clone().filter(|_| std::ptr::eq(engine, first));
            let question = || asked.unwrap_or_else(|| engine.question(request));
            let (answer, outdated) = engine.cached_or_answer(request, question)?;
            Ok((answer, outdated.len()))
        })?;
        answer.notes.splice(0..0, freshness.notes);
        answer.is_behind = freshness.is_behind;
        if effort > Effort::Words {
            self.complete_behind();
        }
        Ok(answer)
    }

    /// Answers a question from the newest generation, without looking for changes first. Files that have changed
    /// since are left out, so the answer is never one from the cache.
    pub fn search_indexed(&self, request: &SearchRequest) -> Result<SearchAnswer, EngineError> {
        self.search_indexed_by(&self.parts.ranking, request)
    }

    /// The same by other numbers than its own, for measuring what they are worth.
    pub fn search_indexed_by(
        &self,
        ranking: &Ranking,
        request: &SearchRequest,
    ) -> Result<SearchAnswer, EngineError> {
        validate(request)?;
        let engine = self.answering();
        Ok(engine.answer(ranking, request, engine.question(request))?.0)
    }

    fn cached_or_answer(
        &self,
        request: &SearchRequest,
        question: impl FnOnce() -> Question,
    ) -> Result<(SearchAnswer, Vec<RelPath>), EngineError> {
        // Who asks for an explanation wants the times of this run.
        if !request.explain
            && let Some(snapshot) = self.readable()?
            && let Some(answer) =
                self.cache.find(snapshot.info().generation, self.reads().stamp, request)
        {
            return Ok((answer, Vec::new()));
        }
        let (answer, outdated) = self.answer(&self.parts.ranking, request, question())?;
        // An embedder that failed may be back for the next question.
        if outdated.is_empty() && answer.embed_failure.is_none() && !request.explain {
            self.cache.keep(self.reads().stamp, request, &answer);
        }
        Ok((answer, outdated))
    }

    fn answer(
        &self,
        ranking: &Ranking,
        request: &SearchRequest,
        question: Question,
    ) -> Result<(SearchAnswer, Vec<RelPath>), EngineError> {
        let (snapshot, question) = match self.newest()? {
            Some(own) => (own, question),
            None => self.left_behind(question)?,
        };
        let started = Instant::now();
        let mut request = request.clone();
        let plan = plan(&request.query);
        let planned = started.elapsed();
        if question.vector.is_none() && request.mode == SearchMode::Vector {
            request.mode = SearchMode::Keyword;
        }
        // Half of what is retrieved may be overviews, which stand in for nothing.
        let depth = ranking.depth.max(2 * request.limit);
        let reads = self.reads();
        let found = search(&Asked {
            snapshot: &*snapshot,
            request: &request,
            plan: &plan,
            ranking: &Ranking { depth, ..*ranking },
            vector: question.vector.as_ref(),
            reads: &reads.scores,
            text: &|path, key| self.current_text(snapshot.manifest(), path, key),
        })?;
        let analysis = found.analysis.map(|analysis| Analysis {
            mode: if question.vector.is_none() { SearchMode::Keyword } else { request.mode },
            plan_time: planned,
            embed_time: question.time,
            total_time: started.elapsed() + question.time,
            ..analysis
        });
        let answer = SearchAnswer {
            plan,
            hits: found.hits,
            further: found.further,
            candidates: found.candidates,
            matching: found.matching,
            stages: found.stages,
            analysis,
            generation: snapshot.info(),
            cached: false,
            is_behind: false,
            embed_failure: question.failure,
            notes: question.notes,
        };
        Ok((answer, found.outdated))
    }

    /// What another version left, and the question without its vector where that cannot be compared with theirs.
    fn left_behind(
        &self,
        question: Question,
    ) -> Result<(Arc<dyn Snapshot>, Question), EngineError> {
        let Some(old) = self.answering().predecessor()? else {
            return Err(EngineError::invalid("project", "is not indexed; run `groma index` first"));
        };
        let question = match old.same_embedder {
            true => question,
            false => question.without_vector("the index holds the vectors of another model"),
        };
        Ok((old.snapshot, question))
    }

    /// What the embedder makes of a request, or why it makes nothing of it.
    pub(crate) fn question(&self, request: &SearchRequest) -> Question {
        let started = Instant::now();
        let mut question = Question::default();
        let mut say = |why: &str| question.notes.push(by_words(why));
        match &self.parts.embedder {
            _ if request.mode == SearchMode::Keyword => {}
            None => say("embeddings are off"),
            Some(embedder) => match embedder.embed(TextRole::Query, &[&request.query]) {
                Ok(vectors) => question.vector = vectors.into_iter().next(),
                Err(error) => {
                    say(&error.to_string());
                    question.failure = Some(error.to_string());
                }
            },
        }
        question.time = started.elapsed();
        question
    }
}

impl Question {
    /// The same, to be answered from an index that it cannot be compared with.
    fn without_vector(mut self, why: &str) -> Self {
        if self.vector.take().is_some() {
            self.notes.push(by_words(why));
        }
        self
    }
}

/// What is said with an answer that vectors took no part in.
fn by_words(why: &str) -> String {
    format!("{why}: answered by keywords and symbols")
}

/// What the embedder made of a request.
#[derive(Clone, Default)]
pub(crate) struct Question {
    pub vector: Option<Vector>,
    /// What the embedder said instead.
    pub failure: Option<String>,
    /// Why there is no vector.
    pub notes: Vec<String>,
    /// How long it took.
    time: Duration,
}

impl SearchRequest {
    /// Whether it can be answered at all; what is wrong where it cannot. Costs nothing.
    pub fn check(&self) -> Result<(), EngineError> {
        validate(self)
    }
}

fn validate(request: &SearchRequest) -> Result<(), EngineError> {
    if request.query.trim().is_empty() {
        return Err(EngineError::invalid("query", "is empty; say what to look for"));
    }
    if request.query.chars().count() > LONGEST_QUERY {
        return Err(EngineError::invalid(
            "query",
            format!("is longer than {LONGEST_QUERY} characters"),
        ));
    }
    if request.limit == 0 || request.limit > MOST_HITS {
        return Err(EngineError::invalid("limit", format!("must be 1 to {MOST_HITS}")));
    }
    if !(0.0..=1.0).contains(&request.min_score) {
        return Err(EngineError::invalid("min_score", "must be 0 to 1"));
    }
    Ok(())
}
