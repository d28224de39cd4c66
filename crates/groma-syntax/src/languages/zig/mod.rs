//! Zig.

use crate::language::{Language, Naming, VisibilityRule, code};
use crate::resolve::RELATIVE_PATHS;

pub(super) const LANGUAGE: Language = Language {
    naming: Naming { visibility: VisibilityRule::KeywordElsePrivate, ..Naming::DEFAULT },
    imports: Some(&RELATIVE_PATHS),
    grammar: Some(|| tree_sitter_zig::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("zig", &["zig", "zon"])
};
