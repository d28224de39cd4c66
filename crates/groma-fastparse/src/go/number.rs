//! Number literals.

use super::lexer::is_in_name;
use super::token::Token;

/// The literal at an offset and its end. Whatever the grammar does not accept as one token is invalid.
pub(super) fn read(bytes: &[u8], start: usize) -> (Token, usize) {
    match number(bytes, start) {
        Some((token, end)) if !is_in_name(byte(bytes, end)) => (token, end),
        _ => (Token::Invalid, start),
    }
}

fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

fn number(bytes: &[u8], start: usize) -> Option<(Token, usize)> {
    let (token, end) = match (byte(bytes, start), byte(bytes, start + 1)) {
        (b'0', b'x' | b'X') => hexadecimal(bytes, start + 2)?,
        (b'0', b'b' | b'B') => (Token::Int, digits_after(bytes, start + 2, 2)?),
        (b'0', b'o' | b'O') => (Token::Int, digits_after(bytes, start + 2, 8)?),
        _ => decimal(bytes, start)?,
    };
    if byte(bytes, end) == b'i' {
        return Some((Token::Imaginary, end + 1));
    }
    // A leading zero makes a number octal.
    let octal = token == Token::Int
        && byte(bytes, start) == b'0'
        && matches!(byte(bytes, start + 1), b'0'..=b'9' | b'_');
    let wrong = octal && bytes[start..end].iter().any(|digit| matches!(digit, b'8' | b'9'));
    (!wrong).then_some((token, end))
}

fn decimal(bytes: &[u8], start: usize) -> Option<(Token, usize)> {
    let (mut token, mut end) = (Token::Int, start);
    if byte(bytes, start) != b'.' {
        end = digits(bytes, start, 10)?;
    }
    if byte(bytes, end) == b'.' {
        token = Token::Float;
        end = digits(bytes, end + 1, 10).unwrap_or(end + 1);
    }
    match byte(bytes, end) {
        b'e' | b'E' => Some((Token::Float, exponent(bytes, end)?)),
        _ => Some((token, end)),
    }
}

fn hexadecimal(bytes: &[u8], start: usize) -> Option<(Token, usize)> {
    let float = |end| match byte(bytes, end) {
        b'p' | b'P' => Some((Token::Float, exponent(bytes, end)?)),
        _ => None,
    };
    if byte(bytes, start) == b'.' {
        return float(digits(bytes, start + 1, 16)?);
    }
    let end = digits_after(bytes, start, 16)?;
    match byte(bytes, end) {
        b'.' => float(digits(bytes, end + 1, 16).unwrap_or(end + 1)),
        b'p' | b'P' => float(end),
        _ => Some((Token::Int, end)),
    }
}

fn exponent(bytes: &[u8], start: usize) -> Option<usize> {
    let sign = matches!(byte(bytes, start + 1), b'+' | b'-');
    digits(bytes, start + 1 + usize::from(sign), 10)
}

/// The end of the digits after a prefix; a `_` may separate the two.
fn digits_after(bytes: &[u8], start: usize, radix: u32) -> Option<usize> {
    digits(bytes, start + usize::from(byte(bytes, start) == b'_'), radix)
}

/// The end of at least one digit, single `_` allowed in between.
fn digits(bytes: &[u8], start: usize, radix: u32) -> Option<usize> {
    let is_digit = |at| char::from(byte(bytes, at)).is_digit(radix);
    if !is_digit(start) {
        return None;
    }
    let mut end = start + 1;
    loop {
        if is_digit(end) {
            end += 1;
        } else if byte(bytes, end) == b'_' && is_digit(end + 1) {
            end += 2;
        } else {
            return Some(end);
        }
    }
}
