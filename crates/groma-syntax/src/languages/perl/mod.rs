//! Perl.

use crate::language::{CommentSyntax, Language, Naming, VisibilityRule, code};

pub(super) const LANGUAGE: Language = Language {
    file_names: &["cpanfile"],
    interpreters: &["perl"],
    comments: CommentSyntax::HASH,
    naming: Naming { separator: "::", visibility: VisibilityRule::Underscore, ..Naming::DEFAULT },
    grammar: Some(|| arborium_perl::language().into()),
    query: include_str!("query.scm"),
    ..code("perl", &["pl", "pm", "t", "psgi"])
};
