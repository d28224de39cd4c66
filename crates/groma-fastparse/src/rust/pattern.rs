//! Patterns.

use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::path::Path;
use super::{Marker, ParseResult, Parser};

impl Parser<'_> {
    /// A pattern with its alternatives.
    pub fn pattern(&mut self) -> ParseResult {
        let begin = self.begin();
        if self.eat(Token::Or) {
            self.single_pattern()?;
            self.close(Kind::OrPattern, begin);
        } else {
            self.single_pattern()?;
        }
        while self.eat(Token::Or) {
            self.single_pattern()?;
            self.close(Kind::OrPattern, begin);
        }
        Some(())
    }

    /// A pattern as a field; `_` is no node.
    pub fn pattern_as(&mut self, field: Field) -> ParseResult {
        let mark = self.nodes.mark();
        self.pattern()?;
        self.field_since(mark, field);
        Some(())
    }

    /// Sets the field of the last node, if there is one since the mark.
    pub fn field_since(&mut self, mark: usize, field: Field) {
        if self.nodes.mark() > mark {
            self.field(field);
        }
    }

    /// A pattern up to a `|`.
    pub fn single_pattern(&mut self) -> ParseResult {
        use Token::*;
        self.enter()?;
        let begin = self.begin();
        match self.token {
            Name => self.path_pattern(begin)?,
            Underscore => self.advance(),
            OpenParen => {
                self.advance();
                self.list(CloseParen, Self::tuple_element)?;
                self.close(Kind::TuplePattern, begin);
            }
            OpenBracket => {
                self.advance();
                self.list(CloseBracket, Self::pattern)?;
                self.close(Kind::SlicePattern, begin);
            }
            And | AndAnd => {
                self.take_byte(b'&')?;
                self.mutable_specifier();
                self.single_pattern()?;
                self.close(Kind::ReferencePattern, begin);
            }
            Ref => {
                self.advance();
                self.single_pattern()?;
                self.close(Kind::RefPattern, begin);
            }
            Mut => {
                self.mutable_specifier();
                self.single_pattern()?;
                self.close(Kind::MutPattern, begin);
            }
            DotDot | DotDotEqual => self.range_to(begin)?,
            Const => {
                self.advance();
                self.block()?;
                self.field(Field::Body);
                self.close(Kind::ConstBlock, begin);
            }
            _ if self.begins_path() => self.path_pattern(begin)?,
            _ => {
                self.literal_pattern()?;
                self.range_from(begin)?;
            }
        }
        self.leave();
        Some(())
    }

    fn tuple_element(&mut self) -> ParseResult {
        // The grammar allows closures here, too.
        (!self.begins(b'|')).then_some(())?;
        self.pattern()
    }

    fn literal_pattern(&mut self) -> ParseResult {
        if self.token == Token::Minus { self.negative_literal() } else { self.literal() }
    }

    pub fn negative_literal(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        matches!(self.token, Token::Int | Token::Float).then_some(())?;
        self.literal()?;
        self.close(Kind::NegativeLiteral, begin);
        Some(())
    }

    /// `..` alone, or the end of a range.
    fn range_to(&mut self, begin: Marker) -> ParseResult {
        let rest = self.token == Token::DotDot;
        self.advance();
        if rest && !self.begins_range_end() {
            self.close(Kind::RemainingFieldPattern, begin);
            return Some(());
        }
        self.range_end()?;
        self.close(Kind::RangePattern, begin);
        Some(())
    }

    /// A range, if a range operator follows the last node.
    fn range_from(&mut self, begin: Marker) -> ParseResult {
        let open = match self.token {
            Token::DotDot => true,
            Token::DotDotEqual | Token::DotDotDot => false,
            _ => return Some(()),
        };
        self.field(Field::Left);
        self.advance();
        if !open || self.begins_range_end() {
            self.range_end()?;
        }
        self.close(Kind::RangePattern, begin);
        Some(())
    }

    fn begins_range_end(&self) -> bool {
        self.is_literal() || self.token == Token::Minus || self.begins_path()
    }

    fn range_end(&mut self) -> ParseResult {
        if self.begins_path() {
            self.plain_path()?;
        } else {
            self.literal_pattern()?;
        }
        self.field(Field::Right);
        Some(())
    }

    fn path_pattern(&mut self, begin: Marker) -> ParseResult {
        let path = self.path(false)?;
        if let Path::Turbofish(number) = path {
            if self.token == Token::OpenParen {
                self.generic_type(number, Kind::GenericType, begin);
                return self.tuple_struct_pattern(begin);
            }
            self.close(Kind::GenericPattern, begin);
            return Some(());
        }
        // A keyword or primitive type is no plain name to the grammar.
        let plain = path == Path::Name && !self.last_is_primitive();
        let scoped = matches!(path, Path::Scoped { .. });
        match self.token {
            Token::OpenParen if plain || scoped => self.tuple_struct_pattern(begin),
            Token::OpenBrace if plain || scoped => {
                self.type_name(path)?;
                self.struct_pattern(begin)
            }
            Token::At if plain => {
                self.advance();
                self.single_pattern()?;
                self.close(Kind::CapturedPattern, begin);
                Some(())
            }
            Token::OpenParen | Token::OpenBrace | Token::At => None,
            Token::Not => self.macro_invocation(path, begin),
            Token::DotDot | Token::DotDotEqual | Token::DotDotDot => self.range_from(begin),
            _ => (path != Path::Word).then_some(()),
        }
    }

    /// The fields in parentheses after the path that is the last node.
    fn tuple_struct_pattern(&mut self, begin: Marker) -> ParseResult {
        self.field(Field::Type);
        self.advance();
        self.list(Token::CloseParen, Self::pattern)?;
        self.close(Kind::TupleStructPattern, begin);
        Some(())
    }

    fn struct_pattern(&mut self, begin: Marker) -> ParseResult {
        self.field(Field::Type);
        self.advance();
        self.list(Token::CloseBrace, Self::field_pattern)?;
        self.close(Kind::StructPattern, begin);
        Some(())
    }

    fn field_pattern(&mut self) -> ParseResult {
        if self.token == Token::DotDot {
            self.leaf(Kind::RemainingFieldPattern);
            return Some(());
        }
        let begin = self.begin();
        self.eat(Token::Ref);
        self.mutable_specifier();
        self.name(Kind::ShorthandFieldIdentifier)?;
        self.field(Field::Name);
        if self.token == Token::Colon {
            self.nodes.last()?.kind = Kind::FieldIdentifier as u16;
            self.advance();
            self.pattern_as(Field::Pattern)?;
        }
        self.close(Kind::FieldPattern, begin);
        Some(())
    }
}
