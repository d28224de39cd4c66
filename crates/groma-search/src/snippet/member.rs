//! The members of a file that may answer a query, ranked on the evidence of their own lines.
//!
//! A chunk may contain several small definitions, and a long definition several chunks. A query is answered by a
//! definition: the one that does the work, rather than its constructor, accessor, field block or type header.

use crate::query::evidence::{Evidence, TermSet};
use crate::query::request::Hit;
use crate::text::Text;
use groma_core::{FileFacts, Lines, Symbol, SymbolKind, Visibility};

/// Boost of a member that covers the whole query. Lines in sight of 330 (`cargo xtask eval --sight`): 145 with 1, 130 with
/// none.
const EVIDENCE: f32 = 1.0;

/// Evidence of the lines that were retrieved, beside that of their words.
const RETRIEVED: f32 = 0.1;

/// Evidence of the lines that the query names, and weight of the member they are in.
const FOCUS: f32 = 2.0;

/// A definition of more lines is shown like any other: its head, and the lines with evidence.
const MAX_MARKED_LINES: u32 = 8;

/// Lines up to which the head of a type is not shown beside its members.
const MAX_HEADER_LINES: u32 = 3;

/// A definition, a block of small ones, or a piece of a file without definitions.
pub(super) struct Member {
    /// The definition, as an index into the file's symbols.
    pub symbol: Option<usize>,
    pub lines: Lines,
    pub score: f32,
    /// The share of the query that its lines cover, 0..1.
    pub coverage: f32,
    /// The evidence of each line.
    pub evidence: Vec<f32>,
    /// Whether the query names it.
    pub is_focused: bool,
}

/// The members of a file in which the hits are, best first.
pub(super) fn members(
    facts: &FileFacts,
    text: &Text,
    hits: &[&Hit],
    evidence: &Evidence,
) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    let last = text.starts.len() as u32;
    for hit in hits {
        for (symbol, lines) in pieces(facts, hit) {
            let lines = Lines::new(lines.start.min(last), lines.end.min(last));
            // A long definition has several chunks; the first hit in it is the best.
            if members.iter().any(|known| known.lines.encloses(lines)) {
                continue;
            }
            members.push(score(facts, text, hit, symbol, lines, evidence));
        }
    }
    members.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.lines.cmp(&b.lines)));
    // The bare header of a type says nothing that its members do not.
    let is_header = |member: &Member| {
        member.lines.count() <= MAX_HEADER_LINES
            && !member.is_focused
            && member.symbol.is_some_and(|index| facts.symbols[index].kind.is_container())
    };
    if !members.iter().all(is_header) {
        members.retain(|member| !is_header(member));
    }
    members
}

/// The definitions that a chunk contains or belongs to; neighbouring values are one piece.
fn pieces(facts: &FileFacts, hit: &Hit) -> Vec<(Option<usize>, Lines)> {
    let overlaps = |lines: Lines| lines.start <= hit.lines.end && hit.lines.start <= lines.end;
    let mut pieces: Vec<(Option<usize>, Lines)> = Vec::new();
    let mut covered = 0;
    pieces.extend(focused_container(facts, hit));
    for (index, symbol) in facts.symbols.iter().enumerate() {
        if symbol.lines.start > hit.lines.end {
            break;
        }
        let is_inner = symbol.lines.end <= covered;
        // A type with its fields is one piece; one with methods is as many as it has.
        let is_found = hit.lines.encloses(symbol.lines)
            || (symbol.kind.is_type() && hit.lines.end >= symbol.name_line);
        let is_split = symbol.kind.is_container() && !(is_found && has_no_code(facts, index));
        if is_split || is_inner || !overlaps(symbol.lines) {
            continue;
        }
        covered = symbol.lines.end;
        match pieces.last_mut() {
            Some((Some(last), lines))
                if is_small(symbol)
                    && is_small(&facts.symbols[*last])
                    && facts.symbols[*last].parent == symbol.parent =>
            {
                lines.end = symbol.lines.end;
            }
            _ => pieces.push((Some(index), symbol.lines)),
        }
    }
    if let Some(focus) = hit.focus
        && hit.lines.contains(focus.start)
        && !pieces.iter().any(|(_, lines)| lines.contains(focus.start))
    {
        // A comment or statement outside of any definition.
        let end = (focus.end + 1).min(hit.lines.end);
        pieces
            .insert(0, (None, Lines::new(focus.start.saturating_sub(1).max(hit.lines.start), end)));
    }
    if pieces.is_empty() {
        let named = hit
            .symbol
            .as_ref()
            .and_then(|named| facts.symbols.iter().position(|symbol| symbol.lines == named.lines));
        pieces.push((named, hit.lines));
    }
    pieces
}

/// The type or module that a query names, as far as it was found: its members are not asked for.
fn focused_container(facts: &FileFacts, hit: &Hit) -> Option<(Option<usize>, Lines)> {
    let focus = hit.focus?;
    let is_named = |symbol: &Symbol| symbol.lines == focus && symbol.kind.is_container();
    let index = facts.symbols.iter().position(is_named)?;
    let lines = facts.symbols[index].lines;
    let end = hit.lines.end.clamp(facts.symbols[index].name_line, lines.end);
    Some((Some(index), Lines::new(lines.start, end)))
}

/// Whether a type or module contains nothing that runs.
fn has_no_code(facts: &FileFacts, container: usize) -> bool {
    let lines = facts.symbols[container].lines;
    let inside = facts.symbols[container + 1..].iter();
    !inside
        .take_while(|symbol| symbol.lines.start <= lines.end)
        .any(|symbol| symbol.kind.is_callable())
}

/// Whether a definition is a value, or a type in one line.
fn is_small(symbol: &Symbol) -> bool {
    symbol.kind.is_value() || (symbol.kind == SymbolKind::Type && symbol.lines.count() == 1)
}

fn score(
    facts: &FileFacts,
    text: &Text,
    hit: &Hit,
    symbol: Option<usize>,
    lines: Lines,
    evidence: &Evidence,
) -> Member {
    let terms: Vec<TermSet> =
        (lines.start..=lines.end).map(|line| evidence.terms(text.line(line))).collect();
    let all = terms.iter().fold(0, |all, terms| all | terms);
    let coverage = evidence.coverage(all);
    let focus = hit.focus.filter(|focus| lines.contains(focus.start));
    let is_marked = |line: u32| {
        focus.is_some_and(|focus| focus.contains(line) && focus.count() <= MAX_MARKED_LINES)
    };
    let prior = match focus {
        Some(_) => FOCUS,
        None => symbol.map_or(1.0, |index| prior(&facts.symbols[index], evidence)),
    };
    Member {
        is_focused: focus.is_some(),
        symbol,
        lines,
        score: hit.score * prior * (1.0 + EVIDENCE * coverage),
        coverage,
        evidence: (lines.start..)
            .zip(terms)
            .map(|(line, terms)| {
                let retrieved = if hit.lines.contains(line) { RETRIEVED } else { 0.0 };
                let named = if is_marked(line) { FOCUS } else { 0.0 };
                evidence.coverage(terms) + retrieved + named
            })
            .collect(),
    }
}

/// Methods that every type of a kind has, which do none of its own work.
const PLUMBING: &[&str] = &[
    "as_mut",
    "as_ref",
    "borrow",
    "clone",
    "default",
    "deref",
    "deref_mut",
    "drop",
    "eq",
    "equals",
    "fmt",
    "from",
    "gethashcode",
    "hash",
    "hashcode",
    "inspect",
    "into",
    "into_iter",
    "iter",
    "iterator",
    "next",
    "size_hint",
    "to_s",
    "to_string",
    "tostring",
    "__enter__",
    "__eq__",
    "__exit__",
    "__hash__",
    "__iter__",
    "__len__",
    "__next__",
    "__repr__",
    "__str__",
];

/// How likely a definition of a kind, length and visibility is what a query looks for: the one that does the work.
/// `cargo xtask eval --sight --commits 12` on six repositories, lines in sight of 72: 30 without visibility and plumbing, 32
/// with them.
fn prior(symbol: &Symbol, evidence: &Evidence) -> f32 {
    let is_private = symbol.visibility == Visibility::Private;
    match symbol.kind {
        SymbolKind::Constructor => 0.8,
        SymbolKind::Test => 0.6,
        kind if kind.is_container() && is_private => 0.4,
        kind if kind.is_container() => 0.6,
        SymbolKind::Type if is_small(symbol) => 0.3,
        kind if kind.is_value() => 0.7,
        kind if kind.is_callable() && is_plumbing(&symbol.name, evidence) => 0.6,
        kind if kind.is_callable() && is_accessor(symbol) && is_private => 0.45,
        kind if kind.is_callable() && is_accessor(symbol) => 0.85,
        _ => 1.0,
    }
}

/// Whether a method is one that every such type has, and the query has no word of its name.
fn is_plumbing(name: &str, evidence: &Evidence) -> bool {
    PLUMBING.contains(&name.to_lowercase().as_str()) && evidence.terms(name) == 0
}

/// Whether a body has one line at most. The comment above the name does not count.
fn is_accessor(symbol: &Symbol) -> bool {
    symbol.lines.end.saturating_sub(symbol.name_line) <= 2
}
