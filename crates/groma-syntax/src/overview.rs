//! The overview of a file: its package, imports, types and functions with their lines.

use groma_core::{Chunk, ChunkKind, FileFacts, Lines, Symbol, SymbolKind};
use std::fmt::Write;

/// The chunk that represents the whole file.
pub(crate) fn chunk(facts: &FileFacts) -> Chunk {
    Chunk {
        kind: ChunkKind::Overview,
        lines: Lines::new(1, facts.line_count.max(1)),
        symbol: None,
        title: String::new(),
    }
}

/// The overview as text. It is made from the facts when it is needed and never stored.
pub fn overview(facts: &FileFacts) -> String {
    let mut text = String::new();
    if let Some(package) = &facts.package {
        let _ = writeln!(text, "Package: {package}\n");
    }
    if !facts.imports.is_empty() {
        let _ = writeln!(text, "Imports: {} packages\n", facts.imports.len());
    }
    section(&mut text, "Types", facts, |symbol| symbol.kind.is_type());
    section(&mut text, "Functions", facts, |symbol| symbol.kind.is_callable());
    section(&mut text, "Sections", facts, |symbol| symbol.kind == SymbolKind::Section);
    section(&mut text, "Values", facts, |symbol| {
        symbol.kind.is_value() && symbol.parent.is_none() || symbol.kind == SymbolKind::Resource
    });
    text.truncate(text.trim_end().len());
    text
}

fn section(text: &mut String, title: &str, facts: &FileFacts, belongs: impl Fn(&Symbol) -> bool) {
    let mut symbols = facts.symbols.iter().filter(|symbol| belongs(symbol)).peekable();
    if symbols.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "{title}:");
    for symbol in symbols {
        let owner = symbol
            .receiver
            .clone()
            .or_else(|| symbol.parent.map(|parent| facts.symbols[parent as usize].name.clone()));
        let owner =
            owner.filter(|_| symbol.kind.is_callable()).map_or(String::new(), |name| name + ".");
        let Lines { start, end } = symbol.lines;
        let _ =
            writeln!(text, "  - {owner}{} ({}) (lines {start}-{end})", symbol.name, symbol.kind);
    }
    text.push('\n');
}
