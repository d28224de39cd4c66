//! The parser beside the grammar.

use super::super::tests::{Ours, Outcome, compare, compare_folder, files};
use super::{FIELDS, KINDS, parse};
use std::path::PathBuf;

const OURS: Ours =
    Ours { parse, kinds: KINDS, fields: FIELDS, grammar: || tree_sitter_go::LANGUAGE.into() };

/// The folders that the environment names.
fn folders() -> Vec<PathBuf> {
    let named = std::env::var_os("GROMA_GO_SOURCES").expect("GROMA_GO_SOURCES names folders");
    std::env::split_paths(&named).collect()
}

#[test]
#[ignore = "reads the folders that GROMA_GO_SOURCES names"]
fn real_code_gives_the_same_tree() {
    let mut total = [0; 5];
    for folder in folders() {
        let counts = compare_folder(&OURS, &folder, "go");
        println!("{}: {counts:?}", folder.display());
        for (sum, count) in total.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    println!("same, left to the grammar, both mistaken, wrong for the grammar alone, different");
    println!("{total:?}");
    assert_eq!(total[4], 0);
}

#[test]
#[ignore = "measures on the folders that GROMA_GO_SOURCES names"]
fn speed_beside_the_grammar() {
    crate::memory::prepare();
    let paths = folders().into_iter().flat_map(|folder| files(&folder, "go"));
    let texts: Vec<String> =
        paths.filter_map(|path| std::fs::read_to_string(path).ok()).take(20_000).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let speed = |name: &str, work: &mut dyn FnMut(&str)| {
        let begin = std::time::Instant::now();
        texts.iter().for_each(|text| work(text));
        println!("{name}: {:.1} MB/s", bytes as f64 / 1e6 / begin.elapsed().as_secs_f64());
    };
    let mut left = 0;
    for _ in 0..3 {
        speed("ours", &mut |text| {
            let list = parse(text);
            left += if list.is_none() { text.len() } else { 0 };
            std::hint::black_box(list);
        });
    }
    println!("left to the grammar: {:.3} % of bytes", left as f64 / 3.0 * 100.0 / bytes as f64);
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&(OURS.grammar)()).unwrap();
    speed("the grammar", &mut |text| {
        std::hint::black_box(parser.parse(text, None));
    });
}
