//! PHP.

mod resolve;

use crate::language::{CommentSyntax, Language, Naming, code};

pub(super) const LANGUAGE: Language = Language {
    interpreters: &["php"],
    builtins: &["define", "parent", "self", "static"],
    comments: CommentSyntax::SLASH_OR_HASH,
    naming: Naming { separator: "\\", constructors: &["__construct"], ..Naming::DEFAULT },
    imports: Some(&resolve::RULES),
    grammar: Some(|| tree_sitter_php::LANGUAGE_PHP.into()),
    query: include_str!("query.scm"),
    ..code("php", &["php"])
};
