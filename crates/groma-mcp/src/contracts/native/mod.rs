//! The native surface: every capability in few tools, answers made for a model's context window.

mod analyze;
mod error;
mod grep;
mod index;
mod notebook;
mod outline;
mod read;
mod render;
mod search;
mod symbol;
mod tools;

use crate::activity::Entry;
use crate::arguments::Arguments;
use crate::documents::Documents;
use crate::host::Project;
use crate::surface::{Answer, Call, Identity, ProtocolError, Resources, Surface};
use crate::tool::{self, Tool, ToolInfo, ToolSpec};
use error::Error;
use groma_engine::RefEngine;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The native surface.
#[derive(Default)]
pub struct Native {
    /// Whether the tools that maintain and explain the index are offered, too.
    all_tools: bool,
}

impl Native {
    /// The surface with every tool.
    pub fn with_all_tools() -> Self {
        Self { all_tools: true }
    }

    fn offered(&self) -> &'static [Tool<Native>] {
        if self.all_tools { tools::ALL } else { &tools::ALL[..tools::DEFAULT] }
    }
}

impl Surface for Native {
    fn name(&self) -> &'static str {
        "native"
    }

    fn identity(&self) -> Identity {
        Identity {
            name: "groma",
            title: "Groma",
            version: env!("CARGO_PKG_VERSION"),
            instructions: tools::INSTRUCTIONS,
            tools_may_change: false,
        }
    }

    fn tools(&self) -> Vec<&'static ToolSpec> {
        tool::specs(self.offered())
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, ProtocolError> {
        tool::dispatch(self, self.offered(), call)
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(&Documents)
    }
}

/// The arguments of a tool, which know how to answer a call.
trait NativeTool: Arguments {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error>;
}

const fn tool<A: NativeTool>(info: ToolInfo) -> Tool<Native> {
    Tool::new::<A>(info, handle::<A>)
}

fn handle<A: NativeTool>(_: &Native, call: &Call<'_>) -> Result<Answer, ProtocolError> {
    let arguments = A::read(&call.arguments).map_err(Error::from);
    match arguments.and_then(|arguments| arguments.answer(call)) {
        Ok(reply) => {
            if let Some(entry) = &reply.activity {
                call.record(entry);
            }
            Ok(reply.answer)
        }
        Err(error) => error.answer(),
    }
}

/// An answer, and what the notebook records of the call.
struct Reply {
    answer: Answer,
    activity: Option<Entry>,
}

impl Reply {
    /// The answer to a question about a project.
    fn about(project: Arc<Project>, topic: Option<String>, answer: Answer) -> Self {
        Self { answer, activity: Some(Entry { project, topic, files: Vec::new() }) }
    }
}

/// The answer to a call that maintains an index; it is not recorded.
impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self { answer, activity: None }
    }
}

/// The project a call names, or else the client's.
fn project(call: &Call<'_>, named: Option<&str>) -> Result<Arc<Project>, Error> {
    let host = call.context.host;
    if let Some(path) = named {
        return Ok(host.open(&host.workspace(Some(Path::new(path)))?.root)?);
    }
    let workspace = call.context.workspace.as_ref()?;
    Ok(host.open(&workspace.root)?)
}

/// The engine of the ref a call names, or else of the working tree.
fn engine<'p>(project: &'p Project, reference: Option<&str>) -> Result<RefEngine<'p>, Error> {
    Ok(project.engine.at(reference.map(str::trim).filter(|name| !name.is_empty()))?)
}

/// The answer in the requested form.
fn formatted(format: &str, value: impl FnOnce() -> Value, text: impl FnOnce() -> String) -> Answer {
    if format == "json" { render::data(value()) } else { Answer::text(text()) }
}
