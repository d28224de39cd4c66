//! The Cortex contract: one search over code and documents.
//!
//! It answers from the project's index, or from a folder of chunk files where there is one. Answers are the
//! document's objects as JSON text, never with a vector in them.

mod document;
mod error;
pub mod file;
mod map;
mod names;
mod text;
mod tools;

pub use document::FileChunk;
pub use names::{Names, chunk_type};

use crate::arguments::{Arguments, Given};
use crate::surface::{Answer, Call, Identity, ProtocolError, Surface};
use crate::tool::{self, ToolSpec};
use groma_core::{ChunkKind, Generation, Locked};
use groma_engine::{DocumentIndex, Engine, EngineError, Hit, SearchAnswer, SearchRequest};
use map::ChunkSource;
use names::chunk_kind;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tools::CortexSearch;

/// The Cortex contract.
#[derive(Default)]
pub struct Cortex {
    /// The names of the last project, cached because computing them reads every path.
    names: Locked<Option<(PathBuf, Generation, Arc<Names>)>>,
}

impl Surface for Cortex {
    fn name(&self) -> &'static str {
        "cortex"
    }

    fn identity(&self) -> Identity {
        Identity {
            name: "cortex-mcp",
            title: "",
            version: "1.0.0",
            instructions: "",
            tools_may_change: true,
        }
    }

    fn tools(&self) -> Vec<&'static ToolSpec> {
        tool::specs(tools::ALL)
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, ProtocolError> {
        tool::dispatch(self, tools::ALL, call)
    }
}

/// Answers `cortex_search`.
fn answer(surface: &Cortex, call: &Call<'_>) -> Result<Answer, ProtocolError> {
    let question = read(&call.arguments)?;
    let workspace = call.context.workspace.as_ref().map_err(error::host)?;
    let chunks = call.context.host.chunks(&workspace.root);
    let found = match chunks.map_err(|error| error::host(&error))? {
        Some(chunks) => in_files(&chunks, question)?,
        None => surface.in_index(call, &workspace.root, question)?,
    };
    let count = found.len();
    Ok(Answer::json(&map::found(found)).with_results(count))
}

/// The arguments. An empty query is reported before errors of the other arguments.
fn read(given: &Given) -> Result<CortexSearch, ProtocolError> {
    if CortexSearch::query(given).map_err(error::invalid)?.trim().is_empty() {
        return Err(error::empty_query());
    }
    CortexSearch::read(given).map_err(error::invalid)
}

/// Answers from chunk files.
fn in_files(
    chunks: &DocumentIndex,
    question: CortexSearch,
) -> Result<Vec<(Value, f32)>, ProtocolError> {
    let mut request = SearchRequest::new(question.query);
    request.limit = question.limit.0;
    request.mode = chunks.mode();
    request.filter = document::filter(&question.tags, &question.kinds)
        .map_err(|reason| error::search(&reason))?;
    let answer = chunks.search(&request).map_err(|error| error::engine(&error))?;
    if let Some(reason) = &answer.embed_failure {
        return Err(error::embedding(reason));
    }
    answer.hits.iter().map(served).collect()
}

/// A chunk of a chunk file with its score: the cosine similarity, or the keyword score relative to the best.
fn served(hit: &Hit) -> Result<(Value, f32), ProtocolError> {
    let chunk = serde_json::from_str(&hit.content);
    let score = hit.vector_score.or(hit.keyword_score).unwrap_or(hit.score);
    Ok((chunk.map_err(|error| error::search(&error.to_string()))?, score.clamp(-1.0, 1.0)))
}

impl Cortex {
    /// Answers from the project's index.
    fn in_index(
        &self,
        call: &Call<'_>,
        root: &Path,
        question: CortexSearch,
    ) -> Result<Vec<(Value, f32)>, ProtocolError> {
        let project = call.context.host.open(root).map_err(|error| error::host(&error))?;
        let Some(request) = request(question) else { return Ok(Vec::new()) };
        let answer = project.engine.search(&request, call.observer, call.cancel);
        self.shown(&project.engine, &answer.map_err(|error| error::engine(&error))?)
    }

    fn shown(
        &self,
        engine: &Engine,
        answer: &SearchAnswer,
    ) -> Result<Vec<(Value, f32)>, ProtocolError> {
        if let Some(reason) = &answer.embed_failure {
            return Err(error::embedding(reason));
        }
        let names = self.names(engine, answer).map_err(|error| error::engine(&error))?;
        let chunk = |hit| map::chunk(&ChunkSource::of_hit(hit), &names);
        Ok(answer.hits.iter().map(|hit| (chunk(hit), hit.score)).collect())
    }

    /// The names of the files in the generation that the answer is from.
    fn names(&self, engine: &Engine, answer: &SearchAnswer) -> Result<Arc<Names>, EngineError> {
        let generation = answer.generation.generation;
        let mut known = self.names.lock();
        if let Some((root, of, names)) = &*known
            && root == engine.root()
            && *of == generation
        {
            return Ok(names.clone());
        }
        let names = Arc::new(Names::new(&engine.indexed_paths()?));
        *known = Some((engine.root().to_path_buf(), generation, names.clone()));
        Ok(names)
    }
}

/// The engine's request; `None` if the types and tags exclude each other.
fn request(question: CortexSearch) -> Option<SearchRequest> {
    let mut request = SearchRequest::new(question.query);
    request.limit = question.limit.0;
    request.overviews = true;
    // The contract's unit is the chunk: its id and its text are those of the chunk files.
    request.whole_chunks = true;
    let filter = &mut request.filter;
    filter.chunk_kinds = question.kinds.iter().filter_map(|name| chunk_kind(name)).collect();
    // Overviews of documents have none of the contract's types, so exclude them.
    let kinds = &filter.chunk_kinds;
    if !kinds.is_empty() && !kinds.contains(&ChunkKind::Prose) {
        filter.tags.push("code".into());
    }
    for tag in question.tags {
        match chunk_kind(&tag) {
            // `documentation` is a tag of the file as well, so that its overview is found.
            None | Some(ChunkKind::Prose) => filter.tags.push(tag),
            Some(kind) if filter.chunk_kinds.is_empty() || filter.chunk_kinds.contains(&kind) => {
                filter.chunk_kinds = vec![kind];
            }
            Some(_) => return None,
        }
    }
    Some(request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::Pipeline;
    use groma_core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
    use groma_engine::PIPELINE_VERSION;
    use groma_store::EmbeddedStore;
    use groma_testkit::{Sandbox, Setup};

    /// A model that embeds passages and times out on queries.
    struct Slow;

    impl Embedder for Slow {
        fn identity(&self) -> EmbedderIdentity {
            EmbedderIdentity { name: "slow".into(), version: "1".into(), dimensions: 2 }
        }

        fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
            match role {
                TextRole::Passage => Ok(vec![Vector::quantise(&[1.0, 0.0]); texts.len()]),
                TextRole::Query => Err(EmbedError::Unavailable("timed out".into())),
            }
        }
    }

    fn question(query: &str) -> CortexSearch {
        let limit = tools::Limit(5);
        CortexSearch { query: query.into(), limit, tags: Vec::new(), kinds: Vec::new() }
    }

    /// The chunks of a chunk file.
    fn served_chunks(text: &str, embedder: Option<Arc<dyn Embedder>>) -> DocumentIndex {
        let chunks = file::read(text.as_bytes()).unwrap().chunks.into_iter().enumerate();
        let documents = chunks.map(|(number, chunk)| chunk.into_document(number)).collect();
        let identity = embedder.as_ref().map(|embedder| embedder.identity());
        let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: identity };
        DocumentIndex::build(&EmbeddedStore::in_memory(pipeline), documents, embedder).unwrap()
    }

    fn assert_embedding_failed(error: &ProtocolError) {
        assert_eq!(error.code, -32603);
        assert!(error.message.contains("embedding failed"), "{error:?}");
        assert!(error.message.contains("timed out"), "{error:?}");
    }

    #[test]
    fn a_question_that_cannot_be_embedded_is_an_error() {
        let setup = Setup { embedder: Some(Arc::new(Slow)), ..Setup::in_memory() };
        let sandbox = Sandbox::with(setup, "//- a.rs\nfn login() {}\n");
        let answer = sandbox.ask(&request(question("login")).unwrap());
        assert_embedding_failed(&Cortex::default().shown(sandbox.engine(), &answer).unwrap_err());
        let chunk = r#"{ "chunks": [{ "id": "a", "text": "login", "embedding": [1.0, 0.0] }] }"#;
        let chunks = served_chunks(chunk, Some(Arc::new(Slow)));
        assert_embedding_failed(&in_files(&chunks, question("login")).unwrap_err());
    }

    /// Points along the first axis for a text about cats, along the second for any other.
    struct Cats;

    impl Embedder for Cats {
        fn identity(&self) -> EmbedderIdentity {
            EmbedderIdentity { name: "cats".into(), version: "1".into(), dimensions: 2 }
        }

        fn embed(&self, _: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
            let direction =
                |text: &&str| if text.contains("cat") { [1.0, 0.0] } else { [0.0, 1.0] };
            Ok(texts.iter().map(|text| Vector::quantise(&direction(text))).collect())
        }
    }

    /// Many chunks of another type, which would fill every answer, before the last of these.
    fn pets() -> String {
        let chunk = |id: &str, kind: &str, tags: &[&str], text: &str| {
            let vector = if text.contains("cat") { [1.0, 0.0] } else { [0.0, 1.0] };
            serde_json::json!({
                "id": id, "chunk_type": kind, "tags": tags, "text": text, "embedding": vector,
            })
        };
        let mut chunks: Vec<Value> = (0..300)
            .map(|n| chunk(&format!("many-{n}"), "symbols", &["code"], "cat cat"))
            .collect();
        chunks.extend([
            chunk("dogs", "definitions", &["code", "go"], "dogs bark"),
            chunk("purrs", "documentation", &["docs", "Pets", "data"], "the cat purrs and sleeps"),
            chunk("a", "definitions", &["code", "rust"], "a cat"),
            chunk("odd", "", &["symbols"], "another cat"),
        ]);
        serde_json::json!({ "chunks": chunks }).to_string()
    }

    #[test]
    fn filters_apply_before_ranking() {
        for embedder in [None, Some(Arc::new(Cats) as Arc<dyn Embedder>)] {
            let chunks = served_chunks(&pets(), embedder);
            let found = |kinds: &[&str], tags: &[&str]| -> Vec<Value> {
                let owned = |texts: &[&str]| texts.iter().map(|text| text.to_string()).collect();
                let asked =
                    CortexSearch { kinds: owned(kinds), tags: owned(tags), ..question("cat") };
                let found = in_files(&chunks, asked).unwrap();
                found.into_iter().map(|(mut chunk, _)| chunk["id"].take()).collect()
            };
            assert_eq!(found(&["documentation"], &[]), ["purrs"]);
            assert_eq!(found(&["definitions", "documentation"], &["code", "rust"]), ["a"]);
            assert_eq!(found(&[], &["pets", "documentation"]), ["purrs"]);
            assert_eq!(found(&[], &["data"]), ["purrs"], "a tag, not a type");
            assert_eq!(found(&["data"], &[]), [""; 0]);
            assert_eq!(found(&[], &["symbols"])[..2], ["many-0", "many-1"], "in their order");
            assert_eq!(found(&[], &["code", "pets"]), [""; 0]);
        }
    }

    #[test]
    fn scores_are_cosines_or_relative_to_the_best() {
        let scores = |chunks: &DocumentIndex, query: &str| -> Vec<(Value, f32)> {
            let asked = CortexSearch { kinds: vec!["definitions".into()], ..question(query) };
            let found = in_files(chunks, asked).unwrap().into_iter();
            found.map(|(mut chunk, score)| (chunk["id"].take(), (score * 100.0).round())).collect()
        };
        let by_vector = served_chunks(&pets(), Some(Arc::new(Cats)));
        assert_eq!(scores(&by_vector, "cattle"), [("a".into(), 100.0), ("dogs".into(), 0.0)]);
        let by_keywords = served_chunks(&pets(), None);
        assert_eq!(scores(&by_keywords, "barking"), [("dogs".into(), 100.0)]);
        assert_eq!(scores(&by_keywords, "cattle"), []);
        assert_eq!(scores(&served_chunks(r#"{ "chunks": [] }"#, None), "cat"), []);
    }
}
