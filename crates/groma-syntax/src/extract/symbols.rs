//! From definitions to symbols: their parents, names, kinds, docs and lines.

use super::definition::Definition;
use super::line_of;
use super::matches::{AccessRegion, NameScope};
use super::trivia::Trivia;
use crate::language::Language;
use crate::tree::Node;
use crate::{comment, naming, signature, visibility};
use groma_core::{Lines, Symbol, SymbolKind, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// A definition further to the right is not the first of its line.
const MAX_INDENT: usize = 1000;

/// Turns definitions into symbols.
pub(super) struct SymbolBuilder<'a> {
    language: &'a Language,
    text: &'a str,
    trivia: &'a Trivia<'a>,
    scopes: Vec<NameScope>,
    access: Vec<AccessRegion>,
    symbols: Vec<Symbol>,
    /// The bytes of each symbol.
    spans: Vec<Range<usize>>,
}

/// The symbols of a file, with the definitions they were made of and the bytes that each covers.
pub(super) struct Built<'t> {
    pub symbols: Vec<Symbol>,
    pub definitions: Vec<Definition<'t>>,
    pub spans: Vec<Range<usize>>,
}

impl<'a> SymbolBuilder<'a> {
    pub fn new(
        language: &'a Language,
        text: &'a str,
        trivia: &'a Trivia<'a>,
        scopes: Vec<NameScope>,
        access: Vec<AccessRegion>,
    ) -> Self {
        Self { language, text, trivia, scopes, access, symbols: Vec::new(), spans: Vec::new() }
    }

    /// Makes a symbol of each definition but local ones. `module` qualifies the outermost names.
    pub fn build<'t>(mut self, found: Vec<Definition<'t>>, module: &str) -> Built<'t> {
        let mut open: Vec<u32> = Vec::new();
        let mut definitions = Vec::with_capacity(found.len());
        let mut members = FxHashSet::default();
        let text = self.text;
        for one in found {
            let bytes = one.bytes.clone();
            // Definitions with the same span are names of one declaration: `int a, b;`.
            while open.last().is_some_and(|top| {
                let span = &self.spans[*top as usize];
                span.end < bytes.end || *span == bytes
            }) {
                open.pop();
            }
            let inside = open.last().copied();
            if self.is_local(&one, inside) {
                continue;
            }
            let owner = self.owner(&one, inside);
            let member = (owner, &text[one.name.byte_range()]);
            // An assignment to a field that its type has does not define it again, and without a type there is none.
            if is_assigned(&one) && (owner.is_none() || members.contains(&member)) {
                continue;
            }
            members.insert(member);
            let symbol = self.symbol(&one, owner, module);
            // Error recovery inserts names of no width.
            if symbol.name.is_empty() {
                continue;
            }
            open.push(self.symbols.len() as u32);
            self.spans.push(bytes);
            self.symbols.push(symbol);
            definitions.push(one);
        }
        self.return_comments();
        self.link_receivers();
        Built { symbols: self.symbols, definitions, spans: self.spans }
    }

    /// Whether a definition is a variable or prototype in a function, which no other code can use.
    fn is_local(&self, definition: &Definition<'_>, inside: Option<u32>) -> bool {
        let node = definition.node.kind();
        // A macro is visible to all code below it, wherever it is defined; so is what a call of PHP defines.
        let everywhere = node.starts_with("preproc_") || node == "function_call_expression";
        let declared = matches!(definition.kind, SymbolKind::Variable | SymbolKind::Constant)
            && !everywhere
            || node == "declaration";
        declared && inside.is_some_and(|index| self.symbols[index as usize].kind.is_callable())
    }

    /// A field that a constructor declares among its parameters belongs to the type, and so does one that a method
    /// assigns.
    fn owner(&self, definition: &Definition<'_>, inside: Option<u32>) -> Option<u32> {
        let symbol = &self.symbols[inside? as usize];
        let is_field = matches!(definition.kind, SymbolKind::Field | SymbolKind::Property);
        if is_assigned(definition) {
            self.type_around(inside)
        } else if is_field && symbol.kind.is_callable() {
            symbol.parent
        } else {
            inside
        }
    }

    /// The symbol itself or the innermost one around it that does not run.
    fn type_around(&self, inside: Option<u32>) -> Option<u32> {
        let mut owner = inside?;
        loop {
            let symbol = &self.symbols[owner as usize];
            if !symbol.kind.is_callable() && symbol.kind != SymbolKind::Property {
                return Some(owner);
            }
            owner = symbol.parent?;
        }
    }

    fn symbol(&self, definition: &Definition<'_>, parent: Option<u32>, module: &str) -> Symbol {
        let name = self.name(definition);
        // Scopes and access regions around the parent have been applied to the parent.
        let from = parent.map_or(0, |parent| self.spans[parent as usize].start);
        let receiver = match definition.receiver {
            Some(node) => naming::receiver(&self.text[node.byte_range()]),
            None => self.scope_name(definition, from),
        };
        let outer = parent.map(|parent| &self.symbols[parent as usize]);
        let kind = settle_kind(self.language, definition.kind, &name, outer, receiver.as_deref());
        let first = definition.node.row();
        // Blank lines at the end do not count.
        let end = definition.bytes.start + self.text[definition.bytes.clone()].trim_end().len();
        let last = definition.node.row_of(end).max(first);
        let start = if self.heads_line(definition) { self.trivia.first_row(first) } else { first };
        let signature = self.signature(definition);
        let qualifier = outer.map_or(module, |symbol| {
            crate::qualifier::qualifier(&symbol.qualified, self.language.naming.separator)
        });
        let qualifiers = [qualifier, receiver.as_deref().unwrap_or("")];
        let qualified = naming::qualify(self.language, &qualifiers, &name);
        let name = self.short(kind, name);
        let visibility = self
            .region_access(definition, from)
            .filter(|_| !visibility::has_access_keyword(self.language, &signature, &name))
            .unwrap_or_else(|| {
                visibility::visibility(self.language, kind, &name, &signature, outer)
            });
        Symbol {
            visibility,
            doc: self.doc(definition, start, first),
            kind,
            qualified,
            signature,
            name,
            parent,
            receiver,
            lines: Lines::new(start + 1, last + 1),
            name_line: line_of(definition.name),
            name_column: definition.name.column(),
        }
    }

    /// The last part of the name of a module or type: `defmodule Ecto.Changeset` is searched for as `Changeset`.
    fn short(&self, kind: SymbolKind, name: String) -> String {
        let separator = self.language.naming.separator;
        let nests = matches!(kind, SymbolKind::Module | SymbolKind::Class | SymbolKind::Struct)
            && matches!(separator, "." | "::" | "\\");
        match name.rsplit_once(separator) {
            Some((_, last)) if nests && !last.is_empty() => last.to_string(),
            _ => name,
        }
    }

    /// The name on one line, its parts joined by the language's separator.
    fn name(&self, definition: &Definition<'_>) -> String {
        let naming = &self.language.naming;
        let part = |node: Node<'_>| {
            let text = &self.text[node.byte_range()];
            if naming.verbatim {
                text.trim()
            } else {
                naming::identifier(self.language, naming::without_quotes(text))
            }
        };
        let mut name = part(definition.name).to_string();
        for node in &definition.name_parts {
            name.push_str(naming.separator);
            name.push_str(part(*node));
        }
        if name.contains('\n') { signature::one_line(&name) } else { name }
    }

    fn signature(&self, definition: &Definition<'_>) -> String {
        if let Some(node) = definition.signature {
            return signature::one_line(&self.text[node.byte_range()]);
        }
        let start = self.trivia.after_attributes(definition.node.start_byte());
        let end = self.signature_end(definition, start);
        signature::signature(self.text, &definition.node, start, end)
    }

    /// Where a signature that starts at `start` ends: before the body and the comments directly above it.
    fn signature_end(&self, definition: &Definition<'_>, start: usize) -> usize {
        let body = signature::body(&definition.node, definition.body);
        match body.filter(|body| body.start_byte() > start) {
            Some(body) => self.trivia.before_comments(start, body.start_byte()),
            None => signature::first_line_end(self.text, start, &definition.node),
        }
    }

    /// The doc string inside, or else the comments between the rows.
    fn doc(&self, definition: &Definition<'_>, start: u32, row: u32) -> String {
        match definition.doc {
            Some(doc) => comment::strip_marks(&self.text[doc.byte_range()]),
            None => self.trivia.doc(start, row),
        }
    }

    /// The name of the innermost scope around a definition that starts at or after `from`.
    fn scope_name(&self, definition: &Definition<'_>, from: usize) -> Option<String> {
        let bytes = definition.node.byte_range();
        let around = |scope: &&NameScope| {
            from <= scope.bytes.start
                && scope.bytes.start <= bytes.start
                && bytes.end <= scope.bytes.end
        };
        let innermost = self.scopes.iter().filter(around).min_by_key(|scope| scope.bytes.len());
        innermost.map(|scope| scope.name.clone())
    }

    /// The visibility of the last access region that starts before a definition, at or after `from`, and holds it.
    fn region_access(&self, definition: &Definition<'_>, from: usize) -> Option<Visibility> {
        let start = definition.node.start_byte();
        let before = self.access.partition_point(|region| region.bytes.start < start);
        self.access[..before]
            .iter()
            .rev()
            .take_while(|region| region.bytes.start >= from)
            .find(|region| region.bytes.end > start)
            .map(|region| region.visibility)
    }

    /// Whether a definition is the first of its line, so that comments above the line belong to it.
    fn heads_line(&self, definition: &Definition<'_>) -> bool {
        let start = definition.node.start_byte();
        let column = definition.node.column() as usize;
        column <= MAX_INDENT && !self.text[start - column..start].contains(['{', '(', ',', ';'])
    }

    /// Ends definitions before the comment of the next one, where the grammar counts it to the one before.
    fn return_comments(&mut self) {
        let mut before: Vec<usize> = Vec::new();
        for index in 0..self.spans.len() {
            let start = self.symbols[index].lines.start;
            // The last line above the comment that is not blank.
            let above = self.trivia.comment_at(start - 1).map(|comment| {
                let head = &self.text[..comment.bytes.start];
                let blank = &head.as_bytes()[head.trim_end().len()..];
                start - memchr::memchr_iter(b'\n', blank).count() as u32
            });
            let begins = self.spans[index].start;
            while let Some(last) = before.pop_if(|last| self.spans[*last].end <= begins) {
                let lines = &mut self.symbols[last].lines;
                if let Some(above) =
                    above.filter(|above| lines.end >= start && *above >= lines.start)
                {
                    lines.end = above;
                }
            }
            before.push(index);
        }
    }

    /// Makes the type of a method's receiver its parent, if it is defined in this file.
    fn link_receivers(&mut self) {
        let types: FxHashMap<String, u32> = (0..)
            .zip(&self.symbols)
            .filter(|(_, symbol)| symbol.kind.is_type())
            .map(|(index, symbol)| (symbol.name.clone(), index))
            .collect();
        for index in 0..self.symbols.len() {
            let symbol = &self.symbols[index];
            let is_free = symbol
                .parent
                .is_none_or(|parent| self.symbols[parent as usize].kind == SymbolKind::Module);
            let owner = symbol.receiver.as_ref().and_then(|receiver| types.get(receiver)).copied();
            if is_free && owner.is_some_and(|owner| owner as usize != index) {
                self.symbols[index].parent = owner;
            }
        }
    }
}

/// Whether a definition is a field that code assigns: `self.name = ...`.
fn is_assigned(definition: &Definition<'_>) -> bool {
    definition.kind == SymbolKind::Field
        && matches!(definition.node.kind(), "attribute" | "member_expression")
}

/// The kind of a symbol in its context: a function inside a type is a method, and a method with the name of its type
/// or a conventional one a constructor.
fn settle_kind(
    language: &Language,
    kind: SymbolKind,
    name: &str,
    parent: Option<&Symbol>,
    receiver: Option<&str>,
) -> SymbolKind {
    let has_methods = |kind: SymbolKind| match kind {
        SymbolKind::Type => false,
        SymbolKind::Variant => true,
        SymbolKind::Module => language.naming.modules_are_mixins,
        _ => kind.is_type(),
    };
    let outer = parent.filter(|parent| has_methods(parent.kind));
    let owner = receiver.or(outer.map(|parent| parent.name.as_str()));
    match kind {
        SymbolKind::Function | SymbolKind::Method if owner.is_some() => {
            let constructs = language.naming.constructors.contains(&name)
                || kind == SymbolKind::Function && owner == Some(name);
            if constructs { SymbolKind::Constructor } else { SymbolKind::Method }
        }
        // All functions of Rust's inline test module are part of the tests, helpers included.
        SymbolKind::Function if parent.is_some_and(is_test_module) => SymbolKind::Test,
        SymbolKind::Variable if naming::is_upper_case(name) => SymbolKind::Constant,
        other => other,
    }
}

fn is_test_module(symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Module && matches!(symbol.name.as_str(), "test" | "tests")
}
