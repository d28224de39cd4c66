//! The tools of the GoContext contract: their names, descriptions and parameters, in the words of its document.

use crate::tool::{Effect, Kind, Parameter, Preset, ToolSpec};

/// Every tool.
pub const ALL: &[ToolSpec] = &[INDEX_CODEBASE, SEARCH_CODE, GET_STATUS];

/// The longest question, in characters.
const LONGEST_QUERY: usize = 1000;

const INDEX_CODEBASE: ToolSpec = ToolSpec {
    name: "index_codebase",
    title: "Index codebase",
    description: "Index a Go codebase to make it searchable",
    parameters: &[
        Parameter::text("path", "Absolute path to Go project root").required(),
        Parameter::flag("force_reindex", "Force full re-index ignoring file hashes")
            .or(Preset::Flag(false)),
        Parameter::flag("include_tests", "Include *_test.go files in index").or(Preset::Flag(true)),
        Parameter::flag("include_vendor", "Include vendor/ directory in index")
            .or(Preset::Flag(false)),
    ],
    effect: Effect::Refreshes,
};

const SEARCH_CODE: ToolSpec = ToolSpec {
    name: "search_code",
    title: "Search code",
    description: "Search indexed Go codebase with natural language or keyword queries",
    parameters: &[
        Parameter::text("path", "Absolute path to indexed Go project").required(),
        Parameter::new(
            "query",
            Kind::Text { shortest: 0, longest: LONGEST_QUERY },
            "Search query (natural language or keywords)",
        )
        .required(),
        Parameter::integer("limit", 1, 100, "Maximum number of results (1-100)")
            .or(Preset::Integer(10)),
        Parameter::new("filters", Kind::Object(FILTERS), "Optional filters to narrow search"),
        Parameter::new(
            "search_mode",
            Kind::Choice(&["hybrid", "vector", "keyword"]),
            "Search strategy to use",
        )
        .or(Preset::Text("hybrid")),
    ],
    effect: Effect::Reads,
};

const FILTERS: &[Parameter] = &[
    Parameter::new(
        "symbol_types",
        Kind::Choices(&["function", "method", "struct", "interface", "type", "const", "var"]),
        "Limit to specific symbol kinds",
    ),
    Parameter::text("file_pattern", "Limit to files matching pattern (e.g., \"internal/**\")"),
    Parameter::new(
        "ddd_patterns",
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
        "Limit to DDD pattern types",
    ),
    Parameter::new("packages", Kind::Texts, "Limit to specific packages"),
    Parameter::new(
        "min_relevance",
        Kind::Number { least: 0.0, most: 1.0 },
        "Minimum relevance score threshold",
    ),
];

const GET_STATUS: ToolSpec = ToolSpec {
    name: "get_status",
    title: "Get status",
    description: "Query indexing status and statistics for a Go project",
    parameters: &[Parameter::text("path", "Absolute path to Go project").required()],
    effect: Effect::Reads,
};
