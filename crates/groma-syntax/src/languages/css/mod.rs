//! CSS.

use crate::language::{CommentSyntax, Language, Naming, code};
use crate::resolve::RELATIVE_PATHS;

pub(super) const LANGUAGE: Language = Language {
    comments: CommentSyntax::BLOCK,
    naming: Naming { separator: " ", verbatim: true, ..Naming::DEFAULT },
    imports: Some(&RELATIVE_PATHS),
    grammar: Some(|| tree_sitter_css::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("css", &["css"])
};
