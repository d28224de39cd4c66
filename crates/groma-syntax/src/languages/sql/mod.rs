//! SQL.

use crate::language::{CommentSyntax, Language, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["postgresql", "mysql", "sqlite", "plsql"],
    comments: CommentSyntax::DASH,
    grammar: Some(|| tree_sitter_sequel::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("sql", &["sql", "ddl", "psql", "pgsql"])
};
