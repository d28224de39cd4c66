//! Shell scripts.

use crate::language::{CommentSyntax, Language, code};
use crate::resolve::RELATIVE_PATHS;

pub(super) const LANGUAGE: Language = Language {
    aliases: &["sh", "shell", "zsh", "ksh"],
    file_names: &[
        ".bashrc",
        ".bash_profile",
        ".bash_aliases",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".kshrc",
        ".envrc",
        "PKGBUILD",
        "APKBUILD",
    ],
    interpreters: &["sh", "bash", "zsh", "dash", "ksh", "ash", "bats"],
    comments: CommentSyntax::HASH,
    imports: Some(&RELATIVE_PATHS),
    grammar: Some(|| tree_sitter_bash::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("bash", &["sh", "bash", "zsh", "ksh", "bats", "ebuild"])
};
