//! Statements, blocks and attributes.

use super::expression::WHOLE;
use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::token_tree::Tokens;
use super::{Begin, Parsed, Parser};

impl Parser<'_> {
    pub fn block(&mut self) -> Parsed {
        self.block_from(self.begin())
    }

    /// A block that begins where its label does.
    pub fn block_from(&mut self, begin: Begin) -> Parsed {
        self.expect(Token::OpenBrace)?;
        self.enter()?;
        self.statements(Token::CloseBrace)?;
        self.advance();
        self.leave();
        self.close(Kind::Block, begin);
        Some(())
    }

    /// Statements until the token, which is not taken.
    pub fn statements(&mut self, until: Token) -> Parsed {
        while self.token != until {
            if !self.declaration()? {
                self.expression_statement(until)?;
            }
        }
        Some(())
    }

    fn expression_statement(&mut self, until: Token) -> Parsed {
        let begin = self.begin();
        let callable = self.prefix(WHOLE, true)?;
        if self.ends_with_block() && self.ends_statement() {
            self.close(Kind::ExpressionStatement, begin);
            return Some(());
        }
        self.postfix(begin, callable)?;
        self.operators(begin, WHOLE, true)?;
        if self.eat(Token::Semicolon) {
            self.close(Kind::ExpressionStatement, begin);
            return Some(());
        }
        let last = until == Token::CloseBrace && self.token == until;
        (last || self.is_last(Kind::MacroInvocation)).then_some(())
    }

    /// Whether what was found last is an expression that is a statement without `;`.
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

    /// Whether a statement ends before the token, which is so for all that may begin one.
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
                | OperatorEqual
                | DotDotEqual
                | DotDotDot
        )
    }

    /// Attributes of what comes next.
    pub fn attributes(&mut self) -> Parsed {
        while self.token == Token::Pound {
            self.attribute()?;
            self.is_last(Kind::AttributeItem).then_some(())?;
        }
        Some(())
    }

    pub fn attribute(&mut self) -> Parsed {
        let begin = self.begin();
        self.advance();
        let inner = self.eat(Token::Not);
        self.expect(Token::OpenBracket)?;
        let attribute = self.begin();
        if self.begins_path() {
            self.plain_path()?;
        } else {
            // Words that the grammar does not know here are names.
            let word = self.at(self.start).is_ascii_lowercase();
            (word && self.name_end(self.start) == Some(self.end)).then_some(())?;
            self.leaf(Kind::Identifier);
        }
        match self.token {
            Token::Equal => {
                self.advance();
                self.expression(WHOLE, true)?;
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
