//! Handles of symbols and results, stable across calls, restarts and index runs.
//!
//! A symbol's id depends on its location and changes when the symbol moves. Its stable id depends on language, kind,
//! name and signature, and stays when the symbol moves to another line or file. Two symbols may share a stable id.

use groma_core::{RelPath, SymbolKind};
use groma_engine::Definition;
use groma_engine::name_in_file;
use std::path::Path;

/// A project's id: a prefix of the hash of its root.
pub fn project_id(root: &Path) -> String {
    blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex()[..16].to_string()
}

/// Computes the handles of one project at one ref.
pub struct Handles<'a> {
    /// The project's id.
    pub project: &'a str,
    /// The name of the ref in answers.
    pub reference: &'a str,
}

/// What the handles of a symbol depend on.
#[derive(Clone, Copy)]
pub struct Identity<'a> {
    /// Its file.
    pub path: &'a RelPath,
    /// The file's language.
    pub language: &'a str,
    /// Its kind.
    pub kind: SymbolKind,
    /// Its first line.
    pub line: u32,
    /// Its name.
    pub name: &'a str,
    /// Its qualified name.
    pub qualified: &'a str,
    /// Its signature.
    pub signature: &'a str,
}

impl<'a> From<&'a Definition> for Identity<'a> {
    fn from(found: &'a Definition) -> Self {
        let symbol = &found.symbol;
        Self {
            path: &found.path,
            language: &found.language,
            kind: symbol.kind,
            line: symbol.name_line,
            name: &symbol.name,
            qualified: &symbol.qualified,
            signature: &symbol.signature,
        }
    }
}

impl Handles<'_> {
    /// The id of a symbol.
    pub fn symbol(&self, symbol: Identity<'_>) -> String {
        let location = [
            self.project,
            self.reference,
            symbol.path.as_str(),
            symbol.kind.as_str(),
            &symbol.line.to_string(),
            symbol.name,
        ];
        format!("sym_{}", hash(&location))
    }

    /// The id of a result that is a range of lines.
    pub fn result(&self, prefix: &str, path: &RelPath, first: u32, last: u32) -> String {
        let lines = format!("{first}-{last}");
        format!("{prefix}_{}", hash(&[self.project, self.reference, prefix, path.as_str(), &lines]))
    }
}

/// The stable id of a symbol.
pub fn stable(symbol: Identity<'_>) -> String {
    let name = name_in_file(symbol.language, symbol.path, symbol.qualified);
    let signature: Vec<&str> = symbol.signature.split_whitespace().collect();
    let parts = ["stable_id:v1", symbol.language, symbol.kind.as_str(), name, &signature.join(" ")];
    format!("b3:{}", hash(&parts))
}

/// Half of a BLAKE3 hash: enough to avoid collisions within a project, and fewer tokens.
fn hash(parts: &[&str]) -> String {
    blake3::hash(parts.join("|").as_bytes()).to_hex()[..32].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_a_symbol_changes_its_id_and_not_its_stable_id() {
        let (here, there) = (RelPath::new("src/auth/jwt.rs"), RelPath::new("src/token.rs"));
        let (here, there) = (here.unwrap(), there.unwrap());
        let symbol = Identity {
            path: &here,
            language: "rust",
            kind: SymbolKind::Function,
            line: 7,
            name: "verify",
            qualified: "auth::jwt::verify",
            signature: "pub fn verify(token: &str)",
        };
        let lower = Identity { line: 9, ..symbol };
        let moved = Identity { path: &there, qualified: "token::verify", ..symbol };
        let other = Identity { signature: "pub fn verify(token: &[u8])", ..symbol };
        let folded = Identity { signature: "pub fn  verify(token: &str)", ..symbol };
        let handles = Handles { project: "p", reference: "main" };
        for changed in [lower, moved] {
            assert_ne!(handles.symbol(changed), handles.symbol(symbol));
            assert_eq!(stable(changed), stable(symbol));
        }
        assert_eq!(stable(folded), stable(symbol));
        assert_ne!(stable(other), stable(symbol));
        let branch = Handles { project: "p", reference: "feature" };
        assert_ne!(branch.symbol(symbol), handles.symbol(symbol));
        assert!(handles.symbol(symbol).starts_with("sym_") && stable(symbol).starts_with("b3:"));
    }
}
