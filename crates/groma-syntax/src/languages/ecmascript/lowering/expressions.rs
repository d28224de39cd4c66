//! Expressions: the names in them, and what they mean.

use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};

impl<'t> Script<'t> {
    pub(super) fn expression(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        match Kind::of(lower, node) {
            Kind::Identifier | Kind::TypeIdentifier => self.identifier(lower, node, kind),
            Kind::Member | Kind::NestedIdentifier => self.member_access(lower, node, kind),
            Kind::Call => self.call(lower, node),
            Kind::New => self.new_object(lower, node),
            Kind::Object => self.object(lower, node),
            Kind::Arrow => self.function(lower, node, None),
            Kind::FunctionExpression | Kind::Generator => {
                let this = lower.unknown();
                self.function(lower, node, Some(this))
            }
            Kind::ClassExpression => self.class(lower, node),
            Kind::This => self.this,
            Kind::Super => self.base,
            Kind::Assignment => self.assignment(lower, node),
            Kind::As | Kind::Satisfies => self.converted(lower, node),
            Kind::Instantiation => self.instantiation(lower, node, kind),
            Kind::TypeArguments => {
                self.annotations(lower, node);
                lower.unknown()
            }
            Kind::TypeAnnotation => self.annotation(lower, node),
            Kind::JsxOpening | Kind::JsxSelfClosing | Kind::JsxClosing => self.element(lower, node),
            Kind::True | Kind::False | Kind::Number | Kind::String | Kind::Regex => {
                lower.external()
            }
            Kind::Null | Kind::Undefined | Kind::PropertyIdentifier | Kind::PrivateProperty => {
                lower.unknown()
            }
            _ => self.composed(lower, node, kind),
        }
    }

    /// An expression whose meaning follows from its operands.
    fn composed(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let own = Kind::of(lower, node);
        let inner = match own {
            Kind::Parenthesized | Kind::NonNull | Kind::Await => kind,
            _ => ReferenceKind::Value,
        };
        let mut operands = Vec::new();
        for child in node.named_children() {
            if Kind::of(lower, child) != Kind::Comment {
                operands.push(self.walk_as(lower, child, inner));
            }
        }
        let last = operands.last().copied();
        match (own, operands.first().copied()) {
            (Kind::Parenthesized | Kind::NonNull | Kind::Await, Some(first)) => first,
            (Kind::Ternary, Some(_)) => self.any(lower, &operands[1..]),
            (Kind::Binary, Some(_)) => self.binary(lower, node, &operands),
            (Kind::Subscript, Some(first)) => self.subscript(lower, node, first),
            (Kind::Array, _) => {
                let element = self.any(lower, &operands[..operands.len().min(8)]);
                lower.container(element)
            }
            (Kind::Spread, Some(first)) => lower.element(first),
            (Kind::Template | Kind::Unary, _) => lower.external(),
            (Kind::Augmented, Some(_)) => last.unwrap_or(0),
            _ => lower.unknown(),
        }
    }

    /// `a ?? b`, `a || b` and `a && b` give an operand; other operators give something else.
    fn binary(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        operands: &[ExpressionId],
    ) -> ExpressionId {
        let (left, right) = (Field::Left.of(lower, node), Field::Right.of(lower, node));
        let between = left
            .zip(right)
            .and_then(|(left, right)| lower.text.get(left.end_byte()..right.start_byte()));
        match between {
            Some(text) if text.contains("??") || text.contains("||") => self.any(lower, operands),
            Some(text) if text.contains("&&") => operands.last().copied().unwrap_or(0),
            _ => lower.external(),
        }
    }

    /// `object["name"]` is a member, any other index an element.
    fn subscript(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        of: ExpressionId,
    ) -> ExpressionId {
        match Field::Index.of(lower, node) {
            Some(index) if Kind::of(lower, index) == Kind::String => {
                let name = self.name_of(lower, index);
                let member = lower.member(of, name);
                let fragment = index.named_children().next();
                if let Some(fragment) = fragment.filter(|one| lower.text_of(*one) == name) {
                    lower.refer_as(fragment, name, ReferenceKind::Value, member);
                }
                member
            }
            _ => lower.element(of),
        }
    }

    /// A bare name: what it means here, and a reference unless it is a variable of a function.
    pub(super) fn identifier(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let name = lower.text_of(node);
        let meaning = self.resolved(lower, name);
        let is_reference = match lower.local(name) {
            Some(local) => names_definition(lower, local, name),
            None => !self.is_builtin(name),
        };
        if is_reference {
            lower.refer(node, kind, meaning);
        }
        meaning
    }

    /// What a bare name means here.
    pub(super) fn resolved(&mut self, lower: &mut Lowerer<'t>, name: &'t str) -> ExpressionId {
        match lower.local(name) {
            Some(meaning) => meaning,
            None if self.is_builtin(name) => lower.external(),
            None => match self.required.get(name) {
                Some(module) => *module,
                None => lower.name(name),
            },
        }
    }

    fn member_access(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let (object, property) = (Field::ObjectOf.of(lower, node), Field::Property.of(lower, node));
        let Some((object, property)) = object.zip(property) else { return lower.unknown() };
        let of = self.walk(lower, object);
        let name = lower.text_of(property);
        // The exports of this file are its definitions.
        let member = match lower.text_of(object) {
            "exports" | "module.exports" if self.is_builtin("exports") => lower.name(name),
            _ => self.member_of(lower, of, name),
        };
        // What the language itself offers is not worth a reference.
        if !matches!(lower.get(of), Expression::External) {
            lower.refer(property, kind, member);
        }
        member
    }

    fn call(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        if let Some(module) = self.required(lower, node) {
            return module;
        }
        let Some(function) = Field::FunctionOf.of(lower, node) else { return lower.unknown() };
        let called = self.walk_as(lower, function, ReferenceKind::Call);
        let member = match lower.get(called).clone() {
            Expression::Member(of, name) if Kind::of(lower, function) == Kind::Member => {
                Some((of, name))
            }
            _ => None,
        };
        let passed = member.as_ref().and_then(|(of, name)| self.passed_by(lower, *of, name));
        let mut callback = None;
        for child in node.named_children() {
            if child.at == function.at {
                continue;
            }
            if Kind::of(lower, child) != Kind::Arguments {
                self.walk(lower, child);
                continue;
            }
            for argument in child.named_children() {
                let is_function =
                    matches!(Kind::of(lower, argument), Kind::Arrow | Kind::FunctionExpression);
                self.passed = passed.filter(|_| is_function);
                let meaning = self.walk(lower, argument);
                self.passed = None;
                callback = callback.or(Some(meaning).filter(|_| is_function));
            }
        }
        let result = lower.call(called);
        match member {
            Some((of, name)) => self.method_result(lower, of, &name, result, callback),
            None => result,
        }
    }

    /// What a method of a built-in container passes to a function.
    fn passed_by(
        &mut self,
        lower: &mut Lowerer<'t>,
        of: ExpressionId,
        name: &str,
    ) -> Option<ExpressionId> {
        match name {
            "map" | "forEach" | "filter" | "find" | "findLast" | "findIndex" | "some" | "every"
            | "flatMap" | "sort" => Some(lower.element(of)),
            "then" => Some(of),
            _ => None,
        }
    }

    /// What a method of a built-in container or promise gives, unless the project defines the method.
    fn method_result(
        &mut self,
        lower: &mut Lowerer<'t>,
        of: ExpressionId,
        name: &str,
        result: ExpressionId,
        callback: Option<ExpressionId>,
    ) -> ExpressionId {
        let other = match name {
            "filter" | "slice" | "concat" | "sort" | "reverse" | "values" | "flat" | "catch"
            | "finally" => of,
            "find" | "findLast" | "pop" | "shift" | "at" | "get" | "next" => lower.element(of),
            "map" | "flatMap" => match callback {
                Some(callback) => {
                    let element = lower.call(callback);
                    lower.container(element)
                }
                None => return result,
            },
            "then" => match callback {
                Some(callback) => lower.call(callback),
                None => return result,
            },
            "entries" => {
                let (key, value) = (lower.external(), lower.element(of));
                let pair = lower.tuple(vec![key, value]);
                lower.container(pair)
            }
            _ => return result,
        };
        lower.either(result, other)
    }

    fn new_object(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let Some(constructor) = Field::Constructor.of(lower, node) else { return lower.unknown() };
        let class = self.walk_as(lower, constructor, ReferenceKind::Call);
        let mut held = None;
        for child in node.named_children() {
            match Kind::of(lower, child) {
                _ if child.at == constructor.at => {}
                Kind::TypeArguments => held = self.annotations(lower, child).last().copied(),
                _ => {
                    self.children(lower, child);
                }
            }
        }
        match (lower.text_of(constructor), held) {
            ("Map" | "Set" | "WeakMap" | "WeakSet" | "Array", Some(held)) => lower.container(held),
            _ => lower.instance(class),
        }
    }

    fn assignment(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let (left, right) = (Field::Left.of(lower, node), Field::Right.of(lower, node));
        let Some((left, right)) = left.zip(right) else { return lower.unknown() };
        let property = Field::Property.of(lower, left);
        let value = match Kind::of(lower, right) {
            Kind::FunctionExpression | Kind::Generator => {
                let this = self.receiver(lower, left);
                self.function(lower, right, Some(this))
            }
            _ => self.walk(lower, right),
        };
        let text = lower.text_of(left);
        if text == "module.exports" {
            self.module_exports(lower, node, right, value);
        }
        match Kind::of(lower, left) {
            Kind::Identifier => {
                self.identifier(lower, left, ReferenceKind::Value);
                if lower.local(text).is_some_and(|local| !names_definition(lower, local, text)) {
                    self.assign(lower, text, value);
                }
            }
            Kind::ObjectPattern | Kind::ArrayPattern => self.pattern(lower, left, value),
            _ => {
                self.walk(lower, left);
                if let Some(property) = property {
                    self.define(lower, property, value);
                    self.export_member(lower, left, property);
                }
            }
        }
        value
    }

    /// What `this` is in a function that is assigned to a member: `Type.prototype.name` or `object.name`.
    fn receiver(&mut self, lower: &mut Lowerer<'t>, left: Node<'t>) -> ExpressionId {
        let Some(object) = Field::ObjectOf.of(lower, left) else { return lower.unknown() };
        if Kind::of(lower, object) == Kind::Identifier {
            return self.resolved(lower, lower.text_of(object));
        }
        let of = Field::ObjectOf.of(lower, object);
        let property = Field::Property.of(lower, object);
        match of.zip(property) {
            Some((of, property)) if lower.text_of(property) == "prototype" => {
                let class = self.resolved(lower, lower.text_of(of));
                lower.instance(class)
            }
            _ => lower.unknown(),
        }
    }

    /// `value as T` is a `T`; `as const` and `satisfies T` change nothing.
    fn converted(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let mut parts = node.named_children();
        let value = parts.next().map(|value| self.walk(lower, value));
        let to = parts.next().map(|to| self.annotation(lower, to));
        match Kind::of(lower, node) {
            Kind::Satisfies => value.unwrap_or(0),
            _ => self.declared_or(lower, to, value),
        }
    }

    /// `name<T>`
    fn instantiation(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let mut parts = node.named_children();
        let meaning = parts.next().map(|value| self.walk_as(lower, value, kind));
        for part in parts {
            self.walk(lower, part);
        }
        meaning.unwrap_or(0)
    }

    /// An element of JSX, which uses a component unless its name is that of a tag.
    fn element(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let kind = match Kind::of(lower, node) {
            Kind::JsxClosing => ReferenceKind::Value,
            _ => ReferenceKind::Call,
        };
        let name = Field::Name.of(lower, node);
        for child in node.named_children() {
            if name.is_none_or(|name| name.at != child.at) {
                self.walk(lower, child);
                continue;
            }
            let is_tag = Kind::of(lower, child) == Kind::Identifier
                && lower.text_of(child).starts_with(|first: char| first.is_ascii_lowercase());
            if !is_tag {
                self.walk_as(lower, child, kind);
            }
        }
        lower.external()
    }
}

/// Whether a local is the name of a definition or of an import, rather than of a variable.
fn names_definition(lower: &Lowerer<'_>, local: ExpressionId, name: &str) -> bool {
    match lower.get(local) {
        Expression::Symbol(symbol) => lower.symbols()[*symbol as usize].name == name,
        Expression::Module(_) => true,
        Expression::Member(of, _) => is_module(lower, *of),
        Expression::Either(first, second) => {
            matches!(lower.get(*first), Expression::Member(of, _) if is_module(lower, *of))
                && matches!(lower.get(*second), Expression::Member(..) | Expression::Module(_))
        }
        _ => false,
    }
}

/// Whether an expression is a module, or what it gives as a whole.
fn is_module(lower: &Lowerer<'_>, of: ExpressionId) -> bool {
    match lower.get(of) {
        Expression::Module(_) => true,
        Expression::Either(_, module) => matches!(lower.get(*module), Expression::Module(_)),
        _ => false,
    }
}
