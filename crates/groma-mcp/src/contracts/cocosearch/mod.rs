//! The CocoSearch contract: six tools over named indexes.
//!
//! Only `index_codebase` creates an index. Errors are part of the answer, in the shape of the tool's answers; arguments
//! that violate the schema are results with `isError`, as the framework of the document answers them.

mod age;
mod analyze;
mod answers;
mod indexes;
mod query;
mod results;
mod search;
mod stats;
mod symbols;
mod target;
mod tools;

use crate::arguments::Arguments;
use crate::metrics::INTERNAL;
use crate::surface::{Answer, Call, Identity, ProtocolError, Surface};
use crate::tool::{self, Tool, ToolInfo, ToolSpec};
use answers::Error;

/// The CocoSearch contract.
pub struct Cocosearch;

impl Surface for Cocosearch {
    fn name(&self) -> &'static str {
        "cocosearch"
    }

    fn identity(&self) -> Identity {
        Identity {
            name: "cocosearch",
            title: "CocoSearch",
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

    fn panicked(&self, tool: &str, error: ProtocolError) -> Result<Answer, ProtocolError> {
        let text = format!("Error executing tool {tool}: {}", error.message);
        Ok(Answer::text(text).failed().with_error(INTERNAL))
    }
}

/// The arguments of a tool, which know how to answer a call.
trait CocoTool: Arguments {
    fn answer(self, call: &Call<'_>) -> Result<Answer, Error>;

    /// The answer of a call that failed.
    fn failed(error: &answers::Message) -> Answer {
        error.status()
    }
}

const fn tool<A: CocoTool>(info: ToolInfo) -> Tool<Cocosearch> {
    Tool::new::<A>(info, |_, call| {
        let arguments = A::read(&call.arguments).map_err(Error::from);
        Ok(arguments.and_then(|arguments| arguments.answer(call)).unwrap_or_else(
            |error| match error {
                Error::Argument(error) => answers::invalid_argument(call.tool, &error),
                Error::Message(message) => A::failed(&message),
            },
        ))
    })
}
