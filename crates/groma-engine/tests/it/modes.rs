//! Keyword, vector and hybrid search, and what remains of them without an embedder.

use crate::show::paths;
use groma_core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
use groma_embed::StaticEmbedder;
use groma_engine::{MatchType, SearchAnswer, SearchMode, SearchRequest};
use groma_testkit::{Sandbox, Setup, WordEmbedder};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

const PROJECT: &str = "\
//- src/people.py
def delete_user(identity):
    database.purge(identity)
//- src/whistle.py
def whistle(tune):
    tune.hum()
//- src/weather.py
def forecast(clouds):
    return clouds.rain()
//- src/sort.py
def quicksort(numbers):
    return sorted(numbers)
";

fn ask(sandbox: &Sandbox, mode: SearchMode, query: &str) -> SearchAnswer {
    sandbox.ask(&SearchRequest { mode, ..SearchRequest::new(query) })
}

#[test]
fn a_paraphrase_is_found_by_vectors_and_a_word_by_keywords() {
    let setup = Setup { embedder: Some(Arc::new(StaticEmbedder::default())), ..Setup::in_memory() };
    let sandbox = Sandbox::with(setup, PROJECT);
    let query = "remove accounts, whistle";
    let keyword = ask(&sandbox, SearchMode::Keyword, query);
    assert_eq!(paths(&keyword), ["src/whistle.py"]);
    let vector = ask(&sandbox, SearchMode::Vector, "remove an account");
    assert_eq!(vector.hits[0].path.as_str(), "src/people.py");
    assert!(vector.hits.iter().all(|hit| hit.match_type == MatchType::Semantic));
    let hybrid = ask(&sandbox, SearchMode::Hybrid, query);
    let by = |path: &str| {
        hybrid.hits.iter().find(|hit| hit.path.as_str() == path).map(|hit| hit.match_type)
    };
    assert_eq!(by("src/people.py"), Some(MatchType::Semantic));
    assert_eq!(by("src/whistle.py"), Some(MatchType::Both));
}

/// An embedder that works or does not, and counts what it embeds.
#[derive(Default)]
struct Fragile {
    version: &'static str,
    down: AtomicBool,
    passages: AtomicUsize,
}

impl Embedder for Fragile {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity { version: self.version.into(), ..WordEmbedder.identity() }
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        if self.down.load(SeqCst) {
            return Err(EmbedError::Unavailable("no answer from the service".into()));
        }
        if role == TextRole::Passage {
            self.passages.fetch_add(texts.len(), SeqCst);
        }
        WordEmbedder.embed(role, texts)
    }
}

fn over(embedder: &Arc<Fragile>) -> Sandbox {
    Sandbox::with(Setup { embedder: Some(embedder.clone()), ..Setup::default() }, PROJECT)
}

fn says(notes: &[String], words: &str) -> bool {
    notes.iter().any(|note| note.contains(words))
}

#[test]
fn an_embedder_that_fails_costs_only_the_vectors() {
    let embedder = Arc::new(Fragile { down: true.into(), ..Fragile::default() });
    let sandbox = over(&embedder);
    let report = sandbox.index();
    assert_eq!((report.files, report.parsed), (4, 4));
    assert!(says(&report.notes, "no answer from the service"), "{:?}", report.notes);
    for mode in SearchMode::ALL {
        let answer = ask(&sandbox, mode, "quicksort");
        assert_eq!(paths(&answer), ["src/sort.py"], "{mode:?}");
        assert_eq!(
            says(&answer.notes, "no answer from the service"),
            mode != SearchMode::Keyword,
            "{mode:?}"
        );
        assert_eq!(answer.embed_failure.is_some(), mode != SearchMode::Keyword, "{mode:?}");
    }
}

#[test]
fn an_embedder_that_comes_back_is_asked_again() {
    let embedder = Arc::new(Fragile::default());
    let sandbox = over(&embedder);
    sandbox.index();
    embedder.down.store(true, SeqCst);
    let without = ask(&sandbox, SearchMode::Hybrid, "quicksort");
    assert!(without.hits.iter().all(|hit| hit.vector_score.is_none()));
    embedder.down.store(false, SeqCst);
    let with = ask(&sandbox, SearchMode::Hybrid, "quicksort");
    assert!(with.notes.is_empty() && with.hits[0].vector_score.is_some(), "{with:?}");
}

#[test]
fn without_an_embedder_words_answer_and_a_note_says_so() {
    let sandbox = Sandbox::with(Setup { embedder: None, ..Setup::default() }, PROJECT);
    for mode in SearchMode::ALL {
        let answer = ask(&sandbox, mode, "quicksort");
        assert_eq!(paths(&answer), ["src/sort.py"], "{mode:?}");
        assert_eq!(
            says(&answer.notes, "embeddings are off"),
            mode != SearchMode::Keyword,
            "{mode:?}"
        );
    }
}

#[test]
fn keyword_search_never_asks_the_embedder() {
    let embedder = Arc::new(Fragile::default());
    let sandbox = over(&embedder);
    sandbox.index();
    embedder.down.store(true, SeqCst);
    let answer = ask(&sandbox, SearchMode::Keyword, "quicksort");
    assert!(answer.notes.is_empty());
    assert!(answer.hits.iter().all(|hit| hit.match_type == MatchType::Keyword));
}

#[test]
fn another_embedder_embeds_everything_again() {
    let first = Arc::new(Fragile { version: "1", ..Fragile::default() });
    let mut sandbox = over(&first);
    sandbox.index();
    let embedded = first.passages.load(SeqCst);
    assert!(embedded >= 4);
    let second = Arc::new(Fragile { version: "2", ..Fragile::default() });
    sandbox.reopen(|setup| setup.embedder = Some(second.clone()));
    assert_eq!(sandbox.index().parsed, 4);
    assert_eq!(second.passages.load(SeqCst), embedded);
    sandbox.reopen(|setup| setup.embedder = None);
    assert_eq!(sandbox.index().parsed, 4, "vectors gone");
    sandbox.reopen(|_| {});
    assert_eq!(sandbox.index().parsed, 0, "the same pipeline again");
}
