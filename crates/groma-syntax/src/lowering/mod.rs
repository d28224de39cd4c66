//! Lowering: from a syntax tree to references with their targets.
//!
//! A language with a [`Lowering`] records every occurrence of a name that is not local. Its function walks the tree with a
//! [`Lowerer`], which keeps the scopes, interns expressions and collects occurrences. Locals vanish: an occurrence of
//! one is no reference, and where its members are used, the expression it was declared with stands for it.
//!
//! How expressions are evaluated later, so that a lowering knows what to write:
//! - a name is a symbol of the file without a parent, then a binding of the file, then what the language's
//!   [`SharedScope`](crate::SharedScope) adds, then what wildcard bindings offer. A name that is found nowhere is external;
//!   so a lowering has to declare every local, or mark it unknown;
//! - a member of a module is such a symbol of its files, then an exported binding of theirs, then the module whose path is
//!   joined with the language's separator; if that is a file that defines a symbol of this name, it is the symbol;
//! - a member of anything else is first a symbol whose parent it is, or whose receiver has its name in the same shared
//!   scope; then a member of its bases, which are the references of kind `Base` inside of it, or whose implementor is its
//!   name; then a member of its type ([`Lowerer::set_type`]). A type that has it nowhere and whose bases are all known
//!   does not have it;
//! - a call of a callable is its type; of a type it is an instance; of a value it is what its type's function gives.

mod lowerer;
mod vocabulary;

pub(crate) use lowerer::{Lowerer, Place};
pub(crate) use vocabulary::{Codes, vocabulary};

use crate::tree::Node;

/// How the trees of a language are lowered.
pub(crate) struct Lowering {
    /// The node kinds it distinguishes. The flat tree knows the fields of their children.
    pub kinds: &'static [&'static str],
    /// The fields it asks for.
    pub fields: &'static [&'static str],
    /// Lowers a file, by its root.
    pub lower: for<'t> fn(&mut Lowerer<'t>, Node<'t>),
}
