//! Whatever happens to the bytes of an index, it reports damage or answers correctly; it never panics, and it can be
//! rebuilt.

use crate::temporary::open;
use groma_core::{RefName, Store, StoreError, StoreErrorKind};
use groma_store::EmbeddedStore;
use groma_testkit::answers::answers;
use groma_testkit::{Tree, failure, pipeline};
use std::fs;
use std::path::{Path, PathBuf};

fn tree() -> Tree {
    let mut tree = Tree::parse("//- docs/guide.md\n# Pool\n\nconnections of a user\n");
    for number in 0..12 {
        let text = format!(
            "/// Gets a user of the pool.\nfn get_user_{number}() {{ connect(pool, {number}) }}\n\n\
             struct Config{number};\n\nfn parse() {{}}\n"
        );
        tree.write(&format!("src/file{number}.rs"), &text);
    }
    tree
}

/// An index of two segments and two refs, closed, so that all of it is in its files.
struct Sound {
    folder: tempfile::TempDir,
    answers: String,
}

fn sound() -> Sound {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    let mut first = tree();
    first.remove("src/file3.rs");
    first.commit(&store, &RefName::live()).unwrap();
    tree().commit(&store, &RefName::new("main")).unwrap();
    tree().commit(&store, &RefName::live()).unwrap();
    let answers = answers(&*store.snapshot(&RefName::live()).unwrap().unwrap()).unwrap();
    Sound { folder, answers }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to.join("segments")).unwrap();
    for name in fs::read_dir(from.join("segments")).unwrap() {
        let name = name.unwrap().file_name();
        fs::copy(from.join("segments").join(&name), to.join("segments").join(&name)).unwrap();
    }
    fs::copy(from.join("index.db"), to.join("index.db")).unwrap();
    fs::create_dir_all(to.join("stat-cache")).unwrap();
    for name in stat_caches(from) {
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

/// The files with stat data, by their path in the folder of an index.
fn stat_caches(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("stat-cache")).unwrap();
    entries.map(|entry| Path::new("stat-cache").join(entry.unwrap().file_name())).collect()
}

/// The files of an index, by their path in its folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let segments = fs::read_dir(folder.join("segments")).unwrap();
    let mut files: Vec<PathBuf> =
        segments.map(|entry| Path::new("segments").join(entry.unwrap().file_name())).collect();
    files.push("index.db".into());
    files.sort();
    files
}

/// What a damaged index did.
#[derive(Debug, PartialEq)]
enum Outcome {
    /// It reported damage.
    Reported,
    /// It gave the correct answers.
    Right,
    /// It reports that nothing is indexed, so everything will be.
    Empty,
}

fn outcome(sound: &Sound, folder: &Path) -> Outcome {
    match all_answers(folder) {
        Ok(Some(answers)) => {
            assert!(answers == sound.answers, "a wrong answer");
            Outcome::Right
        }
        Ok(None) => Outcome::Empty,
        Err(error) if error.is(StoreErrorKind::Damaged) => Outcome::Reported,
        Err(other) => panic!("{other:?}"),
    }
}

fn all_answers(folder: &Path) -> Result<Option<String>, StoreError> {
    let store = open(folder)?;
    let Some(snapshot) = store.snapshot(&RefName::live())? else { return Ok(None) };
    answers(&*snapshot).map(Some)
}

/// Writing to it, with a merge, reports the damage, too, or succeeds.
fn write(folder: &Path) -> Result<(), StoreError> {
    let store = open(folder)?;
    let mut tree = tree();
    tree.write("src/more.rs", "fn more() {}\n");
    for number in 1..12 {
        tree.remove(&format!("src/file{number}.rs"));
    }
    tree.commit(&store, &RefName::new("main"))?;
    tree.commit(&store, &RefName::live())
}

/// As a caller does after an error of kind `Damaged`.
fn rebuild(folder: &Path) -> EmbeddedStore {
    let store = match open(folder) {
        Ok(store) => store,
        Err(_) => EmbeddedStore::open_empty(folder, pipeline()).unwrap(),
    };
    store.clear().unwrap();
    tree().commit(&store, &RefName::live()).unwrap();
    store
}

/// Damages one file in many ways, one at a time.
fn check(
    name: &Path,
    sound: &Sound,
    damages: impl Iterator<Item = (String, Vec<u8>)>,
) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for (number, (what, bytes)) in damages.enumerate() {
        let target = tempfile::tempdir().unwrap();
        copy(sound.folder.path(), target.path());
        fs::write(target.path().join(name), &bytes).unwrap();
        let at = format!("{} {what}", name.display());
        let result = std::panic::catch_unwind(|| outcome(sound, target.path()));
        let outcome = result.unwrap_or_else(|_| panic!("{at}"));
        let verified = open(target.path()).and_then(|store| store.verify());
        if outcome == Outcome::Reported {
            assert!(failure(&verified) == Some(StoreErrorKind::Damaged), "{at}: {verified:?}");
        }
        // Slow, so not for each; nine shares no factor with the kinds of damage.
        if number % 9 == 0 {
            let written = write(target.path());
            let fine = matches!(failure(&written), None | Some(StoreErrorKind::Damaged));
            assert!(fine, "{at}: {written:?}");
            let store = rebuild(target.path());
            store.verify().unwrap_or_else(|error| panic!("{at}: {error}"));
            let snapshot = store.snapshot(&RefName::live()).unwrap().unwrap();
            assert!(answers(&*snapshot).unwrap() == sound.answers, "{at}, made anew");
        }
        outcomes.push(outcome);
    }
    outcomes
}

fn flips(bytes: &[u8], count: usize) -> impl Iterator<Item = (String, Vec<u8>)> {
    let step = (bytes.len() / count).max(1);
    (0..bytes.len()).step_by(step).enumerate().map(|(number, at)| {
        // A step that shares no factor with rows and pages, so that every column of a row is altered.
        let at = (at + number * 7) % bytes.len();
        let mut altered = bytes.to_vec();
        altered[at] ^= [0x01, 0x80, 0xff, 0x10][number % 4];
        (format!("altered at {at}"), altered)
    })
}

fn cuts(bytes: &[u8], count: usize) -> impl Iterator<Item = (String, Vec<u8>)> {
    let lengths =
        (0..count).map(move |number| bytes.len() * number / count).chain([bytes.len() - 1]);
    lengths.map(|length| (format!("cut to {length}"), bytes[..length].to_vec()))
}

#[test]
fn altered_segments_are_reported_or_harmless() {
    let sound = sound();
    for name in files(sound.folder.path()).iter().filter(|name| name.starts_with("segments")) {
        let bytes = fs::read(sound.folder.path().join(name)).unwrap();
        let outcomes = check(name, &sound, flips(&bytes, 100));
        assert!(!outcomes.contains(&Outcome::Empty));
        assert!(outcomes.iter().filter(|outcome| **outcome == Outcome::Reported).count() > 40);
    }
}

#[test]
fn truncated_segments_are_reported() {
    let sound = sound();
    for name in files(sound.folder.path()).iter().filter(|name| name.starts_with("segments")) {
        let bytes = fs::read(sound.folder.path().join(name)).unwrap();
        let outcomes = check(name, &sound, cuts(&bytes, 20));
        assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Reported), "{outcomes:?}");
    }
}

#[test]
fn a_missing_segment_is_reported() {
    let sound = sound();
    let target = tempfile::tempdir().unwrap();
    copy(sound.folder.path(), target.path());
    for name in files(target.path()).iter().filter(|name| name.starts_with("segments")) {
        fs::remove_file(target.path().join(name)).unwrap();
    }
    assert_eq!(outcome(&sound, target.path()), Outcome::Reported);
    let verified = open(target.path()).unwrap().verify();
    assert!(failure(&verified) == Some(StoreErrorKind::Damaged), "{verified:?}");
    rebuild(target.path()).verify().unwrap();
}

#[test]
fn an_altered_database_is_reported_or_harmless() {
    let sound = sound();
    let name = Path::new("index.db");
    let bytes = fs::read(sound.folder.path().join(name)).unwrap();
    check(name, &sound, flips(&bytes, 300));
}

#[test]
fn a_truncated_database_is_reported_or_empty() {
    let sound = sound();
    let name = Path::new("index.db");
    let bytes = fs::read(sound.folder.path().join(name)).unwrap();
    let outcomes = check(name, &sound, cuts(&bytes, 40));
    assert!(!outcomes.contains(&Outcome::Right), "{outcomes:?}");
}

#[test]
fn a_file_that_was_never_a_database() {
    let sound = sound();
    let garbage = b"not a database at all, but long enough to look like something".repeat(100);
    let outcomes =
        check(Path::new("index.db"), &sound, [("replaced".to_string(), garbage)].into_iter());
    assert_eq!(outcomes, [Outcome::Reported]);
}

#[test]
fn damaged_stat_data_proves_nothing_and_is_no_error() {
    let sound = sound();
    let whole = tree().manifest();
    let caches = stat_caches(sound.folder.path());
    assert_eq!(caches.len(), 2, "one for each ref");
    for name in caches {
        let bytes = fs::read(sound.folder.path().join(&name)).unwrap();
        let damages =
            flips(&bytes, 40).chain(cuts(&bytes, 10)).map(|(what, bytes)| (what, Some(bytes)));
        for (what, bytes) in damages.chain([("removed".to_string(), None)]) {
            let target = tempfile::tempdir().unwrap();
            copy(sound.folder.path(), target.path());
            match bytes {
                Some(bytes) => fs::write(target.path().join(&name), bytes).unwrap(),
                None => fs::remove_file(target.path().join(&name)).unwrap(),
            }
            let store = open(target.path()).unwrap();
            let mut lost = 0;
            for reference in [RefName::live(), RefName::new("main")] {
                let snapshot = store.snapshot(&reference).unwrap().unwrap();
                let manifest = snapshot.manifest();
                assert_eq!(manifest.id(), whole.id(), "{what}");
                if manifest == &whole.without_stats() {
                    lost += 1;
                } else {
                    assert_eq!(manifest, &whole, "{what}");
                }
            }
            assert_eq!(lost, 1, "{what}");
            store.verify().unwrap();
            // The next commit saves it again.
            tree().commit(&store, &RefName::live()).unwrap();
            tree().commit(&store, &RefName::new("main")).unwrap();
            let again = store.snapshot(&RefName::live()).unwrap().unwrap();
            assert_eq!(again.manifest(), &whole, "{what}");
        }
    }
}
