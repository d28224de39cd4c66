//! Statements: declarations of variables, blocks, loops, branches.

use super::scopes::pattern_names;
use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

impl<'t> Script<'t> {
    /// Walks a statement; `false` if the node is none of these.
    pub(super) fn statement(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> bool {
        match Kind::of(lower, node) {
            Kind::Comment | Kind::ImportStatement => {}
            Kind::Export => self.export(lower, node),
            Kind::ImportAlias => self.import_alias(lower, node),
            Kind::VariableDeclarator => self.declarator(lower, node),
            Kind::StatementBlock | Kind::SwitchBody => self.block(lower, node),
            Kind::ForLoop => {
                lower.open();
                self.hoist_block(lower, node);
                self.branches += 1;
                self.children(lower, node);
                self.branches -= 1;
                lower.close();
            }
            Kind::ForIn => self.for_in(lower, node),
            Kind::Catch => self.catch(lower, node),
            Kind::Return => {
                for child in node.named_children() {
                    let result = self.walk(lower, child);
                    self.results.push(result);
                }
            }
            _ => return false,
        }
        true
    }

    /// A block with a scope of its own, which may not run.
    fn block(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        lower.open();
        if Kind::of(lower, node) == Kind::SwitchBody {
            for case in node.named_children() {
                self.hoist_block(lower, case);
            }
        } else {
            self.hoist_block(lower, node);
        }
        self.branches += 1;
        self.children(lower, node);
        self.branches -= 1;
        lower.close();
    }

    fn declarator(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(name) = Field::Name.of(lower, node) else { return };
        let declared = Field::TypeOf.of(lower, node).map(|one| self.annotation(lower, one));
        let node = Field::Value.of(lower, node);
        let value = node.map(|value| self.walk(lower, value));
        let meaning = self.declared_or(lower, declared, value);
        self.alias_module(lower, name, node, meaning);
        // The declaration is no branch, whatever was before.
        let branches = std::mem::take(&mut self.branches);
        self.pattern(lower, name, meaning);
        self.branches = branches;
    }

    /// `const name = require("./m")` at the top of a file is an import.
    fn alias_module(
        &mut self,
        lower: &mut Lowerer<'t>,
        name: Node<'t>,
        value: Option<Node<'t>>,
        meaning: ExpressionId,
    ) {
        let text = lower.text_of(name);
        let is_top = lower.symbol_named_at(name).is_some() && lower.local(text).is_none();
        let requires = value.is_some_and(|value| {
            let text = lower.text_of(value);
            text.strip_prefix("require(").is_some_and(|path| path.get(1..2) == Some("."))
        });
        if is_top && requires {
            self.required.insert(text, meaning);
        }
    }

    /// What a declared type says, or else the value.
    pub(super) fn declared_or(
        &mut self,
        lower: &mut Lowerer<'t>,
        declared: Option<ExpressionId>,
        value: Option<ExpressionId>,
    ) -> ExpressionId {
        let declared = declared.filter(|declared| !lower.is_unknown(*declared));
        declared.or(value).unwrap_or_else(|| lower.unknown())
    }

    fn for_in(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let (left, right) = (Field::Left.of(lower, node), Field::Right.of(lower, node));
        let Some((left, right)) = left.zip(right) else { return };
        let iterable = self.walk(lower, right);
        let between = lower.text.get(left.end_byte()..right.start_byte()).unwrap_or("");
        let is_of = between.contains("of");
        let element = if is_of { lower.element(iterable) } else { lower.external() };
        lower.open();
        let head = lower.text.get(node.start_byte()..left.start_byte()).unwrap_or("");
        if ["const", "let", "using"].iter().any(|word| head.contains(word)) {
            let unknown = lower.unknown();
            for name in pattern_names(lower, left) {
                lower.declare(lower.text_of(name), unknown);
            }
        }
        self.pattern(lower, left, element);
        if let Some(body) = Field::Body.of(lower, node) {
            self.branches += 1;
            self.walk(lower, body);
            self.branches -= 1;
        }
        lower.close();
    }

    fn catch(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        lower.open();
        let unknown = lower.unknown();
        if let Some(parameter) = Field::Parameter.of(lower, node) {
            for name in pattern_names(lower, parameter) {
                lower.declare(lower.text_of(name), unknown);
            }
        }
        if let Some(body) = Field::Body.of(lower, node) {
            self.walk(lower, body);
        }
        lower.close();
    }

    /// Walks a declaration; `false` if the node is an expression.
    pub(super) fn declaration(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) -> bool {
        match Kind::of(lower, node) {
            Kind::Function | Kind::GeneratorDeclaration | Kind::FunctionSignature => {
                self.function_declaration(lower, node);
            }
            Kind::ClassDeclaration | Kind::AbstractClass => {
                self.class(lower, node);
            }
            Kind::Interface => self.interface(lower, node),
            Kind::TypeAlias => self.type_alias(lower, node),
            Kind::Enum => {
                if let Some(body) = Field::Body.of(lower, node) {
                    self.children(lower, body);
                }
            }
            Kind::EnumAssignment => {
                let value = Field::Value.of(lower, node);
                value.map(|value| self.walk(lower, value));
            }
            Kind::InternalModule | Kind::Module => self.namespace(lower, node),
            Kind::Decorator => {
                for child in node.named_children() {
                    self.walk_as(lower, child, ReferenceKind::Call);
                }
            }
            _ => return false,
        }
        true
    }

    /// A namespace, whose members are definitions below it.
    fn namespace(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(body) = Field::Body.of(lower, node) else { return };
        lower.open();
        self.hoist_block(lower, body);
        self.children(lower, body);
        lower.close();
    }

    fn type_alias(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        lower.open();
        self.type_parameters(lower, node);
        let meaning = Field::Value.of(lower, node).map(|value| self.annotation(lower, value));
        lower.close();
        let name = Field::Name.of(lower, node);
        if let Some((symbol, meaning)) =
            name.and_then(|name| lower.symbol_named_at(name)).zip(meaning)
            && meaning != lower.symbol(symbol)
        {
            lower.set_type(symbol, meaning);
        }
    }
}
