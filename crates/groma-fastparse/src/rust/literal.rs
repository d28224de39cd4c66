//! Literals, lifetimes and labels.

use super::kinds::Kind;
use super::lexer::Token;
use super::{ParseResult, Parser};

impl Parser<'_> {
    /// Whether the token begins a literal.
    pub fn is_literal(&self) -> bool {
        use Token::*;
        matches!(self.token, Int | Float | Char | String | RawString | True | False)
    }

    pub fn literal(&mut self) -> ParseResult {
        let kind = match self.token {
            Token::Int => Kind::IntegerLiteral,
            Token::Float => Kind::FloatLiteral,
            Token::Char => Kind::CharLiteral,
            Token::True | Token::False => Kind::BooleanLiteral,
            Token::String => return self.string(),
            Token::RawString => return self.raw_string(),
            _ => return None,
        };
        self.leaf(kind);
        Some(())
    }

    pub fn string(&mut self) -> ParseResult {
        let begin = self.begin();
        let mut at = self.end;
        loop {
            let next = at + memchr::memchr2(b'"', b'\\', &self.text[at..])?;
            if next > at {
                self.nodes.leaf(Kind::StringContent as u16, at, next);
            }
            if self.text[next] == b'"' {
                self.end = next + 1;
                break;
            }
            at = next + self.escape_length(next)?;
            self.nodes.leaf(Kind::EscapeSequence as u16, next, at);
        }
        self.advance();
        self.close(Kind::StringLiteral, begin);
        Some(())
    }

    pub fn raw_string(&mut self) -> ParseResult {
        let begin = self.begin();
        let opening = &self.text[self.start..self.end];
        let hashes = opening.iter().filter(|byte| **byte == b'#').count();
        // The grammar counts them in a byte.
        (hashes < 256).then_some(())?;
        // The grammar's scanner skips white space first.
        let space = |byte: &&u8| matches!(byte, b'\t'..=b'\r' | b' ');
        let content = self.end + self.text[self.end..].iter().take_while(space).count();
        let mut at = content;
        loop {
            at += memchr::memchr(b'"', &self.text[at..])?;
            let closing = self.text[at + 1..].iter().take_while(|byte| **byte == b'#');
            if closing.take(hashes).count() == hashes {
                break;
            }
            at += 1;
        }
        self.nodes.leaf(Kind::StringContent as u16, content, at);
        self.end = at + 1 + hashes;
        self.advance();
        self.close(Kind::RawStringLiteral, begin);
        Some(())
    }

    pub fn lifetime(&mut self) -> ParseResult {
        self.quoted_name(Kind::Lifetime)
    }

    pub fn label(&mut self) -> ParseResult {
        self.quoted_name(Kind::Label)
    }

    /// After a quote every keyword is an identifier.
    fn quoted_name(&mut self, kind: Kind) -> ParseResult {
        (self.token == Token::Quote).then_some(())?;
        let begin = self.begin();
        let end = self.name_end(self.end)?;
        let digit = self.at(self.end).is_ascii_digit();
        (!digit && self.at(end) != b'#').then_some(())?;
        self.nodes.leaf(Kind::Identifier as u16, self.end, end);
        self.end = end;
        self.advance();
        self.close(kind, begin);
        Some(())
    }
}
