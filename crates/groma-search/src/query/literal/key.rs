//! Keys, flags, routes, environment variables, header names, versions: text that is looked for whole.
//!
//! The keyword index splits `maxmemory-policy` into two words that occur everywhere. The trigram index has the whole.

use super::Spot;
use super::sources::{self, Source};
use crate::reader::Reader;
use groma_core::{Lines, RelPath, StoreError, SymbolKind, folded};

/// Minimum length of a key.
const MIN_LENGTH: usize = 4;

/// Maximum number of places, and of occurrences looked at in one file.
const MAX_SPOTS: usize = 8;
const MAX_OCCURRENCES: usize = 200;

/// Files up to which a word of a sentence that may be a key is taken for one.
const MAX_UNSURE_FILES: usize = 4;

/// A key in a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub text: String,
    /// Whether it cannot be a word of the language. `read-only` can be.
    pub is_sure: bool,
}

/// The keys of a question. A question of one word is a key if it has a separator; in a sentence more is needed.
pub(super) fn keys(query: &str) -> Vec<Key> {
    let alone = !query.trim().contains(char::is_whitespace);
    let mut found: Vec<Key> = Vec::new();
    for word in query.split_whitespace() {
        let is_marked = word.len() > 2 && word.starts_with(['`', '"', '\'']);
        let word =
            word.trim_matches(|c: char| "\"'`,;?!()".contains(c)).trim_end_matches(['.', ':']);
        if !is_key(word) || found.iter().any(|known| known.text == word) {
            continue;
        }
        let is_sure = alone || is_marked || is_unlike_words(word);
        // In a sentence a dot, a slash or a colon is punctuation, or part of a name.
        if !is_sure && word.contains(['.', '/', ':']) {
            continue;
        }
        found.push(Key { text: word.to_string(), is_sure });
    }
    found.truncate(4);
    found
}

fn is_key(word: &str) -> bool {
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
    let separated = inner.contains(['-', '.', '/', ':', '@']);
    let marked = word.starts_with("--") || word.starts_with(['/', '$', '@', '#', '.']);
    let letters = inner.chars().filter(|c| c.is_alphabetic()).count();
    let is_version = inner.starts_with(|c: char| c.is_ascii_digit()) && inner.contains('.');
    inner.len() >= MIN_LENGTH
        && (letters >= 3 || is_version)
        && (separated || marked || is_variable(inner))
}

/// `HTTP_PROXY`.
fn is_variable(word: &str) -> bool {
    word.contains('_')
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Whether no sentence has such a word. `Session.open` and `auth::verify` are names, which are found as such.
fn is_unlike_words(word: &str) -> bool {
    let is_lower =
        word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c));
    let separators = word.chars().filter(|c| "-.".contains(*c)).count();
    word.starts_with("--")
        || word.starts_with(['$', '/'])
        || is_lower && separators > 1
        || is_variable(word)
        || word.split('-').count() > 1
            && word.split('-').all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// What an occurrence of a key is; the order of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Definition,
    Setting,
    Quoted,
    Document,
    Use,
}

/// The places of a key: definitions, then documents, then uses. In a sentence a key that may be a word counts only
/// where it is defined or quoted.
pub(super) fn find(reader: &Reader, key: &Key) -> Result<Vec<Spot>, StoreError> {
    let mut found: Vec<(Role, u8, RelPath, u32)> = Vec::new();
    let mut files = 0;
    for spelling in spellings(&key.text) {
        let mut paths = sources::candidates(reader, &spelling)?;
        sources::likeliest_first(&mut paths);
        paths.truncate(sources::MAX_FILES);
        let facts = reader.snapshot.facts(&paths)?;
        for source in sources::read(reader, &paths) {
            let at = paths.iter().position(|path| *path == source.path);
            let facts = at.and_then(|at| facts[at].as_deref());
            let mut roles = occurrences(&source, &spelling, facts);
            roles.retain(|(role, _)| key.is_sure || *role <= Role::Quoted);
            files += usize::from(!roles.is_empty());
            let order = sources::kind_order(&source.path);
            found.extend(
                roles.into_iter().map(|(role, line)| (role, order, source.path.clone(), line)),
            );
        }
        if !found.is_empty() {
            break;
        }
    }
    if !key.is_sure && files > MAX_UNSURE_FILES {
        return Ok(Vec::new());
    }
    // Tests and records come after everything else.
    found.sort_by(|a, b| {
        let rank =
            |one: &(Role, u8, RelPath, u32)| (one.1 >= 3, one.0, one.1, one.2.clone(), one.3);
        rank(a).cmp(&rank(b))
    });
    Ok(spots(found))
}

/// Chooses places: no more than two of a file, and the first document among the first three.
fn spots(found: Vec<(Role, u8, RelPath, u32)>) -> Vec<Spot> {
    let mut chosen: Vec<(Role, RelPath, u32)> = Vec::new();
    for (role, _, path, line) in found {
        let same = chosen.iter().filter(|(_, known, _)| *known == path).count();
        if same < 2 && chosen.len() < 4 * MAX_SPOTS {
            chosen.push((role, path, line));
        }
    }
    if let Some(document) = chosen.iter().position(|one| one.0 == Role::Document)
        && document > 2
    {
        let one = chosen.remove(document);
        chosen.insert(2, one);
    }
    chosen.truncate(MAX_SPOTS);
    let spot = |(_, path, line)| Spot::at(path, Lines::new(line, line), 0.9, "key");
    chosen.into_iter().map(spot).collect()
}

/// The key as written; a flag without its dashes, a key with underscores; a route with other placeholders is found by
/// its fixed beginning.
fn spellings(key: &str) -> Vec<String> {
    let mut found = vec![key.to_ascii_lowercase()];
    let bare = key.trim_start_matches("--").trim_start_matches('$');
    let bare = bare.split_once('=').map_or(bare, |(name, _)| name).to_ascii_lowercase();
    found.push(bare.clone());
    if bare.contains('-') {
        found.push(bare.replace('-', "_"));
    } else if bare.contains('_') {
        found.push(bare.replace('_', "-"));
    }
    if let Some(at) = key.find(['{', ':', '<', '[']).filter(|at| *at > 3 && key.contains('/')) {
        found.push(key[..at].to_ascii_lowercase());
    }
    found.dedup();
    found.retain(|one| one.len() >= MIN_LENGTH);
    found
}

/// The lines on which a key occurs whole, with its role.
fn occurrences(
    source: &Source,
    key: &str,
    facts: Option<&groma_core::FileFacts>,
) -> Vec<(Role, u32)> {
    let mut found: Vec<(Role, u32)> = Vec::new();
    let name = folded(key);
    let kind = groma_syntax::detect(&source.path, b"").kind;
    for offset in source.offsets(key, MAX_OCCURRENCES) {
        let end = offset + key.len();
        let before = source.lower[..offset].chars().next_back();
        let after = source.lower[end..].chars().next();
        let joins =
            |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
        let begins = !key.starts_with(char::is_alphanumeric) || !joins(before);
        let ends = !key.ends_with(char::is_alphanumeric) || !joins(after);
        if !begins || !ends {
            continue;
        }
        let line = source.line_at(offset);
        let defines = facts.is_some_and(|facts| {
            let named = facts.symbols.iter().filter(|symbol| symbol.name_line == line);
            named
                .into_iter()
                .any(|one| one.kind != SymbolKind::Section && folded(&one.name) == name)
        });
        let column = offset - source.text.start(line);
        let lead = &source.text.line(line)[..column];
        let is_data = kind == groma_syntax::LanguageKind::Data
            || facts.is_none_or(|facts| facts.symbols.is_empty());
        let marks = if is_data { "#;/*-\"'`=" } else { "\"'`" };
        let leads = lead.chars().all(|c| c.is_whitespace() || marks.contains(c));
        let quoted = matches!(before, Some('"' | '\'' | '`')) && before == after;
        let role = match kind {
            groma_syntax::LanguageKind::Prose => Role::Document,
            _ if defines => Role::Definition,
            groma_syntax::LanguageKind::Data if leads => Role::Setting,
            _ if leads && matches!(after, Some(' ' | '=' | ':')) => Role::Setting,
            _ if quoted => Role::Quoted,
            _ => Role::Use,
        };
        if found.last().is_none_or(|(_, last)| *last != line) {
            found.push((role, line));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    #[test]
    fn keys_have_separators() {
        let texts = |query: &str| -> Vec<(String, bool)> {
            keys(query).into_iter().map(|key| (key.text, key.is_sure)).collect()
        };
        let sure = |text: &str| vec![(text.to_string(), true)];
        for key in [
            "maxmemory-policy",
            "--no-cache",
            "/api/v1/users/:id",
            "X-Forwarded-For",
            "HTTP_PROXY",
            "2.31.0",
        ] {
            assert_eq!(texts(key), sure(key), "{key}");
        }
        assert_eq!(texts("where is --no-cache read?"), sure("--no-cache"));
        assert_eq!(
            texts("where is maxmemory-policy parsed"),
            [("maxmemory-policy".to_string(), false)]
        );
        assert!(texts("how are sessions opened").is_empty());
    }

    #[test]
    fn occurrences_are_whole() {
        let text = "a-key: 1\nuse(\"a-key\")\nnot-a-key a-key-2\n# a-key explained\n";
        let source = Source {
            path: RelPath::new("x.conf").unwrap(),
            text: Text::new(text.to_string()),
            lower: text.to_string(),
        };
        let lines: Vec<u32> = occurrences(&source, "a-key", None).iter().map(|one| one.1).collect();
        assert_eq!(lines, [1, 2, 4]);
    }
}
