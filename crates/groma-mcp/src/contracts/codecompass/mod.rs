//! The CodeCompass contract: one workspace, indexed by jobs in the background, every answer with its metadata.
//!
//! A call first resolves its `target` (project, ref, state of the index), then `queries` or `indexing` answer it.
//! An error is an answer, too (`error`), with a code of the registry (`codes`). If the server is started with
//! `--verbose`, `search_code` adds `debug`.

mod answers;
pub mod codes;
mod error;
mod files;
mod indexing;
mod intent;
mod metadata;
mod next;
mod queries;
mod target;
mod tools;

use crate::arguments::{ArgumentError, Arguments, Given};
use crate::surface::{Answer, Call, Identity, ProtocolError, Surface};
use crate::tool::{self, Tool, ToolInfo, ToolSpec};
use error::Error;
use metadata::Metadata;
use serde_json::Value;
use target::Target;

/// The CodeCompass contract.
pub struct CodeCompass;

impl Surface for CodeCompass {
    fn name(&self) -> &'static str {
        "codecompass"
    }

    fn identity(&self) -> Identity {
        Identity {
            name: "codecompass",
            title: "CodeCompass",
            version: "1.0.0",
            instructions: tools::INSTRUCTIONS,
            tools_may_change: false,
        }
    }

    fn tools(&self) -> Vec<&'static ToolSpec> {
        tool::specs(tools::ALL)
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, ProtocolError> {
        tool::dispatch(self, tools::ALL, call)
    }

    /// "`internal_error` | Unexpected runtime failure while executing query."
    fn panicked(&self, _: &str, error: ProtocolError) -> Result<Answer, ProtocolError> {
        let error = Error::new(codes::Code::InternalError, error.message);
        Ok(wrapped(error.answer(&Metadata::missing())))
    }
}

/// The arguments of a tool, which know how to answer a call.
trait CompassTool: Arguments {
    /// Reads `ref` alone: the metadata of an error answer depends on it, too.
    fn read_ref(given: &Given) -> Result<Option<String>, ArgumentError>;

    fn answer(self, call: &Call<'_>, target: &mut Target) -> Result<Value, Error>;
}

const fn tool<A: CompassTool>(info: ToolInfo) -> Tool<CodeCompass> {
    Tool::new::<A>(info, |_, call| Ok(wrapped(answer::<A>(call))))
}

/// The answer to a client: the same as text and as data.
fn wrapped(value: Value) -> Answer {
    let code = value["error"]["code"].as_str();
    let mut known = codes::Code::ALL.iter().map(|one| one.entry().code);
    let error = code.and_then(|code| known.find(|one| *one == code));
    let answer = Answer::data(value);
    match error {
        Some(error) => answer.with_error(error),
        None => answer,
    }
}

/// The answer to a call, also to one that failed.
fn answer<A: CompassTool>(call: &Call<'_>) -> Value {
    let arguments = A::read(&call.arguments).map_err(Error::from);
    let reference = A::read_ref(&call.arguments).ok().flatten();
    let mut target = match Target::find(call, reference.as_deref()) {
        Ok(target) => target,
        Err(error) => return arguments.err().unwrap_or(error).answer(&Metadata::missing()),
    };
    let answered = arguments.and_then(|arguments| arguments.answer(call, &mut target));
    let mut answer = answered.unwrap_or_else(|error| error.answer(&target.metadata()));
    let notes = call.context.session.take_notes().into_iter().map(Value::from);
    if let (Some(fields), true) = (answer["metadata"].as_object_mut(), notes.len() > 0) {
        let warnings = fields.entry("warnings").or_insert_with(|| Value::Array(Vec::new()));
        warnings.as_array_mut().into_iter().for_each(|list| list.extend(notes.clone()));
    }
    answer
}
