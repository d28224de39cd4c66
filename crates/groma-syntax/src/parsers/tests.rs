//! Our parsers beside the grammars.

use super::Node;
use tree_sitter::{Language as Grammar, Parser, Tree, TreeCursor};

/// A parser of ours with its names.
pub(super) struct Ours {
    pub parse: fn(&str) -> Option<Vec<Node>>,
    pub kinds: &'static [&'static str],
    /// The first is for no field.
    pub fields: &'static [&'static str],
    pub grammar: fn() -> Grammar,
}

/// What came of a comparison.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    Same,
    /// Ours leaves it to the grammar, which finds no mistake.
    LeftToTheGrammar,
    /// The grammar finds a mistake.
    Mistaken {
        ours_too: bool,
    },
    /// The first line that differs, with some before it.
    Different(String),
}

pub(super) fn compare(ours: &Ours, text: &str) -> Outcome {
    let tree = tree(&(ours.grammar)(), text);
    let list = (ours.parse)(text);
    if tree.root_node().has_error() {
        return Outcome::Mistaken { ours_too: list.is_none() };
    }
    let Some(list) = list else { return Outcome::LeftToTheGrammar };
    let (expected, actual) = (drawn(&tree), drawn_list(ours, &list));
    let differs =
        (0..expected.len().max(actual.len())).find(|at| expected.get(*at) != actual.get(*at));
    let Some(at) = differs else { return Outcome::Same };
    let before = expected[at.saturating_sub(8)..at].join("\n");
    let (should, is) = (expected.get(at), actual.get(at));
    let byte =
        should.or(is).and_then(|line| line.rsplit(' ').next()?.split('-').next()?.parse().ok());
    let line = text[..byte.unwrap_or(0)].matches('\n').count() + 1;
    Outcome::Different(format!("line {line}\n{before}\nshould be {should:?}\nis        {is:?}"))
}

fn tree(grammar: &Grammar, text: &str) -> Tree {
    crate::memory::prepare();
    let mut parser = Parser::new();
    parser.set_language(grammar).unwrap();
    parser.parse(text, None).unwrap()
}

/// Each named node as `field: kind start-end`, indented.
fn drawn(tree: &Tree) -> Vec<String> {
    fn draw(cursor: &mut TreeCursor<'_>, depth: usize, lines: &mut Vec<String>) {
        let node = cursor.node();
        if !node.is_named() {
            return;
        }
        let field = cursor.field_name().map_or(String::new(), |field| format!("{field}: "));
        let (kind, bytes) = (node.kind(), node.byte_range());
        lines.push(format!("{}{field}{kind} {}-{}", " ".repeat(depth), bytes.start, bytes.end));
        if cursor.goto_first_child() {
            loop {
                draw(cursor, depth + 1, lines);
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
            cursor.goto_parent();
        }
    }
    let mut lines = Vec::new();
    draw(&mut tree.walk(), 0, &mut lines);
    lines
}

fn drawn_list(ours: &Ours, list: &[Node]) -> Vec<String> {
    let mut open: Vec<usize> = Vec::new();
    let line = |(at, node): (usize, &Node)| {
        while open.last().is_some_and(|end| *end <= at) {
            open.pop();
        }
        let field = match node.field {
            0 => String::new(),
            field => format!("{}: ", ours.fields[usize::from(field)]),
        };
        let kind = ours.kinds[usize::from(node.kind)];
        let line = format!("{}{field}{kind} {}-{}", " ".repeat(open.len()), node.start, node.end);
        open.push(at + node.size as usize);
        line
    };
    list.iter().enumerate().map(line).collect()
}

/// The files below a folder with the ending.
pub(super) fn files(folder: &std::path::Path, ending: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type().unwrap());
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|e| e == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Compares all files of a folder, says what differs and counts what came of it.
pub(super) fn compare_folder(ours: &Ours, folder: &std::path::Path, ending: &str) -> [usize; 5] {
    let mut counts = [0; 5];
    for path in files(folder, ending) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if text.len() > 1_000_000 {
            continue;
        }
        let at = match compare(ours, &text) {
            Outcome::Same => 0,
            Outcome::LeftToTheGrammar => {
                println!("{}: left to the grammar", path.display());
                1
            }
            Outcome::Mistaken { ours_too: true } => 2,
            Outcome::Mistaken { ours_too: false } => {
                println!("{}: wrong for the grammar alone", path.display());
                3
            }
            Outcome::Different(how) => {
                println!("{}: {how}", path.display());
                4
            }
        };
        counts[at] += 1;
    }
    counts
}

/// The folder that the environment names.
pub(super) fn folder() -> std::path::PathBuf {
    std::env::var_os("GROMA_SOURCES").expect("GROMA_SOURCES names a folder").into()
}

const ALL: [(Ours, &str); 2] = [(super::go::tests::OURS, "go"), (super::rust::tests::OURS, "rs")];

#[test]
fn the_grammars_know_every_name() {
    crate::memory::prepare();
    for (name, ours) in [("go", &ALL[0].0), ("rust", &ALL[1].0)] {
        let own = super::Own::of(name, &(ours.grammar)()).expect("a parser of ours");
        let unknown = own.kinds.iter().zip(ours.kinds).filter(|(id, _)| **id == 0);
        assert_eq!(unknown.map(|(_, kind)| kind).collect::<Vec<_>>(), Vec::<&&str>::new());
        let unknown = own.fields.iter().zip(ours.fields).skip(1).filter(|(id, _)| **id == 0);
        assert_eq!(unknown.map(|(_, field)| field).collect::<Vec<_>>(), Vec::<&&str>::new());
    }
}

#[test]
#[ignore = "reads the folder that GROMA_SOURCES names"]
fn real_code_gives_the_same_trees() {
    for (ours, ending) in &ALL {
        let counts = compare_folder(ours, &folder(), ending);
        println!(
            "same, left to the grammar, both mistaken, wrong for the grammar alone, different"
        );
        println!("{ending}: {counts:?}");
        assert_eq!(counts[4], 0);
    }
}

#[test]
#[ignore = "measures on the folder that GROMA_SOURCES names"]
fn speed_beside_the_grammars() {
    crate::memory::prepare();
    for (ours, ending) in &ALL {
        let read = |path| std::fs::read_to_string(path).ok();
        let texts: Vec<String> = files(&folder(), ending).into_iter().filter_map(read).collect();
        let size = texts.iter().map(String::len).sum::<usize>() as f64 / 1e6;
        let timed = |name: &str, parse: &mut dyn FnMut(&str) -> bool| {
            let start = std::time::Instant::now();
            let known: usize = texts.iter().filter(|text| parse(text)).map(String::len).sum();
            let (speed, share) = (size / start.elapsed().as_secs_f64(), known as f64 / 1e4 / size);
            println!("{ending}, {name}: {size:.0} MB, {share:.2} % known, {speed:.1} MB/s");
        };
        timed("ours", &mut |text| (ours.parse)(text).is_some());
        let mut parser = Parser::new();
        parser.set_language(&(ours.grammar)()).unwrap();
        timed("the grammar's", &mut |text| parser.parse(text, None).is_some());
    }
}
