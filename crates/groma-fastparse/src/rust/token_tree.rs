//! Token trees: the arguments, rules and bodies of macros.

use super::kinds::{Field, Kind};
use super::lexer::{Token, is_primitive_type};
use super::{Marker, ParseResult, Parser};

/// The context of a token tree, which gives `$` its meaning.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Tokens {
    /// The arguments of a macro or an attribute.
    Arguments,
    /// A macro rule's transcriber.
    Body,
    /// A macro rule's matcher.
    Pattern,
}

impl Parser<'_> {
    /// `macro_rules! name { ... }`, at its first token.
    pub fn macro_definition(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        self.advance();
        self.name(Kind::Identifier)?;
        self.field(Field::Name);
        let braces = self.token == Token::OpenBrace;
        let close = closing(self.token)?;
        self.advance();
        while self.token != close {
            self.macro_rule()?;
            if !self.eat(Token::Semicolon) {
                break;
            }
        }
        self.expect(close)?;
        if !braces {
            self.expect(Token::Semicolon)?;
        }
        self.close(Kind::MacroDefinition, begin);
        Some(())
    }

    fn macro_rule(&mut self) -> ParseResult {
        let begin = self.begin();
        self.token_tree(Tokens::Pattern)?;
        self.field(Field::Left);
        self.expect(Token::FatArrow)?;
        self.token_tree(Tokens::Body)?;
        self.field(Field::Right);
        self.close(Kind::MacroRule, begin);
        Some(())
    }

    pub fn token_tree(&mut self, tokens: Tokens) -> ParseResult {
        let begin = self.begin();
        let close = closing(self.token)?;
        self.enter()?;
        self.advance();
        self.tokens(close, tokens)?;
        self.advance();
        self.leave();
        let pattern = tokens == Tokens::Pattern;
        self.close(if pattern { Kind::TokenTreePattern } else { Kind::TokenTree }, begin);
        Some(())
    }

    /// Tokens up to the closing one, which is not consumed.
    fn tokens(&mut self, close: Token, tokens: Tokens) -> ParseResult {
        use Token::*;
        loop {
            match self.token {
                token if token == close => return Some(()),
                Name if is_primitive_type(&self.text[self.start..self.end]) => {
                    self.leaf(Kind::PrimitiveType);
                }
                // Keywords that the grammar does not expect here are identifiers.
                Name | Dyn | Else | Extern | In | Move | Raw | Ref | Try | Yield => {
                    self.leaf(Kind::Identifier);
                }
                OpenParen | OpenBracket | OpenBrace => self.token_tree(tokens)?,
                CloseParen | CloseBracket | CloseBrace | End | Invalid => return None,
                Int | Float | Char | String | RawString | True | False => self.literal()?,
                SelfWord => self.leaf(Kind::SelfWord),
                Super => self.leaf(Kind::Super),
                Crate => self.leaf(Kind::Crate),
                Mut => self.leaf(Kind::MutableSpecifier),
                Dollar if tokens != Tokens::Arguments => self.dollar(tokens)?,
                _ => self.advance(),
            }
        }
    }

    fn dollar(&mut self, tokens: Tokens) -> ParseResult {
        let begin = self.begin();
        match self.at(self.end) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.metavariable(begin, tokens),
            _ if self.peek() == Token::OpenParen => self.repetition(begin, tokens),
            _ => None,
        }
    }

    fn metavariable(&mut self, begin: Marker, tokens: Tokens) -> ParseResult {
        self.end = self.name_end(self.end)?;
        self.leaf(Kind::Metavariable);
        if tokens != Tokens::Pattern || self.token != Token::Colon {
            return Some(());
        }
        self.field(Field::Name);
        self.advance();
        let specifier = &self.text[self.start..self.end];
        is_fragment_specifier(specifier).then_some(())?;
        self.leaf(Kind::FragmentSpecifier);
        self.field(Field::Type);
        self.close(Kind::TokenBindingPattern, begin);
        Some(())
    }

    fn repetition(&mut self, begin: Marker, tokens: Tokens) -> ParseResult {
        self.enter()?;
        self.advance();
        self.advance();
        self.tokens(Token::CloseParen, tokens)?;
        // The separator is everything before the operator.
        let rest = &self.text[self.end..];
        let length = rest.iter().position(|byte| matches!(byte, b'+' | b'*' | b'?'))?;
        (!rest[..length].contains(&b'/')).then_some(())?;
        self.end += length + 1;
        self.advance();
        self.leave();
        let pattern = tokens == Tokens::Pattern;
        let kind = if pattern { Kind::TokenRepetitionPattern } else { Kind::TokenRepetition };
        self.close(kind, begin);
        Some(())
    }
}

fn closing(open: Token) -> Option<Token> {
    match open {
        Token::OpenParen => Some(Token::CloseParen),
        Token::OpenBracket => Some(Token::CloseBracket),
        Token::OpenBrace => Some(Token::CloseBrace),
        _ => None,
    }
}

fn is_fragment_specifier(word: &[u8]) -> bool {
    matches!(
        word,
        b"block"
            | b"expr"
            | b"expr_2021"
            | b"ident"
            | b"item"
            | b"lifetime"
            | b"literal"
            | b"meta"
            | b"pat"
            | b"pat_param"
            | b"path"
            | b"stmt"
            | b"tt"
            | b"ty"
            | b"vis"
    )
}
