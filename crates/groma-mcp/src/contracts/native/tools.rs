//! The tools of the native surface: their names, descriptions and parameters.
//!
//! Clients send all of this to the model with every request, so every word costs tokens.

use super::{Native, tool};
use crate::arguments::{Param, Verbatim, arguments};
use crate::tool::{Effect, Tool, ToolInfo};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
Groma knows this codebase. Ask search_code in plain words or by name before reading files or grepping; \
locate_symbol finds a definition and who uses it; grep_codebase finds exact text. The index keeps itself up to date.";

/// Every tool.
pub const ALL: &[Tool<Native>] = &[
    tool::<SearchCode>(ToolInfo {
        name: "search_code",
        title: "Search code",
        description: "Find code by meaning, name, path or error message, e.g. \"where are requests rate limited\". \
                      Returns ranked places with their code.",
        effect: Effect::Reads,
    }),
    tool::<AnalyzeQuery>(ToolInfo {
        name: "analyze_query",
        title: "Explain a search",
        description: "Show why search_code ranks as it does: intent, terms, stages, each result's signals.",
        effect: Effect::Reads,
    }),
    tool::<LocateSymbol>(ToolInfo {
        name: "locate_symbol",
        title: "Locate a symbol",
        description: "Find where a name is defined (exact, qualified, then similar), or its references, callers, \
                      callees or implementors.",
        effect: Effect::Reads,
    }),
    tool::<GrepCodebase>(ToolInfo {
        name: "grep_codebase",
        title: "Grep",
        description: "Find exact text by regex, with ripgrep's syntax and rules. For meaning use search_code.",
        effect: Effect::Reads,
    }),
    tool::<ReadFile>(ToolInfo {
        name: "read_file",
        title: "Read a file",
        description: "Read a project file or some of its lines, with the project files it imports if asked.",
        effect: Effect::Reads,
    }),
    tool::<ContextSearch>(ToolInfo {
        name: "context_search",
        title: "Search context",
        description: "Ask what the project knows about itself: decisions, rules, patterns, issues, past sessions, e.g. \
                      \"why do we retry twice\".",
        effect: Effect::Reads,
    }),
    tool::<Remember>(ToolInfo {
        name: "remember",
        title: "Remember",
        description: "Keep a decision, rule, pattern or issue for later sessions; context_search finds it.",
        effect: Effect::Refreshes,
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
const MAX_TOKENS: Param<usize> = Param::count("max_tokens", 200, 100_000, "Answer budget").or(6000);
const FORMAT: Param<&str> = Param::choice("format", &["text", "json"], "Answer form").or("text");
const QUERY: Param<String> =
    Param::text("query", "Plain words, a name, a path or an error").required();
const LIMIT: Param<usize> = Param::count("limit", 1, 100, "Most results").or(10);
const MODE: Param<&str> =
    Param::choice("mode", &["hybrid", "vector", "keyword"], "Retrievers").or("hybrid");
const SYMBOL_NAME: Param<Option<String>> = Param::text("symbol_name", "Glob over symbol names");

const CHUNK_TYPES: &[&str] = &["prose", "overview", "code", "data"];
const RELATIONS: &[&str] = &["definitions", "references", "callers", "callees", "implementors"];
const CONTEXT_TYPES: &[&str] =
    &["all", "pattern", "rule", "decision", "issue", "discovery", "session", "code"];

arguments! {
    pub struct SearchCode {
        query: String = QUERY,
        limit: Verbatim<usize> = LIMIT.verbatim(),
        mode: &'static str = MODE,
        languages: Vec<String> = LANGUAGE,
        paths: Vec<String> = PATH,
        kinds: Vec<String> = SYMBOL_KIND,
        symbol_name: Option<String> = SYMBOL_NAME,
        packages: Vec<String> = Param::text_or_texts("package", "Packages or folders"),
        chunk_types: Vec<String> = Param::choices("chunk_type", CHUNK_TYPES, "Kinds of text"),
        tags: Vec<String> = Param::texts("tags", "Tags a file must all have"),
        min_score: Option<f64> = Param::number("min_score", 0.0, 1.0, "Lowest score"),
        context_before: Option<usize> = Param::count("context_before", 0, 200, "Lines before each result"),
        context_after: Option<usize> = Param::count("context_after", 0, 200, "Lines after each result"),
        max_tokens: usize = MAX_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
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
    pub struct LocateSymbol {
        name: String = Param::text("name", "Name, may be qualified").required(),
        relation: &'static str = Param::choice("relation", RELATIONS, "What to find").or("definitions"),
        kinds: Vec<String> = SYMBOL_KIND,
        languages: Vec<String> = LANGUAGE,
        paths: Vec<String> = PATH,
        limit: usize = LIMIT,
        max_tokens: usize = MAX_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct GrepCodebase {
        pattern: String = Param::text_of("pattern", 1, 1000, "Regex").required(),
        literal: bool = Param::flag("literal", "Plain text, no regex").or(false),
        case_sensitive: Option<bool> = Param::flag("case_sensitive", "Default: only if it has capitals"),
        languages: Vec<String> = LANGUAGE,
        paths: Vec<String> = PATH,
        context: usize = Param::count("context", 0, 20, "Lines around each match").or(0),
        limit: usize = Param::count("limit", 1, 1000, "Most matches").or(50),
        max_tokens: usize = MAX_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct ReadFile {
        path: String = Param::text("path", "Path from the project root").required(),
        start_line: Option<usize> = Param::count("start_line", 1, 10_000_000, "First line"),
        end_line: Option<usize> = Param::count("end_line", 1, 10_000_000, "Last line"),
        dependencies: bool = Param::flag("dependencies", "List imported project files").or(false),
        max_tokens: usize = MAX_TOKENS,
        format: &'static str = FORMAT,
        reference: Option<String> = REF,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct ContextSearch {
        query: String = QUERY,
        kind: &'static str = Param::choice("type", CONTEXT_TYPES, "What to find").or("all"),
        module: Option<String> = Param::text("module", "Part of the project"),
        limit: usize = LIMIT,
        max_tokens: usize = MAX_TOKENS,
        format: &'static str = FORMAT,
        project: Option<String> = PROJECT,
    }
}

arguments! {
    pub struct Remember {
        content: String = Param::text("content", "What to keep, in a sentence or two").required(),
        kind: Option<&'static str> =
            Param::choice("type", &["pattern", "rule", "decision", "issue"], "Kind"),
        module: Option<String> = Param::text("module", "Part of the project"),
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
