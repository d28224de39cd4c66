//! The tools of the native surface: their names, descriptions and parameters.
//!
//! A model reads all of this before it reads anything else, so every word is paid for on every turn.

use crate::tool::{Effect, Kind, Parameter, Preset, ToolSpec};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
Groma knows this codebase. Ask search_code in plain words or by name before reading files or grepping; \
locate_symbol finds a definition and who uses it; grep_codebase finds exact text. The index keeps itself up to date.";

/// Every tool.
pub const ALL: &[ToolSpec] = &[SEARCH_CODE];

const PROJECT: Parameter =
    Parameter::text("project", "Project folder; default: where the client works");
const LANGUAGE: Parameter =
    Parameter::new("language", Kind::TextOrTexts, "Only these languages, e.g. go, ts, terraform");
const PATH: Parameter =
    Parameter::new("path", Kind::TextOrTexts, "Only paths that fit these globs, e.g. src/**");
const MAX_TOKENS: Parameter =
    Parameter::integer("max_tokens", 200, 100_000, "Token budget of the answer")
        .or(Preset::Integer(6000));
const FORMAT: Parameter =
    Parameter::new("format", Kind::Choice(&["text", "json"]), "Compact text or JSON")
        .or(Preset::Text("text"));

const SEARCH_CODE: ToolSpec = ToolSpec {
    name: "search_code",
    title: "Search code",
    description: "Find the code that answers a question: plain words (\"where are requests rate limited\"), \
                  names, paths or error messages. Returns ranked places with their code.",
    parameters: &[
        Parameter::text("query", "What to find").required(),
        Parameter::integer("limit", 1, 100, "Most results").or(Preset::Integer(10)),
        Parameter::new("mode", Kind::Choice(&["hybrid", "vector", "keyword"]), "Retrievers")
            .or(Preset::Text("hybrid")),
        LANGUAGE,
        PATH,
        Parameter::new(
            "kind",
            Kind::TextOrTexts,
            "Only these symbol kinds: function, method, class, struct, ...",
        ),
        Parameter::text("symbol_name", "Only symbols whose name fits this glob"),
        Parameter::new("package", Kind::TextOrTexts, "Only these packages, modules or folders"),
        Parameter::new(
            "chunk_type",
            Kind::Choices(&["documentation", "symbols", "definitions", "data"]),
            "Only these kinds of text",
        ),
        Parameter::new("tags", Kind::Texts, "Only files with all these tags"),
        Parameter::new(
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
            "Go: only these domain roles",
        ),
        Parameter::new(
            "min_score",
            Kind::Number { least: 0.0, most: 1.0 },
            "Leave out results below this score",
        )
        .or(Preset::Number(0.0)),
        Parameter::integer("context_before", 0, 200, "Lines to show before each result"),
        Parameter::integer("context_after", 0, 200, "Lines to show after each result"),
        MAX_TOKENS,
        FORMAT,
        PROJECT,
    ],
    effect: Effect::Reads,
};
