//! Sub-indexes: subsets of a project's files that a contract indexes by rules of its own.

use super::Project;
use groma_core::SubIndex;

impl Project {
    /// The project as a sub-index sees it.
    pub fn narrowed(&self, sub_index: &SubIndex) -> Self {
        let mut narrowed = self.clone();
        narrowed.sub_index = Some(sub_index.name.clone());
        let walk = &mut narrowed.config.index;
        walk.languages = sub_index.languages.clone();
        walk.vendored = sub_index.vendored;
        walk.exclude.extend(sub_index.exclude.iter().cloned());
        (walk.tests, walk.generated, walk.minified) = (true, true, true);
        narrowed
    }
}
