//! Haskell.

mod resolve;

use crate::language::{CommentSyntax, Language, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["hs"],
    interpreters: &["runghc", "runhaskell", "stack"],
    comments: CommentSyntax::DASH,
    imports: Some(&resolve::RULES),
    grammar: Some(|| tree_sitter_haskell::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("haskell", &["hs", "lhs", "hs-boot", "hsc"])
};
