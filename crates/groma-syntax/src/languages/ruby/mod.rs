//! Ruby.

mod resolve;

use crate::language::{CommentSyntax, Language, Naming, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["rb"],
    file_names: &["Gemfile", "Rakefile"],
    interpreters: &["ruby"],
    builtins: &[
        "alias_method",
        "attr_accessor",
        "attr_reader",
        "attr_writer",
        "autoload",
        "block_given?",
        "define_method",
        "extend",
        "include",
        "lambda",
        "load",
        "loop",
        "prepend",
        "private",
        "private_class_method",
        "private_constant",
        "proc",
        "protected",
        "public",
        "raise",
        "require",
        "require_relative",
        "super",
    ],
    comments: CommentSyntax::HASH,
    naming: Naming {
        separator: "::",
        constructors: &["initialize"],
        modules_are_mixins: true,
        ..Naming::DEFAULT
    },
    imports: Some(&resolve::RULES),
    grammar: Some(|| tree_sitter_ruby::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("ruby", &["rb", "rake", "gemspec", "ru"])
};
