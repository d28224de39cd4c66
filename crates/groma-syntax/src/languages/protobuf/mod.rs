//! Protocol Buffers.

mod resolve;

use crate::language::{Language, code};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["proto", "protocol-buffers"],
    imports: Some(&resolve::RULES),
    grammar: Some(|| tree_sitter_proto::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..code("protobuf", &["proto"])
};
