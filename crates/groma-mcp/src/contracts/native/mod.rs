//! The native surface: every capability in few tools, answers made for a model's context window.

mod analyze;
mod error;
mod grep;
mod index;
mod notebook;
mod outline;
mod read;
mod search;
mod symbol;
mod tools;

use super::ToolSet;
use crate::activity::Entry;
use crate::arguments::{ArgumentError, Arguments};
use crate::documents::Documents;
use crate::host::Project;
use crate::metrics::{INTERNAL, NOT_FOUND};
use crate::surface::{Answer, Call, Identity, ProtocolError, Resources, Surface, unknown_tool};
use crate::tool::{self, Tool, ToolInfo, ToolSpec};
use error::Error;
use groma_engine::RefEngine;
use groma_render::{Budget, Page, fit_json, fit_page};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// The native surface.
#[derive(Default)]
pub struct Native {
    tools: ToolSet,
}

/// Tools by the names they had, with their present names.
const RENAMED: &[(&str, &str)] = &[
    ("search_code", "search"),
    ("context_search", "notes"),
    ("locate_symbol", "symbol"),
    ("grep_codebase", "grep"),
    ("read_file", "read"),
    ("remember", "notes"),
];

impl Native {
    /// The surface with these tools.
    pub fn new(tools: ToolSet) -> Self {
        Self { tools }
    }

    fn offered(&self) -> &'static [Tool<Native>] {
        match self.tools {
            ToolSet::Work => &tools::ALL[..tools::WORK],
            ToolSet::All => tools::ALL,
        }
    }

    /// What to call instead of a tool that is not offered.
    fn instead(name: &str) -> Option<String> {
        if let Some((_, present)) = RENAMED.iter().find(|(former, _)| *former == name) {
            let spec = tool::specs(tools::ALL).into_iter().find(|spec| spec.name == *present)?;
            let takes: Vec<&str> = spec.parameters.iter().map(|one| one.name).collect();
            return Some(format!("`{name}` is now `{present}`, which takes {}", takes.join(", ")));
        }
        let is_known = tool::specs(tools::ALL).iter().any(|spec| spec.name == name);
        is_known.then(|| format!("`{name}` is offered if the server is started with --all-tools"))
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

    fn unknown_tool(&self, name: &str) -> Result<Answer, ProtocolError> {
        match Self::instead(name) {
            Some(text) => Ok(Answer::text(text).failed().with_error(NOT_FOUND)),
            None => Err(unknown_tool(&self.tools(), name)),
        }
    }

    fn panicked(&self, _: &str, error: ProtocolError) -> Result<Answer, ProtocolError> {
        Ok(Answer::text(error.message).failed().with_error(INTERNAL))
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(&Documents::OF_PROTOCOL)
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
    let unknown = unknown_arguments::<A>(call);
    let read = A::read(&call.arguments).map_err(|error| explained(error, unknown.as_deref()));
    match read.and_then(|arguments| arguments.answer(call)) {
        Ok(reply) => {
            if let Some(entry) = &reply.activity {
                call.record(entry);
            }
            let notes = call.context.session.take_notes().into_iter();
            let notes = notes.map(|note| format!("{note}; `project` names another folder"));
            Ok(notes.chain(unknown).fold(reply.answer, with_note))
        }
        Err(error) => Ok(error.answer()),
    }
}

/// Characters of the name of an unknown argument that are repeated.
const MAX_NAME: usize = 40;

/// Says which arguments a tool does not have. They are ignored: an answer helps more than an error.
fn unknown_arguments<A: Arguments>(call: &Call<'_>) -> Option<String> {
    let names = A::unknown_names(&call.arguments);
    let first: String = names.first()?.chars().take(MAX_NAME).collect();
    let others = match names.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    let known: Vec<&str> = A::PARAMETERS.iter().map(|one| one.name).collect();
    Some(format!("there is no parameter `{first}`{others}; there are {}", known.join(", ")))
}

/// A wrong argument, with the unknown ones: what is missing may have been given by another name.
fn explained(error: ArgumentError, unknown: Option<&str>) -> Error {
    match unknown {
        Some(unknown) => Error::invalid(format!("{error}; {unknown}")),
        None => error.into(),
    }
}

/// The answer with one more note.
fn with_note(mut answer: Answer, note: String) -> Answer {
    let Some(value) = &mut answer.structured else {
        if let Some(text) = answer.blocks.last_mut() {
            text.push_str(&format!(
                "{}note: {note}\n",
                if text.ends_with('\n') { "" } else { "\n" }
            ));
        }
        return answer;
    };
    match value.get_mut("notes") {
        Some(Value::Array(notes)) => notes.push(note.into()),
        _ => value["notes"] = vec![note].into(),
    }
    Answer::data(value.clone())
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

/// The form and the size of an answer.
#[derive(Clone, Copy)]
struct Form {
    is_json: bool,
    budget: Budget,
}

impl Form {
    fn new(format: Option<&str>, max_tokens: i64) -> Self {
        let tokens = max_tokens.clamp(200, 100_000) as usize;
        Self { is_json: format == Some("json"), budget: Budget::tokens(tokens) }
    }

    /// The budget that the content is planned with.
    fn content(self) -> Budget {
        if self.is_json { self.budget.of_json_content() } else { self.budget }
    }

    /// The answer in this form, within its budget.
    fn answer(self, value: impl FnOnce() -> Value, page: impl FnOnce() -> Page) -> Answer {
        if self.is_json {
            Answer::data(fit_json(value(), self.budget))
        } else {
            Answer::text(fit_page(page(), self.budget).to_string())
        }
    }
}

/// The answer of a tool without a budget.
fn formatted(
    format: Option<&str>,
    value: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> Answer {
    if format == Some("json") { Answer::data(value()) } else { Answer::text(text()) }
}

/// The text followed by notes.
fn with_notes(mut text: String, notes: &[String]) -> String {
    for note in notes {
        text.push_str(&format!("\nnote: {note}"));
    }
    text
}
