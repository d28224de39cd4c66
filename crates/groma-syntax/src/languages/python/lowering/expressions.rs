//! Expressions: the names in them, and what they mean.

use super::{Field, Kind, Python};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{Expression, ExpressionId, ReferenceKind};

impl<'t> Python<'t> {
    pub(super) fn expression(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        match Kind::of(lower, node) {
            Kind::Identifier => self.identifier(lower, node, kind),
            Kind::Attribute => self.attribute(lower, node, kind),
            Kind::Call => self.call(lower, node),
            Kind::Subscript => self.subscript(lower, node, kind),
            Kind::Assignment => self.assignment(lower, node),
            Kind::AugmentedAssignment => self.augmented(lower, node),
            Kind::NamedExpression => self.named_expression(lower, node),
            Kind::Lambda => self.lambda(lower, node),
            Kind::ListComprehension
            | Kind::SetComprehension
            | Kind::DictionaryComprehension
            | Kind::Generator => self.comprehension(lower, node),
            Kind::KeywordArgument => match Field::Value.of(lower, node) {
                Some(value) => self.walk(lower, value),
                None => lower.unknown(),
            },
            Kind::Pair => {
                node.named_children().map(|one| self.walk(lower, one)).last().unwrap_or(0)
            }
            Kind::Yield => self.yielded(lower, node),
            Kind::Type => self.annotation(lower, node),
            Kind::None | Kind::Ellipsis => lower.unknown(),
            Kind::True | Kind::False | Kind::Integer | Kind::Float => lower.external(),
            _ => self.composed(lower, node),
        }
    }

    /// An expression whose meaning follows from its operands.
    fn composed(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let kind = Kind::of(lower, node);
        let mut operands = Vec::new();
        for child in node.named_children() {
            if Kind::of(lower, child) != Kind::Comment {
                operands.push(self.walk(lower, child));
            }
        }
        let first = operands.first().copied();
        match (kind, first) {
            (Kind::Await | Kind::Parenthesized, Some(first)) => first,
            (Kind::Conditional, Some(first)) => {
                let other = operands.last().copied().unwrap_or(first);
                self.any(lower, &[first, other])
            }
            (Kind::BooleanOperator, _) => self.any(lower, &operands),
            (Kind::BinaryOperator, _) => {
                let is_external = operands.iter().any(|one| is_external(lower, *one));
                if is_external { lower.external() } else { lower.unknown() }
            }
            (Kind::Tuple | Kind::ExpressionList, Some(_)) => lower.tuple(operands),
            (Kind::List | Kind::Set | Kind::Dictionary, _) => {
                let element = self.any(lower, &operands[..operands.len().min(8)]);
                lower.container(element)
            }
            (Kind::String | Kind::ConcatenatedString | Kind::Comparison | Kind::Not, _) => {
                lower.external()
            }
            _ => lower.unknown(),
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
            None => lower.name(name),
        }
    }

    fn attribute(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let (object, name) = (Field::Object.of(lower, node), Field::AttributeName.of(lower, node));
        let (Some(object), Some(name)) = (object, name) else { return lower.unknown() };
        let of = self.walk(lower, object);
        let member = match lower.text_of(name) {
            "__class__" => class_of(lower, of),
            text => lower.member(of, text),
        };
        // What the language itself offers is not worth a reference.
        if !is_external(lower, of) {
            lower.refer(name, kind, member);
        }
        member
    }

    fn call(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let Some(function) = Field::FunctionOf.of(lower, node) else { return lower.unknown() };
        let called = self.walk_as(lower, function, ReferenceKind::Call);
        let arguments = Field::Arguments.of(lower, node);
        let is_list = arguments.is_some_and(|list| Kind::of(lower, list) == Kind::ArgumentList);
        let values: Vec<Node<'t>> = match arguments {
            Some(list) if is_list => list.named_children().collect(),
            other => other.into_iter().collect(),
        };
        let text = lower.text_of(function);
        if text == "cast" || text.ends_with(".cast") {
            let mut values = values.into_iter();
            let meaning = values.next().map(|to| self.annotation(lower, to));
            for value in values {
                self.walk(lower, value);
            }
            return meaning.unwrap_or_else(|| lower.unknown());
        }
        let values: Vec<ExpressionId> =
            values.into_iter().map(|value| self.walk(lower, value)).collect();
        self.special(lower, function, text, called, &values)
    }

    /// What a call gives: functions of the language first.
    fn special(
        &mut self,
        lower: &mut Lowerer<'t>,
        function: Node<'t>,
        text: &str,
        called: ExpressionId,
        values: &[ExpressionId],
    ) -> ExpressionId {
        let first = values.first().copied();
        match (text, first) {
            ("super", _) => match self.class {
                Some(class) => class.bases,
                None => lower.unknown(),
            },
            ("type", Some(first)) if values.len() == 1 => class_of(lower, first),
            ("list" | "set" | "tuple" | "sorted" | "reversed" | "iter", Some(first)) => first,
            ("next", Some(first)) => lower.element(first),
            ("enumerate", Some(first)) => {
                let (number, element) = (lower.external(), lower.element(first));
                let pair = lower.tuple(vec![number, element]);
                lower.container(pair)
            }
            ("zip", Some(_)) => {
                let items = values.iter().map(|one| lower.element(*one)).collect();
                let items = lower.tuple(items);
                lower.container(items)
            }
            ("getattr", _) => lower.unknown(),
            _ => self.method_result(lower, function, called),
        }
    }

    /// The methods of built-in containers give what they hold, unless the project defines the method.
    fn method_result(
        &mut self,
        lower: &mut Lowerer<'t>,
        function: Node<'t>,
        called: ExpressionId,
    ) -> ExpressionId {
        let result = lower.call(called);
        let Expression::Member(of, name) = lower.get(called).clone() else { return result };
        if Kind::of(lower, function) != Kind::Attribute {
            return result;
        }
        match &*name {
            "get" | "pop" | "setdefault" | "popleft" => {
                let held = lower.element(of);
                lower.either(result, held)
            }
            "values" | "copy" => lower.either(result, of),
            "items" => {
                let (key, value) = (lower.external(), lower.element(of));
                let pair = lower.tuple(vec![key, value]);
                let pairs = lower.container(pair);
                lower.either(result, pairs)
            }
            _ => result,
        }
    }

    /// An element; for a type, the type applied to others; for a slice, the same container.
    fn subscript(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let Some(value) = Field::Value.of(lower, node) else { return lower.unknown() };
        let of = self.walk_as(lower, value, kind);
        let name = lower.text_of(value).rsplit('.').next().unwrap_or("");
        let is_type = matches!(Kind::of(lower, value), Kind::Identifier | Kind::Attribute)
            && name.starts_with(char::is_uppercase)
            && name.contains(char::is_lowercase);
        let mut is_slice = false;
        for index in Field::SubscriptOf.all(lower, node) {
            is_slice |= Kind::of(lower, index) == Kind::Slice;
            if is_type {
                self.annotation(lower, index);
            } else {
                self.walk(lower, index);
            }
        }
        if is_type || is_slice { of } else { lower.element(of) }
    }

    fn augmented(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let (left, right) = (Field::Left.of(lower, node), Field::Right.of(lower, node));
        let Some((left, right)) = left.zip(right) else { return lower.unknown() };
        self.walk(lower, left);
        if lower.text_of(left) == "__all__" {
            self.exports(lower, right);
        } else {
            self.walk(lower, right);
        }
        lower.unknown()
    }

    fn named_expression(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let Some(value) = Field::Value.of(lower, node) else { return lower.unknown() };
        let value = self.walk(lower, value);
        if let Some(name) = Field::Name.of(lower, node) {
            self.target(lower, name, value);
        }
        value
    }

    fn lambda(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let parameters = match Field::Parameters.of(lower, node) {
            Some(list) => self.parameters(lower, list, None),
            None => Vec::new(),
        };
        lower.open();
        for (name, meaning) in parameters {
            lower.declare(name, meaning);
        }
        let result = Field::Body.of(lower, node).map(|body| self.walk(lower, body));
        lower.close();
        match result {
            Some(result) => lower.function(result),
            None => lower.unknown(),
        }
    }

    fn comprehension(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        lower.open();
        let body = Field::Body.of(lower, node);
        for clause in
            node.named_children().filter(|child| body.is_none_or(|body| body.at != child.at))
        {
            if Kind::of(lower, clause) == Kind::ForIn {
                self.comprehension_clause(lower, clause);
            } else {
                self.walk(lower, clause);
            }
        }
        let element = body.map(|body| self.walk(lower, body));
        lower.close();
        match element {
            Some(element) => lower.container(element),
            None => lower.unknown(),
        }
    }

    /// `for target in iterable`, whose names belong to the comprehension.
    fn comprehension_clause(&mut self, lower: &mut Lowerer<'t>, clause: Node<'t>) {
        let unknown = lower.unknown();
        let Some(left) = Field::Left.of(lower, clause) else { return };
        let right: Vec<Node<'t>> = Field::Right.all(lower, clause).collect();
        let iterables: Vec<ExpressionId> =
            right.into_iter().map(|right| self.walk(lower, right)).collect();
        for name in left.named_leaves() {
            if Kind::of(lower, name) == Kind::Identifier {
                lower.declare(lower.text_of(name), unknown);
            }
        }
        let iterable = iterables.first().copied().unwrap_or(unknown);
        let element = lower.element(iterable);
        self.comprehension_target(lower, left, element);
    }

    fn comprehension_target(
        &mut self,
        lower: &mut Lowerer<'t>,
        target: Node<'t>,
        value: ExpressionId,
    ) {
        lower.nested(target, |lower, target| match Kind::of(lower, target) {
            Kind::Identifier => lower.assign(lower.text_of(target), value),
            Kind::PatternList | Kind::TuplePattern | Kind::ListPattern => {
                for (at, child) in target.named_children().enumerate() {
                    let item = lower.item(value, at);
                    self.comprehension_target(lower, child, item);
                }
            }
            _ => {}
        });
    }

    fn yielded(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        for child in node.named_children() {
            let value = self.walk(lower, child);
            self.yields.push(value);
        }
        lower.unknown()
    }
}

fn is_external(lower: &Lowerer<'_>, one: ExpressionId) -> bool {
    matches!(lower.get(one), Expression::External)
}

/// The class of a value.
fn class_of(lower: &mut Lowerer<'_>, value: ExpressionId) -> ExpressionId {
    match lower.get(value) {
        Expression::Instance(class) => *class,
        _ => lower.unknown(),
    }
}

/// Whether a local is the name of a definition or of an import, rather than of a variable.
fn names_definition(lower: &Lowerer<'_>, local: ExpressionId, name: &str) -> bool {
    match lower.get(local) {
        Expression::Symbol(symbol) => lower.symbols()[*symbol as usize].name == name,
        Expression::Module(_) => true,
        Expression::Member(of, _) => matches!(lower.get(*of), Expression::Module(_)),
        _ => false,
    }
}
