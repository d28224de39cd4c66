//! Which files were looked at.

use groma_core::{
    Access, Discovery, History, Notebook, NotebookError, RelPath, SessionRecord, TranscriptMark,
};
use groma_engine::{Cancel, Engine, Parts, Ranking, ReadRequest, WalkOptions, access_score};
use groma_store::MemoryStore;
use groma_testkit::{Sandbox, pipeline};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

#[test]
fn accesses_outlive_the_index_and_the_process() {
    let mut project = Sandbox::new("//- a.rs\nfn a() {}\n");
    assert_eq!(project.engine().record_access(&[path("a.rs"), path("b.rs")]), None);
    assert_eq!(project.engine().record_access(&[path("a.rs")]), None);
    project.index();
    project.engine().clear().unwrap();
    project.engine().rebuild(&(), &Cancel::default()).unwrap();
    project.reopen(|_| {});
    let accesses = project.engine().accesses().unwrap();
    let counts: Vec<_> = accesses.iter().map(|one| (one.path.as_str(), one.count)).collect();
    assert_eq!(counts, [("a.rs", 2), ("b.rs", 1)]);
    let score = access_score(&accesses[0], SystemTime::now());
    assert!((0.6..0.61).contains(&score), "{score}");
}

#[test]
fn reading_by_itself_notes_nothing() {
    let project = Sandbox::in_memory("//- a.rs\nfn a() {}\n");
    project.engine().read(&ReadRequest::new("a.rs")).unwrap();
    assert!(project.engine().accesses().unwrap().is_empty());
}

/// A notebook that cannot be written to.
struct Torn;

impl Notebook for Torn {
    fn record_accesses(&self, _: SystemTime, _: &[RelPath]) -> Result<(), NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn accesses(&self) -> Result<Vec<Access>, NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn discoveries(&self) -> Result<Vec<Discovery>, NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn change(&self, _: &mut dyn FnMut(&mut Vec<Discovery>)) -> Result<(), NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn history(&self) -> Result<Option<History>, NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn keep_history(&self, _: Option<&History>) -> Result<(), NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn transcript(&self, _: &str) -> Result<Option<TranscriptMark>, NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn keep_transcript(&self, _: &TranscriptMark) -> Result<(), NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn keep_session(&self, _: &SessionRecord) -> Result<(), NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn sessions(&self, _: usize) -> Result<Vec<SessionRecord>, NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn last_session(&self, _: &str) -> Result<Option<SessionRecord>, NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }
}

pub fn engine(root: &Path, notebook: Option<Arc<dyn Notebook>>) -> Engine {
    Engine::new(Parts {
        root: root.into(),
        store: Arc::new(MemoryStore::new(pipeline())),
        notebook,
        embedder: None,
        walk: WalkOptions::default(),
        ranking: Ranking::default(),
    })
}

#[test]
fn a_notebook_that_fails_costs_a_note() {
    let project = Sandbox::in_memory("//- a.rs\nfn a() {}\n");
    let torn = engine(project.root(), Some(Arc::new(Torn)));
    let note = torn.record_access(&[path("a.rs")]).unwrap();
    assert!(note.starts_with("it could not be noted which files were looked at: "), "{note}");
    assert_eq!(torn.record_access(&[]), None, "there was nothing to note");
    assert!(torn.accesses().is_err());
    let without = engine(project.root(), None);
    assert_eq!(without.record_access(&[path("a.rs")]), None);
    assert!(without.accesses().unwrap().is_empty());
}
