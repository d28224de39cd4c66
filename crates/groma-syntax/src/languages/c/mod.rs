//! C.

mod lower;
pub(super) mod macros;
mod resolve;

pub(super) use resolve::IMPORTS;

use crate::language::{Dialect, Language, Naming, SharedScope, VisibilityRule, code};

/// Headers of C++ often end with `.h`.
const CPP: Dialect = Dialect {
    language: "cpp",
    marks: &[b"namespace ", b"template <", b"template<", b"\nclass ", b"public:", b"std::"],
};

pub(super) const LANGUAGE: Language = Language {
    family: "c",
    naming: Naming { visibility: VisibilityRule::Linkage, ..Naming::DEFAULT },
    shared_scope: SharedScope::Program,
    imports: Some(&IMPORTS),
    preprocess: Some(macros::blank),
    dialects: &[CPP],
    grammar: Some(|| tree_sitter_c::LANGUAGE.into()),
    query: include_str!("query.scm"),
    lowering: Some(&lower::LOWERING),
    ..code("c", &["c", "h"])
};
