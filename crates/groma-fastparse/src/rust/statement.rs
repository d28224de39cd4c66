//! Statements, blocks and attributes.

use super::expression::LOWEST;
use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::token_tree::Tokens;
use super::{Marker, ParseResult, Parser};

impl Parser<'_> {
    pub fn block(&mut self) -> ParseResult {
        self.block_from(self.begin())
    }

    /// A block, from its label on.
    pub fn block_from(&mut self, begin: Marker) -> ParseResult {
        self.expect(Token::OpenBrace)?;
        self.enter()?;
        self.statements(Token::CloseBrace)?;
        self.advance();
        self.leave();
        self.close(Kind::Block, begin);
        Some(())
    }

    /// Statements up to the token `until`, which is not consumed.
    pub fn statements(&mut self, until: Token) -> ParseResult {
        while self.token != until {
            if !self.declaration()? {
                self.expression_statement(until)?;
            }
        }
        Some(())
    }

    fn expression_statement(&mut self, until: Token) -> ParseResult {
        let begin = self.begin();
        let callable = self.prefix(LOWEST, true)?;
        if self.ends_with_block() && self.ends_statement() {
            self.close(Kind::ExpressionStatement, begin);
            return Some(());
        }
        self.postfix(begin, callable)?;
        self.operators(begin, LOWEST, true)?;
        if self.eat(Token::Semicolon) {
            self.close(Kind::ExpressionStatement, begin);
            return Some(());
        }
        let last = until == Token::CloseBrace && self.token == until;
        (last || self.is_last(Kind::MacroInvocation)).then_some(())
    }

    /// Whether the last node is an expression that needs no `;` to be a statement.
    pub fn ends_with_block(&mut self) -> bool {
        use Kind::*;
        let Some(last) = self.nodes.last() else { return false };
        let kinds = [
            Block,
            UnsafeBlock,
            AsyncBlock,
            ConstBlock,
            IfExpression,
            MatchExpression,
            WhileExpression,
            LoopExpression,
            ForExpression,
        ];
        kinds.iter().any(|kind| *kind as u16 == last.kind)
    }

    /// Whether a statement ends before the current token, as it does before every token that may begin one.
    fn ends_statement(&self) -> bool {
        use Token::*;
        !matches!(
            self.token,
            Dot | Question
                | As
                | Plus
                | Slash
                | Percent
                | Caret
                | EqualEqual
                | NotEqual
                | LessEqual
                | Greater
                | GreaterEqual
                | ShiftLeft
                | ShiftRight
                | AndAnd
                | OrOr
                | Equal
                | CompoundAssign
                | DotDotEqual
                | DotDotDot
        )
    }

    /// The attributes of the next node.
    pub fn attributes(&mut self) -> ParseResult {
        while self.token == Token::Pound {
            self.attribute()?;
            self.is_last(Kind::AttributeItem).then_some(())?;
        }
        Some(())
    }

    pub fn attribute(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        let inner = self.eat(Token::Not);
        self.expect(Token::OpenBracket)?;
        let attribute = self.begin();
        if self.begins_path() {
            self.plain_path()?;
        } else {
            // Keywords that the grammar does not expect here are identifiers.
            let word = self.at(self.start).is_ascii_lowercase();
            (word && self.name_end(self.start) == Some(self.end)).then_some(())?;
            self.leaf(Kind::Identifier);
        }
        match self.token {
            Token::Equal => {
                self.advance();
                self.expression(LOWEST, true)?;
                self.field(Field::Value);
            }
            Token::OpenParen | Token::OpenBracket | Token::OpenBrace => {
                self.token_tree(Tokens::Arguments)?;
                self.field(Field::Arguments);
            }
            _ => {}
        }
        self.close(Kind::Attribute, attribute);
        self.expect(Token::CloseBracket)?;
        self.close(if inner { Kind::InnerAttributeItem } else { Kind::AttributeItem }, begin);
        Some(())
    }
}
