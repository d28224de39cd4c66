//! Control flow: blocks, conditions, loops, jumps and closures.

use super::expression::{AND, ASSIGN, CHAIN, LOWEST};
use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::{Marker, ParseResult, Parser};

impl Parser<'_> {
    /// Expressions that end with a block, and closures that begin with a keyword.
    pub fn block_like(&mut self, structs: bool) -> ParseResult {
        use Token::*;
        let begin = self.begin();
        match self.token {
            OpenBrace => self.block(),
            If => self.if_expression(),
            Match => self.match_expression(),
            While | Loop | For => self.loop_expression(begin),
            Unsafe => {
                self.advance();
                self.block()?;
                self.close(Kind::UnsafeBlock, begin);
                Some(())
            }
            Const => {
                self.advance();
                self.block()?;
                self.field(Field::Body);
                self.close(Kind::ConstBlock, begin);
                Some(())
            }
            Quote => {
                self.label()?;
                self.expect(Colon)?;
                match self.token {
                    OpenBrace => self.block_from(begin),
                    _ => self.loop_expression(begin),
                }
            }
            Async => {
                self.advance();
                self.eat(Move);
                if self.token == OpenBrace {
                    self.block()?;
                    self.close(Kind::AsyncBlock, begin);
                    return Some(());
                }
                self.closure(begin, structs)
            }
            Move => {
                self.advance();
                self.closure(begin, structs)
            }
            _ => None,
        }
    }

    pub fn return_expression(&mut self, structs: bool) -> ParseResult {
        let begin = self.begin();
        self.advance();
        if self.begins_expression() {
            self.expression(ASSIGN + 1, structs)?;
        }
        self.close(Kind::ReturnExpression, begin);
        Some(())
    }

    pub fn break_expression(&mut self, structs: bool) -> ParseResult {
        let begin = self.begin();
        self.advance();
        if self.token == Token::Quote {
            self.label()?;
            (self.token != Token::Colon).then_some(())?;
        }
        if self.begins_break_operand(structs) {
            self.expression(ASSIGN + 1, structs)?;
        }
        self.close(Kind::BreakExpression, begin);
        Some(())
    }

    pub fn continue_expression(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        if self.token == Token::Quote {
            self.label()?;
        }
        self.close(Kind::ContinueExpression, begin);
        Some(())
    }

    /// A closure, at its parameters.
    pub fn closure(&mut self, begin: Marker, structs: bool) -> ParseResult {
        let parameters = self.begin();
        self.enter()?;
        self.take_byte(b'|')?;
        if !self.begins(b'|') {
            self.closure_parameter()?;
        }
        while self.eat(Token::Comma) {
            self.closure_parameter()?;
        }
        self.take_byte(b'|')?;
        // The grammar allows a pattern here.
        (self.token != Token::DotDotEqual).then_some(())?;
        self.close_as(Field::Parameters, Kind::ClosureParameters, parameters);
        if self.eat(Token::Arrow) {
            self.bounded_type()?;
            self.field(Field::ReturnType);
            self.block()?;
            self.field(Field::Body);
        } else if !self.eat(Token::Underscore) {
            self.expression(ASSIGN, structs)?;
            self.field(Field::Body);
        }
        self.leave();
        self.close(Kind::ClosureExpression, begin);
        Some(())
    }

    fn closure_parameter(&mut self) -> ParseResult {
        let begin = self.begin();
        let mutable = self.mutable_specifier();
        let mark = self.nodes.mark();
        self.single_pattern()?;
        if self.token == Token::Colon {
            self.field_since(mark, Field::Pattern);
            return self.parameter_type(begin);
        }
        if mutable {
            self.close(Kind::MutPattern, begin);
        }
        Some(())
    }

    fn if_expression(&mut self) -> ParseResult {
        let begin = self.begin();
        self.enter()?;
        self.advance();
        self.condition(false)?;
        self.field(Field::Condition);
        self.block()?;
        self.field(Field::Consequence);
        if self.token == Token::Else {
            let alternative = self.begin();
            self.advance();
            if self.token == Token::If {
                self.if_expression()?;
            } else {
                self.block()?;
            }
            self.close_as(Field::Alternative, Kind::ElseClause, alternative);
        }
        self.leave();
        self.close(Kind::IfExpression, begin);
        Some(())
    }

    /// The condition of `if` and `while`: an expression, or a `let` chain.
    pub fn condition(&mut self, structs: bool) -> ParseResult {
        let begin = self.begin();
        if self.token == Token::Let {
            self.let_condition(structs)?;
        } else {
            self.expression(CHAIN, structs)?;
            if self.token != Token::AndAnd {
                return self.operators(begin, LOWEST, structs);
            }
        }
        if self.token != Token::AndAnd {
            return Some(());
        }
        while self.eat(Token::AndAnd) {
            if self.token == Token::Let {
                self.let_condition(structs)?;
            } else {
                self.expression(AND + 1, structs)?;
            }
        }
        self.close(Kind::LetChain, begin);
        Some(())
    }

    fn let_condition(&mut self, structs: bool) -> ParseResult {
        let begin = self.begin();
        self.advance();
        self.pattern_as(Field::Pattern)?;
        self.expect(Token::Equal)?;
        self.expression(AND + 1, structs)?;
        self.field(Field::Value);
        self.close(Kind::LetCondition, begin);
        Some(())
    }

    fn match_expression(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        self.expression(LOWEST, false)?;
        self.field(Field::Value);
        let block = self.begin();
        self.expect(Token::OpenBrace)?;
        self.enter()?;
        while self.token != Token::CloseBrace {
            self.match_arm()?;
        }
        self.advance();
        self.leave();
        self.close_as(Field::Body, Kind::MatchBlock, block);
        self.close(Kind::MatchExpression, begin);
        Some(())
    }

    fn match_arm(&mut self) -> ParseResult {
        let begin = self.begin();
        while self.token == Token::Pound {
            self.attribute()?;
        }
        let pattern = self.begin();
        self.pattern()?;
        if self.eat(Token::If) {
            self.condition(true)?;
            self.field(Field::Condition);
        }
        self.close_as(Field::Pattern, Kind::MatchPattern, pattern);
        self.expect(Token::FatArrow)?;
        let value = self.begin();
        let callable = self.prefix(LOWEST, true)?;
        if !(self.ends_with_block() && self.begins_arm()) {
            self.postfix(value, callable)?;
            self.operators(value, LOWEST, true)?;
            if !self.is_arm_end() {
                return None;
            }
        }
        self.field(Field::Value);
        self.eat(Token::Comma);
        self.close(Kind::MatchArm, begin);
        Some(())
    }

    fn is_arm_end(&self) -> bool {
        matches!(self.token, Token::Comma | Token::CloseBrace)
    }

    /// Whether an arm begins here; after a block, tokens that could be operators do.
    fn begins_arm(&self) -> bool {
        use Token::*;
        let paths = self.token != ShiftLeft && self.begins_path();
        let others = matches!(
            self.token,
            Underscore
                | OpenParen
                | OpenBracket
                | And
                | Or
                | Minus
                | DotDot
                | DotDotEqual
                | Pound
                | Ref
                | Mut
                | Const
        );
        paths || others || self.is_literal()
    }

    /// A loop, at its keyword; includes its label.
    fn loop_expression(&mut self, begin: Marker) -> ParseResult {
        let kind = match self.token {
            Token::Loop => {
                self.advance();
                Kind::LoopExpression
            }
            Token::While => {
                self.advance();
                self.condition(false)?;
                self.field(Field::Condition);
                Kind::WhileExpression
            }
            Token::For => {
                self.advance();
                self.pattern_as(Field::Pattern)?;
                self.expect(Token::In)?;
                self.expression(LOWEST, false)?;
                self.field(Field::Value);
                Kind::ForExpression
            }
            _ => return None,
        };
        self.block()?;
        self.field(Field::Body);
        self.close(kind, begin);
        Some(())
    }
}
