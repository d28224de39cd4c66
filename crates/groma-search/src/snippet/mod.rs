//! A search answer as an assistant reads it: the best places with the lines that matter, the others by name.
//!
//! Hits are chunks. An assistant needs the definition that does the work, with its lines numbered, and everything
//! else in one line each, so that a default answer costs about a thousand tokens.

mod confidence;
mod context;
mod evidence;
mod member;
mod window;

pub use confidence::Confidence;
pub use context::widen;
pub use window::MAX_LINE;

use crate::error::SearchError;
use crate::query::path_kind::{PathKind, kind as path_kind};
use crate::query::request::{Hit, HitSymbol, SearchAnswer};
use crate::reader::Reader;
use crate::suggest::similar_names;
use crate::text::Text;
use evidence::Evidence;
use groma_core::{ChunkKind, FileFacts, Lines, RelPath, Symbol, SymbolKind, folded};
use member::{Member, members};
use std::sync::Arc;
use window::Piece;

pub(crate) fn par(i: usize, default: f32) -> f32 {
    static P: std::sync::OnceLock<Vec<f32>> = std::sync::OnceLock::new();
    let p = P.get_or_init(|| {
        std::env::var("SNIP")
            .unwrap_or_default()
            .split(',')
            .map(|x| x.parse().unwrap_or(f32::NAN))
            .collect()
    });
    p.get(i).copied().filter(|x| !x.is_nan()).unwrap_or(default)
}

/// Maximum number of files with code.
const MAX_FILES: usize = 5;

/// Maximum number of members with code.
const MAX_SNIPPETS: usize = 6;

/// Maximum number of members that are named beside the snippets of a file.
const MAX_MEMBERS: usize = 4;

/// Characters reserved for each place that is only named.
const PLACE: usize = 80;

/// Characters of the headings of a snippet.
const HEADING: usize = 90;

/// Share of the room for code that the best member may take.
const FIRST_SHARE: f32 = 0.6;

/// Least number of characters worth showing of a member.
const MIN_ALLOTMENT: usize = 240;

/// Members below this share of the best one's score are named instead of shown.
const MIN_SHARE: f32 = 0.35;

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
    let files = group(&hits);
    let ranked = files.iter().take(MAX_FILES * 2).filter_map(|(path, hits)| {
        let text = Text::new(reader.text(path)?);
        let facts = hits[0].facts.clone();
        let mut members = members(&facts, &text, hits, &evidence);
        let best = members.first().map_or(1.0, |member| member.score).max(f32::MIN_POSITIVE);
        for member in &mut members {
            member.score = hits[0].score * (member.score / best).powf(par(7, 1.0));
        }
        Some(RankedFile { path, facts, text, members })
    });
    let mut ranked: Vec<RankedFile<'_>> = ranked.collect();
    ranked.sort_by(|a, b| b.score().total_cmp(&a.score()));
    let confidence = Confidence::of(answer, ranked.first().map_or(0.0, RankedFile::coverage));
    let room = options.chars.saturating_sub(options.places * PLACE);
    let files = show(&mut ranked, room);
    let shown: Vec<&RelPath> = files.iter().map(|file| &file.path).collect();
    let places = places(&hits, &shown, options.places);
    Ok(Snippets { confidence, places, files, absent: absent_names(reader, answer)?, has_tests })
}

/// The hits that are shown, and whether tests were left out. Documents are left to the places unless requested.
fn select(answer: &SearchAnswer, tests: Tests) -> (Vec<&Hit>, bool) {
    let (tests_found, others): (Vec<&Hit>, Vec<&Hit>) =
        answer.hits.iter().partition(|hit| is_test(hit));
    match tests {
        Tests::Only => (tests_found, false),
        Tests::Auto if !answer.plan.requested.tests && !others.is_empty() => {
            (others, !tests_found.is_empty())
        }
        _ => (answer.hits.iter().collect(), false),
    }
}

/// Whether a hit is a test.
pub fn is_test(hit: &Hit) -> bool {
    path_kind(&hit.path) == PathKind::Test
        || hit.symbol.as_ref().is_some_and(|symbol| symbol.kind == SymbolKind::Test)
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

/// A file with its ranked members.
struct RankedFile<'a> {
    path: &'a RelPath,
    facts: Arc<FileFacts>,
    text: Text,
    members: Vec<Member>,
}

impl RankedFile<'_> {
    fn score(&self) -> f32 {
        self.members.first().map_or(0.0, |member| member.score)
    }

    fn coverage(&self) -> f32 {
        self.members.first().map_or(0.0, |member| member.coverage)
    }

    fn place(&self, member: &Member) -> Place {
        let symbol = member.symbol.map(|index| &self.facts.symbols[index]);
        Place {
            lines: member.lines,
            kind: symbol.map(|symbol| symbol.kind),
            name: symbol.map_or_else(String::new, short_name),
            signature: symbol.map_or_else(String::new, |symbol| symbol.signature.clone()),
        }
    }

    fn snippet(&self, member: &Member, allotment: usize) -> (Snippet, usize) {
        let name_line =
            member.symbol.map_or(member.lines.start, |index| self.facts.symbols[index].name_line);
        let piece = Piece {
            text: &self.text,
            lines: member.lines,
            name_line: name_line.clamp(member.lines.start, member.lines.end),
            doc: member.symbol.map_or("", |index| &self.facts.symbols[index].doc),
            evidence: &member.evidence,
        };
        let (ranges, cost) = piece.choose(allotment);
        let excerpts = ranges.into_iter().map(|lines| excerpt(&self.text, lines)).collect();
        (Snippet { place: self.place(member), excerpts }, cost)
    }
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

/// Shows the best members of all files, each in proportion to its score, while there is room.
fn show(files: &mut [RankedFile<'_>], room: usize) -> Vec<FileSnippets> {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (file, ranked) in files.iter().enumerate() {
        order.extend((0..ranked.members.len()).map(|member| (file, member)));
    }
    let score = |(file, member): (usize, usize)| files[file].members[member].score;
    order.sort_by(|a, b| score(*b).total_cmp(&score(*a)));
    let best = order.first().map_or(0.0, |first| score(*first));
    order.truncate(par(0, 6.0) as usize);
    order.retain(|one| score(*one) >= par(1, MIN_SHARE) * best);
    let total: f32 = order.iter().map(|one| score(*one).powf(par(3, 2.0))).sum();
    let mut left = room;
    let mut chosen: Vec<(usize, usize, Snippet)> = Vec::new();
    for (rank, (file, member)) in order.into_iter().enumerate() {
        let share = if rank == 0 {
            par(2, FIRST_SHARE)
        } else {
            score((file, member)).powf(par(3, 2.0)) / total.max(f32::MIN_POSITIVE)
        };
        let allotment =
            ((room as f32 * share) as usize).max(MIN_ALLOTMENT).min(left.saturating_sub(HEADING));
        if allotment < MIN_ALLOTMENT {
            break;
        }
        let (snippet, cost) = files[file].snippet(&files[file].members[member], allotment);
        left = left.saturating_sub(cost + HEADING);
        chosen.push((file, member, snippet));
    }
    collect(files, chosen)
}

/// Groups the snippets by file, in the order of the best, and names the other members of these files.
fn collect(files: &[RankedFile<'_>], chosen: Vec<(usize, usize, Snippet)>) -> Vec<FileSnippets> {
    let mut shown: Vec<(usize, FileSnippets)> = Vec::new();
    let is_shown =
        |file: usize, member: usize| chosen.iter().any(|(f, m, _)| (*f, *m) == (file, member));
    for (file, _, snippet) in &chosen {
        match shown.iter_mut().find(|(known, _)| known == file) {
            Some((_, file)) => file.snippets.push(snippet.clone()),
            None => {
                let ranked = &files[*file];
                let others = (0..ranked.members.len()).filter(|member| !is_shown(*file, *member));
                let mut members: Vec<Place> = others
                    .map(|member| ranked.place(&ranked.members[member]))
                    .filter(|place| !place.name.is_empty())
                    .take(MAX_MEMBERS)
                    .collect();
                members.sort_by_key(|place| place.lines);
                let path = ranked.path.clone();
                shown
                    .push((*file, FileSnippets { path, snippets: vec![snippet.clone()], members }));
            }
        }
    }
    let mut files: Vec<FileSnippets> = shown.into_iter().map(|(_, file)| file).collect();
    for file in &mut files {
        file.snippets.sort_by_key(|snippet| snippet.place.lines);
    }
    files
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
    let mut absent = Vec::new();
    let spelled_as_code =
        |name: &&String| name.contains('_') || name.chars().skip(1).any(char::is_uppercase);
    for name in answer.plan.names.iter().filter(spelled_as_code) {
        if snapshot.frequency(&folded(name))? == 0 {
            let similar = similar_names(snapshot, name, 3)?;
            absent.push(AbsentName { name: name.clone(), similar });
        }
    }
    Ok(absent)
}
