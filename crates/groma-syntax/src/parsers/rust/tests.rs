//! Our parser of Rust beside the grammar.

use super::super::tests::{Ours, compare_folder};
use super::{FIELDS, KINDS, parse};

const OURS: Ours = Ours {
    parse,
    kinds: KINDS,
    fields: FIELDS,
    grammar: || tree_sitter_rust::LANGUAGE.into(),
};

#[test]
#[ignore = "for a folder of one's own: RUST_FOLDER=path"]
fn a_folder() {
    let folder = std::env::var("RUST_FOLDER").unwrap();
    println!("{:?}", compare_folder(&OURS, folder.as_ref(), "rs"));
}
