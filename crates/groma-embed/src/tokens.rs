//! Splitting a text into the model's tokens, exactly as it was trained. `model/FORMAT.md` has the rules.

use crate::table::Table;

/// Longest word that is looked at.
const LONGEST_WORD: usize = 32;

/// Longest run of digits that says anything.
const LONGEST_NUMBER: usize = 4;

/// Only so many tokens of a text count.
pub(crate) const MOST_TOKENS: usize = 512;

/// Calls `emit` with each token of `text`, in order, until there are enough.
pub(crate) fn tokens(table: &Table, text: &str, mut emit: impl FnMut(u32)) {
    let bytes = text.as_bytes();
    let mut left = MOST_TOKENS;
    let mut emit = |token: u32| {
        left -= 1;
        emit(token);
        left > 0
    };
    let mut word = [0u8; LONGEST_WORD + LONGEST_NUMBER];
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
        if is_number && length > LONGEST_NUMBER {
            continue;
        }
        let kept = length.min(LONGEST_WORD);
        for (slot, byte) in word.iter_mut().zip(&bytes[start..start + kept]) {
            *slot = byte.to_ascii_lowercase();
        }
        if !is_number
            && length <= LONGEST_WORD
            && let Some((token, digits)) = compound(table, &mut word, kept, &bytes[end..])
        {
            at += digits;
            if !emit(token) {
                return;
            }
            continue;
        }
        if !pieces(table, &word[..kept], &mut emit) {
            return;
        }
    }
}

/// A word directly followed by a few digits, when both together are an entry.
fn compound(table: &Table, word: &mut [u8], length: usize, rest: &[u8]) -> Option<(u32, usize)> {
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > LONGEST_NUMBER {
        return None;
    }
    word[length..length + digits].copy_from_slice(&rest[..digits]);
    Some((table.find(&word[..length + digits])?, digits))
}

/// The whole word, or the longest entries it can be cut into from the left. False when there are enough.
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
            match small_at(capitals) {
                false => capitals,
                true if capitals > 1 => capitals - 1,
                true => 1 + run(1, u8::is_ascii_lowercase),
            }
        }
        _ => 0,
    }
}
