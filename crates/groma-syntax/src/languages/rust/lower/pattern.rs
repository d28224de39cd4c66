//! Patterns: the locals they declare, and the constants and fields they name.

use super::{Field, Kind, Rust};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

impl<'t> Rust<'t> {
    /// Declares what a pattern binds when it is matched with a value.
    pub(super) fn pattern(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        lower.nested(node, |lower, node| self.pattern_in(lower, node, value));
    }

    fn pattern_in(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        match Kind::of(lower, node) {
            Kind::Identifier => self.binding(lower, node, value),
            Kind::ScopedIdentifier => {
                self.path(lower, node, ReferenceKind::Value);
            }
            Kind::TuplePattern => {
                for (at, child) in node.named_children().enumerate() {
                    let item = lower.item(value, at);
                    self.pattern(lower, child, item);
                }
            }
            Kind::TupleStructPattern => self.tuple_struct(lower, node, value),
            Kind::StructPattern => self.struct_pattern(lower, node),
            Kind::SlicePattern => {
                let element = lower.element(value);
                for child in node.named_children() {
                    self.pattern(lower, child, element);
                }
            }
            Kind::MatchPattern => {
                let condition = Field::Condition.of(lower, node);
                for child in node.named_children() {
                    if condition.is_none_or(|condition| condition.at != child.at) {
                        self.pattern(lower, child, value);
                    }
                }
                if let Some(condition) = condition {
                    self.node(lower, condition);
                }
            }
            Kind::MutPattern
            | Kind::RefPattern
            | Kind::ReferencePattern
            | Kind::OrPattern
            | Kind::CapturedPattern => {
                for child in node.named_children() {
                    self.pattern(lower, child, value);
                }
            }
            Kind::MutableSpecifier | Kind::RemainingField => {}
            _ => {
                self.node(lower, node);
            }
        }
    }

    /// A name in a pattern: a constant or unit variant if it is capitalised, else a new local.
    fn binding(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        let name = lower.text_of(node);
        if name.starts_with(char::is_uppercase) {
            self.path(lower, node, ReferenceKind::Value);
        } else {
            lower.declare(name, value);
        }
    }

    fn tuple_struct(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        let Some(of) = Field::Type.of(lower, node) else { return };
        self.type_name(lower, of, ReferenceKind::Value);
        // What other types hold is not known.
        let held = match lower.text_of(of) {
            "Some" | "Ok" => lower.element(value),
            _ => lower.unknown(),
        };
        for child in node.named_children().filter(|child| child.at != of.at) {
            self.pattern(lower, child, held);
        }
    }

    fn struct_pattern(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(of) = Field::Type.of(lower, node) else { return };
        let is = self.type_name(lower, of, ReferenceKind::Value);
        for child in node.named_children() {
            if Kind::of(lower, child) != Kind::FieldPattern {
                continue;
            }
            let Some(name) = Field::Name.of(lower, child) else { continue };
            let text = lower.text_of(name);
            let member = lower.member(is, text);
            lower.refer(name, ReferenceKind::Value, member);
            match Field::Pattern.of(lower, child) {
                Some(pattern) => self.pattern(lower, pattern, member),
                None => lower.declare(text, member),
            }
        }
    }
}
