//! OCaml interfaces.

use crate::language::{CommentSyntax, Language, Naming, code};

pub(super) const LANGUAGE: Language = Language {
    comments: CommentSyntax::STARRED,
    naming: Naming { module: Some(super::ocaml::module), ..Naming::DEFAULT },
    grammar: Some(|| tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE.into()),
    query: include_str!("query.scm"),
    ..code("ocaml_interface", &["mli"])
};
