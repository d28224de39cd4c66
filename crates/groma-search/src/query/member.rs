//! Which definition of a chunk answers a query.
//!
//! Small neighbours share a chunk, and a short class is one chunk with its methods. A hit is named after the member
//! that matched, and shows that member alone where the rest of the chunk has nothing to do with the query.

use super::plan::Plan;
use crate::query::evidence::Evidence;
use crate::text::Text;
use groma_core::{ChunkFilter, Lines, StoredChunk, Symbol};

/// The definition that answers, and the lines to show.
pub(super) struct Answering<'c> {
    pub symbol: &'c Symbol,
    pub lines: Lines,
}

/// The definition of a chunk that answers a query: one that the filter admits and the query names, else the neighbour
/// with most of the query's words, else the chunk's own.
pub(super) fn answering<'c>(
    chunk: &'c StoredChunk,
    text: &Text,
    plan: &Plan,
    filter: &ChunkFilter,
) -> Option<Answering<'c>> {
    let symbols: Vec<&Symbol> = chunk.symbols().collect();
    let own = chunk.symbol().or_else(|| symbols.first().copied())?;
    let fitting = symbols.iter().copied().filter(|symbol| fits(chunk, symbol, filter));
    let fitting: Vec<&Symbol> = fitting.collect();
    let is_own = |symbol: &&Symbol| is_same(symbol, own);
    let named = named(&fitting, own, plan);
    let own = fitting.iter().copied().find(is_own).or(fitting.first().copied()).unwrap_or(own);
    let is_alone = |one: &Symbol| symbols.iter().all(|symbol| one.lines.encloses(symbol.lines));
    Some(match named {
        // What is around the only definition of a chunk belongs to it.
        Some(symbol) if is_alone(symbol) => Answering { symbol, lines: chunk.chunk().lines },
        Some(symbol) => Answering { symbol, lines: lines_of(chunk, symbol, text) },
        None if is_alone(own) => Answering { symbol: own, lines: chunk.chunk().lines },
        None => by_evidence(chunk, &fitting, own, text, plan),
    })
}

/// The innermost definition of a chunk around the lines that a query names.
pub(super) fn focused<'c>(
    chunk: &'c StoredChunk,
    text: &Text,
    focus: Lines,
) -> Option<Answering<'c>> {
    let around = |symbol: &&Symbol| symbol.lines.contains(focus.start);
    let size = |symbol: &&Symbol| (symbol.kind.is_value(), symbol.lines.count());
    let inside = chunk.symbols().filter(around).min_by_key(size);
    // A line may be in the middle of a definition that begins in another chunk.
    let symbol = inside.or_else(|| chunk.file.symbols.iter().filter(around).min_by_key(size))?;
    // What is around the only definition of a chunk belongs to it.
    let is_alone = chunk.symbols().all(|one| symbol.lines.encloses(one.lines));
    let lines = if is_alone { chunk.chunk().lines } else { lines_of(chunk, symbol, text) };
    Some(Answering { symbol, lines })
}

/// Whether a definition has the filter's name and kind and fits its predicate.
fn fits(chunk: &StoredChunk, symbol: &Symbol, filter: &ChunkFilter) -> bool {
    (filter.symbol_kinds.is_empty() || filter.symbol_kinds.contains(&symbol.kind))
        && filter.symbol_name.as_ref().is_none_or(|glob| glob.matches(&symbol.name))
        && filter.symbol.as_ref().is_none_or(|test| test.matches(&chunk.file.outline(symbol)))
}

fn is_same(one: &Symbol, other: &Symbol) -> bool {
    std::ptr::eq(one, other)
}

/// The definition that the query names: in the same case before any other, the chunk's own before its neighbours.
fn named<'c>(symbols: &[&'c Symbol], own: &Symbol, plan: &Plan) -> Option<&'c Symbol> {
    let rank = |symbol: &&'c Symbol| {
        let is_exact = plan.names.contains(&symbol.name);
        let is_named =
            is_exact || plan.names.iter().any(|name| name.eq_ignore_ascii_case(&symbol.name));
        is_named.then(|| (is_exact, is_same(symbol, own)))
    };
    // The first of equals.
    symbols
        .iter()
        .rev()
        .filter_map(|symbol| Some((rank(symbol)?, *symbol)))
        .max_by_key(|one| one.0)
        .map(|one| one.1)
}

/// The neighbour with most of the query's words; the chunk's own among equals. It is shown alone if its neighbours have
/// none of the query's words that it lacks.
fn by_evidence<'c>(
    chunk: &StoredChunk,
    symbols: &[&'c Symbol],
    own: &'c Symbol,
    text: &Text,
    plan: &Plan,
) -> Answering<'c> {
    let evidence = Evidence::unweighted(plan);
    let terms = |lines: Lines| {
        (lines.start..=lines.end).fold(0, |all, line| all | evidence.terms(text.line(line)))
    };
    let lines = chunk.chunk().lines;
    let outermost = symbols.iter().copied().filter(|symbol| {
        !symbols.iter().any(|outer| !is_same(outer, symbol) && outer.lines.encloses(symbol.lines))
    });
    let scored = outermost.map(|symbol| (symbol, terms(lines_of(chunk, symbol, text))));
    let mut scored: Vec<(&Symbol, u32)> = scored.collect();
    scored.sort_by(|(a, left), (b, right)| {
        let order = evidence.coverage(*right).total_cmp(&evidence.coverage(*left));
        order.then(is_same(b, own).cmp(&is_same(a, own)))
    });
    let all = terms(lines);
    match &*scored {
        [(best, found), others @ ..]
            if *found == all && others.iter().all(|(_, one)| *one != all) =>
        {
            Answering { symbol: best, lines: lines_of(chunk, best, text) }
        }
        [(best, _), ..] => Answering { symbol: best, lines },
        [] => Answering { symbol: own, lines },
    }
}

/// The lines of a definition with the comment above it; the whole chunk if the definition ends beyond it.
fn lines_of(chunk: &StoredChunk, symbol: &Symbol, text: &Text) -> Lines {
    let lines = chunk.chunk().lines;
    if !lines.encloses(symbol.lines) {
        return lines;
    }
    let is_comment = |line: u32| {
        let line = text.line(line).trim_start();
        ["//", "/*", "*", "#", "--", "@", ";"].iter().any(|sign| line.starts_with(sign))
    };
    let above = (lines.start..symbol.lines.start).rev().take_while(|line| is_comment(*line));
    Lines::new(above.last().unwrap_or(symbol.lines.start), symbol.lines.end)
}
