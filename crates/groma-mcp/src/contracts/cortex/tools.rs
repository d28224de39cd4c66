//! The tool of the Cortex contract, in the words of its document.

use super::{Cortex, answer};
use crate::arguments::{Argument, ArgumentError, FromArgument, Param, arguments};
use crate::tool::{Effect, Tool, ToolInfo};

/// Every tool.
pub const ALL: &[Tool<Cortex>] = &[Tool::new::<CortexSearch>(
    ToolInfo {
        name: "cortex_search",
        title: "Cortex search",
        description: "Search for relevant context in the project codebase and documentation",
        effect: Effect::Reads,
    },
    answer,
)];

/// Number of results unless `limit` is given.
const DEFAULT_LIMIT: u32 = 15;

const MAX_LIMIT: u32 = 100;

arguments! {
    pub struct CortexSearch {
        query: String = Param::text("query", "Natural language question or keywords").required(),
        limit: Limit = Param::count(
            "limit",
            1,
            MAX_LIMIT,
            "Maximum number of results (1-100); brought into that range if outside",
        )
        .or(DEFAULT_LIMIT)
        .read_as(),
        tags: Vec<String> = Param::texts(
            "tags",
            "Only chunks with all of these tags, e.g. [\"code\", \"go\"]",
        ),
        kinds: Vec<String> = Param::choices(
            "chunk_types",
            &["documentation", "symbols", "definitions", "data"],
            "Only these types of chunks; leave empty to search all",
        ),
    }
}

/// A limit that is clamped to its range instead of rejected.
#[derive(Clone, Copy, Debug)]
pub struct Limit(pub usize);

impl FromArgument for Limit {
    fn from_argument(argument: &Argument<'_>) -> Result<Self, ArgumentError> {
        let default = Self(DEFAULT_LIMIT as usize);
        let Some(given) = argument.unchecked() else { return Ok(default) };
        match given.as_f64().filter(|number| number.fract() == 0.0) {
            Some(number) => Ok(Self(number.clamp(1.0, f64::from(MAX_LIMIT)) as usize)),
            // Not a whole number: the ordinary check says so.
            None => argument.checked().map(|_| default),
        }
    }
}
