//! What every notebook must guarantee, one function for each guarantee.
//!
//! [`notebook_conformance!`](crate::notebook_conformance) makes a test of each of them for one notebook.

use groma_core::{
    Access, Discovery, DiscoveryKind, Evidence, History, MAX_SESSIONS, NoteOperation, Notebook,
    RelPath, SessionRecord, TranscriptMark,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Makes an empty notebook.
pub type Make<'a> = &'a dyn Fn() -> Box<dyn Notebook>;

/// Makes one test of each guarantee; the expression creates an empty notebook.
#[macro_export]
macro_rules! notebook_conformance {
    ($make:expr) => {
        $crate::notebook_conformance! { $make;
            an_empty_notebook_has_nothing
            accesses_are_counted
            times_may_come_in_any_order
            many_write_at_once
            discoveries_are_kept_changed_and_forgotten
            no_change_is_lost
            an_operation_on_other_notes_changes_nothing
            a_history_is_kept_until_the_next
            records_are_read_on_from_where_they_were_left
            sessions_are_kept
            old_sessions_make_room
        }
    };
    ($make:expr; $($case:ident)+) => {
        $(#[test]
        fn $case() {
            $crate::notebook::$case(&|| $make);
        })+
    };
}

fn path(text: &str) -> RelPath {
    RelPath::new(text).expect("fixtures use paths inside the project")
}

fn second(number: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(number)
}

fn access(name: &str, count: u64, first: u64, last: u64) -> Access {
    Access { path: path(name), count, first: second(first), last: second(last) }
}

/// Before the first note there is nothing to be read, and asking is no error.
pub fn an_empty_notebook_has_nothing(make: Make<'_>) {
    let notebook = make();
    assert_eq!(notebook.accesses().unwrap(), []);
    assert_eq!(notebook.discoveries().unwrap(), []);
    assert_eq!(notebook.sessions(10).unwrap(), []);
    assert_eq!(notebook.last_session("c").unwrap(), None);
    notebook.record_accesses(second(1), &[]).unwrap();
    assert_eq!(notebook.accesses().unwrap(), []);
}

/// Every note counts, and the answer is in order of path.
pub fn accesses_are_counted(make: Make<'_>) {
    let notebook = make();
    notebook.record_accesses(second(10), &[path("src/b.rs"), path("a b/ü.rs")]).unwrap();
    notebook.record_accesses(second(20), &[path("src/b.rs"), path("src/b.rs")]).unwrap();
    let expected = [access("a b/ü.rs", 1, 10, 10), access("src/b.rs", 3, 10, 20)];
    assert_eq!(notebook.accesses().unwrap(), expected);
}

/// A clock may be set back.
pub fn times_may_come_in_any_order(make: Make<'_>) {
    let notebook = make();
    for at in [50, 20, 90, 60] {
        notebook.record_accesses(second(at), &[path("a")]).unwrap();
    }
    assert_eq!(notebook.accesses().unwrap(), [access("a", 4, 20, 90)]);
    let before = UNIX_EPOCH - Duration::from_secs(5);
    notebook.record_accesses(before, &[path("a")]).unwrap();
    assert_eq!(notebook.accesses().unwrap()[0].first, before);
}

/// No note is lost when several write at a time.
pub fn many_write_at_once(make: Make<'_>) {
    let notebook = make();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for at in 0..10 {
                    notebook.record_accesses(second(at), &[path("a")]).unwrap();
                }
            });
        }
    });
    assert_eq!(notebook.accesses().unwrap(), [access("a", 40, 0, 9)]);
}

fn discovery(id: &str, date: u64) -> Discovery {
    Discovery {
        id: id.into(),
        kind: DiscoveryKind::Decision,
        content: format!("Ümlauts\nand lines of {id}"),
        module: Some("auth".into()),
        session: None,
        date: second(date),
        confidence: 0.5,
        evidence: vec![Evidence::remembered(), "comment src/a.rs:12".parse().expect("an evidence")],
        edited: None,
        superseded: None,
    }
}

/// Recorded discoveries are returned as they were, in order of date.
pub fn discoveries_are_kept_changed_and_forgotten(make: Make<'_>) {
    let notebook = make();
    let (a, b, c) = (discovery("a", 30), discovery("b", 10), discovery("c", 10));
    notebook.change(&mut |known| known.extend([a.clone(), c.clone(), b.clone()])).unwrap();
    assert_eq!(notebook.discoveries().unwrap(), [b.clone(), c.clone(), a.clone()]);
    let changed = Discovery {
        module: None,
        session: Some("s".into()),
        evidence: vec![],
        edited: Some(second(40)),
        superseded: Some("a".into()),
        ..c
    };
    notebook
        .change(&mut |known| {
            assert_eq!(known.len(), 3);
            known.retain(|one| one.id != "b");
            known[0] = changed.clone();
        })
        .unwrap();
    assert_eq!(notebook.discoveries().unwrap(), [changed, a]);
}

/// Changes of several at a time come one after the other.
pub fn no_change_is_lost(make: Make<'_>) {
    let notebook = make();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let mut add = |known: &mut Vec<Discovery>| {
                        known.push(discovery(&format!("d{:02}", known.len()), 1));
                    };
                    notebook.change(&mut add).unwrap();
                }
            });
        }
    });
    let ids: Vec<String> = notebook.discoveries().unwrap().into_iter().map(|one| one.id).collect();
    assert_eq!(ids, (0..20).map(|number| format!("d{number:02}")).collect::<Vec<_>>());
}

/// Operations are for the notes that were read: another change in between is noticed.
pub fn an_operation_on_other_notes_changes_nothing(make: Make<'_>) {
    let notebook = make();
    let (a, b) = (discovery("a", 1), discovery("b", 2));
    let empty = notebook.notes().unwrap();
    let insert = |one: &Discovery| [NoteOperation::Insert(one.clone())];
    assert!(notebook.apply(empty.revision, &insert(&a)).unwrap());
    assert!(!notebook.apply(empty.revision, &insert(&b)).unwrap(), "another change came first");
    let one = notebook.notes().unwrap();
    assert_eq!(one.discoveries, std::slice::from_ref(&a));
    let changed = Discovery { superseded: Some("b".into()), ..a };
    let operations = [NoteOperation::Update(changed.clone()), NoteOperation::Insert(b.clone())];
    assert!(notebook.apply(one.revision, &operations).unwrap());
    let two = notebook.notes().unwrap();
    assert_eq!(two.discoveries, [changed, b.clone()]);
    assert!(notebook.apply(two.revision, &[NoteOperation::Forget("a".into())]).unwrap());
    assert_eq!(notebook.discoveries().unwrap(), [b]);
}

/// A history is found again as it was kept last, apart from recorded discoveries.
pub fn a_history_is_kept_until_the_next(make: Make<'_>) {
    let notebook = make();
    notebook.keep_history(None).unwrap();
    assert_eq!(notebook.history().unwrap(), None);
    let stated = |id: &str, date: u64, hash: &str| Discovery {
        evidence: vec![format!("commit {hash}").parse().expect("an evidence")],
        ..discovery(id, date)
    };
    let first = History {
        tip: "aaaa".into(),
        version: 1,
        read: 7,
        rest: vec!["bbbb".into(), "cccc".into()],
        discoveries: vec![stated("z", 9, "aaaa"), stated("y", 3, "dddd")],
    };
    notebook.keep_history(Some(&first)).unwrap();
    assert_eq!(notebook.history().unwrap().as_ref(), Some(&first));
    assert_eq!(notebook.discoveries().unwrap(), [], "none was recorded");
    let second = History { rest: vec![], discoveries: vec![], ..first };
    notebook.keep_history(Some(&second)).unwrap();
    assert_eq!(notebook.history().unwrap(), Some(second));
    notebook.keep_history(None).unwrap();
    assert_eq!(notebook.history().unwrap(), None);
}

/// How far a record was read is found again, each by its name.
pub fn records_are_read_on_from_where_they_were_left(make: Make<'_>) {
    let notebook = make();
    assert_eq!(notebook.transcript("a.jsonl").unwrap(), None);
    let mark = |name: &str, bytes: u64| TranscriptMark {
        name: name.into(),
        session: "s".into(),
        bytes,
        lines: 3,
        digest: "00ff".into(),
    };
    for mark in [mark("a.jsonl", 7), mark("b.jsonl", 9), mark("a.jsonl", 8)] {
        notebook.keep_transcript(&mark).unwrap();
    }
    assert_eq!(notebook.transcript("a.jsonl").unwrap(), Some(mark("a.jsonl", 8)));
    assert_eq!(notebook.transcript("b.jsonl").unwrap(), Some(mark("b.jsonl", 9)));
}

fn session(id: &str, connection: &str, active: u64) -> SessionRecord {
    SessionRecord {
        id: id.into(),
        connection: connection.into(),
        started: second(1),
        active: second(active),
        ended: None,
        topics: vec!["why".into(), "a topic".into()],
        files: [(path("a.rs"), 2), (path("b/c.rs"), 1)].into(),
        calls: [("read_file".into(), 3)].into(),
    }
}

/// A session is found again as it was kept last, by its connection and by its time.
pub fn sessions_are_kept(make: Make<'_>) {
    let notebook = make();
    let (a, b, c) = (session("a", "x", 10), session("b", "x", 30), session("c", "y", 20));
    for session in [&a, &b, &c] {
        notebook.keep_session(session).unwrap();
    }
    assert_eq!(notebook.sessions(10).unwrap(), [b.clone(), c.clone(), a]);
    assert_eq!(notebook.sessions(1).unwrap(), std::slice::from_ref(&b));
    assert_eq!(notebook.last_session("x").unwrap(), Some(b));
    assert_eq!(notebook.last_session("z").unwrap(), None);
    let ended = SessionRecord {
        ended: Some(second(99)),
        topics: vec!["other".into()],
        files: Default::default(),
        calls: [("read_file".into(), 4), ("grep_codebase".into(), 1)].into(),
        ..c
    };
    notebook.keep_session(&ended).unwrap();
    assert_eq!(notebook.last_session("y").unwrap(), Some(ended));
}

/// The oldest sessions go when there are too many.
pub fn old_sessions_make_room(make: Make<'_>) {
    let notebook = make();
    for number in 0..MAX_SESSIONS as u64 + 2 {
        let minimal = SessionRecord {
            topics: Vec::new(),
            files: Default::default(),
            calls: Default::default(),
            ..session(&format!("s{number}"), "x", number)
        };
        notebook.keep_session(&minimal).unwrap();
    }
    let kept = notebook.sessions(usize::MAX).unwrap();
    assert_eq!(kept.len(), MAX_SESSIONS);
    assert_eq!(kept.last().map(|session| &*session.id), Some("s2"));
}
