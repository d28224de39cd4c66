//! Collects what the captures of all matches of a query name.

use super::definition::Definition;
use super::line_of;
use super::references::Use;
use super::trivia::{Attribute, Comment};
use crate::capture::Capture;
use crate::compiled::Compiled;
use crate::naming;
use crate::query::Captured;
use crate::tree::Node;
use groma_core::{Import, SymbolKind, Visibility};
use std::ops::Range;

/// What the matches so far have found.
#[derive(Default)]
pub(super) struct Matches<'t> {
    pub package: Option<String>,
    pub definitions: Vec<Definition<'t>>,
    pub scopes: Vec<NameScope>,
    pub access: Vec<AccessRegion>,
    pub uses: Vec<Use<'t>>,
    /// Each with its first byte: that of its member if it has one.
    pub imports: Vec<(usize, Import)>,
    pub comments: Vec<Comment>,
    pub attributes: Vec<Attribute>,
}

/// A part of the file that qualifies the names in it.
pub(super) struct NameScope {
    pub bytes: Range<usize>,
    pub name: String,
}

/// A part of the file whose definitions have a visibility unless they state another.
pub(super) struct AccessRegion {
    pub bytes: Range<usize>,
    pub visibility: Visibility,
}

impl AccessRegion {
    /// The region from a marker to the end of its parent; `None` for a marker that names no visibility.
    fn after(marker: Node<'_>, visibility: Option<Visibility>) -> Option<Self> {
        let end = marker.parent()?.end_byte();
        Some(Self { bytes: marker.start_byte()..end, visibility: visibility? })
    }
}

/// The captures of one match that are about a definition, a scope or an import.
#[derive(Default)]
struct Parts<'t> {
    definition: Option<(Node<'t>, SymbolKind)>,
    names: Vec<Node<'t>>,
    doc: Option<Node<'t>>,
    body: Option<Node<'t>>,
    signature: Option<Node<'t>>,
    receiver: Option<Node<'t>>,
    clause: Option<usize>,
    reaches: bool,
    scope: Option<Node<'t>>,
    implementor: Option<Node<'t>>,
    import: Option<(usize, Import)>,
}

impl<'t> Matches<'t> {
    /// Adds the match of the pattern with this index.
    pub fn read(
        &mut self,
        compiled: &Compiled,
        pattern: usize,
        captures: &[Captured<'t>],
        text: &str,
    ) {
        let first_use = self.uses.len();
        let mut parts = Parts::default();
        for capture in captures {
            let node = capture.node;
            match compiled.captures[usize::from(capture.index)] {
                Capture::Definition(kind) => parts.definition = Some((node, kind)),
                Capture::Name => parts.names.push(node),
                Capture::Signature => parts.signature = Some(node),
                Capture::Clause => parts.clause = Some(node.named_children().count()),
                Capture::Reaches => parts.reaches = true,
                Capture::Doc => parts.doc = Some(node),
                Capture::Body => parts.body = Some(node),
                Capture::Receiver => parts.receiver = Some(node),
                Capture::Scope => parts.scope = Some(node),
                Capture::Implementor => parts.implementor = Some(node),
                Capture::Reference(kind) => self.uses.push(Use::new(node, kind)),
                Capture::ReferenceMember => {
                    if let Some(one) = self.uses[first_use..].last_mut() {
                        one.members.push(node);
                    }
                }
                Capture::Import | Capture::ImportMember | Capture::ImportChild => {
                    let capture = compiled.captures[usize::from(capture.index)];
                    parts.read_import(capture, node, text, compiled.separator);
                }
                other => self.read_region(other, node, parts.scope, text),
            }
        }
        for one in &mut self.uses[first_use..] {
            one.implementor = parts.implementor;
        }
        self.imports.extend(parts.import.take());
        self.add_definition(parts, pattern);
    }

    /// Reads a capture that is about a part of the file, not about a name in it.
    fn read_region(
        &mut self,
        capture: Capture,
        node: Node<'t>,
        scope: Option<Node<'t>>,
        text: &str,
    ) {
        let word = &text[node.byte_range()];
        match capture {
            Capture::ScopeName => {
                let name = naming::without_sigil(word).to_string();
                self.scopes
                    .extend(scope.map(|scope| NameScope { bytes: scope.byte_range(), name }));
            }
            Capture::Package => {
                self.package.get_or_insert_with(|| word.trim().to_string());
            }
            Capture::PackagePart => {
                if let Some(package) = &mut self.package {
                    *package = format!("{package}.{}", word.trim());
                }
            }
            Capture::Access => {
                let visibility = word.trim_end_matches(':').trim().parse().ok();
                self.access.extend(AccessRegion::after(node, visibility));
            }
            Capture::AccessIs(visibility) => {
                self.access.extend(AccessRegion::after(node, Some(visibility)));
            }
            Capture::Comment => self.comments.push(Comment::new(node)),
            Capture::Attribute => self.attributes.push(Attribute::new(node)),
            _ => {}
        }
    }

    fn add_definition(&mut self, mut parts: Parts<'t>, pattern: usize) {
        let Some((node, kind)) = parts.definition else { return };
        let Some(name) = parts.names.first().copied() else { return };
        self.comments.extend(parts.doc.map(Comment::new));
        self.definitions.push(Definition {
            bytes: node.byte_range(),
            name_parts: parts.names.split_off(1),
            clauses: Vec::new(),
            node,
            kind,
            name,
            doc: parts.doc,
            body: parts.body,
            signature: parts.signature,
            receiver: parts.receiver,
            clause: parts.clause,
            reaches: parts.reaches,
            pattern,
        });
    }
}

impl Parts<'_> {
    fn read_import(&mut self, capture: Capture, node: Node<'_>, text: &str, separator: &str) {
        let word = &text[node.byte_range()];
        if capture == Capture::ImportMember {
            if let Some((start, import)) = &mut self.import {
                *start = node.start_byte();
                if !import.path.ends_with('.') {
                    import.path.push_str(separator);
                }
                import.path.push_str(word);
            }
            return;
        }
        let path = if capture == Capture::ImportChild {
            format!("self::{word}")
        } else {
            naming::import_path(word).to_string()
        };
        self.import = Some((node.start_byte(), Import { path, line: line_of(node) }));
    }
}
