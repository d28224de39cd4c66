//! Patterns: destructuring of parameters, declarations and assignments.

use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};

impl<'t> Script<'t> {
    /// Gives the names of a pattern their meanings. They are declared already.
    pub(super) fn pattern(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        lower.nested(node, |lower, node| match Kind::of(lower, node) {
            Kind::Identifier => self.bind(lower, node, value),
            Kind::ObjectPattern => {
                for child in node.named_children() {
                    self.property(lower, child, value);
                }
            }
            Kind::ArrayPattern => {
                for (at, child) in node.named_children().enumerate() {
                    let is_rest = Kind::of(lower, child) == Kind::RestPattern;
                    let item = if is_rest { value } else { item(lower, value, at) };
                    self.pattern(lower, child, item);
                }
            }
            Kind::AssignmentPattern => {
                let value = self.with_default(lower, node, value);
                if let Some(left) = Field::Left.of(lower, node) {
                    self.pattern(lower, left, value);
                }
            }
            Kind::RestPattern => {
                for child in node.named_children() {
                    self.pattern(lower, child, value);
                }
            }
            _ => {
                self.walk(lower, node);
            }
        });
    }

    /// One property of an object pattern: a use of the member, and a name for it.
    fn property(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        match Kind::of(lower, node) {
            Kind::ShorthandPattern => {
                let member = self.member_used(lower, node, value);
                self.bind(lower, node, member);
            }
            Kind::ObjectAssignmentPattern => {
                let Some(left) = Field::Left.of(lower, node) else { return };
                let member = if Kind::of(lower, left) == Kind::ShorthandPattern {
                    self.member_used(lower, left, value)
                } else {
                    lower.unknown()
                };
                let member = self.with_default(lower, node, member);
                match Kind::of(lower, left) {
                    Kind::ShorthandPattern => self.bind(lower, left, member),
                    _ => self.pattern(lower, left, member),
                }
            }
            Kind::PairPattern => {
                let (key, inner) = (Field::Key.of(lower, node), Field::Value.of(lower, node));
                let Some((key, inner)) = key.zip(inner) else { return };
                let member = match Kind::of(lower, key) {
                    Kind::PropertyIdentifier | Kind::String => self.member_used(lower, key, value),
                    _ => {
                        self.walk(lower, key);
                        lower.unknown()
                    }
                };
                self.pattern(lower, inner, member);
            }
            _ => self.pattern(lower, node, value),
        }
    }

    fn member_used(
        &mut self,
        lower: &mut Lowerer<'t>,
        key: Node<'t>,
        value: ExpressionId,
    ) -> ExpressionId {
        let name = self.name_of(lower, key);
        let member = self.member_of(lower, value, name);
        lower.refer_as(key, name, ReferenceKind::Value, member);
        member
    }

    fn with_default(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        value: ExpressionId,
    ) -> ExpressionId {
        let default = Field::Right.of(lower, node).map(|right| self.walk(lower, right));
        match default {
            Some(default) => self.any(lower, &[value, default]),
            None => value,
        }
    }

    /// Gives a name a meaning from here on.
    pub(super) fn bind(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        let name = lower.text_of(node);
        if lower.symbol_named_at(node).is_some() {
            self.define(lower, node, value);
        } else if lower.local(name).is_some() {
            self.assign(lower, name, value);
        }
    }
}

/// One value of an array.
fn item(lower: &mut Lowerer<'_>, value: ExpressionId, at: usize) -> ExpressionId {
    match lower.get(value) {
        Expression::Container(element) => *element,
        _ => lower.item(value, at),
    }
}
