//! Swift.

use crate::language::{Language, Naming, VisibilityRule, code};

pub(super) const LANGUAGE: Language = Language {
    builtins: &[
        "Any",
        "Bool",
        "Character",
        "Double",
        "Float",
        "Int",
        "Int16",
        "Int32",
        "Int64",
        "Int8",
        "MainActor",
        "Self",
        "String",
        "UInt",
        "UInt16",
        "UInt32",
        "UInt64",
        "UInt8",
        "Void",
        "autoclosure",
        "available",
        "discardableResult",
        "escaping",
        "frozen",
        "inlinable",
        "objc",
        "testable",
        "unknown",
        "usableFromInline",
    ],
    naming: Naming { visibility: VisibilityRule::KeywordElseInternal, ..Naming::DEFAULT },
    grammar: Some(|| tree_sitter_swift::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("swift", &["swift"])
};
