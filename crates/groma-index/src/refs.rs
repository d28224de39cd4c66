//! Pruning of indexed refs.

use groma_core::{IndexedRef, RefName, Store};
use groma_files::Repository;
use std::path::Path;

/// Maximum number of refs besides the working tree. The least recently indexed one is dropped first.
const MAX_REFS: usize = 16;

/// Deletes refs that no longer exist in git, and the oldest if there are too many. Failures are ignored: a later run
/// deletes them.
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
