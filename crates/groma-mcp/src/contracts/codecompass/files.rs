//! The files that a query names by their path: first among the results.

use groma_core::{ChunkKind, RelPath};
use groma_engine::{EngineError, Hit, SearchAnswer, SearchRequest};

/// Most files that are put first: a base name may be that of many.
const MAX_FILES: usize = 20;

/// Puts the files that a query names before the other results, the closest match first.
pub fn first(
    indexed: &[RelPath],
    paths: &[&str],
    request: &SearchRequest,
    answer: &mut SearchAnswer,
    search: impl FnOnce(&SearchRequest) -> Result<SearchAnswer, EngineError>,
) -> Result<(), EngineError> {
    let named = named(indexed, paths);
    if named.is_empty() {
        return Ok(());
    }
    let mut of_files = SearchRequest { limit: named.len(), ..request.clone() };
    of_files.filter.chunk_kinds = vec![ChunkKind::Overview];
    let globs: Vec<String> = named.iter().map(|path| escaped(path.as_str())).collect();
    // A path that is no glob is left to the search.
    if of_files.filter.set_paths(&globs).is_err() {
        return Ok(());
    }
    let found = search(&of_files)?;
    let rank = |hit: &Hit| named.iter().position(|path| *path == hit.path);
    let mut files: Vec<Hit> = found.hits.into_iter().filter(|hit| rank(hit).is_some()).collect();
    files.sort_by_key(rank);
    answer.hits.retain(|hit| hit.kind != ChunkKind::Overview || rank(hit).is_none());
    answer.hits.splice(0..0, files);
    answer.hits.truncate(request.limit);
    Ok(())
}

/// The indexed files that end in one of the paths, by whole names: the shortest first, which is the exact one.
fn named(indexed: &[RelPath], paths: &[&str]) -> Vec<RelPath> {
    let mut found: Vec<RelPath> = Vec::new();
    for path in paths {
        let path = path.replace('\\', "/");
        let path = path.trim_start_matches("./").trim_matches('/');
        let ends = |file: &&RelPath| {
            let rest = file.as_str().strip_suffix(path);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let mut matching: Vec<&RelPath> = indexed.iter().filter(ends).collect();
        matching.sort_by_key(|file| file.as_str().len());
        for file in matching {
            if found.len() < MAX_FILES && !found.contains(file) {
                found.push(file.clone());
            }
        }
    }
    found
}

/// A path as a glob that matches it alone.
fn escaped(path: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\' | '!');
    path.chars().map(|c| if special(c) { format!("[{c}]") } else { c.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_path_comes_before_longer_ones() {
        let indexed = ["src/auth/jwt.rs", "auth/jwt.rs", "src/auth/ajwt.rs", "jwt.rs.bak"]
            .map(|path| RelPath::new(path).unwrap());
        let found = |paths: &[&str]| -> Vec<String> {
            named(&indexed, paths).iter().map(|path| path.to_string()).collect()
        };
        assert_eq!(found(&["auth/jwt.rs"]), ["auth/jwt.rs", "src/auth/jwt.rs"]);
        assert_eq!(found(&["./src/auth/ajwt.rs", "jwt.rs"])[0], "src/auth/ajwt.rs");
        assert_eq!(found(&["src\\auth\\jwt.rs"]), ["src/auth/jwt.rs"]);
        assert!(found(&["wt.rs"]).is_empty() && found(&["src"]).is_empty());
    }
}
