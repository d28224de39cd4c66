//! Questions for a kind of thing: "tests for X", "docs about X", "who calls X", "what implements X".

use super::Spot;
use super::sources;
use crate::locate::{LocateRequest, Relation, locate};
use crate::path_kind::{PathKind, kind as path_kind};
use crate::reader::Reader;
use groma_core::{Cancel, ChunkKind, ChunkOutline, Lines, RelPath, StoreError, SymbolKind};

/// Maximum number of places.
const MAX_SPOTS: usize = 8;

/// What is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tests,
    Docs,
    Examples,
    Configuration,
    Callers,
    References,
    Implementors,
}

/// A question for a kind of thing about a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub kind: Kind,
    pub subject: String,
}

/// Beginnings, and for some an end, of questions for a kind.
const FORMS: &[(Kind, &str, &str)] = &[
    (Kind::Tests, "tests for ", ""),
    (Kind::Tests, "test for ", ""),
    (Kind::Tests, "tests of ", ""),
    (Kind::Tests, "tests that cover ", ""),
    (Kind::Tests, "tests covering ", ""),
    (Kind::Tests, "unit tests for ", ""),
    (Kind::Tests, "unit test for ", ""),
    (Kind::Tests, "integration tests for ", ""),
    (Kind::Tests, "test cases for ", ""),
    (Kind::Tests, "which tests cover ", ""),
    (Kind::Tests, "where is ", " tested"),
    (Kind::Tests, "how is ", " tested"),
    (Kind::Docs, "docs about ", ""),
    (Kind::Docs, "docs for ", ""),
    (Kind::Docs, "docs on ", ""),
    (Kind::Docs, "documentation about ", ""),
    (Kind::Docs, "documentation for ", ""),
    (Kind::Docs, "documentation of ", ""),
    (Kind::Docs, "documentation on ", ""),
    (Kind::Docs, "where is ", " documented"),
    (Kind::Examples, "example of ", ""),
    (Kind::Examples, "examples of ", ""),
    (Kind::Examples, "example for ", ""),
    (Kind::Examples, "examples for ", ""),
    (Kind::Examples, "usage example of ", ""),
    (Kind::Examples, "example usage of ", ""),
    (Kind::Configuration, "where is ", " configured"),
    (Kind::Configuration, "where is ", " set up"),
    (Kind::Configuration, "configuration of ", ""),
    (Kind::Configuration, "configuration for ", ""),
    (Kind::Configuration, "config for ", ""),
    (Kind::Configuration, "settings for ", ""),
    (Kind::Callers, "who calls ", ""),
    (Kind::Callers, "what calls ", ""),
    (Kind::Callers, "which functions call ", ""),
    (Kind::Callers, "callers of ", ""),
    (Kind::Callers, "calls to ", ""),
    (Kind::Callers, "where is ", " called"),
    (Kind::References, "where is ", " used"),
    (Kind::References, "who uses ", ""),
    (Kind::References, "what uses ", ""),
    (Kind::References, "usages of ", ""),
    (Kind::References, "uses of ", ""),
    (Kind::References, "references to ", ""),
    (Kind::Implementors, "what implements ", ""),
    (Kind::Implementors, "who implements ", ""),
    (Kind::Implementors, "which classes implement ", ""),
    (Kind::Implementors, "which types implement ", ""),
    (Kind::Implementors, "implementations of ", ""),
    (Kind::Implementors, "implementors of ", ""),
    (Kind::Implementors, "subclasses of ", ""),
    (Kind::Implementors, "what extends ", ""),
    (Kind::Implementors, "which classes extend ", ""),
];

/// What a question wants, if it is one of the forms.
pub(crate) fn wanted(query: &str) -> Option<Wanted> {
    let text = query.trim().trim_end_matches(['?', '.', '!', ' ']);
    let lower = text.to_ascii_lowercase();
    let form = |(kind, beginning, end): &(Kind, &str, &str)| {
        let rest = lower.strip_prefix(beginning)?;
        let rest = rest.strip_suffix(end)?;
        let subject = &text[beginning.len()..beginning.len() + rest.len()];
        let subject = subject.trim();
        let subject = ["the ", "a ", "an "]
            .iter()
            .find_map(|article| subject.strip_prefix(article))
            .unwrap_or(subject);
        let subject =
            [" class", " function", " method", " module", " interface", " trait", " type"]
                .iter()
                .find_map(|noun| subject.strip_suffix(noun))
                .unwrap_or(subject);
        (!subject.is_empty()).then(|| Wanted { kind: *kind, subject: subject.to_string() })
    };
    FORMS.iter().find_map(form)
}

impl Wanted {
    /// The subject, if it is one name.
    pub fn name(&self) -> Option<&str> {
        let name = self.subject.trim_matches(['`', '"', '\'']);
        (!name.contains(char::is_whitespace)).then_some(name)
    }

    /// Whether a chunk is of the wanted kind; always false for relations, which are looked up.
    pub fn fits(&self, chunk: &ChunkOutline) -> bool {
        let kind = path_kind(&chunk.path);
        match self.kind {
            Kind::Tests => kind == PathKind::Test || chunk.defines(|kind| kind == SymbolKind::Test),
            Kind::Docs => chunk.kind == ChunkKind::Prose && is_for_readers(kind),
            Kind::Examples => {
                kind == PathKind::Example && chunk.kind == ChunkKind::Code
                    || has_word(&chunk.path, "example")
            }
            Kind::Configuration => chunk.kind == ChunkKind::Data || is_configuration(&chunk.path),
            Kind::Callers | Kind::References | Kind::Implementors => false,
        }
    }

    fn fits_path(&self, path: &RelPath) -> bool {
        let kind = path_kind(path);
        let language = || groma_syntax::detect(path, b"").kind;
        match self.kind {
            Kind::Tests => kind == PathKind::Test,
            Kind::Docs => is_for_readers(kind) && language() == groma_syntax::LanguageKind::Prose,
            Kind::Examples => {
                kind == PathKind::Example && language() == groma_syntax::LanguageKind::Code
                    || has_word(path, "example")
                    || has_word(path, "sample")
            }
            Kind::Configuration => {
                language() == groma_syntax::LanguageKind::Data || is_configuration(path)
            }
            Kind::Callers | Kind::References | Kind::Implementors => false,
        }
    }

    /// The places of the wanted kind that name the subject.
    pub fn find(&self, reader: &Reader) -> Result<Vec<Spot>, StoreError> {
        let Some(name) = self.name() else { return Ok(Vec::new()) };
        match self.kind {
            Kind::Callers => self.related(reader, name, Relation::Callers),
            Kind::References => self.related(reader, name, Relation::References),
            Kind::Implementors => self.related(reader, name, Relation::Implementors),
            _ => self.mentioning(reader, name),
        }
    }

    fn related(
        &self,
        reader: &Reader,
        name: &str,
        relation: Relation,
    ) -> Result<Vec<Spot>, StoreError> {
        let mut request = LocateRequest::new(name);
        request.relation = relation;
        request.limit = 4 * MAX_SPOTS;
        // A name that cannot be looked up has no relations; the question is then answered by its words.
        let Ok((answer, _)) = locate(reader, &request, &Cancel::default()) else {
            return Ok(Vec::new());
        };
        let mut spots: Vec<Spot> = Vec::new();
        for usage in answer.usages {
            let around = usage.enclosing.as_ref().map(|enclosing| enclosing.lines);
            let is_known = |spot: &Spot| {
                spot.path == usage.path
                    && around.is_some_and(|lines| spot.lines.is_some_and(|one| lines.encloses(one)))
            };
            // A function that wraps another of the same name is not its own caller.
            let is_itself = usage.enclosing.as_ref().is_some_and(|one| one.name == usage.name);
            if !is_itself && !spots.iter().any(is_known) {
                let line = Lines::new(usage.line, usage.line);
                spots.push(Spot::at(usage.path, line, 0.9, "relation"));
            }
            if spots.len() == MAX_SPOTS {
                break;
            }
        }
        Ok(spots)
    }

    /// Files of the kind in which the name occurs: those named after it first, then those that name it most.
    fn mentioning(&self, reader: &Reader, name: &str) -> Result<Vec<Spot>, StoreError> {
        let short = name.rsplit(['.', ':', '#']).next().unwrap_or(name);
        let mut paths = sources::candidates(reader, short)?;
        paths.retain(|path| self.fits_path(path));
        let lower = short.to_ascii_lowercase();
        paths.sort_by_cached_key(|path| (!has_word(path, &lower), path.clone()));
        let mut found = Vec::new();
        for source in sources::read(reader, &paths) {
            let mut lines: Vec<u32> = Vec::new();
            for offset in source.offsets(&lower, 100) {
                let joins = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
                let end = offset + lower.len();
                // `test_parse` and `TestParse` are about `parse`; `parser` is not.
                let is_whole = !joins(source.lower[end..].chars().next());
                let is_exact = source.text.text.get(offset..end) == Some(short)
                    && !joins(source.lower[..offset].chars().next_back());
                if is_exact || is_whole && lower.len() > 5 {
                    lines.push(source.line_at(offset));
                }
            }
            let Some(line) = best_line(&source, &lines, &lower) else { continue };
            let is_named = has_word(&source.path, &lower);
            found.push((is_named, lines.len().min(20), source.path, line));
        }
        found.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then_with(|| a.2.cmp(&b.2)));
        found.truncate(MAX_SPOTS);
        let spot = |(_, _, path, line)| Spot::at(path, Lines::new(line, line), 0.9, "wanted");
        Ok(found.into_iter().map(spot).collect())
    }
}

/// The line that says most: a heading or a definition before an import, and the one with most neighbours.
fn best_line(source: &sources::Source, lines: &[u32], name: &str) -> Option<u32> {
    let weight = |line: u32| {
        let text = source.text.line(line).trim_start();
        let is_import = ["import ", "from ", "use ", "#include", "using ", "require"]
            .iter()
            .any(|sign| text.starts_with(sign));
        let is_head = [
            "def ",
            "fn ",
            "func ",
            "class ",
            "#",
            "test",
            "it(",
            "describe(",
            "public ",
            "async ",
        ]
        .iter()
        .any(|sign| text.starts_with(sign));
        let near = lines.iter().filter(|other| other.abs_diff(line) < 10).count();
        let whole = text.to_ascii_lowercase().matches(name).count();
        (!is_import, near + 3 * usize::from(is_head) + whole)
    };
    lines.iter().copied().max_by_key(|line| (weight(*line), std::cmp::Reverse(*line)))
}

/// Whether documents of this kind explain something: changelogs and fixtures do not.
fn is_for_readers(kind: PathKind) -> bool {
    !matches!(kind, PathKind::Record | PathKind::Test)
}

/// Whether a path contains a word, ignoring case and separators.
fn has_word(path: &RelPath, lower: &str) -> bool {
    let plain = |text: &str| text.to_ascii_lowercase().replace(['_', '-'], "");
    plain(path.as_str()).contains(&plain(lower))
}

fn is_configuration(path: &RelPath) -> bool {
    ["config", "settings", "options", ".env", "conf."]
        .iter()
        .any(|sign| path.file_name().to_ascii_lowercase().contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_have_a_subject() {
        let cases = [
            ("tests for TaskLocal", Kind::Tests, "TaskLocal"),
            ("Where is the Session class tested?", Kind::Tests, "Session"),
            ("docs about blueprints", Kind::Docs, "blueprints"),
            ("example of a custom sink", Kind::Examples, "custom sink"),
            ("where is the log level configured", Kind::Configuration, "log level"),
            ("who calls flushJobs?", Kind::Callers, "flushJobs"),
            ("what implements ILogEventSink", Kind::Implementors, "ILogEventSink"),
            ("usages of dictSdsHash", Kind::References, "dictSdsHash"),
        ];
        for (query, kind, subject) in cases {
            assert_eq!(wanted(query), Some(Wanted { kind, subject: subject.into() }), "{query}");
        }
        for query in
            ["how are tests run", "where is the session opened", "test runner", "who calls"]
        {
            assert_eq!(wanted(query), None, "{query}");
        }
    }
}
