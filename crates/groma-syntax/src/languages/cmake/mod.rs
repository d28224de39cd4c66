//! CMake.

use crate::language::{CommentSyntax, Language, code};

pub(super) const LANGUAGE: Language = Language {
    file_names: &["CMakeLists.txt"],
    comments: CommentSyntax::HASH,
    grammar: Some(|| tree_sitter_cmake::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("cmake", &["cmake"])
};
