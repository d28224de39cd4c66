//! Which files were looked at.

use groma_core::{
    Access, History, NoteOperation, Notebook, NotebookError, Notes, RelPath, SessionRecord,
    SourceCursors, TranscriptMark,
};
use groma_engine::notebook::Activity;
use groma_engine::{
    Cancel, Engine, Parts, Ranking, ReadRequest, SearchRequest, WalkOptions, access_score,
};
use groma_store::{EmbeddedNotebook, MemoryNotebook, MemoryStore};
use groma_testkit::{Sandbox, pipeline};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

#[test]
fn accesses_outlive_the_index_and_the_process() {
    let mut project = Sandbox::new("//- a.rs\nfn a() {}\n");
    assert_eq!(project.engine().notebook().record_access(&[path("a.rs"), path("b.rs")]), None);
    assert_eq!(project.engine().notebook().record_access(&[path("a.rs")]), None);
    project.index();
    project.engine().clear().unwrap();
    project.engine().rebuild(&(), &Cancel::default()).unwrap();
    project.reopen(|_| {});
    let accesses = project.engine().notebook().accesses().unwrap();
    let counts: Vec<_> = accesses.iter().map(|one| (one.path.as_str(), one.count)).collect();
    assert_eq!(counts, [("a.rs", 2), ("b.rs", 1)]);
    let score = access_score(&accesses[0], SystemTime::now());
    assert!((0.6..0.61).contains(&score), "{score}");
}

#[test]
fn reading_by_itself_notes_nothing() {
    let project = Sandbox::in_memory("//- a.rs\nfn a() {}\n");
    project.engine().read(&ReadRequest::new("a.rs")).unwrap();
    assert!(project.engine().notebook().accesses().unwrap().is_empty());
}

/// A notebook that cannot be written to.
struct Torn;

impl SourceCursors for Torn {
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
}

impl Notebook for Torn {
    fn record_accesses(&self, _: SystemTime, _: &[RelPath]) -> Result<(), NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn accesses(&self) -> Result<Vec<Access>, NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn notes(&self) -> Result<Notes, NotebookError> {
        Err(NotebookError::Newer { path: "notebook.db".into() })
    }

    fn apply(&self, _: u64, _: &[NoteOperation]) -> Result<bool, NotebookError> {
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
    let note = torn.notebook().record_access(&[path("a.rs")]).unwrap();
    assert!(note.starts_with("file accesses could not be recorded: "), "{note}");
    assert_eq!(torn.notebook().record_access(&[]), None, "there was nothing to note");
    assert!(torn.notebook().accesses().is_err());
    let without = engine(project.root(), None);
    assert_eq!(without.notebook().record_access(&[path("a.rs")]), None);
    assert!(without.notebook().accesses().unwrap().is_empty());
}

const TWINS: &str = "\
//- a/first.rs
/// Opens the gate for a visitor.
pub fn open_gate(visitor: u32) -> bool { visitor > 0 }
//- b/second.rs
/// Opens the gate for a visitor.
pub fn open_gate(visitor: u32) -> bool { visitor > 0 }
//- c/other.rs
/// Closes the door behind a guest who left the gate open.
pub fn close_door(guest: u32) -> bool { guest > 0 }
";

fn hits(engine: &Engine, query: &str) -> Vec<(String, f32)> {
    let request = SearchRequest::new(query);
    let answer = engine.search(&request, &(), &Cancel::default()).unwrap();
    answer.hits.into_iter().map(|hit| (hit.path.to_string(), hit.score)).collect()
}

#[test]
fn what_was_read_decides_between_equals_and_no_more() {
    let project = Sandbox::in_memory(TWINS);
    let first = |query: &str| hits(project.engine(), query)[0].0.clone();
    assert_eq!(first("open the gate"), "a/first.rs");
    project.engine().notebook().record_access(&[RelPath::new("b/second.rs").unwrap()]);
    assert_eq!(first("open the gate"), "b/second.rs", "an answer that was kept is not given again");
    let other = vec![RelPath::new("c/other.rs").unwrap(); 1000];
    project.engine().notebook().record_access(&other);
    assert_eq!(first("open the gate"), "b/second.rs", "reading outweighs no words");
    let request = SearchRequest { explain: true, ..SearchRequest::new("open the gate") };
    let answer = project.engine().search(&request, &(), &Cancel::default()).unwrap();
    let signals = format!("{:?}", answer.hits[0].signals);
    assert!(signals.contains("(\"read\", 1.03"), "{signals}");
}

#[test]
fn where_nothing_was_read_nothing_changes() {
    let project = Sandbox::in_memory(TWINS);
    let without = engine(project.root(), None);
    let with = |read: f32, notebook: Option<Arc<dyn Notebook>>| {
        Engine::new(Parts {
            root: project.root().into(),
            store: Arc::new(MemoryStore::new(pipeline())),
            notebook,
            embedder: None,
            walk: WalkOptions::default(),
            ranking: Ranking { read, ..Ranking::default() },
        })
    };
    let empty = || -> Option<Arc<dyn Notebook>> { Some(Arc::new(MemoryNotebook::default())) };
    for query in ["open the gate", "close_door", "visitor or guest"] {
        let expected = hits(&without, query);
        assert_eq!(hits(&with(0.05, empty()), query), expected);
        assert_eq!(hits(&with(9.0, empty()), query), expected, "however much it would count");
        assert_eq!(
            hits(&with(9.0, Some(Arc::new(Torn))), query),
            expected,
            "an answer is given anyway"
        );
    }
}

#[test]
fn silence_of_half_an_hour_ends_a_session_and_the_next_call_begins_another() {
    let project = Sandbox::new("//- a.rs\nfn a() {}\n");
    let note = |topic| {
        let activity = Activity { connection: "c", tool: "search", topic: Some(topic), files: &[] };
        assert_eq!(project.engine().notebook().record_activity(&activity), None);
    };
    let ids = || -> Vec<String> {
        let sessions = project.engine().notebook().sessions(10).unwrap();
        sessions.into_iter().map(|session| session.id).collect()
    };
    note("first");
    note("second");
    assert_eq!(ids(), ["c"]);
    // The clock is set: the session was last active 31 minutes ago.
    let notebook = EmbeddedNotebook::new(project.index_folder());
    let session = notebook.last_session("c").unwrap().unwrap();
    let active = SystemTime::now() - Duration::from_secs(31 * 60);
    notebook.keep_session(&SessionRecord { started: active, active, ..session }).unwrap();
    assert_eq!(project.engine().notebook().current_session("c", active).unwrap(), None);
    note("third");
    assert_eq!(ids(), ["c.2", "c"]);
    let topics = project.engine().notebook().sessions(1).unwrap()[0].topics.clone();
    assert_eq!(topics, ["third"]);
}
