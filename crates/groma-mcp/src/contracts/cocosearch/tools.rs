//! The tools of the CocoSearch contract: their names and parameters, as its document has them.

use super::{Cocosearch, tool};
use crate::arguments::{Param, Verbatim, arguments};
use crate::tool::{Effect, Tool, ToolInfo};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
Search indexed codebases in plain words or by name. A project is indexed once with index_codebase and then searched \
with search_code; the index of the project you work in is found without its name.";

/// Every tool.
pub const ALL: &[Tool<Cocosearch>] = &[
    tool::<SearchCode>(ToolInfo {
        name: "search_code",
        title: "Search code",
        description: "Search indexed code in plain words or by name. Returns chunks of code ranked by how well they fit, \
                      with the function or class around them.",
        effect: Effect::Reads,
    }),
    tool::<AnalyzeQuery>(ToolInfo {
        name: "analyze_query",
        title: "Analyze a query",
        description: "Run a search and tell what each stage did: how the query was read, which mode was chosen, what \
                      vectors and keywords found, how they were joined, what filters left, what it took. Shows why a \
                      query gives the results it gives.",
        effect: Effect::Reads,
    }),
    tool::<ListIndexes>(ToolInfo {
        name: "list_indexes",
        title: "List indexes",
        description: "List the indexes there are, by name and table name.",
        effect: Effect::Reads,
    }),
    tool::<IndexStats>(ToolInfo {
        name: "index_stats",
        title: "Index statistics",
        description: "Count what an index holds, or every index: files, chunks, size, languages, symbols, how well files \
                      could be parsed, and how old it is.",
        effect: Effect::Reads,
    }),
    tool::<ClearIndex>(ToolInfo {
        name: "clear_index",
        title: "Clear an index",
        description: "Delete an index for good. The files of the project stay.",
        effect: Effect::Removes,
    }),
    tool::<IndexCodebase>(ToolInfo {
        name: "index_codebase",
        title: "Index a codebase",
        description: "Index a folder so that it can be searched; one that is indexed already is brought up to date. \
                      Returns when it is done.",
        effect: Effect::Refreshes,
    }),
];

const INDEX_NAME: Param<Option<String>> = Param::text(
    "index_name",
    "The index to search; without it, that of the project the client works in",
)
.nullable();
const LIMIT: Param<i64> = Param::integer("limit", i64::MIN, i64::MAX, "Most results").or(10);
const LANGUAGE: Param<Option<String>> = Param::text(
    "language",
    "Only these languages, by name or alias, commas between them: python, typescript, hcl or terraform, bash or sh",
)
.nullable();
const USE_HYBRID_SEARCH: Param<Option<bool>> = Param::flag(
    "use_hybrid_search",
    "Vectors and keywords (true), vectors only (false), or both where the query holds a name of code (null)",
)
.nullable();
const SYMBOL_TYPE: Param<Vec<String>> = Param::text_or_texts(
    "symbol_type",
    "Only these symbols: function, class, method, interface; several in an array",
)
.nullable();
const SYMBOL_NAME: Param<Option<String>> = Param::text(
    "symbol_name",
    "Only symbols whose name fits this glob, whatever the case: get*, User*Service, *Handler",
)
.nullable();

arguments! {
    pub struct SearchCode {
        query: String = Param::text("query", "What to find").required(),
        index_name: Option<String> = INDEX_NAME,
        limit: i64 = LIMIT,
        language: Option<String> = LANGUAGE,
        use_hybrid_search: Option<bool> = USE_HYBRID_SEARCH,
        symbol_types: Vec<String> = SYMBOL_TYPE,
        symbol_name: Option<String> = SYMBOL_NAME,
        context_before: Option<i64> = Param::integer(
            "context_before",
            i64::MIN,
            i64::MAX,
            "Lines to show before each result, instead of what is around it",
        )
        .nullable(),
        context_after: Option<i64> = Param::integer(
            "context_after",
            i64::MIN,
            i64::MAX,
            "Lines to show after each result, instead of what is around it",
        )
        .nullable(),
        smart_context: bool =
            Param::flag("smart_context", "Show the function or class around each result").or(true),
    }
}

arguments! {
    pub struct AnalyzeQuery {
        query: Verbatim<String> =
            Param::text("query", "The query to analyze").required().verbatim(),
        index_name: Option<String> = INDEX_NAME,
        limit: Verbatim<i64> = LIMIT.verbatim(),
        language: Verbatim<Option<String>> = LANGUAGE.verbatim(),
        use_hybrid_search: Verbatim<Option<bool>> = USE_HYBRID_SEARCH.verbatim(),
        symbol_types: Verbatim<Vec<String>> = SYMBOL_TYPE.verbatim(),
        symbol_name: Verbatim<Option<String>> = SYMBOL_NAME.verbatim(),
    }
}

arguments! {
    pub struct ListIndexes {}
}

arguments! {
    pub struct IndexStats {
        index_name: Option<String> =
            Param::text("index_name", "The index; without it, all of them").nullable(),
        include_failures: bool =
            Param::flag("include_failures", "List the files that could not be parsed whole")
                .or(false),
    }
}

arguments! {
    pub struct ClearIndex {
        index_name: String = Param::text("index_name", "The index to delete").required(),
    }
}

arguments! {
    pub struct IndexCodebase {
        path: String = Param::text("path", "The folder to index").required(),
        index_name: Option<String> =
            Param::text("index_name", "What to call the index; without it, the folder's name")
                .nullable(),
    }
}
