//! Whether there is an index to answer from.

use groma_engine::Readiness;
use groma_testkit::Sandbox;
use std::fs;

#[test]
fn an_index_is_missing_ready_or_of_another_pipeline() {
    let mut sandbox = Sandbox::new("//- src/a.rs\nfn alpha() {}\nstruct Beta;\n");
    let readiness = |sandbox: &Sandbox| sandbox.engine().readiness().unwrap();
    assert_eq!(readiness(&sandbox), Readiness::Missing);
    assert_eq!(sandbox.engine().symbol_count().unwrap(), 0);
    sandbox.index();
    assert!(readiness(&sandbox).is_ready());
    assert_eq!(sandbox.engine().symbol_count().unwrap(), 2);
    sandbox.reopen(|setup| setup.embedder = None);
    assert_eq!(readiness(&sandbox), Readiness::Outdated);
    sandbox.engine().clear().unwrap();
    assert_eq!(readiness(&sandbox), Readiness::Missing);
}

#[test]
fn an_unreadable_index_is_reported() {
    let mut sandbox = Sandbox::new("//- src/alpha.rs\nfn alpha() {}\n");
    sandbox.index();
    // An engine in memory closes the other's database, which then is one file.
    sandbox.reopen(|setup| setup.keep = groma_testkit::Keep::InMemory);
    let database = sandbox.index_folder().join("index.db");
    let mut bytes = fs::read(&database).unwrap();
    let path = b"src/alpha.rs";
    let places: Vec<usize> =
        (0..bytes.len() - path.len()).filter(|at| bytes[*at..].starts_with(path)).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| bytes[*at] = b'S');
    fs::write(&database, bytes).unwrap();
    sandbox.reopen(|setup| setup.keep = groma_testkit::Keep::OnDisk);
    let readiness = sandbox.engine().readiness().unwrap();
    assert!(matches!(readiness, Readiness::Damaged(_)), "{readiness:?}");
}
