//! Documents: sections by heading, never split inside a code fence.

use crate::chunking::{Piece, merge_small, split_long};
use crate::lines::lines_text;
use groma_core::{Chunk, ChunkKind, Lines, Symbol};

/// A section of more lines than this is split between paragraphs.
const MAX_SECTION: u32 = 60;

/// Sections of fewer lines than this are merged with the next one of the same parent.
const SHORT_SECTION: u32 = 6;

/// The chunks of a document with these sections.
pub(crate) fn chunks(
    sections: &[Symbol],
    fences: &[Lines],
    text: &str,
    line_starts: &[usize],
) -> Vec<Chunk> {
    let last = line_starts.len() as u32;
    let mut pieces = Vec::new();
    let first = sections.first().map_or(last + 1, |section| section.lines.start);
    if first > 1 {
        pieces.push(Piece { lines: Lines::new(1, first - 1), symbol: None });
    }
    for (index, section) in sections.iter().enumerate() {
        let end = sections.get(index + 1).map_or(last, |next| next.lines.start - 1);
        if end >= section.lines.start {
            pieces.push(Piece {
                lines: Lines::new(section.lines.start, end),
                symbol: Some(index as u32),
            });
        }
    }
    pieces.retain(|piece| {
        !lines_text(text, line_starts, piece.lines.start, piece.lines.end).trim().is_empty()
    });
    let parent = |piece: &Piece| piece.symbol.and_then(|index| sections[index as usize].parent);
    let pieces = merge_small(pieces, |a, b| {
        let kin = a.symbol.is_none() || parent(a) == parent(b) || parent(b) == a.symbol;
        kin && a.lines.count() < SHORT_SECTION && b.lines.end - a.lines.start < MAX_SECTION / 2
    });
    // Fences are in order and do not overlap.
    let fenced = |line: u32| {
        let before = fences.partition_point(|fence| fence.start <= line);
        before > 0 && fences[before - 1].contains(line)
    };
    let blank =
        |line: u32| !fenced(line) && lines_text(text, line_starts, line, line).trim().is_empty();
    pieces
        .into_iter()
        .flat_map(|piece| {
            let cuts: Vec<u32> =
                (piece.lines.start + 1..=piece.lines.end).filter(|line| blank(line - 1)).collect();
            split_long(piece, MAX_SECTION, &cuts)
        })
        // A table or list without a blank line is split between any two lines.
        .flat_map(|piece| {
            let cuts: Vec<u32> = (piece.lines.start + 1..=piece.lines.end)
                .filter(|line| !fenced(line - 1))
                .collect();
            split_long(piece, MAX_SECTION, &cuts)
        })
        .map(|piece| Chunk {
            kind: ChunkKind::Prose,
            lines: piece.lines,
            symbol: piece.symbol,
            title: piece.symbol.map_or(String::new(), |index| title(sections, index)),
        })
        .collect()
}

fn title(sections: &[Symbol], index: u32) -> String {
    sections[index as usize].qualified.clone()
}
