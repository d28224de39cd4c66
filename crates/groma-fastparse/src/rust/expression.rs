//! Expressions.
//!
//! `structs` tells whether a path before `{` begins a struct expression, which it does not before a block, as after `if`.

use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::path::Path;
use super::{Marker, ParseResult, Parser};

/// The precedence of a whole expression, which may contain any operator.
pub(super) const LOWEST: u8 = 0;
/// The grammar's operator precedences.
pub(super) const ASSIGN: u8 = 1;
const RANGE: u8 = 2;
/// The operands of a `let` chain: expressions up to a `&&` before a `let`.
pub(super) const CHAIN: u8 = 5;
pub(super) const AND: u8 = 6;
const CAST: u8 = 14;

impl Parser<'_> {
    /// An expression of operators with at least this precedence.
    pub fn expression(&mut self, min_precedence: u8, structs: bool) -> ParseResult {
        self.enter()?;
        let begin = self.begin();
        let callable = self.prefix(min_precedence, structs)?;
        self.postfix(begin, callable)?;
        self.operators(begin, min_precedence, structs)?;
        self.leave();
        Some(())
    }

    /// The operand of a prefix operator.
    fn operand(&mut self, structs: bool) -> ParseResult {
        let begin = self.begin();
        let callable = self.prefix(CAST, structs)?;
        self.postfix(begin, callable)
    }

    /// The beginning of an expression; whether it may be called, which a range may not.
    pub fn prefix(&mut self, min_precedence: u8, structs: bool) -> Option<bool> {
        use Token::*;
        let begin = self.begin();
        match self.token {
            Name | SelfWord | Super | Crate | PathSeparator | Less | ShiftLeft | Default
            | Union | Gen | Raw => self.path_expression(structs)?,
            Int | Float | Char | String | RawString | True | False => self.literal()?,
            Minus | Star | Not => self.unary(structs)?,
            And | AndAnd => self.reference(structs)?,
            OpenParen => self.parenthesized()?,
            OpenBracket => self.array()?,
            Or | OrOr => self.closure(begin, structs)?,
            Underscore => self.leaf(Kind::Identifier),
            Return => self.return_expression(structs)?,
            Break => self.break_expression(structs)?,
            Continue => self.continue_expression()?,
            DotDot | DotDotEqual => {
                self.range_prefix(min_precedence, structs)?;
                return Some(false);
            }
            _ => self.block_like(structs)?,
        }
        Some(true)
    }

    fn path_expression(&mut self, structs: bool) -> ParseResult {
        let begin = self.begin();
        let generator = self.token == Token::Gen;
        let path = self.path(false)?;
        if generator && self.token == Token::Move {
            return None;
        }
        match (path, self.token) {
            (_, Token::Not) => self.macro_invocation(path, begin),
            (Path::Turbofish(number), Token::OpenBrace) if structs => {
                self.generic_type(number, Kind::GenericTypeWithTurbofish, begin);
                self.struct_expression(begin)
            }
            (Path::Turbofish(number), _) => {
                self.nodes.node(number).field = Field::Function as u16;
                self.close(Kind::GenericFunction, begin);
                Some(())
            }
            (Path::Name | Path::Scoped { bracketed: false, .. }, Token::OpenBrace) if structs => {
                (path != Path::Name || !self.last_is_primitive()).then_some(())?;
                self.type_name(path)?;
                self.struct_expression(begin)
            }
            (_, Token::OpenBrace) if structs => None,
            (Path::Word, _) => self.is_last(Kind::SelfWord).then_some(()),
            _ => Some(()),
        }
    }

    /// The fields of the struct expression whose path is the last node.
    fn struct_expression(&mut self, begin: Marker) -> ParseResult {
        self.field(Field::Name);
        let list = self.begin();
        self.advance();
        self.list(Token::CloseBrace, Self::field_initializer)?;
        self.close_as(Field::Body, Kind::FieldInitializerList, list);
        self.close(Kind::StructExpression, begin);
        Some(())
    }

    fn field_initializer(&mut self) -> ParseResult {
        let begin = self.begin();
        self.attributes()?;
        let kind = match self.token {
            Token::DotDot if self.nodes.mark() == begin.mark => {
                self.advance();
                self.expression(LOWEST, true)?;
                self.close(Kind::BaseFieldInitializer, begin);
                return Some(());
            }
            Token::Int => Kind::IntegerLiteral,
            _ if self.is_name() => Kind::FieldIdentifier,
            _ => return None,
        };
        self.leaf(kind);
        if self.eat(Token::Colon) {
            self.field(Field::Member);
            self.expression(LOWEST, true)?;
            self.field(Field::Value);
            self.close(Kind::FieldInitializer, begin);
            return Some(());
        }
        (kind == Kind::FieldIdentifier).then_some(())?;
        self.nodes.last()?.kind = Kind::Identifier as u16;
        self.close(Kind::ShorthandFieldInitializer, begin);
        Some(())
    }

    fn unary(&mut self, structs: bool) -> ParseResult {
        let begin = self.begin();
        self.enter()?;
        self.end = self.start + 1;
        self.advance();
        self.operand(structs)?;
        self.leave();
        self.close(Kind::UnaryExpression, begin);
        Some(())
    }

    fn reference(&mut self, structs: bool) -> ParseResult {
        let begin = self.begin();
        self.enter()?;
        self.take_byte(b'&')?;
        if self.token == Token::Raw && matches!(self.peek(), Token::Const | Token::Mut) {
            self.advance();
            if !self.mutable_specifier() {
                self.advance();
            }
        } else {
            self.mutable_specifier();
        }
        self.operand(structs)?;
        self.leave();
        self.field(Field::Value);
        self.close(Kind::ReferenceExpression, begin);
        Some(())
    }

    fn parenthesized(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        if self.eat(Token::CloseParen) {
            self.close(Kind::UnitExpression, begin);
            return Some(());
        }
        let attributes = self.token == Token::Pound;
        self.attributes()?;
        self.expression(LOWEST, true)?;
        if self.eat(Token::Comma) {
            self.list(Token::CloseParen, |parser| parser.expression(LOWEST, true))?;
            self.close(Kind::TupleExpression, begin);
            return Some(());
        }
        (!attributes).then_some(())?;
        self.expect(Token::CloseParen)?;
        self.close(Kind::ParenthesizedExpression, begin);
        Some(())
    }

    fn array(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        if self.token != Token::CloseBracket {
            self.argument()?;
            if self.eat(Token::Semicolon) {
                self.expression(LOWEST, true)?;
                self.field(Field::Length);
            } else if self.eat(Token::Comma) {
                self.list(Token::CloseBracket, Self::argument)?;
                self.close(Kind::ArrayExpression, begin);
                return Some(());
            }
        }
        self.expect(Token::CloseBracket)?;
        self.close(Kind::ArrayExpression, begin);
        Some(())
    }

    /// An expression that may have attributes.
    fn argument(&mut self) -> ParseResult {
        self.attributes()?;
        self.expression(LOWEST, true)
    }

    /// Calls, indices, fields and `?` after the last node.
    pub fn postfix(&mut self, begin: Marker, callable: bool) -> ParseResult {
        use Token::*;
        if !callable && self.token == OpenParen {
            return None;
        }
        loop {
            match self.token {
                Dot => self.dot(begin)?,
                Question => {
                    self.advance();
                    self.close(Kind::TryExpression, begin);
                }
                OpenParen => {
                    self.field(Field::Function);
                    let arguments = self.begin();
                    self.advance();
                    self.list(CloseParen, Self::argument)?;
                    self.close_as(Field::Arguments, Kind::Arguments, arguments);
                    self.close(Kind::CallExpression, begin);
                }
                OpenBracket => {
                    self.advance();
                    self.expression(LOWEST, true)?;
                    self.expect(CloseBracket)?;
                    self.close(Kind::IndexExpression, begin);
                }
                _ => return Some(()),
            }
        }
    }

    fn begins_postfix(&self) -> bool {
        use Token::*;
        matches!(self.token, Dot | Question | OpenParen | OpenBracket)
    }

    fn dot(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        let kind = match self.token {
            Token::Await => {
                self.advance();
                self.close(Kind::AwaitExpression, begin);
                return Some(());
            }
            _ if self.at(self.start).is_ascii_digit() => {
                // The lexer of the grammar expects no float here: `a.0.1` has two fields.
                self.end = self.integer_end(self.start);
                Kind::IntegerLiteral
            }
            _ if self.is_name() => Kind::FieldIdentifier,
            _ => return None,
        };
        self.field(Field::Value);
        self.leaf(kind);
        self.field(Field::Member);
        self.close(Kind::FieldExpression, begin);
        if self.token == Token::PathSeparator {
            self.field(Field::Function);
            self.advance();
            self.type_arguments()?;
            self.field(Field::TypeArguments);
            self.close(Kind::GenericFunction, begin);
        }
        Some(())
    }

    /// Operators with at least this precedence after the last node.
    pub fn operators(&mut self, begin: Marker, min_precedence: u8, structs: bool) -> ParseResult {
        loop {
            let Some((precedence, kind)) = operator(self.token) else { return Some(()) };
            if precedence < min_precedence {
                return Some(());
            }
            if self.token == Token::AndAnd && self.let_follows() {
                return (min_precedence == CHAIN).then_some(());
            }
            match kind {
                Kind::RangeExpression => self.range_operator(begin, min_precedence, structs)?,
                Kind::TypeCastExpression => {
                    self.field(Field::Value);
                    self.advance();
                    self.single_type()?;
                    self.field(Field::Type);
                    self.close(Kind::TypeCastExpression, begin);
                    (!self.begins_postfix()).then_some(())?;
                }
                _ => {
                    self.field(Field::Left);
                    self.advance();
                    self.expression(precedence + 1, structs)?;
                    self.field(Field::Right);
                    self.close(kind, begin);
                    if self.token == Token::OpenParen {
                        self.postfix(begin, true)?;
                    }
                }
            }
        }
    }

    /// Whether the next token is `let`.
    fn let_follows(&mut self) -> bool {
        let mut at = self.end;
        while matches!(self.at(at), b'\t'..=b'\r' | b' ') {
            at += 1;
        }
        matches!(self.at(at), b'l' | b'/') && self.peek() == Token::Let
    }

    fn range_operator(&mut self, begin: Marker, min_precedence: u8, structs: bool) -> ParseResult {
        let open = self.token == Token::DotDot;
        self.advance();
        if !open || self.begins_range_operand(min_precedence, structs) {
            self.expression(RANGE + 1, structs)?;
        }
        self.close(Kind::RangeExpression, begin);
        let called = min_precedence != LOWEST && self.token == Token::OpenParen;
        if called { Some(()) } else { self.postfix(begin, false) }
    }

    fn range_prefix(&mut self, min_precedence: u8, structs: bool) -> ParseResult {
        let begin = self.begin();
        let inclusive = self.token == Token::DotDotEqual;
        self.end = self.start + 2;
        self.advance();
        // The grammar has no `..=` prefix: it parses an assignment to `..`.
        if !inclusive && self.begins_range_operand(min_precedence, structs) {
            self.expression(RANGE + 1, structs)?;
        }
        self.close(Kind::RangeExpression, begin);
        Some(())
    }

    /// Whether `..` has a right operand: the grammar prefers to take `..` for the left operand of an operator. A range is not
    /// called, but the expression that it ends is: `a = b..(c)` calls the assignment.
    fn begins_range_operand(&self, min_precedence: u8, structs: bool) -> bool {
        (min_precedence == LOWEST && self.token == Token::OpenParen)
            || self.begins_break_operand(structs)
    }

    /// Whether `break` has an operand: the grammar prefers a binary operator or a call.
    pub fn begins_break_operand(&self, structs: bool) -> bool {
        use Token::*;
        let either = matches!(
            self.token,
            Minus | Star | And | Or | Less | DotDot | DotDotEqual | OpenParen | OpenBracket
        );
        !either && (structs || self.token != OpenBrace) && self.begins_expression()
    }

    /// Whether an expression begins at a token where an operator may be, too.
    pub fn begins_expression(&self) -> bool {
        use Token::*;
        let words = matches!(
            self.token,
            Async
                | Break
                | Const
                | Continue
                | For
                | If
                | Loop
                | Match
                | Move
                | Return
                | Underscore
                | Unsafe
                | While
        );
        let paths = self.token != ShiftLeft && self.begins_path();
        let others = matches!(
            self.token,
            Minus | Star | Not | And | Or | DotDot | OpenParen | OpenBracket | OpenBrace | Quote
        );
        words || paths || others || self.is_literal()
    }
}

/// The precedence of a binary operator, and the kind of its node.
fn operator(token: Token) -> Option<(u8, Kind)> {
    use Token::*;
    let precedence = match token {
        Equal => return Some((ASSIGN, Kind::AssignmentExpression)),
        CompoundAssign => return Some((ASSIGN, Kind::CompoundAssignmentExpr)),
        DotDot | DotDotEqual | DotDotDot => return Some((RANGE, Kind::RangeExpression)),
        As => return Some((CAST, Kind::TypeCastExpression)),
        OrOr => 3,
        AndAnd => AND,
        EqualEqual | NotEqual | Less | LessEqual | Greater | GreaterEqual => 7,
        Or => 8,
        Caret => 9,
        And => 10,
        ShiftLeft | ShiftRight => 11,
        Plus | Minus => 12,
        Star | Slash | Percent => 13,
        _ => return None,
    };
    Some((precedence, Kind::BinaryExpression))
}
