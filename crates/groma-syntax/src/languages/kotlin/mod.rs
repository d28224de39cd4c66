//! Kotlin.

use super::jvm;
use crate::language::{Language, Naming, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["kt"],
    builtins: &[
        "Any",
        "Boolean",
        "Byte",
        "Char",
        "Double",
        "Float",
        "Int",
        "JvmStatic",
        "Long",
        "Nothing",
        "Short",
        "String",
        "Suppress",
        "Unit",
    ],
    family: "jvm",
    naming: Naming { dollar_is_letter: true, ..Naming::DEFAULT },
    imports: Some(&jvm::MEMBERS),
    grammar: Some(|| tree_sitter_kotlin_sg::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("kotlin", &["kt", "kts"])
};
