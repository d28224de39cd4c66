//! The tools of the Context Tool contract: names, descriptions, parameters and bounds are its own.

use super::{ContextTool, tool};
use crate::arguments::{Argument, ArgumentError, FromArgument, Param, arguments};
use crate::parameter::MAX_TEXT;
use crate::tool::{Effect, Tool, ToolInfo};
use groma_engine::notebook::Seek;

/// Every tool, in the contract's order.
pub const ALL: &[Tool<ContextTool>] = &[
    tool::<ContextSearch>(ToolInfo {
        name: "context_search",
        title: "Context search",
        description: "Search project context semantically using RAG. Returns relevant discoveries, patterns, rules, and past decisions.",
        effect: Effect::Reads,
    }),
    tool::<ReadFile>(ToolInfo {
        name: "read_file",
        title: "Read file",
        description: "Read file content with optional dependency tree. Tracks access for context scoring.",
        effect: Effect::Reads,
    }),
    tool::<GrepCodebase>(ToolInfo {
        name: "grep_codebase",
        title: "Grep codebase",
        description: "Fast text search across codebase using regex. Good for exact matches and when semantic search unavailable.",
        effect: Effect::Reads,
    }),
];

/// Values of `type` of `context_search`.
const TYPES: &[&str] = &["all", "pattern", "rule", "decision", "issue"];

arguments! {
    pub struct ContextSearch {
        query: String =
            Param::text_of("query", 3, 500, "Search query describing what to find").required(),
        sought: Sought =
            Param::choice("type", TYPES, "Filter by discovery type").or("all").read_as(),
        module: Option<String> = Param::text("module", "Filter by module name"),
        limit: usize = Param::count("limit", 1, 20, "Maximum number of results to return").or(5),
    }
}

arguments! {
    pub struct ReadFile {
        path: String =
            Param::text_of("path", 1, MAX_TEXT, "File path relative to project root").required(),
        include_deps: bool =
            Param::flag("includeDeps", "Include level 1 dependencies (imports)").or(false),
        max_depth: usize =
            Param::count("maxDepth", 0, 1, "Dependency tree depth (MVP: max 1)").or(1),
    }
}

arguments! {
    pub struct GrepCodebase {
        pattern: String =
            Param::text_of("pattern", 1, 200, "Regex pattern to search for").required(),
        file_pattern: Option<String> =
            Param::text("filePattern", "Glob pattern to filter files (e.g., \"**/*.ts\")"),
        case_sensitive: bool = Param::flag("caseSensitive", "Case-sensitive search").or(false),
        limit: usize = Param::count("limit", 1, 100, "Maximum number of matches to return").or(50),
    }
}

/// What `type` asks for. Besides the listed types, the sources that results name are accepted: another document of the
/// same project has those.
#[derive(Clone, Copy, Debug)]
pub struct Sought(pub Seek);

impl FromArgument for Sought {
    fn from_argument(argument: &Argument<'_>) -> Result<Self, ArgumentError> {
        let seek = match argument.unchecked().and_then(serde_json::Value::as_str) {
            Some("discovery") => Seek::Discoveries(None),
            Some("session") => Seek::Sessions,
            Some("code") => Seek::Code,
            _ => match <&str>::from_argument(argument)? {
                "all" => Seek::All,
                kind => Seek::Discoveries(kind.parse().ok()),
            },
        };
        Ok(Self(seek))
    }
}
