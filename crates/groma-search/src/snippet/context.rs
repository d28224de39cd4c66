//! The context of snippets: lines around those that were chosen.

use super::{Excerpt, Snippet, Snippets, excerpt};
use crate::query::request::Context;
use crate::reader::Reader;
use crate::text::Text;
use groma_core::Lines;

/// Maximum number of lines of a definition that is shown whole.
const MAX_ENCLOSING: u32 = 50;

/// Adds the context of a request to the chosen lines, whatever it costs.
pub fn widen(reader: &Reader, snippets: &mut Snippets, context: Context) {
    if matches!(context, Context::None | Context::Surroundings) {
        return;
    }
    for file in &mut snippets.files {
        let Some(text) = reader.text(&file.path).map(Text::new) else { continue };
        let mut shown = 0;
        for snippet in &mut file.snippets {
            snippet.excerpts = widened(snippet, &text, context, shown);
            shown = snippet.excerpts.last().map_or(shown, |excerpt| excerpt.lines.end);
        }
    }
}

/// The excerpts of a snippet with their context, below the lines that are `shown` already.
fn widened(snippet: &Snippet, text: &Text, context: Context, shown: u32) -> Vec<Excerpt> {
    let last = text.starts.len() as u32;
    let mut ranges: Vec<Lines> = Vec::new();
    for excerpt in &snippet.excerpts {
        let whole = snippet.place.lines;
        let Lines { start, end } = match context {
            Context::Lines { before, after } => {
                let start = excerpt.lines.start.saturating_sub(before).max(1);
                Lines::new(start, excerpt.lines.end.saturating_add(after).min(last))
            }
            Context::Enclosing if whole.count() <= MAX_ENCLOSING => whole,
            _ => excerpt.lines,
        };
        let (start, end) = (start.max(shown + 1), end.min(last));
        match ranges.last_mut() {
            _ if start > end => {}
            Some(range) if start <= range.end + 1 => range.end = range.end.max(end),
            _ => ranges.push(Lines::new(start, end)),
        }
    }
    ranges.into_iter().map(|lines| excerpt(text, lines)).collect()
}
