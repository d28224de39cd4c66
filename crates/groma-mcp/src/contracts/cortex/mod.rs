//! The Cortex contract: one search over code and documents.
//!
//! It answers from the project's index, or from a folder of chunk files where there is one. Answers are the
//! document's objects as JSON text, never with a vector in them.

pub mod file;
mod map;
mod names;
mod text;
mod tools;
mod trouble;

pub use names::Names;

use crate::arguments::{Arguments, Complaint};
use crate::surface::{Answer, Call, Fault, Identity, Surface};
use crate::tool::ToolSpec;
use groma_engine::core::{ChunkKind, Generation};
use groma_engine::{Collection, CollectionQuery, Engine, EngineError, SearchAnswer, SearchRequest};
use map::Source;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The Cortex contract.
#[derive(Default)]
pub struct Cortex {
    /// The names of the project that was asked about last: making them reads every path.
    names: Mutex<Option<(PathBuf, Generation, Arc<Names>)>>,
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

    fn tools(&self) -> &'static [ToolSpec] {
        tools::ALL
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        let question = Question::read(&call.arguments)?;
        let host = call.visit.host;
        let root = match call.visit.place {
            Some(place) => place.root.clone(),
            None => host.place(None).map_err(trouble::host)?.root,
        };
        let found = match host.chunks(&root).map_err(trouble::host)? {
            Some(chunks) => in_files(&chunks, question)?,
            None => self.in_index(call, &root, question)?,
        };
        Ok(Answer::json(&map::found(found)))
    }
}

/// What is asked.
struct Question {
    query: String,
    limit: usize,
    tags: Vec<String>,
    kinds: Vec<String>,
}

impl Question {
    fn read(arguments: &Arguments) -> Result<Self, Fault> {
        let wrong = |complaint: Complaint| trouble::invalid(&complaint);
        arguments.check_names().map_err(wrong)?;
        let query = arguments.required_text("query").map_err(wrong)?;
        if query.trim().is_empty() {
            return Err(trouble::empty_query());
        }
        Ok(Self {
            query: query.to_string(),
            limit: limit(arguments).map_err(wrong)?,
            tags: arguments.texts("tags").map_err(wrong)?,
            kinds: arguments.texts("chunk_types").map_err(wrong)?,
        })
    }
}

/// A limit is brought into its range, not refused; zero counts as not given.
fn limit(arguments: &Arguments) -> Result<usize, Complaint> {
    let Some(given) = arguments.raw("limit") else { return Ok(tools::DEFAULT_LIMIT) };
    match given.as_f64().filter(|number| number.fract() == 0.0) {
        Some(0.0) => Ok(tools::DEFAULT_LIMIT),
        Some(number) => Ok(number.clamp(1.0, tools::MOST as f64) as usize),
        // No whole number: the ordinary check says so.
        None => arguments.integer("limit").map(|_| tools::DEFAULT_LIMIT),
    }
}

/// Answers from chunk files.
fn in_files(chunks: &Collection<Value>, question: Question) -> Result<Vec<(Value, f32)>, Fault> {
    let Question { query: text, limit, tags, kinds } = question;
    let found = chunks.search(&CollectionQuery { text, limit, kinds, tags });
    let found = found.map_err(trouble::embedder)?;
    Ok(found.into_iter().map(|(chunk, score)| (chunk.clone(), score)).collect())
}

impl Cortex {
    /// Answers from the project's index.
    fn in_index(
        &self,
        call: &Call<'_>,
        root: &Path,
        question: Question,
    ) -> Result<Vec<(Value, f32)>, Fault> {
        let project = call.visit.host.open(root).map_err(trouble::host)?;
        let answer = project.engine.search(&request(question), call.observer, call.cancel);
        self.shown(&project.engine, &answer.map_err(trouble::engine)?)
    }

    fn shown(&self, engine: &Engine, answer: &SearchAnswer) -> Result<Vec<(Value, f32)>, Fault> {
        if let Some(reason) = &answer.embed_failure {
            return Err(trouble::embedding(reason));
        }
        let names = self.names(engine, answer).map_err(trouble::engine)?;
        let chunk = |hit| map::chunk(&Source::of_hit(hit), &names);
        Ok(answer.hits.iter().map(|hit| (chunk(hit), hit.score)).collect())
    }

    /// The names of the files that the answer was made from.
    fn names(&self, engine: &Engine, answer: &SearchAnswer) -> Result<Arc<Names>, EngineError> {
        let generation = answer.generation.generation;
        let mut known = self.names.lock().unwrap_or_else(PoisonError::into_inner);
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

fn request(question: Question) -> SearchRequest {
    let mut request = SearchRequest::new(question.query);
    request.limit = question.limit;
    request.overviews = true;
    let filter = &mut request.filter;
    filter.tags = question.tags;
    filter.chunk_kinds = question.kinds.iter().filter_map(|kind| kind.parse().ok()).collect();
    // Overviews of documents are none of the document's types, so they must not crowd out those of code.
    let kinds = &filter.chunk_kinds;
    if !kinds.is_empty() && !kinds.contains(&ChunkKind::Documentation) {
        filter.tags.push("code".into());
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_engine::CollectionEntry;
    use groma_engine::core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
    use groma_testkit::{Sandbox, Setup};

    /// A model that embeds passages and answers no question in time.
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

    fn question(query: &str) -> Question {
        Question { query: query.into(), limit: 5, tags: Vec::new(), kinds: Vec::new() }
    }

    fn is_told(fault: &Fault) {
        assert_eq!(fault.code, -32603);
        assert!(fault.message.contains("embedding failed"), "{fault:?}");
        assert!(fault.message.contains("timed out"), "{fault:?}");
    }

    #[test]
    fn a_question_that_cannot_be_embedded_is_an_error() {
        let setup = Setup { embedder: Some(Arc::new(Slow)), ..Setup::in_memory() };
        let sandbox = Sandbox::with(setup, "//- a.rs\nfn login() {}\n");
        let answer = sandbox.ask(&request(question("login")));
        is_told(&Cortex::default().shown(sandbox.engine(), &answer).unwrap_err());
        let entry = CollectionEntry {
            text: "login".into(),
            kind: "symbols".into(),
            tags: Vec::new(),
            vector: Some(Vector::quantise(&[1.0, 0.0])),
            payload: Value::Null,
        };
        let chunks = Collection::new(vec![entry], Some(Box::new(Slow)));
        is_told(&in_files(&chunks, question("login")).unwrap_err());
    }
}
