//! Functions and classes.

use super::{Class, Field, Kind, Pending, Python, Scope};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind, SymbolKind};

impl<'t> Python<'t> {
    pub(super) fn decorated(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let mut decorators = Vec::new();
        for decorator in node.named_children() {
            if Kind::of(lower, decorator) != Kind::Decorator {
                continue;
            }
            for expression in decorator.named_children() {
                self.walk_as(lower, expression, ReferenceKind::Call);
                decorators.push(last_name(lower.text_of(expression)));
            }
        }
        let Some(definition) = Field::DefinitionOf.of(lower, node) else { return };
        match Kind::of(lower, definition) {
            Kind::Function => self.function(lower, definition, &decorators),
            _ => {
                self.walk(lower, definition);
            }
        }
    }

    /// Walks the head of a function, and its body now or when the class around it is closed.
    pub(super) fn function(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        decorators: &[&'t str],
    ) {
        let class = self.class.filter(|_| self.scope() == Scope::Class);
        let variables = self.type_parameters(lower, node);
        let receiver = class.map(|class| {
            let class = lower.symbol(class.symbol);
            match decorators {
                _ if decorators.contains(&"staticmethod") => lower.unknown(),
                _ if decorators.contains(&"classmethod") => class,
                _ if is_class_method(lower, node) => class,
                _ => lower.instance(class),
            }
        });
        let parameters = match Field::Parameters.of(lower, node) {
            Some(list) => self.parameters(lower, list, receiver),
            None => Vec::new(),
        };
        let declared =
            Field::ReturnType.of(lower, node).map(|result| self.annotation(lower, result));
        if variables {
            lower.close();
        }
        let is_context =
            decorators.iter().any(|one| matches!(*one, "contextmanager" | "asynccontextmanager"));
        let function =
            Pending { node, parameters, class: class.or(self.class), declared, is_context };
        if let Some(name) = Field::Name.of(lower, node) {
            self.bind_definition(lower, name);
        }
        match self.scope() {
            Scope::Class => self.pending.push(function),
            _ => self.body(lower, function),
        }
    }

    /// Makes a nested function or class known to the scope around it.
    fn bind_definition(&mut self, lower: &mut Lowerer<'t>, name: Node<'t>) {
        let Some(symbol) = lower.symbol_named_at(name) else { return };
        let meaning = lower.symbol(symbol);
        match self.scope() {
            Scope::Module => {}
            Scope::Class => lower.declare(lower.text_of(name), meaning),
            Scope::Function => lower.assign(lower.text_of(name), meaning),
        }
    }

    fn body(&mut self, lower: &mut Lowerer<'t>, function: Pending<'t>) {
        let Some(body) = Field::Body.of(lower, function.node) else { return };
        let outer = (self.class, self.branches);
        let results = (std::mem::take(&mut self.results), std::mem::take(&mut self.yields));
        (self.class, self.branches) = (function.class, 0);
        self.scopes.push(Scope::Function);
        lower.open();
        self.hoist_function(lower, body);
        for (name, meaning) in &function.parameters {
            lower.declare(name, *meaning);
        }
        self.walk(lower, body);
        lower.close();
        self.scopes.pop();
        (self.class, self.branches) = outer;
        let found = std::mem::replace(&mut self.results, results.0);
        let yields = std::mem::replace(&mut self.yields, results.1);
        let name = Field::Name.of(lower, function.node);
        if let Some(symbol) = name.and_then(|name| lower.symbol_named_at(name)) {
            let result = self.result_type(lower, &function, &found, &yields);
            lower.set_type(symbol, result);
        }
    }

    /// What a call gives, by annotation or else by what is returned and yielded.
    fn result_type(
        &mut self,
        lower: &mut Lowerer<'t>,
        function: &Pending<'t>,
        results: &[ExpressionId],
        yields: &[ExpressionId],
    ) -> ExpressionId {
        let declared = function.declared.filter(|declared| !lower.is_unknown(*declared));
        let is_generator = !yields.is_empty();
        let result = match declared {
            Some(declared) => declared,
            None if is_generator => {
                let element = self.any(lower, yields);
                lower.container(element)
            }
            None => self.any(lower, results),
        };
        if function.is_context { lower.element(result) } else { result }
    }

    /// The names of parameters with what they mean. `receiver` is the meaning of the first one.
    pub(super) fn parameters(
        &mut self,
        lower: &mut Lowerer<'t>,
        list: Node<'t>,
        receiver: Option<ExpressionId>,
    ) -> Vec<(&'t str, ExpressionId)> {
        let mut found = Vec::new();
        for (at, parameter) in list.named_children().enumerate() {
            let kind = Kind::of(lower, parameter);
            let declared =
                Field::TypeOf.of(lower, parameter).map(|one| self.annotation(lower, one));
            let default = Field::Value.of(lower, parameter).map(|value| self.walk(lower, value));
            let name = match kind {
                Kind::Identifier => Some(parameter),
                Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                    Field::Name.of(lower, parameter)
                }
                _ => parameter.named_children().next(),
            };
            let Some(name) = name else { continue };
            let receiver = receiver.filter(|_| at == 0);
            let meaning = receiver.or(declared).or(default).unwrap_or_else(|| lower.unknown());
            let (name, meaning) = self.splat(lower, kind, name, meaning);
            found.push((name, meaning));
        }
        found
    }

    /// `*name: T` is a container of its type.
    fn splat(
        &mut self,
        lower: &mut Lowerer<'t>,
        kind: Kind,
        name: Node<'t>,
        meaning: ExpressionId,
    ) -> (&'t str, ExpressionId) {
        let is_splat = |kind| matches!(kind, Kind::ListSplatPattern | Kind::DictionarySplatPattern);
        if is_splat(kind) {
            return (lower.text_of(name), lower.external());
        }
        if !is_splat(Kind::of(lower, name)) {
            return (lower.text_of(name), meaning);
        }
        let inner = name.named_children().next().unwrap_or(name);
        (lower.text_of(inner), lower.container(meaning))
    }

    /// Opens a scope with the type parameters of a definition, if it has any.
    fn type_parameters(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> bool {
        let Some(list) = Field::TypeParameters.of(lower, node) else { return false };
        lower.open();
        let unknown = lower.unknown();
        for parameter in list.named_children() {
            let Some(name) = parameter.named_leaves().next() else { continue };
            lower.declare(lower.text_of(name), unknown);
            for bound in parameter.named_children() {
                if Kind::of(lower, bound) == Kind::ConstrainedType {
                    let bound = bound.named_children().nth(1);
                    bound.map(|bound| self.annotation(lower, bound));
                }
            }
        }
        true
    }

    pub(super) fn class(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let variables = self.type_parameters(lower, node);
        let bases = self.bases(lower, node);
        let name = Field::Name.of(lower, node);
        if let Some(name) = name {
            self.bind_definition(lower, name);
        }
        let symbol = name.and_then(|name| lower.symbol_named_at(name));
        let outer = (self.class, std::mem::take(&mut self.pending));
        self.class = symbol.map(|symbol| Class { symbol, bases });
        self.scopes.push(Scope::Class);
        lower.open();
        if let Some(body) = Field::Body.of(lower, node) {
            self.walk(lower, body);
        }
        lower.close();
        self.scopes.pop();
        for function in std::mem::take(&mut self.pending) {
            self.body(lower, function);
        }
        (self.class, self.pending) = outer;
        if variables {
            lower.close();
        }
    }

    /// Records the bases of a class and tells what a value of them is.
    fn bases(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let list = Field::Superclasses.of(lower, node);
        let mut bases = Vec::new();
        for base in list.into_iter().flat_map(Node::named_children) {
            match Kind::of(lower, base) {
                Kind::Comment => {}
                Kind::KeywordArgument => {
                    if let Some(value) = Field::Value.of(lower, base) {
                        self.walk_as(lower, value, ReferenceKind::Type);
                    }
                }
                _ => {
                    let class = self.walk_as(lower, base, ReferenceKind::Base);
                    bases.push(lower.instance(class));
                }
            }
        }
        if bases.is_empty() {
            return lower.external();
        }
        self.any(lower, &bases)
    }
}

/// The last part of a decorator's name.
fn last_name(text: &str) -> &str {
    let name = text.split('(').next().unwrap_or(text).trim();
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether a method gets the class without being decorated.
fn is_class_method(lower: &Lowerer<'_>, node: Node<'_>) -> bool {
    let name = Field::Name.of(lower, node).and_then(|name| lower.symbol_named_at(name));
    name.is_some_and(|symbol| {
        let symbol = &lower.symbols()[symbol as usize];
        symbol.kind == SymbolKind::Method
            && matches!(symbol.name.as_str(), "__new__" | "__init_subclass__" | "__class_getitem__")
    })
}
