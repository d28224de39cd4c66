//! What a file sees of others, and what a line says about where a name comes from.
//!
//! References are names without their types. The imports of the file and the word in front of the name are what
//! syntax tells about which definition is meant.

use groma_core::{FileFacts, RelPath, Symbol, folded};
use groma_syntax::{ImportMap, Language};
use rustc_hash::FxHashSet;

/// What one file sees of others.
pub(super) struct View {
    path: RelPath,
    language: String,
    pub imported: FxHashSet<RelPath>,
    /// The last names of imports that are not files of the project.
    pub strangers: FxHashSet<String>,
}

impl View {
    pub fn new(path: &RelPath, facts: &FileFacts, map: &ImportMap) -> Self {
        let (mut imported, mut strangers) = (FxHashSet::default(), FxHashSet::default());
        for import in &facts.imports {
            let files = map.resolve(path, &facts.language, import);
            if files.is_empty() {
                strangers.extend(last_part(&import.path).map(str::to_string));
            }
            imported.extend(files);
        }
        Self { path: path.clone(), language: facts.language.clone(), imported, strangers }
    }

    /// How far a file is: the same, imported or beside, of the same language, any other.
    pub fn distance(&self, path: &RelPath, facts: &FileFacts) -> u8 {
        let kin = same_family(&facts.language, &self.language);
        if *path == self.path {
            0
        } else if self.imported.contains(path) {
            1
        } else if kin && path.folder() == self.path.folder() {
            2
        } else if kin {
            3
        } else {
            4
        }
    }
}

/// Whether code of one language can use what another defines.
pub(super) fn same_family(a: &str, b: &str) -> bool {
    let family = |name: &str| Language::named(name).map(|language| language.family);
    a == b || family(a).is_some_and(|family_of_a| Some(family_of_a) == family(b))
}

/// The last name of an import.
pub(super) fn last_part(path: &str) -> Option<&str> {
    path.rsplit(['.', ':', '/', '\\']).next().filter(|part| !part.is_empty())
}

/// The word that a name on a line is taken from: `pool` for the `open` of `pool.open()`.
pub(super) fn word_in_front(line: &str, column: usize) -> Option<&str> {
    let before = line.get(..column)?;
    let before = ["::", "->", "?.", "."].iter().find_map(|mark| before.strip_suffix(mark))?;
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!word.is_empty()).then_some(word)
}

/// Whether the word in front of a name is the owner, or the end of it as variables are often called.
pub(super) fn names_owner(line: &str, column: usize, owner: &str) -> bool {
    let word = word_in_front(line, column).map(folded);
    word.is_some_and(|word| word == owner || word.len() >= 3 && owner.ends_with(&word))
}

/// Whether a symbol belongs to a type, module, package or file of this name.
pub(super) fn is_part_of(path: &RelPath, facts: &FileFacts, symbol: &Symbol, owner: &str) -> bool {
    let parent = symbol.parent.map(|parent| facts.symbols[parent as usize].name.as_str());
    let package = facts.package.as_deref().and_then(last_part);
    let owner = folded(owner);
    [parent, symbol.receiver.as_deref(), package, Some(path.stem()), last_part(path.folder())]
        .into_iter()
        .flatten()
        .any(|name| folded(name) == owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_in_front_is_looked_at() {
        let says = |line: &str, owner: &str| {
            let column = line.find("open").unwrap();
            names_owner(line, column, owner)
        };
        assert!(says("    Pool::open(1)", "pool"));
        assert!(says("self.pool.open()", "connectionpool"));
        assert!(says("connection_pool->open()", "connectionpool"));
        assert!(!says("file.open()", "pool"));
        assert!(!says("open()", "pool"));
        assert!(!says("l.open()", "pool"), "a letter says nothing");
        assert!(!names_owner("ä.open", 1, "pool"));
    }

    #[test]
    fn languages_that_share_code_are_one_family() {
        assert!(same_family("go", "go") && same_family("typescript", "javascript"));
        assert!(!same_family("go", "rust") && !same_family("css", "html"));
    }
}
