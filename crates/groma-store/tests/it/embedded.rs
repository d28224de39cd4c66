//! What only the embedded store guarantees: folders, processes and pipelines.

use crate::temporary::{Temporary, later_pipeline, open};
use groma_core::{
    ChunkFilter, Deadline, FileStamp, IndexedFile, JobMode, JobRecord, JobState, JobTask,
    LeaseKind, Leases, Manifest, ManifestEntry, Pipeline, RefName, Store, StoreErrorKind, TermBag,
    Vector,
};
use groma_store::{CommitStep, EmbeddedStore, FileLeases};
use groma_testkit::answers::answers;
use groma_testkit::{Tree, failure, indexed, pipeline};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

fn tree(word: &str) -> Tree {
    Tree::parse(&format!("//- src/a.rs\nfn {word}() {{ pool() }}\n//- b.md\n# {word}\n\nuser\n"))
}

fn live_answers(store: &EmbeddedStore) -> String {
    answers(&*store.snapshot(&RefName::live()).unwrap().unwrap()).unwrap()
}

/// The files of the segments.
fn segments(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("segments")).unwrap();
    let mut segments: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    segments.sort();
    segments
}

fn segment_files(folder: &Path) -> usize {
    segments(folder).len()
}

#[test]
fn another_pipeline_sees_nothing_and_starts_afresh() {
    let changed = [later_pipeline(), Pipeline { embedder: None, ..pipeline() }, {
        let mut other = pipeline();
        other.embedder.as_mut().unwrap().version = "2".into();
        other
    }];
    for changed in changed {
        let temporary = Temporary::new();
        tree("one").commit(&temporary, &RefName::live()).unwrap();
        tree("one").commit(&temporary, &RefName::new("main")).unwrap();
        let held = temporary.snapshot(&RefName::live()).unwrap().unwrap();
        let before = answers(&*held).unwrap();

        let other = EmbeddedStore::open(temporary.path(), changed.clone()).unwrap();
        assert!(other.snapshot(&RefName::live()).unwrap().is_none());
        assert_eq!(other.generation(&RefName::live()).unwrap(), None);
        assert!(other.is_outdated().unwrap() && !temporary.is_outdated().unwrap());
        let old = other.previous_index(&RefName::live()).unwrap().unwrap();
        assert_eq!(answers(&*old.snapshot).unwrap(), before, "it can still be read");
        assert_eq!(old.same_embedder, changed.embedder == pipeline().embedder);
        assert!(temporary.previous_index(&RefName::live()).unwrap().is_none(), "its own");
        let keys: Vec<_> = tree("one").indexed().iter().map(|file| file.key).collect();
        let mut writer = other.writer().unwrap();
        assert_eq!(writer.known(&keys).unwrap(), [false; 2]);
        assert_eq!(live_answers(&temporary.store), before, "until the commit nothing is lost");
        let mut files = tree("one").indexed();
        files.iter_mut().for_each(|file| file.vectors.clear());
        writer.add(files).unwrap();
        writer.commit(&RefName::live(), &tree("one").manifest()).unwrap();

        assert!(!other.is_outdated().unwrap() && temporary.is_outdated().unwrap());
        assert!(temporary.snapshot(&RefName::live()).unwrap().is_none());
        assert!(other.snapshot(&RefName::new("main")).unwrap().is_none(), "of the other pipeline");
        assert!(other.snapshot(&RefName::live()).unwrap().is_some());
        assert!(other.generation(&RefName::live()).unwrap() > Some(held.info().generation));
        assert_eq!(answers(&*held).unwrap(), before);
        assert_eq!(segment_files(temporary.path()), 1);
        other.verify().unwrap();
    }
}

#[test]
fn an_index_is_found_again() {
    let temporary = Temporary::new();
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    let again = open(temporary.path()).unwrap();
    assert_eq!(live_answers(&again), live_answers(&temporary.store));
    tree("two").commit(&again, &RefName::live()).unwrap();
    assert_eq!(
        temporary.generation(&RefName::live()).unwrap(),
        again.generation(&RefName::live()).unwrap()
    );
    assert_eq!(live_answers(&temporary.store), live_answers(&again), "the first sees it too");
}

#[test]
fn a_clock_that_jumps_back_changes_no_order() {
    let mut temporary = Temporary::new();
    let year = Duration::from_secs(365 * 86_400);
    temporary.store.set_clock(|| SystemTime::now() + Duration::from_secs(365 * 86_400));
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    let ahead = temporary.snapshot(&RefName::live()).unwrap().unwrap().info();
    assert!(ahead.committed > SystemTime::now() + year / 2);
    temporary.store.set_clock(|| UNIX_EPOCH - Duration::from_secs(1));
    tree("two").commit(&temporary, &RefName::live()).unwrap();
    let back = temporary.snapshot(&RefName::live()).unwrap().unwrap().info();
    assert!(back.generation > ahead.generation && back.committed == UNIX_EPOCH, "{back:?}");
    assert_eq!(
        open(temporary.path()).unwrap().generation(&RefName::live()).unwrap(),
        Some(back.generation)
    );
    assert!(live_answers(&temporary.store).contains("two"));
    temporary.store.verify().unwrap();
}

#[test]
fn a_segment_truncated_while_mapped_is_reported() {
    let temporary = Temporary::new();
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    let held = temporary.snapshot(&RefName::live()).unwrap().unwrap();
    assert!(answers(&*held).is_ok());
    let segment =
        fs::read_dir(temporary.path().join("segments")).unwrap().next().unwrap().unwrap().path();
    fs::File::options().write(true).open(segment).unwrap().set_len(100).unwrap();
    let result = temporary.generation(&RefName::live());
    assert_eq!(failure(&result), Some(StoreErrorKind::Damaged));
    assert!(result.is_err_and(|error| error.detail().contains("cut off")));
    // Once another process has made it again, what is mapped does not matter.
    let other = open(temporary.path()).unwrap();
    other.clear().unwrap();
    tree("two").commit(&other, &RefName::live()).unwrap();
    assert_eq!(
        temporary.generation(&RefName::live()).unwrap(),
        other.generation(&RefName::live()).unwrap()
    );
    assert!(live_answers(&temporary.store).contains("two"));
}

#[test]
fn lease_holders_are_listed() {
    let temporary = Temporary::new();
    let holders = || FileLeases::new(temporary.path()).holders().unwrap();
    assert_eq!(holders(), []);
    let since = SystemTime::now() - Duration::from_secs(1);
    let _writer = temporary.writer().unwrap();
    let kind = LeaseKind::BackgroundIndexer;
    let _lease = temporary.leases().acquire(kind, "", Deadline::now()).unwrap().unwrap();
    let held = holders();
    assert_eq!(
        held.iter().map(|holder| holder.kind).collect::<Vec<_>>(),
        [LeaseKind::Writer, LeaseKind::BackgroundIndexer]
    );
    for holder in held {
        assert_eq!(holder.process, Some(std::process::id()));
        assert!(
            holder.since.is_some_and(|at| at >= since && at <= SystemTime::now()),
            "{holder:?}"
        );
    }
}

#[test]
fn jobs_are_found_again() {
    let temporary = Temporary::new();
    let job = JobRecord {
        id: "a".into(),
        task: JobTask::Index,
        reference: RefName::live(),
        mode: JobMode::Full,
        state: JobState::Running,
        changed_files: None,
        duration_ms: None,
        created: std::time::UNIX_EPOCH,
        message: String::new(),
    };
    temporary.job_log().record(&job).unwrap();
    let acquire = |store: &EmbeddedStore| {
        store.leases().acquire(LeaseKind::Job, "", Deadline::now()).unwrap()
    };
    let lease = acquire(&temporary.store);
    let again = EmbeddedStore::open(temporary.path(), later_pipeline()).unwrap();
    assert_eq!(again.job_log().jobs(5).unwrap(), std::slice::from_ref(&job));
    assert!(lease.is_some() && acquire(&again).is_none());
    drop(lease);
    assert!(acquire(&again).is_some());
    // A commit of another pipeline replaces the index and nothing else.
    again.writer().unwrap().commit(&RefName::live(), &Default::default()).unwrap();
    assert_eq!(temporary.job_log().jobs(5).unwrap(), std::slice::from_ref(&job));
    // An index that is damaged, and then replaced, does not take them along.
    for ending in ["-wal", "-shm"] {
        let _ = fs::remove_file(temporary.path().join(format!("index.db{ending}")));
    }
    fs::write(temporary.path().join("index.db"), "garbage".repeat(1000)).unwrap();
    let damage = EmbeddedStore::open(temporary.path(), pipeline()).err().unwrap();
    let damaged = EmbeddedStore::open_damaged(temporary.path(), pipeline(), &damage).unwrap();
    assert!(damaged.generation(&RefName::live()).unwrap_err().is(StoreErrorKind::Damaged));
    assert_eq!(damaged.job_log().jobs(5).unwrap(), std::slice::from_ref(&job));
    damaged.clear().unwrap();
    assert_eq!(damaged.generation(&RefName::live()).unwrap(), None);
    assert_eq!(damaged.job_log().jobs(5).unwrap(), std::slice::from_ref(&job));
}

#[test]
fn parts_stay_few() {
    let temporary = Temporary::new();
    let mut tree = tree("one");
    for number in 0..60 {
        tree.write(&format!("src/{number}.rs"), &format!("fn f{number}() {{}}\n"));
        tree.commit(&temporary, &RefName::live()).unwrap();
        let segments = temporary.size().unwrap().segments;
        assert!(segments <= 9, "{segments} segments after {number} commits");
        assert_eq!(segment_files(temporary.path()) as u64, segments);
    }
    Tree::default().commit(&temporary, &RefName::live()).unwrap();
    assert_eq!(segment_files(temporary.path()), 0, "of files that vanished nothing stays");
    temporary.store.verify().unwrap();
}

#[test]
fn steps_are_observed_in_order() {
    let mut temporary = Temporary::new();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let seen = steps.clone();
    temporary.store.observe(move |step| seen.lock().unwrap().push(step));
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    use CommitStep::*;
    assert_eq!(*steps.lock().unwrap(), [SegmentWritten, RowsWritten, Committed, Swept]);
    steps.lock().unwrap().clear();
    tree("two").commit(&temporary, &RefName::live()).unwrap();
    assert_eq!(*steps.lock().unwrap(), [SegmentWritten, Merged, RowsWritten, Committed, Swept]);
}

#[test]
fn leftovers_of_others_are_swept() {
    let temporary = Temporary::new();
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    for name in ["00000077.segment", "half", "x.segment"] {
        fs::write(temporary.path().join("segments").join(name), "rest").unwrap();
    }
    tree("two").commit(&temporary, &RefName::live()).unwrap();
    assert_eq!(segment_files(temporary.path()) as u64, temporary.size().unwrap().segments);
}

#[test]
fn a_lock_file_without_a_holder_is_no_lock() {
    let temporary = Temporary::new();
    fs::write(temporary.path().join("writer.lock"), "4711").unwrap();
    tree("one").commit(&temporary, &RefName::live()).unwrap();
}

/// The process that holds the lock and ends without releasing it; see the test below.
#[test]
fn child_that_dies_with_the_lock() {
    let Ok(folder) = std::env::var("GROMA_TEST_LOCK") else { return };
    let store = open(Path::new(&folder)).unwrap();
    let mut writer = store.writer().unwrap();
    writer.add(tree("dead").indexed()).unwrap();
    std::process::abort();
}

#[test]
fn a_lock_dies_with_its_holder() {
    let temporary = Temporary::new();
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "embedded::child_that_dies_with_the_lock"])
        .env("GROMA_TEST_LOCK", temporary.path())
        .output()
        .unwrap();
    assert!(!status.status.success());
    tree("two").commit(&temporary, &RefName::live()).unwrap();
    temporary.store.verify().unwrap();
}

#[test]
fn a_writer_that_was_overtaken_publishes_nothing() {
    let temporary = Temporary::new();
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    let mut slow = temporary.writer().unwrap();
    slow.add(tree("slow").indexed()).unwrap();
    // As after a suspended holder was given up: the lock of a removed file is another than that of its successor.
    fs::remove_file(temporary.path().join("writer.lock")).unwrap();
    let other = open(temporary.path()).unwrap();
    tree("two").commit(&other, &RefName::live()).unwrap();
    let newest = other.generation(&RefName::live()).unwrap();
    let refused = slow.commit(&RefName::live(), &tree("slow").manifest());
    assert_eq!(failure(&refused), Some(StoreErrorKind::Superseded));
    assert_eq!(temporary.generation(&RefName::live()).unwrap(), newest);
    assert_eq!(live_answers(&temporary.store), live_answers(&Temporary::of(&tree("two")).store));
    temporary.store.verify().unwrap();
}

#[test]
fn a_number_does_not_make_a_generation() {
    let (one, two) = (Temporary::of(&tree("one")), Temporary::of(&tree("one")));
    let [one, two] =
        [&one, &two].map(|temporary| temporary.generation(&RefName::live()).unwrap().unwrap());
    assert_eq!(one.number, two.number);
    assert_ne!(one, two);
}

#[test]
fn many_open_the_same_folder_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| open(folder.path()).unwrap().generation(&RefName::live()).unwrap());
        }
    });
}

#[test]
fn a_folder_that_was_removed_comes_back() {
    let temporary = Temporary::new();
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    fs::remove_dir_all(temporary.path()).unwrap();
    assert!(temporary.snapshot(&RefName::live()).unwrap().is_none());
    tree("two").commit(&temporary, &RefName::live()).unwrap();
    let fresh = Temporary::new();
    tree("two").commit(&fresh, &RefName::live()).unwrap();
    assert_eq!(live_answers(&temporary.store), live_answers(&fresh.store));
}

#[test]
fn what_was_removed_is_made_again_by_writing_alone() {
    let temporary = Temporary::new();
    let database = temporary.path().join("index.db");
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    for ending in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(temporary.path().join(format!("index.db{ending}")));
    }
    assert!(temporary.snapshot(&RefName::live()).unwrap().is_none());
    assert_eq!(temporary.generation(&RefName::live()).unwrap(), None);
    assert!(
        temporary.refs().unwrap().is_empty() && temporary.job_log().jobs(9).unwrap().is_empty()
    );
    assert!(!temporary.forget(&RefName::live()).unwrap());
    temporary.clear().unwrap();
    drop(temporary.writer().unwrap());
    assert!(!database.exists(), "none of these wrote anything");
    let other = open(temporary.path()).unwrap();
    tree("two").commit(&other, &RefName::live()).unwrap();
    assert_eq!(live_answers(&temporary.store), live_answers(&other));
}

#[test]
fn a_replaced_database_is_noticed() {
    let temporary = Temporary::new();
    tree("one").commit(&temporary, &RefName::live()).unwrap();
    let other = EmbeddedStore::open_empty(temporary.path(), pipeline()).unwrap();
    assert!(temporary.snapshot(&RefName::live()).unwrap().is_none());
    tree("two").commit(&other, &RefName::live()).unwrap();
    assert_eq!(live_answers(&temporary.store), live_answers(&other));
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_an_error_with_its_path() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let set = |mode| fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
    set(0o555);
    // Some users can write anyway.
    if fs::write(folder.path().join("probe"), "").is_err() {
        let refused = open(folder.path()).err();
        assert!(
            refused.as_ref().is_some_and(|error| matches!(
                error.kind(),
                StoreErrorKind::Denied | StoreErrorKind::Unavailable
            )),
            "{refused:?}"
        );
    }
    set(0o755);
    fs::write(folder.path().join("file"), "").unwrap();
    let refused = open(&folder.path().join("file")).err();
    assert!(
        refused.as_ref().is_some_and(|error| matches!(
            error.kind(),
            StoreErrorKind::Denied | StoreErrorKind::Unavailable
        )),
        "{refused:?}"
    );
}

#[test]
fn what_another_process_does_to_other_refs_is_known_to_who_saves() {
    let temporary = Temporary::new();
    let elsewhere = open(temporary.path()).unwrap();
    let (live, main) = (RefName::live(), RefName::new("main"));
    let mut base = tree("one");
    for n in 0..30 {
        base.write("src/saved.rs", &format!("fn saved_{n}() {{}}\n"));
        base.commit(&temporary, &live).unwrap();
        // Versions that only the other ref names survive every merge, and go when it names others.
        tree(&format!("other_{n}")).commit(&elsewhere, &main).unwrap();
        if n % 10 == 9 {
            assert!(elsewhere.forget(&main).unwrap());
        }
    }
    tree("last").commit(&elsewhere, &main).unwrap();
    base.write("src/saved.rs", "fn saved_at_last() {}\n").commit(&temporary, &live).unwrap();
    temporary.store.verify().unwrap();
    assert_eq!(live_answers(&temporary.store), live_answers(&Temporary::of(&base).store));
    let snapshot = temporary.snapshot(&main).unwrap().unwrap();
    assert_eq!(answers(&*snapshot).unwrap(), live_answers(&Temporary::of(&tree("last")).store));
    assert!(segment_files(temporary.path()) <= 10);
}

/// A store with that of another folder as its sibling.
fn beside(other: &Temporary) -> (EmbeddedStore, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).unwrap();
    (store.with_siblings(vec![other.path().to_path_buf()]), folder)
}

#[test]
fn what_a_sibling_has_is_taken_from_it() {
    let other = Temporary::new();
    tree("one").commit(&other, &RefName::live()).unwrap();
    let manifest = tree("one").manifest();
    let keys: Vec<_> = manifest.files.values().map(|entry| entry.key).collect();
    let (store, _folder) = beside(&other);
    let writer = store.writer().unwrap();
    assert!(writer.known(&keys).unwrap().into_iter().all(|known| known));
    // What the sibling does meanwhile does not matter, not even to a name: that of a lost index is used again.
    let segment = segments(other.path()).remove(0);
    other.clear().unwrap();
    let unlike = Temporary::new();
    tree("other").commit(&unlike, &RefName::live()).unwrap();
    fs::copy(&segments(unlike.path())[0], segment).unwrap();
    writer.commit(&RefName::live(), &manifest).unwrap();
    tree("one").commit(&other, &RefName::live()).unwrap();
    assert_eq!(live_answers(&store), live_answers(&other.store));
    store.verify().unwrap();
    let anew = beside(&other);
    let writer = anew.0.replacing_writer().unwrap();
    assert!(writer.known(&keys).unwrap().into_iter().all(|known| !known), "nothing counts");
    drop(writer);
    let refused = anew.0.writer().unwrap().commit(&RefName::live(), &tree("two").manifest());
    assert!(refused.is_err(), "no store has it");
}

/// Adds some files.
fn grow(tree: &mut Tree, files: usize) {
    for n in 0..files {
        tree.write(&format!("src/{n}.rs"), &format!("fn part_{n}() {{}}\n"));
    }
}

#[cfg(unix)]
#[test]
fn two_stores_share_the_files_of_what_they_have_in_common() {
    let numbers = |folder: &Path| -> Vec<u64> {
        use std::os::unix::fs::MetadataExt;
        segments(folder).iter().map(|path| fs::metadata(path).unwrap().ino()).collect()
    };
    let mut base = tree("one");
    grow(&mut base, 6);
    let mut edited = base.clone();
    edited.write("src/a.rs", "fn edited() {}\n");
    for first in [true, false] {
        let other = Temporary::new();
        base.commit(&other, &RefName::live()).unwrap();
        let (store, folder) = beside(&other);
        edited.commit(&store, &RefName::live()).unwrap();
        let [theirs, ours] = [numbers(other.path()), numbers(folder.path())];
        assert_eq!((theirs.len(), ours.len()), (1, 2));
        assert!(ours.contains(&theirs[0]), "the file is the same");
        let answers = [live_answers(&other.store), live_answers(&store)];
        assert_eq!(answers[1], live_answers(&Temporary::of(&edited).store));

        // Whatever one of them does, the other stays as it is.
        let (busy, quiet) = if first { (&other.store, 1) } else { (&store, 0) };
        let quiet = ([&other.store, &store][quiet], &answers[quiet], [&theirs, &ours][quiet]);
        let mut growing = base.clone();
        for n in 0..12 {
            growing.write(&format!("src/more_{n}.rs"), &format!("fn more_{n}() {{}}\n"));
            growing.commit(busy, &RefName::live()).unwrap();
        }
        for tree in [&tree("rewritten"), &Tree::parse("")] {
            tree.commit(busy, &RefName::live()).unwrap();
        }
        busy.verify().unwrap();
        busy.clear().unwrap();
        let folder = if first { folder.path() } else { other.path() };
        let again = open(folder).unwrap();
        for store in [quiet.0, &again] {
            store.verify().unwrap();
            assert_eq!(&live_answers(store), quiet.1);
        }
        assert_eq!(&numbers(folder), quiet.2);
    }
}

#[test]
fn of_a_segment_that_is_mostly_unwanted_only_the_wanted_is_taken() {
    let other = Temporary::new();
    let wanted = tree("one");
    let mut large = wanted.clone();
    grow(&mut large, 40);
    large.commit(&other, &RefName::live()).unwrap();
    let (store, folder) = beside(&other);
    let writer = store.writer().unwrap();
    let manifest = wanted.manifest();
    let keys: Vec<_> = manifest.files.values().map(|entry| entry.key).collect();
    assert_eq!(writer.known(&keys).unwrap(), [true; 2]);
    assert_eq!(writer.commit(&RefName::live(), &manifest).unwrap().versions, 2);
    let length = |folder: &Path| fs::metadata(&segments(folder)[0]).unwrap().len();
    assert!(length(folder.path()) < length(other.path()));
    store.verify().unwrap();
}

#[test]
fn what_is_here_already_is_not_taken_again() {
    let other = Temporary::new();
    let mut base = tree("one");
    base.commit(&other, &RefName::live()).unwrap();
    let (store, folder) = beside(&other);
    base.commit(&store, &RefName::live()).unwrap();
    // A segment with all of it, of which two thirds would be new here.
    grow(&mut base, 4);
    other.clear().unwrap();
    base.commit(&other, &RefName::live()).unwrap();
    let writer = store.writer().unwrap();
    let keys: Vec<_> = base.manifest().files.values().map(|entry| entry.key).collect();
    assert_eq!(writer.known(&keys).unwrap(), [true; 6]);
    assert_eq!(writer.commit(&RefName::live(), &base.manifest()).unwrap().versions, 4);
    assert_eq!(segment_files(folder.path()), 2);
    assert_eq!(live_answers(&store), live_answers(&other.store));
    store.verify().unwrap();
}

#[test]
fn a_sibling_that_cannot_be_read_has_nothing() {
    let keys: Vec<_> = tree("one").manifest().files.values().map(|entry| entry.key).collect();
    let has = |other: &Temporary| {
        let (store, _folder) = beside(other);
        let known = store.writer().unwrap().known(&keys).unwrap();
        known.into_iter().any(|known| known)
    };
    let other = Temporary::new();
    assert!(!has(&other), "never indexed");
    tree("one").commit(&other, &RefName::live()).unwrap();
    assert!(has(&other));
    let segment =
        fs::read_dir(other.path().join("segments")).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&segment).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&segment, bytes).unwrap();
    assert!(!has(&other), "altered");
    fs::remove_file(&segment).unwrap();
    assert!(!has(&other), "gone");
    let outdated = tempfile::tempdir().unwrap();
    let store = EmbeddedStore::open(outdated.path(), later_pipeline()).unwrap();
    store.writer().unwrap().commit(&RefName::live(), &Default::default()).unwrap();
    let (own, _folder) = beside(&Temporary { store, folder: outdated });
    assert!(!own.writer().unwrap().known(&keys).unwrap().contains(&true), "another pipeline's");
    fs::write(other.path().join("index.db"), "no database").unwrap();
    assert!(!has(&other));
}

/// A file of a thousand chunks with vectors of their own.
fn crowd(number: u32, version: u32) -> IndexedFile {
    let mut file = indexed(&format!("src/{number}.txt"), &format!("version {version}\n"));
    let mut state = number * 977 + version + 1;
    let mut component = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from((state >> 16) as u8) - 127.5
    };
    let width = file.vectors[0].values.len();
    let mut vector = |_| Vector::quantise(&(0..width).map(|_| component()).collect::<Vec<_>>());
    file.vectors = (0..1000).map(&mut vector).collect();
    file.facts.chunks = vec![file.facts.chunks.last().unwrap().clone(); 1000];
    file.terms = TermBag::default();
    file
}

fn commit(store: &EmbeddedStore, files: &[IndexedFile]) {
    let stamp = FileStamp::default();
    let entry = |file: &IndexedFile| (file.path.clone(), ManifestEntry { key: file.key, stamp });
    let manifest = Manifest { files: files.iter().map(entry).collect(), ..Manifest::default() };
    let mut writer = store.writer().unwrap();
    writer.add(files.to_vec()).unwrap();
    writer.commit(&RefName::live(), &manifest).unwrap();
}

#[test]
fn a_commit_removes_the_segments_of_an_earlier_schema() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("parts");
    std::fs::create_dir(&old).unwrap();
    std::fs::write(old.join("00000001.part"), "old").unwrap();
    let store = EmbeddedStore::open(folder.path(), pipeline()).unwrap();
    assert!(old.exists(), "reading removes nothing");
    commit(&store, &[crowd(0, 0)]);
    assert!(!old.exists());
}

#[test]
fn a_sample_of_many_vectors_may_mislead() {
    let mut files: Vec<IndexedFile> = (0..26).map(|number| crowd(number, 0)).collect();
    let width = files[0].vectors[0].values.len();
    let vector = |component: &dyn Fn(usize) -> f32| {
        Vector::quantise(&(0..width).map(component).collect::<Vec<_>>())
    };
    let query = vector(&|at| if at < 2 { 1.0 } else { 20.0 });
    // All signs are the query's, or all but one, and yet it is far from it; the other way round.
    let decoys = [1.0, -1.0].map(|third| {
        vector(&|at| match at {
            0 => 40.0,
            2 => third,
            _ => 1.0,
        })
    });
    let near = vector(&|at| if at < 2 { -1.0 } else { 20.0 });
    for (index, one) in files.iter_mut().flat_map(|file| &mut file.vectors).enumerate() {
        match index {
            // Blocks like these are what a sample is taken of.
            _ if index / 512 % 16 == 0 => *one = decoys[index % 2].clone(),
            _ if index % 2600 == 2599 => *one = near.clone(),
            _ => {}
        }
    }
    let wanted = files.iter().flat_map(|file| &file.vectors).filter(|one| **one == near).count();
    let temporary = Temporary::new();
    commit(&temporary.store, &files);
    let snapshot = temporary.store.snapshot(&RefName::live()).unwrap().unwrap();
    let hits = snapshot.nearest(&query, &ChunkFilter::default(), wanted).unwrap();
    assert!(wanted >= 8 && hits.iter().all(|hit| hit.score > 0.9), "{hits:?}");
}

#[test]
fn of_many_vectors_the_same_are_nearest_whatever_came_before() {
    let mut files: Vec<IndexedFile> = (0..26).map(|number| crowd(number, 0)).collect();
    let edited = Temporary::new();
    commit(&edited.store, &files);
    files[3] = crowd(3, 1);
    files.remove(17);
    commit(&edited.store, &files);
    let fresh = Temporary::new();
    commit(&fresh.store, &files);
    for query in &crowd(99, 0).vectors[..20] {
        let nearest = |store: &EmbeddedStore| -> Vec<(String, u32, f32)> {
            let snapshot = store.snapshot(&RefName::live()).unwrap().unwrap();
            let hits = snapshot.nearest(query, &ChunkFilter::default(), 10).unwrap();
            let ids: Vec<_> = hits.iter().map(|hit| hit.chunk).collect();
            let outlines = snapshot.outlines(&ids).unwrap().into_iter().zip(hits);
            outlines.map(|(one, hit)| (one.path.to_string(), one.ordinal, hit.score)).collect()
        };
        assert_eq!(nearest(&edited.store), nearest(&fresh.store));
    }
}
