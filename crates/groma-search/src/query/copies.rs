//! Copies of code within a project: built, bundled or vendored files, and versions kept for old clients.
//!
//! The folder alone proves nothing: a project may keep its only source in `build`. A chunk counts as a copy if it
//! defines the same names as a candidate elsewhere and is about as long; the folder tells only which of the two is the
//! copy.

use groma_core::{ChunkKind, ChunkOutline, RelPath};
use rustc_hash::FxHashMap;

/// Folders of files that are made from others or taken from other projects.
const MADE: &[&str] = &[
    "build",
    "bundle",
    "bundled",
    "dist",
    "extern",
    "external",
    "generated",
    "node_modules",
    "out",
    "single_include",
    "single-include",
    "static",
    "third_party",
    "third-party",
    "thirdparty",
    "vendor",
    "vendored",
];

/// Folders of code that is kept for old clients.
const OLD: &[&str] = &["attic", "compat", "deprecated", "legacy", "obsolete", "old"];

/// How much longer the longer one of two chunks may be, in quarters of the shorter one, if one is a copy.
const QUARTERS: u32 = 5;

/// How original a file is, judged by its path: a larger one is the source of a smaller one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Originality {
    /// In a folder of built or vendored files, or minified.
    Made,
    /// In a folder of old code.
    Old,
    /// In a folder of one version, such as `v2`.
    Version(u32),
    Source,
}

/// The most original candidates, by the names they define.
pub(crate) struct Copies {
    /// Originality and number of lines, by names.
    sources: FxHashMap<String, Vec<(Originality, u32)>>,
}

impl Copies {
    /// Finds the sources among the candidates. Without a copy among them nothing is stored.
    pub fn among<'c>(candidates: impl Iterator<Item = &'c ChunkOutline> + Clone) -> Self {
        let mut sources: FxHashMap<String, Vec<(Originality, u32)>> = FxHashMap::default();
        let is_copy = |chunk: &ChunkOutline| originality(&chunk.path) != Originality::Source;
        if candidates.clone().any(is_copy) {
            for chunk in candidates {
                if let Some(key) = key(chunk) {
                    sources.entry(key).or_default().push((originality(&chunk.path), lines(chunk)));
                }
            }
        }
        Self { sources }
    }

    /// Whether a chunk is a copy of another candidate.
    pub fn contains(&self, chunk: &ChunkOutline) -> bool {
        if self.sources.is_empty() {
            return false;
        }
        let own = originality(&chunk.path);
        let similar = |other: u32| {
            let (shorter, longer) = (other.min(lines(chunk)), other.max(lines(chunk)));
            u64::from(longer) * 4 <= u64::from(shorter) * u64::from(QUARTERS) + 4
        };
        let sources = key(chunk).and_then(|key| self.sources.get(&key));
        sources.is_some_and(|all| all.iter().any(|(other, lines)| *other > own && similar(*lines)))
    }
}

fn lines(chunk: &ChunkOutline) -> u32 {
    chunk.lines.end.saturating_sub(chunk.lines.start) + 1
}

/// The names that a chunk of code defines.
fn key(chunk: &ChunkOutline) -> Option<String> {
    let defines = chunk.kind == ChunkKind::Code && !chunk.names.is_empty();
    defines.then(|| chunk.names.join(" "))
}

fn originality(path: &RelPath) -> Originality {
    let (folders, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
    if name.contains(".min.") {
        return Originality::Made;
    }
    folders.split('/').map(of_folder).min().unwrap_or(Originality::Source)
}

fn of_folder(folder: &str) -> Originality {
    let is = |list: &[&str]| list.iter().any(|one| folder.eq_ignore_ascii_case(one));
    let version = folder.strip_prefix('v').filter(|digits| digits.len() <= 3);
    match version.and_then(|digits| digits.parse().ok()) {
        Some(number) => Originality::Version(number),
        None if is(MADE) => Originality::Made,
        None if is(OLD) => Originality::Old,
        None => Originality::Source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::{ChunkId, Lines};

    fn chunk(path: &str, names: &[&str], end: u32) -> ChunkOutline {
        ChunkOutline {
            id: ChunkId(0),
            path: RelPath::new(path).unwrap(),
            ordinal: 0,
            lines: Lines { start: 1, end },
            kind: ChunkKind::Code,
            names: names.iter().map(|name| name.to_string()).collect(),
            symbol_kinds: 0,
        }
    }

    #[test]
    fn a_copy_has_a_source_among_the_candidates() {
        let all = [
            chunk("src/json.hpp", &["parse"], 20),
            chunk("single_include/json.hpp", &["parse"], 21),
            chunk("dist/app.min.js", &["only"], 9),
            chunk("vendor/zlib/inflate.c", &["parse"], 300),
            chunk("api/v1/server.go", &["Serve", "stop"], 30),
            chunk("api/v2/server.go", &["Serve", "stop"], 33),
            chunk("legacy/server.go", &["Serve", "stop"], 33),
            chunk("lib/server.go", &["Serve"], 33),
        ];
        let copies = Copies::among(all.iter());
        let found: Vec<&str> =
            all.iter().filter(|one| copies.contains(one)).map(|one| one.path.as_str()).collect();
        assert_eq!(found, ["single_include/json.hpp", "api/v1/server.go", "legacy/server.go"]);
    }

    #[test]
    fn equal_folders_hold_no_copies() {
        let all = [chunk("dist/a.js", &["run"], 5), chunk("build/a.js", &["run"], 5)];
        let copies = Copies::among(all.iter());
        assert!(!all.iter().any(|one| copies.contains(one)));
        let all = [chunk("src/a.js", &["run"], 5), chunk("src/b.js", &["run"], 5)];
        let copies = Copies::among(all.iter());
        assert!(!all.iter().any(|one| copies.contains(one)));
    }
}
