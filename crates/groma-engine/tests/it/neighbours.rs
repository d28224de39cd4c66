//! Several engines over one project, and runs that are stopped.

use crate::show::{everything, paths};
use groma_core::{Embedder, Pipeline, Store};
use groma_engine::{
    Cancel, EngineError, ErrorKind, Goal, Observer, PIPELINE_VERSION, Progress, Run, SearchRequest,
};
use groma_store::EmbeddedStore;
use groma_testkit::{Sandbox, WordEmbedder};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

fn project(files: usize) -> Sandbox {
    let sandbox = Sandbox::new("");
    for number in 0..files {
        sandbox.write(&format!("src/file{number}.rs"), format!("fn number_{number}() {{}}\n"));
    }
    sandbox
}

/// The store of a sandbox, as another process would open it.
fn store_of(sandbox: &Sandbox) -> EmbeddedStore {
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: Some(WordEmbedder.identity()) };
    EmbeddedStore::open(sandbox.index_folder(), pipeline).unwrap()
}

/// Does something once, when a run begins to wait, and counts its walks.
struct OnWaiting<'a> {
    act: Mutex<Option<Box<dyn FnOnce() + Send + 'a>>>,
    walks: AtomicUsize,
}

impl<'a> OnWaiting<'a> {
    fn new(act: impl FnOnce() + Send + 'a) -> Self {
        Self { act: Mutex::new(Some(Box::new(act))), walks: AtomicUsize::new(0) }
    }
}

impl Observer for OnWaiting<'_> {
    fn progress(&self, progress: Progress) {
        self.walks.fetch_add(usize::from(progress == Progress::Walking), SeqCst);
        if progress == Progress::Waiting
            && let Some(act) = self.act.lock().unwrap().take()
        {
            act();
        }
    }
}

#[test]
fn a_run_waits_for_another_run() {
    let sandbox = project(5);
    let store = store_of(&sandbox);
    let writer = store.writer().unwrap();
    let waited = AtomicUsize::new(0);
    let release = OnWaiting::new(|| {
        waited.fetch_add(1, SeqCst);
        drop(writer);
    });
    let report = sandbox.engine().index(&release, &Cancel::default()).unwrap();
    assert_eq!((waited.load(SeqCst), report.files), (1, 5));
}

#[test]
fn a_run_without_a_timeout_fails_immediately() {
    let sandbox = project(5);
    let store = store_of(&sandbox);
    let writer = store.writer().unwrap();
    let (engine, cancel) = (sandbox.engine(), Cancel::default());
    let impatient = |goal: Goal| engine.run(&Run::new(goal, &(), &cancel).waiting(Duration::ZERO));
    for goal in [Goal::Complete, Goal::Rebuild] {
        let refused = impatient(goal).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Busy);
    }
    drop(writer);
    for goal in [Goal::Complete, Goal::Rebuild] {
        let report = impatient(goal).unwrap();
        assert_eq!((report.files, report.parsed, report.vectors), (5, 5, report.chunks));
        let status = engine.status().unwrap();
        assert_eq!((status.vectors, status.symbols), (report.vectors, report.symbols));
    }
}

#[test]
fn a_run_that_waited_reuses_the_other_run() {
    let sandbox = project(5);
    sandbox.index();
    let other = sandbox.another();
    let store = store_of(&sandbox);
    let writer = store.writer().unwrap();
    sandbox.write("src/file0.rs", "fn zero() {}\n");
    // While this engine waits with what it saw, the tree changes and the other engine indexes that.
    let meanwhile = OnWaiting::new(|| {
        drop(writer);
        for number in 1..5 {
            sandbox.write(&format!("src/file{number}.rs"), format!("fn fresh_{number}() {{}}\n"));
        }
        other.index(&(), &Cancel::default()).unwrap();
    });
    let report = sandbox.engine().index(&meanwhile, &Cancel::default()).unwrap();
    assert_eq!((report.files, report.parsed), (5, 0), "nothing is done twice");
    assert_eq!(meanwhile.walks.load(SeqCst), 2, "what changed meanwhile was not seen");
    let answer = sandbox.engine().search_indexed(&SearchRequest::new("fresh_3")).unwrap();
    assert_eq!(answer.hits[0].path.as_str(), "src/file3.rs");
    assert_eq!(everything(sandbox.engine()), everything(&other));
}

#[test]
fn a_run_that_waited_does_not_scan_again() {
    let sandbox = project(5);
    sandbox.index();
    let other = sandbox.another();
    let store = store_of(&sandbox);
    let writer = store.writer().unwrap();
    sandbox.save("src/file0.rs", "fn zero() {}\n");
    sandbox.remove("src/file1.rs");
    let meanwhile = OnWaiting::new(|| {
        drop(writer);
        other.index(&(), &Cancel::default()).unwrap();
    });
    let report = sandbox.engine().index(&meanwhile, &Cancel::default()).unwrap();
    assert_eq!((report.files, report.parsed), (4, 0), "nothing is done twice");
    assert_eq!(report.generation, other.generation().unwrap().map(|info| info.generation));
    assert_eq!(meanwhile.walks.load(SeqCst), 1);
    assert_eq!(everything(sandbox.engine()), everything(&other));
}

#[test]
fn a_file_indexed_right_after_it_was_saved_needs_no_writer() {
    let sandbox = project(5);
    let store = store_of(&sandbox);
    let cancel = Cancel::default();
    let run = Run::new(Goal::Complete, &(), &cancel).waiting(Duration::ZERO);
    let hurried = || sandbox.another().run(&run);
    for round in 0.. {
        let saved = Instant::now();
        sandbox.save("src/file0.rs", format!("fn zero{round}() {{}}\n"));
        let first = sandbox.index();
        let _writer = store.writer().unwrap();
        let again = hurried();
        // A machine too slow for moments tries again.
        if saved.elapsed() < Duration::from_secs(1) {
            let again = again.unwrap();
            assert_eq!((again.files, again.generation), (5, first.generation));
            break;
        }
    }
    // The same length, and perhaps in the same moment.
    sandbox.save("src/file0.rs", "fn another() {}\n");
    sandbox.index();
    sandbox.save("src/file0.rs", "fn anybody() {}\n");
    let _writer = store.writer().unwrap();
    assert_eq!(hurried().unwrap_err().kind(), ErrorKind::Busy);
}

#[test]
fn engines_that_index_at_once_all_succeed() {
    let sandbox = project(40);
    let engines: Vec<_> = (0..3).map(|_| sandbox.another()).collect();
    std::thread::scope(|scope| {
        for engine in &engines {
            scope.spawn(move || engine.index(&(), &Cancel::default()).unwrap());
        }
    });
    let expected = everything(&engines[0]);
    assert!(engines.iter().all(|engine| everything(engine) == expected));
}

#[test]
fn readers_go_on_while_another_writes() {
    let sandbox = project(5);
    let before = everything({
        sandbox.index();
        sandbox.engine()
    });
    let store = store_of(&sandbox);
    let _writer = store.writer().unwrap();
    let answer = sandbox.search("number_3");
    assert_eq!(answer.hits[0].path.as_str(), "src/file3.rs");
    assert_eq!(everything(sandbox.engine()), before);
}

/// Cancels as soon as files are being indexed.
struct Stopper<'a>(&'a Cancel);

impl Observer for Stopper<'_> {
    fn progress(&self, progress: Progress) {
        if matches!(progress, Progress::Indexing { .. }) {
            self.0.cancel();
        }
    }
}

#[test]
fn a_stopped_run_leaves_the_generation_before() {
    let sandbox = project(60);
    let first = sandbox.index();
    let before = everything(sandbox.engine());
    for number in 20..40 {
        sandbox.write(&format!("src/other{number}.rs"), "fn another() {}\n");
    }
    let cancel = Cancel::default();
    let error = sandbox.engine().index(&Stopper(&cancel), &cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(everything(sandbox.engine()), before);
    assert_eq!(everything(&sandbox.another()), before);
    let status = sandbox.engine().status().unwrap();
    assert_eq!(status.generation.map(|info| info.generation), first.generation);
    assert_eq!((status.files, status.pending), (60, 20));
    assert_eq!(sandbox.index().files, 80);
}

#[test]
fn a_waiting_run_can_be_cancelled() {
    let sandbox = project(2);
    let store = store_of(&sandbox);
    let _writer = store.writer().unwrap();
    let cancel = Cancel::default();
    let stop = OnWaiting::new(|| cancel.cancel());
    let stopped = sandbox.engine().index(&stop, &cancel);
    assert!(matches!(stopped, Err(EngineError::Cancelled)), "{stopped:?}");
}

#[test]
fn a_cleared_index_is_made_again_by_the_next_search() {
    let sandbox = project(3);
    sandbox.index();
    let other = sandbox.another();
    other.index(&(), &Cancel::default()).unwrap();
    sandbox.engine().clear().unwrap();
    assert!(sandbox.engine().status().unwrap().generation.is_none());
    let answer = other.search(&SearchRequest::new("number_1"), &(), &Cancel::default()).unwrap();
    assert!(paths(&answer).contains(&"src/file1.rs"));
    let error = Sandbox::new("").engine().search_indexed(&SearchRequest::new("x")).unwrap_err();
    assert!(error.to_string().contains("groma index"), "{error}");
}

#[test]
fn searches_and_edits_at_once_end_like_a_fresh_index() {
    let sandbox = project(12);
    let other = sandbox.another();
    let done = AtomicBool::new(false);
    let edit = || {
        for round in 0..24 {
            let path = format!("src/file{}.rs", round % 12);
            match round % 5 {
                0 => sandbox.remove(&path),
                _ => sandbox.save(&path, format!("\nfn round_{round}() {{ number() }}\n")),
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        done.store(true, SeqCst);
    };
    std::thread::scope(|scope| {
        scope.spawn(edit);
        for engine in [sandbox.engine(), &other, sandbox.engine()] {
            let done = &done;
            scope.spawn(move || {
                while !done.load(SeqCst) {
                    engine.search(&SearchRequest::new("number"), &(), &Cancel::default()).unwrap();
                }
            });
        }
    });
    let fresh = sandbox.fresh();
    for engine in [sandbox.engine(), &other, &fresh] {
        engine.index(&(), &Cancel::default()).unwrap();
    }
    assert_eq!(everything(sandbox.engine()), everything(&fresh));
    assert_eq!(everything(&other), everything(&fresh));
}
