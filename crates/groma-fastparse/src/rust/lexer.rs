//! The lexer. Tokens that the grammar splits by context, as `>>` or `&&`, are read whole; the parser takes their first byte
//! where it needs only that.

use super::Parser;

#[derive(Clone, Copy, Debug, PartialEq)]
#[rustfmt::skip]
pub(super) enum Token {
    End, Invalid,
    Name, Int, Float, Char,
    /// The opening quote of a string; the parser reads its content.
    String, RawString,
    // Keywords, contextual ones included.
    As, Async, Await, Break, Const, Continue, Crate, Default, Dyn, Else, Enum, Extern, False, Fn, For, Gen, If, Impl,
    In, Let, Loop, Match, Mod, Move, Mut, Pub, Raw, Ref, Return, SelfWord, Static, Struct, Super, Trait, True, Try,
    Type, Union, Unsafe, Use, Where, While, Yield, Underscore,
    OpenParen, CloseParen, OpenBracket, CloseBracket, OpenBrace, CloseBrace,
    Comma, Semicolon, Colon, PathSeparator, Pound, Dollar, Question, At, Quote,
    Dot, DotDot, DotDotDot, DotDotEqual, Arrow, FatArrow, Not,
    Plus, Minus, Star, Slash, Percent, Caret, And, AndAnd, Or, OrOr, ShiftLeft, ShiftRight,
    Equal, EqualEqual, NotEqual, Less, LessEqual, Greater, GreaterEqual,
    /// An operator and `=`.
    CompoundAssign,
}

/// A state of the lexer to rewind to after lookahead.
pub(super) struct Checkpoint {
    token: Token,
    start: usize,
    end: usize,
    before: usize,
}

/// The bytes of identifiers, first bytes aside.
static NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

impl Parser<'_> {
    /// The byte at an offset, 0 past the end.
    #[inline]
    pub fn at(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// Reads the next token, and the comments before it.
    pub fn advance(&mut self) {
        self.before = self.end;
        let mut at = self.end;
        loop {
            match self.at(at) {
                b'\n' => {
                    at += 1;
                    // Most white space is indentation.
                    while self.text.get(at..at + 4) == Some(b"    ") {
                        at += 4;
                    }
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => at += 1,
                b'/' if matches!(self.at(at + 1), b'/' | b'*') => match self.comment(at) {
                    Some(end) => at = end,
                    None => {
                        (self.token, self.start, self.end) = (Token::Invalid, at, at);
                        return;
                    }
                },
                _ => break,
            }
        }
        self.start = at;
        (self.token, self.end) = self.token_at(at);
    }

    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { token: self.token, start: self.start, end: self.end, before: self.before }
    }

    pub fn rewind(&mut self, to: &Checkpoint) {
        (self.token, self.start, self.end, self.before) = (to.token, to.start, to.end, to.before);
    }

    /// The token after this one.
    pub fn peek(&mut self) -> Token {
        let checkpoint = self.checkpoint();
        self.advance();
        let next = self.token;
        self.rewind(&checkpoint);
        next
    }

    /// Whether the current token begins with the byte.
    #[inline]
    pub fn begins(&self, byte: u8) -> bool {
        self.at(self.start) == byte
    }

    /// Consumes the first byte of an operator, such as the first `>` of `>>`.
    #[inline]
    pub fn take_byte(&mut self, byte: u8) -> Option<()> {
        if !self.begins(byte) {
            return None;
        }
        self.end = self.start + 1;
        self.advance();
        Some(())
    }

    /// The end of the identifier that continues here; `None` if it has non-ASCII characters.
    pub fn name_end(&self, from: usize) -> Option<usize> {
        let rest = self.text.get(from..)?;
        let length = rest.iter().position(|byte| !NAME[usize::from(*byte)]);
        let end = from + length.unwrap_or(rest.len());
        (self.at(end) < 128).then_some(end)
    }

    #[inline]
    fn token_at(&self, at: usize) -> (Token, usize) {
        match self.at(at) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(at),
            b'0'..=b'9' => self.number(at),
            b'"' => (Token::String, at + 1),
            b'\'' => self.quote(at),
            0 if at >= self.text.len() => (Token::End, at),
            byte => self.punctuation(at, byte),
        }
    }

    fn word(&self, at: usize) -> (Token, usize) {
        let Some(end) = self.name_end(at + 1) else { return (Token::Invalid, at + 1) };
        if end - at <= 2 && matches!(self.at(end), b'"' | b'\'' | b'#') {
            return self.prefixed(at, end);
        }
        (self.keyword(at, end), end)
    }

    fn keyword(&self, at: usize, end: usize) -> Token {
        if end - at > 8 {
            return Token::Name;
        }
        match self.text.get(at..at + 8) {
            Some(bytes) => {
                let unused = 64 - 8 * (end - at);
                let key = bytes.try_into().map_or(0, u64::from_le_bytes);
                word(key << unused >> unused)
            }
            None => word(word_key(&self.text[at..end])),
        }
    }

    /// A literal with a prefix, a raw identifier, or an identifier that begins like them.
    fn prefixed(&self, at: usize, end: usize) -> (Token, usize) {
        match (&self.text[at..end], self.at(end)) {
            (b"b", b'\'') => match self.quote(end) {
                (Token::Char, end) => (Token::Char, end),
                _ => (Token::Invalid, end),
            },
            (b"b" | b"c", b'"') => (Token::String, end + 1),
            (b"r" | b"br" | b"cr", b'"' | b'#') => {
                let hashes = self.text[end..].iter().take_while(|byte| **byte == b'#').count();
                let after = self.at(end + hashes);
                match self.name_end(end + hashes) {
                    _ if after == b'"' => (Token::RawString, end + hashes + 1),
                    Some(name) if hashes == 1 && name > end + 1 && end == at + 1 => {
                        if after.is_ascii_digit() {
                            (Token::Invalid, end)
                        } else {
                            (Token::Name, name)
                        }
                    }
                    _ => (Token::Invalid, end),
                }
            }
            (_, b'#') => (self.keyword(at, end), end),
            _ => (Token::Invalid, end),
        }
    }

    /// A character literal, or the quote of a lifetime or label.
    fn quote(&self, at: usize) -> (Token, usize) {
        let content = match self.at(at + 1) {
            b'\\' => self.escape_length(at + 1).unwrap_or(0),
            b'\'' | 0 => 0,
            byte => character_length(byte),
        };
        let end = at + 1 + content;
        match self.at(end) {
            b'\'' if content > 0 => (Token::Char, end + 1),
            _ if NAME[usize::from(self.at(at + 1))] => (Token::Quote, at + 1),
            _ => (Token::Invalid, at + 1),
        }
    }

    /// The length of the escape sequence.
    pub fn escape_length(&self, at: usize) -> Option<usize> {
        let digits = |from: usize| {
            self.text[from.min(self.text.len())..]
                .iter()
                .take_while(|byte| byte.is_ascii_hexdigit())
                .count()
        };
        match self.at(at + 1) {
            b'x' => (digits(at + 2) >= 2).then_some(4),
            b'u' if self.at(at + 2) == b'{' => {
                let digits = digits(at + 3);
                (digits > 0 && self.at(at + 3 + digits) == b'}').then_some(digits + 4)
            }
            b'u' => (digits(at + 2) >= 4).then_some(6),
            0 => None,
            byte => Some(1 + character_length(byte)),
        }
    }

    fn number(&self, at: usize) -> (Token, usize) {
        match self.float_end(at) {
            Some(end) => (Token::Float, end),
            None => (Token::Int, self.integer_end(at)),
        }
    }

    fn digits_end(&self, from: usize) -> usize {
        let mut end = from;
        while matches!(self.at(end), b'0'..=b'9' | b'_') {
            end += 1;
        }
        end
    }

    /// The end of a number with a fraction or an exponent.
    fn float_end(&self, at: usize) -> Option<usize> {
        let mut end = self.digits_end(at + 1);
        let mut float = false;
        if self.at(end) == b'.' {
            let after = self.at(end + 1);
            if after.is_ascii_alphabetic() || after == b'.' {
                return None;
            }
            float = true;
            end = self.digits_end(end + 1);
        }
        if matches!(self.at(end), b'e' | b'E') {
            let sign = usize::from(matches!(self.at(end + 1), b'+' | b'-'));
            let digits = self.digits_end(end + 1 + sign);
            if digits == end + 1 + sign {
                return Some(end);
            }
            float = true;
            end = digits;
        }
        if !float {
            return None;
        }
        let suffix = matches!(self.at(end), b'u' | b'i' | b'f');
        if suffix && self.at(end + 1).is_ascii_digit() {
            end += 2;
            while self.at(end).is_ascii_digit() {
                end += 1;
            }
        }
        Some(end)
    }

    pub fn integer_end(&self, at: usize) -> usize {
        let digit: fn(u8) -> bool = match (self.at(at), self.at(at + 1)) {
            (b'0', b'x') => |byte| byte.is_ascii_hexdigit(),
            (b'0', b'b') => |byte| matches!(byte, b'0' | b'1'),
            (b'0', b'o') => |byte| matches!(byte, b'0'..=b'7'),
            _ => return self.suffix_end(self.digits_end(at)),
        };
        let mut end = at + 2;
        while digit(self.at(end)) || self.at(end) == b'_' {
            end += 1;
        }
        if end == at + 2 { at + 1 } else { self.suffix_end(end) }
    }

    /// The end of a number's type suffix; other letters begin another token.
    fn suffix_end(&self, digits: usize) -> usize {
        let rest = &self.text[digits..];
        if !matches!(rest.first(), Some(b'u' | b'i' | b'f')) {
            return digits;
        }
        let length = (2..=5).find(|length| rest.get(..*length).is_some_and(is_numeric_type));
        digits + length.unwrap_or(0)
    }

    #[inline]
    fn punctuation(&self, at: usize, byte: u8) -> (Token, usize) {
        use Token::*;
        let next = self.at(at + 1);
        let (token, length) = match (byte, next) {
            (b'(', _) => (OpenParen, 1),
            (b')', _) => (CloseParen, 1),
            (b'[', _) => (OpenBracket, 1),
            (b']', _) => (CloseBracket, 1),
            (b'{', _) => (OpenBrace, 1),
            (b'}', _) => (CloseBrace, 1),
            (b',', _) => (Comma, 1),
            (b';', _) => (Semicolon, 1),
            (b':', b':') => (PathSeparator, 2),
            (b':', _) => (Colon, 1),
            (b'#', _) => (Pound, 1),
            (b'$', _) => (Dollar, 1),
            (b'?', _) => (Question, 1),
            (b'@', _) => (At, 1),
            (b'.', b'.') => match self.at(at + 2) {
                b'.' => (DotDotDot, 3),
                b'=' => (DotDotEqual, 3),
                _ => (DotDot, 2),
            },
            (b'.', _) => (Dot, 1),
            (b'-', b'>') => (Arrow, 2),
            (b'=', b'>') => (FatArrow, 2),
            (b'=', b'=') => (EqualEqual, 2),
            (b'=', _) => (Equal, 1),
            (b'!', b'=') => (NotEqual, 2),
            (b'!', _) => (Not, 1),
            (b'<', b'=') => (LessEqual, 2),
            (b'>', b'=') => (GreaterEqual, 2),
            (b'<', b'<') | (b'>', b'>') if self.at(at + 2) == b'=' => (CompoundAssign, 3),
            (b'<', b'<') => (ShiftLeft, 2),
            (b'>', b'>') => (ShiftRight, 2),
            (b'<', _) => (Less, 1),
            (b'>', _) => (Greater, 1),
            (b'&', b'&') => (AndAnd, 2),
            (b'|', b'|') => (OrOr, 2),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'&' | b'|', b'=') => (CompoundAssign, 2),
            (b'+', _) => (Plus, 1),
            (b'-', _) => (Minus, 1),
            (b'*', _) => (Star, 1),
            (b'/', _) => (Slash, 1),
            (b'%', _) => (Percent, 1),
            (b'^', _) => (Caret, 1),
            (b'&', _) => (And, 1),
            (b'|', _) => (Or, 1),
            _ => (Invalid, 1),
        };
        (token, at + length)
    }
}

/// The length of a UTF-8 character by its first byte.
fn character_length(byte: u8) -> usize {
    match byte {
        0..128 => 1,
        128..224 => 2,
        224..240 => 3,
        _ => 4,
    }
}

pub(super) fn is_numeric_type(word: &[u8]) -> bool {
    matches!(
        word,
        b"u8"
            | b"i8"
            | b"u16"
            | b"i16"
            | b"u32"
            | b"i32"
            | b"u64"
            | b"i64"
            | b"u128"
            | b"i128"
            | b"isize"
            | b"usize"
            | b"f32"
            | b"f64"
    )
}

pub(super) fn is_primitive_type(word: &[u8]) -> bool {
    match word.first() {
        Some(b'u' | b'i' | b'f') => is_numeric_type(word),
        Some(b'b' | b's' | b'c') => matches!(word, b"bool" | b"str" | b"char"),
        _ => false,
    }
}

macro_rules! words {
    ($($text:literal $token:ident,)*) => {
        /// Words of at most eight bytes as an integer, so that a match takes few comparisons.
        #[allow(non_upper_case_globals)]
        fn word(key: u64) -> Token {
            $(const $token: u64 = word_key($text);)*
            match key {
                $($token => Token::$token,)*
                _ => Token::Name,
            }
        }
    };
}

const fn word_key(word: &[u8]) -> u64 {
    let mut key = 0;
    let mut at = 0;
    while at < word.len() {
        key |= (word[at] as u64) << (8 * at);
        at += 1;
    }
    key
}

words! {
    b"as" As,
    b"async" Async,
    b"await" Await,
    b"break" Break,
    b"const" Const,
    b"continue" Continue,
    b"crate" Crate,
    b"default" Default,
    b"dyn" Dyn,
    b"else" Else,
    b"enum" Enum,
    b"extern" Extern,
    b"false" False,
    b"fn" Fn,
    b"for" For,
    b"gen" Gen,
    b"if" If,
    b"impl" Impl,
    b"in" In,
    b"let" Let,
    b"loop" Loop,
    b"match" Match,
    b"mod" Mod,
    b"move" Move,
    b"mut" Mut,
    b"pub" Pub,
    b"raw" Raw,
    b"ref" Ref,
    b"return" Return,
    b"self" SelfWord,
    b"static" Static,
    b"struct" Struct,
    b"super" Super,
    b"trait" Trait,
    b"true" True,
    b"try" Try,
    b"type" Type,
    b"union" Union,
    b"unsafe" Unsafe,
    b"use" Use,
    b"where" Where,
    b"while" While,
    b"yield" Yield,
    b"_" Underscore,
}
