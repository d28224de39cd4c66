//! Julia.

use crate::language::{CommentSyntax, Language, code};
use crate::resolve::RELATIVE_PATHS;

pub(super) const LANGUAGE: Language = Language {
    interpreters: &["julia"],
    comments: CommentSyntax::HASH,
    imports: Some(&RELATIVE_PATHS),
    grammar: Some(|| tree_sitter_julia::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("julia", &["jl"])
};
