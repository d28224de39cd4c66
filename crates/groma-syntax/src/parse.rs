//! Parsing: from the text of a file to its facts.

use crate::extract::{Extracted, extract};
use crate::language::{Compiled, Language, Role, detect};
use crate::tree::Tree;
use crate::{chunking, document, fast, overview, tags};
use groma_core::{FileFacts, ParseHealth, ParseStatus, RelPath};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};
use tree_sitter::{ParseOptions, ParseState, Parser};

/// A parse that takes longer is given up, and the file is indexed by lines.
const PARSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The result of parsing a file.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The language's row.
    pub language: &'static Language,
    /// The facts that an index stores.
    pub facts: FileFacts,
    /// The bytes that are comments or doc strings, ascending.
    pub comments: Vec<Range<usize>>,
}

/// Parses a file. Bytes that are not UTF-8 must have been replaced before: line numbers come from `text`.
pub fn parse(path: &RelPath, text: &str) -> Parsed {
    parse_by(path, text, Engine::Fastest)
}

/// As [`parse`], but without hand-written parsers: for tests and benchmarks that compare the two.
pub fn parse_by_grammar(path: &RelPath, text: &str) -> Parsed {
    parse_by(path, text, Engine::Grammar)
}

/// What may parse a text.
#[derive(Clone, Copy, PartialEq)]
enum Engine {
    /// The hand-written parser of the language, else the grammar.
    Fastest,
    /// Only the grammar.
    Grammar,
}

fn parse_by(path: &RelPath, text: &str, engine: Engine) -> Parsed {
    let language = detect(path, text.as_bytes());
    let line_starts = line_starts(text);
    let (mut extracted, health) = analyse(language, path, text, &line_starts, engine);
    let chunks = match language.role {
        Role::Prose => document::chunks(&extracted.symbols, &extracted.fences, text, &line_starts),
        Role::Code | Role::Data => chunking::chunks(&extracted, language.role, text, &line_starts),
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
fn analyse(
    language: &'static Language,
    path: &RelPath,
    text: &str,
    line_starts: &[usize],
    engine: Engine,
) -> (Extracted, ParseHealth) {
    match language.name {
        "markdown" => return (document::markdown(text, line_starts), ParseHealth::ok()),
        "rst" => return (document::restructured(text, line_starts), ParseHealth::ok()),
        _ => {}
    }
    let Some(compiled) = language.compiled() else {
        let reason = format!("no grammar for {}", language.name);
        return (Extracted::default(), ParseHealth::because(ParseStatus::NoGrammar, reason));
    };
    let readable =
        if matches!(language.name, "c" | "cpp") { hide_macros(text) } else { text.into() };
    let deadline = Instant::now() + PARSE_TIMEOUT;
    let fast = compiled.fast.as_ref().filter(|_| engine == Engine::Fastest);
    let tree = fast
        .and_then(|parser| fast::tree(parser, &readable, &compiled.grammar, line_starts))
        .map(|tree| (tree, ParseHealth::ok()))
        .or_else(|| grammar_tree(compiled, &readable, line_starts, deadline));
    let extracted = tree.and_then(|(tree, health)| {
        Some((extract(language, compiled, path, &tree, text, deadline)?, health))
    });
    extracted.unwrap_or_else(|| {
        let reason = format!("parsing took longer than {} s", PARSE_TIMEOUT.as_secs());
        (Extracted::default(), ParseHealth::because(ParseStatus::Error, reason))
    })
}

/// The grammar's tree of a text, and how well the text fits the grammar.
fn grammar_tree<'a>(
    compiled: &'a Compiled,
    text: &str,
    line_starts: &'a [usize],
    deadline: Instant,
) -> Option<(Tree<'a>, ParseHealth)> {
    let parsed = parse_tree(compiled, text, deadline)?;
    let tree = compiled.query.tree(&parsed, &compiled.grammar, line_starts, deadline)?;
    Some((tree, health(&parsed)))
}

/// Blanks macros that the grammar misreads: a line that is only a macro, like `NAMESPACE_BEGIN`, is taken for the type of
/// what follows, and one in the head of a class for its name. Macros become blanks, so offsets stay those of the text.
fn hide_macros(text: &str) -> Cow<'_, str> {
    let mut hidden: Option<String> = None;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let alone = is_macro(line.trim_end());
        let found = if alone {
            // Before a brace it is the head of a function.
            let is_head = lines.peek().is_some_and(|next| next.starts_with('{'));
            (!is_head).then(|| 0..line.trim_end().len())
        } else {
            macro_in_head(line)
        };
        if let Some(range) = found {
            let blanks = " ".repeat(range.len());
            let hidden = hidden.get_or_insert_with(|| text.to_string());
            hidden.replace_range(at + range.start..at + range.end, &blanks);
        }
        at += line.len();
    }
    hidden.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Whether a word is written like a macro: `SHOP_EXPORT`.
fn is_macro(word: &str) -> bool {
    word.len() > 3
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.contains('_')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The range of the macro in `class SHOP_EXPORT Cart {`.
fn macro_in_head(line: &str) -> Option<Range<usize>> {
    let head = line.trim_start();
    let rest = head.strip_prefix("class ").or_else(|| head.strip_prefix("struct "))?;
    let (word, rest) = rest.split_once(' ')?;
    let start = line.len() - rest.len() - 1 - word.len();
    let after = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim();
    let defines =
        after.is_empty() || after.starts_with(['{', ':', '<']) || after.starts_with("final");
    (is_macro(word) && defines && rest.starts_with(char::is_alphabetic))
        .then(|| start..start + word.len())
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
    // A parser that was interrupted would resume the interrupted file.
    parser.reset();
    parser
        .set_language(&compiled.grammar)
        .expect("every grammar of the table fits this tree-sitter");
    let mut interrupt = |_: &ParseState| {
        if Instant::now() > deadline { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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

/// The offset at which each line starts. A final line feed does not begin another line.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misleading_macros_are_hidden_in_place() {
        let text = "SHOP_NAMESPACE_BEGIN\nclass SHOP_EXPORT Cart : Base {\nstruct SHOP_LINE line;\nSHOP_MAIN\n{\n";
        let hidden = hide_macros(text);
        assert_eq!(hidden.len(), text.len());
        let lines: Vec<_> = hidden.lines().map(str::trim).collect();
        assert_eq!(
            lines,
            ["", "class             Cart : Base {", "struct SHOP_LINE line;", "SHOP_MAIN", "{"]
        );
    }
}
