//! HCL, the language of Terraform.

use crate::language::{CommentSyntax, Language, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["terraform", "tf", "opentofu"],
    file_names: &[".terraform.lock.hcl"],
    comments: CommentSyntax::SLASH_OR_HASH,
    grammar: Some(|| tree_sitter_hcl::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("hcl", &["tf", "tfvars", "hcl", "nomad", "tofu"])
};
