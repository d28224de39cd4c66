//! `groma languages`: the supported languages, their aliases and extensions.

use super::Call;
use crate::failure::Exit;
use anyhow::Result;
use clap::Args;
use groma_engine::LANGUAGES;
use serde_json::{Value, json};

const AFTER: &str = "\
Any other text file is indexed by lines, as `text`.

With --json:
  languages [{name, aliases [], extensions [], file_names [], symbols}]

Examples:
  groma languages
  groma search parse --lang py";

/// List the languages, their aliases and extensions
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct LanguagesArgs {}

/// Lists them.
pub fn run(_: &LanguagesArgs, call: &mut Call) -> Result<Exit> {
    let mut languages: Vec<_> = LANGUAGES.iter().collect();
    languages.sort_by_key(|language| language.name);
    if call.global.json {
        let list: Vec<Value> = languages
            .iter()
            .map(|language| {
                json!({
                    "name": language.name,
                    "aliases": language.aliases,
                    "extensions": language.extensions,
                    "file_names": language.file_names,
                    "symbols": language.has_symbols(),
                })
            })
            .collect();
        call.printer.json(&json!({ "languages": list }))?;
        return Ok(Exit::Fine);
    }
    let mut rows = vec![["language", "symbols", "aliases", "files"].map(String::from).to_vec()];
    for language in languages {
        let extensions = language.extensions.iter().map(|extension| format!("*.{extension}"));
        let files: Vec<String> =
            extensions.chain(language.file_names.iter().map(|name| name.to_string())).collect();
        let symbols = if language.has_symbols() { "yes" } else { "no" };
        rows.push(vec![
            language.name.into(),
            symbols.into(),
            language.aliases.join(" "),
            files.join(" "),
        ]);
    }
    call.printer.table(&rows, &[])?;
    Ok(Exit::Fine)
}
