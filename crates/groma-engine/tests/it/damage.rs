//! A corrupt index is rebuilt, with a note to the user.

use crate::show::everything;
use groma_engine::{IndexReport, SearchRequest};
use groma_testkit::{Keep, Sandbox};
use std::fs;
use std::path::PathBuf;

fn project() -> Sandbox {
    let sandbox = Sandbox::new("//- docs/guide.md\n# Pool\n\nOf connections.\n");
    for number in 0..8 {
        let text = format!(
            "/// Gets a user of the pool.\npub fn get_user_{number}() {{ connect(pool) }}\n"
        );
        sandbox.write(&format!("src/file{number}.rs"), text);
    }
    sandbox.index();
    sandbox
}

fn parts(sandbox: &Sandbox) -> Vec<PathBuf> {
    let folder = sandbox.index_folder().join("segments");
    let parts: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!parts.is_empty());
    parts
}

fn assert_rebuilt(report: &IndexReport) {
    assert!(report.notes.iter().any(|note| note.contains("damaged")), "{:?}", report.notes);
    assert_eq!((report.files, report.added, report.parsed, report.unchanged), (9, 9, 9, 0));
    assert!(report.chunks >= 9 && report.symbols >= 8 && report.bytes > 0, "{report:?}");
}

/// Closes the index, damages it, opens it again.
fn damaged(damage: impl FnOnce(&Sandbox)) -> (Sandbox, String) {
    let mut sandbox = project();
    let before = everything(sandbox.engine());
    sandbox.reopen(|setup| setup.keep = Keep::InMemory);
    damage(&sandbox);
    sandbox.reopen(|setup| setup.keep = Keep::OnDisk);
    (sandbox, before)
}

#[test]
fn a_part_cut_short() {
    let (sandbox, before) = damaged(|sandbox| {
        for part in parts(sandbox) {
            let length = fs::metadata(&part).unwrap().len();
            fs::File::options().write(true).open(part).unwrap().set_len(length / 2).unwrap();
        }
    });
    assert_rebuilt(&sandbox.index());
    assert_eq!(everything(sandbox.engine()), before);
    assert!(sandbox.index().notes.is_empty(), "told once");
}

#[test]
fn a_part_overwritten_while_it_is_open() {
    let sandbox = project();
    sandbox.search("get_user_1");
    for part in parts(&sandbox) {
        let length = fs::metadata(&part).unwrap().len() as usize;
        let mut file = fs::File::options().write(true).open(part).unwrap();
        std::io::Write::write_all(&mut file, &vec![0x7f; length]).unwrap();
    }
    for query in ["get_user_3", "get_user_4"] {
        let answer = sandbox.search(query);
        assert!(answer.hits[0].content.contains(query), "{query}: {answer:?}");
    }
}

#[test]
fn a_part_gone() {
    let (sandbox, before) = damaged(|sandbox| {
        parts(sandbox).into_iter().for_each(|part| fs::remove_file(part).unwrap())
    });
    assert_rebuilt(&sandbox.index());
    assert_eq!(everything(sandbox.engine()), before);
}

#[test]
fn a_part_altered_where_only_a_search_looks() {
    let expected = crate::show::exact(&project().search("get_user_3"));
    for tenth in 0..10 {
        let (sandbox, _) = damaged(|sandbox| {
            for part in parts(sandbox) {
                let mut bytes = fs::read(&part).unwrap();
                let at = bytes.len() * tenth / 10;
                bytes[at] ^= 0xff;
                fs::write(part, bytes).unwrap();
            }
        });
        let answer = sandbox.ask(&SearchRequest::new("get_user_3"));
        assert_eq!(crate::show::exact(&answer), expected, "altered at {tenth} tenths");
    }
}

#[test]
fn a_search_says_that_the_index_was_damaged() {
    let (sandbox, _) = damaged(|sandbox| {
        parts(sandbox).into_iter().for_each(|part| fs::write(part, "nothing").unwrap())
    });
    let answer = sandbox.search("get_user_3");
    assert_eq!(answer.hits[0].path.as_str(), "src/file3.rs");
    assert!(answer.notes.iter().any(|note| note.contains("damaged")), "{:?}", answer.notes);
}

#[test]
fn a_database_of_garbage() {
    let garbage = "this was never a database, but it is long enough to look like one. ".repeat(200);
    let (sandbox, before) =
        damaged(|sandbox| fs::write(sandbox.index_folder().join("index.db"), &garbage).unwrap());
    let report = sandbox.index();
    assert_eq!((report.files, report.parsed), (9, 9));
    assert_eq!(everything(sandbox.engine()), before);
}

#[test]
fn a_database_turned_to_garbage_while_it_is_open() {
    let sandbox = project();
    let before = everything(sandbox.engine());
    for name in ["index.db", "index.db-wal"] {
        let path = sandbox.index_folder().join(name);
        if path.exists() {
            fs::write(path, "garbage ".repeat(4096)).unwrap();
        }
    }
    sandbox.index();
    assert_eq!(everything(sandbox.engine()), before);
    assert_eq!(sandbox.search("get_user_3").hits[0].path.as_str(), "src/file3.rs");
}

#[test]
fn an_index_removed_while_it_is_open() {
    let sandbox = project();
    let before = everything(sandbox.engine());
    fs::remove_dir_all(sandbox.index_folder()).unwrap();
    assert_eq!(sandbox.index().parsed, 9);
    assert_eq!(everything(sandbox.engine()), before);
}
