//! The registry of the contract's error codes, with message and remediation.

/// Every code of the registry. The meaning of a code never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// An argument is missing, unknown, of a wrong type or not allowed.
    InvalidInput,
    /// Cannot occur: no tool here has a `strategy`.
    InvalidStrategy,
    /// Cannot occur: no tool here has `max_tokens`.
    InvalidMaxTokens,
    /// The workspace is no folder, or it was never initialised.
    ProjectNotFound,
    /// Cannot occur: a workspace that was never initialised is `project_not_found`.
    WorkspaceNotRegistered,
    /// Cannot occur: the workspace is fixed at the start, and no tool names another.
    WorkspaceNotAllowed,
    /// Cannot occur: workspaces are not discovered.
    WorkspaceLimitExceeded,
    /// A job runs, or another process writes the index.
    IndexInProgress,
    /// Nothing is indexed yet, or the first job failed.
    IndexNotReady,
    /// A sync runs already.
    SyncInProgress,
    /// Cannot occur: a query brings the index up to date, and no policy forbids that.
    IndexStale,
    /// Another version made the index, or it cannot be read.
    IndexIncompatible,
    /// There is no such ref, or it was never indexed.
    RefNotIndexed,
    /// Cannot occur: a ref has a manifest of its own, not an overlay over another's.
    OverlayNotReady,
    /// Cannot occur: nothing is computed from merge bases.
    MergeBaseFailed,
    /// Cannot occur: no match is an empty list of results.
    SymbolNotFound,
    /// Cannot occur: all matches are results.
    AmbiguousSymbol,
    /// Cannot occur: no tool here takes a path.
    FileNotFound,
    /// Cannot occur: no tool here takes a result.
    ResultNotFound,
    /// Cannot occur: no tool here asks for a graph.
    NoEdgesAvailable,
    /// Anything else.
    InternalError,
}

/// An entry of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The code in answers.
    pub code: &'static str,
    /// The category.
    pub category: &'static str,
    /// What it means.
    pub message: &'static str,
    /// The remediation.
    pub remediation: &'static str,
}

impl Code {
    /// The whole registry, in its order.
    pub const ALL: [Code; 21] = [
        Self::InvalidInput,
        Self::InvalidStrategy,
        Self::InvalidMaxTokens,
        Self::ProjectNotFound,
        Self::WorkspaceNotRegistered,
        Self::WorkspaceNotAllowed,
        Self::WorkspaceLimitExceeded,
        Self::IndexInProgress,
        Self::IndexNotReady,
        Self::SyncInProgress,
        Self::IndexStale,
        Self::IndexIncompatible,
        Self::RefNotIndexed,
        Self::OverlayNotReady,
        Self::MergeBaseFailed,
        Self::SymbolNotFound,
        Self::AmbiguousSymbol,
        Self::FileNotFound,
        Self::ResultNotFound,
        Self::NoEdgesAvailable,
        Self::InternalError,
    ];

    /// Its entry in the registry.
    pub fn entry(self) -> Entry {
        let [code, category, message, remediation] = match self {
            Self::InvalidInput => [
                "invalid_input",
                "validation",
                "An argument is missing or wrong.",
                "Correct the argument and call again.",
            ],
            Self::InvalidStrategy => [
                "invalid_strategy",
                "validation",
                "The strategy is neither breadth nor depth.",
                "Use breadth or depth.",
            ],
            Self::InvalidMaxTokens => [
                "invalid_max_tokens",
                "validation",
                "The token budget is below 1.",
                "Give a positive budget.",
            ],
            Self::ProjectNotFound => [
                "project_not_found",
                "workspace",
                "No project is registered for the workspace path.",
                "Run `codecompass init` (or `groma init`) in the workspace, or start the server with \
                 --workspace DIR for one that was initialized.",
            ],
            Self::WorkspaceNotRegistered => [
                "workspace_not_registered",
                "workspace",
                "The workspace is not registered.",
                "Register it, or let workspaces be discovered.",
            ],
            Self::WorkspaceNotAllowed => [
                "workspace_not_allowed",
                "workspace",
                "The workspace lies outside the allowed roots.",
                "Use a workspace below an allowed root.",
            ],
            Self::WorkspaceLimitExceeded => [
                "workspace_limit_exceeded",
                "workspace",
                "Too many workspaces were discovered.",
                "Try again later, or remove some.",
            ],
            Self::IndexInProgress => [
                "index_in_progress",
                "indexing",
                "An indexing job is already running for this project.",
                "Poll index_status until the job is over.",
            ],
            Self::IndexNotReady => [
                "index_not_ready",
                "indexing",
                "There is no index to answer from.",
                "Call index_repo, then poll index_status until it says ready.",
            ],
            Self::SyncInProgress => [
                "sync_in_progress",
                "indexing",
                "A sync is already running for this project and ref.",
                "Poll index_status until the job is over.",
            ],
            Self::IndexStale => {
                ["index_stale", "freshness", "The index is behind the files.", "Call sync_repo."]
            }
            Self::IndexIncompatible => [
                "index_incompatible",
                "compat",
                "The index cannot be used by this version.",
                "Run `codecompass index --force` (or `groma index --force`), or call index_repo with force=true.",
            ],
            Self::RefNotIndexed => {
                ["ref_not_indexed", "vcs", "The ref is not indexed.", "Index that ref first."]
            }
            Self::OverlayNotReady => [
                "overlay_not_ready",
                "vcs",
                "The overlay of the ref cannot be searched yet.",
                "Try again later.",
            ],
            Self::MergeBaseFailed => [
                "merge_base_failed",
                "vcs",
                "The merge base cannot be computed.",
                "Check the refs and the repository.",
            ],
            Self::SymbolNotFound => {
                ["symbol_not_found", "query", "No symbol matches.", "Ask for less."]
            }
            Self::AmbiguousSymbol => [
                "ambiguous_symbol",
                "query",
                "Several symbols match.",
                "Give a path or a qualified name.",
            ],
            Self::FileNotFound => [
                "file_not_found",
                "query",
                "The file is not in the indexed ref.",
                "Check the path and the ref.",
            ],
            Self::ResultNotFound => {
                ["result_not_found", "query", "There is no such result.", "Run the query again."]
            }
            Self::NoEdgesAvailable => {
                ["no_edges_available", "graph", "The graph is empty.", "Let the index be finished."]
            }
            Self::InternalError => [
                "internal_error",
                "runtime",
                "Something failed unexpectedly.",
                "Try again; `groma doctor` in a terminal looks for the cause.",
            ],
        };
        Entry { code, category, message, remediation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_whole() {
        let lines: Vec<String> = Code::ALL
            .iter()
            .map(|code| code.entry())
            .inspect(|entry| {
                assert!(entry.message.ends_with('.') && entry.remediation.ends_with('.'))
            })
            .map(|entry| format!("{} {}\n", entry.category, entry.code))
            .collect();
        expect_test::expect![[r#"
            validation invalid_input
            validation invalid_strategy
            validation invalid_max_tokens
            workspace project_not_found
            workspace workspace_not_registered
            workspace workspace_not_allowed
            workspace workspace_limit_exceeded
            indexing index_in_progress
            indexing index_not_ready
            indexing sync_in_progress
            freshness index_stale
            compat index_incompatible
            vcs ref_not_indexed
            vcs overlay_not_ready
            vcs merge_base_failed
            query symbol_not_found
            query ambiguous_symbol
            query file_not_found
            query result_not_found
            graph no_edges_available
            runtime internal_error
        "#]]
        .assert_eq(&lines.concat());
    }
}
