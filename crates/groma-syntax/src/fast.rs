//! The hand-written parsers of groma-fastparse, behind the feature `fastparse`.

use crate::tree::Tree;
use tree_sitter::Language as Grammar;

#[cfg(feature = "fastparse")]
pub(crate) use groma_fastparse::FastParser;

/// Never constructed: without the feature every language is parsed by its grammar.
#[cfg(not(feature = "fastparse"))]
pub(crate) enum FastParser {}

#[cfg(not(feature = "fastparse"))]
impl FastParser {
    pub fn new(_: &str, _: &Grammar) -> Option<Self> {
        None
    }
}

/// Whether there is a hand-written parser for the language.
pub(crate) fn is_supported(language: &str) -> bool {
    cfg!(feature = "fastparse") && ["go", "rust"].contains(&language)
}

/// The tree of a text; `None` if the grammar has to parse it.
#[cfg(feature = "fastparse")]
pub(crate) fn tree<'a>(
    parser: &FastParser,
    text: &str,
    grammar: &'a Grammar,
    line_starts: &'a [usize],
) -> Option<Tree<'a>> {
    use crate::tree::Entry;
    let nodes = parser.parse(text)?;
    let mut entries: Vec<Entry> = Vec::with_capacity(nodes.len());
    let mut parent = 0;
    for (at, node) in nodes.enumerate() {
        let at = at as u32;
        // A subtree that ended before this node is not its parent.
        while at > 0 && entries[parent as usize].next <= at {
            parent = entries[parent as usize].parent;
        }
        entries.push(Entry {
            start: node.start,
            end: node.end,
            parent,
            next: at + node.size,
            kind: node.kind,
            field: node.field,
            named: true,
        });
        parent = at;
    }
    Some(Tree { entries, grammar, line_starts })
}

#[cfg(not(feature = "fastparse"))]
pub(crate) fn tree<'a>(
    parser: &FastParser,
    _: &str,
    _: &'a Grammar,
    _: &'a [usize],
) -> Option<Tree<'a>> {
    match *parser {}
}
