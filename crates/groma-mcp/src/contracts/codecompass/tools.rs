//! The tools of the contract: their names, descriptions and parameters.

use crate::tool::{Effect, Kind, Parameter, Preset, ToolSpec};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
CodeCompass answers questions about the codebase of one workspace. Call index_repo once, poll index_status until it is \
ready, then ask locate_symbol for definitions by name and search_code for everything else.";

/// Every tool.
pub const ALL: &[ToolSpec] = &[INDEX_REPO, SYNC_REPO, LOCATE_SYMBOL, SEARCH_CODE, INDEX_STATUS];

const SCOPE: Parameter = Parameter::text(
    "ref",
    "Branch, tag or commit to search. Default: what is checked out, else \"live\"",
);
const LANGUAGE: Parameter = Parameter::text("language", "Only this language, e.g. rust");
/// Unbounded in the contract: what is out of bounds is clamped, and a warning says so.
const LIMIT: Parameter =
    Parameter::integer("limit", i64::MIN, i64::MAX, "Most results").or(Preset::Integer(10));

const INDEX_REPO: ToolSpec = ToolSpec {
    name: "index_repo",
    title: "Index the repository",
    description: "Start indexing the workspace in the background, all of it or what changed. Answers at once with a \
                  job; index_status tells when it is done.",
    parameters: &[
        Parameter::flag("force", "Index everything again, whatever is indexed already")
            .or(Preset::Flag(false)),
        Parameter::text("ref", "Branch, tag or commit to index. Default: what is checked out"),
    ],
    effect: Effect::Refreshes,
};

const SYNC_REPO: ToolSpec = ToolSpec {
    name: "sync_repo",
    title: "Sync the repository",
    description: "Start bringing the index up to date with the files that changed, in the background. Answers at once \
                  with a job; index_status tells when it is done.",
    parameters: &[
        Parameter::flag("force", "Sync everything rather than what changed")
            .or(Preset::Flag(false)),
        Parameter::text("ref", "Branch, tag or commit to sync. Default: what is checked out"),
    ],
    effect: Effect::Refreshes,
};

const LOCATE_SYMBOL: ToolSpec = ToolSpec {
    name: "locate_symbol",
    title: "Locate a symbol",
    description: "Find where a symbol is defined, by its name: file and lines, signature, and a stable handle for \
                  each definition.",
    parameters: &[
        Parameter::new("name", Kind::Text { shortest: 1, longest: 500 }, "The symbol's name")
            .required(),
        Parameter::text("kind", "Only this kind: fn, struct, class, method, ..."),
        LANGUAGE,
        SCOPE,
        LIMIT,
    ],
    effect: Effect::Reads,
};

const SEARCH_CODE: ToolSpec = ToolSpec {
    name: "search_code",
    title: "Search code",
    description: "Search symbols, snippets and files with a name, a path, an error message or plain words. Says how \
                  the query was understood and what to ask next.",
    parameters: &[
        Parameter::new("query", Kind::Text { shortest: 1, longest: 10_000 }, "What to find")
            .required(),
        SCOPE,
        LANGUAGE,
        LIMIT,
    ],
    effect: Effect::Reads,
};

const INDEX_STATUS: ToolSpec = ToolSpec {
    name: "index_status",
    title: "Index status",
    description: "Whether the workspace is indexed and up to date, the job that runs, and the jobs before it.",
    parameters: &[Parameter::text(
        "ref",
        "Branch, tag or commit to tell about. Default: what is checked out",
    )],
    effect: Effect::Reads,
};
