//! Names in any spelling: `getUserById`, `getuserbyid`, `get user by id`, `getUserByd`, `Session.request`.
//!
//! A question that is a name is resolved as `symbol` resolves it, so that both give the same definitions.

use super::Spot;
use crate::locate::NameMatch;
use crate::locate::resolution::{DefinitionMatch, QueryName, resolve};
use crate::query::plan::Plan;
use crate::reader::Reader;
use groma_core::{
    ChunkFilter, FileFacts, NameLike, Nearness, RelPath, Snapshot, StoreError, Symbol, SymbolKind,
    folded, stem,
};

/// Maximum number of definitions.
const MAX_SPOTS: usize = 20;

/// Maximum number of words of a name that is written as separate words.
const MAX_WORDS: usize = 6;

/// Whether a definition can be meant by a name: headings and keys of documents are found as text.
fn is_code(_: &RelPath, _: &FileFacts, symbol: &Symbol) -> bool {
    !matches!(symbol.kind, SymbolKind::Section | SymbolKind::Key)
}

fn spots(found: &[DefinitionMatch], signal: &'static str) -> Vec<Spot> {
    let spot = |one: &DefinitionMatch| {
        Spot::at(one.path.clone(), one.symbol().lines, one.score, signal)
            .named(one.symbol().name_line)
    };
    found.iter().take(MAX_SPOTS).map(spot).collect()
}

/// A question of one word.
pub(super) fn alone(reader: &Reader, word: &str) -> Result<Vec<Spot>, StoreError> {
    let snapshot = &*reader.snapshot;
    let name = QueryName::new(word);
    if !may_resolve(snapshot, &name)? {
        return Ok(Vec::new());
    }
    let mut found = resolve(snapshot, &name, &is_code)?;
    // A plain word is more often a subject than a variable: `view` asks for `View` rather than for a local of that name.
    if word.chars().all(|c| c.is_ascii_lowercase()) {
        found.retain(|one| !one.symbol().kind.is_value());
    }
    let Some(best) = found.first() else { return Ok(Vec::new()) };
    if best.matched != NameMatch::Fuzzy {
        // Definitions that only agree without case are others than the one that is meant.
        let same = found.iter().filter(|one| one.matched == best.matched);
        return Ok(spots(&same.cloned().collect::<Vec<_>>(), "name"));
    }
    similar(snapshot, word, found)
}

/// Whether something is called so, or nothing has such a word in it: then similar names are looked for, which compares
/// all names.
fn may_resolve(snapshot: &dyn Snapshot, name: &QueryName) -> Result<bool, StoreError> {
    let short = name.short().to_string();
    let is_defined = !snapshot.definitions(&[short], &ChunkFilter::default())?.is_empty();
    Ok(is_defined || !occurs(snapshot, name.short())?)
}

/// Definitions with nearly the same name, for a word that does not occur.
fn similar(
    snapshot: &dyn Snapshot,
    word: &str,
    found: Vec<DefinitionMatch>,
) -> Result<Vec<Spot>, StoreError> {
    let short = word.trim_end_matches("()").rsplit(['.', ':', '#', '>']).next().unwrap_or(word);
    if occurs(snapshot, short)? {
        return Ok(Vec::new());
    }
    let like = NameLike::new(short);
    let is_near = |one: &DefinitionMatch| {
        matches!(
            like.nearness(&folded(&one.symbol().name)),
            Some(Nearness::Edits(_) | Nearness::Begins(_))
        )
    };
    let near: Vec<DefinitionMatch> = found.into_iter().filter(is_near).collect();
    Ok(spots(&near, "similar_name"))
}

/// Whether a word occurs in the project, as a whole identifier or as a word.
fn occurs(snapshot: &dyn Snapshot, word: &str) -> Result<bool, StoreError> {
    let lower = folded(word);
    Ok(snapshot.frequency(&lower)? > 0 || snapshot.frequency(stem(&lower))? > 0)
}

/// A name written as separate words; with a typo if one of the words occurs nowhere.
pub(super) fn separated(reader: &Reader, query: &str) -> Result<Vec<Spot>, StoreError> {
    let words: Vec<&str> = query.split_whitespace().take(MAX_WORDS + 1).collect();
    let is_word = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || c == '_');
    if words.len() > MAX_WORDS || !words.iter().all(is_word) {
        return Ok(Vec::new());
    }
    let snapshot = &*reader.snapshot;
    let joined = words.concat();
    let defined = snapshot.definitions(std::slice::from_ref(&joined), &ChunkFilter::default())?;
    let mut is_absent = false;
    for word in words.iter().filter(|word| word.len() > 3 && defined.is_empty()) {
        is_absent |= !occurs(snapshot, word)?;
    }
    if defined.is_empty() && !is_absent {
        return Ok(Vec::new());
    }
    let found = resolve(snapshot, &QueryName::new(&joined), &is_code)?;
    let Some(best) = found.first() else { return Ok(Vec::new()) };
    if best.matched != NameMatch::Fuzzy {
        return Ok(spots(&found, "name"));
    }
    let like = NameLike::new(&joined);
    let is_near = |one: &DefinitionMatch| {
        matches!(like.nearness(&folded(&one.symbol().name)), Some(Nearness::Edits(_)))
    };
    let near: Vec<DefinitionMatch> = found.into_iter().filter(is_near).collect();
    Ok(spots(&near, "similar_name"))
}

/// Names inside a sentence that are spelled as code and occur nowhere but in a similar form.
pub(super) fn mentioned(reader: &Reader, plan: &Plan) -> Result<Vec<Spot>, StoreError> {
    let snapshot = &*reader.snapshot;
    let mut all = Vec::new();
    for word in plan.query.split_whitespace() {
        let word = word.trim_matches(|c: char| "\"'`,;?!().".contains(c));
        let is_qualified = ["::", "->", "#"].iter().any(|sign| word.contains(sign))
            || word.split('.').filter(|part| part.len() > 1).count() > 1;
        let short = word.rsplit(['.', ':', '#', '>']).next().unwrap_or(word);
        let as_code =
            short.trim_matches('_').contains('_') || short.chars().skip(1).any(char::is_uppercase);
        if !(is_qualified || as_code) || short.len() < 4 || word.contains('/') {
            continue;
        }
        let name = QueryName::new(word);
        if !may_resolve(snapshot, &name)? {
            continue;
        }
        let found = resolve(snapshot, &name, &is_code)?;
        if found.first().is_some_and(|best| best.matched == NameMatch::Fuzzy) {
            all.extend(similar(snapshot, word, found)?.into_iter().take(2));
        }
        if all.len() >= MAX_SPOTS {
            break;
        }
    }
    Ok(all)
}
