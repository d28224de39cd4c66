//! From a syntax tree to symbols, references and imports, driven by the language's query.

use crate::language::{Compiled, Language};
use crate::naming;
use groma_core::{
    DddPatterns, Import, Lines, Reference, ReferenceKind, RelPath, Symbol, SymbolKind,
};
use std::cmp::Reverse;
use std::ops::Range;
use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, QueryCursor, Tree};

/// A definition longer than this may be split, so the lines its statements start on are kept.
pub(crate) const LONG_DEFINITION: u32 = 60;

/// What a capture of a query file means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Capture {
    /// `@definition.KIND`: a definition; the same match holds its `@name`.
    Definition(SymbolKind),
    /// `@name`; where one match has several, they are the parts of one name.
    Name,
    /// `@signature`: the whole signature, when it is not what stands before the body.
    Signature,
    /// `@clause`: one clause of a definition. Neighbours with the same name are one symbol if the captured
    /// nodes (usually the parameters) have equally many children.
    Clause,
    /// `@reaches`: a definition that reaches to the next such one, like a `FROM` of a container file.
    Reaches,
    /// `@doc`: a doc string inside the definition.
    Doc,
    /// `@body`: where the signature ends, when that is not the node's `body` field.
    Body,
    /// `@receiver`: the type a method belongs to, when it stands outside of it.
    Receiver,
    /// `@scope`: something that qualifies the names in it without being a symbol, named by `@scope.name`.
    Scope,
    ScopeName,
    /// `@package`: the package, module or namespace the file declares.
    Package,
    /// `@import`: what is imported; `@import.member` in the same match is appended to it.
    Import,
    ImportMember,
    /// `@import.child`: a module that this file declares and another file holds.
    ImportChild,
    /// `@reference.call` and `@reference.type`.
    Reference(ReferenceKind),
    /// `@reference.member`: appended to the reference of the same match.
    ReferenceMember,
    /// `@comment`: a comment; directly above a definition it is its doc.
    Comment,
    /// `@attribute`: a decorator or attribute; directly above a definition it belongs to it.
    Attribute,
    /// `@fence`: a part of a document that is never split.
    Fence,
    /// `@_...`: used by a predicate only.
    Ignored,
}

impl Capture {
    /// The meaning of a capture name. An unknown name is a mistake in a query file, which a test finds.
    pub fn named(name: &str) -> Self {
        if let Some(kind) = name.strip_prefix("definition.") {
            return Self::Definition(kind.parse().unwrap_or_else(|error| panic!("@{name}: {error}")));
        }
        match name {
            "name" => Self::Name,
            "signature" => Self::Signature,
            "clause" => Self::Clause,
            "reaches" => Self::Reaches,
            "doc" => Self::Doc,
            "body" => Self::Body,
            "receiver" => Self::Receiver,
            "scope" => Self::Scope,
            "scope.name" => Self::ScopeName,
            "package" => Self::Package,
            "import" => Self::Import,
            "import.member" => Self::ImportMember,
            "import.child" => Self::ImportChild,
            "reference.call" => Self::Reference(ReferenceKind::Call),
            "reference.type" => Self::Reference(ReferenceKind::Type),
            "reference.member" => Self::ReferenceMember,
            "comment" => Self::Comment,
            "attribute" => Self::Attribute,
            "fence" => Self::Fence,
            _ if name.starts_with('_') => Self::Ignored,
            _ => panic!("unknown capture @{name}"),
        }
    }
}

/// A comment or doc string.
#[derive(Clone, Debug)]
pub(crate) struct Comment {
    pub bytes: Range<usize>,
    /// First and last row, from 0.
    pub rows: (u32, u32),
}

/// What was found, symbols in order.
#[derive(Debug, Default)]
pub(crate) struct Extracted {
    pub package: Option<String>,
    pub symbols: Vec<Symbol>,
    /// For each symbol, the lines at which a long definition may be cut.
    pub cuts: Vec<Vec<u32>>,
    pub references: Vec<Reference>,
    pub imports: Vec<Import>,
    pub comments: Vec<Comment>,
    /// Rows of attributes.
    pub attributes: Vec<(u32, u32)>,
    pub fences: Vec<Lines>,
}

/// A definition before it has its place among the others.
struct Found<'t> {
    node: Node<'t>,
    /// What it covers: the node, or more if it has clauses or reaches to the next.
    bytes: Range<usize>,
    kind: SymbolKind,
    name: Node<'t>,
    /// Further parts of the name.
    name_parts: Vec<Node<'t>>,
    doc: Option<Node<'t>>,
    body: Option<Node<'t>>,
    signature: Option<Node<'t>>,
    receiver: Option<Node<'t>>,
    /// The number of parameters, if this is a clause.
    clause: Option<usize>,
    /// The clauses after the first, with their names.
    clauses: Vec<(Node<'t>, Node<'t>)>,
    reaches: bool,
    /// The place of its pattern in the query file.
    pattern: usize,
}

/// A use of a name, which may have further parts.
struct Use<'t> {
    node: Node<'t>,
    kind: ReferenceKind,
    members: Vec<Node<'t>>,
}

/// A stretch of the file that qualifies names: a definition or a `@scope`.
struct Scope {
    bytes: Range<usize>,
    name: String,
}

/// Runs the language's query over the tree.
pub(crate) fn extract(
    language: &Language,
    compiled: &Compiled,
    path: &RelPath,
    tree: &Tree,
    text: &str,
) -> Extracted {
    let mut found = Vec::new();
    let mut scopes = Vec::new();
    let mut uses = Vec::new();
    let mut out = Extracted::default();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(&compiled.query, tree.root_node(), text.as_bytes());
    while let Some(one) = matches.next() {
        read_match(compiled, one.pattern_index(), one.captures(), text, &mut Sinks {
            found: &mut found,
            scopes: &mut scopes,
            uses: &mut uses,
            out: &mut out,
        });
    }
    out.comments.sort_by_key(|comment| comment.bytes.start);
    out.comments.dedup_by_key(|comment| comment.bytes.start);
    out.attributes.sort_unstable();
    // Of the patterns that find the same definition, the first in the query file counts.
    found.sort_by_key(|f: &Found<'_>| {
        (f.node.start_byte(), Reverse(f.node.end_byte()), f.name.start_byte(), f.pattern)
    });
    found.dedup_by_key(|f| (f.node.start_byte(), f.name.start_byte()));
    let mut found = merge_clauses(found, text);
    reach_to_next(&mut found, text.len());
    Builder { language, path, text, out, scopes }.build(found, uses)
}

/// Makes one definition of neighbouring clauses with the same name and number of parameters.
fn merge_clauses<'t>(found: Vec<Found<'t>>, text: &str) -> Vec<Found<'t>> {
    let mut merged: Vec<Found<'t>> = Vec::with_capacity(found.len());
    // The place in `merged` of the last definition that may go on.
    let mut last = None;
    for one in found {
        if one.clause.is_none() {
            merged.push(one);
            continue;
        }
        if let Some(at) = last {
            // What stands between may only be inside of the clause before.
            let apart = merged.last().is_some_and(|f| f.bytes.start > merged[at].bytes.end);
            let before: &mut Found<'t> = &mut merged[at];
            let same = text[before.name.byte_range()] == text[one.name.byte_range()];
            if !apart && same && before.clause == one.clause && before.bytes.end <= one.bytes.start {
                before.bytes.end = one.bytes.end;
                before.clauses.push((one.node, one.name));
                continue;
            }
        }
        last = Some(merged.len());
        merged.push(one);
    }
    merged
}

/// Lets a definition that has no end of its own reach to the next of its like.
fn reach_to_next(found: &mut [Found<'_>], end: usize) {
    let mut next = end;
    for one in found.iter_mut().rev().filter(|one| one.reaches) {
        one.bytes.end = next;
        next = one.bytes.start;
    }
}

/// Where the captures of a match go.
struct Sinks<'a, 't> {
    found: &'a mut Vec<Found<'t>>,
    scopes: &'a mut Vec<Scope>,
    uses: &'a mut Vec<Use<'t>>,
    out: &'a mut Extracted,
}

fn read_match<'t>(
    compiled: &Compiled,
    pattern: usize,
    captures: &[tree_sitter::QueryCapture<'t>],
    text: &str,
    sinks: &mut Sinks<'_, 't>,
) {
    let mut definition = None;
    let mut names = Vec::new();
    let mut doc = None;
    let mut body = None;
    let mut signature = None;
    let mut clause = None;
    let mut reaches = false;
    let first_use = sinks.uses.len();
    let mut receiver = None;
    let mut scope = None;
    let mut import: Option<Import> = None;
    for capture in captures {
        let node = capture.node;
        match compiled.captures[capture.index as usize] {
            Capture::Reference(kind) => {
                sinks.uses.push(Use { node, kind, members: Vec::new() });
            }
            Capture::ReferenceMember => {
                if let Some(one) = sinks.uses[first_use..].last_mut() {
                    one.members.push(node);
                }
            }
            Capture::Definition(kind) => definition = Some((node, kind)),
            Capture::Name => names.push(node),
            Capture::Signature => signature = Some(node),
            Capture::Clause => clause = Some(node.named_child_count()),
            Capture::Reaches => reaches = true,
            Capture::Doc => doc = Some(node),
            Capture::Body => body = Some(node),
            Capture::Receiver => receiver = Some(node),
            Capture::Scope => scope = Some(node),
            Capture::ScopeName => {
                if let Some(scope) = scope {
                    let name = naming::plain(&text[node.byte_range()]).to_string();
                    sinks.scopes.push(Scope { bytes: scope.byte_range(), name });
                }
            }
            Capture::Package => {
                let name = text[node.byte_range()].trim().to_string();
                sinks.out.package.get_or_insert(name);
            }
            Capture::Import => {
                let path = naming::unquote(&text[node.byte_range()]).to_string();
                import = Some(Import { path, line: line_of(node) });
            }
            Capture::ImportMember => {
                if let Some(import) = &mut import {
                    let dot = if import.path.ends_with('.') { "" } else { "." };
                    import.path = format!("{}{dot}{}", import.path, &text[node.byte_range()]);
                }
            }
            Capture::ImportChild => {
                let path = format!("self::{}", &text[node.byte_range()]);
                import = Some(Import { path, line: line_of(node) });
            }
            Capture::Comment => sinks.out.comments.push(Comment {
                bytes: node.byte_range(),
                rows: rows(node),
            }),
            Capture::Attribute => sinks.out.attributes.push(rows(node)),
            Capture::Fence => {
                let (first, last) = rows(node);
                sinks.out.fences.push(Lines::new(first + 1, last + 1));
            }
            Capture::Ignored => {}
        }
    }
    if let (Some((node, kind)), Some(name)) = (definition, names.first().copied()) {
        if let Some(doc) = doc {
            sinks.out.comments.push(Comment { bytes: doc.byte_range(), rows: rows(doc) });
        }
        sinks.found.push(Found {
            bytes: node.byte_range(),
            name_parts: names.split_off(1),
            clauses: Vec::new(),
            node,
            kind,
            name,
            doc,
            body,
            signature,
            receiver,
            clause,
            reaches,
            pattern,
        });
    }
    sinks.out.imports.extend(import);
}

fn line_of(node: Node<'_>) -> u32 {
    node.start_position().row as u32 + 1
}

/// First and last row of a node; one that ends at the start of a row does not reach into it.
fn rows(node: Node<'_>) -> (u32, u32) {
    let (start, end) = (node.start_position(), node.end_position());
    let last = if end.column == 0 && end.row > start.row { end.row - 1 } else { end.row };
    (start.row as u32, last as u32)
}

/// How many rows a text goes on for after its first; blank ones at its end do not count.
fn rows_within(text: &str) -> u32 {
    memchr::memchr_iter(b'\n', text.trim_end().as_bytes()).count() as u32
}

/// Gives each definition its parent, its names, its doc and its lines.
struct Builder<'a> {
    language: &'a Language,
    path: &'a RelPath,
    text: &'a str,
    out: Extracted,
    scopes: Vec<Scope>,
}

impl Builder<'_> {
    fn build(mut self, found: Vec<Found<'_>>, uses: Vec<Use<'_>>) -> Extracted {
        let prefix = naming::module_prefix(self.language, self.path, self.out.package.as_deref());
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(found.len());
        let mut open: Vec<u32> = Vec::new();
        for one in &found {
            let bytes = one.bytes.clone();
            while open.last().is_some_and(|top| spans[*top as usize].end < bytes.end) {
                open.pop();
            }
            let symbol = self.symbol(one, open.last().copied(), &prefix);
            open.push(self.out.symbols.len() as u32);
            spans.push(bytes);
            self.out.symbols.push(symbol);
        }
        self.give_back_comments(&spans);
        for (one, symbol) in found.iter().zip(&self.out.symbols) {
            self.out.cuts.push(cuts(one, symbol.lines));
        }
        self.link_receivers();
        crate::ddd::mark(self.language, &mut self.out.symbols);
        self.references(&found, &spans, uses);
        self.out.imports = naming::expand_imports(self.language, std::mem::take(&mut self.out.imports));
        self.out
    }

    fn symbol(&self, found: &Found<'_>, parent: Option<u32>, prefix: &str) -> Symbol {
        let text = self.text;
        let name = self.name(found);
        let receiver = found
            .receiver
            .map(|node| naming::type_name(&text[node.byte_range()]).to_string())
            .or_else(|| self.scope_name(found));
        let outer = parent.map(|parent| &self.out.symbols[parent as usize]);
        let kind = settle_kind(found.kind, &name, outer.map(|symbol| symbol.kind), receiver.is_some());
        let first = found.node.start_position().row as u32;
        let last = first + rows_within(&text[found.bytes.clone()]);
        let start = self.first_row(first);
        let signature = match found.signature {
            Some(node) => naming::fold(&text[node.byte_range()]),
            None => naming::signature(text, &found.node, found.body),
        };
        let qualified = naming::qualify(
            self.language,
            &[outer.map_or(prefix, |symbol| symbol.qualified.as_str()), receiver.as_deref().unwrap_or("")],
            &name,
        );
        Symbol {
            visibility: naming::visibility(self.language, &name, &signature, outer),
            doc: self.doc(found, start, first),
            kind,
            qualified,
            signature,
            name,
            parent,
            receiver,
            lines: Lines::new(start + 1, last + 1),
            name_line: line_of(found.name),
            name_column: found.name.start_position().column as u32,
            patterns: DddPatterns::default(),
        }
    }

    /// The name, its parts joined as the language does and on one line.
    fn name(&self, found: &Found<'_>) -> String {
        let part = |node: Node<'_>| naming::plain(naming::unquote(&self.text[node.byte_range()]));
        let mut name = part(found.name).to_string();
        for node in &found.name_parts {
            name.push_str(self.language.separator);
            name.push_str(part(*node));
        }
        if name.contains('\n') { naming::fold(&name) } else { name }
    }

    /// A comment above a definition belongs to it, even where the grammar counts it to the one before.
    fn give_back_comments(&mut self, spans: &[Range<usize>]) {
        let mut before: Vec<usize> = Vec::new();
        for at in 0..spans.len() {
            let start = self.out.symbols[at].lines.start;
            while let Some(last) = before.last().copied() {
                if spans[last].end > spans[at].start {
                    break;
                }
                let lines = &mut self.out.symbols[last].lines;
                // Without a line of its own above the definition, both share the line.
                if self.out.comments.binary_search_by_key(&(start - 1), |c| c.rows.0).is_ok()
                    && lines.start < start
                    && lines.end >= start
                {
                    lines.end = start - 1;
                }
                before.pop();
            }
            before.push(at);
        }
    }

    /// The innermost `@scope` around a definition.
    fn scope_name(&self, found: &Found<'_>) -> Option<String> {
        let bytes = found.node.byte_range();
        self.scopes
            .iter()
            .filter(|scope| scope.bytes.start <= bytes.start && bytes.end <= scope.bytes.end)
            .min_by_key(|scope| scope.bytes.len())
            .map(|scope| scope.name.clone())
    }

    /// The first row of the comments and attributes directly above `row`.
    fn first_row(&self, row: u32) -> u32 {
        let mut top = row;
        loop {
            let above_comment = self.comment_ending_above(top).map(|comment| comment.rows.0);
            let above_attribute = self
                .out
                .attributes
                .partition_point(|(start, _)| *start < top)
                .checked_sub(1)
                .map(|index| self.out.attributes[index])
                .filter(|(_, end)| *end + 1 == top)
                .map(|(start, _)| start);
            match above_comment.or(above_attribute) {
                Some(above) if above < top => top = above,
                _ => return top,
            }
        }
    }

    /// The comment whose last row is just above `row` and which has its first row to itself.
    fn comment_ending_above(&self, row: u32) -> Option<&Comment> {
        let index = self.out.comments.partition_point(|comment| comment.rows.0 < row);
        let comment = &self.out.comments[index.checked_sub(1)?];
        // Line comments of some grammars include their line end.
        let ends = comment.rows.1;
        let alone = self.text[..comment.bytes.start]
            .bytes()
            .rev()
            .take_while(|byte| *byte != b'\n')
            .all(|byte| byte.is_ascii_whitespace());
        (alone && (ends + 1 == row || ends == row && comment.rows.0 < row)).then_some(comment)
    }

    /// The doc string inside, or else the comments between the rows.
    fn doc(&self, found: &Found<'_>, start: u32, row: u32) -> String {
        if let Some(doc) = found.doc {
            return naming::clean_comment(&self.text[doc.byte_range()]);
        }
        let from = self.out.comments.partition_point(|comment| comment.rows.0 < start);
        let to = self.out.comments.partition_point(|comment| comment.rows.0 < row);
        let parts: Vec<_> = self.out.comments[from..to.max(from)]
            .iter()
            .map(|comment| naming::clean_comment(&self.text[comment.bytes.clone()]))
            .collect();
        parts.join("\n").trim().to_string()
    }

    /// A method whose receiver is a type of this file has that type as its parent.
    fn link_receivers(&mut self) {
        let types: rustc_hash::FxHashMap<String, u32> = self
            .out
            .symbols
            .iter()
            .enumerate()
            .filter(|(_, symbol)| symbol.kind.is_type())
            .map(|(index, symbol)| (symbol.name.clone(), index as u32))
            .collect();
        for symbol in &mut self.out.symbols {
            if symbol.parent.is_none()
                && let Some(receiver) = &symbol.receiver
            {
                symbol.parent = types.get(receiver).copied();
            }
        }
    }

    fn references(
        &mut self,
        found: &[Found<'_>],
        spans: &[Range<usize>],
        mut uses: Vec<Use<'_>>,
    ) {
        uses.sort_by_key(|one| (one.node.start_byte(), one.kind, Reverse(one.members.len())));
        uses.dedup_by_key(|one| one.node.start_byte());
        let mut names: Vec<usize> = found
            .iter()
            .flat_map(|one| one.clauses.iter().map(|(_, name)| *name).chain([one.name]))
            .map(|name| name.start_byte())
            .collect();
        names.sort_unstable();
        let mut next = 0;
        let mut open: Vec<u32> = Vec::new();
        for Use { node, kind, members } in uses {
            let at = node.start_byte();
            if names.binary_search(&at).is_ok() {
                continue;
            }
            while next < spans.len() && spans[next].start <= at {
                open.push(next as u32);
                next += 1;
            }
            open.retain(|index| spans[*index as usize].end > at);
            let mut name = naming::plain(&self.text[node.byte_range()]).to_string();
            for member in members {
                name.push_str(self.language.separator);
                name.push_str(&self.text[member.byte_range()]);
            }
            if name.is_empty() || name.len() > 120 {
                continue;
            }
            let place = node.start_position();
            self.out.references.push(Reference {
                name,
                kind,
                line: place.row as u32 + 1,
                column: place.column as u32,
                enclosing: open.last().copied(),
            });
        }
    }
}

/// A function inside a type is a method, and a method with its type's or an agreed name a constructor.
fn settle_kind(kind: SymbolKind, name: &str, parent: Option<SymbolKind>, scoped: bool) -> SymbolKind {
    let inside = scoped
        || parent.is_some_and(|kind| kind.is_type() && kind != SymbolKind::Type);
    match kind {
        SymbolKind::Function if inside => match name {
            "__init__" | "constructor" | "__construct" | "initialize" | "init" => SymbolKind::Constructor,
            _ => SymbolKind::Method,
        },
        other => other,
    }
}

/// The lines, from 1, at which the statements of a long definition start.
fn cuts(found: &Found<'_>, lines: Lines) -> Vec<u32> {
    if lines.count() <= LONG_DEFINITION {
        return Vec::new();
    }
    let body = found.body.or_else(|| found.node.child_by_field_name("body")).unwrap_or(found.node);
    let mut cuts = Vec::new();
    statements(body, 3, &mut cuts);
    for (clause, _) in &found.clauses {
        cuts.push(line_of(*clause));
        statements(*clause, 3, &mut cuts);
    }
    cuts.retain(|line| *line > lines.start);
    cuts.dedup();
    cuts
}

/// Rows of the named children, going into a child that is itself long.
fn statements(node: Node<'_>, depth: usize, cuts: &mut Vec<u32>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        cuts.push(line_of(child));
        let (first, last) = rows(child);
        if depth > 0 && last - first > LONG_DEFINITION / 2 {
            statements(child, depth - 1, cuts);
        }
    }
}

