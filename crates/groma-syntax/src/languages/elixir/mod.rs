//! Elixir.

mod resolve;

use crate::language::{CommentSyntax, Language, Naming, code};

pub(super) const LANGUAGE: Language = Language {
    interpreters: &["elixir"],
    file_names: &["mix.lock"],
    comments: CommentSyntax::HASH,
    naming: Naming {
        private_keywords: &["defp", "defmacrop", "defguardp", "@typep"],
        ..Naming::DEFAULT
    },
    imports: Some(&resolve::RULES),
    grammar: Some(|| tree_sitter_elixir::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("elixir", &["ex", "exs"])
};
