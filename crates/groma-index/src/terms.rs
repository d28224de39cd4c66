//! Counts the terms of a file by chunk and field.

use groma_core::{
    Chunk, ChunkKind, Field, FileFacts, RelPath, SymbolsByLine, TermBag, Word, stem, words,
};
use groma_syntax::Parsed;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Maximum bytes of a file's leading comment that are counted for its overview.
const MAX_LEADING_COMMENT: usize = 2000;

/// The terms of a parsed file.
pub(crate) fn terms(path: &RelPath, parsed: &Parsed, text: &str, line_starts: &[usize]) -> TermBag {
    let mut counter = Counter::default();
    counter.overview(path, parsed, text);
    let symbols = parsed.facts.symbols_by_line();
    for (index, chunk) in parsed.facts.chunks.iter().enumerate() {
        if chunk.kind == ChunkKind::Overview {
            continue;
        }
        counter.chunk = index as u32;
        counter.names(&parsed.facts, &symbols, chunk);
        let start = line_starts[chunk.lines.start as usize - 1];
        let end = line_starts.get(chunk.lines.end as usize).copied().unwrap_or(text.len());
        let prose = chunk.kind == ChunkKind::Prose;
        counter.body(text, start..end, &parsed.comments, prose);
    }
    counter.bag
}

/// The terms of a text without a structure, as those of its only chunk.
pub(crate) fn prose_terms(text: &str) -> TermBag {
    let mut counter = Counter::default();
    counter.count(text, Field::Doc);
    counter.bag
}

/// Counts into a bag, with a cache of stems.
#[derive(Default)]
struct Counter {
    bag: TermBag,
    stems: FxHashMap<Box<str>, u32>,
    chunk: u32,
}

impl Counter {
    /// The overview chunk of a file: its path, the names it defines, and its leading comment.
    fn overview(&mut self, path: &RelPath, parsed: &Parsed, text: &str) {
        self.chunk = 0;
        self.count(path.as_str(), Field::Path);
        // The file name is more specific than its folders, so it counts twice.
        self.count(path.stem(), Field::Path);
        if let Some(package) = &parsed.facts.package {
            self.count(package, Field::Path);
        }
        for symbol in &parsed.facts.symbols {
            self.count(&symbol.name, Field::Name);
        }
        if let Some(comment) = parsed.comments.first().filter(|comment| comment.start < 400) {
            let mut end = comment.end.min(comment.start + MAX_LEADING_COMMENT);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            self.count(&text[comment.start..end], Field::Doc);
        }
    }

    /// The names that a chunk defines, and their owner.
    fn names(&mut self, facts: &FileFacts, symbols: &SymbolsByLine<'_>, chunk: &Chunk) {
        if !chunk.title.is_empty() {
            self.count(&chunk.title, Field::Name);
            return;
        }
        let mut owner = None;
        for symbol in symbols.within(chunk.lines) {
            self.count(&symbol.name, Field::Name);
            let parent = symbol.parent.map(|parent| facts.symbols[parent as usize].name.as_str());
            owner = owner.or(symbol.receiver.as_deref()).or(parent);
        }
        // The tail of a long definition is still that definition.
        if let Some(symbol) = chunk.symbol.map(|index| &facts.symbols[index as usize])
            && !chunk.lines.contains(symbol.name_line)
        {
            self.count(&symbol.name, Field::Doc);
        }
        if let Some(owner) = owner {
            self.count(owner, Field::Doc);
        }
    }

    /// The text of a chunk: comments are prose, the rest is code.
    fn body(&mut self, text: &str, range: Range<usize>, comments: &[Range<usize>], prose: bool) {
        if prose {
            self.count(&text[range], Field::Doc);
            return;
        }
        let mut at = range.start;
        let first = comments.partition_point(|comment| comment.end <= range.start);
        for comment in &comments[first..] {
            if comment.start >= range.end {
                break;
            }
            let (start, end) = (comment.start.max(at), comment.end.min(range.end));
            if start > at {
                self.count(&text[at..start], Field::Body);
            }
            if end > start {
                self.count(&text[start..end], Field::Doc);
            }
            at = at.max(end);
        }
        if at < range.end {
            self.count(&text[at..range.end], Field::Body);
        }
    }

    fn count(&mut self, text: &str, field: Field) {
        let Counter { bag, stems, chunk } = self;
        words(text, |word| {
            let term = match word {
                Word::Part(part) => match stems.get(part) {
                    Some(term) => *term,
                    None => {
                        let term = bag.intern(stem(part));
                        stems.insert(part.into(), term);
                        term
                    }
                },
                Word::Whole(whole) => bag.intern(whole),
            };
            bag.count(term, *chunk, field);
        });
    }
}
