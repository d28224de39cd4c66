//! TOML.

use crate::language::{CommentSyntax, Language, data};

pub(super) const LANGUAGE: Language = Language {
    file_names: &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile", "Gopkg.lock"],
    comments: CommentSyntax::HASH,
    grammar: Some(|| tree_sitter_toml_ng::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..data("toml", &["toml"])
};
