//! The refs of a project that are open, and the git objects they share.

use groma_core::RefName;
use groma_files::{GitError, Objects, Repository};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many refs are kept open.
const MAX_OPEN: usize = 8;

/// What is open for each ref, at the object that it points at.
pub(crate) struct OpenRefs<T>(Mutex<State<T>>);

struct State<T> {
    /// The repository's own folder, and its objects.
    objects: Option<(PathBuf, Arc<Objects>)>,
    /// The most recently used first.
    open: Vec<OpenRef<T>>,
}

struct OpenRef<T> {
    name: RefName,
    object: String,
    value: Arc<T>,
}

impl<T> Default for OpenRefs<T> {
    fn default() -> Self {
        Self(Mutex::new(State { objects: None, open: Vec::new() }))
    }
}

impl<T> OpenRefs<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The objects of the repository.
    pub fn objects(&self, repository: &Repository) -> Result<Arc<Objects>, GitError> {
        let mut state = self.lock();
        if let Some((_, objects)) =
            state.objects.as_ref().filter(|(own, _)| own == repository.git_dir())
        {
            return Ok(objects.clone());
        }
        let objects = Arc::new(Objects::open(repository.git_dir())?);
        state.objects = Some((repository.git_dir().into(), objects.clone()));
        Ok(objects)
    }

    /// What is open for a ref, if it still points at the same object.
    pub fn find(&self, name: &RefName, object: &str) -> Option<Arc<T>> {
        let mut state = self.lock();
        let rank = state.open.iter().position(|one| one.name == *name && one.object == object)?;
        state.open[..=rank].rotate_right(1);
        Some(state.open[0].value.clone())
    }

    /// Keeps it open.
    pub fn insert(&self, name: &RefName, object: &str, value: &Arc<T>) {
        let mut state = self.lock();
        state.open.retain(|one| one.name != *name);
        let (name, object, value) = (name.clone(), object.to_string(), value.clone());
        state.open.insert(0, OpenRef { name, object, value });
        state.open.truncate(MAX_OPEN);
    }
}
