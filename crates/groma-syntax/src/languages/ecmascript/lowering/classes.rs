//! Classes and interfaces, and what they extend.

use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

impl<'t> Script<'t> {
    /// Walks a class and gives it as a value.
    pub(super) fn class(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let name = Field::Name.of(lower, node);
        let named = name.and_then(|name| lower.symbol_named_at(name));
        // `const Name = class { ... }` is known by the name of the variable.
        let symbol = named.or_else(|| lower.symbol_around(node, |symbol| symbol.kind.is_type()));
        let class = match symbol {
            Some(symbol) => lower.symbol(symbol),
            None => lower.unknown(),
        };
        let outer = (self.this, self.base);
        lower.open();
        self.type_parameters(lower, node);
        self.base = lower.external();
        for child in node.named_children() {
            match Kind::of(lower, child) {
                Kind::ClassHeritage => self.base = self.heritage(lower, child),
                Kind::Decorator => {
                    self.walk(lower, child);
                }
                _ => {}
            }
        }
        let body = Field::Body.of(lower, node);
        for member in body.into_iter().flat_map(Node::named_children) {
            self.member(lower, member, class);
        }
        lower.close();
        (self.this, self.base) = outer;
        class
    }

    /// Records what a class extends and implements, and gives a value of what it extends.
    fn heritage(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let mut base = lower.external();
        for child in node.named_children() {
            match Kind::of(lower, child) {
                Kind::Extends => {
                    for value in child.named_children() {
                        if Kind::of(lower, value) == Kind::TypeArguments {
                            self.annotations(lower, value);
                        } else {
                            let class = self.walk_as(lower, value, ReferenceKind::Base);
                            base = lower.instance(class);
                        }
                    }
                }
                Kind::Implements => {
                    for one in child.named_children() {
                        self.annotation_as(lower, one, ReferenceKind::Base);
                    }
                }
                _ => {
                    let class = self.walk_as(lower, child, ReferenceKind::Base);
                    base = lower.instance(class);
                }
            }
        }
        base
    }

    pub(super) fn interface(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let name = Field::Name.of(lower, node);
        let symbol = name.and_then(|name| lower.symbol_named_at(name));
        let interface = match symbol {
            Some(symbol) => lower.symbol(symbol),
            None => lower.unknown(),
        };
        let outer = self.this;
        self.this = lower.instance(interface);
        lower.open();
        self.type_parameters(lower, node);
        for clause in node.named_children() {
            if Kind::of(lower, clause) == Kind::ExtendsType {
                for one in clause.named_children() {
                    self.annotation_as(lower, one, ReferenceKind::Base);
                }
            }
        }
        let body = Field::Body.of(lower, node);
        for member in body.into_iter().flat_map(Node::named_children) {
            self.type_member(lower, member);
        }
        lower.close();
        self.this = outer;
    }
}
