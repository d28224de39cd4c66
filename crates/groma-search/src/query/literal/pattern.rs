//! Regular expressions: a question that is none but a pattern is searched as `grep` searches it.

use super::Spot;
use super::sources;
use crate::grep::request::{Case, GrepRequest};
use crate::grep::trigrams_of;
use crate::reader::Reader;
use grep_matcher::Matcher;
use groma_core::{Lines, StoreError};

/// Maximum number of places.
const MAX_SPOTS: usize = 10;

/// Signs that only a regular expression has.
const SIGNS: [&str; 12] =
    [".*", ".+", "\\w", "\\d", "\\s", "\\b", "\\(", "\\.", "[a-z", "[A-Z", "[^", "(?:"];

/// Whether a question reads as a regular expression.
pub(super) fn is_pattern(query: &str) -> bool {
    SIGNS.iter().any(|sign| query.contains(sign))
        && !query.contains('\n')
        && query.split_whitespace().count() <= 6
}

/// The lines that match, code of the product first.
pub(super) fn find(reader: &Reader, query: &str) -> Result<Vec<Spot>, StoreError> {
    let mut request = GrepRequest::new(query);
    request.case = Case::Smart;
    let Ok((matcher, trigrams)) = trigrams_of(&request) else { return Ok(Vec::new()) };
    // Without trigrams every file would have to be read: that is what `grep` is for.
    if trigrams.is_empty() {
        return Ok(Vec::new());
    }
    let mut paths = reader.snapshot.candidates(&trigrams)?;
    sources::likeliest_first(&mut paths);
    let mut spots = Vec::new();
    for source in sources::read(reader, &paths) {
        for line in 1..=source.text.starts.len() as u32 {
            let text = source.text.line(line).trim_end_matches(['\n', '\r']);
            if matcher.is_match(text.as_bytes()).unwrap_or(false) {
                spots.push(Spot::at(source.path.clone(), Lines::new(line, line), 0.9, "pattern"));
                break;
            }
        }
        if spots.len() == MAX_SPOTS {
            break;
        }
    }
    Ok(spots)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_their_own_signs() {
        for query in ["fn \\w+_token", "create.*Config", "^def [a-z]+\\("] {
            assert!(is_pattern(query), "{query}");
        }
        for query in ["how does it work?", "a.b.C", "Target class [%s] does not exist.", "src/a.rs"]
        {
            assert!(!is_pattern(query), "{query}");
        }
    }
}
