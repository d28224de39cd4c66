//! A cache of recent answers, dropped with their generation.

use groma_core::{Generation, Locked};
use groma_search::{SearchAnswer, SearchRequest};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum number of cached answers.
const CAPACITY: usize = 256;

/// An LRU list, searched linearly: comparing 256 keys costs less than a microsecond.
#[derive(Default)]
pub(crate) struct AnswerCache {
    answers: Locked<VecDeque<CachedAnswer>>,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// An answer, the request it is for, and the generation it is from.
struct CachedAnswer {
    generation: Generation,
    key: String,
    answer: SearchAnswer,
}

impl AnswerCache {
    /// The answer to the same request on the same generation with the same access scores.
    pub fn find(
        &self,
        generation: Generation,
        reads: u64,
        request: &SearchRequest,
    ) -> Option<SearchAnswer> {
        let key = key(reads, request);
        let mut answers = self.answers.lock();
        answers.retain(|cached| cached.generation == generation);
        let rank = answers.iter().position(|cached| cached.key == key);
        let counter = if rank.is_some() { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
        let rank = rank?;
        let cached = answers.remove(rank)?;
        let answer = cached.answer.clone();
        answers.push_front(cached);
        Some(SearchAnswer { cached: true, ..answer })
    }

    /// How often an answer was found, and how often not.
    pub fn counts(&self) -> (u64, u64) {
        (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed))
    }

    /// Inserts an answer.
    pub fn insert(
        &self,
        generation: Generation,
        reads: u64,
        request: &SearchRequest,
        answer: &SearchAnswer,
    ) {
        let mut answers = self.answers.lock();
        answers.push_front(CachedAnswer {
            generation,
            key: key(reads, request),
            answer: answer.clone(),
        });
        answers.truncate(CAPACITY);
    }
}

/// The key contains every field of the request; the pattern makes a new field a compile error.
fn key(reads: u64, request: &SearchRequest) -> String {
    let SearchRequest {
        query,
        limit,
        mode,
        filter,
        min_score,
        context,
        more_results,
        overviews,
        whole_chunks,
        explain,
    } = request;
    format!(
        "{reads}\0{query}\0{limit}\0{mode:?}\0{min_score}\0{context:?}\0{more_results}\0{overviews}\0{whole_chunks}\0{explain}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}",
        filter.languages,
        filter.symbol_kinds,
        filter.symbol_name.as_ref().map(|glob| glob.pattern()),
        filter.packages,
        filter.chunk_kinds,
        filter.tags,
        filter.symbol.as_ref().map(|test| test.id()),
        filter.path_globs(),
    )
}
