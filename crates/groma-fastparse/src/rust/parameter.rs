//! Parameters of functions and function types.

use super::kinds::{Field, Kind};
use super::lexer::{Token, is_primitive_type};
use super::{Marker, ParseResult, Parser};

impl Parser<'_> {
    /// The parameters of a function or function type.
    pub fn parameters(&mut self, of_type: bool) -> ParseResult {
        let begin = self.begin();
        self.expect(Token::OpenParen)?;
        let before = std::mem::replace(&mut self.pattern_or_type, true);
        self.list(Token::CloseParen, |parser| parser.parameter(of_type))?;
        self.pattern_or_type = before;
        self.close(Kind::Parameters, begin);
        Some(())
    }

    fn parameter(&mut self, of_type: bool) -> ParseResult {
        if self.token == Token::Pound {
            self.attribute()?;
            self.is_last(Kind::AttributeItem).then_some(())?;
        }
        let begin = self.begin();
        let token = self.token;
        match token {
            Token::DotDotDot => {
                self.leaf(Kind::VariadicParameter);
                return Some(());
            }
            Token::And if !of_type && self.is_self_reference() => {
                return self.self_parameter(begin);
            }
            _ => {}
        }
        if self.token != Token::Mut && self.is_parameter_type(of_type) {
            return self.bounded_type();
        }
        self.mutable_specifier();
        let token = self.token;
        match token {
            Token::SelfWord => {
                self.leaf(Kind::SelfWord);
                if self.token != Token::Colon {
                    self.close(Kind::SelfParameter, begin);
                    return Some(());
                }
                self.field(Field::Pattern);
                self.parameter_type(begin)
            }
            Token::Underscore if begin.mark == self.nodes.mark() && self.peek() != Token::Colon => {
                self.advance();
                Some(())
            }
            _ => self.named_parameter(begin),
        }
    }

    /// A parameter, at its pattern.
    fn named_parameter(&mut self, begin: Marker) -> ParseResult {
        let mark = self.nodes.mark();
        if begin.mark < mark {
            // With alternatives the grammar would take `mut a` for one.
            self.single_pattern()?;
        } else {
            self.pattern()?;
        }
        self.field_since(mark, Field::Pattern);
        if self.token == Token::Colon && self.peek() == Token::DotDotDot {
            self.advance();
            self.advance();
            self.close(Kind::VariadicParameter, begin);
            return Some(());
        }
        self.parameter_type(begin)
    }

    /// `: T` after the pattern of a parameter.
    pub fn parameter_type(&mut self, begin: Marker) -> ParseResult {
        self.expect(Token::Colon)?;
        self.unlike_pattern(Self::bounded_type)?;
        self.field(Field::Type);
        self.close(Kind::Parameter, begin);
        Some(())
    }

    /// Whether a parameter is only a type; `None` if it is not obvious.
    fn is_parameter_type(&mut self, of_type: bool) -> bool {
        match self.token {
            Token::SelfWord if !of_type => false,
            Token::Underscore => false,
            Token::Name if of_type => self.peek() != Token::Colon,
            Token::Name if is_primitive_type(&self.text[self.start..self.end]) => {
                self.peek() != Token::Colon
            }
            Token::Name => {
                matches!(self.peek(), Token::Comma | Token::CloseParen | Token::Less)
            }
            _ => of_type,
        }
    }

    /// Whether this is `&self`, optionally with a lifetime or `mut`.
    fn is_self_reference(&mut self) -> bool {
        let checkpoint = self.checkpoint();
        self.advance();
        if self.eat(Token::Quote) {
            self.advance();
        }
        self.eat(Token::Mut);
        let found = self.token == Token::SelfWord;
        self.rewind(&checkpoint);
        found
    }

    fn self_parameter(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        if self.token == Token::Quote {
            self.lifetime()?;
        }
        self.mutable_specifier();
        self.leaf(Kind::SelfWord);
        self.close(Kind::SelfParameter, begin);
        Some(())
    }
}
