//! Which names a scope binds, and what they mean from an assignment on.

use super::{Field, Kind, Python, Scope};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{Expression, ExpressionId};
use rustc_hash::FxHashSet;

/// Functions and types of the built-in scope. A use is recorded only if the file gives the name a meaning of its own.
#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "DeprecationWarning", "Ellipsis",
    "Exception", "FileNotFoundError", "ImportError", "IndexError", "KeyError", "KeyboardInterrupt", "LookupError",
    "NotImplemented", "NotImplementedError", "OSError", "RuntimeError", "StopIteration", "SystemExit", "TypeError",
    "UnicodeDecodeError", "UserWarning", "ValueError", "__file__", "__name__", "abs", "all", "any", "bool",
    "bytearray", "bytes", "callable", "chr", "classmethod", "dict", "dir", "enumerate", "filter", "float",
    "frozenset", "getattr", "globals", "hasattr", "hash", "id", "int", "isinstance", "issubclass", "iter", "len",
    "list", "map", "max", "memoryview", "min", "next", "object", "open", "ord", "print", "property", "range",
    "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod", "str", "sum", "super",
    "tuple", "type", "vars", "zip",
];

impl<'t> Python<'t> {
    /// Declares the names that a module binds and that are neither definitions nor imports, so that they are locals.
    pub(super) fn hoist_module(&mut self, lower: &mut Lowerer<'t>, root: Node<'t>) {
        let unknown = lower.unknown();
        let mut found = Bound::default();
        found.read(lower, root);
        let kept = found.names.iter().filter(|(_, at)| {
            lower.symbol_named_at(*at).is_some() || found.imported.contains(lower.text_of(*at))
        });
        let kept: FxHashSet<&str> = kept.map(|(name, _)| *name).collect();
        for (name, _) in &found.names {
            if !kept.contains(name) && lower.local(name).is_none() {
                lower.declare(name, unknown);
            }
        }
        self.own = found.names.iter().map(|(name, _)| *name).collect();
        self.own.extend(found.imported);
        self.has_wildcard = found.has_wildcard;
    }

    /// Declares what a function binds anywhere in its body.
    pub(super) fn hoist_function(&mut self, lower: &mut Lowerer<'t>, body: Node<'t>) {
        let unknown = lower.unknown();
        let mut found = Bound::default();
        found.read(lower, body);
        let mut known: FxHashSet<&str> = found.outer.iter().copied().collect();
        let imported = found.imported.iter().copied();
        for name in found.names.iter().map(|(name, _)| *name).chain(imported) {
            if known.insert(name) {
                lower.declare(name, unknown);
            }
        }
    }

    /// Gives the name at `node` a meaning from here on.
    pub(super) fn bind(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, value: ExpressionId) {
        let name = lower.text_of(node);
        let symbol = lower.symbol_named_at(node);
        if let Some(symbol) = symbol {
            let is_callable = lower.symbols()[symbol as usize].kind.is_callable();
            let result = if is_callable { lower.call(value) } else { value };
            lower.set_type(symbol, result);
        }
        match (self.scope(), symbol) {
            (Scope::Class, Some(symbol)) => {
                let meaning = lower.symbol(symbol);
                lower.declare(name, meaning);
            }
            (Scope::Class, None) => lower.declare(name, value),
            (Scope::Module, Some(_)) => {}
            (_, None) if lower.local(name).is_none() => self.rebind(lower, node),
            _ => self.assign(lower, name, value),
        }
    }

    /// A name of the module that is assigned again.
    fn rebind(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>) {
        let target = lower.name(lower.text_of(node));
        lower.refer(node, groma_core::ReferenceKind::Value, target);
    }

    /// Assigns to a local. In a branch the value before remains possible.
    pub(super) fn assign(&mut self, lower: &mut Lowerer<'t>, name: &'t str, value: ExpressionId) {
        let before = lower.local(name).filter(|_| self.branches > 0);
        let value = match before {
            Some(before) if !matches!(lower.get(before), Expression::External) => {
                lower.either(value, before)
            }
            _ => value,
        };
        lower.assign(name, value);
    }

    pub(super) fn scope(&self) -> Scope {
        self.scopes.last().copied().unwrap_or(Scope::Module)
    }

    /// Whether a name is one of the built-in scope here.
    pub(super) fn is_builtin(&self, name: &str) -> bool {
        !self.has_wildcard && BUILTINS.binary_search(&name).is_ok() && !self.own.contains(name)
    }
}

/// The names that a scope binds.
#[derive(Default)]
struct Bound<'t> {
    names: Vec<(&'t str, Node<'t>)>,
    imported: FxHashSet<&'t str>,
    /// Names that belong to an outer scope by declaration.
    outer: Vec<&'t str>,
    has_wildcard: bool,
}

impl<'t> Bound<'t> {
    /// Collects the names below a node, without what belongs to scopes within.
    fn read(&mut self, lower: &Lowerer<'t>, node: Node<'t>) {
        let mut rest = vec![node];
        while let Some(node) = rest.pop() {
            match Kind::of(lower, node) {
                Kind::Function | Kind::Class => {
                    self.add(lower, Field::Name.of(lower, node));
                    continue;
                }
                Kind::Lambda
                | Kind::ListComprehension
                | Kind::SetComprehension
                | Kind::DictionaryComprehension
                | Kind::Generator
                | Kind::Type
                | Kind::ArgumentList => continue,
                Kind::Import | Kind::ImportFrom => self.import(lower, node),
                Kind::Assignment | Kind::AugmentedAssignment | Kind::For => {
                    self.targets(lower, Field::Left.of(lower, node));
                }
                Kind::NamedExpression => self.add(lower, Field::Name.of(lower, node)),
                Kind::AsPattern | Kind::Except => self.alias(lower, node),
                Kind::CasePattern | Kind::KeywordPattern => self.capture(lower, node),
                Kind::SplatPattern => self.targets(lower, Some(node)),
                Kind::Global | Kind::Nonlocal => {
                    self.outer.extend(node.named_children().map(|name| lower.text_of(name)));
                }
                _ => {}
            }
            rest.extend(node.named_children());
        }
    }

    fn add(&mut self, lower: &Lowerer<'t>, name: Option<Node<'t>>) {
        self.names.extend(name.map(|node| (lower.text_of(node), node)));
    }

    /// The names in the target of an assignment.
    fn targets(&mut self, lower: &Lowerer<'t>, target: Option<Node<'t>>) {
        let mut rest: Vec<Node<'t>> = target.into_iter().collect();
        while let Some(node) = rest.pop() {
            match Kind::of(lower, node) {
                Kind::Identifier => self.add(lower, Some(node)),
                Kind::PatternList
                | Kind::TuplePattern
                | Kind::ListPattern
                | Kind::ListSplatPattern
                | Kind::SplatPattern
                | Kind::Tuple
                | Kind::List
                | Kind::Parenthesized
                | Kind::AsPatternTarget => rest.extend(node.named_children()),
                _ => {}
            }
        }
    }

    fn alias(&mut self, lower: &Lowerer<'t>, node: Node<'t>) {
        match Field::Alias.of(lower, node) {
            Some(alias) => self.targets(lower, Some(alias)),
            // `case X() as name` has no field.
            None if Kind::of(lower, node) == Kind::AsPattern => {
                self.targets(lower, node.named_children().last());
            }
            None => {}
        }
    }

    /// A bare name in a pattern is bound; a dotted one is compared with.
    fn capture(&mut self, lower: &Lowerer<'t>, node: Node<'t>) {
        let name = node.named_children().last();
        let name = name.filter(|name| Kind::of(lower, *name) == Kind::DottedName);
        let mut parts = name.into_iter().flat_map(Node::named_children);
        if let (Some(one), None) = (parts.next(), parts.next()) {
            self.add(lower, Some(one));
        }
    }

    fn import(&mut self, lower: &Lowerer<'t>, node: Node<'t>) {
        for name in Field::Name.all(lower, node) {
            let bound = match Kind::of(lower, name) {
                Kind::AliasedImport => Field::Alias.of(lower, name),
                _ => name.named_children().next(),
            };
            self.imported.extend(bound.map(|bound| lower.text_of(bound)));
        }
        self.has_wildcard |=
            node.named_children().any(|child| Kind::of(lower, child) == Kind::WildcardImport);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_built_in_names_are_ascending() {
        assert!(super::BUILTINS.is_sorted());
    }
}
