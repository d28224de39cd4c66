//! HTML.

use crate::language::{CommentSyntax, Language, code};
use crate::resolve::RELATIVE_PATHS;

pub(super) const LANGUAGE: Language = Language {
    aliases: &["htm"],
    comments: CommentSyntax::MARKUP,
    imports: Some(&RELATIVE_PATHS),
    grammar: Some(|| tree_sitter_html::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("html", &["html", "htm", "xhtml"])
};
