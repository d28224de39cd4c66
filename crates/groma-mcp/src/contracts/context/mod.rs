//! The Context Tool contract: `context_search`, `read_file` and `grep_codebase`, to the letter of its document.
//!
//! Errors are part of the result, never protocol errors. A call counts against the rate limit of its tool before
//! its arguments are checked.

mod error;
mod grep;
mod limits;
mod read;
mod search;
mod tools;

use crate::activity::Entry;
use crate::arguments::Arguments;
use crate::documents::Documents;
use crate::host::Project;
use crate::surface::{Answer, Call, Gist, Identity, ProtocolError, Resources, Surface};
use crate::tool::{self, Tool, ToolInfo, ToolSpec};
use error::Error;
use groma_core::RelPath;
use limits::Limits;
use serde_json::{Map, Value};
use std::sync::Arc;
use std::time::Duration;

/// The Context Tool contract.
#[derive(Default)]
pub struct ContextTool {
    limits: Limits,
}

impl Surface for ContextTool {
    fn name(&self) -> &'static str {
        "context"
    }

    fn identity(&self) -> Identity {
        Identity {
            name: "context-tool",
            title: "Context Tool",
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

    fn unknown_tool(&self, name: &str) -> Result<Answer, ProtocolError> {
        Ok(Error::message(format!("Unknown tool: {name}"), name).answer())
    }

    fn panicked(&self, tool: &str, error: ProtocolError) -> Result<Answer, ProtocolError> {
        Ok(Error::message(error.message, tool).answer())
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(&Documents::OF_CONTRACT)
    }

    /// The column "Max Time" of the document's table.
    fn max_time(&self, tool: &str, arguments: Option<&Map<String, Value>>) -> Duration {
        let flag = arguments.and_then(|given| given.get("includeDeps"));
        let with_dependencies = flag.and_then(Value::as_bool) == Some(true);
        match tool {
            "read_file" if !with_dependencies => Duration::from_millis(500),
            "read_file" => Duration::from_secs(2),
            "grep_codebase" => Duration::from_secs(3),
            _ => Duration::from_secs(5),
        }
    }
}

/// A result, and what the notebook records of the call.
struct Reply {
    result: Value,
    /// How many results a search has.
    found: Option<usize>,
    topic: Option<String>,
    files: Vec<RelPath>,
}

/// The arguments of a tool, which know how to answer a call.
trait ContextCall: Arguments {
    fn answer(self, call: &Call<'_>, project: &Project) -> Result<Reply, Error>;
}

const fn tool<A: ContextCall>(info: ToolInfo) -> Tool<ContextTool> {
    Tool::new::<A>(info, |surface, call| {
        Ok(surface.answer::<A>(call).unwrap_or_else(Error::answer))
    })
}

impl ContextTool {
    fn answer<A: ContextCall>(&self, call: &Call<'_>) -> Result<Answer, Error> {
        let tool = call.tool;
        if !self.limits.admits(tool) {
            return Err(Error::rate_limit(tool));
        }
        let arguments =
            A::read(&call.arguments).map_err(|_| Error::arguments(&A::errors(&call.arguments)))?;
        let project = project(call)?;
        let reply = arguments.answer(call, &project)?;
        call.record(&Entry { project, topic: reply.topic, files: reply.files });
        // The format of `JSON.stringify(results, null, 2)`.
        let answer = Answer::text(format!("{:#}", reply.result));
        let gist = Gist { error: None, results: reply.found };
        Ok(Answer { gist, ..answer })
    }
}

/// The project the client works in.
fn project(call: &Call<'_>) -> Result<Arc<Project>, Error> {
    let failed = |error: &_| Error::project(error, call.tool);
    let workspace = call.context.workspace.as_ref().map_err(failed)?;
    call.context.host.open(&workspace.root).map_err(|error| failed(&error))
}
