//! The vector cache: shared, bounded, and never an error.

use groma_core::{TextKey, Vector, VectorCache};
use groma_store::EmbeddedVectorCache;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn temporary_path() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/vectors.db");
    (folder, path)
}

fn open(path: &Path) -> EmbeddedVectorCache {
    EmbeddedVectorCache::open(path).unwrap()
}

fn key(text: &str) -> TextKey {
    TextKey::new("model", text)
}

fn vector(seed: f32) -> Vector {
    Vector::quantise(&[seed, -1.0, 0.25, 100.0])
}

#[test]
fn what_is_kept_is_found_by_everybody() {
    let (_folder, path) = temporary_path();
    let first = open(&path);
    let second = open(&path);
    first.keep(&[(key("a"), &vector(1.0)), (key("b"), &vector(2.0))]);
    let found = second.find(&[key("b"), key("c"), key("a")]);
    assert_eq!(found, [Some(vector(2.0)), None, Some(vector(1.0))]);
    drop((first, second));
    assert_eq!(open(&path).find(&[key("a")]), [Some(vector(1.0))]);
    assert_eq!(open(&path).find(&[TextKey::new("another", "a")]), [None]);
}

#[test]
fn dimensions_are_remembered_by_model() {
    let (_folder, path) = temporary_path();
    assert_eq!(open(&path).dimensions("m"), None);
    open(&path).keep_dimensions("m", 768);
    open(&path).keep_dimensions("n", 0);
    assert_eq!((open(&path).dimensions("m"), open(&path).dimensions("n")), (Some(768), None));
}

#[test]
fn the_oldest_go_when_there_is_no_room() {
    let (_folder, path) = temporary_path();
    let cache = EmbeddedVectorCache::open_bounded(&path, 400_000).unwrap();
    let long = Vector::quantise(&[1.0; 1000]);
    for number in 0..1000 {
        cache.keep(&[(key(&number.to_string()), &long)]);
    }
    assert_eq!(cache.find(&[key("0"), key("999")]), [None, Some(long)]);
    let kept = (0..1000).filter(|n| cache.find(&[key(&n.to_string())])[0].is_some()).count();
    assert!((150..450).contains(&kept), "{kept} are kept");
    drop(cache);
    assert!(fs::metadata(path).unwrap().len() < 800_000);
}

#[test]
fn garbage_is_replaced() {
    let (_folder, path) = temporary_path();
    drop(open(&path));
    fs::write(&path, "garbage ".repeat(4096)).unwrap();
    let cache = open(&path);
    assert_eq!(cache.find(&[key("a")]), [None]);
    cache.keep(&[(key("a"), &vector(1.0))]);
    assert_eq!(cache.find(&[key("a")]), [Some(vector(1.0))]);
}

#[test]
fn an_altered_vector_is_no_vector() {
    let (_folder, path) = temporary_path();
    let cache = open(&path);
    cache.keep(&[(key("a"), &vector(1.0)), (key("b"), &vector(2.0))]);
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute("update vector set steps = x'01020304' where id = 1", []).unwrap();
    assert_eq!(cache.find(&[key("a"), key("b")]), [None, Some(vector(2.0))]);
    cache.keep(&[(key("a"), &vector(1.0))]);
    assert_eq!(cache.find(&[key("a")]), [Some(vector(1.0))], "made and kept again");
}

#[test]
fn a_table_that_is_gone_is_nothing_found() {
    let (_folder, path) = temporary_path();
    let cache = open(&path);
    rusqlite::Connection::open(&path).unwrap().execute("drop table vector", []).unwrap();
    assert_eq!(cache.find(&[key("a")]), [None]);
    cache.keep(&[(key("a"), &vector(1.0))]);
    assert_eq!(cache.find(&[key("a")]), [Some(vector(1.0))]);
}

#[test]
fn many_use_it_at_once() {
    let (_folder, path) = temporary_path();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let path = &path;
            scope.spawn(move || {
                let cache = open(path);
                for number in 0..20 {
                    cache.keep(&[(key(&format!("{thread} {number}")), &vector(1.0))]);
                }
            });
        }
    });
    let keys: Vec<_> =
        (0..6).flat_map(|t| (0..20).map(move |n| key(&format!("{t} {n}")))).collect();
    assert!(open(&path).find(&keys).iter().all(Option::is_some));
}

#[test]
fn a_place_that_cannot_be_written_is_an_error_with_its_path() {
    let (folder, _) = temporary_path();
    fs::write(folder.path().join("file"), "").unwrap();
    let error = EmbeddedVectorCache::open(&folder.path().join("file/vectors.db")).err().unwrap();
    assert!(error.to_string().contains("file"), "{error}");
}
