//! Questions that name what they want: a path, a stack trace, a message, a key, a name, a kind of thing.
//!
//! The retrievers see words. What is written literally is looked up literally, within limits, and leads the answer; the
//! retrievers' results follow it. Nothing here is chosen by a setting: the text of the question decides, and the project
//! confirms.

mod key;
mod lead;
mod message;
mod name;
mod path;
mod pattern;
mod sources;
mod template;
mod trace;
mod wanted;

pub(crate) use lead::{Focus, Leading, lead};

use super::plan::{Plan, QueryKind};
use super::request::SearchMode;
use super::search::QueryContext;
use crate::reader::Reader;
use groma_core::{Lines, RelPath, StoreError};
use message::Strictness;
use path::Resolved;
use wanted::Wanted;

/// Maximum number of places that lead an answer.
const MAX_SPOTS: usize = 20;

/// Maximum length of a question that is compared with messages, in bytes.
const MAX_MESSAGE: usize = 1000;

/// The weight from which a message comes before the paths in it.
const SURE_MESSAGE: f32 = 0.85;

/// Minimum length of a quoted text that is looked for.
const MIN_QUOTED: usize = 4;

/// A place that a question names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Spot {
    pub path: RelPath,
    /// The lines that are meant; `None` for the file as a whole.
    pub lines: Option<Lines>,
    /// The line with the name, if the lines are a definition.
    pub name_line: Option<u32>,
    /// Whether the question is nothing but this path.
    pub is_alone: bool,
    /// How sure it is, 0..1.
    pub weight: f32,
    /// The signal that `--explain` prints.
    pub signal: &'static str,
}

impl Spot {
    fn at(path: RelPath, lines: Lines, weight: f32, signal: &'static str) -> Self {
        Self { path, lines: Some(lines), name_line: None, is_alone: false, weight, signal }
    }

    fn named(mut self, line: u32) -> Self {
        self.name_line = Some(line);
        self
    }
}

/// What a question names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Literal {
    /// The places, best first.
    pub spots: Vec<Spot>,
    /// The kind of thing that is asked for.
    pub wanted: Option<Wanted>,
    /// Whether everything of that kind comes before everything else.
    pub prefers_kind: bool,
    /// Texts of the question that occur nowhere.
    pub absent: Vec<String>,
}

/// Looks up what a question names.
pub(crate) fn find(context: &QueryContext<'_>) -> Result<Literal, StoreError> {
    let mut literal = Literal::default();
    if context.request.mode == SearchMode::Vector {
        return Ok(literal);
    }
    let (reader, plan) = (context.reader, context.plan);
    let query = plan.query.as_str();
    literal.wanted = wanted::wanted(query);
    if let Some(wanted) = &literal.wanted {
        literal.spots = wanted.find(reader)?;
        literal.prefers_kind = wanted.name().is_none() || !literal.spots.is_empty();
        if let Some(name) = wanted.name().filter(|_| literal.spots.is_empty()) {
            // Nothing of that kind mentions it: its definition says most.
            literal.spots = name::alone(reader, name)?;
        }
    } else {
        literal.spots = message_with_paths(reader, plan)?;
        literal.spots.extend(paths(context, query));
        if literal.spots.is_empty() {
            literal.spots = named(reader, plan, &mut literal.absent)?;
        }
    }
    literal.spots.truncate(MAX_SPOTS);
    Ok(literal)
}

/// A message in which a path occurs is a message.
fn message_with_paths(reader: &Reader, plan: &Plan) -> Result<Vec<Spot>, StoreError> {
    let query = plan.query.as_str();
    let is_message = query.contains(' ') && !query.contains('\n') && query.len() <= MAX_MESSAGE;
    if !is_message || path::mentions(query).is_empty() {
        return Ok(Vec::new());
    }
    let found = message::find(reader, query, Strictness::Words)?;
    Ok(found.into_iter().filter(|spot| spot.weight >= SURE_MESSAGE).collect())
}

/// What a question names that is no path: of one word a name or a key, of several a message, keys and names.
fn named(reader: &Reader, plan: &Plan, absent: &mut Vec<String>) -> Result<Vec<Spot>, StoreError> {
    let query = plan.query.as_str();
    let mut spots = Vec::new();
    if pattern::is_pattern(query) {
        spots.extend(pattern::find(reader, query)?);
    }
    let mut keys = Vec::new();
    for key in key::keys(query) {
        keys.extend(key::find(reader, &key)?);
    }
    if !query.contains(char::is_whitespace) {
        let names = name::alone(reader, query)?;
        // `minimum-level` is a key, although there may be a `MinimumLevel`.
        let is_key = query.contains(['-', '/']) && !keys.is_empty();
        let (first, second) = if is_key { (keys, names) } else { (names, keys) };
        spots.extend(first);
        spots.extend(second);
        return Ok(spots);
    }
    spots.extend(name::separated(reader, query)?);
    spots.extend(texts(reader, plan, absent)?);
    spots.extend(keys);
    spots.extend(name::mentioned(reader, plan)?);
    Ok(spots)
}

/// The files, lines and folders that a question mentions; the frames of a trace innermost first, then its message.
fn paths(context: &QueryContext<'_>, query: &str) -> Vec<Spot> {
    let mentions = path::mentions(query);
    if mentions.is_empty() {
        return Vec::new();
    }
    let alone = !query.trim().contains(char::is_whitespace);
    let resolved = path::resolve(context.reader.manifest(), &mentions, alone);
    let is_trace = trace::is_trace(query, &mentions);
    let order: Vec<usize> = if is_trace {
        trace::innermost_first(query, &mentions)
    } else {
        (0..mentions.len()).collect()
    };
    let mut spots = Vec::new();
    for index in order {
        let Some(resolved) = &resolved[index] else { continue };
        spots.extend(spots_of(resolved, mentions[index].lines, alone));
    }
    if is_trace
        && let Some(message) = trace::message(query)
        && let Ok(found) = message::find(context.reader, message, Strictness::Message)
    {
        spots.extend(found);
    }
    spots
}

fn spots_of(resolved: &Resolved, lines: Option<Lines>, alone: bool) -> Vec<Spot> {
    let signal = if resolved.is_folder { "folder" } else { "path" };
    let weight = if resolved.is_whole { 1.0 } else { 0.9 };
    let spot = |path: &RelPath| Spot {
        path: path.clone(),
        lines,
        name_line: None,
        is_alone: alone,
        weight,
        signal,
    };
    resolved.files.iter().map(spot).collect()
}

/// The question itself as a message, and the quoted texts in it. Quoted texts that occur nowhere are returned, too.
fn texts(reader: &Reader, plan: &Plan, absent: &mut Vec<String>) -> Result<Vec<Spot>, StoreError> {
    let text = plan.query.trim_matches(['"', '\'', '`']);
    if text.len() > MAX_MESSAGE {
        return Ok(Vec::new());
    }
    let mut found = message::find(reader, text, strictness(plan))?;
    if !found.is_empty() {
        return Ok(found);
    }
    for quoted in quoted_texts(&plan.query) {
        let spots = match quoted.split_whitespace().count() {
            0..=2 => key::find(reader, &key::Key { text: quoted.clone(), is_sure: true })?,
            _ => message::find(reader, &quoted, Strictness::Message)?,
        };
        if spots.is_empty() {
            absent.push(quoted);
        }
        found.extend(spots);
    }
    Ok(found)
}

/// The texts between double quotes or backticks, at most three of them.
fn quoted_texts(query: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ['"', '`'] {
        let quoted = query.split(quote).skip(1).step_by(2);
        found.extend(quoted.filter(|text| text.trim().len() >= MIN_QUOTED).map(str::to_string));
    }
    found.truncate(3);
    found
}

fn strictness(plan: &Plan) -> Strictness {
    if plan.kind == QueryKind::Literal || is_quoted(&plan.query) {
        Strictness::Message
    } else {
        Strictness::Words
    }
}

fn is_quoted(query: &str) -> bool {
    let query = query.trim();
    query.len() > 2
        && ['"', '`'].iter().any(|quote| query.starts_with(*quote) && query.ends_with(*quote))
}
