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

mod notes {
    use super::*;
    use groma_core::{Discovery, DiscoveryKind, Evidence};

    fn note(id: &str, content: &str) -> Discovery {
        Discovery {
            id: id.into(),
            kind: DiscoveryKind::Rule,
            content: content.into(),
            module: None,
            session: None,
            date: now(),
            confidence: 1.0,
            evidence: vec![Evidence::remembered()],
            edited: None,
            superseded: None,
        }
    }

    /// A notebook with two notes, and the file of its database.
    fn two_notes() -> (InFolder, std::path::PathBuf) {
        let notebook = InFolder::new();
        let notes = [note("a", "never log a token"), note("b", "use tabs, größer als vier")];
        let operations: Vec<_> = notes.into_iter().map(NoteOperation::Insert).collect();
        let revision = notebook.notes().unwrap().revision;
        assert!(notebook.apply(revision, &operations).unwrap());
        assert!(notebook.notebook.verify().unwrap().is_sound());
        let path = notebook.folder.path().join("notebook.db");
        (notebook, path)
    }

    fn contents(notebook: &dyn Notebook) -> Vec<String> {
        notebook.discoveries().unwrap().into_iter().map(|one| one.content).collect()
    }

    const BOTH: [&str; 2] = ["never log a token", "use tabs, größer als vier"];

    fn damage(path: &std::path::Path, sql: &str) {
        rusqlite::Connection::open(path).unwrap().execute_batch(sql).unwrap();
    }

    #[test]
    fn an_altered_note_costs_itself_only_and_is_restored() {
        for sql in [
            "update discovery set content = 'always log a token' where id = 'a'",
            "update discovery set kind = 'rumour' where id = 'a'",
            "update evidence set place = 'x' where discovery = 'a'",
            "update discovery set checksum = null where id = 'a'",
        ] {
            let (notebook, path) = two_notes();
            damage(&path, sql);
            let notes = notebook.notes().unwrap();
            assert_eq!(
                (notes.discoveries.len(), &*notes.damaged),
                (1, &["a".to_string()][..]),
                "{sql}"
            );
            assert_eq!(notebook.notebook.verify().unwrap().altered, ["a"], "{sql}");
            assert_eq!(notebook.notebook.restore().unwrap(), 1);
            assert_eq!(contents(&notebook), BOTH, "{sql}");
            assert!(notebook.notebook.verify().unwrap().is_sound());
        }
    }

    #[test]
    fn a_note_that_disappeared_is_missed() {
        let (notebook, path) = two_notes();
        damage(&path, "delete from discovery where id = 'b'");
        assert_eq!(notebook.notebook.verify().unwrap().missing, ["b"]);
        assert_eq!(notebook.notebook.restore().unwrap(), 1);
        assert_eq!(contents(&notebook), BOTH);
    }

    #[test]
    fn a_note_that_was_deleted_stays_deleted() {
        let (notebook, _) = two_notes();
        let revision = notebook.notes().unwrap().revision;
        notebook.apply(revision, &[NoteOperation::Forget("b".into())]).unwrap();
        let health = notebook.notebook.verify().unwrap();
        assert!(health.is_sound() && health.changes == 3, "{health:?}");
        assert_eq!(notebook.notebook.restore().unwrap(), 0);
        assert_eq!(contents(&notebook), BOTH[..1]);
    }

    #[test]
    fn an_empty_or_foreign_file_is_reported_kept_and_restored() {
        let empty = |path: &std::path::Path| std::fs::write(path, "").unwrap();
        let foreign = |path: &std::path::Path| {
            std::fs::remove_file(path).unwrap();
            damage(path, "create table songs (name text); insert into songs values ('x')");
        };
        let garbage =
            |path: &std::path::Path| std::fs::write(path, "no database\n".repeat(900)).unwrap();
        type Replace<'f> = &'f dyn Fn(&std::path::Path);
        let kinds: [(&str, Replace); 3] =
            [("empty", &empty), ("another program", &foreign), ("not a database", &garbage)];
        for (word, replace) in kinds {
            let (notebook, path) = two_notes();
            let folder = notebook.folder;
            drop(notebook.notebook);
            for name in ["notebook.db-wal", "notebook.db-shm"] {
                let _ = std::fs::remove_file(folder.path().join(name));
            }
            replace(&path);
            let before = std::fs::read(&path).unwrap();
            let notebook = EmbeddedNotebook::new(folder.path());
            for result in [notebook.notes().map(drop), notebook.verify().map(drop)] {
                let Err(NotebookError::Damaged { reason, .. }) = result else {
                    panic!("{result:?}")
                };
                assert!(reason.contains(word), "{reason}");
            }
            assert_eq!(std::fs::read(&path).unwrap(), before, "it is left as it is");
            assert_eq!(notebook.restore().unwrap(), 2, "{word}");
            assert_eq!(contents(&notebook), BOTH, "{word}");
            let aside = std::fs::read_dir(folder.path()).unwrap();
            let aside = aside.filter_map(|file| file.unwrap().file_name().into_string().ok());
            assert_eq!(aside.filter(|name| name.contains("damaged")).count(), 1, "{word}");
        }
    }

    #[test]
    fn an_altered_history_is_noticed_and_a_torn_end_is_not_one() {
        let (notebook, _) = two_notes();
        let path = notebook.folder.path().join("notebook.history");
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], b"0123 {\"at\":1"].concat()).unwrap();
        assert!(notebook.notebook.verify().unwrap().is_sound(), "a killed process left that");
        let revision = notebook.notes().unwrap().revision;
        notebook.apply(revision, &[NoteOperation::Insert(note("c", "use spaces"))]).unwrap();
        let health = notebook.notebook.verify().unwrap();
        assert!(health.is_sound() && health.changes == 3, "{health:?}");
        let mut altered = std::fs::read(&path).unwrap();
        let at = altered.windows(3).position(|three| three == b"log").unwrap();
        altered[at] = b'L';
        std::fs::write(&path, altered).unwrap();
        let health = notebook.notebook.verify().unwrap();
        assert_eq!(health.history_problem.as_deref(), Some("line 1 is damaged"));
        assert_eq!(health.changes, 2, "the other lines count");
    }

    /// Both files are damaged: what either of them has is kept, and the history begins again.
    #[test]
    fn a_damaged_line_of_the_history_costs_itself_only() {
        let (notebook, path) = two_notes();
        let revision = notebook.notes().unwrap().revision;
        notebook.apply(revision, &[NoteOperation::Insert(note("c", "use spaces"))]).unwrap();
        let history = notebook.folder.path().join("notebook.history");
        let mut altered = std::fs::read(&history).unwrap();
        let at = altered.windows(3).position(|three| three == b"log").unwrap();
        altered[at] = b'L';
        std::fs::write(&history, altered).unwrap();
        damage(&path, "delete from discovery where id = 'c'");
        assert_eq!(notebook.notebook.verify().unwrap().missing, ["c"]);
        assert_eq!(notebook.notebook.restore().unwrap(), 1);
        let health = notebook.notebook.verify().unwrap();
        assert!(health.is_sound() && health.notes == 3 && health.changes == 3, "{health:?}");
    }

    #[test]
    fn a_missing_file_is_reported_and_restored() {
        let (notebook, path) = two_notes();
        let folder = notebook.folder;
        drop(notebook.notebook);
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(path.with_extension(format!("db{suffix}")));
        }
        let notebook = EmbeddedNotebook::new(folder.path());
        let error = notebook.notes().unwrap_err().to_string();
        assert!(error.contains("missing"), "{error}");
        assert_eq!(notebook.restore().unwrap(), 2);
        assert_eq!(contents(&notebook), BOTH);
    }

    /// A notebook from before checksums is given them, and a history.
    #[test]
    fn earlier_notebooks_grow() {
        let (notebook, path) = two_notes();
        let folder = notebook.folder;
        drop(notebook.notebook);
        std::fs::remove_file(folder.path().join("notebook.history")).unwrap();
        damage(
            &path,
            "alter table discovery drop column checksum; update schema set version = 5;
             pragma application_id = 0",
        );
        let notebook = EmbeddedNotebook::new(folder.path());
        assert_eq!(contents(&notebook), BOTH);
        let health = notebook.verify().unwrap();
        assert!(health.is_sound() && health.changes == 2, "{health:?}");
    }
}
