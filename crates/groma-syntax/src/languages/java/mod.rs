//! Java.

mod lower;

use super::jvm;
use crate::language::{Language, Naming, SharedScope, VisibilityRule, code};

pub(super) const LANGUAGE: Language = Language {
    builtins: &[
        "Boolean", "Class", "Double", "Integer", "Long", "Object", "Override", "String", "Void",
    ],
    family: "jvm",
    naming: Naming {
        visibility: VisibilityRule::KeywordElseInternal,
        dollar_is_letter: true,
        ..Naming::DEFAULT
    },
    shared_scope: SharedScope::Package,
    imports: Some(&jvm::CLASSES),
    grammar: Some(|| tree_sitter_java::LANGUAGE.into()),
    query: include_str!("query.scm"),
    lowering: Some(&lower::LOWERING),
    ..code("java", &["java"])
};
