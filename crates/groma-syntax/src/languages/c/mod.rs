//! C.

pub(super) mod conditions;
mod lower;
mod macros;
mod resolve;

pub(super) use resolve::IMPORTS;

use crate::language::{Dialect, Language, Naming, SharedScope, VisibilityRule, code};
use std::borrow::Cow;

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
    preprocess: Some(preprocess),
    dialects: &[CPP],
    grammar: Some(|| tree_sitter_c::LANGUAGE.into()),
    query: include_str!("query.scm"),
    lowering: Some(&lower::LOWERING),
    ..code("c", &["c", "h"])
};

/// Hides what the grammars of C and C++ misread.
pub(super) fn preprocess(text: &str) -> Cow<'_, str> {
    match conditions::join(text) {
        Cow::Borrowed(text) => macros::blank(text),
        Cow::Owned(text) => Cow::Owned(macros::blank(&text).into_owned()),
    }
}
