//! The files a file imports, and the qualifiers of names on a line.
//!
//! References are names without type information. The file's imports and the qualifier before the name are the
//! syntactic evidence for which definition is meant.

use groma_core::{FileFacts, RelPath, Symbol, folded};
use groma_syntax::{ImportMap, Language};
use rustc_hash::FxHashSet;

/// The imports of one file.
pub(super) struct ImportScope {
    path: RelPath,
    language: String,
    pub imported: FxHashSet<RelPath>,
    /// The last segments of imports that do not resolve to files of the project.
    pub external: FxHashSet<String>,
}

impl ImportScope {
    pub fn new(path: &RelPath, facts: &FileFacts, map: &ImportMap) -> Self {
        let (mut imported, mut external) = (FxHashSet::default(), FxHashSet::default());
        for import in &facts.imports {
            let files = map.resolve(path, &facts.language, import);
            if files.is_empty() {
                external.extend(last_segment(&import.path).map(str::to_string));
            }
            imported.extend(files);
        }
        Self { path: path.clone(), language: facts.language.clone(), imported, external }
    }

    /// Distance of a file: 0 the same, 1 imported, 2 in the same folder, 3 of the same language family, 4 any other.
    pub fn distance(&self, path: &RelPath, facts: &FileFacts) -> u8 {
        let related = same_family(&facts.language, &self.language);
        if *path == self.path {
            0
        } else if self.imported.contains(path) {
            1
        } else if related && path.folder() == self.path.folder() {
            2
        } else if related {
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

/// The last segment of an import path.
pub(super) fn last_segment(path: &str) -> Option<&str> {
    path.rsplit(['.', ':', '/', '\\']).next().filter(|part| !part.is_empty())
}

/// The qualifier of a name on a line: `pool` for the `open` of `pool.open()`.
pub(super) fn qualifier(line: &str, column: usize) -> Option<&str> {
    let before = line.get(..column)?;
    let before = ["::", "->", "?.", "."].iter().find_map(|mark| before.strip_suffix(mark))?;
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (!word.is_empty()).then_some(word)
}

/// Whether the qualifier of a name is `owner`, or a suffix of it as variable names often are.
pub(super) fn has_qualifier(line: &str, column: usize, owner: &str) -> bool {
    let word = qualifier(line, column).map(folded);
    word.is_some_and(|word| word == owner || word.len() >= 3 && owner.ends_with(&word))
}

/// Whether a symbol belongs to a type, module, package or file of this name.
pub(super) fn belongs_to(path: &RelPath, facts: &FileFacts, symbol: &Symbol, owner: &str) -> bool {
    let parent = symbol.parent.map(|parent| facts.symbols[parent as usize].name.as_str());
    let package = facts.package.as_deref().and_then(last_segment);
    let owner = folded(owner);
    [parent, symbol.receiver.as_deref(), package, Some(path.stem()), last_segment(path.folder())]
        .into_iter()
        .flatten()
        .any(|name| folded(name) == owner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_qualifier_is_compared_with_the_owner() {
        let matches = |line: &str, owner: &str| {
            let column = line.find("open").unwrap();
            has_qualifier(line, column, owner)
        };
        assert!(matches("    Pool::open(1)", "pool"));
        assert!(matches("self.pool.open()", "connectionpool"));
        assert!(matches("connection_pool->open()", "connectionpool"));
        assert!(!matches("file.open()", "pool"));
        assert!(!matches("open()", "pool"));
        assert!(!matches("l.open()", "pool"), "one letter is not enough");
        assert!(!has_qualifier("ä.open", 1, "pool"));
    }

    #[test]
    fn languages_that_share_code_are_one_family() {
        assert!(same_family("go", "go") && same_family("typescript", "javascript"));
        assert!(!same_family("go", "rust") && !same_family("css", "html"));
    }
}
