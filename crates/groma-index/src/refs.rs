//! Which refs an index keeps besides the working tree.

use groma_core::{IndexedRef, RefName, Store};
use groma_files::Repository;
use std::path::Path;

/// How many refs besides the working tree an index keeps. The one that was indexed longest ago goes first.
const MAX_REFS: usize = 16;

/// Deletes refs that git no longer knows, and the oldest where there are too many. What cannot be deleted now is deleted
/// by a later run.
pub(crate) fn prune(root: &Path, store: &dyn Store, own: &RefName) {
    let Some(repository) = Repository::discover(root) else { return };
    let refs = store.refs().unwrap_or_default();
    let mut commits: Vec<IndexedRef> =
        refs.into_iter().filter(|one| one.commit.is_some()).collect();
    commits.sort_by_key(|one| one.info.generation);
    let is_gone = |name: &str| name.starts_with("refs/") && repository.find(name).is_none();
    let surplus = commits.len().saturating_sub(MAX_REFS);
    for (rank, one) in commits.iter().enumerate() {
        if one.name != *own && (rank < surplus || is_gone(one.name.as_str())) {
            let _ = store.forget(&one.name);
        }
    }
}
