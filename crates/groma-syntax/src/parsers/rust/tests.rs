//! Our parser of Rust beside the grammar.

use super::super::tests::{Ours, compare_folder, files};
use super::{FIELDS, KINDS, parse};

const OURS: Ours =
    Ours { parse, kinds: KINDS, fields: FIELDS, grammar: || tree_sitter_rust::LANGUAGE.into() };

#[test]
#[ignore = "for a folder of one's own: RUST_FOLDER=path"]
fn a_folder() {
    let folder = std::env::var("RUST_FOLDER").unwrap();
    println!("{:?}", compare_folder(&OURS, folder.as_ref(), "rs"));
}

#[test]
#[ignore = "for a folder of one's own: RUST_FOLDER=path"]
fn speed_over_a_folder() {
    let folder = std::env::var("RUST_FOLDER").unwrap();
    let texts: Vec<String> = files(folder.as_ref(), "rs")
        .iter()
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .collect();
    let bytes = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
    let timed = |name: &str, parse: &mut dyn FnMut(&str) -> bool| {
        let start = std::time::Instant::now();
        let parsed: usize = texts.iter().filter(|text| parse(text)).map(String::len).sum();
        let seconds = start.elapsed().as_secs_f64();
        let share = parsed as f64 / 1e4 / bytes;
        println!("{name}: {bytes:.0} MB, {share:.2} % known, {:.1} MB/s", bytes / seconds);
    };
    timed("ours", &mut |text| parse(text).is_some());
    timed("ours", &mut |text| parse(text).is_some());
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&(OURS.grammar)()).unwrap();
    timed("tree-sitter", &mut |text| parser.parse(text, None).is_some());
}

#[test]
#[ignore = "for files of one's own: RUST_FILES=path:path"]
fn where_it_is_left_to_the_grammar() {
    for path in std::env::var("RUST_FILES").unwrap().split(':') {
        let text = std::fs::read_to_string(path).unwrap();
        let mut parser = super::Parser::new(&text);
        if parser.source_file().is_none() {
            let line = text[..parser.start].matches('\n').count();
            let words = text.lines().nth(line).unwrap_or_default();
            println!("{path}:{}: {:?} in {words}", line + 1, parser.token);
        }
    }
}
