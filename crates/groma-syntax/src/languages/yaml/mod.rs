//! YAML.

use crate::language::{CommentSyntax, Language, data};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["yml"],
    comments: CommentSyntax::HASH,
    grammar: Some(|| tree_sitter_yaml::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..data("yaml", &["yaml", "yml"])
};
