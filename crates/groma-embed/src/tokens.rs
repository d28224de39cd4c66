//! The tokeniser, exactly as in training; `model/FORMAT.md` has the rules.

use crate::table::Table;

/// The length to which words are truncated.
const MAX_WORD_LENGTH: usize = 32;

/// Longer runs of digits are dropped.
const MAX_DIGITS: usize = 4;

/// Further tokens of a text are ignored.
pub(crate) const MAX_TOKENS: usize = 512;

/// A cache of word lookups: code repeats few words, and a hit takes one comparison.
pub(crate) struct TokenCache {
    /// A word of up to fifteen letters with its length (zero if empty), and its token or [`NO_TOKEN`].
    slots: Vec<(u128, u32)>,
}

const NO_TOKEN: u32 = u32::MAX;

/// A power of two; 128 KB, which fit the L2 cache.
const CACHE_SLOTS: usize = 4096;

impl Default for TokenCache {
    fn default() -> Self {
        Self { slots: vec![(0, NO_TOKEN); CACHE_SLOTS] }
    }
}

impl TokenCache {
    /// The index of the entry that is the first `length` letters of the word.
    fn find(&mut self, table: &Table, word: &Word, length: usize) -> Option<u32> {
        let Some(letters) = word.first_chunk().filter(|_| length < 16) else {
            return table.find(&word[..length]);
        };
        let letters = u128::from_le_bytes(*letters) & ((1 << (8 * length)) - 1);
        let key = letters | (length as u128) << 120;
        let mixed = ((key as u64) ^ (key >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = &mut self.slots[(mixed >> 52) as usize % CACHE_SLOTS];
        if slot.0 != key {
            *slot = (key, table.find(&word[..length]).unwrap_or(NO_TOKEN));
        }
        (slot.1 != NO_TOKEN).then_some(slot.1)
    }
}

/// A lower-case word, with room for digits after it.
type Word = [u8; MAX_WORD_LENGTH + MAX_DIGITS];

/// Calls `emit` with each token of `text`, in order, up to the limit.
pub(crate) fn tokens(table: &Table, known: &mut TokenCache, text: &str, mut emit: impl FnMut(u32)) {
    let bytes = text.as_bytes();
    let mut left = MAX_TOKENS;
    let mut emit = |token: u32| {
        left -= 1;
        emit(token);
        left > 0
    };
    let mut word: Word = [0; MAX_WORD_LENGTH + MAX_DIGITS];
    let mut at = 0;
    while at < bytes.len() {
        let length = word_length(&bytes[at..]);
        if length == 0 {
            at += 1;
            continue;
        }
        let (start, end) = (at, at + length);
        at = end;
        let is_number = bytes[start].is_ascii_digit();
        if is_number && length > MAX_DIGITS {
            continue;
        }
        let kept = length.min(MAX_WORD_LENGTH);
        for (slot, byte) in word.iter_mut().zip(&bytes[start..start + kept]) {
            *slot = byte.to_ascii_lowercase();
        }
        if !is_number
            && length <= MAX_WORD_LENGTH
            && let Some((token, digits)) = compound(table, &mut word, kept, &bytes[end..])
        {
            at += digits;
            if !emit(token) {
                return;
            }
            continue;
        }
        let enough = match known.find(table, &word, kept) {
            Some(token) => !emit(token),
            None => !pieces(table, &word[..kept], &mut emit),
        };
        if enough {
            return;
        }
    }
}

/// A word directly followed by a few digits, if both together are an entry.
fn compound(table: &Table, word: &mut [u8], length: usize, rest: &[u8]) -> Option<(u32, usize)> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > MAX_DIGITS {
        return None;
    }
    word[length..length + digits].copy_from_slice(&rest[..digits]);
    Some((table.find(&word[..length + digits])?, digits))
}

/// Splits a word greedily into the longest entries; `false` at the limit of tokens.
fn pieces(table: &Table, word: &[u8], emit: &mut impl FnMut(u32) -> bool) -> bool {
    let mut start = 0;
    while start < word.len() {
        let longest = (start + 1..=word.len())
            .rev()
            .find_map(|end| Some((table.find(&word[start..end])?, end)));
        match longest {
            Some((token, end)) => {
                if !emit(token) {
                    return false;
                }
                start = end;
            }
            None => start += 1,
        }
    }
    true
}

/// The length of the word that `bytes` starts with; 0 when it starts with none.
fn word_length(bytes: &[u8]) -> usize {
    let run =
        |from: usize, fits: fn(&u8) -> bool| bytes[from..].iter().take_while(|b| fits(b)).count();
    let small_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_lowercase);
    match bytes[0] {
        b'0'..=b'9' => run(0, u8::is_ascii_digit),
        b'a'..=b'z' => run(0, u8::is_ascii_lowercase),
        b'A'..=b'Z' => {
            let capitals = run(0, u8::is_ascii_uppercase);
            if capitals >= 2 && bytes.get(capitals) == Some(&b's') && !small_at(capitals + 1) {
                return capitals + 1;
            }
            if !small_at(capitals) {
                capitals
            } else if capitals > 1 {
                capitals - 1
            } else {
                1 + run(1, u8::is_ascii_lowercase)
            }
        }
        _ => 0,
    }
}
