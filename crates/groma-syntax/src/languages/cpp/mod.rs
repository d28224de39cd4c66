//! C++.

use crate::language::{Language, Naming, VisibilityRule, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["c++", "cxx"],
    builtins: &["const_cast", "dynamic_cast", "reinterpret_cast", "static_cast"],
    family: "c",
    naming: Naming { separator: "::", visibility: VisibilityRule::Linkage, ..Naming::DEFAULT },
    imports: Some(&super::c::IMPORTS),
    preprocess: Some(super::c::preprocess),
    grammar: Some(|| tree_sitter_cpp::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "ipp", "inl", "cu"])
};
