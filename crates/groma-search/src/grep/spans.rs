//! Where a line matches, for whoever shows it.

use super::query::Query;
use super::request::GrepRequest;
use crate::error::SearchError;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use std::ops::Range;

/// Finds the places of a line that a request is about. An answer holds only where the first of them begins.
#[derive(Clone, Debug)]
pub struct MatchSpans(RegexMatcher);

impl MatchSpans {
    /// Those of a request.
    pub fn new(request: &GrepRequest) -> Result<Self, SearchError> {
        Query::new(request).map(|query| Self(query.matcher))
    }

    /// The places of a line, in bytes and in order; those without any bytes are left out.
    pub fn of(&self, line: &str) -> Vec<Range<usize>> {
        let mut spans = Vec::new();
        let outcome = self.0.find_iter(line.as_bytes(), |found| {
            if !found.is_empty() {
                spans.push(found.start()..found.end());
            }
            true
        });
        // A pattern may match bytes within a character; such a line is shown as it is.
        let is_whole = |span: &Range<usize>| line.get(span.clone()).is_some();
        if outcome.is_ok() && spans.iter().all(is_whole) { spans } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_those_of_the_matcher() {
        let of = |pattern: &str, line: &str| {
            MatchSpans::new(&GrepRequest::new(pattern)).unwrap().of(line)
        };
        assert_eq!(of("la.", "lamp lab"), [0..3, 5..8]);
        assert!(of("x*", "a").is_empty());
        assert_eq!(of("ö", "größe, Höhe"), [2..4, 10..12]);
        assert!(of("(?-u:\\xb6)", "größe").is_empty());
        assert!(MatchSpans::new(&GrepRequest::new("(")).is_err());
    }
}
