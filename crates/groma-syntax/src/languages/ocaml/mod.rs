//! OCaml.

use crate::language::{CommentSyntax, Language, Naming, code};
use groma_core::RelPath;

pub(super) const LANGUAGE: Language = Language {
    aliases: &["ml"],
    interpreters: &["ocaml"],
    comments: CommentSyntax::STARRED,
    naming: Naming { module: Some(module), ..Naming::DEFAULT },
    grammar: Some(|| tree_sitter_ocaml::LANGUAGE_OCAML.into()),
    query: include_str!("query.scm"),
    ..code("ocaml", &["ml"])
};

/// A file is a module with its name, capitalised.
pub(super) fn module(path: &RelPath) -> String {
    let mut letters = path.stem().chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
