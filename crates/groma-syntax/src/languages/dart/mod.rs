//! Dart.

mod resolve;

use crate::language::{Language, Naming, VisibilityRule, code};

pub(super) const LANGUAGE: Language = Language {
    interpreters: &["dart"],
    naming: Naming {
        visibility: VisibilityRule::Underscore,
        dollar_is_letter: true,
        ..Naming::DEFAULT
    },
    imports: Some(&resolve::RULES),
    grammar: Some(|| tree_sitter_dart::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("dart", &["dart"])
};
