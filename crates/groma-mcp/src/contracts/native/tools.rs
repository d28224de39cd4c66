//! The tools of the native surface: their names, descriptions and parameters.
//!
//! Clients send all of this to the model with every request, so every word costs tokens.

use super::{Native, tool};
use crate::arguments::{Param, arguments};
use crate::tool::{Effect, Tool, ToolInfo};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
Groma knows this codebase and answers with numbered lines. Start with `search`, in words or half-remembered \
identifiers; it often shows the code to change, so read only what is missing. `read` takes several places at once: \
path:20-80, path#Class.method, or a name. `symbol` shows a definition, its callers, references or tests; `outline` \
lists the members of a file or folder; `grep` finds exact text.";

/// How many of the tools an assistant needs for its work.
pub const WORK: usize = 6;

/// Every tool; those for work first.
pub const ALL: &[Tool<Native>] = &[
    tool::<Search>(ToolInfo {
        name: "search",
        title: "Search",
        description: "Find code by what it does, names, a message, a path or a stack trace. Shows the lines that matter and \
                      names other places.",
        effect: Effect::Reads,
    }),
    tool::<Read>(ToolInfo {
        name: "read",
        title: "Read",
        description: "Read several places in one call.",
        effect: Effect::Reads,
    }),
    tool::<Grep>(ToolInfo {
        name: "grep",
        title: "Grep",
        description: "Find lines by regex (ripgrep syntax), each with its enclosing definition.",
        effect: Effect::Reads,
    }),
    tool::<Symbol>(ToolInfo {
        name: "symbol",
        title: "Symbol",
        description: "Show the definition of a name with its body, or who uses it.",
        effect: Effect::Reads,
    }),
    tool::<Outline>(ToolInfo {
        name: "outline",
        title: "Outline",
        description: "List the members of a file (or path#Class), the files that matter in a folder, or files by part of \
                      their name.",
        effect: Effect::Reads,
    }),
    tool::<Notes>(ToolInfo {
        name: "notes",
        title: "Notes",
        description: "What the project knows about itself (decisions, rules, issues, past sessions): query it, or remember \
                      something for later sessions.",
        effect: Effect::Refreshes,
    }),
    tool::<AnalyzeQuery>(ToolInfo {
        name: "analyze_query",
        title: "Explain a search",
        description: "Show why search ranks as it does: intent, terms, stages, each result's signals.",
        effect: Effect::Reads,
    }),
    tool::<IndexCodebase>(ToolInfo {
        name: "index_codebase",
        title: "Index a project",
        description: "Index a project now or rebuild it; questions keep it up to date.",
        effect: Effect::Refreshes,
    }),
    tool::<IndexStatus>(ToolInfo {
        name: "index_status",
        title: "Index status",
        description: "Files, languages, size and freshness of a project's index, or list all projects.",
        effect: Effect::Reads,
    }),
    tool::<ClearIndex>(ToolInfo {
        name: "clear_index",
        title: "Clear an index",
        description: "Delete a project's index; files stay, and it can be made again.",
        effect: Effect::Removes,
    }),
];

const PROJECT: Param<Option<String>> = Param::text("project", "Folder; default: the client's");
const REF: Param<Option<String>> = Param::text("ref", "Git ref");
const LANGUAGE: Param<Vec<String>> = Param::text_or_texts("language", "Languages, e.g. go, ts");
const PATH: Param<Vec<String>> = Param::text_or_texts("path", "Path globs, e.g. src/**");
const SYMBOL_KIND: Param<Vec<String>> =
    Param::text_or_texts("kind", "function, method, class, ...");
const MAX_TOKENS: Param<usize> = Param::count("max_tokens", 200, 100_000, "Answer budget").or(3000);
const SEARCH_TOKENS: Param<usize> =
    Param::count("max_tokens", 200, 100_000, "Answer budget").or(1400);
const FORMAT: Param<&str> = Param::choice("format", &["text", "json"], "Answer form").or("text");
const QUERY: Param<String> =
    Param::text("query", "Plain words, a name, a path or an error").required();
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
        tests: &'static str = Param::choice("tests", &["auto", "include", "only"], "auto: if asked for").or("auto"),
        max_tokens: usize = SEARCH_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Read {
        places: Vec<String> = Param::text_or_texts("places", "path, path:20-80, path#Class.method or a name").required(),
        imports: bool = Param::flag("imports", "Name the project files they import").or(false),
        max_tokens: usize = MAX_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Grep {
        pattern: String = Param::text_of("pattern", 1, 1000, "Regex").required(),
        literal: bool = Param::flag("literal", "Plain text, no regex").or(false),
        case_sensitive: Option<bool> = Param::flag("case_sensitive", "Default: only if it has capitals"),
        paths: Vec<String> = PATH,
        context: usize = Param::count("context", 0, 20, "Lines around each match").or(0),
        limit: usize = Param::count("limit", 1, 1000, "Most matches").or(50),
        max_tokens: usize = SEARCH_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Symbol {
        name: String = Param::text("name", "Name, may be qualified").required(),
        relation: &'static str = Param::choice("relation", RELATIONS, "What to show").or("definition"),
        depth: usize = Param::count("depth", 1, 3, "Callers of callers").or(1),
        paths: Vec<String> = PATH,
        max_tokens: usize = MAX_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Outline {
        path: Option<String> = Param::text("path", "File, folder, path#Class or part of a name; default: the project"),
        max_tokens: usize = SEARCH_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Notes {
        query: Option<String> = Param::text("query", "What to look for"),
        remember: Option<String> = Param::text("remember", "What to keep, in a sentence or two"),
        kind: Option<&'static str> = Param::choice("type", CONTEXT_TYPES, "Kind"),
        module: Option<String> = Param::text("module", "Part of the project"),
        max_tokens: usize = SEARCH_TOKENS,
        format: &'static str = FORMAT,
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
        format: &'static str = FORMAT,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct IndexCodebase {
        force: bool = Param::flag("force", "Rebuild from nothing").or(false),
        format: &'static str = FORMAT,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct IndexStatus {
        all: bool = Param::flag("all", "List all projects").or(false),
        skipped: bool = Param::flag("skipped", "List left-out files with reasons").or(false),
        format: &'static str = FORMAT,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct ClearIndex {
        project: String = PROJECT.required(),
    }
}
