//! The tools of the native surface: their names, descriptions and parameters.
//!
//! Clients send all of this to the model with every request, so every word costs tokens.

use super::{Native, tool};
use crate::arguments::{Param, arguments};
use crate::parameter::MAX_TEXT;
use crate::tool::{Effect, Tool, ToolInfo};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
Groma knows this codebase; it answers with numbered lines. Start with `search`, in words or half-remembered identifiers: \
it often shows the code to change, so read only what is missing. `read` takes several places at once: path:20-80, \
path#Class.method or a name. `symbol` shows a definition, its callers or tests; `outline` lists the members of a file or \
folder; `grep` finds exact text.";

/// How many of the tools an assistant needs for its work.
pub const WORK: usize = 6;

/// Every tool; those for work first.
pub const ALL: &[Tool<Native>] = &[
    tool::<Search>(ToolInfo {
        name: "search",
        title: "",
        description: "Find code by what it does, names, an error, a path or a stack trace. Shows the lines that matter, names \
                      other places.",
        effect: Effect::Reads,
    }),
    tool::<Read>(ToolInfo {
        name: "read",
        title: "",
        description: "Read several places in one call.",
        effect: Effect::Reads,
    }),
    tool::<Grep>(ToolInfo {
        name: "grep",
        title: "",
        description: "Find lines by regex (as ripgrep), each with its enclosing definition.",
        effect: Effect::Reads,
    }),
    tool::<Symbol>(ToolInfo {
        name: "symbol",
        title: "",
        description: "Show a definition with its body, or who uses it.",
        effect: Effect::Reads,
    }),
    tool::<Outline>(ToolInfo {
        name: "outline",
        title: "",
        description: "List the members of a file or class, or the files that matter in a folder.",
        effect: Effect::Reads,
    }),
    tool::<Notes>(ToolInfo {
        name: "notes",
        title: "",
        description: "Decisions, rules, issues and past sessions of the project: query them, or remember one.",
        effect: Effect::Refreshes,
    }),
    tool::<AnalyzeQuery>(ToolInfo {
        name: "analyze_query",
        title: "",
        description: "Show why search ranks as it does: intent, terms, stages, each result's signals.",
        effect: Effect::Reads,
    }),
    tool::<IndexCodebase>(ToolInfo {
        name: "index_codebase",
        title: "",
        description: "Index a project now or rebuild it; questions keep it up to date.",
        effect: Effect::Refreshes,
    }),
    tool::<IndexStatus>(ToolInfo {
        name: "index_status",
        title: "",
        description: "Files, languages, size and freshness of a project's index, or list all projects.",
        effect: Effect::Reads,
    }),
    tool::<ClearIndex>(ToolInfo {
        name: "clear_index",
        title: "",
        description: "Delete a project's index; files stay, and it can be made again.",
        effect: Effect::Removes,
    }),
];

/// A number that the tool brings into its bounds, so that they need not be in the schema.
const fn number(name: &'static str, description: &'static str) -> Param<Option<i64>> {
    Param::integer(name, i64::MIN, i64::MAX, description)
}

const PROJECT: Param<Option<String>> = Param::text("project", "Folder");
const REF: Param<Option<String>> = Param::text("ref", "Git ref");
const LANGUAGE: Param<Vec<String>> = Param::text_or_texts("language", "Languages, e.g. go, ts");
const PATH: Param<Vec<String>> = Param::text_or_texts("path", "Globs: src/**");
const SYMBOL_KIND: Param<Vec<String>> =
    Param::text_or_texts("kind", "function, method, class, ...");
const MAX_TOKENS: Param<i64> = number("max_tokens", "").or(3000);
const SEARCH_TOKENS: Param<i64> = number("max_tokens", "").or(1500);
/// Text unless it is given; a default in the schema would cost every connection a dozen tokens.
const FORMAT: Param<Option<&str>> = Param::choice("format", &["text", "json"], "");
const QUERY: Param<String> = Param::text("query", "").required();
const LIMIT: Param<usize> = Param::count("limit", 1, 100, "Most results").or(10);
const MODE: Param<&str> =
    Param::choice("mode", &["hybrid", "vector", "keyword"], "Retrievers").or("hybrid");
const SYMBOL_NAME: Param<Option<String>> = Param::text("symbol_name", "Glob over symbol names");

const RELATIONS: &[&str] =
    &["definition", "references", "callers", "callees", "implementors", "tests"];
const CONTEXT_TYPES: &[&str] =
    &["all", "pattern", "rule", "decision", "issue", "discovery", "session", "code"];

arguments! {
    pub struct Search {
        query: String = QUERY,
        paths: Vec<String> = PATH,
        tests: &'static str = Param::choice("tests", &["auto", "include", "only"], "auto: if the query asks").or("auto"),
        max_tokens: i64 = SEARCH_TOKENS,
        format: Option<&'static str> = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Read {
        places: Vec<String> = Param::text_or_texts("places", "path, path:20-80, path#Class.method, name").required(),
        imports: Option<bool> = Param::flag("imports", "Name what they import"),
        max_tokens: i64 = MAX_TOKENS,
        format: Option<&'static str> = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Grep {
        pattern: String = Param::text_of("pattern", 1, MAX_TEXT, "").required(),
        literal: Option<bool> = Param::flag("literal", "No regex"),
        case_sensitive: Option<bool> = Param::flag("case_sensitive", "Default: if it has capitals"),
        paths: Vec<String> = PATH,
        context: i64 = number("context", "Lines around each match").or(0),
        limit: i64 = number("limit", "").or(50),
        max_tokens: i64 = SEARCH_TOKENS,
        format: Option<&'static str> = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Symbol {
        name: String = Param::text("name", "May be qualified").required(),
        relation: &'static str = Param::choice("relation", RELATIONS, "").or("definition"),
        depth: i64 = number("depth", "2: callers of callers").or(1),
        paths: Vec<String> = PATH,
        max_tokens: i64 = MAX_TOKENS,
        format: Option<&'static str> = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Outline {
        path: Option<String> = Param::text("path", "File, path#Class, folder or part of a name"),
        max_tokens: i64 = SEARCH_TOKENS,
        format: Option<&'static str> = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Notes {
        query: Option<String> = Param::text("query", ""),
        remember: Option<String> = Param::text("remember", "A sentence or two"),
        kind: Option<&'static str> = Param::choice("type", CONTEXT_TYPES, ""),
        module: Option<String> = Param::text("module", ""),
        max_tokens: i64 = SEARCH_TOKENS,
        format: Option<&'static str> = FORMAT,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct AnalyzeQuery {
        query: String = QUERY,
        limit: usize = LIMIT,
        mode: &'static str = MODE,
        languages: Vec<String> = LANGUAGE,
        kinds: Vec<String> = SYMBOL_KIND,
        symbol_name: Option<String> = SYMBOL_NAME,
        format: Option<&'static str> = FORMAT,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct IndexCodebase {
        force: bool = Param::flag("force", "Rebuild from nothing").or(false),
        format: Option<&'static str> = FORMAT,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct IndexStatus {
        all: bool = Param::flag("all", "List all projects").or(false),
        skipped: bool = Param::flag("skipped", "List left-out files with reasons").or(false),
        format: Option<&'static str> = FORMAT,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct ClearIndex {
        project: String = PROJECT.required(),
    }
}
