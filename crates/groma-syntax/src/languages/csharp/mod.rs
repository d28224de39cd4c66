//! C#.

mod resolve;

use crate::language::{Language, Naming, VisibilityRule, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["c#", "cs"],
    builtins: &["nameof", "var"],
    naming: Naming { visibility: VisibilityRule::KeywordElseNarrow, ..Naming::DEFAULT },
    imports: Some(&resolve::RULES),
    preprocess: Some(super::c::conditions::join),
    grammar: Some(|| tree_sitter_c_sharp::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("csharp", &["cs", "csx"])
};
