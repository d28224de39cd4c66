//! Functions: parameters, bodies and results.

use super::scopes::pattern_names;
use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, SymbolKind};

impl<'t> Script<'t> {
    pub(super) fn function_declaration(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let name = Field::Name.of(lower, node);
        let symbol = name.and_then(|name| lower.symbol_named_at(name));
        let this = self.constructed(lower, symbol);
        let function = self.function(lower, node, Some(this));
        if let Some(name) = name {
            self.define(lower, name, function);
        }
    }

    /// What `this` is in a plain function: a value of it, if its name says that it is a constructor.
    fn constructed(&mut self, lower: &mut Lowerer<'t>, symbol: Option<u32>) -> ExpressionId {
        let symbols = lower.symbols();
        let constructs = |symbol: &u32| {
            symbols[*symbol as usize].name.starts_with(|first: char| first.is_ascii_uppercase())
        };
        match symbol.filter(constructs) {
            Some(symbol) => {
                let function = lower.symbol(symbol);
                lower.instance(function)
            }
            None => lower.unknown(),
        }
    }

    /// Walks a function of any kind and gives it as a value. `this` is `None` for an arrow function, which has none.
    pub(super) fn function(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        this: Option<ExpressionId>,
    ) -> ExpressionId {
        let passed = self.passed.take();
        let outer = (self.this, self.branches);
        let results = std::mem::take(&mut self.results);
        self.this = this.unwrap_or(self.this);
        self.branches = 0;
        lower.open();
        self.type_parameters(lower, node);
        self.parameters(lower, node, passed);
        let declared = Field::ReturnType.of(lower, node).map(|one| self.annotation(lower, one));
        let result = Field::Body.of(lower, node).map(|body| self.body(lower, body));
        lower.close();
        (self.this, self.branches) = outer;
        self.results = results;
        let result = self.declared_or(lower, declared, result);
        lower.function(result)
    }

    /// What a body gives: its value, or what it returns.
    fn body(&mut self, lower: &mut Lowerer<'t>, body: Node<'t>) -> ExpressionId {
        if Kind::of(lower, body) != Kind::StatementBlock {
            return self.walk(lower, body);
        }
        lower.open();
        self.hoist_function(lower, body);
        self.children(lower, body);
        lower.close();
        let results = std::mem::take(&mut self.results);
        self.any(lower, &results)
    }

    pub(super) fn parameters(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        mut passed: Option<ExpressionId>,
    ) {
        let unknown = lower.unknown();
        if let Some(name) = Field::Parameter.of(lower, node) {
            lower.declare(lower.text_of(name), passed.unwrap_or(unknown));
        }
        let Some(list) = Field::Parameters.of(lower, node) else { return };
        for parameter in list.named_children() {
            let (pattern, declared, value) = match Kind::of(lower, parameter) {
                Kind::RequiredParameter | Kind::OptionalParameter => (
                    Field::Pattern.of(lower, parameter),
                    Field::TypeOf.of(lower, parameter),
                    Field::Value.of(lower, parameter),
                ),
                Kind::Comment => continue,
                _ => (Some(parameter), None, None),
            };
            self.decorators(lower, parameter);
            let declared = declared.map(|declared| self.annotation(lower, declared));
            let value = value.map(|value| self.walk(lower, value));
            let meaning = self.declared_or(lower, declared.or(passed.take()), value);
            if let Some(pattern) = pattern {
                self.parameter(lower, pattern, meaning);
            }
        }
    }

    fn decorators(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::Decorator {
                self.walk(lower, child);
            }
        }
    }

    /// Declares the names of a parameter. One that is also a field means the field.
    fn parameter(&mut self, lower: &mut Lowerer<'t>, pattern: Node<'t>, meaning: ExpressionId) {
        let unknown = lower.unknown();
        if Kind::of(lower, pattern) == Kind::This {
            self.this = meaning;
            return;
        }
        for name in pattern_names(lower, pattern) {
            let field = lower.symbol_named_at(name);
            let is_field =
                |symbol: &u32| lower.symbols()[*symbol as usize].kind == SymbolKind::Field;
            let declared = match field.filter(is_field) {
                Some(field) => lower.symbol(field),
                None => unknown,
            };
            lower.declare(lower.text_of(name), declared);
        }
        self.pattern(lower, pattern, meaning);
    }

    /// Declares the type parameters of a definition as what they are constrained to.
    pub(super) fn type_parameters(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let unknown = lower.unknown();
        let Some(list) = Field::TypeParameters.of(lower, node) else { return };
        for parameter in list.named_children() {
            if let Some(name) = Field::Name.of(lower, parameter) {
                lower.declare(lower.text_of(name), unknown);
            }
        }
        for parameter in list.named_children() {
            let constraint = Field::ConstraintOf.of(lower, parameter);
            let constraint = constraint.and_then(|one| one.named_children().next());
            let meaning = constraint.map(|one| self.annotation(lower, one));
            let default = Field::Value.of(lower, parameter);
            for default in default.into_iter().flat_map(Node::named_children) {
                self.annotation(lower, default);
            }
            if let Some((name, meaning)) = Field::Name.of(lower, parameter).zip(meaning) {
                lower.assign(lower.text_of(name), meaning);
            }
        }
    }
}
