//! Members of classes, interfaces and object types.

use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::ExpressionId;

impl<'t> Script<'t> {
    /// A member of a class.
    pub(super) fn member(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, class: ExpressionId) {
        let name = Field::Name.of(lower, node).or_else(|| Field::Property.of(lower, node));
        let head = name.and_then(|name| lower.text.get(node.start_byte()..name.start_byte()));
        let is_static = head.is_some_and(|head| head.split_whitespace().any(|one| one == "static"));
        self.this = if is_static { class } else { lower.instance(class) };
        match (Kind::of(lower, node), name) {
            (Kind::Method, Some(name)) => {
                self.computed(lower, name);
                let function = self.function(lower, node, Some(self.this));
                self.define_member(lower, name, function);
            }
            (Kind::Field | Kind::PublicField, Some(name)) => {
                self.computed(lower, name);
                let declared = Field::TypeOf.of(lower, node).map(|one| self.annotation(lower, one));
                let value = Field::Value.of(lower, node).map(|value| self.walk(lower, value));
                let meaning = self.declared_or(lower, declared, value);
                self.define(lower, name, meaning);
                for child in node.named_children() {
                    if Kind::of(lower, child) == Kind::Decorator {
                        self.walk(lower, child);
                    }
                }
            }
            (Kind::MethodSignature | Kind::AbstractMethod | Kind::IndexSignature, _) => {
                self.type_member(lower, node);
            }
            _ => {
                self.walk(lower, node);
            }
        }
    }

    /// Sets the result of a method. An accessor is a property, whose value is that result.
    pub(super) fn define_member(
        &mut self,
        lower: &mut Lowerer<'t>,
        name: Node<'t>,
        function: ExpressionId,
    ) {
        if let Some(symbol) = lower.symbol_named_at(name) {
            let result = lower.call(function);
            lower.set_type(symbol, result);
        }
    }

    /// `[name]() {}`
    fn computed(&mut self, lower: &mut Lowerer<'t>, name: Node<'t>) {
        if Kind::of(lower, name) == Kind::ComputedName {
            self.children(lower, name);
        }
    }

    /// A member of an interface or object type.
    pub(super) fn type_member(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let name = Field::Name.of(lower, node);
        match Kind::of(lower, node) {
            Kind::PropertySignature => {
                let declared = Field::TypeOf.of(lower, node).map(|one| self.annotation(lower, one));
                if let Some((name, declared)) = name.zip(declared) {
                    self.computed(lower, name);
                    self.define(lower, name, declared);
                }
                lower.unknown()
            }
            Kind::MethodSignature | Kind::AbstractMethod => {
                let function = self.function(lower, node, Some(self.this));
                if let Some(name) = name {
                    self.computed(lower, name);
                    self.define_member(lower, name, function);
                }
                lower.unknown()
            }
            Kind::CallSignature | Kind::ConstructSignature => {
                let function = self.function(lower, node, Some(self.this));
                let made = Field::TypeOf.of(lower, node).map(|one| self.annotation(lower, one));
                match made {
                    Some(made) => lower.function(made),
                    None => function,
                }
            }
            Kind::IndexSignature => self.index_signature(lower, node),
            _ => {
                self.children(lower, node);
                lower.unknown()
            }
        }
    }

    /// `[key: string]: T` and `[K in Keys]: T` hold values of one type.
    fn index_signature(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        lower.open();
        let unknown = lower.unknown();
        let mut held = unknown;
        let value = Field::TypeOf.of(lower, node);
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::MappedType {
                if let Some(name) = Field::Name.of(lower, child) {
                    lower.declare(lower.text_of(name), unknown);
                }
                for part in [Field::TypeOf, Field::Alias] {
                    part.of(lower, child).map(|part| self.annotation(lower, part));
                }
            } else if value.is_some_and(|value| value.at == child.at) {
                held = self.annotation(lower, child);
            } else if Kind::of(lower, child) != Kind::Identifier {
                self.annotation(lower, child);
            }
        }
        lower.close();
        lower.container(held)
    }
}
