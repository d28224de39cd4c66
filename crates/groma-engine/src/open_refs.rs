//! A cache of open refs, and the git objects they share.

use groma_core::{Locked, RefName};
use groma_files::{GitError, Objects, Repository};
use std::path::PathBuf;
use std::sync::Arc;

/// Maximum number of open refs.
const MAX_OPEN: usize = 8;

/// An LRU cache of a value per ref and the object it points at.
pub(crate) struct OpenRefs<T>(Locked<State<T>>);

struct State<T> {
    /// The git directory, and its objects.
    objects: Option<(PathBuf, Arc<Objects>)>,
    /// Most recently used first.
    open: Vec<OpenRef<T>>,
}

struct OpenRef<T> {
    name: RefName,
    object: String,
    value: Arc<T>,
}

impl<T> Default for OpenRefs<T> {
    fn default() -> Self {
        Self(Locked::new(State { objects: None, open: Vec::new() }))
    }
}

impl<T> OpenRefs<T> {
    /// The objects of the repository.
    pub fn objects(&self, repository: &Repository) -> Result<Arc<Objects>, GitError> {
        let mut state = self.0.lock();
        if let Some((_, objects)) =
            state.objects.as_ref().filter(|(git_dir, _)| git_dir == repository.git_dir())
        {
            return Ok(objects.clone());
        }
        let objects = Arc::new(Objects::open(repository.git_dir())?);
        state.objects = Some((repository.git_dir().into(), objects.clone()));
        Ok(objects)
    }

    /// The value of a ref, if it still points at the same object.
    pub fn find(&self, name: &RefName, object: &str) -> Option<Arc<T>> {
        let mut state = self.0.lock();
        let rank = state.open.iter().position(|one| one.name == *name && one.object == object)?;
        state.open[..=rank].rotate_right(1);
        Some(state.open[0].value.clone())
    }

    /// Inserts the value of a ref.
    pub fn insert(&self, name: &RefName, object: &str, value: &Arc<T>) {
        let mut state = self.0.lock();
        state.open.retain(|one| one.name != *name);
        let (name, object, value) = (name.clone(), object.to_string(), value.clone());
        state.open.insert(0, OpenRef { name, object, value });
        state.open.truncate(MAX_OPEN);
    }
}
