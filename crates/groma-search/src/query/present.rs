//! Turns ranked chunks into hits with their text, read from the current tree.

use super::member::{answering, focused};
use super::plan::Plan;
use super::request::{Context, Hit, HitSymbol, MatchType, SearchRequest};
use super::rerank::Candidate;
use super::surroundings::{following, opening};
use crate::text::Text;
use groma_core::{ChunkKind, FileFacts, FileStamp, Lines, StoredChunk, Symbol, from_unix_nanos};

/// Maximum lines of [`Context::Enclosing`], chunk included.
const MAX_ENCLOSING_LINES: u32 = 50;

/// The hit for a candidate, given the text of its file.
pub(crate) fn hit(
    candidate: Candidate,
    chunk: StoredChunk,
    source: &Text,
    stamp: FileStamp,
    (request, plan, focus): (&SearchRequest, &Plan, Option<Lines>),
) -> Hit {
    let Candidate { fused, score, signals, .. } = candidate;
    let Text { text, starts } = source;
    let is_overview = chunk.chunk().kind == ChunkKind::Overview;
    // An overview is a file, not the first definition in it.
    let member = match focus {
        _ if is_overview => None,
        Some(focus) => focused(&chunk, source, focus)
            .or_else(|| answering(&chunk, source, plan, &request.filter)),
        None => answering(&chunk, source, plan, &request.filter),
    };
    // Documents and configuration are read with what is around.
    let is_code = chunk.chunk().kind == ChunkKind::Code;
    let lines = match &member {
        Some(member) if is_code && !request.whole_chunks => member.lines,
        _ => chunk.chunk().lines,
    };
    let show = |lines: Lines| slice(text, starts, lines).to_string();
    let (before, after) = match request.context {
        Context::Surroundings => {
            (opening(&chunk.file, text, starts, lines), following(&chunk.file, lines))
        }
        other => context(&chunk.file, lines, other, starts.len() as u32),
    };
    Hit {
        lines,
        kind: chunk.chunk().kind,
        language: chunk.file.language.clone(),
        package: chunk.file.package.clone(),
        title: chunk.chunk().title.clone(),
        symbol: member.map(|member| describe(member.symbol, &chunk.file)),
        tags: chunk.file.tags.clone(),
        facts: chunk.file.clone(),
        ordinal: chunk.ordinal,
        modified: from_unix_nanos(stamp.modified),
        score,
        keyword_score: fused.keyword.or((fused.definitions > 0).then_some(1.0)),
        vector_score: fused.vector,
        match_type: match (fused.by_keyword || fused.definitions > 0, fused.by_vector) {
            (true, true) => MatchType::Both,
            (false, true) => MatchType::Semantic,
            _ => MatchType::Keyword,
        },
        content: if is_overview { groma_syntax::overview(&chunk.file) } else { show(lines) },
        focus,
        context_before: before.map_or(String::new(), show),
        context_after: after.map_or(String::new(), show),
        signals: if request.explain { signals } else { Vec::new() },
        path: chunk.path,
    }
}

/// The text of a chunk: its lines, or the generated overview for an overview chunk.
pub(crate) fn chunk_text(facts: &FileFacts, ordinal: u32, text: &str, starts: &[usize]) -> String {
    let chunk = &facts.chunks[ordinal as usize];
    match chunk.kind {
        ChunkKind::Overview => groma_syntax::overview(facts),
        _ => slice(text, starts, chunk.lines).to_string(),
    }
}

/// Ordinal of the chunk that represents its file: the largest definition.
pub(crate) fn representative(chunk: &StoredChunk) -> u32 {
    let chunks = &chunk.file.chunks;
    let weight = |index: &usize| {
        let chunk = &chunks[*index];
        (chunk.symbol.is_some(), chunk.lines.count(), std::cmp::Reverse(*index))
    };
    (1..chunks.len()).max_by_key(weight).unwrap_or(0) as u32
}

fn describe(symbol: &Symbol, facts: &FileFacts) -> HitSymbol {
    HitSymbol {
        name: symbol.name.clone(),
        kind: symbol.kind,
        qualified: symbol.qualified.clone(),
        parents: parents(symbol, facts),
        signature: symbol.signature.clone(),
        doc: symbol.doc.clone(),
        visibility: symbol.visibility,
        lines: symbol.lines,
        name_line: symbol.name_line,
    }
}

/// The names of the definitions around a symbol, outermost first.
fn parents(symbol: &Symbol, facts: &FileFacts) -> Vec<String> {
    let parent = |symbol: &Symbol| facts.symbols.get(symbol.parent? as usize);
    let mut chain: Vec<&Symbol> = std::iter::successors(parent(symbol), |symbol| parent(symbol))
        .take(facts.symbols.len())
        .collect();
    chain.reverse();
    let receiver = chain.first().map_or(symbol, |outermost| outermost).receiver.iter().cloned();
    receiver.chain(chain.iter().map(|symbol| symbol.name.clone())).collect()
}

/// The context lines before and after.
fn context(
    facts: &FileFacts,
    lines: Lines,
    context: Context,
    last: u32,
) -> (Option<Lines>, Option<Lines>) {
    let (start, end) = match context {
        Context::None | Context::Surroundings => return (None, None),
        Context::Lines { before, after } => {
            (lines.start.saturating_sub(before).max(1), lines.end.saturating_add(after))
        }
        Context::Enclosing => match enclosing(facts, lines) {
            Some(outer) => bounded(outer, lines),
            None => return (None, None),
        },
    };
    let end = end.min(last);
    let before = (start < lines.start).then(|| Lines::new(start, lines.start - 1));
    let after = (end > lines.end).then(|| Lines::new(lines.end + 1, end));
    (before, after)
}

/// The smallest definition that strictly encloses the lines.
fn enclosing(facts: &FileFacts, lines: Lines) -> Option<Lines> {
    facts
        .symbols
        .iter()
        .map(|symbol| symbol.lines)
        .filter(|outer| outer.encloses(lines) && *outer != lines)
        .min_by_key(|outer| outer.count())
}

/// At most [`MAX_ENCLOSING_LINES`] of `outer`, centred on `lines`.
fn bounded(outer: Lines, lines: Lines) -> (u32, u32) {
    let spare = MAX_ENCLOSING_LINES.saturating_sub(lines.count());
    if outer.count() <= MAX_ENCLOSING_LINES {
        return (outer.start, outer.end);
    }
    (lines.start.saturating_sub(spare / 2).max(outer.start), (lines.end + spare / 2).min(outer.end))
}

/// The text of lines, without the last line terminator.
pub(crate) fn slice<'t>(text: &'t str, starts: &[usize], lines: Lines) -> &'t str {
    let from = starts.get(lines.start as usize - 1).copied().unwrap_or(text.len());
    let to = starts.get(lines.end as usize).copied().unwrap_or(text.len());
    let text = &text[from..to];
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}
