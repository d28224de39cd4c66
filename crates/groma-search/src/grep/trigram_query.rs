//! Extracts from a pattern the trigrams that every matching text contains.
//!
//! The index stores the trigrams of each file, ASCII lowercased, so a file without those of the pattern need not be
//! opened. Extraction is conservative: requiring too few trigrams costs time, requiring too many would lose a match.
//! All sizes are bounded, because patterns are untrusted input.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};
use std::collections::BTreeSet;

/// Maximum number of literals that a sub-pattern is expanded to.
const MAX_LITERALS: usize = 16;

/// Maximum length of a literal, in bytes.
const MAX_LITERAL_LENGTH: usize = 48;

/// Maximum number of alternatives in a query.
const MAX_ALTERNATIVES: usize = 64;

/// Maximum number of trigrams in an alternative; more hardly increase selectivity.
const MAX_TRIGRAMS: usize = 32;

/// Maximum number of HIR nodes visited; nested repetitions are visited repeatedly.
const MAX_STEPS: usize = 4096;

/// The literals that a sub-pattern can match, ASCII lowercased.
type Literals = BTreeSet<Vec<u8>>;

/// A disjunction of trigram sets: a matching text contains all trigrams of at least one of them. The empty set matches
/// every text.
type Alternatives = BTreeSet<BTreeSet<u32>>;

/// The trigram query of a pattern, as the store takes it; empty if any text may match.
pub(super) fn trigram_query(hir: &Hir) -> Vec<Vec<u32>> {
    let mut steps = MAX_STEPS;
    let required = required(hir, &mut steps);
    if required.iter().any(BTreeSet::is_empty) {
        return Vec::new();
    }
    required.into_iter().map(rarest_first).collect()
}

/// Sorts trigrams by estimated rarity: rare ones shrink the candidate set first.
fn rarest_first(trigrams: BTreeSet<u32>) -> Vec<u32> {
    let mut trigrams: Vec<u32> = trigrams.into_iter().collect();
    let rarity = |trigram: &u32| {
        let bytes = trigram.to_be_bytes();
        let non_ascii = bytes.iter().filter(|byte| !byte.is_ascii()).count();
        let rare = bytes[1..].iter().filter(|byte| b"jqvwxyz0123456789_".contains(byte)).count();
        3 * non_ascii + rare
    };
    trigrams.sort_by_key(|trigram| std::cmp::Reverse(rarity(trigram)));
    trigrams.truncate(MAX_TRIGRAMS);
    trigrams
}

/// The trigrams required by a pattern or a branch of one.
fn required(hir: &Hir, steps: &mut usize) -> Alternatives {
    let mut extractor = Extractor::new(steps);
    extractor.visit(hir);
    extractor.finish()
}

/// Visits a pattern from left to right.
struct Extractor<'s> {
    /// The literals that can precede the current position: back to the last gap, or their last two bytes.
    prefixes: Literals,
    /// The requirements found so far; all of them apply.
    required: Vec<Alternatives>,
    steps: &'s mut usize,
}

impl<'s> Extractor<'s> {
    fn new(steps: &'s mut usize) -> Self {
        Self { prefixes: empty_literal(), required: Vec::new(), steps }
    }

    fn visit(&mut self, hir: &Hir) {
        if *self.steps == 0 {
            return self.gap();
        }
        *self.steps -= 1;
        if let Some(literals) = literals(hir, self.steps) {
            return self.append(&literals);
        }
        match hir.kind() {
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.visit(part)),
            HirKind::Capture(capture) => self.visit(&capture.sub),
            HirKind::Alternation(branches) => self.branch(branches),
            HirKind::Repetition(repetition) => self.repeat(repetition),
            HirKind::Literal(literal) => {
                // Invalid UTF-8 was replaced before the file was indexed.
                for chunk in literal.0.utf8_chunks() {
                    self.append(&Literals::from([chunk.valid().to_ascii_lowercase().into_bytes()]));
                    if !chunk.invalid().is_empty() {
                        self.gap();
                    }
                }
            }
            HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => self.gap(),
        }
    }

    /// Appends the literals, one of which comes next.
    fn append(&mut self, literals: &Literals) {
        let longest = |literals: &Literals| literals.iter().map(Vec::len).max().unwrap_or(0);
        if longest(&self.prefixes) + longest(literals) > MAX_LITERAL_LENGTH {
            self.flush();
        }
        if self.prefixes.len() * literals.len() > MAX_LITERALS {
            self.flush();
        }
        self.prefixes = if self.prefixes.len() * literals.len() <= MAX_LITERALS {
            concatenated(&self.prefixes, literals)
        } else {
            literals.clone()
        };
    }

    /// Anything may come next.
    fn gap(&mut self) {
        self.flush();
        self.prefixes = empty_literal();
    }

    /// Records the trigrams of the prefixes and keeps the last two bytes, with which the next trigram may begin.
    fn flush(&mut self) {
        self.required.push(self.prefixes.iter().map(|text| trigrams(text)).collect());
        let tail = |text: &Vec<u8>| text[text.len().saturating_sub(2)..].to_vec();
        self.prefixes = self.prefixes.iter().map(tail).collect();
    }

    fn branch(&mut self, branches: &[Hir]) {
        self.gap();
        let mut any = Alternatives::new();
        for branch in branches {
            any.extend(required(branch, self.steps));
            if any.len() > MAX_ALTERNATIVES {
                return;
            }
        }
        self.required.push(any);
    }

    /// The first repetition follows the prefixes, the last one precedes what comes next; they may be the same.
    fn repeat(&mut self, repetition: &Repetition) {
        if repetition.min > 0 {
            self.visit(&repetition.sub);
        }
        self.gap();
        if repetition.min > 0 {
            self.visit(&repetition.sub);
        }
    }

    /// The conjunction of all requirements as alternatives, as far as the limits allow; the smallest are multiplied out
    /// first.
    fn finish(mut self) -> Alternatives {
        self.flush();
        self.required.retain(|any| !any.iter().any(BTreeSet::is_empty));
        self.required.sort_by_key(BTreeSet::len);
        let mut all = Alternatives::from([BTreeSet::new()]);
        for any in &self.required {
            if all.len() * any.len() <= MAX_ALTERNATIVES {
                all = all
                    .iter()
                    .flat_map(|one| {
                        any.iter().map(move |other| one.union(other).copied().collect())
                    })
                    .collect();
            }
        }
        all
    }
}

/// The set of the empty literal.
fn empty_literal() -> Literals {
    Literals::from([Vec::new()])
}

/// Every literal that a sub-pattern can match, if they are few and short.
fn literals(hir: &Hir, steps: &mut usize) -> Option<Literals> {
    *steps = steps.checked_sub(1)?;
    let found = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => empty_literal(),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Literals::from([text.to_ascii_lowercase().into_bytes()])
        }
        HirKind::Class(class) => characters(class)?,
        HirKind::Capture(capture) => literals(&capture.sub, steps)?,
        HirKind::Concat(parts) => {
            let mut all = empty_literal();
            for part in parts {
                all = checked(concatenated(&all, &literals(part, steps)?))?;
            }
            all
        }
        HirKind::Alternation(branches) => {
            let mut all = Literals::new();
            for branch in branches {
                all.extend(literals(branch, steps)?);
                all = checked(all)?;
            }
            all
        }
        HirKind::Repetition(repetition) => repeated(repetition, steps)?,
    };
    checked(found)
}

fn checked(literals: Literals) -> Option<Literals> {
    let fits = literals.len() <= MAX_LITERALS
        && literals.iter().all(|text| text.len() <= MAX_LITERAL_LENGTH);
    fits.then_some(literals)
}

/// The characters of a small class; `None` if it contains non-ASCII bytes, which are no characters by themselves.
fn characters(class: &Class) -> Option<Literals> {
    let mut found = Literals::new();
    match class {
        Class::Unicode(class) => {
            for range in class.iter() {
                for letter in range.start()..=range.end() {
                    found.insert(letter.to_ascii_lowercase().to_string().into_bytes());
                    if found.len() > MAX_LITERALS {
                        return None;
                    }
                }
            }
        }
        Class::Bytes(class) => {
            for byte in class.iter().flat_map(|range| range.start()..=range.end()) {
                if !byte.is_ascii() {
                    return None;
                }
                found.insert(vec![byte.to_ascii_lowercase()]);
            }
        }
    }
    Some(found)
}

/// The literals of an optional sub-pattern or of one repeated a fixed number of times.
fn repeated(repetition: &Repetition, steps: &mut usize) -> Option<Literals> {
    let once = literals(&repetition.sub, steps)?;
    match (repetition.min, repetition.max) {
        (0, Some(1)) => Some(once.into_iter().chain(empty_literal()).collect()),
        (times, Some(most)) if times == most && times as usize <= MAX_LITERAL_LENGTH => {
            let mut all = empty_literal();
            for _ in 0..times {
                all = checked(concatenated(&all, &once))?;
            }
            Some(all)
        }
        _ => None,
    }
}

/// The cross product: every literal of the first followed by every literal of the second.
fn concatenated(first: &Literals, second: &Literals) -> Literals {
    first.iter().flat_map(|a| second.iter().map(|b| [a.as_slice(), b].concat())).collect()
}

/// The trigrams of lowercased text.
fn trigrams(text: &[u8]) -> BTreeSet<u32> {
    let number = |three: &[u8]| u32::from_be_bytes([0, three[0], three[1], three[2]]);
    text.windows(3).map(number).collect()
}

#[cfg(test)]
mod tests;
