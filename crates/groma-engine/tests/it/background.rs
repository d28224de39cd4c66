//! The background indexer: changes are indexed without a query, by one process at a time.

use groma_core::{Deadline, Lease, LeaseKind, Leases};
use groma_engine::{
    BackgroundEvent, Cancel, Engine, EngineError, Observer, Progress, SearchRequest,
};
use groma_store::FileLeases;
use groma_testkit::{Keep, Sandbox, Setup};
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Reached only by a failing test.
const LONG: Duration = Duration::from_secs(60);

fn until(what: &str, holds: impl Fn() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn project() -> Sandbox {
    let setup = Setup { embedder: None, ..Setup::default() };
    Sandbox::with(setup, "//- a.rs\nfn apple() {}\n//- src/b.rs\nfn banana() {}\n")
}

fn kept(sandbox: &Sandbox) -> Arc<Engine> {
    let engine = sandbox.shared(LONG);
    engine.index_in_background();
    engine
}

/// What the background indexer does, counted.
#[derive(Clone, Default)]
struct Watched(Arc<Counts>);

#[derive(Default)]
struct Counts {
    /// Checks that published nothing.
    unchanged: AtomicUsize,
    /// Times a run found the writer lease taken.
    waiting: AtomicUsize,
}

impl Watched {
    /// Starts the background indexer of an engine.
    fn keep(&self, engine: &Arc<Engine>) {
        let counts = self.0.clone();
        engine.index_in_background_observed(self.clone(), move |event| {
            if matches!(event, BackgroundEvent::Unchanged) {
                counts.unchanged.fetch_add(1, Ordering::SeqCst);
            }
        });
    }

    fn unchanged(&self) -> usize {
        self.0.unchanged.load(Ordering::SeqCst)
    }

    fn waiting(&self) -> usize {
        self.0.waiting.load(Ordering::SeqCst)
    }

    /// Waits for a check that began after this call: the one under way may have begun before.
    fn until_checked(&self) {
        let before = self.unchanged();
        until("a check", || self.unchanged() >= before + 2);
    }
}

impl Observer for Watched {
    fn progress(&self, progress: Progress) {
        if progress == Progress::Waiting {
            self.0.waiting.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// The paths in which the newest generation, as another process reads it, has a name.
fn indexed(sandbox: &Sandbox, name: &str) -> Vec<String> {
    let answer = sandbox.another().search_indexed(&SearchRequest::new(name));
    let hits = answer.map(|answer| answer.hits).unwrap_or_default();
    let mut paths: Vec<String> = hits
        .iter()
        .filter(|hit| hit.content.contains(name))
        .map(|hit| hit.path.to_string())
        .collect();
    paths.dedup();
    paths
}

/// Whether another process finds the index up to date.
fn is_current(sandbox: &Sandbox) -> bool {
    let status = sandbox.another().status().unwrap();
    status.generation.is_some() && status.pending + status.removed == 0
}

/// A way to save a text, and what it is called.
type Save<'a> = (&'a str, &'a dyn Fn(&str));

#[test]
fn every_way_to_save_is_noticed() {
    let sandbox = project();
    sandbox.index();
    let _engine = kept(&sandbox);
    let path = sandbox.path("src/b.rs");
    let saves: [Save<'_>; 4] = [
        ("in place", &|text| fs::write(&path, text).unwrap()),
        ("renamed into place", &|text| {
            fs::write(path.with_extension("tmp"), text).unwrap();
            fs::rename(path.with_extension("tmp"), &path).unwrap();
        }),
        ("after a backup", &|text| {
            fs::rename(&path, path.with_extension("rs~")).unwrap();
            fs::write(&path, text).unwrap();
            fs::remove_file(path.with_extension("rs~")).unwrap();
        }),
        ("in a folder put in its place", &|text| {
            fs::rename(sandbox.path("src"), sandbox.path("old")).unwrap();
            fs::create_dir(sandbox.path("src")).unwrap();
            fs::write(&path, text).unwrap();
            fs::remove_dir_all(sandbox.path("old")).unwrap();
        }),
    ];
    for (round, (name, save)) in saves.into_iter().enumerate() {
        let word = format!("saved{round}");
        save(&format!("fn {word}() {{}}\n"));
        until(name, || indexed(&sandbox, &word) == ["src/b.rs"] && is_current(&sandbox));
    }
}

#[test]
fn another_branch_of_thousands_of_files_is_taken_in() {
    let sandbox = project();
    let branch = |word: &str| {
        for number in 0..2000 {
            let path = format!("lib/{}/f{number}.rs", number % 40);
            sandbox.save(&path, format!("fn {word}{number}() {{}}\n"));
        }
    };
    branch("main");
    sandbox.index();
    let _engine = kept(&sandbox);
    branch("other");
    for number in 0..500 {
        sandbox.remove(&format!("lib/{}/f{number}.rs", number % 40));
    }
    until("the other branch", || {
        indexed(&sandbox, "other1999") == ["lib/39/f1999.rs"] && is_current(&sandbox)
    });
    assert_eq!(sandbox.another().status().unwrap().files, 1502);
}

#[test]
fn without_file_events_the_tree_is_scanned() {
    let sandbox = project();
    sandbox.index();
    let engine = sandbox.another().unwatched().into_shared(None);
    engine.index_in_background();
    for round in 0..2 {
        let word = format!("scanned{round}");
        sandbox.save("a.rs", format!("fn {word}() {{}}\n"));
        until("a scan", || indexed(&sandbox, &word) == ["a.rs"]);
    }
}

#[test]
fn a_project_without_an_index_gets_none() {
    let sandbox = project();
    let (engine, watched) = (sandbox.shared(LONG), Watched::default());
    watched.keep(&engine);
    watched.until_checked();
    sandbox.save("a.rs", "fn avocado() {}\n");
    watched.until_checked();
    assert_eq!(engine.generation().unwrap(), None);
    // The first query creates the index, which is kept up to date from then on.
    engine.search(&SearchRequest::new("avocado"), &(), &Cancel::default()).unwrap();
    sandbox.save("a.rs", "fn apricot() {}\n");
    until("kept", || indexed(&sandbox, "apricot") == ["a.rs"]);
}

#[test]
fn an_index_cleared_during_a_run_stays_cleared() {
    let setup = Setup { embedder: None, keep: Keep::OnDisk, ..Setup::default() };
    let sandbox = Sandbox::with(setup, "//- a.rs\nfn apple() {}\n");
    sandbox.index();
    let (engine, watched) = (sandbox.shared(LONG), Watched::default());
    watched.keep(&engine);
    until("the first check", || watched.unchanged() > 0);
    // The run has read the index and waits for the writer lease while the index is deleted.
    let lease = FileLeases::new(sandbox.index_folder()).require(LeaseKind::Writer).unwrap();
    sandbox.save("a.rs", "fn apricot() {}\n");
    until("a waiting run", || watched.waiting() > 0);
    let before = watched.unchanged();
    for ending in ["-wal", "-shm", ""] {
        let _ = fs::remove_file(sandbox.index_folder().join(format!("index.db{ending}")));
    }
    drop(lease);
    until("the end of the run", || watched.unchanged() > before);
    assert!(!sandbox.index_folder().join("index.db").exists());
    // A query creates it again.
    let answer = engine.search(&SearchRequest::new("apricot"), &(), &Cancel::default()).unwrap();
    assert_eq!(answer.hits.len(), 1, "{answer:?}");
}

fn background_lease(sandbox: &Sandbox) -> Option<Lease> {
    let leases = FileLeases::new(sandbox.index_folder());
    leases.acquire(LeaseKind::BackgroundIndexer, "", Deadline::now()).unwrap()
}

#[test]
fn another_process_takes_over() {
    let sandbox = project();
    sandbox.index();
    let first = kept(&sandbox);
    until("the lease", || background_lease(&sandbox).is_none());
    let events = Arc::new(Mutex::new(Vec::new()));
    let cancel = Arc::new(Cancel::default());
    let second = std::thread::spawn({
        let (engine, events, cancel) = (sandbox.shared(LONG), events.clone(), cancel.clone());
        move || {
            let tell = |kept: BackgroundEvent<'_>| {
                let word = match kept {
                    BackgroundEvent::Waiting => "waiting".to_string(),
                    BackgroundEvent::Watching => "watching".to_string(),
                    BackgroundEvent::Indexed(report) => format!("{} updated", report.updated),
                    BackgroundEvent::Failed(error) => error.to_string(),
                    BackgroundEvent::Unchanged => return,
                };
                events.lock().unwrap().push(word);
            };
            engine.index_continuously(&(), &tell, &cancel)
        }
    });
    let says = |expected: &[&str]| *events.lock().unwrap() == expected;
    until("waiting", || says(&["waiting"]));
    sandbox.save("a.rs", "fn first() {}\n");
    until("the first", || indexed(&sandbox, "first") == ["a.rs"]);
    assert!(says(&["waiting"]), "{events:?}");
    drop(first);
    until("taking over", || says(&["waiting", "watching"]));
    sandbox.save("a.rs", "fn second() {}\n");
    until("the second", || says(&["waiting", "watching", "1 updated"]));
    cancel.cancel();
    second.join().unwrap().unwrap();
    assert!(background_lease(&sandbox).is_some(), "the lease was released");
}

#[test]
fn watching_ends_with_the_project() {
    let sandbox = project();
    sandbox.index();
    let engine = sandbox.shared(LONG);
    fs::remove_dir_all(sandbox.root()).unwrap();
    let kept = engine.index_continuously(&(), &|_| {}, &Cancel::default());
    assert!(matches!(kept, Err(EngineError::Walk(_))), "{kept:?}");
    assert!(engine.generation().unwrap().is_some(), "the index stays until it is cleared");
    fs::create_dir(sandbox.root()).unwrap();
}
