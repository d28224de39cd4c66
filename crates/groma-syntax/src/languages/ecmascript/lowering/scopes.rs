//! Which names a scope binds.

use super::{Field, Kind, Script};
use crate::lowering::Lowerer;
use crate::tree::Node;
use groma_core::{Expression, ExpressionId};

/// Names of the language and of the usual environments. A use is recorded only if the file defines or imports the name.
#[rustfmt::skip]
const BUILTINS: &[&str] = &[
    "Array", "ArrayBuffer", "Awaited", "BigInt", "Boolean", "Buffer", "ConstructorParameters", "Date", "Error", "Exclude",
    "Extract", "Function", "Infinity", "InstanceType", "Iterable", "Iterator", "JSON", "Map", "Math", "NaN",
    "NonNullable", "Number", "Object", "Omit", "Parameters", "Partial", "Pick", "Promise", "PromiseLike", "Proxy",
    "RangeError", "Readonly", "ReadonlyArray", "Record", "Reflect", "RegExp", "Required", "ReturnType", "Set",
    "String", "Symbol", "SyntaxError", "TypeError", "URL", "Uint8Array", "WeakMap", "WeakSet", "arguments",
    "clearTimeout", "console", "decodeURIComponent", "document", "encodeURIComponent", "exports", "globalThis",
    "isNaN", "module", "parseFloat", "parseInt", "process", "require", "setTimeout", "undefined", "window",
];

impl<'t> Script<'t> {
    /// Declares the names that a module binds and that are no definitions, so that they are locals.
    pub(super) fn hoist_module(&mut self, lower: &mut Lowerer<'t>, root: Node<'t>) {
        let unknown = lower.unknown();
        for name in bound_in(lower, root, Vars::All) {
            let text = lower.text_of(name);
            self.own.insert(text);
            if lower.symbol_named_at(name).is_none() && !self.imports.contains_key(text) {
                lower.declare(text, unknown);
            }
        }
    }

    /// Declares what a block binds by its own statements. A definition of the file means itself.
    pub(super) fn hoist_block(&mut self, lower: &mut Lowerer<'t>, block: Node<'t>) {
        self.hoist(lower, block, Vars::None);
    }

    /// Declares what a function binds: `var` anywhere, the rest in its own statements.
    pub(super) fn hoist_function(&mut self, lower: &mut Lowerer<'t>, body: Node<'t>) {
        self.hoist(lower, body, Vars::All);
    }

    fn hoist(&mut self, lower: &mut Lowerer<'t>, node: Node<'t>, vars: Vars) {
        let unknown = lower.unknown();
        for name in bound_in(lower, node, vars) {
            let meaning = match lower.symbol_named_at(name) {
                Some(symbol) => lower.symbol(symbol),
                None => unknown,
            };
            lower.declare(lower.text_of(name), meaning);
        }
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

    /// Whether a name is one of the environment here.
    pub(super) fn is_builtin(&self, name: &str) -> bool {
        BUILTINS.binary_search(&name).is_ok() && !self.own.contains(name)
    }
}

/// Whether `var` of inner blocks counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Vars {
    All,
    None,
}

/// The names that the statements of a block bind.
fn bound_in<'t>(lower: &Lowerer<'t>, block: Node<'t>, vars: Vars) -> Vec<Node<'t>> {
    let mut names = Vec::new();
    let mut rest: Vec<(Node<'t>, bool)> = block.named_children().map(|one| (one, true)).collect();
    while let Some((node, is_direct)) = rest.pop() {
        match Kind::of(lower, node) {
            Kind::Export | Kind::Ambient if is_direct => {
                rest.extend(node.named_children().map(|one| (one, true)));
            }
            Kind::Function
            | Kind::GeneratorDeclaration
            | Kind::FunctionSignature
            | Kind::ClassDeclaration
            | Kind::AbstractClass
            | Kind::Interface
            | Kind::TypeAlias
            | Kind::Enum
            | Kind::InternalModule => {
                names.extend(Field::Name.of(lower, node).filter(|_| is_direct));
            }
            Kind::Variable => declared(lower, node, &mut names),
            Kind::Lexical if is_direct => declared(lower, node, &mut names),
            Kind::Lexical => {}
            Kind::Arrow
            | Kind::FunctionExpression
            | Kind::Generator
            | Kind::ClassExpression
            | Kind::Method
            | Kind::Object
            | Kind::Call => {}
            Kind::ForIn if vars == Vars::All => {
                let left = Field::Left.of(lower, node);
                let left = left.filter(|left| {
                    let head = lower.text.get(node.start_byte()..left.start_byte());
                    head.is_some_and(|head| head.contains("var"))
                });
                names.extend(left.into_iter().flat_map(|left| pattern_names(lower, left)));
                rest.extend(node.named_children().map(|one| (one, false)));
            }
            _ if vars == Vars::All => rest.extend(node.named_children().map(|one| (one, false))),
            _ => {}
        }
    }
    names
}

/// The names of a declaration of variables.
fn declared<'t>(lower: &Lowerer<'t>, node: Node<'t>, names: &mut Vec<Node<'t>>) {
    for declarator in node.named_children() {
        if let Some(pattern) = Field::Name.of(lower, declarator) {
            names.extend(pattern_names(lower, pattern));
        }
    }
}

/// The names that a pattern binds.
pub(super) fn pattern_names<'t>(lower: &Lowerer<'t>, pattern: Node<'t>) -> Vec<Node<'t>> {
    let mut names = Vec::new();
    let mut rest = vec![pattern];
    while let Some(node) = rest.pop() {
        match Kind::of(lower, node) {
            Kind::Identifier | Kind::ShorthandPattern => names.push(node),
            Kind::PairPattern => rest.extend(Field::Value.of(lower, node)),
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                rest.extend(Field::Left.of(lower, node));
            }
            Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern => {
                rest.extend(node.named_children());
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_built_in_names_are_ascending() {
        assert!(super::BUILTINS.is_sorted());
    }
}
