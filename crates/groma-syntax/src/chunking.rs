//! Cutting a file into chunks along its definitions.
//!
//! The chunks of a file other than its overview are a partition of its non-blank lines: a function or method
//! is one, a type keeps its header and fields together, what is long is split between statements, small
//! neighbours are merged, and a comment belongs to the code below it.

use crate::extract::{Extracted, LONG_DEFINITION};
use crate::language::Role;
use crate::parse::lines_text;
use groma_core::{Chunk, ChunkKind, Lines, Symbol, SymbolKind};

/// A chunk longer than this is split.
const LONGEST: u32 = LONG_DEFINITION;

/// Definitions of up to this many lines may join a neighbour.
const SMALL: u32 = 3;

/// What merged small definitions come to at most.
const MERGED: u32 = 16;

/// What merged loose lines (imports, constants, configuration) come to at most.
const MERGED_LOOSE: u32 = 40;

/// Lines to a chunk where nothing else tells.
const WINDOW: u32 = 50;

/// A stretch of lines on its way to becoming a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    pub lines: Lines,
    pub symbol: Option<u32>,
}

/// The chunks of a file of code or data.
pub(crate) fn chunks(found: &Extracted, role: Role, text: &str, line_starts: &[usize]) -> Vec<Chunk> {
    let last = line_starts.len() as u32;
    let is_blank = |line: u32| lines_text(text, line_starts, line, line).trim().is_empty();
    let pieces = cut_at_definitions(&found.symbols, last);
    let pieces = trim_blank(pieces, is_blank);
    let pieces = attach_closers(pieces, |lines| {
        lines_text(text, line_starts, lines.start, lines.end)
            .bytes()
            .all(|byte| !byte.is_ascii_alphanumeric() && byte != b'"' && byte != b'\'')
            || is_end_word(lines_text(text, line_starts, lines.start, lines.end))
    });
    let pieces = merge_small(pieces, |a, b| may_merge(&found.symbols, role, a, b));
    pieces
        .into_iter()
        .flat_map(|piece| {
            let cuts = split_points(found, piece, is_blank);
            split_long(piece, LONGEST, &cuts)
        })
        .map(|piece| Chunk {
            kind: kind(&found.symbols, role, piece),
            lines: piece.lines,
            symbol: piece.symbol,
            title: String::new(),
        })
        .collect()
}

/// Cuts where a definition starts or ends. What is inside a function stays in it.
fn cut_at_definitions(symbols: &[Symbol], last: u32) -> Vec<Piece> {
    // Each line from which on another symbol owns what follows.
    let mut owners: Vec<(u32, Option<u32>)> = vec![(1, None)];
    let mut open: Vec<u32> = Vec::new();
    let close_until = |line: u32, open: &mut Vec<u32>, owners: &mut Vec<(u32, Option<u32>)>| {
        while let Some(top) = open.last().copied() {
            let end = symbols[top as usize].lines.end;
            if end >= line {
                break;
            }
            open.pop();
            owners.push((end + 1, open.last().copied()));
        }
    };
    for (index, symbol) in symbols.iter().enumerate() {
        close_until(symbol.lines.start, &mut open, &mut owners);
        let inside = open.last().map(|top| &symbols[*top as usize]);
        let cuts = match inside {
            None => true,
            Some(outer) => outer.kind.is_container() && !symbol.kind.is_value(),
        };
        let free = owners.last().is_none_or(|(line, _)| *line <= symbol.lines.start);
        if cuts && free {
            owners.push((symbol.lines.start, Some(index as u32)));
            open.push(index as u32);
        }
    }
    close_until(u32::MAX, &mut open, &mut owners);
    pieces(owners, last)
}

/// Turns owners by first line into pieces; of owners with the same line the last counts.
fn pieces(owners: Vec<(u32, Option<u32>)>, last: u32) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(owners.len());
    for (index, (start, symbol)) in owners.iter().copied().enumerate() {
        let end = owners.get(index + 1).map_or(last, |(next, _)| next - 1).min(last);
        if start <= end {
            pieces.push(Piece { lines: Lines::new(start, end), symbol });
        }
    }
    pieces
}

/// Removes blank lines at the ends, and pieces that hold nothing else.
fn trim_blank(pieces: Vec<Piece>, is_blank: impl Fn(u32) -> bool) -> Vec<Piece> {
    pieces
        .into_iter()
        .filter_map(|piece| {
            let start = (piece.lines.start..=piece.lines.end).find(|line| !is_blank(*line))?;
            let end = (start..=piece.lines.end).rev().find(|line| !is_blank(*line))?;
            Some(Piece { lines: Lines::new(start, end), ..piece })
        })
        .collect()
}

/// Lines of only closing marks belong to what they close.
fn attach_closers(pieces: Vec<Piece>, closes: impl Fn(Lines) -> bool) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match out.last_mut() {
            Some(before) if piece.lines.count() <= 3 && closes(piece.lines) => {
                before.lines.end = piece.lines.end;
            }
            _ => out.push(piece),
        }
    }
    out
}

fn is_end_word(text: &str) -> bool {
    text.split_whitespace().all(|word| {
        matches!(word.trim_end_matches([';', ',', '.']), "end" | "fi" | "done" | "esac" | "endif" | "}" | ")")
    })
}

/// Whether two neighbours are so small that one chunk should show both.
fn may_merge(symbols: &[Symbol], role: Role, a: &Piece, b: &Piece) -> bool {
    let together = b.lines.end - a.lines.start + 1;
    if b.lines.start - a.lines.end > 4 {
        return false;
    }
    let loose = |piece: &Piece| {
        role == Role::Data
            || piece.symbol.is_none_or(|index| symbols[index as usize].kind.is_value())
    };
    if loose(a) && loose(b) {
        return together <= MERGED_LOOSE;
    }
    let parent = |piece: &Piece| piece.symbol.and_then(|index| symbols[index as usize].parent);
    let small = |piece: &Piece| piece.lines.count() <= SMALL;
    // A type and its first small method belong together, as do small methods of one type.
    let kin = parent(a) == parent(b) || parent(b) == a.symbol || parent(a) == b.symbol;
    small(a) && small(b) && kin && together <= MERGED
}

/// Joins neighbours as long as `may` allows. The first symbol stays in front.
pub(crate) fn merge_small(pieces: Vec<Piece>, may: impl Fn(&Piece, &Piece) -> bool) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match out.last_mut() {
            Some(before) if may(before, &piece) => {
                before.lines.end = piece.lines.end;
                before.symbol = before.symbol.or(piece.symbol);
            }
            _ => out.push(piece),
        }
    }
    out
}

/// The lines at which a piece may be split: its statements, or else the lines after blank ones.
fn split_points(found: &Extracted, piece: Piece, is_blank: impl Fn(u32) -> bool) -> Vec<u32> {
    if piece.lines.count() <= LONGEST {
        return Vec::new();
    }
    let inside = |line: &u32| *line > piece.lines.start && *line <= piece.lines.end;
    let statements: Vec<u32> = piece
        .symbol
        .map(|index| found.cuts[index as usize].iter().copied().filter(inside).collect())
        .unwrap_or_default();
    if !statements.is_empty() {
        return statements;
    }
    (piece.lines.start + 1..=piece.lines.end).filter(|line| is_blank(line - 1)).collect()
}

/// Splits a piece of more than `longest` lines into nearly equal parts, at the cut nearest to each ideal one.
pub(crate) fn split_long(piece: Piece, longest: u32, cuts: &[u32]) -> Vec<Piece> {
    let count = piece.lines.count();
    // A little over is better than a stump.
    if count <= longest + longest / 4 {
        return vec![piece];
    }
    let parts = count.div_ceil(WINDOW.min(longest));
    let step = count.div_ceil(parts);
    let mut out = Vec::with_capacity(parts as usize);
    let mut start = piece.lines.start;
    while piece.lines.end - start + 1 > longest + longest / 4 {
        let ideal = start + step;
        let cut = cuts
            .iter()
            .copied()
            .filter(|cut| *cut > start + step / 2 && *cut <= start + longest + longest / 4)
            .min_by_key(|cut| cut.abs_diff(ideal))
            // Without a good cut: a document keeps its fence whole, anything else is cut by count.
            .or_else(|| cuts.iter().copied().find(|cut| *cut > start + step / 2))
            .filter(|cut| *cut < piece.lines.end)
            .unwrap_or(if cuts.is_empty() { ideal } else { piece.lines.end + 1 });
        if cut > piece.lines.end {
            break;
        }
        out.push(Piece { lines: Lines::new(start, cut - 1), ..piece });
        start = cut;
    }
    out.push(Piece { lines: Lines::new(start, piece.lines.end), ..piece });
    out
}

fn kind(symbols: &[Symbol], role: Role, piece: Piece) -> ChunkKind {
    let value = piece.symbol.is_some_and(|index| {
        let kind = symbols[index as usize].kind;
        matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Key)
    });
    if role == Role::Data || value { ChunkKind::Data } else { ChunkKind::Definitions }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(lines: u32) -> Piece {
        Piece { lines: Lines::new(1, lines), symbol: Some(0) }
    }

    #[test]
    fn long_pieces_split_at_cuts_into_equal_parts() {
        let cuts: Vec<u32> = (1..200).step_by(7).collect();
        let parts = split_long(long(180), LONGEST, &cuts);
        assert_eq!(parts.len(), 4);
        assert!(parts.windows(2).all(|pair| pair[0].lines.end + 1 == pair[1].lines.start));
        assert!(parts[1..].iter().all(|part| cuts.contains(&part.lines.start)), "{parts:?}");
        assert_eq!(split_long(long(70), LONGEST, &cuts).len(), 1);
        let hard = split_long(long(500), LONGEST, &[]);
        assert!(hard.iter().all(|part| part.lines.count() <= LONGEST + 15), "{hard:?}");
    }
}
