//! JSON.

use crate::language::{Language, data};

pub(super) const LANGUAGE: Language = Language {
    aliases: &["jsonc", "json5"],
    file_names: &[
        ".babelrc",
        ".eslintrc",
        ".prettierrc",
        ".swcrc",
        "composer.lock",
        "Pipfile.lock",
        "flake.lock",
    ],
    grammar: Some(|| tree_sitter_json::LANGUAGE.into()),
    query: include_str!("query.scm"),
    ..data(
        "json",
        &["json", "jsonc", "json5", "geojson", "webmanifest", "ipynb", "avsc", "jsonl", "ndjson"],
    )
};
