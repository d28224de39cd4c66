//! `index_stats`: what an index holds.
//!
//! The index is not brought up to date first. Files without a grammar are not parsed, so they count neither as parsed
//! nor against the parse health.

use super::CocoTool;
use super::age::Age;
use super::answers::{self, Error};
use super::symbols::TYPES;
use super::target::find;
use super::tools::IndexStats;
use crate::host::NamedIndex;
use crate::surface::{Answer, Call};
use groma_core::ParseStatus;
use groma_core::iso;
use groma_engine::{Engine, LanguageCount, Statistics};
use serde_json::{Map, Value, json};
use std::time::SystemTime;

impl CocoTool for IndexStats {
    fn answer(self, call: &Call<'_>) -> Result<Answer, Error> {
        let names = call.context.host.names()?;
        if let Some(name) = self.index_name {
            let named = find(&names, &name)?
                .ok_or_else(|| Error::not_found(format!("Index '{name}' not found"), None))?;
            return Ok(answers::object(counted(call, named, self.include_failures)?));
        }
        let each = names.iter().map(|named| {
            // One index that cannot be read must not hide the others.
            counted(call, named, self.include_failures).unwrap_or_else(
                |error| json!({ "name": named.name, "success": false, "error": error.sentence() }),
            )
        });
        Ok(answers::list(each.collect()))
    }
}

fn counted(call: &Call<'_>, named: &NamedIndex, with_failures: bool) -> Result<Value, Error> {
    let project = call.context.host.open(&named.root)?;
    let statistics = project.engine.statistics()?.unwrap_or_default();
    let languages = by_files(&statistics);
    let committed = statistics.generation.as_ref().map(|generation| generation.committed);
    let age = committed.map(|committed| Age::of(committed, SystemTime::now()));
    let mut value = json!({
        "name": named.name,
        "file_count": languages.iter().map(|(_, count)| count.files).sum::<usize>(),
        "chunk_count": languages.iter().map(|(_, count)| count.chunks).sum::<usize>(),
        "storage_size": statistics.size.bytes,
        "storage_size_pretty": size(statistics.size.bytes),
        "created_at": iso(std::time::UNIX_EPOCH + std::time::Duration::from_secs(named.created)),
        "updated_at": committed.map(iso),
        "is_stale": age.is_none_or(Age::is_stale),
        "staleness_days": age.map_or(-1, |age| age.days as i64),
        "languages": languages.iter().map(language).collect::<Vec<_>>(),
        "symbols": symbols(&statistics),
        "parse_stats": parse_stats(&languages),
        "warnings": warnings(&project.engine, named, age),
    });
    if with_failures {
        value["parse_failures"] = failures(&statistics);
    }
    Ok(value)
}

/// The languages by number of files, descending.
fn by_files(statistics: &Statistics) -> Vec<(&str, &LanguageCount)> {
    let mut languages: Vec<(&str, &LanguageCount)> =
        statistics.languages.iter().map(|(name, count)| (name.as_str(), count)).collect();
    languages.sort_by_key(|(name, count)| (std::cmp::Reverse(count.files), *name));
    languages
}

fn language((name, count): &(&str, &LanguageCount)) -> Value {
    json!({
        "language": name,
        "file_count": count.files,
        "chunk_count": count.chunks,
        "line_count": count.lines,
    })
}

/// The number of symbols of each type that occurs.
fn symbols(statistics: &Statistics) -> Value {
    let count = |kinds: &[_]| kinds.iter().filter_map(|kind| statistics.symbols.get(kind)).sum();
    let counts = TYPES.iter().map(|(name, kinds)| (name.to_string(), count(kinds)));
    let present = counts.filter(|(_, count): &(String, usize)| *count > 0);
    present.map(|(name, count)| (name, json!(count))).collect::<Map<_, _>>().into()
}

fn parse_stats(languages: &[(&str, &LanguageCount)]) -> Value {
    let health = |count: &LanguageCount, status| count.health.get(&status).copied().unwrap_or(0);
    let all = |status| languages.iter().map(|(_, count)| health(count, status)).sum::<usize>();
    let ok = all(ParseStatus::Ok);
    // The contract knows no other failures than `error`.
    let errors = |count: &LanguageCount| {
        [ParseStatus::Error, ParseStatus::Crashed, ParseStatus::Interrupted]
            .map(|status| health(count, status))
            .iter()
            .sum::<usize>()
    };
    let failed = languages.iter().map(|(_, count)| errors(count)).sum::<usize>();
    let parsed = ok + all(ParseStatus::Partial) + failed;
    let percent = if parsed == 0 { 100.0 } else { 100.0 * ok as f64 / parsed as f64 };
    let by_language = languages.iter().map(|(name, count)| {
        let value = json!({
            "files": count.files,
            "ok": health(count, ParseStatus::Ok),
            "partial": health(count, ParseStatus::Partial),
            "error": errors(count),
            "no_grammar": health(count, ParseStatus::NoGrammar),
        });
        (name.to_string(), value)
    });
    json!({
        "parse_health_pct": (percent * 10.0).round() / 10.0,
        "total_files": parsed,
        "total_ok": ok,
        "by_language": by_language.collect::<Map<_, _>>(),
    })
}

fn warnings(engine: &Engine, named: &NamedIndex, age: Option<Age>) -> Vec<String> {
    if !named.exists {
        let gone =
            format!("The folder {} is gone; clear_index removes its index", named.root.display());
        return vec![gone];
    }
    let Some(age) = age else {
        return vec!["The index must be rebuilt: the next search or index_codebase does".into()];
    };
    // Detecting changes means a stat of every file, so do it only for an old index.
    let status = age.is_stale().then(|| engine.status().ok()).flatten();
    age.warnings(status.map(|status| status.pending + status.removed))
}

fn failures(statistics: &Statistics) -> Value {
    let failure = |(path, language, status, message): &(String, String, ParseStatus, String)| {
        json!({
            "file_path": path,
            "language": language,
            "parse_status": status.as_str(),
            "error_message": message,
        })
    };
    statistics.failures.iter().map(failure).collect()
}

/// A human-readable size, in powers of 1024.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let mut size = bytes as f64 / 1024.0;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_document() {
        let shown = [8_421_376, 5_242_880, 1023, 1024, 3 << 40].map(size);
        assert_eq!(shown, ["8.0 MB", "5.0 MB", "1023 B", "1.0 KB", "3.0 TB"]);
    }

    #[test]
    fn files_without_a_grammar_do_not_count_against_health() {
        use ParseStatus::*;
        let counts = [(Ok, 7), (Partial, 1), (NoGrammar, 5)];
        let count = LanguageCount { files: 13, health: counts.into(), ..Default::default() };
        let shown = parse_stats(&[("text", &count)]);
        assert_eq!(shown["parse_health_pct"], 87.5);
        assert_eq!((&shown["total_files"], &shown["total_ok"]), (&json!(8), &json!(7)));
        assert_eq!(shown["by_language"]["text"]["no_grammar"], 5);
        assert_eq!(parse_stats(&[])["parse_health_pct"], 100.0);
    }
}
