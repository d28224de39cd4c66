//! What commits state, and what becomes of it.

use groma_core::{Discovery, Origin};
use groma_engine::notebook::{NewDiscovery, RecallRequest, Recalled, Seek};
use groma_engine::{Cancel, EngineError};
use groma_testkit::{Commits, Sandbox, Setup};
use std::time::{Duration, UNIX_EPOCH};

fn project() -> (Sandbox, Commits) {
    let setup = Setup { embedder: None, ..Setup::in_memory() };
    let project = Sandbox::with(setup, "//- src/a.rs\npub fn a() {}\n");
    let commits = Commits::new(project.root());
    (project, commits)
}

fn known(project: &Sandbox) -> Vec<Discovery> {
    project.engine().discoveries(&(), &Cancel::default()).unwrap()
}

fn contents(project: &Sandbox) -> Vec<String> {
    known(project).into_iter().map(|one| format!("{}: {}", one.kind, one.content)).collect()
}

const QUEUE: &str = "rt: use one queue for each worker instead of a shared one";
const LEAK: &str = "Fix a leak of handles when a task is dropped";

#[test]
fn decisions_and_fixed_issues_are_found_with_their_hash() {
    let (project, commits) = project();
    let queue = commits.add(1_000, QUEUE);
    let leak = commits.add(2_000, LEAK);
    commits.add(3_000, "Add a parser");
    let found = known(&project);
    let shown: Vec<String> =
        found.iter().map(|one| format!("{} {}", one.kind, one.evidence[0])).collect();
    assert_eq!(shown, [format!("issue commit {leak}"), format!("decision commit {queue}")]);
    assert_eq!(found[1].module.as_deref(), Some("rt"));
    assert_eq!(found[1].date, UNIX_EPOCH + Duration::from_secs(1_000));
    let request = RecallRequest {
        seek: Seek::Discoveries(None),
        ..RecallRequest::new("why does each worker have a queue")
    };
    let answer = project.engine().recall(&request, &(), &Cancel::default()).unwrap();
    let Recalled::Discovery(first) = &answer.results[0].1 else { panic!("{answer:?}") };
    assert_eq!(first.evidence[0].place, queue);
}

/// Code that has every word of the question does not say why, and a reason does not age like a fix.
#[test]
fn who_asks_why_is_told_the_reason_first() {
    let code = "//- src/queue.rs\n/// The queue of each worker, used by the worker, one queue for each.\npub struct WorkerQueue {\n    worker: Worker,\n}\n";
    let setup = Setup { embedder: None, ..Setup::in_memory() };
    let project = Sandbox::with(setup, code);
    let queue = Commits::new(project.root()).add(1_000, QUEUE);
    let first = |query: &str| {
        let answer =
            project.engine().recall(&RecallRequest::new(query), &(), &Cancel::default()).unwrap();
        match &answer.results[0].1 {
            Recalled::Discovery(one) => one.evidence[0].place.clone(),
            Recalled::Code { hit, .. } => hit.path.to_string(),
            Recalled::Session(session) => session.id.clone(),
        }
    };
    assert_eq!(first("the queue of each worker"), "src/queue.rs");
    assert_eq!(first("why is there a queue for each worker"), queue);
}

#[test]
fn what_is_no_longer_reachable_is_gone() -> Result<(), EngineError> {
    let (project, commits) = project();
    let queue = commits.add(1_000, QUEUE);
    commits.add(2_000, LEAK);
    assert_eq!(contents(&project).len(), 2);
    commits.reset(&queue);
    assert_eq!(contents(&project).len(), 1, "the branch was reset");
    let timer = commits.add(3_000, "time: drop the wheel because a heap is as fast here");
    assert_eq!(
        contents(&project),
        [
            "decision: drop the wheel because a heap is as fast here",
            "decision: use one queue for each worker instead of a shared one"
        ]
    );
    commits.reset(&queue);
    let other = commits.add(4_000, "Fix a panic on an empty queue");
    commits.merge(5_000, "Merge branch 'timer'", &timer);
    assert_eq!(contents(&project).len(), 3, "both sides of a merge are reachable");
    commits.reset(&other);
    assert_eq!(contents(&project).len(), 2);
    std::fs::remove_dir_all(project.root().join(".git")).unwrap();
    assert_eq!(contents(&project).len(), 0, "no repository, no commits");
    Ok(())
}

#[test]
fn only_new_commits_are_read() {
    let mut project = Sandbox::new("//- src/a.rs\npub fn a() {}\n");
    let commits = Commits::new(project.root());
    let queue = commits.add(1_000, QUEUE);
    commits.add(2_000, "Add a parser");
    assert_eq!(contents(&project).len(), 1);
    // The object is gone: a commit that is still known was not read again.
    let object = project.root().join(".git/objects").join(&queue[..2]).join(&queue[2..]);
    let away = project.root().join("away");
    std::fs::rename(&object, &away).unwrap();
    commits.add(3_000, LEAK);
    assert_eq!(contents(&project).len(), 2);
    project.reopen(|_| {});
    commits.add(4_000, "Fix a panic on an empty queue");
    assert_eq!(contents(&project).len(), 3, "another process goes on from there");
    std::fs::rename(&away, &object).unwrap();
    project.engine().clear().unwrap();
    assert_eq!(contents(&project).len(), 3, "what is derived comes back");
}

#[test]
fn near_duplicates_keep_the_oldest_date_and_all_sources() {
    let (project, commits) = project();
    let first = commits.add(1_000, QUEUE);
    commits.add(2_000, "Add a parser");
    let second = commits.add(3_000, &format!("{QUEUE} (#12)"));
    project
        .write("src/b.rs", "// DECISION: use one queue for each worker instead of a shared one\n");
    let found = known(&project);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].date, UNIX_EPOCH + Duration::from_secs(1_000));
    let places: Vec<&str> = found[0].evidence.iter().map(|place| &*place.place).collect();
    assert_eq!(places, ["src/b.rs", &*second, &*first]);
    let text = "We use one queue for each worker instead of a shared one";
    let told = NewDiscovery { kind: Some(found[0].kind), ..NewDiscovery::new(text) };
    project.engine().notebook().remember(&told).unwrap();
    assert_eq!(known(&project)[0].evidence.len(), 4);
    assert_eq!(
        project.engine().notebook().recorded().unwrap()[0].evidence.len(),
        1,
        "derived is not kept"
    );
    assert!(found[0].evidence[1..].iter().all(|place| place.origin == Origin::Commit));
}

#[test]
fn a_project_inside_a_repository_has_only_its_own_commits() {
    let around = tempfile::tempdir().unwrap();
    let commits = Commits::new(around.path());
    commits.add_with(1_000, QUEUE, "engine");
    commits.add_with(2_000, "Move everything to docs", "docs");
    commits.add_with(3_000, LEAK, "docs");
    let root = around.path().join("engine");
    std::fs::create_dir_all(&root).unwrap();
    let engine = crate::notebook::engine(&root, None);
    let found = engine.discoveries(&(), &Cancel::default()).unwrap();
    let places: Vec<&str> = found.iter().map(|one| &*one.content).collect();
    assert_eq!(places, [&QUEUE[4..]]);
}

#[test]
fn secrets_in_messages_are_taken_out() {
    let (project, commits) = project();
    let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
    commits.add(1_000, &format!("Fix the login: sign with {key} again"));
    assert_eq!(contents(&project), ["issue: Fix the login: sign with [REDACTED] again"]);
}

#[test]
fn broken_repositories_are_reported_and_affect_nothing_else() {
    let (project, commits) = project();
    let queue = commits.add(1_000, QUEUE);
    let leak = commits.add(2_000, LEAK);
    let objects = project.root().join(".git/objects");
    std::fs::remove_file(objects.join(&queue[..2]).join(&queue[2..])).unwrap();
    assert_eq!(contents(&project).len(), 1, "a line ends where a commit is missing");
    std::fs::write(objects.join(&leak[..2]).join(&leak[2..]), "rubbish").unwrap_or(());
    commits.reset("1111111111111111111111111111111111111111");
    assert_eq!(contents(&project), [""; 0]);
    std::fs::write(project.root().join(".git/config"), "[core\n").unwrap();
    commits.reset("2222222222222222222222222222222222222222");
    let answer =
        project.engine().recall(&RecallRequest::new("pub fn a"), &(), &Cancel::default()).unwrap();
    assert!(answer.notes.iter().any(|note| note.starts_with("commits were skipped")), "{answer:?}");
    assert!(!answer.results.is_empty(), "the rest is answered");
}
