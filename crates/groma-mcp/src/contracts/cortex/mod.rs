//! The Cortex contract: one search over code and documents.
//!
//! It answers from the project's index, or from a folder of chunk files where there is one. Answers are the
//! document's objects as JSON text, never with a vector in them.

mod error;
pub mod file;
mod map;
mod names;
mod text;
mod tools;

pub use names::{Names, chunk_type};

use crate::arguments::{Arguments, Given};
use crate::surface::{Answer, Call, Identity, ProtocolError, Surface};
use crate::tool::{self, ToolSpec};
use groma_core::{ChunkKind, Generation, Locked};
use groma_engine::{Collection, CollectionQuery, Engine, EngineError, SearchAnswer, SearchRequest};
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
    Ok(Answer::json(&map::found(found)))
}

/// The arguments. An empty query is reported before errors of the other arguments.
fn read(given: &Given) -> Result<CortexSearch, ProtocolError> {
    CortexSearch::check_names(given).map_err(error::invalid)?;
    if CortexSearch::query(given).map_err(error::invalid)?.trim().is_empty() {
        return Err(error::empty_query());
    }
    CortexSearch::read_fields(given).map_err(error::invalid)
}

/// Answers from chunk files.
fn in_files(
    chunks: &Collection<Value>,
    question: CortexSearch,
) -> Result<Vec<(Value, f32)>, ProtocolError> {
    let CortexSearch { query: text, limit, tags, kinds } = question;
    let found = chunks.search(&CollectionQuery { text, limit: limit.0, kinds, tags });
    let found = found.map_err(error::embedder)?;
    Ok(found.into_iter().map(|(chunk, score)| (chunk.clone(), score)).collect())
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
    use groma_core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
    use groma_engine::CollectionEntry;
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
        let entry = CollectionEntry {
            text: "login".into(),
            kind: "symbols".into(),
            tags: Vec::new(),
            vector: Some(Vector::quantise(&[1.0, 0.0])),
            payload: Value::Null,
        };
        let chunks = Collection::new(vec![entry], Some(Box::new(Slow)));
        assert_embedding_failed(&in_files(&chunks, question("login")).unwrap_err());
    }
}
