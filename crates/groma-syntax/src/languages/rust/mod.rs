//! Rust.

mod item_macros;
mod lower;
mod resolve;

use super::path_module;
use crate::language::{Language, Naming, VisibilityRule, code};
use groma_core::RelPath;

pub(super) const LANGUAGE: Language = Language {
    aliases: &["rs"],
    builtins: &["Self"],
    naming: Naming {
        separator: "::",
        visibility: VisibilityRule::KeywordElsePrivate,
        grouped_imports: true,
        module: Some(module),
        ..Naming::DEFAULT
    },
    imports: Some(&resolve::RULES),
    preprocess: Some(item_macros::open),
    grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
    query: include_str!("query.scm"),
    lowering: Some(&lower::LOWERING),
    ..code("rust", &["rs"])
};

fn module(path: &RelPath) -> String {
    path_module(path, &["mod", "lib", "main"], "::")
}
