//! From a syntax tree to symbols, references and imports, driven by the language's query.

use crate::language::{Compiled, Language};
use crate::naming;
use crate::query::Captured;
use crate::tree::{Node, Tree};
use groma_core::{
    DddPatterns, Import, Lines, Reference, ReferenceKind, RelPath, Symbol, SymbolKind, Visibility,
};
use std::cmp::Reverse;
use std::ops::Range;
use std::time::Instant;

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
    /// `@package`: the package, module or namespace the file declares; `@package.part` goes on with it.
    Package,
    PackagePart,
    /// `@access`: a word like `private:` that holds for what follows it up to the end of its parent node.
    /// `@access.public` and `@access.private` say so of what follows any node.
    Access,
    AccessIs(Visibility),
    /// `@import`: what is imported; `@import.member` in the same match is appended to it.
    Import,
    ImportMember,
    /// `@import.child`: a module that this file declares and another file holds.
    ImportChild,
    /// `@reference.call`, `@reference.type` and `@reference.base`.
    Reference(ReferenceKind),
    /// `@reference.member`: appended to the reference of the same match.
    ReferenceMember,
    /// `@comment`: a comment; directly above a definition it is its doc.
    Comment,
    /// `@attribute`: a decorator or attribute; directly above a definition it belongs to it.
    Attribute,
    /// `@_...`: used by a predicate only.
    Ignored,
}

impl Capture {
    /// The meaning of a capture name. An unknown name is a mistake in a query file, which a test finds.
    pub fn named(name: &str) -> Self {
        if let Some(kind) = name.strip_prefix("definition.") {
            return Self::Definition(
                kind.parse().unwrap_or_else(|error| panic!("@{name}: {error}")),
            );
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
            "package.part" => Self::PackagePart,
            "access" => Self::Access,
            "access.public" => Self::AccessIs(Visibility::Public),
            "access.private" => Self::AccessIs(Visibility::Private),
            "import" => Self::Import,
            "import.member" => Self::ImportMember,
            "import.child" => Self::ImportChild,
            "reference.call" => Self::Reference(ReferenceKind::Call),
            "reference.type" => Self::Reference(ReferenceKind::Type),
            "reference.base" => Self::Reference(ReferenceKind::Base),
            "reference.member" => Self::ReferenceMember,
            "comment" => Self::Comment,
            "attribute" => Self::Attribute,
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

/// An attribute, decorator or annotation.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    bytes: Range<usize>,
    rows: (u32, u32),
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
    pub attributes: Vec<Attribute>,
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

/// A stretch of the file whose definitions have a visibility unless they say otherwise.
struct Access {
    bytes: Range<usize>,
    visibility: Visibility,
}

impl Access {
    /// From the marker to the end of what it stands in. A word that names no access is none.
    fn by(marker: Node<'_>, visibility: Option<Visibility>) -> Option<Self> {
        let end = marker.parent()?.end_byte();
        Some(Self { bytes: marker.start_byte()..end, visibility: visibility? })
    }
}

/// Runs the language's query over the tree, unless that takes until after the deadline.
pub(crate) fn extract(
    language: &Language,
    compiled: &Compiled,
    path: &RelPath,
    tree: &Tree<'_>,
    text: &str,
    deadline: Instant,
) -> Option<Extracted> {
    let mut found = Vec::new();
    let mut scopes = Vec::new();
    let mut accesses = Vec::new();
    let mut uses = Vec::new();
    let mut imports = Vec::new();
    let mut out = Extracted::default();
    let mut sinks = Sinks {
        found: &mut found,
        scopes: &mut scopes,
        accesses: &mut accesses,
        uses: &mut uses,
        imports: &mut imports,
        out: &mut out,
    };
    // On ten thousands of brackets that nothing closes, even a walk over the tree takes long.
    let in_time = compiled.query.matches(tree, text, deadline, |pattern, captures| {
        read_match(compiled, pattern, captures, text, &mut sinks);
    });
    if !in_time {
        return None;
    }
    imports.sort_by_key(|(place, _)| *place);
    out.imports = imports.into_iter().map(|(_, import)| import).collect();
    out.comments.sort_by_key(|comment| comment.bytes.start);
    out.comments.dedup_by_key(|comment| comment.bytes.start);
    out.attributes.sort_by_key(|attribute| attribute.bytes.start);
    accesses.sort_by_key(|access| access.bytes.start);
    // Of the patterns that find the same definition, the first in the query file counts.
    found.sort_by_key(|f: &Found<'_>| {
        (f.node.start_byte(), Reverse(f.node.end_byte()), f.name.start_byte(), f.pattern)
    });
    found.dedup_by_key(|f| (f.node.start_byte(), f.name.start_byte()));
    let mut found = merge_clauses(found, text);
    reach_to_next(&mut found, text.len());
    Some(Builder { language, path, text, out, scopes, accesses }.build(found, uses))
}

/// Makes one definition of neighbouring clauses with the same name and number of parameters.
fn merge_clauses<'t>(found: Vec<Found<'t>>, text: &str) -> Vec<Found<'t>> {
    let mut merged: Vec<Found<'t>> = Vec::with_capacity(found.len());
    // The place in `merged` of the last definition that may go on.
    let mut last: Option<usize> = None;
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
            if !apart && same && before.clause == one.clause && before.bytes.end <= one.bytes.start
            {
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
    accesses: &'a mut Vec<Access>,
    uses: &'a mut Vec<Use<'t>>,
    /// Each with its place: of its member if it has one.
    imports: &'a mut Vec<(usize, Import)>,
    out: &'a mut Extracted,
}

fn read_match<'t>(
    compiled: &Compiled,
    pattern: usize,
    captures: &[Captured<'t>],
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
    let mut import: Option<(usize, Import)> = None;
    for capture in captures {
        let node = capture.node;
        match compiled.captures[usize::from(capture.index)] {
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
            Capture::Clause => clause = Some(node.named_children().count()),
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
            Capture::PackagePart => {
                if let Some(package) = &mut sinks.out.package {
                    *package = format!("{package}.{}", text[node.byte_range()].trim());
                }
            }
            Capture::Access => {
                let word = text[node.byte_range()].trim_end_matches(':').trim();
                sinks.accesses.extend(Access::by(node, word.parse().ok()));
            }
            Capture::AccessIs(visibility) => {
                sinks.accesses.extend(Access::by(node, Some(visibility)));
            }
            Capture::Import => {
                let path = naming::unquote(&text[node.byte_range()]).to_string();
                import = Some((node.start_byte(), Import { path, line: line_of(node) }));
            }
            Capture::ImportMember => {
                if let Some((place, import)) = &mut import {
                    *place = node.start_byte();
                    if !import.path.ends_with('.') {
                        import.path.push_str(compiled.separator);
                    }
                    import.path.push_str(&text[node.byte_range()]);
                }
            }
            Capture::ImportChild => {
                let path = format!("self::{}", &text[node.byte_range()]);
                import = Some((node.start_byte(), Import { path, line: line_of(node) }));
            }
            Capture::Comment => {
                sinks.out.comments.push(Comment { bytes: node.byte_range(), rows: rows(node) })
            }
            Capture::Attribute => {
                sinks.out.attributes.push(Attribute { bytes: node.byte_range(), rows: rows(node) })
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
    sinks.imports.extend(import);
}

fn line_of(node: Node<'_>) -> u32 {
    node.row() + 1
}

/// First and last row of a node.
fn rows(node: Node<'_>) -> (u32, u32) {
    (node.row(), node.last_row())
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
    accesses: Vec<Access>,
}

impl Builder<'_> {
    fn build(mut self, found: Vec<Found<'_>>, uses: Vec<Use<'_>>) -> Extracted {
        let prefix = naming::module_prefix(self.language, self.path, self.out.package.as_deref());
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(found.len());
        let mut open: Vec<u32> = Vec::new();
        let mut kept = Vec::with_capacity(found.len());
        for one in found {
            let bytes = one.bytes.clone();
            // Definitions with the same span are names of one declaration: `int a, b;`.
            while open.last().is_some_and(|top| {
                let span = &spans[*top as usize];
                span.end < bytes.end || *span == bytes
            }) {
                open.pop();
            }
            let inside = open.last().copied();
            if self.is_local(&one, inside) {
                continue;
            }
            let symbol = self.symbol(&one, self.owner(one.kind, inside), &prefix, &spans);
            // Error recovery inserts names of no width.
            if symbol.name.is_empty() {
                continue;
            }
            open.push(self.out.symbols.len() as u32);
            spans.push(bytes);
            self.out.symbols.push(symbol);
            kept.push(one);
        }
        let found = kept;
        self.give_back_comments(&spans);
        for (one, symbol) in found.iter().zip(&self.out.symbols) {
            self.out.cuts.push(cuts(one, symbol.lines));
        }
        self.link_receivers();
        crate::ddd::mark(self.language, &mut self.out.symbols);
        self.references(&found, &spans, uses);
        self.out.imports =
            naming::expand_imports(self.language, std::mem::take(&mut self.out.imports));
        self.out
    }

    /// Variables and prototypes in a function are nobody else's business.
    fn is_local(&self, found: &Found<'_>, inside: Option<u32>) -> bool {
        let node = found.node.kind();
        // A macro is seen by all that follows, wherever it is defined; so is what a call of PHP defines.
        let everywhere = node.starts_with("preproc_") || node == "function_call_expression";
        let declared = matches!(found.kind, SymbolKind::Variable | SymbolKind::Constant)
            && !everywhere
            || node == "declaration";
        declared && inside.is_some_and(|index| self.out.symbols[index as usize].kind.is_callable())
    }

    /// A field that a constructor declares among its parameters belongs to the type.
    fn owner(&self, kind: SymbolKind, inside: Option<u32>) -> Option<u32> {
        let symbol = &self.out.symbols[inside? as usize];
        let declared =
            matches!(kind, SymbolKind::Field | SymbolKind::Property) && symbol.kind.is_callable();
        if declared { symbol.parent } else { inside }
    }

    fn symbol(
        &self,
        found: &Found<'_>,
        parent: Option<u32>,
        prefix: &str,
        spans: &[Range<usize>],
    ) -> Symbol {
        let text = self.text;
        let name = self.name(found);
        // Scopes and access words around the parent are the parent's.
        let from = parent.map_or(0, |parent| spans[parent as usize].start);
        let receiver = match found.receiver {
            Some(node) => naming::receiver(&text[node.byte_range()]),
            None => self.scope_name(found, from),
        };
        let outer = parent.map(|parent| &self.out.symbols[parent as usize]);
        let kind = settle_kind(self.language, found.kind, &name, outer, receiver.as_deref());
        let first = found.node.row();
        let last = first + rows_within(&text[found.bytes.clone()]);
        let start = if self.heads_line(found) { self.first_row(first) } else { first };
        let signature = match found.signature {
            Some(node) => naming::fold(&text[node.byte_range()]),
            None => {
                let start = self.after_attributes(found);
                naming::signature(text, &found.node, start, self.signature_end(found, start))
            }
        };
        let qualified = naming::qualify(
            self.language,
            &[
                outer.map_or(prefix, |symbol| symbol.qualified.as_str()),
                receiver.as_deref().unwrap_or(""),
            ],
            &name,
        );
        let name = self.short(kind, name);
        Symbol {
            visibility: self
                .explicit_access(found, from)
                .filter(|_| !naming::says_access(&signature, &name))
                .unwrap_or_else(|| {
                    naming::visibility(self.language, kind, &name, &signature, outer)
                }),
            doc: self.doc(found, start, first),
            kind,
            qualified,
            signature,
            name,
            parent,
            receiver,
            lines: Lines::new(start + 1, last + 1),
            name_line: line_of(found.name),
            name_column: found.name.column(),
            patterns: DddPatterns::default(),
        }
    }

    /// `defmodule Ecto.Changeset` is looked for as `Changeset`; what stands before is in the qualified name.
    fn short(&self, kind: SymbolKind, name: String) -> String {
        let separator = self.language.separator;
        let nests = matches!(kind, SymbolKind::Module | SymbolKind::Class | SymbolKind::Struct)
            && matches!(separator, "." | "::" | "\\");
        match name.rsplit_once(separator) {
            Some((_, last)) if nests && !last.is_empty() => last.to_string(),
            _ => name,
        }
    }

    /// The name, its parts joined as the language does and on one line.
    fn name(&self, found: &Found<'_>) -> String {
        let part = |node: Node<'_>| match &self.text[node.byte_range()] {
            // Its marks are what a selector is about.
            selector if self.language.name == "css" => selector.trim(),
            text => naming::bare(self.language, naming::without_quotes(text)),
        };
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
            let comment =
                self.out.comments.binary_search_by_key(&(start - 1), |comment| comment.rows.0);
            // The last line above the comment that is not blank.
            let above = comment.ok().map(|index| {
                let head = &self.text[..self.out.comments[index].bytes.start];
                start
                    - memchr::memchr_iter(b'\n', &head.as_bytes()[head.trim_end().len()..]).count()
                        as u32
            });
            while let Some(last) = before.pop_if(|last| spans[*last].end <= spans[at].start) {
                let lines = &mut self.out.symbols[last].lines;
                if let Some(above) =
                    above.filter(|above| lines.end >= start && *above >= lines.start)
                {
                    lines.end = above;
                }
            }
            before.push(at);
        }
    }

    /// The innermost `@scope` around a definition that starts at or after `from`.
    fn scope_name(&self, found: &Found<'_>, from: usize) -> Option<String> {
        let bytes = found.node.byte_range();
        self.scopes
            .iter()
            .filter(|scope| {
                from <= scope.bytes.start
                    && scope.bytes.start <= bytes.start
                    && bytes.end <= scope.bytes.end
            })
            .min_by_key(|scope| scope.bytes.len())
            .map(|scope| scope.name.clone())
    }

    /// What the last `@access` word before a definition says, if it stands at or after `from`.
    fn explicit_access(&self, found: &Found<'_>, from: usize) -> Option<Visibility> {
        let at = found.node.start_byte();
        let before = self.accesses.partition_point(|access| access.bytes.start < at);
        self.accesses[..before]
            .iter()
            .rev()
            .take_while(|access| access.bytes.start >= from)
            .find(|access| access.bytes.end > at)
            .map(|access| access.visibility)
    }

    /// Whether a definition is the first of its line, so that what stands above the line is about it.
    fn heads_line(&self, found: &Found<'_>) -> bool {
        let before = &self.text[..found.node.start_byte()];
        let line = before.rfind('\n').map_or(before, |at| &before[at + 1..]);
        !line.contains(['{', '(', ',', ';'])
    }

    /// Where a signature that starts at `start` ends: before the body and the comments directly above it.
    fn signature_end(&self, found: &Found<'_>, start: usize) -> usize {
        let Some(body) =
            naming::body(&found.node, found.body).filter(|body| body.start_byte() > start)
        else {
            return naming::first_line_end(self.text, start, &found.node);
        };
        let mut end = body.start_byte();
        let before = self.out.comments.partition_point(|comment| comment.bytes.start < end);
        for comment in self.out.comments[..before].iter().rev() {
            let between = self.text.get(comment.bytes.end..end);
            if comment.bytes.start <= start || !between.is_some_and(|text| text.trim().is_empty()) {
                break;
            }
            end = comment.bytes.start;
        }
        end
    }

    /// Where a definition starts after the attributes that its node begins with.
    fn after_attributes(&self, found: &Found<'_>) -> usize {
        let mut start = found.node.start_byte();
        let from = self.out.attributes.partition_point(|attribute| attribute.bytes.start < start);
        for attribute in &self.out.attributes[from..] {
            let between = self.text.get(start..attribute.bytes.start);
            if !between.is_some_and(|text| text.trim().is_empty()) {
                break;
            }
            start = attribute.bytes.end;
        }
        start
    }

    /// The first row of the comments and attributes directly above `row`.
    fn first_row(&self, row: u32) -> u32 {
        let mut top = row;
        loop {
            let above_comment = self.comment_ending_above(top).map(|comment| comment.rows.0);
            let above_attribute = self
                .out
                .attributes
                .partition_point(|attribute| attribute.rows.0 < top)
                .checked_sub(1)
                .map(|index| &self.out.attributes[index])
                .filter(|attribute| {
                    attribute.rows.1 + 1 == top && self.ends_line(attribute.bytes.end)
                })
                .map(|attribute| attribute.rows.0);
            match above_comment.or(above_attribute) {
                Some(above) if above < top => top = above,
                _ => return top,
            }
        }
    }

    /// Whether nothing but a comment follows on the line; an attribute of something else has that behind it.
    fn ends_line(&self, at: usize) -> bool {
        let rest = &self.text[at..];
        let rest = rest[..memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len())].trim();
        rest.is_empty() || rest.starts_with("//") || rest.starts_with("# ")
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
        for index in 0..self.out.symbols.len() {
            let symbol = &self.out.symbols[index];
            let loose = symbol
                .parent
                .is_none_or(|parent| self.out.symbols[parent as usize].kind == SymbolKind::Module);
            let owner = symbol.receiver.as_ref().and_then(|receiver| types.get(receiver)).copied();
            if loose && owner.is_some_and(|owner| owner as usize != index) {
                self.out.symbols[index].parent = owner;
            }
        }
    }

    fn references(&mut self, found: &[Found<'_>], spans: &[Range<usize>], mut uses: Vec<Use<'_>>) {
        // Of the patterns that find the same use, the one that says most of it counts.
        let says = |kind| match kind {
            ReferenceKind::Base => 0,
            ReferenceKind::Call => 1,
            ReferenceKind::Type => 2,
        };
        uses.sort_by_key(|one| (one.node.start_byte(), says(one.kind), Reverse(one.members.len())));
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
            let name = naming::bare(self.language, &self.text[node.byte_range()]);
            let mut name = name.to_string();
            for member in members {
                name.push_str(self.language.separator);
                name.push_str(&self.text[member.byte_range()]);
            }
            if name.is_empty() || name.len() > 120 || self.language.is_builtin(&name, kind) {
                continue;
            }
            self.out.references.push(Reference {
                name,
                kind,
                line: node.row() + 1,
                column: node.column(),
                enclosing: open.last().copied(),
            });
        }
    }
}

fn is_test_module(symbol: &Symbol) -> bool {
    symbol.kind == SymbolKind::Module && matches!(symbol.name.as_str(), "test" | "tests")
}

/// A function inside a type is a method, and a method with its type's or an agreed name a constructor.
fn settle_kind(
    language: &Language,
    kind: SymbolKind,
    name: &str,
    parent: Option<&Symbol>,
    receiver: Option<&str>,
) -> SymbolKind {
    let holds = |kind: SymbolKind| match kind {
        SymbolKind::Type => false,
        SymbolKind::Variant => true,
        // A module of Ruby is mixed into types.
        SymbolKind::Module => language.name == "ruby",
        _ => kind.is_type(),
    };
    let owner =
        receiver.or(parent.filter(|parent| holds(parent.kind)).map(|parent| parent.name.as_str()));
    match kind {
        SymbolKind::Function | SymbolKind::Method if owner.is_some() => {
            let makes = match name {
                "__init__" | "constructor" | "__construct" => true,
                "initialize" => language.name == "ruby",
                "this" => language.name == "scala",
                _ => kind == SymbolKind::Function && owner == Some(name),
            };
            if makes { SymbolKind::Constructor } else { SymbolKind::Method }
        }
        // What stands in Rust's inline module of tests is part of the tests, helpers included.
        SymbolKind::Function if parent.is_some_and(is_test_module) => SymbolKind::Test,
        SymbolKind::Variable if naming::shouts(name) => SymbolKind::Constant,
        other => other,
    }
}

/// The lines, from 1, at which the statements of a long definition start.
fn cuts(found: &Found<'_>, lines: Lines) -> Vec<u32> {
    if lines.count() <= LONG_DEFINITION {
        return Vec::new();
    }
    let body = naming::body(&found.node, found.body).unwrap_or(found.node);
    let mut cuts = Vec::new();
    statements(body, 8, &mut cuts);
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
    for child in node.named_children() {
        cuts.push(line_of(child));
        let (first, last) = rows(child);
        if depth > 0 && last - first > LONG_DEFINITION / 2 {
            statements(child, depth - 1, cuts);
        }
    }
}
