//! What an expression evaluates to.

use super::files::FileId;
use groma_core::ExpressionId;
use std::sync::Arc;

/// A definition, by its file and its index in the symbols of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Definition {
    pub file: FileId,
    pub symbol: u32,
}

/// What an expression evaluates to. Parts of containers, functions and tuples are evaluated when they are asked for.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// Nothing is known about it.
    Unknown,
    /// Something that the project does not define.
    External,
    /// A member that no type of the project defines and that a base outside of it may.
    Inherited,
    /// A member that does not exist.
    Missing,
    /// A definition.
    Definition(Definition),
    /// A value of a type.
    Instance(Definition),
    /// A module.
    Module(Module),
    /// A container of what the expression of the file means.
    Container(FileId, ExpressionId),
    /// A function that gives what the expression of the file means.
    Function(FileId, ExpressionId),
    /// A value whose members are these symbols of the file.
    Record(FileId, Vec<u32>),
    /// What the expressions of the file mean.
    Tuple(FileId, Vec<ExpressionId>),
}

impl Value {
    /// Whether it is something of the project, or made of it.
    pub fn is_found(&self) -> bool {
        !matches!(self, Self::Unknown | Self::External | Self::Inherited | Self::Missing)
    }
}

/// A module or package, as a file imports it.
#[derive(Clone, Debug)]
pub(crate) struct Module {
    /// The file that imports it.
    pub from: FileId,
    /// The path as written there, or joined from such a path and names.
    pub path: Arc<str>,
    /// The files it is made of; none if it is not of the project.
    pub files: Arc<[FileId]>,
}
