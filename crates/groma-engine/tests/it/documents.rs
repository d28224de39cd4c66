//! Documents that are not files, searched like an index.

use groma_core::{EmbedError, Embedder, EmbedderIdentity, Pipeline, RelPath, TextRole, Vector};
use groma_engine::{Document, DocumentIndex, PIPELINE_VERSION, SearchMode, SearchRequest};
use groma_store::EmbeddedStore;
use std::sync::Arc;

/// Points along the first axis for a text about cats, against it for one about dogs, nowhere for
/// one with a question mark, along the second for any other.
struct Pets {
    works: bool,
}

fn direction(text: &str) -> Vector {
    let has = |word: &str| text.contains(word);
    let components = match (has("cat"), has("dog")) {
        (true, _) => [1.0, 0.0],
        (_, true) => [-1.0, 0.1],
        _ if has("?") => [0.0, 0.0],
        _ => [0.0, 1.0],
    };
    Vector::quantise(&components)
}

impl Embedder for Pets {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity { name: "pets".into(), version: "1".into(), dimensions: 2 }
    }

    fn embed(&self, _: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        if self.works {
            Ok(texts.iter().map(|text| direction(text)).collect())
        } else {
            Err(EmbedError::Unavailable("offline".into()))
        }
    }
}

const TEXTS: [&str; 4] = ["dogs bark", "the cat purrs and the cat sleeps", "a fish swims", "a cat"];

/// The documents of these texts; what a hit returns is their number.
fn documents(texts: &[&str]) -> Vec<Document> {
    let document = |(number, text): (usize, &&str)| Document {
        path: RelPath::new(format!("{number}/tests")).unwrap(),
        searched: text.to_string(),
        content: number.to_string(),
        tags: Vec::new(),
        vector: Some(direction(text)),
    };
    texts.iter().enumerate().map(document).collect()
}

fn index(documents: Vec<Document>, embedder: Option<Pets>) -> DocumentIndex {
    let embedder = embedder.map(|one| Arc::new(one) as Arc<dyn Embedder>);
    let identity = embedder.as_ref().map(|embedder| embedder.identity());
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: identity };
    DocumentIndex::build(&EmbeddedStore::in_memory(pipeline), documents, embedder).unwrap()
}

fn found(index: &DocumentIndex, query: &str) -> Vec<String> {
    let request = SearchRequest { mode: index.mode(), ..SearchRequest::new(query) };
    index.search(&request).unwrap().hits.into_iter().map(|hit| hit.content).collect()
}

#[test]
fn vectors_rank_if_there_are_any() {
    let index = index(documents(&TEXTS), Some(Pets { works: true }));
    assert_eq!((index.len(), index.mode()), (4, SearchMode::Vector));
    // By cosine, negative ones last; equal ones in order of their paths.
    assert_eq!(found(&index, "cattle"), ["1", "3", "2", "0"]);
    let request = SearchRequest { mode: index.mode(), ..SearchRequest::new("cattle") };
    let hits = index.search(&request).unwrap().hits;
    let cosines: Vec<f32> = hits.iter().filter_map(|hit| hit.vector_score).collect();
    assert_eq!(found(&index, "bark?"), ["0"], "by keywords");
    assert!(cosines[0] > 0.99 && cosines[2].abs() < 0.01 && cosines[3] < -0.9, "{cosines:?}");
}

#[test]
fn keywords_rank_otherwise() {
    let without_embedder = index(documents(&TEXTS), None);
    let mut unembedded = documents(&TEXTS);
    unembedded.iter_mut().for_each(|document| document.vector = None);
    let without_vectors = index(unembedded, Some(Pets { works: false }));
    for index in [without_embedder, without_vectors] {
        assert_eq!(index.mode(), SearchMode::Keyword);
        assert_eq!(found(&index, "cat").len(), 2);
        assert_eq!(found(&index, "sleeping cats")[0], "1");
        assert_eq!(found(&index, "bark"), ["0"]);
        assert_eq!(found(&index, "horses"), [""; 0]);
    }
    assert!(found(&index(Vec::new(), None), "cat").is_empty());
}

#[test]
fn an_embedder_that_fails_is_reported() {
    let index = index(documents(&TEXTS), Some(Pets { works: false }));
    let request = SearchRequest { mode: index.mode(), ..SearchRequest::new("cat") };
    let failure = index.search(&request).unwrap().embed_failure;
    assert!(failure.is_some_and(|reason| reason.contains("offline")));
}
