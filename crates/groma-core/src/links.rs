//! What the occurrences of a file mean, as far as the file alone tells.
//!
//! Locals, parameters and shadowing are settled when a file is parsed; what remains depends on other files and is kept as
//! expressions, which are evaluated against the definitions of the whole project when a question is asked.

use std::sync::Arc;

/// The index of an expression in [`Links::expressions`].
pub type ExpressionId = u32;

/// What an occurrence, an import or a declared type means. Operands are expressions before it in the list.
///
/// An expression denotes a definition, a module or a value. There is no difference between a type and a value that the
/// file alone could always tell, so members are looked up in either.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// Nothing is known about it: it may be anything.
    Unknown,
    /// Something that the project does not define: a literal, a built-in type.
    External,
    /// A bare name: a definition of the file, one of its bindings, its package or the prelude.
    Name(Arc<str>),
    /// A definition of this file, by its index in its symbols.
    Symbol(u32),
    /// A module or package, as an import writes it.
    Module(Arc<str>),
    /// A member of a value, a type, a module or a package.
    Member(ExpressionId, Arc<str>),
    /// What a call gives: a value of the type if a type is called.
    Call(ExpressionId),
    /// A value of the type.
    Instance(ExpressionId),
    /// What a container holds: by index, iteration, dereference, await or unwrap.
    Element(ExpressionId),
    /// A container of such values: the inverse of an element.
    Container(ExpressionId),
    /// A function whose call gives such a value: the inverse of a call.
    Function(ExpressionId),
    /// Several values, as of a function with several results.
    Tuple(Vec<ExpressionId>),
    /// A value whose members are these symbols of the file: of a type without a name.
    Record(Vec<u32>),
    /// One of several values, from 0; the value itself if there are not several and the position is 0.
    Item(ExpressionId, u32),
    /// The first if it is found, else the second: a member of the type around it, or else a bare name.
    Either(ExpressionId, ExpressionId),
}

impl Expression {
    /// The expressions it is made of.
    pub fn operands(&self) -> impl Iterator<Item = ExpressionId> {
        let (first, second, several): (_, _, &[ExpressionId]) = match self {
            Self::Unknown
            | Self::External
            | Self::Name(_)
            | Self::Symbol(_)
            | Self::Module(_)
            | Self::Record(_) => (None, None, &[]),
            Self::Member(of, _)
            | Self::Call(of)
            | Self::Instance(of)
            | Self::Element(of)
            | Self::Container(of)
            | Self::Function(of)
            | Self::Item(of, _) => (Some(*of), None, &[]),
            Self::Either(first, second) => (Some(*first), Some(*second), &[]),
            Self::Tuple(items) => (None, None, items),
        };
        first.into_iter().chain(second).chain(several.iter().copied())
    }
}

/// A name that a file gives to something else: by an import, an alias or an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name; `*` for everything that the module offers.
    pub name: Arc<str>,
    /// What it means.
    pub target: ExpressionId,
    /// Its line.
    pub line: u32,
    /// Whether other files see it as a member of this one.
    pub exported: bool,
}

impl Binding {
    /// The name of a binding of everything that a module offers.
    pub const EVERYTHING: &str = "*";

    /// Whether it binds everything that a module offers.
    pub fn is_wildcard(&self) -> bool {
        &*self.name == Self::EVERYTHING
    }
}

/// What links the references of a file to definitions; empty for a language whose references are matched by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The expressions, each once, operands before what is made of them.
    pub expressions: Vec<Expression>,
    /// Imports, aliases and exports, in order of position.
    pub bindings: Vec<Binding>,
    /// Symbols with their types, ascending: for a callable what a call of it gives, for a field, variable or constant its
    /// value, for an alias or a named type what it stands for (as a value of it, unless it is another name of a type).
    pub types: Vec<(u32, ExpressionId)>,
}

impl Links {
    /// The declared or inferred type of a symbol.
    pub fn type_of(&self, symbol: u32) -> Option<ExpressionId> {
        let at = self.types.binary_search_by_key(&symbol, |(index, _)| *index).ok()?;
        Some(self.types[at].1)
    }

    /// The text of an expression, for tests and for people.
    pub fn show(&self, expression: ExpressionId, symbol: &dyn Fn(u32) -> String) -> String {
        self.show_within(expression, symbol, 64)
    }

    fn show_within(
        &self,
        expression: ExpressionId,
        symbol: &dyn Fn(u32) -> String,
        depth: usize,
    ) -> String {
        let Some(below) = depth.checked_sub(1) else { return "…".into() };
        let show = |operand: &ExpressionId| self.show_within(*operand, symbol, below);
        match &self.expressions[expression as usize] {
            Expression::Unknown => "?".into(),
            Expression::External => "external".into(),
            Expression::Name(name) => name.to_string(),
            Expression::Symbol(index) => format!("#{}", symbol(*index)),
            Expression::Module(path) => format!("module({path})"),
            Expression::Member(of, name) => format!("{}.{name}", show(of)),
            Expression::Call(of) => format!("{}()", show(of)),
            Expression::Instance(of) => format!("value({})", show(of)),
            Expression::Element(of) => format!("{}[]", show(of)),
            Expression::Container(of) => format!("[{}]", show(of)),
            Expression::Function(of) => format!("fn({})", show(of)),
            Expression::Tuple(items) => {
                format!("({})", items.iter().map(show).collect::<Vec<_>>().join(", "))
            }
            Expression::Record(members) => {
                let members: Vec<String> = members.iter().map(|index| symbol(*index)).collect();
                format!("record({})", members.join(", "))
            }
            Expression::Item(of, at) => format!("{}.{at}", show(of)),
            Expression::Either(first, second) => format!("{{{} | {}}}", show(first), show(second)),
        }
    }
}
