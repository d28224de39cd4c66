//! Resolves a name to definitions: exact matches first, then qualified, case-insensitive and fuzzy ones.

use super::request::NameMatch;
use crate::path_kind::{PathKind, kind as path_kind};
use groma_core::{
    ChunkFilter, FileFacts, NameLike, Nearness, RelPath, Snapshot, StoreError, StoredChunk, Symbol,
    SymbolKind, Visibility, folded,
};
use std::cmp::Reverse;
use std::sync::Arc;

/// Maximum number of similar names considered for fuzzy matches.
const MAX_SIMILAR_NAMES: usize = 50;

/// Score penalty of a definition whose qualified name contains the query's parts with others in between.
const GAP_PENALTY: f32 = 0.03;

/// A definition that matches the name.
#[derive(Clone, Debug)]
pub(crate) struct DefinitionMatch {
    pub path: RelPath,
    pub facts: Arc<FileFacts>,
    /// Its index in the symbols of the file.
    pub index: u32,
    pub matched: NameMatch,
    pub score: f32,
}

impl DefinitionMatch {
    pub fn symbol(&self) -> &Symbol {
        &self.facts.symbols[self.index as usize]
    }
}

/// A name in a query, in the notation of any language: `jwt.verify`, `auth::jwt::verify()`, `Token#verify`,
/// `pkg/Verify`.
pub(crate) struct QueryName {
    whole: String,
    /// The parts between separators; the last is the short name.
    parts: Vec<String>,
}

impl QueryName {
    pub fn new(name: &str) -> Self {
        let whole = strip_arguments(name);
        let mut parts: Vec<String> = split(&whole).map(str::to_string).collect();
        let relative = parts.iter().take_while(|part| is_relative(part)).count();
        parts.drain(..relative.min(parts.len().saturating_sub(1)));
        if parts.is_empty() {
            parts.push(whole.clone());
        }
        Self { whole, parts }
    }

    /// The unqualified name.
    pub fn short(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// The part before the unqualified name: its type, module or package.
    pub fn owner(&self) -> Option<&str> {
        Some(self.parts[self.parts.len().checked_sub(2)?].as_str())
    }

    /// How a symbol of a file matches, and its score penalty.
    fn match_symbol(&self, path: &RelPath, symbol: &Symbol) -> Option<(NameMatch, f32)> {
        if symbol.name == self.whole || self.parts.len() == 1 && symbol.name == self.parts[0] {
            return Some((NameMatch::Exact, 0.0));
        }
        if self.parts.len() == 1 {
            let same = folded(&symbol.name) == folded(&self.parts[0]);
            return same.then_some((NameMatch::IgnoringCase, 0.0));
        }
        let compare = |normalize: &dyn Fn(&str) -> String| {
            let query: Vec<String> = self.parts.iter().map(|part| normalize(part)).collect();
            let own: Vec<String> = split(&symbol.qualified).map(normalize).collect();
            if own.ends_with(&query) {
                return Some(0.0);
            }
            let all = path_parts(path).map(normalize).chain(own);
            is_subsequence(&query, &all.collect::<Vec<_>>()).then_some(GAP_PENALTY)
        };
        let exact = compare(&|part| part.replace('-', "_"));
        let exact = exact.map(|penalty| (NameMatch::Qualified, penalty));
        exact.or_else(|| compare(&folded).map(|penalty| (NameMatch::IgnoringCase, penalty)))
    }
}

/// A name without quotes, arguments and type parameters. Operator names are kept.
fn strip_arguments(name: &str) -> String {
    let name = name.trim().trim_matches(['`', '"', '\'']).trim();
    let mut plain = String::with_capacity(name.len());
    let mut depth = 0usize;
    for letter in name.chars() {
        let named = plain.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match letter {
            '(' | '<' if depth > 0 || named && !plain.ends_with("operator") => depth += 1,
            ')' | '>' if depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            _ => plain.push(letter),
        }
    }
    if depth == 0 { plain } else { name.to_string() }
}

/// The parts of a qualified name in the notation of any language.
fn split(name: &str) -> impl Iterator<Item = &str> {
    // An arrow is `-` at the end of one part and `>` before the next.
    let parts = name.split(['.', ':', '#', '/', '\\', '>']);
    parts.map(|part| part.trim().trim_end_matches('-')).filter(|part| !part.is_empty())
}

/// Path segments that are relative to the current module or type.
fn is_relative(part: &str) -> bool {
    matches!(part, "crate" | "self" | "super" | "this" | "Self")
}

/// The folders of a path and the parts of its file name.
fn path_parts(path: &RelPath) -> impl Iterator<Item = &str> {
    path.folders().chain(path.file_name().split('.'))
}

/// Whether the parts are a subsequence of `all`, with the same last part.
fn is_subsequence(parts: &[String], all: &[String]) -> bool {
    let mut rest = all.iter();
    parts.last() == all.last() && parts.iter().all(|part| rest.any(|other| other == part))
}

/// The definitions that match a name, best first; fuzzy matches only if there are no others.
pub(crate) fn resolve(
    snapshot: &dyn Snapshot,
    name: &QueryName,
    admits: &dyn Fn(&RelPath, &FileFacts, &Symbol) -> bool,
) -> Result<Vec<DefinitionMatch>, StoreError> {
    let names = [name.whole.clone(), name.short().to_string()];
    let candidates = symbols(snapshot, &names, admits)?;
    let mut found: Vec<DefinitionMatch> = Vec::new();
    for (path, facts, index) in &candidates {
        let symbol = &facts.symbols[*index as usize];
        if let Some((matched, loss)) = name.match_symbol(path, symbol) {
            let score = base_score(matched) - loss - penalty(path, symbol);
            found.push(DefinitionMatch {
                path: path.clone(),
                facts: facts.clone(),
                index: *index,
                matched,
                score,
            });
        }
    }
    if found.is_empty() {
        found = fuzzy_matches(snapshot, name, candidates, admits)?;
    }
    found.sort_by_cached_key(|one| {
        // Of the parts of a type in several files, the one in the file of its name is the type.
        let is_elsewhere = folded(one.path.stem()) != folded(&one.symbol().name);
        // Scores are not negative, so their bits are in the same order.
        let score = Reverse(one.score.max(0.0).to_bits());
        (score, is_elsewhere, one.path.clone(), one.symbol().name_line)
    });
    Ok(found)
}

/// A symbol with the file that defines it.
pub(crate) type LocatedSymbol = (RelPath, Arc<FileFacts>, u32);

/// Every admitted symbol with one of the names, ignoring case and separators.
pub(crate) fn symbols(
    snapshot: &dyn Snapshot,
    names: &[String],
    admits: &dyn Fn(&RelPath, &FileFacts, &Symbol) -> bool,
) -> Result<Vec<LocatedSymbol>, StoreError> {
    let ids = snapshot.definitions(names, &ChunkFilter::default())?;
    let wanted: Vec<String> = names.iter().map(|name| folded(name)).collect();
    let mut found = Vec::new();
    for StoredChunk { path, ordinal, file, .. } in snapshot.chunks(&ids)? {
        let lines = file.chunks[ordinal as usize].lines;
        for (index, symbol) in (0..).zip(&file.symbols) {
            if lines.contains(symbol.name_line)
                && wanted.contains(&folded(&symbol.name))
                && admits(&path, &file, symbol)
            {
                found.push((path.clone(), file.clone(), index));
            }
        }
    }
    Ok(found)
}

/// Definitions with the same unqualified name, or else with similar names.
fn fuzzy_matches(
    snapshot: &dyn Snapshot,
    name: &QueryName,
    same_name: Vec<LocatedSymbol>,
    admits: &dyn Fn(&RelPath, &FileFacts, &Symbol) -> bool,
) -> Result<Vec<DefinitionMatch>, StoreError> {
    let like = NameLike::new(name.short());
    let mut candidates = same_name;
    if candidates.is_empty() {
        let names = snapshot.similar(&like, MAX_SIMILAR_NAMES)?;
        candidates = symbols(snapshot, &names, admits)?;
    }
    let fuzzy = |(path, facts, index): LocatedSymbol| {
        let symbol = &facts.symbols[index as usize];
        let similarity = similarity(&like, &symbol.name)?;
        let own: Vec<String> =
            path_parts(&path).chain(split(&symbol.qualified)).map(folded).collect();
        let parts = name.parts.iter().rev().skip(1).map(|part| own.contains(&folded(part)));
        // The direct qualifier counts most.
        let bonus = parts.zip([0.03, 0.01]).map(|(same, bonus)| if same { bonus } else { 0.0 });
        let score = similarity + bonus.sum::<f32>() - penalty(&path, symbol);
        Some(DefinitionMatch { path, facts, index, matched: NameMatch::Fuzzy, score })
    };
    Ok(candidates.into_iter().filter_map(fuzzy).collect())
}

/// The score of a similar name: below that of any other match.
fn similarity(like: &NameLike, name: &str) -> Option<f32> {
    let loss = |letters: u32, step: f32| letters.min(50) as f32 * step;
    Some(match like.nearness(&folded(name))? {
        Nearness::Edits(count) => 0.50 - 0.05 * count as f32,
        Nearness::Begins(more) => 0.38 - loss(more, 0.002),
        Nearness::Holds(more) if like.holds_words(name) => 0.26 - loss(more, 0.002),
        Nearness::Holds(_) => return None,
    })
}

/// The best score of each kind of match. They are further apart than the sum of all penalties.
fn base_score(matched: NameMatch) -> f32 {
    match matched {
        NameMatch::Exact => 1.0,
        NameMatch::Qualified => 0.86,
        NameMatch::IgnoringCase => 0.70,
        NameMatch::Fuzzy => 0.5,
    }
}

/// Score penalty of definitions that are less likely meant.
fn penalty(path: &RelPath, symbol: &Symbol) -> f32 {
    let kind = match symbol.kind {
        SymbolKind::Section | SymbolKind::Key => 0.08,
        kind if kind.is_value() => 0.05,
        _ => 0.0,
    };
    let file = match path_kind(path) {
        _ if symbol.kind == SymbolKind::Test => 0.02,
        PathKind::Test => 0.02,
        PathKind::Example | PathKind::Record | PathKind::Stub => 0.015,
        PathKind::Source => 0.0,
    };
    let hidden = if symbol.visibility == Visibility::Public { 0.0 } else { 0.01 };
    kind + file + hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str) -> Vec<String> {
        QueryName::new(name).parts
    }

    #[test]
    fn names_in_any_notation_are_split() {
        for name in [
            "jwt::Token::verify",
            "jwt.Token.verify",
            "jwt/Token#verify",
            "jwt\\Token->verify",
            "crate::jwt::Token::verify()",
            "`jwt::Token<Vec<T>>::verify`",
            "self.jwt.Token.verify(now, 3)",
        ] {
            assert_eq!(parts(name), ["jwt", "Token", "verify"], "{name}");
        }
        assert_eq!(parts("save!"), ["save!"]);
        assert_eq!(parts("self"), ["self"]);
        assert_eq!(parts("<<"), ["<<"]);
        assert_eq!(parts("operator()"), ["operator()"]);
        assert_eq!(parts("Map<a.B>.insert"), ["Map", "insert"]);
        assert_eq!(parts("::"), ["::"]);
        assert_eq!(parts("rate-limit"), ["rate-limit"]);
    }

    #[test]
    fn penalties_never_exceed_the_distance_between_kinds_of_match() {
        let max_penalty = 0.08 + 0.02 + 0.01 + GAP_PENALTY;
        for pair in
            [NameMatch::Exact, NameMatch::Qualified, NameMatch::IgnoringCase, NameMatch::Fuzzy]
                .windows(2)
        {
            assert!(base_score(pair[0]) - max_penalty >= base_score(pair[1]) - 1e-6, "{pair:?}");
        }
    }
}
