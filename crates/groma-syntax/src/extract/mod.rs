//! From a syntax tree to symbols, references and imports, driven by the language's query.
//!
//! [`matches`] collects what the captures of all matches name, [`definition`] puts the definitions in order,
//! [`symbols`] names and nests them, and [`references`] tells inside which of them a name is used.

mod definition;
mod imports;
mod matches;
mod references;
mod symbols;
mod trivia;

pub(crate) use trivia::Comment;

use crate::compiled::Compiled;
use crate::deadline::Deadline;
use crate::language::Language;
use crate::naming;
use crate::tree::{Node, Tree};
use groma_core::{Import, Lines, Links, Reference, RelPath, Symbol};
use matches::Matches;
use symbols::SymbolBuilder;
use trivia::Trivia;

/// A definition longer than this may be split, so the lines its statements start on are kept.
pub(crate) const LONG_DEFINITION: u32 = 60;

/// What a file contains, each list in source order.
#[derive(Debug, Default)]
pub(crate) struct Extracted {
    pub package: Option<String>,
    pub symbols: Vec<Symbol>,
    /// For each symbol, the lines at which a long definition may be split.
    pub cuts: Vec<Vec<u32>>,
    pub references: Vec<Reference>,
    pub links: Links,
    pub imports: Vec<Import>,
    pub comments: Vec<Comment>,
    /// Code fences of a document.
    pub fences: Vec<Lines>,
}

/// Runs the language's query over the tree; `None` if the deadline passes before it ends.
pub(crate) fn extract(
    language: &Language,
    compiled: &Compiled,
    path: &RelPath,
    tree: &Tree<'_>,
    text: &str,
    deadline: &Deadline,
) -> Option<Extracted> {
    let mut matches = Matches::default();
    // With tens of thousands of unclosed brackets, even one walk over the tree takes long.
    let in_time = compiled.query.matches(tree, text, deadline, |pattern, captures| {
        matches.read(compiled, pattern, captures, text);
    });
    in_time.then(|| build(language, compiled, path, tree, text, matches))
}

/// Makes facts of what the query found.
fn build(
    language: &Language,
    compiled: &Compiled,
    path: &RelPath,
    tree: &Tree<'_>,
    text: &str,
    matches: Matches<'_>,
) -> Extracted {
    let Matches { package, definitions, scopes, mut access, uses, mut imports, .. } = matches;
    let trivia = Trivia::new(text, matches.comments, matches.attributes);
    imports.sort_by_key(|(start, _)| *start);
    access.sort_by_key(|region| region.bytes.start);
    let definitions = definition::in_order(definitions, text);
    let module = naming::module_prefix(language, path, package.as_deref());
    let builder = SymbolBuilder::new(language, text, &trivia, scopes, access);
    let built = builder.build(definitions, &module);
    let lowering = language.lowering.zip(compiled.codes.as_ref());
    let (references, links) = match lowering {
        Some((lowering, codes)) => references::lowered(lowering, codes, tree, text, &built),
        None => (references::references(language, text, &built, uses), Links::default()),
    };
    let cuts = built.definitions.iter().zip(&built.symbols);
    let cuts = cuts.map(|(definition, symbol)| definition.cuts(symbol.lines)).collect();
    let imports = imports.into_iter().map(|(_, import)| import).collect();
    Extracted {
        package,
        cuts,
        references,
        links,
        symbols: built.symbols,
        imports: imports::expand(language, imports),
        comments: trivia.comments,
        fences: Vec::new(),
    }
}

/// The line a node starts on, from 1.
fn line_of(node: Node<'_>) -> u32 {
    node.row() + 1
}

/// The first and last row of a node, from 0.
fn rows(node: Node<'_>) -> (u32, u32) {
    (node.row(), node.last_row())
}
