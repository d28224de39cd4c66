//! Nix.

use crate::language::{CommentSyntax, Language, code};
use crate::resolve::RELATIVE_PATHS;

pub(super) const LANGUAGE: Language = Language {
    comments: CommentSyntax::HASH,
    imports: Some(&RELATIVE_PATHS),
    grammar: Some(|| tree_sitter_nix::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("nix", &["nix"])
};
