//! From bytes to facts.

use crate::detection::detect;
use crate::extract::{Extracted, extract};
use crate::language::{Compiled, Language, LanguageKind};
use crate::tree::Tree;
use crate::{chunking, document, overview, tags};
use groma_core::{FileFacts, ParseHealth, ParseStatus, RelPath};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};
use tree_sitter::{ParseOptions, ParseState, Parser};

/// A parse that takes longer is given up, and the file is indexed by lines.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a parse tells of a file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The language's row.
    pub language: &'static Language,
    /// What is stored.
    pub facts: FileFacts,
    /// The bytes that are comments or doc strings, ascending.
    pub comments: Vec<Range<usize>>,
}

/// Parses a file. Bytes that are not UTF-8 must have been replaced before: line numbers come from `text`.
pub fn parse(path: &RelPath, text: &str) -> Parsed {
    let language = detect(path, text.as_bytes());
    let line_starts = line_starts(text);
    let (mut extracted, health) = understand(language, path, text, &line_starts);
    let chunks = match language.kind {
        LanguageKind::Prose => {
            document::chunks(&extracted.symbols, &extracted.fences, text, &line_starts)
        }
        LanguageKind::Code | LanguageKind::Data => {
            chunking::chunks(&extracted, language.kind, text, &line_starts)
        }
    };
    let comments = std::mem::take(&mut extracted.comments);
    let tags = tags::tags(path, language, text);
    let mut facts = FileFacts {
        language: language.name.to_string(),
        health,
        line_count: line_starts.len() as u32,
        package: extracted.package.take(),
        symbols: extracted.symbols,
        references: extracted.references,
        imports: extracted.imports,
        chunks,
        tags,
    };
    facts.chunks.insert(0, overview::chunk(&facts));
    Parsed {
        language,
        facts,
        comments: comments.into_iter().map(|comment| comment.bytes).collect(),
    }
}

/// Symbols, references and imports, by grammar where there is one.
fn understand(
    language: &'static Language,
    path: &RelPath,
    text: &str,
    line_starts: &[usize],
) -> (Extracted, ParseHealth) {
    if let Some(scan) = language.scan {
        return (scan(text, line_starts), ParseHealth::ok());
    }
    let Some(compiled) = language.compiled() else {
        let reason = format!("no grammar for {}", language.name);
        return (Extracted::default(), ParseHealth::because(ParseStatus::NoGrammar, reason));
    };
    let readable = language.preprocess.map_or(Cow::Borrowed(text), |preprocess| preprocess(text));
    let deadline = Instant::now() + PATIENCE;
    let read = read_tree(compiled, &readable, line_starts, deadline);
    let extracted = read.and_then(|(tree, health)| {
        Some((extract(language, compiled, path, &tree, text, deadline)?, health))
    });
    extracted.unwrap_or_else(|| {
        let reason = format!("parsing took longer than {} s", PATIENCE.as_secs());
        (Extracted::default(), ParseHealth::because(ParseStatus::Error, reason))
    })
}

/// The tree of a text and how well the grammar fits, by our own parser where there is one and it understands
/// everything, else by tree-sitter's.
fn read_tree<'a>(
    compiled: &'a Compiled,
    text: &str,
    line_starts: &'a [usize],
    deadline: Instant,
) -> Option<(Tree<'a>, ParseHealth)> {
    if let Some(tree) =
        compiled.own.as_ref().and_then(|own| own.tree(text, &compiled.grammar, line_starts))
    {
        return Some((tree, ParseHealth::ok()));
    }
    let parsed = parse_tree(compiled, text, deadline)?;
    let tree = compiled.query.tree(&parsed, &compiled.grammar, line_starts, deadline)?;
    Some((tree, health(&parsed)))
}

thread_local! {
    /// A parser keeps its stacks and some nodes for the next file.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

fn parse_tree(compiled: &Compiled, text: &str, deadline: Instant) -> Option<tree_sitter::Tree> {
    PARSER.with_borrow_mut(|parser| parse_with(parser, compiled, text, deadline))
}

fn parse_with(
    parser: &mut Parser,
    compiled: &Compiled,
    text: &str,
    deadline: Instant,
) -> Option<tree_sitter::Tree> {
    // One that gave up would go on with that file.
    parser.reset();
    parser
        .set_language(&compiled.grammar)
        .expect("every grammar of the table fits this tree-sitter");
    let mut give_up = |_: &ParseState| {
        if Instant::now() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| &bytes[at.min(bytes.len())..];
    let options = ParseOptions::new().progress_callback(&mut give_up);
    parser.parse_with_options(&mut read, None, Some(options))
}

fn health(tree: &tree_sitter::Tree) -> ParseHealth {
    let root = tree.root_node();
    if !root.has_error() {
        return ParseHealth::ok();
    }
    let at = first_error(root).map_or(1, |node| node.start_position().row + 1);
    let status = if root.is_error() { ParseStatus::Error } else { ParseStatus::Partial };
    ParseHealth::because(status, format!("syntax error at line {at}"))
}

/// The first place the grammar does not fit; only branches that hold an error are entered.
fn first_error(root: tree_sitter::Node<'_>) -> Option<tree_sitter::Node<'_>> {
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            return Some(node);
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return None;
            }
        }
    }
}

/// The byte at which each line starts. A final line end does not begin another line.
pub fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    if starts.len() > 1 && *starts.last().expect("not empty") == text.len() {
        starts.pop();
    }
    starts
}

/// The text of lines `start..=end`, 1-based, with their line ends.
pub(crate) fn lines_text<'t>(text: &'t str, starts: &[usize], start: u32, end: u32) -> &'t str {
    let from = starts.get(start as usize - 1).copied().unwrap_or(text.len());
    let to = starts.get(end as usize).copied().unwrap_or(text.len());
    &text[from..to]
}
