//! A compiled grep request: the matcher, the trigram query for the index, and the file filter.

use super::request::{Case, GrepRequest};
use super::trigram_query::trigram_query;
use crate::error::SearchError;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use groma_core::{ChunkFilter, FilterSubject, RelPath};
use groma_syntax::{detect, detect_by_name, find_language};
use regex_syntax::ParserBuilder;
use regex_syntax::ast::Position;
use regex_syntax::hir::Hir;

/// Maximum length of a pattern, in characters.
const MAX_PATTERN_LENGTH: usize = 1000;

/// Maximum number of matches in an answer.
const MAX_MATCHES: usize = 10_000;

/// Maximum lines of context on either side.
const MAX_CONTEXT: u32 = 100;

/// Maximum size of a compiled pattern, in bytes; larger ones are rejected.
const MAX_REGEX_SIZE: usize = 10 << 20;

/// Maximum size of the lazy DFA's cache, in bytes per thread.
const MAX_DFA_SIZE: usize = 64 << 20;

/// Maximum nesting depth of groups.
const MAX_NESTING: u32 = 250;

/// A compiled request.
pub(super) struct Query<'r> {
    pub request: &'r GrepRequest,
    pub matcher: RegexMatcher,
    /// Alternatives of trigrams that a matching file contains, as [`groma_core::Snapshot::candidates`] takes them;
    /// empty if any file may match.
    pub trigrams: Vec<Vec<u32>>,
    filter: ChunkFilter,
}

impl<'r> Query<'r> {
    /// Compiles a request, or reports what is wrong with it and where.
    pub fn new(request: &'r GrepRequest) -> Result<Self, SearchError> {
        check_bounds(request)?;
        let mut filter = ChunkFilter::default();
        filter.set_paths(&request.paths).map_err(|reason| {
            SearchError::invalid("paths", format!("{reason}; write globs as in a .gitignore"))
        })?;
        let hir = parse(request)?;
        Ok(Self { request, matcher: matcher(request)?, trigrams: trigram_query(&hir), filter })
    }

    /// Whether the answer covers a file, judged by its path alone.
    pub fn admits(&self, path: &RelPath) -> bool {
        let subject = FilterSubject { path: path.as_str(), language: "", package: None, tags: &[] };
        (self.filter.is_empty() || self.filter.admits_file(&subject))
            && self.may_be_in_language(path)
    }

    /// Whether a file whose path was admitted is in one of the languages.
    pub fn is_in_language(&self, path: &RelPath, head: &[u8]) -> bool {
        let wanted = &self.request.languages;
        wanted.is_empty() || wanted.iter().any(|name| name == detect(path, head).name)
    }

    /// Whether a file may be in one of the languages, judged by its name. Its content may refine that: a header may be
    /// C++, and a script without an extension names its interpreter in its first line.
    fn may_be_in_language(&self, path: &RelPath) -> bool {
        let wanted = &self.request.languages;
        if wanted.is_empty() {
            return true;
        }
        let Some(language) = detect_by_name(path) else { return true };
        wanted.iter().any(|want| {
            let dialect = language.dialects.iter().any(|dialect| dialect.language == want);
            want == language.name || dialect
        })
    }
}

fn check_bounds(request: &GrepRequest) -> Result<(), SearchError> {
    if request.pattern.is_empty() {
        return Err(SearchError::invalid("pattern", "is empty; say what to look for"));
    }
    if request.pattern.chars().count() > MAX_PATTERN_LENGTH {
        let reason = format!("is longer than {MAX_PATTERN_LENGTH} characters");
        return Err(SearchError::invalid("pattern", reason));
    }
    if request.limit == 0 || request.limit > MAX_MATCHES {
        return Err(SearchError::invalid("limit", format!("must be 1 to {MAX_MATCHES}")));
    }
    for (parameter, lines) in [("before", request.before), ("after", request.after)] {
        if lines > MAX_CONTEXT {
            return Err(SearchError::invalid(
                parameter,
                format!("must be 0 to {MAX_CONTEXT} lines"),
            ));
        }
    }
    let unknown =
        |name: &&String| find_language(name).is_none_or(|language| language.name != **name);
    match request.languages.iter().find(unknown) {
        Some(name) => {
            Err(SearchError::invalid("languages", format!("no language is called `{name}`")))
        }
        None => Ok(()),
    }
}

/// Parses the pattern as the matcher does. Smart case is parsed as case-insensitive, which can only yield more
/// candidates.
fn parse(request: &GrepRequest) -> Result<Hir, SearchError> {
    let pattern = if request.literal {
        regex_syntax::escape(&request.pattern)
    } else {
        request.pattern.clone()
    };
    ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .nest_limit(MAX_NESTING)
        .case_insensitive(request.case != Case::Sensitive)
        .build()
        .parse(&pattern)
        .map_err(|error| parse_error(&error))
}

/// Reports what is wrong with a pattern, and where.
fn parse_error(error: &regex_syntax::Error) -> SearchError {
    let (kind, pattern, start) = match error {
        regex_syntax::Error::Parse(error) => {
            (error.kind().to_string(), error.pattern(), error.span().start)
        }
        regex_syntax::Error::Translate(error) => {
            (error.kind().to_string(), error.pattern(), error.span().start)
        }
        other => (other.to_string(), "", Position::new(0, 1, 1)),
    };
    let character = pattern[..start.offset].chars().count() + 1;
    SearchError::invalid(
        "pattern",
        format!("{kind}, at character {character}; correct it, or search for it literally"),
    )
}

/// ripgrep's matcher, configured as ripgrep configures it.
fn matcher(request: &GrepRequest) -> Result<RegexMatcher, SearchError> {
    RegexMatcherBuilder::new()
        .case_insensitive(request.case == Case::Insensitive)
        .case_smart(request.case == Case::Smart)
        .fixed_strings(request.literal)
        .word(request.whole_words)
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .ban_byte(Some(0))
        .nest_limit(MAX_NESTING)
        .size_limit(MAX_REGEX_SIZE)
        .dfa_size_limit(MAX_DFA_SIZE)
        .build(&request.pattern)
        .map_err(|error| SearchError::invalid("pattern", compile_error(&error)))
}

fn compile_error(error: &grep_regex::Error) -> String {
    match error.kind() {
        ErrorKind::NotAllowed(_) => {
            "contains a line terminator, but lines are searched one by one; search for one of the lines"
                .into()
        }
        ErrorKind::Banned(_) => "contains a NUL byte, which text files do not have".into(),
        _ if error.to_string().contains("size limit") => {
            "is too large when compiled; use fewer or smaller repetitions".into()
        }
        _ => error.to_string(),
    }
}
