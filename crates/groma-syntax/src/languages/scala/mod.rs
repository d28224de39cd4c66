//! Scala.

use super::jvm;
use crate::language::{Language, Naming, code};

pub(super) const LANGUAGE: Language = Language {
    builtins: &[
        "Any", "AnyRef", "AnyVal", "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long",
        "Nothing", "Null", "Short", "String", "Unit", "super", "this",
    ],
    family: "jvm",
    naming: Naming {
        dollar_is_letter: true,
        constructors: &["this"],
        grouped_imports: true,
        ..Naming::DEFAULT
    },
    imports: Some(&jvm::MEMBERS),
    grammar: Some(|| tree_sitter_scala::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("scala", &["scala", "sc", "sbt"])
};
