//! Expressions and their operators.

use super::found::{Found, Shape};
use super::{Field, Kind, Open, Parser, Token};

/// As many `*` may stand before an operand.
const POINTERS: usize = 4;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Option<()> {
        self.operation(1)?.value()
    }

    pub(super) fn expression_list(&mut self) -> Option<()> {
        let open = self.open();
        self.expression()?;
        self.rest_of_list(open)
    }

    /// The list whose first expression is passed.
    pub(super) fn rest_of_list(&mut self, open: Open) -> Option<()> {
        while self.skip(Token::Comma) {
            self.expression()?;
        }
        self.close(Kind::ExpressionList, open);
        Some(())
    }

    /// An expression, or a type where that may turn out to be part of one, with operators that bind so tightly at
    /// least.
    pub(super) fn operation(&mut self, least: u8) -> Option<Found> {
        let open = self.open();
        let mut found = self.unary()?;
        loop {
            let operator = self.token();
            let precedence = operator.precedence();
            if precedence < least {
                return Some(found);
            }
            found.value()?;
            self.field(Field::Left);
            self.advance();
            let right = self.operation(precedence + 1)?;
            right.value()?;
            self.close_binary(open);
            found = if operator == Token::Pipe { found.union(right) } else { Found::other() };
        }
    }

    fn close_binary(&mut self, open: Open) {
        self.field(Field::Right);
        self.close(Kind::BinaryExpression, open);
    }

    fn unary(&mut self) -> Option<Found> {
        match self.token() {
            Token::Star => self.deeper(Self::behind_pointers),
            Token::Arrow if self.is_channel_type()? => self.operand(None),
            token if is_prefix(token) => self.deeper(Self::prefixed),
            _ => self.operand(None),
        }
    }

    fn prefixed(&mut self) -> Option<Found> {
        let open = self.open();
        self.advance();
        self.unary()?.value()?;
        self.field(Field::Operand);
        self.close(Kind::UnaryExpression, open);
        Some(Found::other())
    }

    /// Whether the arrow here begins the type of a channel.
    fn is_channel_type(&mut self) -> Option<bool> {
        let place = self.lexer.at;
        self.advance();
        let is = self.at(Token::Chan);
        self.lexer.back(place)?;
        Some(is)
    }

    /// `*` and its operand, or the type of a pointer.
    fn behind_pointers(&mut self) -> Option<Found> {
        let (place, open) = (self.lexer.at, self.open());
        let mut starts = [0; POINTERS];
        let mut count = 0;
        while self.at(Token::Star) {
            *starts.get_mut(count)? = self.lexer.at.start;
            count += 1;
            self.advance();
        }
        let found = match self.token() {
            token if is_prefix(token) => self.unary()?,
            _ => self.operand(Some((place, open)))?,
        };
        if found.with_pointers {
            return Some(Found { with_pointers: false, ..found });
        }
        for start in starts[..count].iter().rev() {
            let mut kind = Kind::PointerType;
            if !found.is_type() {
                found.value()?;
                self.field(Field::Operand);
                kind = Kind::UnaryExpression;
            }
            self.close(kind, Open { mark: open.mark, start: *start });
        }
        Some(found.around())
    }

    /// What an operand begins with.
    pub(super) fn primary(&mut self) -> Option<Found> {
        match self.token() {
            Token::Name => return Some(self.word(Kind::Identifier, Shape::Name)),
            Token::Nil => return Some(self.word(Kind::Nil, Shape::Word)),
            Token::True => return Some(self.word(Kind::True, Shape::Word)),
            Token::False => return Some(self.word(Kind::False, Shape::Word)),
            Token::Iota => return Some(self.word(Kind::Iota, Shape::Word)),
            Token::New | Token::Make => return Some(self.word(Kind::Identifier, Shape::Allocator)),
            Token::Int => self.leaf(Kind::IntLiteral),
            Token::Float => self.leaf(Kind::FloatLiteral),
            Token::Imaginary => self.leaf(Kind::ImaginaryLiteral),
            Token::Rune => self.leaf(Kind::RuneLiteral),
            Token::Text | Token::RawText => self.text_literal()?,
            Token::LeftParen => return self.parenthesized(),
            Token::Func => return self.function_literal(),
            _ => return self.type_operand(),
        }
        Some(Found::other())
    }

    fn word(&mut self, kind: Kind, shape: Shape) -> Found {
        self.leaf(kind);
        Found::new(shape, Some(-1), 0)
    }

    fn type_operand(&mut self) -> Option<Found> {
        match self.token() {
            Token::LeftBracket => {
                self.array_type(true)?;
                // Only a literal tells the length.
                let implicit = Kind::ImplicitLengthArrayType as u16;
                if self.nodes.last()?.kind == implicit && !self.at(Token::LeftBrace) {
                    return None;
                }
            }
            Token::Map | Token::Struct | Token::Chan | Token::Interface | Token::Arrow => {
                let literal = matches!(self.token(), Token::Map | Token::Struct);
                self.any_type()?;
                return Some(Found::a_type(literal));
            }
            _ => return None,
        }
        Some(Found::a_type(true))
    }

    fn parenthesized(&mut self) -> Option<Found> {
        let open = self.open();
        self.advance();
        let found = self.with_literals(true, |parser| parser.operation(1))?;
        self.expect(Token::RightParen)?;
        let mut kind = Kind::ParenthesizedType;
        if !found.is_type() {
            found.value()?;
            kind = Kind::ParenthesizedExpression;
        }
        self.close(kind, open);
        Some(found.around())
    }

    fn function_literal(&mut self) -> Option<Found> {
        let open = self.open();
        self.advance();
        self.signature()?;
        if !self.at(Token::LeftBrace) {
            self.close(Kind::FunctionType, open);
            return Some(Found::a_type(false));
        }
        self.block()?;
        self.field(Field::Body);
        self.close(Kind::FuncLiteral, open);
        Some(Found::other())
    }
}

/// Whether it is an operator before its operand, other than `*`.
fn is_prefix(token: Token) -> bool {
    use Token::*;
    matches!(token, Plus | Minus | Not | Caret | Ampersand | Arrow)
}
