//! The tools of the contract: their names, descriptions and parameters.

use super::{CodeCompass, tool};
use crate::arguments::{Param, arguments};
use crate::tool::{Effect, Tool, ToolInfo};

/// How a model should use the tools.
pub const INSTRUCTIONS: &str = "\
CodeCompass answers questions about the codebase of one workspace. Call index_repo once, poll index_status until it is \
ready, then ask locate_symbol for definitions by name and search_code for everything else.";

/// Every tool.
pub const ALL: &[Tool<CodeCompass>] = &[
    tool::<IndexRepo>(ToolInfo {
        name: "index_repo",
        title: "Index the repository",
        description: "Start indexing the workspace in the background, all of it or what changed. Answers at once with a \
                      job; index_status tells when it is done.",
        effect: Effect::Refreshes,
    }),
    tool::<SyncRepo>(ToolInfo {
        name: "sync_repo",
        title: "Sync the repository",
        description: "Start bringing the index up to date with the files that changed, in the background. Answers at once \
                      with a job; index_status tells when it is done.",
        effect: Effect::Refreshes,
    }),
    tool::<LocateSymbol>(ToolInfo {
        name: "locate_symbol",
        title: "Locate a symbol",
        description: "Find where a symbol is defined, by its name: file and lines, signature, and a stable handle for \
                      each definition.",
        effect: Effect::Reads,
    }),
    tool::<SearchCode>(ToolInfo {
        name: "search_code",
        title: "Search code",
        description: "Search symbols, snippets and files with a name, a path, an error message or plain words. Says how \
                      the query was understood and what to ask next.",
        effect: Effect::Reads,
    }),
    tool::<IndexStatus>(ToolInfo {
        name: "index_status",
        title: "Index status",
        description: "Whether the workspace is indexed and up to date, the job that runs, and the jobs before it.",
        effect: Effect::Reads,
    }),
];

const REF: Param<Option<String>> = Param::text(
    "ref",
    "Branch, tag or commit to search. Default: what is checked out, else \"live\"",
);
const LANGUAGE: Param<Option<String>> = Param::text("language", "Only this language, e.g. rust");
/// Unbounded in the contract: a value out of range is clamped, with a warning.
const LIMIT: Param<i64> = Param::integer("limit", i64::MIN, i64::MAX, "Most results").or(10);

arguments! {
    pub struct IndexRepo {
        force: bool =
            Param::flag("force", "Index everything again, whatever is indexed already").or(false),
        #[expect(dead_code, reason = "read on its own, by `read_ref`")]
        reference: Option<String> =
            Param::text("ref", "Branch, tag or commit to index. Default: what is checked out"),
    }
}

arguments! {
    pub struct SyncRepo {
        force: bool =
            Param::flag("force", "Sync everything rather than what changed").or(false),
        #[expect(dead_code, reason = "read on its own, by `read_ref`")]
        reference: Option<String> =
            Param::text("ref", "Branch, tag or commit to sync. Default: what is checked out"),
    }
}

arguments! {
    pub struct LocateSymbol {
        name: String = Param::text_of("name", 1, 500, "The symbol's name").required(),
        kind: Option<String> =
            Param::text("kind", "Only this kind: fn, struct, class, method, ..."),
        language: Option<String> = LANGUAGE,
        #[expect(dead_code, reason = "read on its own, by `read_ref`")]
        reference: Option<String> = REF,
        limit: i64 = LIMIT,
    }
}

arguments! {
    pub struct SearchCode {
        query: String = Param::text_of("query", 1, 10_000, "What to find").required(),
        #[expect(dead_code, reason = "read on its own, by `read_ref`")]
        reference: Option<String> = REF,
        language: Option<String> = LANGUAGE,
        limit: i64 = LIMIT,
    }
}

arguments! {
    pub struct IndexStatus {
        #[expect(dead_code, reason = "read on its own, by `read_ref`")]
        reference: Option<String> = Param::text(
            "ref",
            "Branch, tag or commit to tell about. Default: what is checked out",
        ),
    }
}
