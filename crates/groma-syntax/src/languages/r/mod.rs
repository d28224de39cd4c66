//! R.

use crate::language::{CommentSyntax, Language, code};
use crate::resolve::RELATIVE_PATHS;

pub(super) const LANGUAGE: Language = Language {
    aliases: &["rlang"],
    file_names: &[".Rprofile"],
    interpreters: &["Rscript"],
    comments: CommentSyntax::HASH,
    imports: Some(&RELATIVE_PATHS),
    grammar: Some(|| tree_sitter_r::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("r", &["r"])
};
