//! The native surface: every capability in few tools, answers made for a model's context window.

mod analyze;
mod grep;
mod index;
mod locate;
mod notebook;
mod read;
mod render;
mod search;
mod tools;
pub(super) mod trouble;

use crate::documents::Documents;
use crate::host::Project;
use crate::surface::{Answer, Call, Fault, Identity, Resources, Session, Surface};
use crate::tool::ToolSpec;
use crate::visits::Visits;
use groma_engine::RefEngine;
use groma_engine::core::RelPath;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use trouble::Trouble;

/// The native surface.
#[derive(Default)]
pub struct Native {
    visits: Visits,
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

    fn tools(&self) -> &'static [ToolSpec] {
        tools::ALL
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        call.arguments
            .check()
            .map_err(Trouble::from)
            .and_then(|()| {
                let mut files = Vec::new();
                let answer = dispatch(call, &mut files)?;
                self.note(call, &files);
                Ok(answer)
            })
            .or_else(Trouble::answer)
    }

    fn ended(&self, session: &Session) {
        self.visits.ended(session);
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(&Documents)
    }
}

impl Native {
    /// Notes a call in the notebook of its project, except those that keep or drop an index.
    fn note(&self, call: &Call<'_>, files: &[RelPath]) {
        let asks = !matches!(call.tool.name, "index_codebase" | "index_status" | "clear_index");
        if let Some(project) = asks.then(|| project(call).ok()).flatten() {
            let topic = ["query", "name", "pattern"];
            let topic = topic.iter().find_map(|name| call.arguments.text(name).ok().flatten());
            self.visits.note(call, project, topic, files);
        }
    }
}

/// Answers a call; `files` are those that it read.
fn dispatch(call: &Call<'_>, files: &mut Vec<RelPath>) -> Result<Answer, Trouble> {
    match call.tool.name {
        "search_code" => search::search_code(call),
        "analyze_query" => analyze::analyze_query(call),
        "locate_symbol" => locate::locate_symbol(call),
        "grep_codebase" => grep::grep_codebase(call),
        "read_file" => read::read_file(call, files),
        "context_search" => notebook::context_search(call),
        "remember" => notebook::remember(call),
        "index_codebase" => index::index_codebase(call),
        "index_status" => index::index_status(call),
        "clear_index" => index::clear_index(call),
        other => Err(Trouble::Told(format!("{other} has no handler"))),
    }
}

/// The project a call is about: the one it names, or where the client works.
fn project(call: &Call<'_>) -> Result<Arc<Project>, Trouble> {
    let named = call.arguments.text("project")?;
    let root = match named {
        Some(path) => call.visit.host.place(Some(Path::new(path)))?.root,
        None => match call.visit.place {
            Some(place) => place.root.clone(),
            None => call.visit.host.place(None)?.root,
        },
    };
    Ok(call.visit.host.open(&root)?)
}

/// The engine of the ref that a call names, or of what is checked out.
fn engine<'p>(call: &Call<'_>, project: &'p Project) -> Result<RefEngine<'p>, Trouble> {
    let named = call.arguments.text("ref")?.map(str::trim).filter(|name| !name.is_empty());
    Ok(project.engine.at(named)?)
}

/// A complaint about an argument that its kind alone could not show.
fn argument(parameter: &str, reason: impl std::fmt::Display) -> Trouble {
    Trouble::Argument {
        parameter: parameter.to_string(),
        reason: format!("`{parameter}`: {reason}"),
    }
}

/// The answer in the form that was asked for.
fn reply(call: &Call<'_>, value: Value, text: impl FnOnce() -> String) -> Result<Answer, Trouble> {
    Ok(match call.arguments.text("format")? {
        Some("json") => render::data(value),
        _ => Answer::text(text()),
    })
}
