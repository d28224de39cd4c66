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
    members: MEMBERS,
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

/// Members of strings, containers, files and the values that tests are made of.
#[rustfmt::skip]
const MEMBERS: &[&str] = &[
    "add", "append", "call", "cancel", "clear", "close", "copy", "count", "decode", "discard", "done", "encode", "endswith",
    "error", "exists", "extend", "find", "flush", "format", "get", "group", "groups", "index", "info", "insert", "items",
    "join", "keys", "lower", "match", "name", "open", "parent", "path", "pop", "read", "readline", "remove", "replace",
    "result", "run", "search", "seek", "send", "set", "setdefault", "sort", "split", "start", "startswith", "stop",
    "strip", "sub", "tell", "update", "upper", "value", "values", "wait", "warning", "write",
];

fn module(path: &RelPath) -> String {
    path_module(path, &["__init__", "__main__"], ".")
}
