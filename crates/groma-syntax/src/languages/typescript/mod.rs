//! TypeScript.

use super::ecmascript;
use crate::language::{Language, Naming, VisibilityRule, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["ts"],
    builtins: &["require"],
    members: ecmascript::MEMBERS,
    family: "ecmascript",
    naming: Naming {
        visibility: VisibilityRule::Export,
        dollar_is_letter: true,
        constructors: &["constructor"],
        ..Naming::DEFAULT
    },
    imports: Some(&ecmascript::IMPORTS),
    lowering: Some(&ecmascript::LOWERING),
    grammar: Some(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
    query: concat!(include_str!("../ecmascript/query.scm"), include_str!("query.scm")),
    ..code("typescript", &["ts", "mts", "cts"])
};
