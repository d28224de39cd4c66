//! Expressions and their operators.

use super::interpretation::{Interpretation, Shape};
use super::{Field, Kind, Marker, Parser, Token};

/// The maximum number of `*` before an operand.
const MAX_POINTERS: usize = 4;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Option<()> {
        self.operation(1)?.value()
    }

    pub(super) fn expression_list(&mut self) -> Option<()> {
        let open = self.open();
        self.expression()?;
        self.rest_of_list(open)
    }

    /// The rest of a list whose first expression is consumed.
    pub(super) fn rest_of_list(&mut self, open: Marker) -> Option<()> {
        while self.skip(Token::Comma) {
            self.expression()?;
        }
        self.close(Kind::ExpressionList, open);
        Some(())
    }

    /// An expression of operators with at least this precedence, or a type that may turn out to be part of one.
    pub(super) fn operation(&mut self, least: u8) -> Option<Interpretation> {
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
            found =
                if operator == Token::Pipe { found.union(right) } else { Interpretation::other() };
        }
    }

    fn close_binary(&mut self, open: Marker) {
        self.field(Field::Right);
        self.close(Kind::BinaryExpression, open);
    }

    fn unary(&mut self) -> Option<Interpretation> {
        match self.token() {
            Token::Star => self.nested(Self::dereference),
            Token::Arrow if self.is_channel_type()? => self.operand(None),
            token if is_prefix(token) => self.nested(Self::prefixed),
            _ => self.operand(None),
        }
    }

    fn prefixed(&mut self) -> Option<Interpretation> {
        let open = self.open();
        self.advance();
        self.unary()?.value()?;
        self.field(Field::Operand);
        self.close(Kind::UnaryExpression, open);
        Some(Interpretation::other())
    }

    /// Whether the current `<-` begins a channel type.
    fn is_channel_type(&mut self) -> Option<bool> {
        let position = self.lexer.at;
        self.advance();
        let is = self.at(Token::Chan);
        self.lexer.rewind(position)?;
        Some(is)
    }

    /// `*` and its operand, or a pointer type.
    fn dereference(&mut self) -> Option<Interpretation> {
        let (position, open) = (self.lexer.at, self.open());
        let mut starts = [0; MAX_POINTERS];
        let mut count = 0;
        while self.at(Token::Star) {
            *starts.get_mut(count)? = self.lexer.at.start;
            count += 1;
            self.advance();
        }
        let found = match self.token() {
            token if is_prefix(token) => self.unary()?,
            _ => self.operand(Some((position, open)))?,
        };
        if found.with_pointers {
            return Some(Interpretation { with_pointers: false, ..found });
        }
        for start in starts[..count].iter().rev() {
            let mut kind = Kind::PointerType;
            if !found.is_type() {
                found.value()?;
                self.field(Field::Operand);
                kind = Kind::UnaryExpression;
            }
            self.close(kind, Marker { mark: open.mark, start: *start });
        }
        Some(found.wrapped())
    }

    /// The beginning of an operand.
    pub(super) fn primary(&mut self) -> Option<Interpretation> {
        match self.token() {
            Token::Name => return Some(self.word(Kind::Identifier, Shape::Name)),
            Token::Nil => return Some(self.word(Kind::Nil, Shape::Predeclared)),
            Token::True => return Some(self.word(Kind::True, Shape::Predeclared)),
            Token::False => return Some(self.word(Kind::False, Shape::Predeclared)),
            Token::Iota => return Some(self.word(Kind::Iota, Shape::Predeclared)),
            Token::New | Token::Make => return Some(self.word(Kind::Identifier, Shape::Allocator)),
            Token::Int => self.leaf(Kind::IntLiteral),
            Token::Float => self.leaf(Kind::FloatLiteral),
            Token::Imaginary => self.leaf(Kind::ImaginaryLiteral),
            Token::Rune => self.leaf(Kind::RuneLiteral),
            Token::String | Token::RawString => self.string_literal()?,
            Token::LeftParen => return self.parenthesized(),
            Token::Func => return self.function_literal(),
            _ => return self.type_operand(),
        }
        Some(Interpretation::other())
    }

    fn word(&mut self, kind: Kind, shape: Shape) -> Interpretation {
        self.leaf(kind);
        Interpretation::new(shape, Some(-1), 0)
    }

    fn type_operand(&mut self) -> Option<Interpretation> {
        match self.token() {
            Token::LeftBracket => {
                self.array_type(true)?;
                // `[...]T` is only valid in a composite literal, which gives the length.
                let implicit = Kind::ImplicitLengthArrayType as u16;
                if self.nodes.last()?.kind == implicit && !self.at(Token::LeftBrace) {
                    return None;
                }
            }
            Token::Map | Token::Struct | Token::Chan | Token::Interface | Token::Arrow => {
                let literal = matches!(self.token(), Token::Map | Token::Struct);
                self.any_type()?;
                return Some(Interpretation::a_type(literal));
            }
            _ => return None,
        }
        Some(Interpretation::a_type(true))
    }

    fn parenthesized(&mut self) -> Option<Interpretation> {
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
        Some(found.wrapped())
    }

    fn function_literal(&mut self) -> Option<Interpretation> {
        let open = self.open();
        self.advance();
        self.signature()?;
        if !self.at(Token::LeftBrace) {
            self.close(Kind::FunctionType, open);
            return Some(Interpretation::a_type(false));
        }
        self.block()?;
        self.field(Field::Body);
        self.close(Kind::FuncLiteral, open);
        Some(Interpretation::other())
    }
}

/// Whether it is a prefix operator other than `*`.
fn is_prefix(token: Token) -> bool {
    use Token::*;
    matches!(token, Plus | Minus | Not | Caret | Ampersand | Arrow)
}
