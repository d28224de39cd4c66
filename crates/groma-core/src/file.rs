//! What is known about one version of one file.

use crate::symbol::named_enum;
use crate::{Chunk, ExpressionId, Lines, Links, RelPath, Symbol, SymbolOutline};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The identity of a file version: its bytes, its path and the pipeline that read it.
///
/// A version that is stored without the vectors it should have has a key of its own, which differs in the last bit.
/// So a manifest alone shows which files are unembedded, and embedding one is a change like any other. A version whose
/// parse a limit ended is provisional, and marked likewise: its facts are not those of the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionKey([u8; 16]);

/// The bit of a key's last byte that marks a version without its vectors.
const UNEMBEDDED: u8 = 1;

/// The bit of a key's last byte that marks a version to be parsed again.
const PROVISIONAL: u8 = 2;

impl VersionKey {
    /// The key of `bytes` at `path` as read by pipeline `pipeline`.
    pub fn new(path: &RelPath, bytes: &[u8], pipeline: u32) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&pipeline.to_le_bytes());
        hasher.update(&(path.as_str().len() as u64).to_le_bytes());
        hasher.update(path.as_str().as_bytes());
        hasher.update(bytes);
        let mut key = [0; 16];
        key.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        key[15] &= !(UNEMBEDDED | PROVISIONAL);
        Self(key)
    }

    /// The key of the same version, provisional: stored with facts that a limit cut short.
    pub fn provisional(mut self) -> Self {
        self.0[15] |= PROVISIONAL;
        self
    }

    /// Whether the version has to be parsed again.
    pub fn is_provisional(&self) -> bool {
        self.0[15] & PROVISIONAL != 0
    }

    /// The key of the same version, unembedded: stored without its vectors.
    pub fn unembedded(mut self) -> Self {
        self.0[15] |= UNEMBEDDED;
        self
    }

    /// The key of the same version without marks: embedded and final.
    pub fn unmarked(mut self) -> Self {
        self.0[15] &= !(UNEMBEDDED | PROVISIONAL);
        self
    }

    /// Whether the version lacks what a later run adds.
    pub fn is_marked(&self) -> bool {
        *self != self.unmarked()
    }

    /// The key of the same version, embedded.
    pub fn embedded(mut self) -> Self {
        self.0[15] &= !UNEMBEDDED;
        self
    }

    /// Whether the version lacks its vectors.
    pub fn is_unembedded(&self) -> bool {
        self.0[15] & UNEMBEDDED != 0
    }

    /// The key stored as `bytes`.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// The bytes it is stored as.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Debug for VersionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..6].iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

named_enum! {
    /// How well a file could be parsed.
    ParseStatus {
        /// The whole file follows its grammar.
        Ok = "ok",
        /// Some ranges have syntax errors; the rest is parsed.
        Partial = "partial",
        /// It could not be parsed; it is indexed by lines.
        Error = "error",
        /// There is no grammar for it; it is indexed by lines.
        NoGrammar = "no_grammar",
        /// Its grammar crashed on it; it is indexed by lines until it or the grammar changes.
        Crashed = "crashed",
        /// A limit ended the parse; it is indexed by lines and will be parsed again.
        Interrupted = "interrupted",
    }
}

impl ParseStatus {
    /// Whether some of the file could not be parsed, though there is a grammar.
    pub fn is_failure(self) -> bool {
        !matches!(self, Self::Ok | Self::NoGrammar)
    }
}

/// How well a file could be parsed, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseHealth {
    /// The outcome.
    pub status: ParseStatus,
    /// The reason; empty if the whole file was parsed.
    pub message: String,
}

impl ParseHealth {
    /// The whole file was parsed.
    pub fn ok() -> Self {
        Self { status: ParseStatus::Ok, message: String::new() }
    }

    /// An outcome with its reason.
    pub fn because(status: ParseStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }
}

named_enum! {
    /// How a reference uses a definition.
    ReferenceKind {
        /// It calls it.
        Call = "call",
        /// It names it as a type.
        Type = "type",
        /// It extends, implements, mixes in or embeds it.
        Base = "base",
        /// It imports or re-exports it.
        Import = "import",
        /// Anything else: it reads it, writes it, passes it on or decorates with it.
        Value = "value",
    }
}

/// A use of a name that is defined elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name as written, without qualifiers.
    pub name: Arc<str>,
    /// How it is used.
    pub kind: ReferenceKind,
    /// Its line.
    pub line: u32,
    /// The column, in bytes from 0.
    pub column: u32,
    /// The innermost symbol around it, by its index in [`FileFacts::symbols`].
    pub enclosing: Option<u32>,
    /// The type that extends or implements `name`, where it is not `enclosing`: in Rust, the `T` of `impl X for T`.
    pub implementor: Option<String>,
    /// What it means, by its index in [`Links::expressions`]; `None` if it is matched by its name.
    pub target: Option<ExpressionId>,
}

/// An import as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// What is imported, quotes removed: a path, a module or a name.
    pub path: String,
    /// Its line.
    pub line: u32,
}

/// Everything extracted from one file version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// The language's canonical name.
    pub language: String,
    /// How well it could be parsed.
    pub health: ParseHealth,
    /// The number of lines.
    pub line_count: u32,
    /// The package or namespace the file declares, if it does.
    pub package: Option<String>,
    /// Definitions, in order of their first line, outer before inner.
    pub symbols: Vec<Symbol>,
    /// Uses of names, in order of position.
    pub references: Vec<Reference>,
    /// What the references mean.
    pub links: Links,
    /// Imports, in order of position.
    pub imports: Vec<Import>,
    /// Chunks: the overview first (where the file has one), then the others in order of position.
    pub chunks: Vec<Chunk>,
    /// Tags of the whole file: language, role, folders, front matter and hashtags.
    pub tags: Vec<String>,
}

/// The symbols of a file by the line of their name, so that those of each chunk are found without a look at all others.
pub struct SymbolsByLine<'a> {
    symbols: &'a [Symbol],
    /// Line and index, ascending.
    order: Vec<(u32, u32)>,
}

impl<'a> SymbolsByLine<'a> {
    /// The symbols whose name is on one of `lines`, in their order in the file.
    pub fn within(&self, lines: Lines) -> Vec<&'a Symbol> {
        let from = self.order.partition_point(|(line, _)| *line < lines.start);
        let inside = self.order[from..].iter().take_while(|(line, _)| *line <= lines.end);
        let mut indexes: Vec<u32> = inside.map(|(_, index)| *index).collect();
        indexes.sort_unstable();
        indexes.into_iter().map(|index| &self.symbols[index as usize]).collect()
    }
}

impl FileFacts {
    /// The facts of a file without content.
    pub fn empty() -> Self {
        Self {
            language: "text".into(),
            health: ParseHealth::ok(),
            line_count: 1,
            package: None,
            symbols: Vec::new(),
            references: Vec::new(),
            links: Links::default(),
            imports: Vec::new(),
            chunks: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// Its symbols by the line of their name.
    pub fn symbols_by_line(&self) -> SymbolsByLine<'_> {
        let mut order: Vec<(u32, u32)> =
            (0..).zip(&self.symbols).map(|(index, symbol)| (symbol.name_line, index)).collect();
        order.sort_unstable();
        SymbolsByLine { symbols: &self.symbols, order }
    }

    /// All lines of the file.
    pub fn lines(&self) -> Lines {
        Lines::new(1, self.line_count.max(1))
    }

    /// The outline of one of its symbols.
    pub fn outline<'a>(&'a self, symbol: &'a Symbol) -> SymbolOutline<'a> {
        let parent = || self.symbols.get(symbol.parent? as usize);
        let container =
            symbol.receiver.as_deref().or_else(|| parent().map(|parent| parent.name.as_str()));
        SymbolOutline { name: &symbol.name, kind: symbol.kind, container }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_without_its_vectors_is_another_one() {
        for bytes in [&b"one"[..], b"two", b"three", b"four"] {
            let key = VersionKey::new(&RelPath::new("a.rs").unwrap(), bytes, 1);
            assert!(!key.is_unembedded() && key.unembedded().is_unembedded());
            assert_ne!(key, key.unembedded());
            assert_eq!(
                (key.unembedded().embedded(), key.unembedded().unembedded()),
                (key, key.unembedded())
            );
        }
    }
}
