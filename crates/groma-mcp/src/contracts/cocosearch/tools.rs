//! The tools of the CocoSearch contract: their names and parameters, as its document has them.

use crate::tool::{Effect, Kind, Parameter, Preset, ToolSpec};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
Search indexed codebases in plain words or by name. A project is indexed once with index_codebase and then searched \
with search_code; the index of the project you work in is found without its name.";

/// Every tool.
pub const ALL: &[ToolSpec] =
    &[SEARCH_CODE, ANALYZE_QUERY, LIST_INDEXES, INDEX_STATS, CLEAR_INDEX, INDEX_CODEBASE];

const INDEX_NAME: Parameter = nullable(Parameter::text(
    "index_name",
    "The index to search; without it, that of the project the client works in",
));
const LIMIT: Parameter =
    Parameter::integer("limit", i64::MIN, i64::MAX, "Most results").or(Preset::Integer(10));
const LANGUAGE: Parameter = nullable(Parameter::text(
    "language",
    "Only these languages, by name or alias, commas between them: python, typescript, hcl or terraform, bash or sh",
));
const USE_HYBRID_SEARCH: Parameter = nullable(Parameter::flag(
    "use_hybrid_search",
    "Vectors and keywords (true), vectors only (false), or both where the query holds a name of code (null)",
));
const SYMBOL_TYPE: Parameter = nullable(Parameter::new(
    "symbol_type",
    Kind::TextOrTexts,
    "Only these symbols: function, class, method, interface; several in an array",
));
const SYMBOL_NAME: Parameter = nullable(Parameter::text(
    "symbol_name",
    "Only symbols whose name fits this glob, whatever the case: get*, User*Service, *Handler",
));

const fn nullable(parameter: Parameter) -> Parameter {
    parameter.nullable().or(Preset::Null)
}

const SEARCH_CODE: ToolSpec = ToolSpec {
    name: "search_code",
    title: "Search code",
    description: "Search indexed code in plain words or by name. Returns chunks of code ranked by how well they fit, \
                  with the function or class around them.",
    parameters: &[
        Parameter::text("query", "What to find").required(),
        INDEX_NAME,
        LIMIT,
        LANGUAGE,
        USE_HYBRID_SEARCH,
        SYMBOL_TYPE,
        SYMBOL_NAME,
        nullable(Parameter::integer(
            "context_before",
            i64::MIN,
            i64::MAX,
            "Lines to show before each result, instead of what is around it",
        )),
        nullable(Parameter::integer(
            "context_after",
            i64::MIN,
            i64::MAX,
            "Lines to show after each result, instead of what is around it",
        )),
        Parameter::flag("smart_context", "Show the function or class around each result")
            .or(Preset::Flag(true)),
    ],
    effect: Effect::Reads,
};

const ANALYZE_QUERY: ToolSpec = ToolSpec {
    name: "analyze_query",
    title: "Analyze a query",
    description: "Run a search and tell what each stage did: how the query was read, which mode was chosen, what \
                  vectors and keywords found, how they were joined, what filters left, what it took. Shows why a \
                  query gives the results it gives.",
    parameters: &[
        Parameter::text("query", "The query to analyze").required(),
        INDEX_NAME,
        LIMIT,
        LANGUAGE,
        USE_HYBRID_SEARCH,
        SYMBOL_TYPE,
        SYMBOL_NAME,
    ],
    effect: Effect::Reads,
};

const LIST_INDEXES: ToolSpec = ToolSpec {
    name: "list_indexes",
    title: "List indexes",
    description: "List the indexes there are, by name and table name.",
    parameters: &[],
    effect: Effect::Reads,
};

const INDEX_STATS: ToolSpec = ToolSpec {
    name: "index_stats",
    title: "Index statistics",
    description: "Count what an index holds, or every index: files, chunks, size, languages, symbols, how well files \
                  could be parsed, and how old it is.",
    parameters: &[
        nullable(Parameter::text("index_name", "The index; without it, all of them")),
        Parameter::flag("include_failures", "List the files that could not be parsed whole")
            .or(Preset::Flag(false)),
    ],
    effect: Effect::Reads,
};

const CLEAR_INDEX: ToolSpec = ToolSpec {
    name: "clear_index",
    title: "Clear an index",
    description: "Delete an index for good. The files of the project stay.",
    parameters: &[Parameter::text("index_name", "The index to delete").required()],
    effect: Effect::Removes,
};

const INDEX_CODEBASE: ToolSpec = ToolSpec {
    name: "index_codebase",
    title: "Index a codebase",
    description: "Index a folder so that it can be searched; one that is indexed already is brought up to date. \
                  Returns when it is done.",
    parameters: &[
        Parameter::text("path", "The folder to index").required(),
        nullable(Parameter::text(
            "index_name",
            "What to call the index; without it, the folder's name",
        )),
    ],
    effect: Effect::Refreshes,
};
