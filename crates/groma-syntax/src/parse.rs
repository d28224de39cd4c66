//! Parsing: from the text of a file to its facts.

use crate::compiled::Compiled;
use crate::deadline::Deadline;
use crate::detection::detect;
use crate::extract::{Extracted, extract};
use crate::language::{Language, LanguageKind};
use crate::lines::line_starts;
use crate::parsed::Parsed;
use crate::sections::Document;
use crate::tree::Tree;
use crate::{chunking, document, fast, isolation, overview, tags};
use groma_core::{FileFacts, ParseHealth, ParseStatus, RelPath};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::ControlFlow;
use std::time::Duration;
use tree_sitter::{ParseOptions, ParseState, Parser};

/// A parse that takes more CPU time than this and [`TIMEOUT_PER_BYTE`] is given up, and the file is indexed by lines until
/// another attempt succeeds. Grammars recover from some errors in quadratic time (an unclosed comment is looked for from
/// each of its starts); with a limit in proportion to the file, a tree of such files takes time in proportion to its size.
const BASE_TIMEOUT: Duration = Duration::from_secs(1);

/// Several times what the slowest grammar needs for sound text.
const TIMEOUT_PER_BYTE: Duration = Duration::from_micros(4);

/// The limit for a text of any size, below that of a worker.
const MAX_TIMEOUT: Duration = Duration::from_secs(5);

/// The most CPU time that a parse of a text may take.
fn timeout(text: &str) -> Duration {
    let timeout = BASE_TIMEOUT + TIMEOUT_PER_BYTE * u32::try_from(text.len()).unwrap_or(u32::MAX);
    timeout.min(MAX_TIMEOUT)
}

/// Parses a file. Bytes that are not UTF-8 must have been replaced before: line numbers come from `text`.
pub fn parse(path: &RelPath, text: &str) -> Parsed {
    let language = detect(path, text.as_bytes());
    let host = isolation::host().filter(|_| language.scan.is_none() && language.has_grammar());
    let Some(host) = host else {
        return parse_by(language, path, text, Engine::Fastest);
    };
    if fast::is_supported(language.name) {
        let line_starts = line_starts(text);
        let parsed = analyse(language, path, text, &line_starts, Engine::HandWritten);
        if let Some((extracted, health)) = parsed {
            return facts(language, path, text, &line_starts, extracted, health);
        }
    }
    host.parse(path, text).unwrap_or_else(|error| by_lines(language, path, text, error.health()))
}

/// As [`parse`], but without hand-written parsers and in this process: for tests and benchmarks that compare the two.
pub fn parse_by_grammar(path: &RelPath, text: &str) -> Parsed {
    parse_by(detect(path, text.as_bytes()), path, text, Engine::Grammar)
}

/// What may parse a text.
#[derive(Clone, Copy, PartialEq)]
enum Engine {
    /// The hand-written parser of the language, else the grammar.
    Fastest,
    /// Only the hand-written parser.
    HandWritten,
    /// Only the grammar.
    Grammar,
}

fn parse_by(language: &'static Language, path: &RelPath, text: &str, engine: Engine) -> Parsed {
    let line_starts = line_starts(text);
    match analyse(language, path, text, &line_starts, engine) {
        Some((extracted, health)) => facts(language, path, text, &line_starts, extracted, health),
        None => {
            let limit = timeout(text).as_secs_f32();
            let reason = format!("parsing took longer than {limit:.1} s of CPU time");
            let health = ParseHealth::because(ParseStatus::Interrupted, reason);
            by_lines(language, path, text, health)
        }
    }
}

/// The facts of a file that was not parsed.
fn by_lines(
    language: &'static Language,
    path: &RelPath,
    text: &str,
    health: ParseHealth,
) -> Parsed {
    facts(language, path, text, &line_starts(text), Extracted::default(), health)
}

/// Makes chunks and facts of what was extracted.
fn facts(
    language: &'static Language,
    path: &RelPath,
    text: &str,
    line_starts: &[usize],
    mut extracted: Extracted,
    health: ParseHealth,
) -> Parsed {
    let chunks = match language.kind {
        LanguageKind::Prose => {
            document::chunks(&extracted.symbols, &extracted.fences, text, line_starts)
        }
        LanguageKind::Code | LanguageKind::Data => {
            chunking::chunks(&extracted, language.kind, text, line_starts)
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
        links: extracted.links,
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

/// Symbols, references and imports, by grammar where there is one. `None` if the deadline passed, or if the hand-written
/// parser declines and nothing else may parse.
fn analyse(
    language: &'static Language,
    path: &RelPath,
    text: &str,
    line_starts: &[usize],
    engine: Engine,
) -> Option<(Extracted, ParseHealth)> {
    if let Some(scan) = language.scan {
        let Document { sections, fences } = scan(text);
        let extracted = Extracted { symbols: sections, fences, ..Extracted::default() };
        return Some((extracted, ParseHealth::ok()));
    }
    let Some(compiled) = language.compiled() else {
        let reason = format!("no grammar for {}", language.name);
        let health = ParseHealth::because(ParseStatus::NoGrammar, reason);
        return Some((Extracted::default(), health));
    };
    let readable = language.preprocess.map_or(Cow::Borrowed(text), |preprocess| preprocess(text));
    let deadline = Deadline::after(timeout(text));
    let fast = compiled.fast.as_ref().filter(|_| engine != Engine::Grammar);
    let tree = fast
        .and_then(|parser| fast::tree(parser, &readable, &compiled.grammar, line_starts))
        .map(|tree| (tree, ParseHealth::ok()));
    let (tree, health) = match tree {
        None if engine != Engine::HandWritten => {
            grammar_tree(compiled, &readable, line_starts, &deadline)?
        }
        tree => tree?,
    };
    Some((extract(language, compiled, path, &tree, text, &deadline)?, health))
}

/// The grammar's tree of a text, and how well the text fits the grammar.
fn grammar_tree<'a>(
    compiled: &'a Compiled,
    text: &str,
    line_starts: &'a [usize],
    deadline: &Deadline,
) -> Option<(Tree<'a>, ParseHealth)> {
    let parsed = parse_tree(compiled, text, deadline)?;
    let tree = compiled.query.tree(&parsed, &compiled.grammar, line_starts, deadline)?;
    Some((tree, health(&parsed)))
}

thread_local! {
    /// A parser keeps its stacks and some nodes for the next file.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

fn parse_tree(compiled: &Compiled, text: &str, deadline: &Deadline) -> Option<tree_sitter::Tree> {
    PARSER.with_borrow_mut(|parser| parse_with(parser, compiled, text, deadline))
}

fn parse_with(
    parser: &mut Parser,
    compiled: &Compiled,
    text: &str,
    deadline: &Deadline,
) -> Option<tree_sitter::Tree> {
    // A parser that was interrupted would resume the interrupted file.
    parser.reset();
    parser
        .set_language(&compiled.grammar)
        .expect("every grammar of the table fits this tree-sitter");
    let mut interrupt = |_: &ParseState| {
        if deadline.has_passed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let bytes = text.as_bytes();
    let mut read = |at: usize, _| &bytes[at.min(bytes.len())..];
    let options = ParseOptions::new().progress_callback(&mut interrupt);
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

/// The first error or missing node; only subtrees that contain one are entered.
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
