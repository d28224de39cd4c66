//! Erlang.

use crate::language::{CommentSyntax, Language, Naming, code};

pub(super) const LANGUAGE: Language = Language {
    file_names: &["rebar.config", "rebar.lock"],
    interpreters: &["escript"],
    comments: CommentSyntax::PERCENT,
    naming: Naming { separator: ":", ..Naming::DEFAULT },
    grammar: Some(|| tree_sitter_erlang::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("erlang", &["erl", "hrl", "escript"])
};
