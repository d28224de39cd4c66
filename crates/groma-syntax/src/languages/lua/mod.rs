//! Lua.

mod resolve;

use crate::language::{CommentSyntax, Language, code};

pub(super) const LANGUAGE: Language = Language {
    interpreters: &["lua"],
    comments: CommentSyntax::DASH,
    imports: Some(&resolve::RULES),
    grammar: Some(|| tree_sitter_lua::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("lua", &["lua", "rockspec"])
};
