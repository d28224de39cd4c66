//! The tools of the Context Tool contract: names, descriptions, parameters and bounds are its own.

use crate::tool::{Effect, Kind, LONGEST_TEXT, Parameter, Preset, ToolSpec};

/// Every tool, in the contract's order.
pub const ALL: &[ToolSpec] = &[CONTEXT_SEARCH, READ_FILE, GREP_CODEBASE];

/// What `type` of `context_search` may be: the kinds of discoveries of the contract, and the sources its results name.
pub const TYPES: &[&str] =
    &["all", "pattern", "rule", "decision", "issue", "discovery", "session", "code"];

const CONTEXT_SEARCH: ToolSpec = ToolSpec {
    name: "context_search",
    title: "Context search",
    description: "Search project context semantically using RAG. Returns relevant discoveries, patterns, rules, and past decisions.",
    parameters: &[
        Parameter::new(
            "query",
            Kind::Text { shortest: 3, longest: 500 },
            "Search query describing what to find",
        )
        .required(),
        Parameter::new("type", Kind::Choice(TYPES), "Filter by discovery type")
            .or(Preset::Text("all")),
        Parameter::text("module", "Filter by module name"),
        Parameter::integer("limit", 1, 20, "Maximum number of results to return")
            .or(Preset::Integer(5)),
    ],
    effect: Effect::Reads,
};

const READ_FILE: ToolSpec = ToolSpec {
    name: "read_file",
    title: "Read file",
    description: "Read file content with optional dependency tree. Tracks access for context scoring.",
    parameters: &[
        Parameter::new(
            "path",
            Kind::Text { shortest: 1, longest: LONGEST_TEXT },
            "File path relative to project root",
        )
        .required(),
        Parameter::flag("includeDeps", "Include level 1 dependencies (imports)")
            .or(Preset::Flag(false)),
        Parameter::integer("maxDepth", 0, 1, "Dependency tree depth (MVP: max 1)")
            .or(Preset::Integer(1)),
    ],
    effect: Effect::Reads,
};

const GREP_CODEBASE: ToolSpec = ToolSpec {
    name: "grep_codebase",
    title: "Grep codebase",
    description: "Fast text search across codebase using regex. Good for exact matches and when semantic search unavailable.",
    parameters: &[
        Parameter::new(
            "pattern",
            Kind::Text { shortest: 1, longest: 200 },
            "Regex pattern to search for",
        )
        .required(),
        Parameter::text("filePattern", "Glob pattern to filter files (e.g., \"**/*.ts\")"),
        Parameter::flag("caseSensitive", "Case-sensitive search").or(Preset::Flag(false)),
        Parameter::integer("limit", 1, 100, "Maximum number of matches to return")
            .or(Preset::Integer(50)),
    ],
    effect: Effect::Reads,
};
