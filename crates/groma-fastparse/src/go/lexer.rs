//! The lexer.

use super::number;
use super::token::Token;
use memchr::memchr;

/// A token and its position; the lexer can be rewound to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    pub token: Token,
    pub start: usize,
    pub end: usize,
    /// The end of the previous token.
    pub last_end: usize,
}

/// A lexer with one token of lookahead.
#[derive(Debug)]
pub(super) struct Lexer<'t> {
    pub text: &'t str,
    pub at: Position,
    /// The comments so far.
    pub comments: Vec<(usize, usize)>,
    /// The number of bytes that may still be lexed again, so that backtracking stays linear.
    backtrack_budget: usize,
}

/// 1 for ASCII bytes of an identifier, 2 for bytes of non-ASCII characters.
static IN_NAME: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let ascii = byte as u8;
        if ascii.is_ascii_alphanumeric() || ascii == b'_' {
            table[byte] = 1;
        } else if !ascii.is_ascii() {
            table[byte] = 2;
        }
        byte += 1;
    }
    table
};

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Self {
        let begin = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let at = Position { token: Token::Semicolon, start: begin, end: begin, last_end: begin };
        let mut lexer = Self {
            text,
            at,
            comments: Vec::new(),
            backtrack_budget: text.len().saturating_mul(16),
        };
        lexer.advance();
        lexer
    }

    /// The byte at an offset, 0 past the end.
    pub fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    pub fn advance(&mut self) {
        self.read(self.at.token.ends_statement());
    }

    /// Rewinds to an earlier position; `None` once the budget is spent.
    pub fn rewind(&mut self, position: Position) -> Option<()> {
        self.backtrack_budget = self.backtrack_budget.checked_sub(self.at.end - position.end)?;
        self.at = position;
        Some(())
    }

    /// Reads the next token.
    pub fn read(&mut self, newline_is_token: bool) {
        self.at.last_end = self.at.end;
        let mut at = self.at.end;
        loop {
            match self.byte(at) {
                b' ' | b'\t' | b'\r' => at += 1,
                b'\n' if newline_is_token => {
                    let mut end = at + 1;
                    while self.byte(end) == b'\n' {
                        end += 1;
                    }
                    return self.found(Token::Newline, at, end);
                }
                b'\n' => at += 1,
                b'/' if matches!(self.byte(at + 1), b'/' | b'*') => match self.comment_end(at) {
                    Some(end) => {
                        self.comment(at, end);
                        at = end;
                    }
                    None => return self.found(Token::Invalid, at, at),
                },
                _ => break,
            }
        }
        self.token(at);
    }

    fn found(&mut self, token: Token, start: usize, end: usize) {
        self.at.token = token;
        self.at.start = start;
        self.at.end = end;
    }

    fn comment_end(&self, start: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        if bytes[start + 1] == b'/' {
            return Some(memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at));
        }
        let mut at = start + 2;
        loop {
            at += memchr(b'/', &bytes[at..])? + 1;
            if bytes[at - 2] == b'*' && at - 2 >= start + 2 {
                return Some(at);
            }
        }
    }

    /// Records a comment unless it was recorded before a rewind.
    fn comment(&mut self, start: usize, end: usize) {
        if self.comments.last().is_none_or(|last| last.1 <= start) {
            self.comments.push((start, end));
        }
    }

    fn token(&mut self, start: usize) {
        let first = self.byte(start);
        if first.is_ascii_alphabetic() || first == b'_' || !first.is_ascii() {
            return self.word(start);
        }
        let (token, end) = match first {
            b'0'..=b'9' => number::read(self.text.as_bytes(), start),
            b'.' if self.byte(start + 1).is_ascii_digit() => {
                number::read(self.text.as_bytes(), start)
            }
            b'"' => self.string_literal(start),
            b'`' => match memchr(b'`', &self.text.as_bytes()[start + 1..]) {
                Some(length) => (Token::RawString, start + length + 2),
                None => (Token::Invalid, start),
            },
            b'\'' => self.rune(start),
            0 if start >= self.text.len() => (Token::End, start),
            _ => self.punctuation(first, start),
        };
        self.found(token, start, end);
    }

    fn word(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let mut end = start;
        while end < bytes.len() && IN_NAME[usize::from(bytes[end])] == 1 {
            end += 1;
        }
        if end < bytes.len() && !bytes[end].is_ascii() {
            let end = self.unicode_name_end(start);
            return self.found(
                end.map_or(Token::Invalid, |_| Token::Name),
                start,
                end.unwrap_or(start),
            );
        }
        self.found(Token::of_word(&bytes[start..end]), start, end);
    }

    /// The end of an identifier with non-ASCII characters, if all of them are letters to the grammar.
    fn unicode_name_end(&self, start: usize) -> Option<usize> {
        let rest = &self.text[start..];
        let ends = |letter: char| letter.is_ascii() && IN_NAME[letter as usize] == 0;
        let end = rest.find(ends).unwrap_or(rest.len());
        // Digits of other scripts are allowed, but not first.
        if rest.starts_with(|first: char| !first.is_ascii() && !first.is_alphabetic()) {
            return None;
        }
        rest[..end]
            .chars()
            .all(|letter| letter.is_ascii() || is_letter(letter))
            .then_some(start + end)
    }

    fn string_literal(&self, start: usize) -> (Token, usize) {
        let mut at = start + 1;
        loop {
            match self.byte(at) {
                b'"' => return (Token::String, at + 1),
                b'\\' if self.byte(at + 1) != b'\n' => at += 2,
                b'\\' | b'\n' | 0 => return (Token::Invalid, start),
                _ => at += 1,
            }
        }
    }

    fn rune(&self, start: usize) -> (Token, usize) {
        let inside = start + 1;
        let end = match self.byte(inside) {
            b'\\' => match self.byte(inside + 1) {
                b'x' => self.digits(inside + 2, 2, 16),
                b'u' => self.digits(inside + 2, 4, 16),
                b'U' => self.digits(inside + 2, 8, 16),
                b'0'..=b'7' => self.digits(inside + 1, 3, 8),
                b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'\\' | b'\'' | b'"' => {
                    Some(inside + 2)
                }
                _ => None,
            },
            b'\'' | b'\n' | 0 => None,
            _ => self.text[inside..].chars().next().map(|letter| inside + letter.len_utf8()),
        };
        match end {
            Some(end) if self.byte(end) == b'\'' => (Token::Rune, end + 1),
            _ => (Token::Invalid, start),
        }
    }

    /// The end of `count` digits.
    pub fn digits(&self, start: usize, count: usize, radix: u32) -> Option<usize> {
        let digits = self.text.as_bytes().get(start..start + count)?;
        digits.iter().all(|digit| char::from(*digit).is_digit(radix)).then_some(start + count)
    }

    fn punctuation(&self, first: u8, start: usize) -> (Token, usize) {
        use Token::*;
        let (second, third) = (self.byte(start + 1), self.byte(start + 2));
        let (token, length) = match (first, second, third) {
            (b'(', ..) => (LeftParen, 1),
            (b')', ..) => (RightParen, 1),
            (b'[', ..) => (LeftBracket, 1),
            (b']', ..) => (RightBracket, 1),
            (b'{', ..) => (LeftBrace, 1),
            (b'}', ..) => (RightBrace, 1),
            (b',', ..) => (Comma, 1),
            (b';', ..) => (Semicolon, 1),
            (b'.', b'.', b'.') => (Ellipsis, 3),
            (b'.', ..) => (Dot, 1),
            (b':', b'=', _) => (Define, 2),
            (b':', ..) => (Colon, 1),
            (b'=', b'=', _) => (Equal, 2),
            (b'=', ..) => (Assign, 1),
            (b'!', b'=', _) => (NotEqual, 2),
            (b'!', ..) => (Not, 1),
            (b'~', ..) => (Tilde, 1),
            (b'+', b'+', _) => (Increment, 2),
            (b'-', b'-', _) => (Decrement, 2),
            (b'&', b'&', _) => (And, 2),
            (b'|', b'|', _) => (Or, 2),
            (b'<', b'-', _) => (Arrow, 2),
            (b'<', b'<', b'=') | (b'>', b'>', b'=') | (b'&', b'^', b'=') => (CompoundAssign, 3),
            (b'<', b'<', _) => (ShiftLeft, 2),
            (b'>', b'>', _) => (ShiftRight, 2),
            (b'&', b'^', _) => (AndNot, 2),
            (b'<', b'=', _) => (LessOrEqual, 2),
            (b'>', b'=', _) => (GreaterOrEqual, 2),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', _) => (CompoundAssign, 2),
            (b'<', ..) => (Less, 1),
            (b'>', ..) => (Greater, 1),
            (b'+', ..) => (Plus, 1),
            (b'-', ..) => (Minus, 1),
            (b'*', ..) => (Star, 1),
            (b'/', ..) => (Slash, 1),
            (b'%', ..) => (Percent, 1),
            (b'&', ..) => (Ampersand, 1),
            (b'|', ..) => (Pipe, 1),
            (b'^', ..) => (Caret, 1),
            _ => (Invalid, 0),
        };
        (token, start + length)
    }
}

/// Whether the byte may be part of an identifier.
pub(super) fn is_in_name(byte: u8) -> bool {
    IN_NAME[usize::from(byte)] != 0
}

/// Whether the grammar allows the character in identifiers. Conservative: some that it allows are missing.
fn is_letter(letter: char) -> bool {
    match u32::from(letter) {
        // Arabic and Persian digits; generated code uses one of them as a separator.
        0x660..0x66a | 0x6f0..0x6fa => true,
        // Symbols that look like letters, and letters that the Unicode version of the grammar lacks or classifies differently.
        0x37a | 0x870..0x8a0 | 0xe33 | 0xeb3 | 0x24b6..0x24ea | 0xa7c0..0xa800 => false,
        code => code < 0xd7a4 && letter.is_alphabetic(),
    }
}
