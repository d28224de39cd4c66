//! From a pattern to the trigrams that a text must hold to match it.
//!
//! The index knows the three-byte sequences of each file, ASCII lowercased, so a file without those of a pattern
//! need not be opened. Whatever cannot be said for sure is left out here: to ask for too little costs time, to
//! ask for too much would lose a match. Everything is bounded, because patterns come from anywhere.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};
use std::collections::BTreeSet;

/// Most texts that a stretch of a pattern is spelled out to.
const MOST_TEXTS: usize = 16;

/// Longest text that is spelled out, in bytes.
const LONGEST_TEXT: usize = 48;

/// Most alternatives the index is asked for.
const MOST_ALTERNATIVES: usize = 64;

/// Most trigrams of one alternative: more of them hardly narrow any further.
const MOST_TRIGRAMS: usize = 32;

/// Most parts of a pattern that are looked at: repetitions in repetitions are looked at again and again.
const MOST_STEPS: usize = 4096;

/// The texts that a stretch of a pattern can match, ASCII lowercased.
type Texts = BTreeSet<Vec<u8>>;

/// Sets of trigrams, one of which a text must hold all of. The empty set asks for nothing.
type Alternatives = BTreeSet<BTreeSet<u32>>;

/// What a text must hold to match, as the store takes it; nothing if any text may match.
pub(super) fn alternatives(hir: &Hir) -> Vec<Vec<u32>> {
    let mut steps = MOST_STEPS;
    let found = needs(hir, &mut steps);
    if found.iter().any(BTreeSet::is_empty) {
        return Vec::new();
    }
    found.into_iter().map(rarest_first).collect()
}

/// A trigram that holds more than letters and digits is likely to be rare, and a rare one shortens the work.
fn rarest_first(trigrams: BTreeSet<u32>) -> Vec<u32> {
    let mut trigrams: Vec<u32> = trigrams.into_iter().collect();
    let oddity = |trigram: &u32| {
        let bytes = trigram.to_be_bytes();
        let foreign = bytes.iter().filter(|byte| !byte.is_ascii()).count();
        let rare = bytes[1..].iter().filter(|byte| b"jqvwxyz0123456789_".contains(byte)).count();
        3 * foreign + rare
    };
    trigrams.sort_by_key(|trigram| std::cmp::Reverse(oddity(trigram)));
    trigrams.truncate(MOST_TRIGRAMS);
    trigrams
}

/// What a text must hold to match a pattern or a branch of one.
fn needs(hir: &Hir, steps: &mut usize) -> Alternatives {
    let mut trail = Trail::new(steps);
    trail.follow(hir);
    trail.finish()
}

/// Follows a pattern from left to right.
struct Trail<'s> {
    /// What can stand right before this place: everything back to the last gap, or its last two bytes.
    before: Texts,
    /// What was found to be needed so far; all of these.
    needed: Vec<Alternatives>,
    steps: &'s mut usize,
}

impl<'s> Trail<'s> {
    fn new(steps: &'s mut usize) -> Self {
        Self { before: nothing(), needed: Vec::new(), steps }
    }

    fn follow(&mut self, hir: &Hir) {
        if *self.steps == 0 {
            return self.gap();
        }
        *self.steps -= 1;
        if let Some(texts) = texts(hir, self.steps) {
            return self.add(&texts);
        }
        match hir.kind() {
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.follow(part)),
            HirKind::Capture(capture) => self.follow(&capture.sub),
            HirKind::Alternation(branches) => self.branch(branches),
            HirKind::Repetition(repetition) => self.repeat(repetition),
            HirKind::Literal(literal) => {
                // What is not UTF-8 was replaced before it was indexed; the rest was not.
                for chunk in literal.0.utf8_chunks() {
                    self.add(&Texts::from([chunk.valid().to_ascii_lowercase().into_bytes()]));
                    if !chunk.invalid().is_empty() {
                        self.gap();
                    }
                }
            }
            HirKind::Empty | HirKind::Look(_) | HirKind::Class(_) => self.gap(),
        }
    }

    /// One of these texts comes next.
    fn add(&mut self, texts: &Texts) {
        let longest = |texts: &Texts| texts.iter().map(Vec::len).max().unwrap_or(0);
        if longest(&self.before) + longest(texts) > LONGEST_TEXT {
            self.settle();
        }
        if self.before.len() * texts.len() > MOST_TEXTS {
            self.settle();
        }
        match self.before.len() * texts.len() <= MOST_TEXTS {
            true => self.before = joined(&self.before, texts),
            false => self.before = texts.clone(),
        }
    }

    /// Anything may come next.
    fn gap(&mut self) {
        self.settle();
        self.before = nothing();
    }

    /// Notes what the texts so far need, and keeps only what a trigram of theirs can still begin with.
    fn settle(&mut self) {
        self.needed.push(self.before.iter().map(|text| trigrams(text)).collect());
        let tail = |text: &Vec<u8>| text[text.len().saturating_sub(2)..].to_vec();
        self.before = self.before.iter().map(tail).collect();
    }

    fn branch(&mut self, branches: &[Hir]) {
        self.gap();
        let mut any = Alternatives::new();
        for branch in branches {
            any.extend(needs(branch, self.steps));
            if any.len() > MOST_ALTERNATIVES {
                return;
            }
        }
        self.needed.push(any);
    }

    /// The first time follows what is before, the last time precedes what is after; they may be the same.
    fn repeat(&mut self, repetition: &Repetition) {
        if repetition.min > 0 {
            self.follow(&repetition.sub);
        }
        self.gap();
        if repetition.min > 0 {
            self.follow(&repetition.sub);
        }
    }

    /// All that is needed, as far as it can be written as alternatives; what multiplies least comes first.
    fn finish(mut self) -> Alternatives {
        self.settle();
        self.needed.retain(|any| !any.iter().any(BTreeSet::is_empty));
        self.needed.sort_by_key(BTreeSet::len);
        let mut all = Alternatives::from([BTreeSet::new()]);
        for any in &self.needed {
            if all.len() * any.len() <= MOST_ALTERNATIVES {
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

/// The only text that has no bytes.
fn nothing() -> Texts {
    Texts::from([Vec::new()])
}

/// Every text that a part of a pattern can match, if they are few and short.
fn texts(hir: &Hir, steps: &mut usize) -> Option<Texts> {
    *steps = steps.checked_sub(1)?;
    let found = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => nothing(),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Texts::from([text.to_ascii_lowercase().into_bytes()])
        }
        HirKind::Class(class) => characters(class)?,
        HirKind::Capture(capture) => texts(&capture.sub, steps)?,
        HirKind::Concat(parts) => {
            let mut all = nothing();
            for part in parts {
                all = checked(joined(&all, &texts(part, steps)?))?;
            }
            all
        }
        HirKind::Alternation(branches) => {
            let mut all = Texts::new();
            for branch in branches {
                all.extend(texts(branch, steps)?);
                all = checked(all)?;
            }
            all
        }
        HirKind::Repetition(repetition) => repeated(repetition, steps)?,
    };
    checked(found)
}

fn checked(texts: Texts) -> Option<Texts> {
    let fits = texts.len() <= MOST_TEXTS && texts.iter().all(|text| text.len() <= LONGEST_TEXT);
    fits.then_some(texts)
}

/// The characters of a small class. Bytes beyond ASCII are no characters by themselves.
fn characters(class: &Class) -> Option<Texts> {
    let mut found = Texts::new();
    match class {
        Class::Unicode(class) => {
            for range in class.iter() {
                for letter in range.start()..=range.end() {
                    found.insert(letter.to_ascii_lowercase().to_string().into_bytes());
                    if found.len() > MOST_TEXTS {
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

/// A part that stands there or not, or a fixed number of times.
fn repeated(repetition: &Repetition, steps: &mut usize) -> Option<Texts> {
    let once = texts(&repetition.sub, steps)?;
    match (repetition.min, repetition.max) {
        (0, Some(1)) => Some(once.into_iter().chain(nothing()).collect()),
        (times, Some(most)) if times == most && times as usize <= LONGEST_TEXT => {
            let mut all = nothing();
            for _ in 0..times {
                all = checked(joined(&all, &once))?;
            }
            Some(all)
        }
        _ => None,
    }
}

/// Every text of the first with every text of the second after it.
fn joined(first: &Texts, second: &Texts) -> Texts {
    first.iter().flat_map(|a| second.iter().map(|b| [a.as_slice(), b].concat())).collect()
}

/// The trigrams of a text that is lowercased already.
fn trigrams(text: &[u8]) -> BTreeSet<u32> {
    let number = |three: &[u8]| u32::from_be_bytes([0, three[0], three[1], three[2]]);
    text.windows(3).map(number).collect()
}

#[cfg(test)]
mod tests;
