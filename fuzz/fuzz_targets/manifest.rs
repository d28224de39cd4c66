//! A ledger of any bytes, with its heads and manifests, is an error or answers; it never panics or hangs.
//!
//! An input is a whole file, or changes of a valid one: two bytes of position and one to write there.
#![no_main]

use groma_core::{RefName, Store};
use groma_store::EmbeddedStore;
use groma_testkit::{Tree, pipeline};
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::sync::LazyLock;
use tempfile::TempDir;

const PROJECT: &str = "\
//- src/pool.rs
pub struct Pool;
//- user/user.go
package user
//- README.md
# Parse the config
";

/// A folder with an index, and the bytes of its ledger.
static INDEX: LazyLock<(TempDir, Vec<u8>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = EmbeddedStore::open(folder.path(), pipeline()).expect("a store");
    Tree::parse(PROJECT).commit(&store, &RefName::live()).expect("a commit");
    drop(store);
    let bytes = fs::read(folder.path().join("index.db")).expect("a ledger");
    (folder, bytes)
});

fuzz_target!(|input: &[u8]| {
    let (folder, valid) = &*INDEX;
    let Some((kind, rest)) = input.split_first() else { return };
    let mut bytes = valid.clone();
    if kind % 8 == 0 {
        bytes = rest.to_vec();
    } else {
        for [high, low, value] in rest.as_chunks::<3>().0 {
            let position = usize::from(u16::from_be_bytes([*high, *low])) % bytes.len();
            bytes[position] = *value;
        }
    }
    let ledger = folder.path().join("index.db");
    for name in ["index.db-wal", "index.db-shm"] {
        let _ = fs::remove_file(folder.path().join(name));
    }
    fs::write(&ledger, &bytes).expect("a file");
    let Ok(store) = EmbeddedStore::open(folder.path(), pipeline()) else { return };
    let _ = store.refs();
    if let Ok(Some(snapshot)) = store.snapshot(&RefName::live()) {
        for path in snapshot.manifest().files.keys() {
            assert!(!path.as_str().is_empty());
        }
    }
});
