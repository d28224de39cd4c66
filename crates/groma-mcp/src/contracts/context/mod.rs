//! The Context Tool contract: `context_search`, `read_file` and `grep_codebase`, to the letter of its document.
//!
//! Errors are told in the result, never by the protocol. A call is counted against the minute's limit of its tool
//! before anything else is looked at.

mod grep;
mod limits;
mod read;
mod search;
mod tools;
mod trouble;

use crate::documents::Documents;
use crate::host::Project;
use crate::surface::{Answer, Call, Fault, Identity, Resources, Session, Surface};
use crate::tool::ToolSpec;
use crate::visits::Visits;
use groma_engine::core::RelPath;
use limits::Limits;
use serde_json::Value;
use std::sync::Arc;
use trouble::Trouble;

/// The Context Tool contract.
#[derive(Default)]
pub struct ContextTool {
    limits: Limits,
    visits: Visits,
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

    fn tools(&self) -> &'static [ToolSpec] {
        tools::ALL
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        let answered = self.answered(call);
        // As `JSON.stringify(results, null, 2)` has it.
        Ok(answered.map_or_else(Trouble::answer, |value| Answer::text(format!("{value:#}"))))
    }

    fn unknown_tool(&self, name: &str) -> Result<Answer, Fault> {
        Ok(Trouble::told(format!("Unknown tool: {name}"), name).answer())
    }

    fn ended(&self, session: &Session) {
        self.visits.ended(session);
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(&Documents)
    }
}

/// What a call gave, and what its session is to remember of it.
struct Done {
    shown: Value,
    topic: Option<String>,
    files: Vec<RelPath>,
}

impl ContextTool {
    fn answered(&self, call: &Call<'_>) -> Result<Value, Trouble> {
        let tool = call.tool.name;
        if !self.limits.admits(tool) {
            return Err(Trouble::told(format!("Rate limit exceeded for {tool}"), tool));
        }
        match &*call.arguments.complaints() {
            [] => {}
            wrong => return Err(Trouble::arguments(wrong, &call.arguments)),
        }
        let project = project(call)?;
        let done = dispatch(call, &project)?;
        self.visits.note(call, project, done.topic.as_deref(), &done.files);
        Ok(done.shown)
    }
}

fn dispatch(call: &Call<'_>, project: &Project) -> Result<Done, Trouble> {
    match call.tool.name {
        "context_search" => search::context_search(call, project),
        "read_file" => read::read_file(call, project),
        "grep_codebase" => grep::grep_codebase(call, project),
        other => Err(Trouble::told(format!("{other} has no handler"), other)),
    }
}

/// The project the client works in.
fn project(call: &Call<'_>) -> Result<Arc<Project>, Trouble> {
    let open = || match call.visit.place {
        Some(place) => call.visit.host.open(&place.root),
        None => call.visit.host.open(&call.visit.host.place(None)?.root),
    };
    open().map_err(|error| Trouble::project(&error, call.tool.name))
}
