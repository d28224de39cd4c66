//! Which definitions a name means: the exact name first, then qualified, then without case, then what is like it.

use super::request::NameMatch;
use crate::query::path_kind::{PathKind, kind as path_kind};
use groma_core::{
    ChunkFilter, FileFacts, NameLike, Nearness, RelPath, Snapshot, StoreError, StoredChunk, Symbol,
    SymbolKind, Visibility, folded,
};
use std::sync::Arc;

/// Names that are looked at where only something like the name asked for is defined.
const SIMILAR: usize = 50;

/// What a definition loses that has the modules asked for around it, but others in between.
const GAPS: f32 = 0.03;

/// A definition that fits the name.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub path: RelPath,
    pub facts: Arc<FileFacts>,
    /// Its place in the symbols of the file.
    pub index: u32,
    pub matched: NameMatch,
    pub score: f32,
}

impl Found {
    pub fn symbol(&self) -> &Symbol {
        &self.facts.symbols[self.index as usize]
    }
}

/// A name as somebody wrote it: `jwt.verify`, `auth::jwt::verify()`, `Token#verify`, `pkg/Verify`.
pub(super) struct AskedName {
    whole: String,
    /// The parts between separators; the last is the short name.
    parts: Vec<String>,
}

impl AskedName {
    pub fn new(name: &str) -> Self {
        let whole = plain(name);
        let mut parts: Vec<String> = split(&whole).map(str::to_string).collect();
        let named = parts.iter().take_while(|part| is_relative(part)).count();
        parts.drain(..named.min(parts.len().saturating_sub(1)));
        if parts.is_empty() {
            parts.push(whole.clone());
        }
        Self { whole, parts }
    }

    /// The name without what it is part of.
    pub fn short(&self) -> &str {
        self.parts.last().map_or("", String::as_str)
    }

    /// What stands directly in front of the short name.
    pub fn owner(&self) -> Option<&str> {
        Some(self.parts[self.parts.len().checked_sub(2)?].as_str())
    }

    /// How a symbol of a file fits, and what it has to give up for that.
    fn fits(&self, path: &RelPath, symbol: &Symbol) -> Option<(NameMatch, f32)> {
        if symbol.name == self.whole || self.parts.len() == 1 && symbol.name == self.parts[0] {
            return Some((NameMatch::Exact, 0.0));
        }
        if self.parts.len() == 1 {
            let same = folded(&symbol.name) == folded(&self.parts[0]);
            return same.then_some((NameMatch::IgnoringCase, 0.0));
        }
        let with = |normal: &dyn Fn(&str) -> String| {
            let asked: Vec<String> = self.parts.iter().map(|part| normal(part)).collect();
            let own: Vec<String> = split(&symbol.qualified).map(normal).collect();
            if own.ends_with(&asked) {
                return Some(0.0);
            }
            let around = around(path).map(normal).chain(own);
            in_order(&asked, &around.collect::<Vec<_>>()).then_some(GAPS)
        };
        let exact = with(&|part| part.replace('-', "_")).map(|loss| (NameMatch::Qualified, loss));
        exact.or_else(|| with(&folded).map(|loss| (NameMatch::IgnoringCase, loss)))
    }
}

/// A name without quotes, arguments and type parameters. What makes up an operator's name stays.
fn plain(name: &str) -> String {
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

/// Words that name a place relative to the one they stand in.
fn is_relative(part: &str) -> bool {
    matches!(part, "crate" | "self" | "super" | "this" | "Self")
}

/// The folders around a file and the parts of its name.
fn around(path: &RelPath) -> impl Iterator<Item = &str> {
    path.folders().chain(path.file_name().split('.'))
}

/// Whether the parts stand in `place` in their order, and both end alike.
fn in_order(parts: &[String], place: &[String]) -> bool {
    let mut rest = place.iter();
    parts.last() == place.last() && parts.iter().all(|part| rest.any(|other| other == part))
}

/// The definitions that fit a name, best first; those that are only like it where there are no others.
pub(super) fn find(
    snapshot: &dyn Snapshot,
    asked: &AskedName,
    admits: &dyn Fn(&RelPath, &FileFacts, &Symbol) -> bool,
) -> Result<Vec<Found>, StoreError> {
    let names = [asked.whole.clone(), asked.short().to_string()];
    let candidates = symbols(snapshot, &names, admits)?;
    let mut found: Vec<Found> = Vec::new();
    for (path, facts, index) in &candidates {
        let symbol = &facts.symbols[*index as usize];
        if let Some((matched, loss)) = asked.fits(path, symbol) {
            let score = base(matched) - loss - weight(path, symbol);
            found.push(Found {
                path: path.clone(),
                facts: facts.clone(),
                index: *index,
                matched,
                score,
            });
        }
    }
    if found.is_empty() {
        found = alike(snapshot, asked, candidates, admits)?;
    }
    found.sort_by(|a, b| {
        let place = |found: &Found| (found.path.clone(), found.symbol().name_line);
        b.score.total_cmp(&a.score).then_with(|| place(a).cmp(&place(b)))
    });
    Ok(found)
}

/// A symbol with the file that defines it.
pub(crate) type Candidate = (RelPath, Arc<FileFacts>, u32);

/// Every admitted symbol that has one of the names, compared without case and separators.
pub(crate) fn symbols(
    snapshot: &dyn Snapshot,
    names: &[String],
    admits: &dyn Fn(&RelPath, &FileFacts, &Symbol) -> bool,
) -> Result<Vec<Candidate>, StoreError> {
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

/// The same short name elsewhere, or else names that are spelled alike.
fn alike(
    snapshot: &dyn Snapshot,
    asked: &AskedName,
    elsewhere: Vec<Candidate>,
    admits: &dyn Fn(&RelPath, &FileFacts, &Symbol) -> bool,
) -> Result<Vec<Found>, StoreError> {
    let like = NameLike::new(asked.short());
    let mut candidates = elsewhere;
    if candidates.is_empty() {
        let names = snapshot.similar(&like, SIMILAR)?;
        candidates = symbols(snapshot, &names, admits)?;
    }
    let fuzzy = |(path, facts, index): Candidate| {
        let symbol = &facts.symbols[index as usize];
        let likeness = likeness(&like, &symbol.name)?;
        let own: Vec<String> = around(&path).chain(split(&symbol.qualified)).map(folded).collect();
        let parts = asked.parts.iter().rev().skip(1).map(|part| own.contains(&folded(part)));
        // What stands directly in front of the name says most.
        let near = parts.zip([0.03, 0.01]).map(|(same, more)| if same { more } else { 0.0 });
        let score = likeness + near.sum::<f32>() - weight(&path, symbol);
        Some(Found { path, facts, index, matched: NameMatch::Fuzzy, score })
    };
    Ok(candidates.into_iter().filter_map(fuzzy).collect())
}

/// How much a name is like the one asked for: less than any that fits.
fn likeness(like: &NameLike, name: &str) -> Option<f32> {
    let less = |letters: u32, step: f32| letters.min(50) as f32 * step;
    Some(match like.nearness(&folded(name))? {
        Nearness::Edits(count) => 0.50 - 0.05 * count as f32,
        Nearness::Begins(more) => 0.38 - less(more, 0.002),
        Nearness::Holds(more) if like.holds_words(name) => 0.26 - less(more, 0.002),
        Nearness::Holds(_) => return None,
    })
}

/// The best score of each kind of match. They are further apart than anything that weighs on them.
fn base(matched: NameMatch) -> f32 {
    match matched {
        NameMatch::Exact => 1.0,
        NameMatch::Qualified => 0.86,
        NameMatch::IgnoringCase => 0.70,
        NameMatch::Fuzzy => 0.5,
    }
}

/// What makes a definition less likely the one that is meant.
fn weight(path: &RelPath, symbol: &Symbol) -> f32 {
    let kind = match symbol.kind {
        SymbolKind::Section | SymbolKind::Key => 0.08,
        kind if kind.is_value() => 0.05,
        _ => 0.0,
    };
    let place = match path_kind(path) {
        _ if symbol.kind == SymbolKind::Test => 0.02,
        PathKind::Test => 0.02,
        PathKind::Example | PathKind::Record | PathKind::Stub => 0.015,
        PathKind::Source => 0.0,
    };
    let hidden = if symbol.visibility == Visibility::Public { 0.0 } else { 0.01 };
    kind + place + hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(name: &str) -> Vec<String> {
        AskedName::new(name).parts
    }

    #[test]
    fn names_of_any_notation_are_taken_apart() {
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
    fn every_kind_of_match_is_apart_from_the_next() {
        let heaviest = 0.08 + 0.02 + 0.01 + GAPS;
        for pair in
            [NameMatch::Exact, NameMatch::Qualified, NameMatch::IgnoringCase, NameMatch::Fuzzy]
                .windows(2)
        {
            assert!(base(pair[0]) - heaviest >= base(pair[1]) - 1e-6, "{pair:?}");
        }
    }
}
