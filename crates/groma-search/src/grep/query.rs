//! A request, understood: the matcher, what the index can be asked for it, and which files it is about.

use super::narrow::alternatives;
use super::request::{Case, GrepRequest};
use crate::error::SearchError;
use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use groma_core::{ChunkFilter, FilterSubject, RelPath};
use groma_syntax::{detect, detect_by_name, find_language};
use regex_syntax::ParserBuilder;
use regex_syntax::ast::Position;
use regex_syntax::hir::Hir;

/// Longest pattern, in characters.
const LONGEST_PATTERN: usize = 1000;

/// Most matches one answer holds.
const MOST_MATCHES: usize = 10_000;

/// Most lines of context on either side.
const MOST_CONTEXT: u32 = 100;

/// Most bytes a compiled pattern may take; what repeats more than this allows is refused.
const COMPILED: usize = 10 << 20;

/// Most bytes that matching may keep of what it worked out, for each thread.
const WORKED_OUT: usize = 64 << 20;

/// How deep groups may nest.
const NESTING: u32 = 250;

/// A request, understood.
pub(super) struct Query<'r> {
    pub request: &'r GrepRequest,
    pub matcher: RegexMatcher,
    /// What a file's text must hold to match, as [`groma_core::Snapshot::candidates`] takes it; nothing if any
    /// text may match.
    pub alternatives: Vec<Vec<u32>>,
    filter: ChunkFilter,
}

impl<'r> Query<'r> {
    /// Reads a request, or says what is wrong with it and where.
    pub fn new(request: &'r GrepRequest) -> Result<Self, SearchError> {
        check_bounds(request)?;
        let mut filter = ChunkFilter::default();
        filter.set_paths(&request.paths).map_err(|reason| {
            SearchError::invalid("paths", format!("{reason}; write globs as in a .gitignore"))
        })?;
        let hir = parsed(request)?;
        Ok(Self { request, matcher: matcher(request)?, alternatives: alternatives(&hir), filter })
    }

    /// Whether the answer is about a file, as far as its name can tell.
    pub fn admits(&self, path: &RelPath) -> bool {
        let subject = FilterSubject { path: path.as_str(), language: "", package: None, tags: &[] };
        (self.filter.is_empty() || self.filter.admits_file(&subject))
            && self.may_be_in_language(path)
    }

    /// Whether a file whose name was admitted is in one of the languages.
    pub fn is_in_language(&self, path: &RelPath, head: &[u8]) -> bool {
        let wanted = &self.request.languages;
        wanted.is_empty() || wanted.iter().any(|name| name == detect(path, head).name)
    }

    /// What the name tells of the language may be refined by the content: a header may be C++, and a script
    /// without an extension names its interpreter in its first line.
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
    if request.pattern.chars().count() > LONGEST_PATTERN {
        let reason = format!("is longer than {LONGEST_PATTERN} characters");
        return Err(SearchError::invalid("pattern", reason));
    }
    if request.limit == 0 || request.limit > MOST_MATCHES {
        return Err(SearchError::invalid("limit", format!("must be 1 to {MOST_MATCHES}")));
    }
    for (parameter, lines) in [("before", request.before), ("after", request.after)] {
        if lines > MOST_CONTEXT {
            return Err(SearchError::invalid(
                parameter,
                format!("must be 0 to {MOST_CONTEXT} lines"),
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

/// The pattern as the matcher understands it. Where case is smart it is read as if case did not matter, which
/// can only ask the index for too much.
fn parsed(request: &GrepRequest) -> Result<Hir, SearchError> {
    let pattern = match request.literal {
        true => regex_syntax::escape(&request.pattern),
        false => request.pattern.clone(),
    };
    ParserBuilder::new()
        .utf8(false)
        .multi_line(true)
        .nest_limit(NESTING)
        .case_insensitive(request.case != Case::Sensitive)
        .build()
        .parse(&pattern)
        .map_err(|error| unreadable(&error))
}

/// Says what is wrong with a pattern, and where.
fn unreadable(error: &regex_syntax::Error) -> SearchError {
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
        format!("{kind}, at character {character}; correct it, or search for it as plain text"),
    )
}

/// ripgrep's matcher, set up as ripgrep does.
fn matcher(request: &GrepRequest) -> Result<RegexMatcher, SearchError> {
    RegexMatcherBuilder::new()
        .case_insensitive(request.case == Case::Insensitive)
        .case_smart(request.case == Case::Smart)
        .fixed_strings(request.literal)
        .word(request.whole_words)
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .ban_byte(Some(0))
        .nest_limit(NESTING)
        .size_limit(COMPILED)
        .dfa_size_limit(WORKED_OUT)
        .build(&request.pattern)
        .map_err(|error| SearchError::invalid("pattern", refusal(&error)))
}

fn refusal(error: &grep_regex::Error) -> String {
    match error.kind() {
        ErrorKind::NotAllowed(_) => {
            "holds a line end, and lines are searched one by one; search for one of the lines"
                .into()
        }
        ErrorKind::Banned(_) => "holds a zero byte, which no text has".into(),
        _ if error.to_string().contains("size limit") => {
            "is too large when compiled; repeat less in it".into()
        }
        _ => error.to_string(),
    }
}
