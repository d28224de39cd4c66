//! The GoContext contract: index, search and status of Go projects, each with a sub-index of its own.
//!
//! Only Go is indexed, with or without tests and vendored code according to the arguments of the last
//! `index_codebase`, in any process. Errors are protocol errors with the codes of the document. Arguments are checked
//! in this order: the project, the query, whether the path is usable, whether it is indexed, everything else.

mod ddd;
mod error;
mod map;
mod tools;

use crate::arguments::Arguments;
use crate::host::{Project, SubIndex};
use crate::surface::{Answer, Call, Identity, ProtocolError, Surface};
use crate::tool::{self, Tool, ToolInfo, ToolSpec};
use groma_core::{ChunkKind, JobTask, RefName};
use groma_engine::{
    Context, EngineError, GoModule, Goal, JobRequest, Run, SearchMode, SearchRequest, has_language,
};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tools::{GetStatus, IndexCodebase, SearchCode};

/// The name of this contract and of its sub-indexes.
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

    fn tools(&self) -> Vec<&'static ToolSpec> {
        tool::specs(tools::ALL)
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, ProtocolError> {
        tool::dispatch(self, tools::ALL, call)
    }
}

/// The arguments of a tool. Each tool checks its own, in the order of the contract.
trait GoTool: Arguments {
    fn answer(call: &Call<'_>) -> Result<Value, ProtocolError>;
}

const fn tool<A: GoTool>(info: ToolInfo) -> Tool<GoContext> {
    Tool::new::<A>(info, |_, call| A::answer(call).map(Answer::data))
}

impl GoTool for IndexCodebase {
    fn answer(call: &Call<'_>) -> Result<Value, ProtocolError> {
        let given = &call.arguments;
        let path = absolute(&Self::path(given).map_err(error::argument)?)?;
        // Only to validate the path before the other arguments.
        indexed(call, &path)?;
        let arguments = Self::read(given).map_err(error::argument)?;
        if !is_go(&path)? {
            return Err(error::no_project());
        }
        let options = arguments.sub_index();
        let host = call.context.host;
        let project = host.open_sub_index(&path, &options).map_err(error::host)?;
        let engine = &project.engine;
        let goal = if arguments.force_reindex { Goal::Rebuild } else { Goal::Complete };
        let run = Run::new(goal, call.observer, call.cancel).waiting(Duration::ZERO);
        let report = engine.run(&run).map_err(error::run)?;
        host.save_sub_index(&path, &options).map_err(error::host)?;
        let request = JobRequest {
            task: JobTask::Index,
            reference: RefName::live(),
            force: arguments.force_reindex,
        };
        project.jobs.record_run(&request, &report).map_err(error::engine)?;
        let status = engine.status().map_err(error::engine)?;
        Ok(map::indexed(&project, &report, &status))
    }
}

impl IndexCodebase {
    fn sub_index(&self) -> SubIndex {
        let tests = if self.include_tests { Vec::new() } else { vec!["*_test.go".into()] };
        SubIndex {
            name: NAME.into(),
            languages: vec!["go".into()],
            vendored: self.include_vendor,
            exclude: tests,
        }
    }
}

/// Whether a folder is a Go project at all, whichever of its files are indexed.
fn is_go(path: &Path) -> Result<bool, ProtocolError> {
    Ok(GoModule::at(path).is_some() || has_language(path, "go").map_err(error::engine)?)
}

impl GoTool for SearchCode {
    fn answer(call: &Call<'_>) -> Result<Value, ProtocolError> {
        let given = &call.arguments;
        let path = Self::path(given).map_err(error::argument)?;
        if Self::query(given).map_err(error::argument)?.trim().is_empty() {
            return Err(error::empty_query());
        }
        let project = indexed(call, &absolute(&path)?)?.ok_or_else(error::not_indexed)?;
        let request = Self::read(given).map_err(error::argument)?.request()?;
        let started = Instant::now();
        let answer = project.engine.search(&request, call.observer, call.cancel);
        Ok(map::found(&request, &answer.map_err(error::engine)?, started.elapsed()))
    }
}

impl SearchCode {
    fn request(self) -> Result<SearchRequest, ProtocolError> {
        let filters = self.filters;
        let mut request = SearchRequest::new(self.query);
        request.limit = self.limit;
        request.mode = self.mode.parse().unwrap_or(SearchMode::Hybrid);
        request.context = Context::Surroundings;
        request.min_score = filters.min_relevance.unwrap_or(0.0) as f32;
        let filter = &mut request.filter;
        // Results are code, not overviews of files.
        filter.chunk_kinds = vec![ChunkKind::Code, ChunkKind::Data];
        filter.packages = filters.packages;
        let kinds = filters.symbol_types.iter();
        filter.symbol_kinds = kinds.filter_map(|name| map::symbol_kind(name)).collect();
        filter.symbol = ddd::predicate(filters.ddd_patterns);
        if let Some(glob) = filters.file_pattern {
            let invalid = |reason| error::invalid("filters.file_pattern", reason);
            filter.set_paths(&[glob]).map_err(invalid)?;
        }
        Ok(request)
    }
}

impl GoTool for GetStatus {
    fn answer(call: &Call<'_>) -> Result<Value, ProtocolError> {
        let given = &call.arguments;
        let path = absolute(&Self::path(given).map_err(error::argument)?)?;
        let project = indexed(call, &path)?;
        Self::read(given).map_err(error::argument)?;
        let Some(project) = project else { return Ok(map::unknown()) };
        let status = project.engine.status().map_err(error::engine)?;
        let Some(generation) = &status.generation else { return Ok(map::unknown()) };
        let module = GoModule::at(&project.root).unwrap_or_default();
        let duration = indexing_duration(&project).map_err(error::engine)?;
        let duration = duration.unwrap_or(Duration::from_millis(generation.duration_ms));
        Ok(map::known(&project, &module, &status, generation, duration))
    }
}

/// How long the last `index_codebase` took. Changes that were indexed since, in the background, do not count.
fn indexing_duration(project: &Project) -> Result<Option<Duration>, EngineError> {
    let last = project.jobs.recent(1)?.into_iter().next();
    Ok(last.and_then(|job| job.duration_ms).map(Duration::from_millis))
}

/// The project with the options of its last index run; `None` if it was never indexed.
fn indexed(call: &Call<'_>, path: &Path) -> Result<Option<Arc<Project>>, ProtocolError> {
    call.context.host.sub_index(path, NAME).map_err(error::host)
}

fn absolute(path: &str) -> Result<PathBuf, ProtocolError> {
    if Path::new(path).is_absolute() {
        Ok(PathBuf::from(path))
    } else {
        Err(error::invalid("path", format!("Path must be absolute, not {path:?}")))
    }
}
