//! The Context Tool contract: `context_search`, `read_file` and `grep_codebase`, to the letter of its document.
//!
//! Errors are told in the result, never by the protocol. A call is counted against the minute's limit of its tool
//! before anything else is looked at.

mod grep;
mod limits;
mod read;
mod resources;
mod search;
mod tools;
mod trouble;

use crate::host::Project;
use crate::surface::{Answer, Call, Fault, Identity, Resources, Session, Surface};
use crate::tool::ToolSpec;
use groma_engine::core::RelPath;
use groma_engine::notebook::Activity;
use limits::Limits;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use trouble::Trouble;

/// The Context Tool contract.
#[derive(Default)]
pub struct ContextTool {
    limits: Limits,
    /// Where each connection works, for when it ends.
    visited: Mutex<HashMap<String, Arc<Project>>>,
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
        let visited =
            self.visited.lock().unwrap_or_else(PoisonError::into_inner).remove(&session.id);
        if let Some(project) = visited {
            // The session will be taken for ended all the same, half an hour later.
            let _ = project.engine.end_session(&session.id);
        }
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(self)
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
        self.note(call, project, &done);
        Ok(done.shown)
    }

    /// Notes the access to files and what the session did. The answer is worth having even if that fails.
    fn note(&self, call: &Call<'_>, project: Arc<Project>, done: &Done) {
        let connection = &*call.visit.session.id;
        project.engine.record_access(&done.files);
        project.engine.note(&Activity {
            connection,
            tool: call.tool.name,
            topic: done.topic.as_deref(),
            files: &done.files,
        });
        let mut visited = self.visited.lock().unwrap_or_else(PoisonError::into_inner);
        visited.insert(connection.to_string(), project);
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
