//! Sub-indexes: subsets of a project's files that a contract indexes by rules of its own.

use super::Project;
use groma_core::SubIndex;
use groma_mcp::Scope;

impl Project {
    /// The project as a sub-index sees it.
    pub fn narrowed(&self, scope: &Scope) -> Self {
        let mut narrowed = self.clone();
        narrowed.sub_index = Some(scope.name.clone());
        let walk = &mut narrowed.config.index;
        walk.languages = scope.languages.clone();
        walk.vendored = scope.vendored;
        walk.exclude.extend(scope.exclude.iter().cloned());
        (walk.tests, walk.generated, walk.minified) = (true, true, true);
        narrowed
    }
}

/// A contract's sub-index as the catalog stores it.
pub fn definition(scope: &Scope) -> SubIndex {
    let Scope { name, languages, vendored, exclude } = scope.clone();
    SubIndex { name, languages, vendored, exclude }
}

/// A stored sub-index as contracts know it.
pub fn scope(definition: SubIndex) -> Scope {
    let SubIndex { name, languages, vendored, exclude } = definition;
    Scope { name, languages, vendored, exclude }
}
