//! Statements: assignments, loops, branches, handlers.

use super::{Field, Kind, Python, Scope};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

impl<'t> Python<'t> {
    /// Walks a statement; `false` if the node is an expression.
    pub(super) fn statement(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> bool {
        match Kind::of(lower, node) {
            Kind::Import => self.import(lower, node),
            Kind::ImportFrom => self.import_from(lower, node),
            Kind::Decorated => self.decorated(lower, node),
            Kind::Function => self.function(lower, node, &[]),
            Kind::Class => self.class(lower, node),
            Kind::If | Kind::Elif => self.condition(lower, node),
            Kind::For => self.for_loop(lower, node),
            Kind::While | Kind::Else => self.branched(lower, node),
            Kind::Try => self.children(lower, node),
            Kind::Except => self.handler(lower, node),
            Kind::WithItem => self.with_item(lower, node),
            Kind::Return => self.result(lower, node),
            Kind::Assert => self.assertion(lower, node),
            Kind::CaseClause => self.case(lower, node),
            Kind::TypeAlias => self.type_alias(lower, node),
            Kind::Global | Kind::Nonlocal | Kind::FutureImport | Kind::Comment => {}
            Kind::Block | Kind::ExpressionStatement | Kind::With | Kind::Match => {
                self.children(lower, node);
            }
            _ => return false,
        }
        true
    }

    fn branched(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            self.branch(lower, child);
        }
    }

    /// `if`, whose condition may tell the type of a name.
    fn condition(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let narrowed = Field::Condition.of(lower, node).and_then(|condition| {
            self.walk(lower, condition);
            self.narrowing(lower, condition)
        });
        if let Some(consequence) = Field::Consequence.of(lower, node) {
            lower.open();
            if let Some((name, meaning)) = narrowed {
                lower.declare(name, meaning);
            }
            self.branch(lower, consequence);
            let after = narrowed.and_then(|(name, _)| lower.local(name));
            lower.close();
            // What the branch assigned to the name is not lost.
            if let (Some((name, meaning)), Some(after)) = (narrowed, after)
                && after != meaning
            {
                self.branches += 1;
                self.assign(lower, name, after);
                self.branches -= 1;
            }
        }
        for alternative in Field::Alternative.all(lower, node) {
            self.walk(lower, alternative);
        }
    }

    /// `isinstance(name, Type)`: the local and its type. Operands of `and` count, too.
    fn narrowing(
        &mut self,
        lower: &mut Lowerer<'t>,
        condition: Node<'t>,
    ) -> Option<(&'t str, ExpressionId)> {
        let mut node = condition;
        while matches!(Kind::of(lower, node), Kind::Parenthesized | Kind::BooleanOperator) {
            node = node.named_children().next()?;
        }
        let function = Field::FunctionOf.of(lower, node)?;
        if Kind::of(lower, node) != Kind::Call || lower.text_of(function) != "isinstance" {
            return None;
        }
        let mut arguments = Field::Arguments.of(lower, node)?.named_children();
        let (subject, of) = (arguments.next()?, arguments.next()?);
        let name = lower.text_of(subject);
        if Kind::of(lower, subject) != Kind::Identifier || lower.local(name).is_none() {
            return None;
        }
        Some((name, self.instance_of(lower, of)))
    }

    /// A value of the class, or of one of the classes, that an expression names.
    pub(super) fn instance_of(&mut self, lower: &mut Lowerer<'t>, of: Node<'t>) -> ExpressionId {
        if Kind::of(lower, of) != Kind::Tuple {
            let class = self.walk_as(lower, of, ReferenceKind::Type);
            return lower.instance(class);
        }
        let classes: Vec<ExpressionId> = of
            .named_children()
            .map(|class| {
                let class = self.walk_as(lower, class, ReferenceKind::Type);
                lower.instance(class)
            })
            .collect();
        self.any(lower, &classes)
    }

    fn assertion(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        self.children(lower, node);
        let condition = node.named_children().next();
        if let Some((name, meaning)) = condition.and_then(|one| self.narrowing(lower, one)) {
            lower.assign(name, meaning);
        }
    }

    fn for_loop(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        self.iterate(lower, node);
        for part in [Field::Body, Field::Alternative] {
            if let Some(part) = part.of(lower, node) {
                self.branch(lower, part);
            }
        }
    }

    /// Binds the target of a loop or comprehension to what its iterable holds.
    pub(super) fn iterate(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(right) = Field::Right.of(lower, node) else { return };
        let iterable = self.walk(lower, right);
        let element = lower.element(iterable);
        if let Some(left) = Field::Left.of(lower, node) {
            self.target(lower, left, element);
        }
    }

    /// `except X as name:`
    fn handler(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        self.branches += 1;
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::AsPattern {
                let Some(class) = child.named_children().next() else { continue };
                let caught = self.instance_of(lower, class);
                if let Some(alias) = Field::Alias.of(lower, child) {
                    self.target(lower, alias, caught);
                }
            } else if matches!(
                Kind::of(lower, child),
                Kind::Identifier | Kind::Attribute | Kind::Tuple
            ) {
                self.instance_of(lower, child);
            } else {
                self.walk(lower, child);
            }
        }
        self.branches -= 1;
    }

    /// `with x as name`: what the manager's `__enter__` gives, or else the manager.
    fn with_item(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(value) = Field::Value.of(lower, node) else { return };
        if Kind::of(lower, value) != Kind::AsPattern {
            self.walk(lower, value);
            return;
        }
        let Some(manager) = value.named_children().next() else { return };
        let manager = self.walk(lower, manager);
        let mut entered = manager;
        for name in ["__aenter__", "__enter__"] {
            let method = lower.member(manager, name);
            let result = lower.call(method);
            entered = lower.either(result, entered);
        }
        if let Some(alias) = Field::Alias.of(lower, value) {
            self.target(lower, alias, entered);
        }
    }

    fn result(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            let result = self.walk(lower, child);
            self.results.push(result);
        }
    }

    /// Assigns a value to a target: a name, an attribute, an element or a pattern of them.
    pub(super) fn target(
        &mut self,
        lower: &mut Lowerer<'t>,
        target: Node<'t>,
        value: ExpressionId,
    ) {
        lower.nested(target, |lower, target| match Kind::of(lower, target) {
            Kind::Identifier => self.bind(lower, target, value),
            Kind::Attribute => self.attribute_target(lower, target, value),
            Kind::AsPatternTarget | Kind::Parenthesized | Kind::ListSplatPattern => {
                for child in target.named_children() {
                    self.target(lower, child, value);
                }
            }
            Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::Tuple
            | Kind::List => {
                for (at, child) in target.named_children().enumerate() {
                    let item = lower.item(value, at);
                    self.target(lower, child, item);
                }
            }
            _ => {
                self.walk(lower, target);
            }
        });
    }

    /// `self.name = value` defines a field the first time.
    fn attribute_target(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        let name = Field::AttributeName.of(lower, node);
        if let Some(symbol) = name.and_then(|name| lower.symbol_named_at(name)) {
            lower.set_type(symbol, value);
        }
        self.walk(lower, node);
    }

    /// `case` patterns compare with types and constants, and bind names.
    fn case(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for child in node.named_children() {
            if Kind::of(lower, child) == Kind::CasePattern {
                self.pattern(lower, child);
            } else {
                self.branch(lower, child);
            }
        }
    }

    fn pattern(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        lower.nested(node, |lower, node| match Kind::of(lower, node) {
            Kind::ClassPattern => {
                let mut parts = node.named_children();
                if let Some(class) = parts.next() {
                    self.dotted(lower, class, ReferenceKind::Type);
                }
                parts.for_each(|part| self.pattern(lower, part));
            }
            Kind::DottedName if node.named_children().nth(1).is_some() => {
                self.dotted(lower, node, ReferenceKind::Value);
            }
            Kind::DottedName | Kind::Identifier => {}
            _ => node.named_children().for_each(|part| self.pattern(lower, part)),
        });
    }

    /// A dotted name outside of an expression.
    pub(super) fn dotted(
        &mut self,
        lower: &mut Lowerer<'t>,
        node: Node<'t>,
        kind: ReferenceKind,
    ) -> ExpressionId {
        let mut parts = node.named_children();
        let Some(first) = parts.next() else { return lower.unknown() };
        let mut meaning = self.identifier(lower, first, kind);
        for part in parts {
            meaning = lower.member(meaning, lower.text_of(part));
            lower.refer(part, kind, meaning);
        }
        meaning
    }

    fn type_alias(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(right) = Field::Right.of(lower, node) else { return };
        let meaning = self.annotation(lower, right);
        let left = Field::Left.of(lower, node);
        let name = left.and_then(|left| left.named_leaves().next());
        if let Some(symbol) = name.and_then(|name| lower.symbol_named_at(name)) {
            lower.set_type(symbol, meaning);
        }
    }

    /// `left: type = right`
    pub(super) fn assignment(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> ExpressionId {
        let declared = Field::TypeOf.of(lower, node).map(|one| self.annotation(lower, one));
        let left = Field::Left.of(lower, node);
        let is_all = self.scope() == Scope::Module
            && left.is_some_and(|left| lower.text_of(left) == "__all__");
        let is_slots = self.scope() == Scope::Class
            && left.is_some_and(|left| lower.text_of(left) == "__slots__");
        let right = Field::Right.of(lower, node);
        let value = match right {
            Some(right) if is_all => {
                self.exports(lower, right);
                lower.external()
            }
            Some(right) if is_slots => {
                self.slots(lower, right);
                lower.external()
            }
            Some(right) => self.walk(lower, right),
            None => lower.unknown(),
        };
        let bound = self.type_variable(lower, right).unwrap_or(value);
        let meaning = match declared {
            Some(declared) if !lower.is_unknown(declared) => declared,
            _ => bound,
        };
        if let Some(left) = left {
            self.target(lower, left, meaning);
        }
        value
    }
}
