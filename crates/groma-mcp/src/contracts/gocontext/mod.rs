//! The GoContext contract: index, search and status of Go projects, each with an index of its own.
//!
//! Only Go is indexed, with or without tests and vendored code as `index_codebase` was told; what it was told last
//! counts for every later search, here and in other processes. Errors are those of the protocol, with the numbers
//! of the document. Arguments are checked in this order: which project, what question, whether the path can be
//! used, whether it is indexed, everything else.

mod map;
mod tools;
mod trouble;

use crate::arguments::Complaint;
use crate::host::{Project, Scope};
use crate::surface::{Answer, Call, Fault, Identity, Surface};
use crate::tool::ToolSpec;
use groma_engine::core::ChunkKind;
use groma_engine::{Context, GoModule, Goal, Run, SearchMode, SearchRequest, has_language};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The name of this contract and of its indexes.
const NAME: &str = "gocontext";

/// The GoContext contract.
pub struct GoContext;

impl Surface for GoContext {
    fn name(&self) -> &'static str {
        NAME
    }

    fn identity(&self) -> Identity {
        Identity {
            name: "gocontext-mcp",
            title: "",
            version: "1.0.0",
            instructions: "",
            tools_may_change: false,
        }
    }

    fn tools(&self) -> &'static [ToolSpec] {
        tools::ALL
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        let value = match call.tool.name {
            "index_codebase" => index_codebase(call),
            "search_code" => search_code(call),
            _ => get_status(call),
        }?;
        Ok(Answer { structured: Some(value.clone()), ..Answer::json(&value) })
    }
}

/// Makes or refreshes the index of a project.
fn index_codebase(call: &Call<'_>) -> Result<Value, Fault> {
    let wrong = complained(call);
    let arguments = &call.arguments;
    let path = absolute(call)?;
    // Asked for what it says of the path.
    call.visit.host.scoped(&path, NAME).map_err(trouble::host)?;
    arguments.check().map_err(&wrong)?;
    if !is_go(&path)? {
        return Err(trouble::no_project());
    }
    let scope = Scope {
        name: NAME.into(),
        languages: vec!["go".into()],
        vendored: arguments.is_set("include_vendor").map_err(&wrong)?,
        exclude: match arguments.is_set("include_tests").map_err(&wrong)? {
            true => Vec::new(),
            false => vec!["*_test.go".into()],
        },
    };
    let project = call.visit.host.open_scoped(&path, &scope).map_err(trouble::host)?;
    let engine = &project.engine;
    let is_forced = arguments.is_set("force_reindex").map_err(&wrong)?;
    let goal = if is_forced { Goal::Rebuild } else { Goal::Complete };
    let run = Run::new(goal, call.observer, call.cancel).waiting(Duration::ZERO);
    let report = engine.run(&run).map_err(trouble::run)?;
    call.visit.host.keep_scope(&path, &scope).map_err(trouble::host)?;
    let status = engine.status().map_err(trouble::engine)?;
    Ok(map::indexed(&project, &report, &status))
}

/// Whether a folder is a Go project at all, whichever of its files are wanted.
fn is_go(path: &Path) -> Result<bool, Fault> {
    let has_go = || has_language(path, "go").map_err(trouble::engine);
    Ok(GoModule::at(path).is_some() || has_go()?)
}

/// Answers a question.
fn search_code(call: &Call<'_>) -> Result<Value, Fault> {
    let wrong = complained(call);
    let path = call.arguments.required_text("path").map_err(&wrong)?;
    let query = call.arguments.required_text("query").map_err(&wrong)?;
    if query.trim().is_empty() {
        return Err(trouble::empty_query());
    }
    let project = indexed(call, &rooted(path)?)?.ok_or_else(trouble::not_indexed)?;
    call.arguments.check().map_err(&wrong)?;
    let request = request(call, query)?;
    let started = Instant::now();
    let answer = project.engine.search(&request, call.observer, call.cancel);
    Ok(map::found(&request, &answer.map_err(trouble::engine)?, started.elapsed()))
}

/// The engine's request.
fn request(call: &Call<'_>, query: &str) -> Result<SearchRequest, Fault> {
    let wrong = complained(call);
    let arguments = &call.arguments;
    let filters = arguments.object("filters").map_err(&wrong)?;
    let mut request = SearchRequest::new(query);
    request.limit = arguments.count("limit").map_err(&wrong)?.unwrap_or(request.limit);
    let mode = arguments.text("search_mode").map_err(&wrong)?;
    request.mode = mode.and_then(|mode| mode.parse().ok()).unwrap_or(SearchMode::Hybrid);
    request.context = Context::Surroundings;
    request.min_score = filters.number("min_relevance").map_err(&wrong)?.unwrap_or(0.0) as f32;
    let wanted = &mut request.filter;
    // What is found is code; an overview of a file is none.
    wanted.chunk_kinds = vec![ChunkKind::Definitions, ChunkKind::Data];
    wanted.packages = filters.texts("packages").map_err(&wrong)?;
    let kinds = filters.texts("symbol_types").map_err(&wrong)?;
    wanted.symbol_kinds = kinds.iter().filter_map(|name| map::symbol_kind(name)).collect();
    let patterns = filters.texts("ddd_patterns").map_err(&wrong)?;
    wanted.patterns = patterns.iter().filter_map(|name| name.parse().ok()).collect();
    if let Some(glob) = filters.text("file_pattern").map_err(&wrong)? {
        let unfit = |reason| trouble::invalid("filters.file_pattern", reason);
        wanted.set_paths(&[glob]).map_err(unfit)?;
    }
    Ok(request)
}

/// Tells whether and how a project is indexed.
fn get_status(call: &Call<'_>) -> Result<Value, Fault> {
    let path = absolute(call)?;
    let project = indexed(call, &path)?;
    call.arguments.check().map_err(complained(call))?;
    let Some(project) = project else { return Ok(map::unknown()) };
    let status = project.engine.status().map_err(trouble::engine)?;
    let Some(generation) = &status.generation else { return Ok(map::unknown()) };
    let module = GoModule::at(&project.root).unwrap_or_default();
    Ok(map::known(&project, &module, &status, generation))
}

/// The project as it was indexed last; `None` when it never was.
fn indexed(call: &Call<'_>, path: &Path) -> Result<Option<Arc<Project>>, Fault> {
    call.visit.host.scoped(path, NAME).map_err(trouble::host)
}

/// The path that every tool takes.
fn absolute(call: &Call<'_>) -> Result<PathBuf, Fault> {
    rooted(call.arguments.required_text("path").map_err(complained(call))?)
}

fn rooted(path: &str) -> Result<PathBuf, Fault> {
    match Path::new(path).is_absolute() {
        true => Ok(PathBuf::from(path)),
        false => Err(trouble::invalid("path", format!("Path must be absolute, not {path:?}"))),
    }
}

fn complained(call: &Call<'_>) -> impl Fn(Complaint) -> Fault {
    let parameters = call.tool.parameters;
    move |complaint| trouble::complaint(&complaint, parameters)
}
