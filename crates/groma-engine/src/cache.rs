//! Recent answers, keyed by everything that matters, dropped with their generation.

use groma_core::Snapshot;
use groma_search::{SearchAnswer, SearchRequest};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// How many answers are kept.
const CAPACITY: usize = 256;

/// A small list is searched in order: comparing 256 keys costs less than a microsecond.
#[derive(Default)]
pub(crate) struct AnswerCache {
    answers: Mutex<VecDeque<Kept>>,
}

/// An answer, the request it is for, and the generation it is from.
struct Kept {
    generation: Weak<dyn Snapshot>,
    key: String,
    answer: SearchAnswer,
}

impl AnswerCache {
    /// The answer to the same request on the same generation, with the same files read before.
    pub fn find(
        &self,
        generation: &Arc<dyn Snapshot>,
        reads: u64,
        request: &SearchRequest,
    ) -> Option<SearchAnswer> {
        let key = key(reads, request);
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = Arc::downgrade(generation);
        answers.retain(|kept| kept.generation.ptr_eq(&generation));
        let rank = answers.iter().position(|kept| kept.key == key)?;
        let kept = answers.remove(rank)?;
        let answer = kept.answer.clone();
        answers.push_front(kept);
        Some(SearchAnswer { cached: true, ..answer })
    }

    /// Keeps an answer.
    pub fn keep(
        &self,
        generation: &Arc<dyn Snapshot>,
        reads: u64,
        request: &SearchRequest,
        answer: &SearchAnswer,
    ) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.push_front(Kept {
            generation: Arc::downgrade(generation),
            key: key(reads, request),
            answer: answer.clone(),
        });
        answers.truncate(CAPACITY);
    }
}

/// Every field of a request is in its key, because the key is the request written out.
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
        explain,
    } = request;
    format!(
        "{reads}\0{query}\0{limit}\0{mode:?}\0{min_score}\0{context:?}\0{more_results}\0{overviews}\0{explain}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}\0{:?}",
        filter.languages,
        filter.symbol_kinds,
        filter.symbol_name.as_ref().map(|glob| glob.pattern()),
        filter.packages,
        filter.chunk_kinds,
        filter.tags,
        filter.patterns,
        filter.path_globs(),
    )
}
