//! Expressions.
//!
//! `structs` says whether a name before `{` begins a struct: not where a block follows, as after `if`.

use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::path::Path;
use super::{Begin, Parsed, Parser};

/// A whole expression, with whatever operators it has. What is part of another is bound by one.
pub(super) const WHOLE: u8 = 0;
/// How strong operators bind, as the grammar has it.
pub(super) const ASSIGN: u8 = 1;
const RANGE: u8 = 2;
/// What a chain with `let` is made of, up to each `&&` before a `let`.
pub(super) const CHAIN: u8 = 5;
pub(super) const AND: u8 = 6;
const CAST: u8 = 14;

impl Parser<'_> {
    /// An expression of operators that bind at least so strong.
    pub fn expression(&mut self, least: u8, structs: bool) -> Parsed {
        self.enter()?;
        let begin = self.begin();
        let callable = self.prefix(least, structs)?;
        self.postfix(begin, callable)?;
        self.operators(begin, least, structs)?;
        self.leave();
        Some(())
    }

    /// What an operator stands before.
    fn operand(&mut self, structs: bool) -> Parsed {
        let begin = self.begin();
        let callable = self.prefix(CAST, structs)?;
        self.postfix(begin, callable)
    }

    /// What an expression begins with. Says whether it may be called, which a range may not.
    pub fn prefix(&mut self, least: u8, structs: bool) -> Option<bool> {
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
                self.range_prefix(least, structs)?;
                return Some(false);
            }
            _ => self.block_like(structs)?,
        }
        Some(true)
    }

    fn path_expression(&mut self, structs: bool) -> Parsed {
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

    /// The fields of the struct whose name was found last.
    fn struct_expression(&mut self, begin: Begin) -> Parsed {
        self.field(Field::Name);
        let list = self.begin();
        self.advance();
        self.list(Token::CloseBrace, Self::field_initializer)?;
        self.close_as(Field::Body, Kind::FieldInitializerList, list);
        self.close(Kind::StructExpression, begin);
        Some(())
    }

    fn field_initializer(&mut self) -> Parsed {
        let begin = self.begin();
        self.attributes()?;
        let kind = match self.token {
            Token::DotDot if self.nodes.mark() == begin.mark => {
                self.advance();
                self.expression(WHOLE, true)?;
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
            self.expression(WHOLE, true)?;
            self.field(Field::Value);
            self.close(Kind::FieldInitializer, begin);
            return Some(());
        }
        (kind == Kind::FieldIdentifier).then_some(())?;
        self.nodes.last()?.kind = Kind::Identifier as u16;
        self.close(Kind::ShorthandFieldInitializer, begin);
        Some(())
    }

    fn unary(&mut self, structs: bool) -> Parsed {
        let begin = self.begin();
        self.enter()?;
        self.end = self.start + 1;
        self.advance();
        self.operand(structs)?;
        self.leave();
        self.close(Kind::UnaryExpression, begin);
        Some(())
    }

    fn reference(&mut self, structs: bool) -> Parsed {
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

    fn parenthesized(&mut self) -> Parsed {
        let begin = self.begin();
        self.advance();
        if self.eat(Token::CloseParen) {
            self.close(Kind::UnitExpression, begin);
            return Some(());
        }
        let attributes = self.token == Token::Pound;
        self.attributes()?;
        self.expression(WHOLE, true)?;
        if self.eat(Token::Comma) {
            self.list(Token::CloseParen, |parser| parser.expression(WHOLE, true))?;
            self.close(Kind::TupleExpression, begin);
            return Some(());
        }
        (!attributes).then_some(())?;
        self.expect(Token::CloseParen)?;
        self.close(Kind::ParenthesizedExpression, begin);
        Some(())
    }

    fn array(&mut self) -> Parsed {
        let begin = self.begin();
        self.advance();
        if self.token != Token::CloseBracket {
            self.argument()?;
            if self.eat(Token::Semicolon) {
                self.expression(WHOLE, true)?;
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
    fn argument(&mut self) -> Parsed {
        self.attributes()?;
        self.expression(WHOLE, true)
    }

    /// Calls, indexes, fields and `?` after what was found.
    pub fn postfix(&mut self, begin: Begin, callable: bool) -> Parsed {
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
                    self.expression(WHOLE, true)?;
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

    fn dot(&mut self, begin: Begin) -> Parsed {
        self.advance();
        let kind = match self.token {
            Token::Await => {
                self.advance();
                self.close(Kind::AwaitExpression, begin);
                return Some(());
            }
            _ if self.at(self.start).is_ascii_digit() => {
                // The grammar expects no float here: `a.0.1` has two fields.
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

    /// Operators after what was found that bind at least so strong.
    pub fn operators(&mut self, begin: Begin, least: u8, structs: bool) -> Parsed {
        loop {
            let Some((strength, kind)) = operator(self.token) else { return Some(()) };
            if strength < least {
                return Some(());
            }
            if self.token == Token::AndAnd && self.let_follows() {
                return (least == CHAIN).then_some(());
            }
            match kind {
                Kind::RangeExpression => self.range_operator(begin, least, structs)?,
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
                    self.expression(strength + 1, structs)?;
                    self.field(Field::Right);
                    self.close(kind, begin);
                    if self.token == Token::OpenParen {
                        self.postfix(begin, true)?;
                    }
                }
            }
        }
    }

    /// Whether `let` comes after this token.
    fn let_follows(&mut self) -> bool {
        let mut at = self.end;
        while matches!(self.at(at), b'\t'..=b'\r' | b' ') {
            at += 1;
        }
        matches!(self.at(at), b'l' | b'/') && self.peek() == Token::Let
    }

    fn range_operator(&mut self, begin: Begin, least: u8, structs: bool) -> Parsed {
        let open = self.token == Token::DotDot;
        self.advance();
        if !open || self.begins_range_operand(least, structs) {
            self.expression(RANGE + 1, structs)?;
        }
        self.close(Kind::RangeExpression, begin);
        let called = least != WHOLE && self.token == Token::OpenParen;
        if called { Some(()) } else { self.postfix(begin, false) }
    }

    fn range_prefix(&mut self, least: u8, structs: bool) -> Parsed {
        let begin = self.begin();
        let inclusive = self.token == Token::DotDotEqual;
        self.end = self.start + 2;
        self.advance();
        // The grammar knows no `..=` that begins an expression, but assigns to `..`.
        if !inclusive && self.begins_range_operand(least, structs) {
            self.expression(RANGE + 1, structs)?;
        }
        self.close(Kind::RangeExpression, begin);
        Some(())
    }

    /// Whether `..` has an operand after it: where it could be an operator's left side as well, it is that to the
    /// grammar. A range is not called, but what it ends is: `a = b..(c)` calls the assignment.
    fn begins_range_operand(&self, least: u8, structs: bool) -> bool {
        (least == WHOLE && self.token == Token::OpenParen) || self.begins_break_operand(structs)
    }

    /// Whether `break` has an operand after it: what could be an operator or call is that to the grammar.
    pub fn begins_break_operand(&self, structs: bool) -> bool {
        use Token::*;
        let either = matches!(
            self.token,
            Minus | Star | And | Or | Less | DotDot | DotDotEqual | OpenParen | OpenBracket
        );
        !either && (structs || self.token != OpenBrace) && self.begins_expression()
    }

    /// Whether an expression begins here, where an operator may stand as well.
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

/// How strong an operator binds, and what it makes of its sides.
fn operator(token: Token) -> Option<(u8, Kind)> {
    use Token::*;
    let strength = match token {
        Equal => return Some((ASSIGN, Kind::AssignmentExpression)),
        OperatorEqual => return Some((ASSIGN, Kind::CompoundAssignmentExpr)),
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
    Some((strength, Kind::BinaryExpression))
}
