//! Go.

mod lower;
mod resolve;

use crate::language::{Language, Naming, SharedScope, VisibilityRule, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["golang"],
    builtins: &[
        "any",
        "bool",
        "byte",
        "comparable",
        "complex128",
        "complex64",
        "error",
        "float32",
        "float64",
        "int",
        "int16",
        "int32",
        "int64",
        "int8",
        "rune",
        "string",
        "uint",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
        "uintptr",
    ],
    naming: Naming { visibility: VisibilityRule::Capital, ..Naming::DEFAULT },
    imports: Some(&resolve::RULES),
    structural_interfaces: true,
    shared_scope: SharedScope::Folder,
    lowering: Some(&lower::LOWERING),
    grammar: Some(|| tree_sitter_go::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("go", &["go"])
};
