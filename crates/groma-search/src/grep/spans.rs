//! Match positions within a line, for highlighting.

use super::query::Query;
use super::request::GrepRequest;
use crate::error::SearchError;
use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use std::ops::Range;

/// Finds every match in a line. A [`GrepMatch`](super::request::GrepMatch) only has the column of the first one.
#[derive(Clone, Debug)]
pub struct MatchSpans(RegexMatcher);

impl MatchSpans {
    /// Compiles the pattern of a request.
    pub fn new(request: &GrepRequest) -> Result<Self, SearchError> {
        Query::new(request).map(|query| Self(query.matcher))
    }

    /// Byte ranges of the non-empty matches in a line, in order.
    pub fn of(&self, line: &str) -> Vec<Range<usize>> {
        let mut spans = Vec::new();
        let outcome = self.0.find_iter(line.as_bytes(), |found| {
            if !found.is_empty() {
                spans.push(found.start()..found.end());
            }
            true
        });
        // A pattern may match bytes within a character; such a line is not highlighted.
        let is_on_boundaries = |span: &Range<usize>| line.get(span.clone()).is_some();
        if outcome.is_ok() && spans.iter().all(is_on_boundaries) { spans } else { Vec::new() }
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
