//! Object literals, whose members are definitions where the object is given a name.

use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

impl<'t> Script<'t> {
    pub(super) fn object(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let owner = self.record(lower, node);
        let outer = self.this;
        self.this = owner.unwrap_or_else(|| lower.unknown());
        let mut spread = None;
        for member in node.named_children() {
            match Kind::of(lower, member) {
                Kind::Pair => self.pair(lower, member),
                Kind::Method => {
                    if let Some(name) = Field::Name.of(lower, member) {
                        let function = self.function(lower, member, Some(self.this));
                        self.define_member(lower, name, function);
                        if Kind::of(lower, name) == Kind::ComputedName {
                            self.children(lower, name);
                        }
                    }
                }
                Kind::Shorthand => self.shorthand(lower, member),
                Kind::Spread => {
                    for value in member.named_children() {
                        spread = Some(self.walk(lower, value));
                    }
                }
                _ => {
                    self.walk(lower, member);
                }
            }
        }
        self.this = outer;
        match (owner, spread) {
            (Some(owner), Some(spread)) => lower.either(owner, spread),
            (Some(owner), None) => owner,
            (None, Some(spread)) => spread,
            (None, None) => lower.external(),
        }
    }

    /// The members of an object or object type that are definitions, as a value.
    pub(super) fn record(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
    ) -> Option<ExpressionId> {
        let symbols = node.named_children().filter_map(|member| {
            let key = Field::Key.of(lower, member).or_else(|| Field::Name.of(lower, member));
            lower.symbol_named_at(key.unwrap_or(member))
        });
        let symbols: Vec<u32> = symbols.collect();
        (!symbols.is_empty()).then(|| lower.record(symbols))
    }

    fn pair(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(key) = Field::Key.of(lower, node) else { return };
        if Kind::of(lower, key) == Kind::ComputedName {
            self.children(lower, key);
        }
        let Some(value) = Field::Value.of(lower, node) else { return };
        let meaning = match Kind::of(lower, value) {
            Kind::FunctionExpression | Kind::Generator => {
                self.function(lower, value, Some(self.this))
            }
            _ => self.walk(lower, value),
        };
        self.define(lower, key, meaning);
    }

    /// `{ name }` uses the variable, and is a member of that name.
    fn shorthand(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        self.identifier(lower, node, ReferenceKind::Value);
    }
}
