//! The CocoSearch contract: six tools over indexes that go by names.
//!
//! Its tools never index by themselves; `index_codebase` does. What goes wrong is told inside the answer, in the
//! shape the tool's answers have; only arguments that do not fit the schema are errors of the protocol.

mod age;
mod analyze;
mod answers;
mod indexes;
mod results;
mod search;
mod stats;
mod symbols;
mod target;
mod tools;

use crate::surface::{Answer, Call, Fault, Identity, Surface};
use crate::tool::ToolSpec;
use answers::Trouble;

/// The surface.
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

    fn tools(&self) -> &'static [ToolSpec] {
        tools::ALL
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, Fault> {
        let answer = call.arguments.check().map_err(Trouble::from).and_then(|()| dispatch(call));
        answer.or_else(|trouble| trouble.answer(call.tool.name))
    }
}

fn dispatch(call: &Call<'_>) -> Result<Answer, Trouble> {
    match call.tool.name {
        "search_code" => search::search_code(call),
        "analyze_query" => analyze::analyze_query(call),
        "list_indexes" => indexes::list_indexes(call),
        "index_stats" => stats::index_stats(call),
        "clear_index" => indexes::clear_index(call),
        "index_codebase" => indexes::index_codebase(call),
        other => Err(Trouble::told("Unknown tool", format!("{other} has no handler"))),
    }
}
