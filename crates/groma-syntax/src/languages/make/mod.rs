//! Makefiles.

use crate::language::{CommentSyntax, Language, code};
use crate::resolve::RELATIVE_PATHS;

pub(super) const LANGUAGE: Language = Language {
    aliases: &["makefile", "gnumake"],
    file_names: &[
        "Makefile",
        "GNUmakefile",
        "BSDmakefile",
        "Kbuild",
        "Makefile.am",
        "Makefile.in",
        "Makefile.inc",
        "Makefile.common",
        "Makefile.include",
        "Makefile.dist",
    ],
    interpreters: &["make"],
    comments: CommentSyntax::HASH,
    imports: Some(&RELATIVE_PATHS),
    grammar: Some(|| tree_sitter_make::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("make", &["mk", "mak", "make"])
};
