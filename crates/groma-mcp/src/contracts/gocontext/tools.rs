//! The tools of the GoContext contract: their names, descriptions and parameters, in the words of its document.

use super::{GoContext, tool};
use crate::arguments::{Param, arguments};
use crate::tool::{Effect, Tool, ToolInfo};

/// Every tool.
pub const ALL: &[Tool<GoContext>] = &[
    tool::<IndexCodebase>(ToolInfo {
        name: "index_codebase",
        title: "Index codebase",
        description: "Index a Go codebase to make it searchable",
        effect: Effect::Refreshes,
    }),
    tool::<SearchCode>(ToolInfo {
        name: "search_code",
        title: "Search code",
        description: "Search indexed Go codebase with natural language or keyword queries",
        effect: Effect::Reads,
    }),
    tool::<GetStatus>(ToolInfo {
        name: "get_status",
        title: "Get status",
        description: "Query indexing status and statistics for a Go project",
        effect: Effect::Reads,
    }),
];

/// Maximum characters of a query.
const MAX_QUERY: usize = 1000;

const MODES: &[&str] = &["hybrid", "vector", "keyword"];
const SYMBOL_TYPES: &[&str] =
    &["function", "method", "struct", "interface", "type", "const", "var"];
const DDD_PATTERNS: &[&str] = &[
    "aggregate",
    "entity",
    "value_object",
    "repository",
    "service",
    "command",
    "query",
    "handler",
];

arguments! {
    pub struct IndexCodebase {
        #[expect(dead_code, reason = "read on its own, before the other arguments are checked")]
        path: String = Param::text("path", "Absolute path to Go project root").required(),
        force_reindex: bool =
            Param::flag("force_reindex", "Force full re-index ignoring file hashes").or(false),
        include_tests: bool =
            Param::flag("include_tests", "Include *_test.go files in index").or(true),
        include_vendor: bool =
            Param::flag("include_vendor", "Include vendor/ directory in index").or(false),
    }
}

arguments! {
    pub struct SearchCode {
        #[expect(dead_code, reason = "read on its own, before the other arguments are checked")]
        path: String = Param::text("path", "Absolute path to indexed Go project").required(),
        query: String =
            Param::text_of("query", 0, MAX_QUERY, "Search query (natural language or keywords)")
                .required(),
        limit: usize = Param::count("limit", 1, 100, "Maximum number of results (1-100)").or(10),
        filters: Filters = Param::object("filters", "Optional filters to narrow search"),
        mode: &'static str =
            Param::choice("search_mode", MODES, "Search strategy to use").or("hybrid"),
    }
}

arguments! {
    pub struct Filters {
        symbol_types: Vec<String> =
            Param::choices("symbol_types", SYMBOL_TYPES, "Limit to specific symbol kinds"),
        file_pattern: Option<String> = Param::text(
            "file_pattern",
            "Limit to files matching pattern (e.g., \"internal/**\")",
        ),
        ddd_patterns: Vec<String> =
            Param::choices("ddd_patterns", DDD_PATTERNS, "Limit to DDD pattern types"),
        packages: Vec<String> = Param::texts("packages", "Limit to specific packages"),
        min_relevance: Option<f64> =
            Param::number("min_relevance", 0.0, 1.0, "Minimum relevance score threshold"),
    }
}

arguments! {
    pub struct GetStatus {
        #[expect(dead_code, reason = "read on its own, before the other arguments are checked")]
        path: String = Param::text("path", "Absolute path to Go project").required(),
    }
}
