//! A segment file of any bytes is an error or answers; it never panics, hangs or asks for much memory.
//!
//! An input is a kind and either a whole file or changes of a valid one. Checksums detect nearly every change, so some
//! kinds compute them again: then the header and the rows behind it are what is tested. Behind its checksum the term
//! dictionary is trusted: `fst` checks its bytes only as a whole.
#![no_main]

use groma_core::{RefName, Store};
use groma_store::EmbeddedStore;
use groma_testkit::answers::answers;
use groma_testkit::{Tree, pipeline};
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;
use tempfile::TempDir;

const PROJECT: &str = "\
//- src/pool.rs
/// A pool of connections.
pub struct Pool;
impl Pool {
    pub fn connect(&self) -> Config { parse(self) }
}
//- user/user.go
package user

// GetUser finds a user.
func GetUser(id int) string { return \"user\" }
//- README.md
# Parse the config

How to retry.
";

// The header: see `sections.rs` of groma-store.
const NUMBERS: usize = 24;
const SECTIONS: usize = 12;
const SECTION_ROW: usize = 24;
const SUMS: usize = NUMBERS + SECTIONS * SECTION_ROW;
const BLOCK: usize = 16 << 10;
/// The section of the term dictionary.
const TERMS: usize = 4;

/// An index with one segment.
struct Index {
    folder: TempDir,
    segment: PathBuf,
    bytes: Vec<u8>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = EmbeddedStore::open(folder.path(), pipeline()).expect("a store");
    Tree::parse(PROJECT).commit(&store, &RefName::live()).expect("a commit");
    let mut segments = fs::read_dir(folder.path().join("segments")).expect("segments");
    let segment = segments.next().expect("one segment").expect("an entry").path();
    let bytes = fs::read(&segment).expect("a segment");
    let index = Index { folder, segment, bytes };
    assert!(index.answers(&index.bytes), "the segment is valid before it is changed");
    index
});

impl Index {
    /// Asks everything of the index with another segment; whether it answered.
    fn answers(&self, bytes: &[u8]) -> bool {
        // A mapped file must not change, so it is replaced.
        let draft = self.segment.with_extension("draft");
        fs::write(&draft, bytes).and_then(|()| fs::rename(&draft, &self.segment)).expect("a file");
        let store = EmbeddedStore::open(self.folder.path(), pipeline()).expect("a store");
        let verified = store.verify().is_ok();
        let Ok(Some(snapshot)) = store.snapshot(&RefName::live()) else { return false };
        answers(&*snapshot).is_ok() && verified
    }
}

/// Each change is two bytes of position and one to write there.
fn change(bytes: &mut [u8], changes: &[u8]) {
    for [high, low, value] in changes.as_chunks::<3>().0 {
        let position = usize::from(u16::from_be_bytes([*high, *low])) % bytes.len();
        bytes[position] = *value;
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?) as usize)
}

/// Undoes the changes of the term dictionary and of its place.
fn restore_terms(bytes: &mut [u8], from: &[u8]) {
    let row = NUMBERS + TERMS * SECTION_ROW;
    bytes[row..row + SECTION_ROW].copy_from_slice(&from[row..row + SECTION_ROW]);
    if let [Some(start), Some(length)] = [row, row + 8].map(|at| number(from, at)) {
        bytes[start..start + length].copy_from_slice(&from[start..start + length]);
    }
}

/// Computes the checksum of every block again.
fn seal_blocks(bytes: &mut [u8]) {
    for row in (0..SECTIONS).map(|section| NUMBERS + section * SECTION_ROW) {
        let [Some(start), Some(length), Some(first)] =
            [row, row + 8, row + 16].map(|at| number(bytes, at))
        else {
            return;
        };
        let Some(section) = start.checked_add(length).and_then(|end| bytes.get(start..end)) else {
            continue;
        };
        let sums: Vec<[u8; 4]> = section
            .chunks(BLOCK)
            .map(|block| blake3::hash(block).as_bytes()[..4].try_into().expect("four bytes"))
            .collect();
        for (block, sum) in sums.iter().enumerate() {
            let at = first.saturating_add(block).saturating_mul(4).saturating_add(SUMS);
            if let Some(stored) = at.checked_add(4).and_then(|end| bytes.get_mut(at..end)) {
                stored.copy_from_slice(sum);
            }
        }
    }
}

/// Computes the checksum of the header again.
fn seal_header(bytes: &mut [u8]) {
    let Some(blocks) = bytes.get(20..24) else { return };
    let end = SUMS + u32::from_le_bytes(blocks.try_into().expect("four bytes")) as usize * 4;
    let Some(header) = bytes.get(..end) else { return };
    let sum = blake3::hash(header);
    if let Some(stored) = bytes.get_mut(end..end + 8) {
        stored.copy_from_slice(&sum.as_bytes()[..8]);
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((kind, rest)) = input.split_first() else { return };
    if kind % 4 == 0 {
        INDEX.answers(rest);
        return;
    }
    let mut bytes = INDEX.bytes.clone();
    change(&mut bytes, rest);
    if kind % 4 >= 2 {
        restore_terms(&mut bytes, &INDEX.bytes);
        if kind % 4 == 3 {
            seal_blocks(&mut bytes);
        }
        seal_header(&mut bytes);
    }
    let answered = INDEX.answers(&bytes);
    assert!(kind % 4 != 1 || !answered || bytes == INDEX.bytes, "a change was not noticed");
});
