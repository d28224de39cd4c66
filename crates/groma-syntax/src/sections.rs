//! Sections of a document, by its headings.

use crate::qualifier::qualifier;
use groma_core::{Lines, Symbol, SymbolKind, Visibility};

/// The structure of a document.
#[derive(Debug, Default)]
pub(crate) struct Document {
    /// A symbol for each heading, in source order.
    pub sections: Vec<Symbol>,
    pub fences: Vec<Lines>,
}

/// Makes sections of headings: each has a parent by its level and ends before the next heading of the same or a higher
/// one.
pub(crate) fn nest(headings: Vec<Heading>, last_line: u32) -> Vec<Symbol> {
    let mut open: Vec<(u32, usize)> = Vec::new();
    let mut sections: Vec<Symbol> = Vec::new();
    for heading in headings {
        while open.last().is_some_and(|(_, level)| *level >= heading.level) {
            let (index, _) = open.pop().expect("`last` was `Some`");
            let end = (heading.line - 1).max(sections[index as usize].lines.start);
            sections[index as usize].lines.end = end;
        }
        let parent = open.last().map(|(index, _)| *index);
        let qualified = match parent {
            Some(parent) => {
                let outer = qualifier(&sections[parent as usize].qualified, " > ");
                format!("{outer} > {}", heading.name)
            }
            None => heading.name.clone(),
        };
        open.push((sections.len() as u32, heading.level));
        sections.push(Symbol {
            signature: heading.name.clone(),
            name: heading.name,
            kind: SymbolKind::Section,
            qualified,
            doc: String::new(),
            visibility: Visibility::Public,
            parent,
            receiver: None,
            lines: Lines::new(heading.line, last_line.max(heading.line)),
            name_line: heading.line,
            name_column: 0,
        });
    }
    sections
}

/// A heading with its level, 1 being the outermost.
pub(crate) struct Heading {
    pub name: String,
    pub level: usize,
    pub line: u32,
}
