//! The tools of the native surface: their names, descriptions and parameters.
//!
//! A model reads all of this before it reads anything else, so every word is paid for on every turn.

use crate::tool::{Effect, Kind, Parameter, Preset, ToolSpec};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
Groma knows this codebase. Ask search_code in plain words or by name before reading files or grepping; \
locate_symbol finds a definition and who uses it; grep_codebase finds exact text. The index keeps itself up to date.";

/// Every tool.
pub const ALL: &[ToolSpec] = &[
    SEARCH_CODE,
    ANALYZE_QUERY,
    LOCATE_SYMBOL,
    GREP_CODEBASE,
    READ_FILE,
    CONTEXT_SEARCH,
    REMEMBER,
    INDEX_CODEBASE,
    INDEX_STATUS,
    CLEAR_INDEX,
];

const PROJECT: Parameter = Parameter::text("project", "Folder; default: the client's");
const REF: Parameter = Parameter::text("ref", "Git ref");
const LANGUAGE: Parameter = Parameter::new("language", Kind::TextOrTexts, "Languages, e.g. go, ts");
const PATH: Parameter = Parameter::new("path", Kind::TextOrTexts, "Path globs, e.g. src/**");
const SYMBOL_KIND: Parameter =
    Parameter::new("kind", Kind::TextOrTexts, "function, method, class, ...");
const MAX_TOKENS: Parameter =
    Parameter::integer("max_tokens", 200, 100_000, "Answer budget").or(Preset::Integer(6000));
const FORMAT: Parameter = Parameter::new("format", Kind::Choice(&["text", "json"]), "Answer form")
    .or(Preset::Text("text"));
const QUERY: Parameter =
    Parameter::text("query", "Plain words, a name, a path or an error").required();
const LIMIT: Parameter =
    Parameter::integer("limit", 1, 100, "Most results").or(Preset::Integer(10));
const MODE: Parameter =
    Parameter::new("mode", Kind::Choice(&["hybrid", "vector", "keyword"]), "Retrievers")
        .or(Preset::Text("hybrid"));
const SYMBOL_NAME: Parameter = Parameter::text("symbol_name", "Glob over symbol names");
const PACKAGE: Parameter = Parameter::new("package", Kind::TextOrTexts, "Packages or folders");
const CHUNK_TYPE: Parameter = Parameter::new(
    "chunk_type",
    Kind::Choices(&["documentation", "symbols", "definitions", "data"]),
    "Kinds of text",
);
const TAGS: Parameter = Parameter::new("tags", Kind::Texts, "Tags a file must all have");
const DDD_PATTERN: Parameter = Parameter::new(
    "ddd_pattern",
    Kind::Choices(&[
        "aggregate",
        "entity",
        "value_object",
        "repository",
        "service",
        "command",
        "query",
        "handler",
    ]),
    "Go: domain roles",
);
const MIN_SCORE: Parameter =
    Parameter::new("min_score", Kind::Number { least: 0.0, most: 1.0 }, "Lowest score");

const SEARCH_CODE: ToolSpec = ToolSpec {
    name: "search_code",
    title: "Search code",
    description: "Find code by meaning, name, path or error message, e.g. \"where are requests rate limited\". \
                  Returns ranked places with their code.",
    parameters: &[
        QUERY,
        LIMIT,
        MODE,
        LANGUAGE,
        PATH,
        SYMBOL_KIND,
        SYMBOL_NAME,
        PACKAGE,
        CHUNK_TYPE,
        TAGS,
        DDD_PATTERN,
        MIN_SCORE,
        Parameter::integer("context_before", 0, 200, "Lines before each result"),
        Parameter::integer("context_after", 0, 200, "Lines after each result"),
        MAX_TOKENS,
        FORMAT,
        REF,
        PROJECT,
    ],
    effect: Effect::Reads,
};

const ANALYZE_QUERY: ToolSpec = ToolSpec {
    name: "analyze_query",
    title: "Explain a search",
    description: "Show why search_code ranks as it does: intent, terms, stages, each result's signals.",
    parameters: &[QUERY, LIMIT, MODE, LANGUAGE, SYMBOL_KIND, SYMBOL_NAME, FORMAT, PROJECT],
    effect: Effect::Reads,
};

const LOCATE_SYMBOL: ToolSpec = ToolSpec {
    name: "locate_symbol",
    title: "Locate a symbol",
    description: "Find where a name is defined (exact, qualified, then similar), or its references, callers, \
                  callees or implementors.",
    parameters: &[
        Parameter::text("name", "Name, may be qualified").required(),
        Parameter::new(
            "relation",
            Kind::Choice(&["definitions", "references", "callers", "callees", "implementors"]),
            "What to find",
        )
        .or(Preset::Text("definitions")),
        SYMBOL_KIND,
        LANGUAGE,
        PATH,
        LIMIT,
        MAX_TOKENS,
        FORMAT,
        REF,
        PROJECT,
    ],
    effect: Effect::Reads,
};

const GREP_CODEBASE: ToolSpec = ToolSpec {
    name: "grep_codebase",
    title: "Grep",
    description: "Find exact text by regex, with ripgrep's syntax and rules. For meaning use search_code.",
    parameters: &[
        Parameter::new("pattern", Kind::Text { shortest: 1, longest: 1000 }, "Regex").required(),
        Parameter::flag("literal", "Plain text, no regex").or(Preset::Flag(false)),
        Parameter::flag("case_sensitive", "Default: only if it has capitals"),
        LANGUAGE,
        PATH,
        Parameter::integer("context", 0, 20, "Lines around each match").or(Preset::Integer(0)),
        Parameter::integer("limit", 1, 1000, "Most matches").or(Preset::Integer(50)),
        MAX_TOKENS,
        FORMAT,
        REF,
        PROJECT,
    ],
    effect: Effect::Reads,
};

const READ_FILE: ToolSpec = ToolSpec {
    name: "read_file",
    title: "Read a file",
    description: "Read a project file or some of its lines, with the project files it imports if asked.",
    parameters: &[
        Parameter::text("path", "Path from the project root").required(),
        Parameter::integer("start_line", 1, 10_000_000, "First line"),
        Parameter::integer("end_line", 1, 10_000_000, "Last line"),
        Parameter::flag("dependencies", "List imported project files").or(Preset::Flag(false)),
        MAX_TOKENS,
        FORMAT,
        REF,
        PROJECT,
    ],
    effect: Effect::Reads,
};

const CONTEXT_SEARCH: ToolSpec = ToolSpec {
    name: "context_search",
    title: "Search context",
    description: "Ask what the project knows about itself: decisions, rules, patterns, issues, past sessions, e.g. \
                  \"why do we retry twice\".",
    parameters: &[
        QUERY,
        Parameter::new(
            "type",
            Kind::Choice(&[
                "all",
                "pattern",
                "rule",
                "decision",
                "issue",
                "discovery",
                "session",
                "code",
            ]),
            "What to find",
        )
        .or(Preset::Text("all")),
        Parameter::text("module", "Part of the project"),
        LIMIT,
        MAX_TOKENS,
        FORMAT,
        PROJECT,
    ],
    effect: Effect::Reads,
};

const REMEMBER: ToolSpec = ToolSpec {
    name: "remember",
    title: "Remember",
    description: "Keep a decision, rule, pattern or issue for later sessions; context_search finds it.",
    parameters: &[
        Parameter::text("content", "What to keep, in a sentence or two").required(),
        Parameter::new("type", Kind::Choice(&["pattern", "rule", "decision", "issue"]), "Kind"),
        Parameter::text("module", "Part of the project"),
        PROJECT,
    ],
    effect: Effect::Refreshes,
};

const INDEX_CODEBASE: ToolSpec = ToolSpec {
    name: "index_codebase",
    title: "Index a project",
    description: "Index a project now or rebuild it; questions keep it up to date.",
    parameters: &[
        Parameter::flag("force", "Rebuild from nothing").or(Preset::Flag(false)),
        FORMAT,
        PROJECT,
    ],
    effect: Effect::Refreshes,
};

const INDEX_STATUS: ToolSpec = ToolSpec {
    name: "index_status",
    title: "Index status",
    description: "Files, languages, size and freshness of a project's index, or list all projects.",
    parameters: &[
        Parameter::flag("all", "List all projects").or(Preset::Flag(false)),
        Parameter::flag("skipped", "List left-out files with reasons").or(Preset::Flag(false)),
        FORMAT,
        PROJECT,
    ],
    effect: Effect::Reads,
};

const CLEAR_INDEX: ToolSpec = ToolSpec {
    name: "clear_index",
    title: "Clear an index",
    description: "Delete a project's index; files stay, and it can be made again.",
    parameters: &[PROJECT.required()],
    effect: Effect::Removes,
};
