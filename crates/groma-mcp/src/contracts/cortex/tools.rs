//! The tool of the Cortex contract, in the words of its document.

use crate::tool::{Effect, Kind, Parameter, Preset, ToolSpec};

/// Every tool.
pub const ALL: &[ToolSpec] = &[CORTEX_SEARCH];

/// How many results an answer has unless told otherwise.
pub const DEFAULT_LIMIT: usize = 15;

/// The most results of an answer.
pub const MOST: usize = 100;

const CORTEX_SEARCH: ToolSpec = ToolSpec {
    name: "cortex_search",
    title: "Cortex search",
    description: "Search for relevant context in the project codebase and documentation",
    parameters: &[
        Parameter::text("query", "Natural language question or keywords").required(),
        Parameter::integer(
            "limit",
            1,
            MOST as i64,
            "Maximum number of results (1-100); brought into that range if outside",
        )
        .or(Preset::Integer(DEFAULT_LIMIT as i64)),
        Parameter::new(
            "tags",
            Kind::Texts,
            "Only chunks with all of these tags, e.g. [\"code\", \"go\"]",
        ),
        Parameter::new(
            "chunk_types",
            Kind::Choices(&["documentation", "symbols", "definitions", "data"]),
            "Only these types of chunks; leave empty to search all",
        ),
    ],
    effect: Effect::Reads,
};
