//! Cutting a file into chunks along its definitions.
//!
//! The chunks of a file other than its overview are a partition of its non-blank lines: a function or method
//! is one, a type keeps its header and fields together, long definitions are split between statements, small
//! neighbours are merged, and a comment belongs to the code below it.

use crate::extract::{Extracted, LONG_DEFINITION};
use crate::language::LanguageKind;
use crate::lines::lines_text;
use groma_core::{Chunk, ChunkKind, Lines, Symbol, SymbolKind};

/// A chunk of more lines than this is split.
const MAX_LINES: u32 = LONG_DEFINITION;

/// Definitions of up to this many lines may be merged with a neighbour.
const SMALL: u32 = 3;

/// Most lines of merged small definitions.
const MAX_MERGED: u32 = 16;

/// A file with more definitions than this (bindings, tables of types) is crowded: a chunk for each would be most of an
/// index and carry little information, so those of up to [`MAX_MERGED`] lines without a comment are merged up to
/// [`MAX_MERGED_LOOSE`].
const CROWD: usize = 400;

/// Most lines of merged loose lines: imports, constants, configuration.
const MAX_MERGED_LOOSE: u32 = 40;

/// Lines of a chunk where no structure is known.
const WINDOW: u32 = 50;

/// A range of lines on its way to becoming a chunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Piece {
    pub lines: Lines,
    pub symbol: Option<u32>,
}

/// The chunks of a file of code or data.
pub(crate) fn chunks(
    found: &Extracted,
    language: LanguageKind,
    text: &str,
    line_starts: &[usize],
) -> Vec<Chunk> {
    let last = line_starts.len() as u32;
    let is_blank = |line: u32| lines_text(text, line_starts, line, line).trim().is_empty();
    let pieces = cut_at_definitions(&found.symbols, last);
    let pieces = trim_blank(pieces, is_blank);
    let pieces = attach_closers(pieces, |line| closes(lines_text(text, line_starts, line, line)));
    // The code after the closing lines may start with blank ones.
    let pieces = trim_blank(pieces, is_blank);
    let pieces = attach_openers(pieces, |piece| {
        piece.symbol.is_none_or(|index| found.symbols[index as usize].kind == SymbolKind::Module)
            && lines_text(text, line_starts, piece.lines.start, piece.lines.end)
                .trim_end()
                .ends_with('{')
    });
    let crowded = pieces.len() > CROWD;
    let pieces = merge_small(pieces, |a, b| {
        may_merge(&found.symbols, language, a, b) || crowded && are_crowd(&found.symbols, a, b)
    });
    pieces
        .into_iter()
        .flat_map(|piece| {
            let cuts = split_points(found, piece, |line| {
                let text = lines_text(text, line_starts, line, line);
                !text.bytes().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
            });
            split_long(piece, MAX_LINES, &cuts)
        })
        .map(|piece| Chunk {
            kind: kind(&found.symbols, language, piece),
            lines: piece.lines,
            symbol: piece.symbol,
            title: String::new(),
        })
        .collect()
}

/// Cuts where a definition starts or ends, but never inside a function.
fn cut_at_definitions(symbols: &[Symbol], last: u32) -> Vec<Piece> {
    // The lines at which the owner of the following lines changes.
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
            // A small type stays whole, and type aliases belong to its head.
            Some(outer) if outer.kind.is_type() => {
                outer.kind.is_container()
                    && outer.lines.count() > MAX_MERGED
                    && !is_value(symbol)
                    && symbol.kind != SymbolKind::Type
            }
            Some(outer) => outer.kind.is_container() && !is_value(symbol),
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

/// Whether a definition is a value rather than code. An accessor that is written as a function is code.
fn is_value(symbol: &Symbol) -> bool {
    symbol.kind.is_value()
        && !(symbol.kind == SymbolKind::Property
            && symbol.signature.contains(&format!("{}(", symbol.name)))
}

/// Turns owners by first line into pieces; of owners with the same line the last wins.
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

/// Adds lines of only closing brackets to the piece they close.
fn attach_closers(pieces: Vec<Piece>, closes: impl Fn(u32) -> bool) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for mut piece in pieces {
        if let Some(before) = out.last_mut() {
            let open = (piece.lines.start..=piece.lines.end).find(|line| !closes(*line));
            let end = open.map_or(piece.lines.end, |line| line - 1);
            if end >= piece.lines.start {
                before.lines.end = end;
                piece.lines.start = end + 1;
            }
        }
        if piece.lines.start <= piece.lines.end {
            out.push(piece);
        }
    }
    out
}

/// Adds a few lines that only open a block, like `impl Cart {`, to the first piece in it.
fn attach_openers(pieces: Vec<Piece>, opens: impl Fn(&Piece) -> bool) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match out.last_mut() {
            Some(before)
                if before.lines.count() <= SMALL
                    && piece.lines.start - before.lines.end <= 2
                    && piece.symbol.is_some()
                    && opens(before) =>
            {
                before.lines.end = piece.lines.end;
                before.symbol = piece.symbol;
            }
            _ => out.push(piece),
        }
    }
    out
}

/// Whether a line only closes blocks, or is blank.
fn closes(line: &str) -> bool {
    let line = line.trim();
    line.starts_with("#endif")
        || line.split_whitespace().all(|word| {
            let bare = word.trim_matches(['}', ')', ']', ';', ',', '.']);
            matches!(bare, "" | "end" | "fi" | "done" | "esac" | "endif" | "?>")
        })
}

/// Whether two neighbours are small enough for one chunk.
fn may_merge(symbols: &[Symbol], language: LanguageKind, a: &Piece, b: &Piece) -> bool {
    let together = b.lines.end - a.lines.start + 1;
    if b.lines.start - a.lines.end > 4 {
        return false;
    }
    // The head of a type or module whose members are chunks of their own is merged with the first of them only.
    let is_head = b.symbol.is_some_and(|index| {
        let lines = symbols[index as usize].lines;
        lines.start == b.lines.start && lines.end > b.lines.end
    });
    if is_head && language == LanguageKind::Code {
        return false;
    }
    // A heading in code (HTML) is a line with little information of its own.
    let loose = |piece: &Piece| {
        language == LanguageKind::Data
            || piece.symbol.is_none_or(|index| {
                let kind = symbols[index as usize].kind;
                kind.is_value() || kind == SymbolKind::Section
            })
    };
    if loose(a) && loose(b) {
        return together <= MAX_MERGED_LOOSE;
    }
    let parent = |piece: &Piece| piece.symbol.and_then(|index| symbols[index as usize].parent);
    // Style rules, build targets and tables are many, of a few lines each.
    let resource = |piece: &Piece| {
        piece.symbol.is_some_and(|index| symbols[index as usize].kind == SymbolKind::Resource)
    };
    let small = |piece: &Piece| piece.lines.count() <= SMALL || resource(a) && resource(b);
    // A type and its first small method belong together, as do small methods of one type.
    let kin = parent(a) == parent(b) || parent(b) == a.symbol || parent(a) == b.symbol;
    small(a) && small(b) && kin && together <= MAX_MERGED
}

/// Whether two neighbours in a crowded file may be merged: short definitions without a comment.
fn are_crowd(symbols: &[Symbol], a: &Piece, b: &Piece) -> bool {
    let plain = |piece: &Piece| {
        piece.symbol.is_none_or(|index| {
            let symbol = &symbols[index as usize];
            symbol.doc.is_empty() && symbol.lines.count() <= MAX_MERGED
        })
    };
    plain(a) && plain(b) && b.lines.end - a.lines.start < MAX_MERGED_LOOSE
}

/// Merges neighbours for which `may` holds. The chunk keeps the first symbol.
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

/// The lines at which a piece may be split: those of its statements and, where these are far apart, the lines after
/// lines without words, or else any.
fn split_points(found: &Extracted, piece: Piece, is_wordless: impl Fn(u32) -> bool) -> Vec<u32> {
    if piece.lines.count() <= MAX_LINES {
        return Vec::new();
    }
    let inside = |line: &u32| *line > piece.lines.start && *line <= piece.lines.end;
    let cuts: Vec<u32> = piece
        .symbol
        .map(|index| found.cuts[index as usize].iter().copied().filter(inside).collect())
        .unwrap_or_default();
    let cuts = fill_gaps(piece.lines, cuts, |from, to| {
        (from..to).filter(|line| is_wordless(line - 1)).collect()
    });
    fill_gaps(piece.lines, cuts, |from, to| (from..to).step_by(WINDOW as usize).collect())
}

/// Adds the cuts of `between` for each range without a cut that is too long for a chunk.
fn fill_gaps(lines: Lines, cuts: Vec<u32>, between: impl Fn(u32, u32) -> Vec<u32>) -> Vec<u32> {
    let mut filled = Vec::with_capacity(cuts.len());
    let mut last = lines.start;
    for cut in cuts.into_iter().chain([lines.end + 1]) {
        if cut > last + MAX_LINES {
            filled.extend(between(last + 1, cut));
        }
        filled.push(cut);
        last = cut;
    }
    filled.pop();
    filled
}

/// Splits a piece of more than `longest` lines into nearly equal parts, at the cut nearest to each ideal one. `cuts` are in
/// order.
pub(crate) fn split_long(piece: Piece, longest: u32, cuts: &[u32]) -> Vec<Piece> {
    debug_assert!(cuts.is_sorted());
    let count = piece.lines.count();
    // A slightly longer chunk is better than a very short rest.
    if count <= longest + longest / 4 {
        return vec![piece];
    }
    let parts = count.div_ceil(WINDOW.min(longest));
    let step = count.div_ceil(parts);
    let mut out = Vec::with_capacity(parts as usize);
    let mut start = piece.lines.start;
    while piece.lines.end - start + 1 > longest + longest / 4 {
        let ideal = start + step;
        // Looking through all of them for each part would be quadratic.
        let after = &cuts[cuts.partition_point(|cut| *cut <= start + step / 2)..];
        let cut = after
            .iter()
            .copied()
            .take_while(|cut| *cut <= start + longest + longest / 4)
            .min_by_key(|cut| cut.abs_diff(ideal))
            // Without a good cut, a document keeps its fence whole; other text is cut by line count.
            .or_else(|| after.first().copied())
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

fn kind(symbols: &[Symbol], language: LanguageKind, piece: Piece) -> ChunkKind {
    let value = piece.symbol.is_some_and(|index| {
        let kind = symbols[index as usize].kind;
        matches!(kind, SymbolKind::Constant | SymbolKind::Variable | SymbolKind::Key)
    });
    if language == LanguageKind::Data || value { ChunkKind::Data } else { ChunkKind::Code }
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
        let parts = split_long(long(180), MAX_LINES, &cuts);
        assert_eq!(parts.len(), 4);
        assert!(parts.windows(2).all(|pair| pair[0].lines.end + 1 == pair[1].lines.start));
        assert!(parts[1..].iter().all(|part| cuts.contains(&part.lines.start)), "{parts:?}");
        assert_eq!(split_long(long(70), MAX_LINES, &cuts).len(), 1);
        let hard = split_long(long(500), MAX_LINES, &[]);
        assert!(hard.iter().all(|part| part.lines.count() <= MAX_LINES + 15), "{hard:?}");
    }

    /// The lines of each chunk but the overview.
    fn cut(structs: usize) -> Vec<Lines> {
        let one = |n: usize| {
            let comment = if n % 100 == 7 { "/// Documented.\n" } else { "" };
            format!(
                "{comment}#[repr(C)]\npub struct S{n} {{\n    pub a: u32,\n    pub b: u32,\n}}\n"
            )
        };
        let text: String = (0..structs).map(one).collect();
        let path = groma_core::RelPath::new("bindings.rs").unwrap();
        crate::parse(&path, &text).facts.chunks[1..].iter().map(|chunk| chunk.lines).collect()
    }

    #[test]
    fn a_crowd_of_undocumented_definitions_is_merged() {
        assert_eq!(cut(CROWD).len(), CROWD, "up to the limit each is a chunk");
        let many = cut(2 * CROWD);
        assert!(many.iter().all(|lines| lines.count() <= MAX_MERGED_LOOSE));
        let alone = many.iter().filter(|lines| lines.count() == 6).count();
        assert_eq!(alone, 2 * CROWD / 100, "documented definitions stay chunks of their own");
        assert!(many.len() < 2 * CROWD / 6, "{}", many.len());
    }
}
