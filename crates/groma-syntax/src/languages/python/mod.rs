//! Python.

mod lowering;
mod resolve;

use super::path_module;
use crate::language::{CommentSyntax, Language, Naming, VisibilityRule, code};
use groma_core::RelPath;

pub(super) const LANGUAGE: Language = Language {
    aliases: &["py", "python3"],
    interpreters: &["python"],
    builtins: &[
        "Any",
        "bool",
        "bytes",
        "classmethod",
        "dict",
        "float",
        "frozenset",
        "int",
        "list",
        "object",
        "property",
        "set",
        "staticmethod",
        "str",
        "super",
        "tuple",
        "type",
    ],
    comments: CommentSyntax::HASH,
    naming: Naming {
        visibility: VisibilityRule::Underscore,
        constructors: &["__init__"],
        module: Some(module),
        ..Naming::DEFAULT
    },
    imports: Some(&resolve::RULES),
    grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
    query: include_str!("query.scm"),
    lowering: Some(&lowering::LOWERING),
    ..code("python", &["py", "pyi", "pyw", "pyx"])
};

fn module(path: &RelPath) -> String {
    path_module(path, &["__init__", "__main__"], ".")
}
