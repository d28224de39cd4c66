//! Container files.

use crate::language::{CommentSyntax, Language, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["docker", "containerfile"],
    file_names: &["Dockerfile", "Dockerfile.*", "Containerfile", "Containerfile.*"],
    comments: CommentSyntax::HASH,
    grammar: Some(|| tree_sitter_containerfile::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("dockerfile", &["dockerfile", "containerfile"])
};
