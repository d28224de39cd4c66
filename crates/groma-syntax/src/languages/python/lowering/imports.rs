//! Imports: what they bind, and the references they are.

use super::{Field, Kind, Python, Scope};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{ExpressionId, ReferenceKind};

impl<'t> Python<'t> {
    /// `import a.b` binds `a`, `import a.b as c` binds `c` to `a.b`.
    pub(super) fn import(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        for name in Field::Name.all(lower, node) {
            if Kind::of(lower, name) == Kind::AliasedImport {
                let path = Field::Name.of(lower, name).map(|path| lower.text_of(path));
                let module = lower.module(path.unwrap_or_default());
                if let Some(alias) = Field::Alias.of(lower, name) {
                    self.bind_import(lower, alias, module);
                }
            } else if let Some(first) = name.named_children().next() {
                let module = lower.module(lower.text_of(first));
                self.bind_import(lower, first, module);
            }
        }
    }

    /// `from m import a as b`
    pub(super) fn import_from(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let Some(path) = Field::ModuleName.of(lower, node) else { return };
        let module = lower.module(lower.text_of(path));
        for name in Field::Name.all(lower, node) {
            let (source, alias) = match Kind::of(lower, name) {
                Kind::AliasedImport => (Field::Name.of(lower, name), Field::Alias.of(lower, name)),
                _ => (Some(name), None),
            };
            let Some(source) = source.and_then(|source| source.named_children().next()) else {
                continue;
            };
            let target = lower.member(module, lower.text_of(source));
            lower.refer(source, ReferenceKind::Import, target);
            self.bind_import(lower, alias.unwrap_or(source), target);
        }
        let wildcard =
            node.named_children().find(|child| Kind::of(lower, *child) == Kind::WildcardImport);
        if let Some(wildcard) = wildcard {
            lower.bind("*", module, wildcard, true);
        }
    }

    fn bind_import(&mut self, lower: &mut Lowerer<'t>, name: Node<'t>, target: ExpressionId) {
        let text = lower.text_of(name);
        match self.scope() {
            Scope::Module => lower.bind(text, target, name, true),
            Scope::Class => lower.declare(text, target),
            Scope::Function => lower.assign(text, target),
        }
    }

    /// The names that `__all__` lists.
    pub(super) fn exports(&mut self, lower: &mut Lowerer<'t>, list: Node<'t>) {
        self.listed(lower, list, None);
    }

    /// The fields that `__slots__` lists.
    pub(super) fn slots(&mut self, lower: &mut Lowerer<'t>, list: Node<'t>) {
        let class = self.class.map(|class| lower.symbol(class.symbol));
        self.listed(lower, list, class);
    }

    /// Names in quotes: members of a class, or names of the file.
    fn listed(&mut self, lower: &mut Lowerer<'t>, list: Node<'t>, class: Option<ExpressionId>) {
        let mut rest = vec![list];
        while let Some(node) = rest.pop() {
            match Kind::of(lower, node) {
                Kind::StringContent => {
                    let name = lower.text_of(node);
                    let (kind, target) = match class {
                        Some(class) => (ReferenceKind::Value, lower.member(class, name)),
                        None => (ReferenceKind::Import, lower.name(name)),
                    };
                    lower.refer(node, kind, target);
                }
                Kind::List
                | Kind::Tuple
                | Kind::Parenthesized
                | Kind::String
                | Kind::BinaryOperator
                | Kind::ExpressionList => rest.extend(node.named_children()),
                _ => {
                    self.walk(lower, node);
                }
            }
        }
    }
}
