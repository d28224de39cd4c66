//! Both notebooks pass the conformance tests, and the one in a file outlives what happens around it.

use crate::temporary::Temporary;
use groma_core::{
    Access, History, NoteOperation, Notebook, NotebookError, Notes, RelPath, SessionRecord,
    SourceCursors, Store, TranscriptMark,
};
use groma_store::EmbeddedNotebook;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;

mod memory {
    use groma_store::MemoryNotebook;
    groma_testkit::notebook_conformance!(Box::new(MemoryNotebook::default()));
}

mod embedded {
    groma_testkit::notebook_conformance!(Box::new(super::InFolder::new()));
}

/// A notebook with its folder.
struct InFolder {
    notebook: EmbeddedNotebook,
    folder: TempDir,
}

impl InFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { notebook: EmbeddedNotebook::new(folder.path()), folder }
    }
}

impl SourceCursors for InFolder {
    fn history(&self) -> Result<Option<History>, NotebookError> {
        self.notebook.history()
    }

    fn keep_history(&self, history: Option<&History>) -> Result<(), NotebookError> {
        self.notebook.keep_history(history)
    }

    fn transcript(&self, name: &str) -> Result<Option<TranscriptMark>, NotebookError> {
        self.notebook.transcript(name)
    }

    fn keep_transcript(&self, mark: &TranscriptMark) -> Result<(), NotebookError> {
        self.notebook.keep_transcript(mark)
    }
}

impl Notebook for InFolder {
    fn record_accesses(&self, at: SystemTime, paths: &[RelPath]) -> Result<(), NotebookError> {
        self.notebook.record_accesses(at, paths)
    }

    fn accesses(&self) -> Result<Vec<Access>, NotebookError> {
        self.notebook.accesses()
    }

    fn notes(&self) -> Result<Notes, NotebookError> {
        self.notebook.notes()
    }

    fn apply(&self, revision: u64, operations: &[NoteOperation]) -> Result<bool, NotebookError> {
        self.notebook.apply(revision, operations)
    }

    fn keep_session(&self, session: &SessionRecord) -> Result<(), NotebookError> {
        self.notebook.keep_session(session)
    }

    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, NotebookError> {
        self.notebook.sessions(limit)
    }

    fn last_session(&self, connection: &str) -> Result<Option<SessionRecord>, NotebookError> {
        self.notebook.last_session(connection)
    }
}

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_700_000_000)
}

fn lamp() -> Vec<RelPath> {
    vec![RelPath::new("src/lamp.rs").unwrap()]
}

fn count(notebook: &dyn Notebook) -> u64 {
    notebook.accesses().unwrap().iter().map(|access| access.count).sum()
}

#[test]
fn asking_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let notebook = EmbeddedNotebook::new(&folder.path().join("project"));
    assert_eq!(count(&notebook), 0);
    assert!(!folder.path().join("project").exists());
    notebook.record_accesses(now(), &lamp()).unwrap();
    assert!(folder.path().join("project/notebook.db").exists());
}

#[test]
fn notes_are_found_again_and_shared() {
    let one = InFolder::new();
    one.record_accesses(now(), &lamp()).unwrap();
    let other = EmbeddedNotebook::new(one.folder.path());
    assert_eq!(count(&other), 1);
    other.record_accesses(now(), &lamp()).unwrap();
    assert_eq!(count(&one), 2, "another process's notes are seen");
    drop(one.notebook);
    assert_eq!(count(&EmbeddedNotebook::new(one.folder.path())), 2);
}

#[test]
fn many_make_the_same_notebook_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                EmbeddedNotebook::new(folder.path()).record_accesses(now(), &lamp()).unwrap();
            });
        }
    });
    assert_eq!(count(&EmbeddedNotebook::new(folder.path())), 8);
}

#[test]
fn clearing_an_index_leaves_the_notebook() {
    let store = Temporary::new();
    let notebook = EmbeddedNotebook::new(store.path());
    notebook.record_accesses(now(), &lamp()).unwrap();
    store.clear().unwrap();
    assert_eq!(count(&notebook), 1);
    assert_eq!(count(&EmbeddedNotebook::new(store.path())), 1);
}

#[test]
fn a_file_that_was_removed_is_not_written_to() {
    let notebook = InFolder::new();
    notebook.record_accesses(now(), &lamp()).unwrap();
    for name in ["notebook.db", "notebook.db-wal", "notebook.db-shm"] {
        let _ = std::fs::remove_file(notebook.folder.path().join(name));
    }
    assert_eq!(count(&notebook), 0);
    notebook.record_accesses(now(), &lamp()).unwrap();
    assert_eq!(count(&EmbeddedNotebook::new(notebook.folder.path())), 1);
}

#[test]
fn a_notebook_of_a_later_version_is_left_alone() {
    let notebook = InFolder::new();
    notebook.record_accesses(now(), &lamp()).unwrap();
    let path = notebook.folder.path().join("notebook.db");
    let connection = rusqlite::Connection::open(&path).unwrap();
    let select = "select version from schema";
    let own: u32 = connection.query_row(select, [], |row| row.get(0)).unwrap();
    connection.execute("update schema set version = 99", []).unwrap();
    drop(connection);
    let later = EmbeddedNotebook::new(notebook.folder.path());
    for result in [later.record_accesses(now(), &lamp()), later.accesses().map(drop)] {
        assert!(matches!(result, Err(NotebookError::Newer { .. })), "{result:?}");
    }
    let connection = rusqlite::Connection::open(&path).unwrap();
    let version = connection.query_row(select, [], |row| row.get(0));
    assert_eq!(version, Ok(99));
    connection.execute("update schema set version = ?1", [own]).unwrap();
    assert_eq!(count(&EmbeddedNotebook::new(notebook.folder.path())), 1, "nothing was lost");
}

#[test]
fn a_file_that_is_no_notebook_is_reported_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notebook.db");
    let text = "something else\n".repeat(500);
    std::fs::write(&path, &text).unwrap();
    let notebook = EmbeddedNotebook::new(folder.path());
    let result = notebook.record_accesses(now(), &lamp());
    assert!(matches!(result, Err(NotebookError::Damaged { .. })), "{result:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    std::fs::remove_file(&path).unwrap();
    notebook.record_accesses(now(), &lamp()).unwrap();
    assert_eq!(count(&notebook), 1);
}

#[test]
fn a_folder_that_cannot_be_created_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let notebook = EmbeddedNotebook::new(&folder.path().join("file/project"));
    let result = notebook.record_accesses(now(), &lamp());
    assert!(matches!(result, Err(NotebookError::Io { .. })), "{result:?}");
}

#[test]
fn a_notebook_of_the_first_version_grows() {
    let folder = tempfile::tempdir().unwrap();
    let connection = rusqlite::Connection::open(folder.path().join("notebook.db")).unwrap();
    connection
        .execute_batch(
            "create table schema (version integer not null);
             insert into schema values (1);
             create table access (path text primary key, count integer not null,
                 first integer not null, last integer not null) without rowid;
             insert into access values ('src/lamp.rs', 7, 0, 0);",
        )
        .unwrap();
    drop(connection);
    let notebook = EmbeddedNotebook::new(folder.path());
    assert_eq!(notebook.discoveries().unwrap(), []);
    assert_eq!(count(&notebook), 7, "nothing was lost");
}
