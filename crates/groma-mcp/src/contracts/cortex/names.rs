//! The contract's names: types of chunks, and ids of chunks, which are readable, unique, and stable as long as the set
//! of files is.

use groma_core::{Chunk, ChunkKind, FileFacts, RelPath};
use std::collections::{HashMap, HashSet};

/// The contract's type of a chunk.
pub fn chunk_type(kind: ChunkKind) -> &'static str {
    match kind {
        ChunkKind::Prose => "documentation",
        ChunkKind::Overview => "symbols",
        ChunkKind::Code => "definitions",
        ChunkKind::Data => "data",
    }
}

/// The kind of chunk that a type of the contract means.
pub fn chunk_kind(name: &str) -> Option<ChunkKind> {
    ChunkKind::ALL.iter().copied().find(|kind| chunk_type(*kind) == name)
}

/// The names that files have in ids.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Files whose plain name collides with the id of another file's chunk.
    ambiguous: HashSet<RelPath>,
}

impl Names {
    /// Names for these files, the complete list.
    pub fn new(paths: &[RelPath]) -> Self {
        let mut owners: HashMap<String, &RelPath> = HashMap::new();
        let mut ambiguous = HashSet::new();
        for path in paths {
            let name = plain(path);
            if ends_like_a_chunk_id(&name) || owners.contains_key(&name) {
                ambiguous.insert(path.clone());
            } else {
                owners.insert(name, path);
            }
        }
        Self { ambiguous }
    }

    /// The id of a chunk of a file.
    pub fn id(&self, path: &RelPath, facts: &FileFacts, ordinal: u32) -> String {
        let kind = facts.chunks[ordinal as usize].kind;
        let name = self.name(path);
        let Position { section, part } = position(facts, ordinal);
        let part = part.map_or(String::new(), |part| format!("-c{part}"));
        match kind {
            ChunkKind::Prose => format!("doc-{name}-s{section}{part}"),
            ChunkKind::Overview => format!("code-symbols-{name}"),
            _ => format!("code-{}-{name}{part}", chunk_type(kind)),
        }
    }

    fn name(&self, path: &RelPath) -> String {
        let name = plain(path);
        if !self.ambiguous.contains(path) {
            return name;
        }
        let hash = blake3::hash(path.as_str().as_bytes()).to_hex();
        format!("{name}-{}", &hash[..8])
    }
}

/// A path with dashes: `internal/auth/handler.go` is `internal-auth-handler-go`.
fn plain(path: &RelPath) -> String {
    path.as_str().chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect()
}

/// Whether a name ends like the id of a chunk: `-s3` or `-c0`.
fn ends_like_a_chunk_id(name: &str) -> bool {
    let last = name.rsplit('-').next().unwrap_or(name);
    let digits = last.strip_prefix(['s', 'c']).unwrap_or("");
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The position of a chunk among those of its kind.
pub struct Position {
    /// The section of a document, from 0; 0 for code.
    pub section: usize,
    /// Which part it is, from 0, where its section (or the code of its kind) has several.
    pub part: Option<usize>,
}

/// The position of a chunk among those of its kind.
pub fn position(facts: &FileFacts, ordinal: u32) -> Position {
    let own = &facts.chunks[ordinal as usize];
    let before = || facts.chunks[..ordinal as usize].iter().filter(|one| one.kind == own.kind);
    let together = |one: &&Chunk| own.kind != ChunkKind::Prose || one.symbol == own.symbol;
    let part = before().filter(together).count();
    let parts = facts.chunks.iter().filter(|one| one.kind == own.kind).filter(together).count();
    let mut sections: Vec<Option<u32>> = before().map(|one| one.symbol).collect();
    sections.dedup();
    sections.retain(|section| *section != own.symbol);
    let section = if own.kind == ChunkKind::Prose { sections.len() } else { 0 };
    Position { section, part: (parts > 1).then_some(part) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_engine::parse;
    use std::collections::BTreeSet;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    fn ids(names: &Names, at: &str, text: &str) -> Vec<String> {
        let facts = parse(&path(at), text).facts;
        (0..facts.chunks.len() as u32).map(|ordinal| names.id(&path(at), &facts, ordinal)).collect()
    }

    #[test]
    fn ids_are_paths_with_dashes() {
        let names = Names::default();
        let handler = "package auth\n\nconst A = 1\n\n// One is the first of two.\nfunc One() {\n\tprintln(1)\n\tprintln(2)\n}\n\n\
                       // Two is the second of two.\nfunc Two() {\n\tprintln(1)\n\tprintln(2)\n}\n";
        assert_eq!(
            ids(&names, "internal/auth/handler.go", handler),
            [
                "code-symbols-internal-auth-handler-go",
                "code-data-internal-auth-handler-go",
                "code-definitions-internal-auth-handler-go-c0",
                "code-definitions-internal-auth-handler-go-c1",
            ]
        );
        let body = "A line of text.\n\n".repeat(50);
        let text = format!("# Top\n\n{body}\n## Next\n\n{}\n", "Short.\n".repeat(9));
        assert_eq!(
            ids(&names, "docs/auth.md", &text)[1..],
            ["doc-docs-auth-md-s0-c0", "doc-docs-auth-md-s0-c1", "doc-docs-auth-md-s1"]
        );
    }

    #[test]
    fn no_two_chunks_share_an_id() {
        let paths = ["a-b.go", "a/b.go", "a/b/go", "a.b.go", "a-b-go-c0", "a/b.go.c1", "ä/b.go"];
        let paths = paths.map(path);
        let names = Names::new(&paths);
        let text = "package b\n\n// One is one.\nfunc One() {\n\tprintln(1)\n\tprintln(2)\n}\n\n// Two is two.\nfunc Two() {\n\tprintln(1)\n\tprintln(2)\n}\n";
        let all: Vec<String> =
            paths.iter().flat_map(|one| ids(&names, one.as_str(), text)).collect();
        let different: BTreeSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len(), "{all:#?}");
        assert!(different.contains(&"code-symbols-a-b-go".to_string()));
    }
}
