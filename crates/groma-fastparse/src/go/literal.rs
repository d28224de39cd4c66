//! String literals and the values of composite literals.

use super::{Field, Kind, Parser, Token};
use memchr::memchr;

impl Parser<'_> {
    pub(super) fn string_literal(&mut self) -> Option<()> {
        let open = self.open();
        let (start, end) = (self.lexer.at.start + 1, self.lexer.at.end.saturating_sub(1));
        let kind = match self.token() {
            Token::RawString => {
                self.nodes.leaf(Kind::RawStringLiteralContent as u16, start, end);
                Kind::RawStringLiteral
            }
            Token::String => {
                self.string_parts(start, end)?;
                Kind::InterpretedStringLiteral
            }
            _ => return None,
        };
        self.advance();
        self.close(kind, open);
        Some(())
    }

    fn string_parts(&mut self, start: usize, end: usize) -> Option<()> {
        let bytes = self.lexer.text.as_bytes();
        let mut at = start;
        while at < end {
            let plain = memchr(b'\\', &bytes[at..end]).map_or(end, |length| at + length);
            if plain > at {
                self.nodes.leaf(Kind::InterpretedStringLiteralContent as u16, at, plain);
            }
            at = plain;
            if at < end {
                let escape = self.escape_end(at)?;
                self.nodes.leaf(Kind::EscapeSequence as u16, at, escape);
                at = escape;
            }
        }
        Some(())
    }

    /// The end of an escape sequence.
    fn escape_end(&self, start: usize) -> Option<usize> {
        let lexer = &self.lexer;
        match lexer.byte(start + 1) {
            b'x' => lexer.digits(start + 2, 2, 16),
            b'u' => lexer.digits(start + 2, 4, 16),
            b'U' => lexer.digits(start + 2, 8, 16),
            b'0'..=b'9' => {
                let more = |count| lexer.digits(start + 2, count, 10);
                more(2).or_else(|| more(1)).or(Some(start + 2))
            }
            byte => byte.is_ascii().then_some(start + 2),
        }
    }

    pub(super) fn literal_value(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        self.separated(Token::RightBrace, Self::element)?;
        self.close(Kind::LiteralValue, open);
        Some(())
    }

    /// A value, optionally with a key.
    fn element(&mut self) -> Option<()> {
        let open = self.open();
        self.literal_element()?;
        if self.at(Token::Colon) {
            self.field(Field::Key);
            self.advance();
            self.literal_element()?;
            self.field(Field::Value);
            self.close(Kind::KeyedElement, open);
        }
        Some(())
    }

    fn literal_element(&mut self) -> Option<()> {
        let open = self.open();
        if self.at(Token::LeftBrace) {
            self.nested(Self::literal_value)?;
        } else {
            self.expression()?;
        }
        self.close(Kind::LiteralElement, open);
        Some(())
    }
}
