//! What holds for every fast parser, and what their tests share.

use crate::differential::{Outcome, Pair};
use crate::{FastParser, field_ids, go, kind_ids, rust};
use std::path::{Path, PathBuf};

/// The files below a folder with the extension.
pub(crate) fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn only_a_grammar_with_every_name_is_imitated() {
    let (go, rust) = (Pair::go().grammar, Pair::rust().grammar);
    assert!(FastParser::new("go", &go).is_some());
    assert!(FastParser::new("rust", &rust).is_some());
    assert!(FastParser::new("go", &rust).is_none());
    assert!(FastParser::new("rust", &go).is_none());
    assert!(FastParser::new("python", &go).is_none());
}

#[test]
fn one_missing_name_is_enough_to_fall_back() {
    let grammar = Pair::go().grammar;
    assert!(kind_ids(&["block", "call_expression"], &grammar).is_some());
    assert!(kind_ids(&["block", "no_such_kind"], &grammar).is_none());
    // Anonymous nodes have names too, but are no nodes of ours.
    assert!(kind_ids(&["func"], &grammar).is_none());
    assert_eq!(field_ids(&["", "name"], &grammar).map(|ids| ids[0]), Some(0));
    assert!(field_ids(&["", "name", "no_such_field"], &grammar).is_none());
}

#[test]
fn ids_are_the_grammars() {
    for (pair, kinds, fields) in
        [(Pair::go(), go::KINDS, go::FIELDS), (Pair::rust(), rust::KINDS, rust::FIELDS)]
    {
        let kind = |id: &u16| pair.grammar.node_kind_for_id(*id).unwrap();
        assert_eq!(pair.fast.kinds.iter().map(kind).collect::<Vec<_>>(), kinds);
        let field = |id: &u16| pair.grammar.field_name_for_id(*id).unwrap_or("");
        assert_eq!(pair.fast.fields.iter().map(field).collect::<Vec<_>>(), fields);
    }
}

#[test]
fn a_comparison_tells_equal_declined_and_invalid_apart() {
    let pair = Pair::go();
    assert_eq!(pair.compare("package p\n"), Outcome::Equal);
    assert_eq!(pair.compare("func f() {\n\ta[b]\n\t(c).d()\n}\n"), Outcome::Fallback);
    assert_eq!(pair.compare("func func\n"), Outcome::Invalid);
}

#[test]
fn a_comparison_finds_a_difference() {
    let mut pair = Pair::go();
    let (block, list) = (go::KINDS.iter(), go::KINDS.iter());
    let at =
        |mut names: std::slice::Iter<'_, &str>, name| names.position(|one| *one == name).unwrap();
    pair.fast.kinds.swap(at(block, "block"), at(list, "parameter_list"));
    let Outcome::Different(difference) = pair.compare("package p\n\nfunc f() {}\n") else {
        panic!("the trees differ");
    };
    assert!(difference.starts_with("line 3\n"), "{difference}");
    assert!(difference.contains("parameter_list"), "{difference}");
    assert!(pair.compare("package p\n\nfunc f() {}\n").is_mismatch());
}
