//! Messages: text that a program printed, found in the source that prints it.
//!
//! A message is a template with its values filled in. The template is not known, so the question is compared with the
//! lines that share rare pairs of words with it: blocks of words that occur in both, in the same order. A line is the
//! source of a message if the question has nearly all words of its string literal, or the line nearly all words of the
//! question that are no values.

use super::Spot;
use super::sources::{self, Source};
use super::template;
use crate::reader::Reader;
use groma_core::{Lines, RelPath, StoreError};
use rustc_hash::FxHashMap;

/// Maximum number of words of a question that are compared.
const MAX_WORDS: usize = 48;

/// Minimum number of words that must agree.
const MIN_WORDS: usize = 3;

/// Number of plain words up to which a question is compared only with files that contain all of it: so few words agree
/// with many lines by chance, and looking up their pairs takes longer than the rest of a search.
const MAX_FEW_WORDS: usize = 4;

/// Maximum number of pairs of words that are looked up, and of those that are looked for in one file.
const MAX_PAIRS: usize = 24;
const MAX_PAIRS_IN_FILE: usize = 4;

/// More than the sum of all pairs.
const VERBATIM: f32 = 1000.0;

/// Minimum length of a pair: shorter ones occur everywhere.
const MIN_PAIR: usize = 6;

/// Maximum number of lines that are compared in one file.
const MAX_LINES: usize = 40;

/// Lines after and before a line with a pair that belong to the same message: literals are split over lines.
const BEFORE: u32 = 2;
const AFTER: u32 = 3;

/// Share of the words of a literal that the question must have, and of the question that the lines must have.
const MIN_TEMPLATE: f32 = 0.8;
const MIN_QUESTION: f32 = 0.9;

/// Share of the question that a literal must be in any case.
const MIN_SHARE: f32 = 0.35;

/// Maximum number of places.
const MAX_SPOTS: usize = 6;

/// A word of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct QuestionWord {
    pub lower: String,
    /// Byte range in the question.
    start: usize,
    end: usize,
    /// Whether it may be a value: a number, a quoted part, a piece of a path or of an identifier.
    pub is_value: bool,
}

/// The words of a question.
pub(super) fn question_words(text: &str) -> Vec<QuestionWord> {
    let mut found = Vec::new();
    let quoted = quoted_ranges(text);
    for (start, word) in template::words(text) {
        let end = start + word.len();
        let touches = |c: char| "/\\_@#$~".contains(c) || c == '.';
        let joined_before = text[..start].chars().next_back().is_some_and(touches);
        let joined_after = text[end..].chars().next().is_some_and(touches)
            && text[end..].chars().nth(1).is_some_and(char::is_alphanumeric);
        let has_digit = word.chars().any(|c| c.is_ascii_digit());
        let is_quoted = quoted.iter().any(|(from, to)| (*from..*to).contains(&start));
        found.push(QuestionWord {
            lower: word.to_lowercase(),
            start,
            end,
            is_value: has_digit || is_quoted || joined_before || joined_after,
        });
        if found.len() == MAX_WORDS {
            break;
        }
    }
    found
}

/// The ranges between quotes, brackets and parentheses: where messages have values.
fn quoted_ranges(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (open, close) in
        [('"', '"'), ('\'', '\''), ('`', '`'), ('[', ']'), ('(', ')'), ('<', '>'), ('“', '”')]
    {
        let mut from = 0;
        while let Some(start) = text[from..].find(open).map(|at| from + at) {
            let inner = start + open.len_utf8();
            // An apostrophe is no quote.
            let is_inside = text[..start].chars().next_back().is_some_and(char::is_alphanumeric);
            let end = text[inner..].find(close).map(|at| inner + at);
            match end.filter(|_| !(is_inside && open == '\'')) {
                Some(end) => {
                    found.push((inner, end));
                    from = end + close.len_utf8();
                }
                None => from = inner,
            }
        }
    }
    found
}

/// How strict the comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strictness {
    /// The question is a message: any line with its words counts.
    Message,
    /// The question may be plain words: only a literal that has them counts.
    Words,
}

/// Whether a text is a question rather than something that a program says.
fn is_question(text: &str) -> bool {
    const BEGINNINGS: [&str; 7] = ["how ", "where ", "what ", "which ", "why ", "who ", "when "];
    let lower = text.trim().to_ascii_lowercase();
    lower.ends_with('?') || BEGINNINGS.iter().any(|beginning| lower.starts_with(beginning))
}

/// The lines that a message comes from, best first.
pub(super) fn find(
    reader: &Reader,
    text: &str,
    strictness: Strictness,
) -> Result<Vec<Spot>, StoreError> {
    if strictness == Strictness::Words && is_question(text) {
        return Ok(Vec::new());
    }
    let words = question_words(text);
    if words.iter().filter(|word| !word.is_value).count() < 2 || words.len() < MIN_WORDS {
        return Ok(Vec::new());
    }
    let has_values = words.iter().any(|word| word.is_value);
    let verbatim = sources::candidates(reader, text.trim())?;
    let is_few = words.len() <= MAX_FEW_WORDS && !has_values;
    if strictness == Strictness::Words && is_few && verbatim.is_empty() {
        return Ok(Vec::new());
    }
    let (pairs, looked_up) = pairs(reader, text, &words, strictness)?;
    let limits = FileLimits::new(strictness, looked_up, has_values);
    let files = best_files(&pairs, &verbatim, reader.manifest().files.len(), limits);
    let paths: Vec<RelPath> = files.iter().map(|(path, _)| path.clone()).collect();
    let mut found: Vec<(Comparison, RelPath)> = Vec::new();
    for source in sources::read(reader, &paths) {
        let Some((_, own)) = files.iter().find(|(path, _)| *path == source.path) else { continue };
        let best = best_lines(&source, own, &pairs, &words, strictness);
        found.extend(best.into_iter().map(|comparison| (comparison, source.path.clone())));
    }
    found.sort_by(|(a, left), (b, right)| {
        let rank = |one: &Comparison, path: &RelPath| {
            one.score() - 0.15 * f32::from(sources::kind_order(path))
        };
        rank(b, right)
            .total_cmp(&rank(a, left))
            .then_with(|| (left, a.lines).cmp(&(right, b.lines)))
    });
    let best = found.first().map_or(0.0, |(comparison, _)| comparison.score());
    found.retain(|(comparison, _)| comparison.score() >= 0.8 * best);
    found.truncate(MAX_SPOTS);
    let spot = |(comparison, path): (Comparison, RelPath)| {
        Spot::at(path, comparison.lines, comparison.score(), "message")
    };
    Ok(found.into_iter().map(spot).collect())
}

/// Which files are read: reading one costs more than all lookups.
#[derive(Clone, Copy, Debug)]
struct FileLimits {
    /// Minimum number of pairs that a file must have.
    pairs: usize,
    /// Maximum number of files.
    files: usize,
}

impl FileLimits {
    fn new(strictness: Strictness, looked_up: usize, has_values: bool) -> Self {
        match strictness {
            Strictness::Message => Self { pairs: looked_up.div_ceil(4), files: 16 },
            // Pairs with a value in them occur nowhere.
            Strictness::Words if has_values => Self { pairs: looked_up.div_ceil(4), files: 8 },
            Strictness::Words => Self { pairs: looked_up.div_ceil(2).max(2), files: 8 },
        }
    }
}

/// Two neighbouring words of the question, with the text between them, and the files that may contain them.
struct Pair {
    lower: String,
    files: Vec<RelPath>,
}

/// The pairs that occur, and how many were looked up.
fn pairs(
    reader: &Reader,
    text: &str,
    words: &[QuestionWord],
    strictness: Strictness,
) -> Result<(Vec<Pair>, usize), StoreError> {
    let neighbours = words.windows(2).filter(|pair| {
        let gap = pair[1].start - pair[0].end;
        gap <= 3
            && !(pair[0].is_value && pair[1].is_value)
            && !text[pair[0].end..pair[1].start].contains('\n')
    });
    let mut texts: Vec<&str> = neighbours
        .map(|pair| &text[pair[0].start..pair[1].end])
        .filter(|text| text.len() >= MIN_PAIR)
        .collect();
    // Long pairs are rare ones.
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    texts.truncate(if strictness == Strictness::Words { MAX_PAIRS / 2 } else { MAX_PAIRS });
    texts.sort_unstable();
    texts.dedup();
    let mut found = Vec::new();
    for text in &texts {
        let files = sources::candidates(reader, text)?;
        if !files.is_empty() {
            found.push(Pair { lower: text.to_ascii_lowercase(), files });
        }
    }
    Ok((found, texts.len()))
}

/// The files with most of the rare pairs, best first, each with its pairs, rarest first.
fn best_files(
    pairs: &[Pair],
    verbatim: &[RelPath],
    file_count: usize,
    limits: FileLimits,
) -> Vec<(RelPath, Vec<usize>)> {
    let mut files: FxHashMap<&RelPath, (f32, Vec<usize>)> = FxHashMap::default();
    let rarity = |pair: &Pair| (1.0 + file_count as f32 / pair.files.len() as f32).ln();
    for (index, pair) in pairs.iter().enumerate() {
        for path in &pair.files {
            let entry = files.entry(path).or_default();
            entry.0 += rarity(pair);
            entry.1.push(index);
        }
    }
    // Files that may contain the text as it is come before all others.
    for path in verbatim {
        if let Some(entry) = files.get_mut(path) {
            entry.0 += VERBATIM;
        }
    }
    let mut files: Vec<_> =
        files.into_iter().filter(|(_, (_, own))| own.len() >= limits.pairs).collect();
    files.sort_by(|(left, (a, _)), (right, (b, _))| b.total_cmp(a).then_with(|| left.cmp(right)));
    // The order among equals, by kind, matters only near the limit.
    files.truncate(4 * limits.files);
    files.sort_by_cached_key(|(path, (score, own))| {
        let score = (score * 1000.0) as u64;
        (
            std::cmp::Reverse(score),
            sources::kind_order(path),
            std::cmp::Reverse(own.len()),
            (*path).clone(),
        )
    });
    files.truncate(limits.files);
    let with_pairs = files.into_iter().map(|(path, (_, mut own))| {
        own.sort_by_key(|index| (pairs[*index].files.len(), *index));
        own.truncate(MAX_PAIRS_IN_FILE);
        (path.clone(), own)
    });
    with_pairs.collect()
}

/// How much a question and some lines have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Comparison {
    lines: Lines,
    /// The share of the question, without values, that the lines have.
    question: f32,
    /// The share of the literal that the question has.
    template: f32,
    is_literal: bool,
}

impl Comparison {
    fn score(&self) -> f32 {
        0.6 * self.question + 0.4 * self.template
    }
}

/// The lines of a file that the question may come from.
fn best_lines(
    source: &Source,
    own: &[usize],
    pairs: &[Pair],
    words: &[QuestionWord],
    strictness: Strictness,
) -> Vec<Comparison> {
    let mut lines: Vec<u32> = own
        .iter()
        .flat_map(|index| source.offsets(&pairs[*index].lower, MAX_LINES))
        .map(|offset| source.line_at(offset))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines.truncate(MAX_LINES);
    let compared = lines.into_iter().filter_map(|line| compare(source, line, words));
    let mut fitting: Vec<Comparison> =
        compared.filter(|comparison| is_source(comparison, words, strictness)).collect();
    fitting.sort_by(|a, b| b.score().total_cmp(&a.score()).then(a.lines.cmp(&b.lines)));
    let mut kept: Vec<Comparison> = Vec::new();
    for one in fitting {
        if !kept
            .iter()
            .any(|known| known.lines.start <= one.lines.end && one.lines.start <= known.lines.end)
        {
            kept.push(one);
        }
    }
    kept.truncate(3);
    kept
}

fn is_source(comparison: &Comparison, words: &[QuestionWord], strictness: Strictness) -> bool {
    let Comparison { question, template, is_literal, .. } = *comparison;
    match strictness {
        Strictness::Message => {
            question >= MIN_QUESTION
                || is_literal && template >= MIN_TEMPLATE && question >= MIN_SHARE
        }
        // Any sentence of the documents would answer a question in its words.
        Strictness::Words => {
            let whole = question >= MIN_QUESTION && (is_literal || words.len() >= 6);
            whole || is_literal && template >= 0.85 && question >= 0.5
        }
    }
}

/// Compares the lines around one with the question.
fn compare(source: &Source, line: u32, words: &[QuestionWord]) -> Option<Comparison> {
    let last = source.text.starts.len() as u32;
    let window = Lines::new(line.saturating_sub(BEFORE).max(1), (line + AFTER).min(last));
    let found: Vec<template::SourceWord> = template::source_words(&source.text, window);
    let wanted: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    let has: Vec<&str> = found.iter().map(|word| word.lower.as_str()).collect();
    let blocks = template::common_blocks(&wanted, &has);
    let matched: usize = blocks.iter().map(|block| block.length).sum();
    if matched < MIN_WORDS.min(words.iter().filter(|word| !word.is_value).count()) {
        return None;
    }
    let in_question = |index: usize| {
        blocks.iter().any(|block| (block.left..block.left + block.length).contains(&index))
    };
    let in_lines = |index: usize| {
        blocks.iter().any(|block| (block.right..block.right + block.length).contains(&index))
    };
    let weight = |word: &QuestionWord| word.lower.len() as f32;
    let indexed = || words.iter().enumerate();
    let had: f32 = indexed().filter(|(index, _)| in_question(*index)).map(|(_, w)| weight(w)).sum();
    let all: f32 = indexed()
        .filter(|(index, word)| in_question(*index) || !word.is_value)
        .map(|(_, word)| weight(word))
        .sum();
    let matched_lines = (0..found.len()).filter(|index| in_lines(*index)).map(|at| found[at].line);
    let (first, end) = (matched_lines.clone().min()?, matched_lines.max()?);
    // The literals that share words with the question, each as a whole.
    let literals: Vec<usize> =
        (0..found.len()).filter(|at| in_lines(*at)).filter_map(|at| found[at].literal).collect();
    let of_literals = |at: &usize| found[*at].literal.is_some_and(|one| literals.contains(&one));
    let (all_words, own_words): (Vec<usize>, Vec<usize>) = {
        let all: Vec<usize> = (0..found.len())
            .filter(|at| (first..=end).contains(&found[*at].line))
            .filter(|at| literals.is_empty() || of_literals(at))
            .collect();
        let own = all.iter().copied().filter(|at| in_lines(*at)).collect();
        (all, own)
    };
    let letters = |at: &[usize]| at.iter().map(|at| found[*at].lower.len()).sum::<usize>() as f32;
    Some(Comparison {
        lines: Lines::new(first, end),
        question: had / all.max(1.0),
        template: letters(&own_words) / letters(&all_words).max(1.0),
        is_literal: !literals.is_empty() && own_words.len() >= 2,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    fn compared(source: &str, question: &str) -> Option<Comparison> {
        let source = Source {
            path: RelPath::new("a.c").unwrap(),
            text: Text::new(source.to_string()),
            lower: source.to_ascii_lowercase(),
        };
        let words = question_words(question);
        (1..=source.text.starts.len() as u32)
            .filter_map(|line| compare(&source, line, &words))
            .max_by(|a, b| a.score().total_cmp(&b.score()))
    }

    #[test]
    fn a_filled_in_message_is_its_template() {
        for (source, question) in [
            (
                "log(\"cannot open file %s: %d tries\", a, b);",
                "cannot open file /tmp/x7.log: 12 tries",
            ),
            ("raise E(f\"cannot open file {path}: {n} tries\")", "cannot open file a.txt: 3 tries"),
            (
                "throw new E(\"Target class [\" + name + \"] does not exist.\");",
                "Target class [App\\Cart] does not exist.",
            ),
            (
                "  \"there is no reactor running, \"\n  \"must be called from a runtime\"",
                "there is no reactor running, must be called from a runtime",
            ),
        ] {
            let one = compared(source, question).unwrap();
            assert!(
                is_source(&one, &question_words(question), Strictness::Message),
                "{question}: {one:?}"
            );
            assert!(one.is_literal && one.template > 0.9, "{question}: {one:?}");
        }
    }

    #[test]
    fn other_lines_with_some_of_the_words_are_not() {
        let question = "how does the session cookie get signed";
        let source = "// how the session cookie\n// is made does not matter\nlet a = 1;";
        let one = compared(source, question);
        let is_source = |one| is_source(&one, &question_words(question), Strictness::Words);
        assert!(!one.is_some_and(is_source), "{one:?}");
    }

    #[test]
    fn values_are_no_words_of_the_message() {
        let words = question_words("user 'bob' has 3 items in /var/x.db, isn't it");
        let values: Vec<&str> =
            words.iter().filter(|word| word.is_value).map(|word| word.lower.as_str()).collect();
        assert_eq!(values, ["bob", "3", "var", "x", "db"]);
    }
}
