//! A search answer as an assistant reads it: the best places with the lines that matter, the others by name.
//!
//! Hits are chunks. An assistant needs the definition that does the work, with its lines numbered, and everything
//! else in one line each, so that a default answer costs about a thousand tokens.

mod confidence;
mod context;
mod layout;
mod member;
mod window;

pub use confidence::Confidence;
pub use context::widen;
pub use window::MAX_LINE;

use crate::error::SearchError;
use crate::path_kind::{PathKind, kind as path_kind};
use crate::query::evidence::Evidence;
use crate::query::request::{Hit, HitSymbol, SearchAnswer};
use crate::reader::Reader;
use crate::suggest::similar_names;
use crate::text::Text;
use groma_core::{
    ChunkKind, Lines, RelPath, Snapshot, StoreError, Symbol, SymbolKind, Word, folded, stem, words,
};
use layout::RankedFile;

/// Maximum number of files whose members are compared.
const MAX_FILES: usize = 10;

/// Places that are named if nothing found is about the query.
const MAX_NEAREST: usize = 3;

/// Signals of queries that are a path, and how many files of a folder and members of a file are named.
const PATH: &str = "path";
const FOLDER: &str = "folder";
const MAX_CHILDREN: usize = 12;
const MAX_OUTLINE: usize = 20;

/// Characters reserved for each place that is only named.
const PLACE: usize = 80;

/// Whether tests are among the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tests {
    /// Only if the query asks for them.
    #[default]
    Auto,
    /// Ranked like the rest.
    Include,
    /// Nothing else.
    Only,
}

impl std::str::FromStr for Tests {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "include" => Ok(Self::Include),
            "only" => Ok(Self::Only),
            _ => Err(format!("`{text}` is none of auto, include, only")),
        }
    }
}

/// What is shown of a search answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnippetOptions {
    /// Maximum number of characters.
    pub chars: usize,
    /// Maximum number of places that are only named.
    pub places: usize,
    /// Whether tests are shown.
    pub tests: Tests,
}

/// A search answer as an assistant reads it.
#[derive(Clone, Debug)]
pub struct Snippets {
    /// How likely it is that the answer is among the results.
    pub confidence: Confidence,
    /// Files with code, best first.
    pub files: Vec<FileSnippets>,
    /// Further files, best first.
    pub places: Vec<FilePlaces>,
    /// Identifiers of the query that do not occur in the project.
    pub absent: Vec<AbsentName>,
    /// Whether results were left out because they are tests.
    pub has_tests: bool,
}

/// A file with the lines that matter.
#[derive(Clone, Debug)]
pub struct FileSnippets {
    /// The file.
    pub path: RelPath,
    /// Pieces of it, in the order of their lines.
    pub snippets: Vec<Snippet>,
    /// Other members that were found, in the order of their lines.
    pub members: Vec<Place>,
}

/// A definition, or another piece of a file.
#[derive(Clone, Debug)]
pub struct Snippet {
    /// Where it is.
    pub place: Place,
    /// The lines that are shown, with their text.
    pub excerpts: Vec<Excerpt>,
}

impl Snippet {
    /// Whether every line is shown.
    pub fn is_whole(&self) -> bool {
        matches!(&*self.excerpts, [only] if only.lines.encloses(self.place.lines))
    }
}

/// Consecutive lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// Their numbers.
    pub lines: Lines,
    /// Their text, without line terminators; a very long line is cut at [`MAX_LINE`] characters.
    pub text: Vec<String>,
}

/// A definition by name, or another piece of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Its lines.
    pub lines: Lines,
    /// What it defines.
    pub kind: Option<SymbolKind>,
    /// Its name, with the type it belongs to; the headings above it in a document.
    pub name: String,
    /// The definition without its body.
    pub signature: String,
}

/// A file whose members are only named.
#[derive(Clone, Debug)]
pub struct FilePlaces {
    /// The file.
    pub path: RelPath,
    /// Its members, best first.
    pub places: Vec<Place>,
}

/// An identifier of the query that does not occur in the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsentName {
    /// The identifier.
    pub name: String,
    /// Similar names that are defined.
    pub similar: Vec<String>,
}

/// Chooses what is shown of a search answer.
pub fn snippets(
    reader: &Reader,
    answer: &SearchAnswer,
    options: &SnippetOptions,
) -> Result<Snippets, SearchError> {
    let evidence = Evidence::new(&answer.plan, &*reader.snapshot)?;
    let (hits, has_tests) = select(answer, options.tests);
    let hits = without_filler(answer, hits);
    let files = group(&hits);
    let ranked = files.iter().take(MAX_FILES).filter_map(|(path, hits)| {
        RankedFile::new(path, Text::new(reader.text(path)?), hits, &evidence)
    });
    let ranked: Vec<RankedFile<'_>> = ranked.collect();
    let confidence =
        Confidence::of(answer, ranked.first().map_or(0.0, RankedFile::coverage), evidence.occurs());
    // Naming other places must not take the room of the code.
    let places_limit = options.places.min(options.chars / 3 / PLACE);
    let room = options.chars.saturating_sub(places_limit * PLACE);
    let (files, places_limit) = match confidence {
        // Code that is not about the query is not worth its tokens.
        Confidence::None => (Vec::new(), places_limit.min(MAX_NEAREST)),
        // The files of a folder are named.
        _ if answer.named_by == Some(FOLDER) => (Vec::new(), options.places.max(MAX_CHILDREN)),
        _ => (layout::show(&ranked, room, confidence), places_limit),
    };
    let mut files = files;
    if answer.named_by == Some(PATH) {
        outline_whole_file(&mut files, &hits);
    }
    let shown: Vec<&RelPath> = files.iter().map(|file| &file.path).collect();
    let places = places(&hits, &shown, places_limit);
    Ok(Snippets { confidence, places, files, absent: absent_names(reader, answer)?, has_tests })
}

/// Leaves out what follows the files that a path names: nothing else was asked for.
fn without_filler<'a>(answer: &SearchAnswer, hits: Vec<&'a Hit>) -> Vec<&'a Hit> {
    if ![Some(PATH), Some(FOLDER)].contains(&answer.named_by) {
        return hits;
    }
    let named: Vec<&RelPath> = answer.hits.iter().take(answer.named).map(|hit| &hit.path).collect();
    hits.into_iter().filter(|hit| named.contains(&&hit.path)).collect()
}

/// Names the members of a file that was asked for as a whole.
fn outline_whole_file(files: &mut [FileSnippets], hits: &[&Hit]) {
    let Some(file) = files.first_mut() else { return };
    let Some(hit) = hits.iter().find(|hit| hit.path == file.path) else { return };
    if hit.focus.is_some() {
        return;
    }
    let is_shown = |place: &Place| {
        file.snippets.iter().any(|snippet| snippet.place.lines.encloses(place.lines))
    };
    let is_code = |symbol: &&Symbol| symbol.kind.is_callable() || symbol.kind.is_type();
    let place = |symbol: &Symbol| Place {
        lines: symbol.lines,
        kind: Some(symbol.kind),
        name: short_name(symbol),
        signature: symbol.signature.clone(),
    };
    let members = hit.facts.symbols.iter().filter(is_code).map(place);
    let members = members.filter(|place| !is_shown(place));
    file.members = members.take(MAX_OUTLINE).collect();
}

/// The hits that are shown, and whether tests were left out. Documents are left to the places unless requested.
fn select(answer: &SearchAnswer, tests: Tests) -> (Vec<&Hit>, bool) {
    let is_left = |(rank, hit): &(usize, &Hit)| *rank >= answer.named && is_test(hit);
    let (tests_found, others): (Vec<_>, Vec<_>) =
        answer.hits.iter().enumerate().partition(|hit| is_left(hit));
    let has_tests = !tests_found.is_empty();
    match tests {
        Tests::Only => (answer.hits.iter().filter(|hit| is_test(hit)).collect(), false),
        Tests::Auto if !answer.plan.requested.tests && !others.is_empty() => {
            (others.into_iter().map(|(_, hit)| hit).collect(), has_tests)
        }
        _ => (answer.hits.iter().collect(), false),
    }
}

/// Whether a hit is a test.
pub fn is_test(hit: &Hit) -> bool {
    let is_test_module = |name: &String| name == "tests" || name == "test";
    path_kind(&hit.path) == PathKind::Test
        || hit.symbol.as_ref().is_some_and(|symbol| {
            symbol.kind == SymbolKind::Test
                || is_test_module(&symbol.name)
                || symbol.parents.iter().any(is_test_module)
        })
}

/// The hits of each file, in the order of the best hits.
fn group<'a>(hits: &[&'a Hit]) -> Vec<(&'a RelPath, Vec<&'a Hit>)> {
    let mut files: Vec<(&RelPath, Vec<&Hit>)> = Vec::new();
    for hit in hits.iter().copied().filter(|hit| hit.kind != ChunkKind::Overview) {
        match files.iter_mut().find(|(path, _)| *path == &hit.path) {
            Some((_, known)) => known.push(hit),
            None => files.push((&hit.path, vec![hit])),
        }
    }
    files
}

/// The text of some lines.
pub(crate) fn excerpt(text: &Text, lines: Lines) -> Excerpt {
    let cut = |line: &str| match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    };
    let text = (lines.start..=lines.end).map(|line| cut(text.line(line).trim_end())).collect();
    Excerpt { lines, text }
}

/// The hits in files without snippets, by name.
fn places(hits: &[&Hit], shown: &[&RelPath], limit: usize) -> Vec<FilePlaces> {
    let mut files: Vec<FilePlaces> = Vec::new();
    let others = hits.iter().filter(|hit| !shown.contains(&&hit.path));
    for hit in others.take(limit) {
        let place = place(hit);
        match files.iter_mut().find(|file| file.path == hit.path) {
            Some(file) if file.places.iter().any(|known| known.name == place.name) => {}
            Some(file) => file.places.push(place),
            None => files.push(FilePlaces { path: hit.path.clone(), places: vec![place] }),
        }
    }
    files
}

fn place(hit: &Hit) -> Place {
    match &hit.symbol {
        Some(HitSymbol { kind, qualified, signature, lines, .. }) => Place {
            lines: *lines,
            kind: Some(*kind),
            name: short(qualified, *kind),
            signature: signature.clone(),
        },
        None => Place {
            lines: hit.lines,
            kind: None,
            name: hit.title.clone(),
            signature: String::new(),
        },
    }
}

/// The name of a definition with the type it belongs to, without its modules: the path says those.
pub(crate) fn short_name(symbol: &Symbol) -> String {
    short(&symbol.qualified, symbol.kind)
}

fn short(qualified: &str, kind: SymbolKind) -> String {
    let has_parent = matches!(
        kind,
        SymbolKind::Method
            | SymbolKind::Constructor
            | SymbolKind::Field
            | SymbolKind::Property
            | SymbolKind::Variant
    );
    let is_separator = |c: char| matches!(c, '.' | ':' | '#' | '\\' | '/');
    let mut ends = qualified.rmatch_indices(is_separator);
    let mut cut = ends.next();
    if has_parent {
        // `::` is one separator.
        cut = ends.find(|(at, _)| cut.is_some_and(|(last, _)| at + 1 < last));
    }
    cut.map_or(qualified, |(at, separator)| &qualified[at + separator.len()..]).to_string()
}

/// The identifiers of a query that occur nowhere, with similar names.
fn absent_names(reader: &Reader, answer: &SearchAnswer) -> Result<Vec<AbsentName>, SearchError> {
    let snapshot = &*reader.snapshot;
    let quoted = answer.absent.iter();
    let mut absent: Vec<AbsentName> =
        quoted.map(|text| AbsentName { name: text.clone(), similar: Vec::new() }).collect();
    let spelled_as_code =
        |name: &&String| name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    for name in answer.plan.names.iter().filter(spelled_as_code) {
        if !occurs(snapshot, name)? {
            let similar = similar_names(snapshot, name, 3)?;
            absent.push(AbsentName { name: name.clone(), similar });
        }
    }
    Ok(absent)
}

/// Whether an identifier occurs in the project. One of a single word, such as `FILE`, is indexed by its stem alone.
fn occurs(snapshot: &dyn Snapshot, name: &str) -> Result<bool, StoreError> {
    let mut parts = 0;
    words(name, |word| parts += usize::from(matches!(word, Word::Part(_))));
    let name = folded(name);
    Ok(snapshot.frequency(&name)? > 0 || parts == 1 && snapshot.frequency(stem(&name))? > 0)
}
