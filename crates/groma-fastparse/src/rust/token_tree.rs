//! What is inside of macros: tokens that are not looked into.

use super::kinds::{Field, Kind};
use super::lexer::{Token, is_primitive_type};
use super::{Begin, Parsed, Parser};

/// Where tokens are: that says what `$` means.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Tokens {
    /// Given to a macro or an attribute.
    Arguments,
    /// What a rule of a macro gives.
    Body,
    /// What a rule of a macro takes.
    Pattern,
}

impl Parser<'_> {
    /// `macro_rules! name { ... }`, at its first word.
    pub fn macro_definition(&mut self) -> Parsed {
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

    fn macro_rule(&mut self) -> Parsed {
        let begin = self.begin();
        self.token_tree(Tokens::Pattern)?;
        self.field(Field::Left);
        self.expect(Token::FatArrow)?;
        self.token_tree(Tokens::Body)?;
        self.field(Field::Right);
        self.close(Kind::MacroRule, begin);
        Some(())
    }

    pub fn token_tree(&mut self, tokens: Tokens) -> Parsed {
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

    /// Tokens until the closing one, which is not taken.
    fn tokens(&mut self, close: Token, tokens: Tokens) -> Parsed {
        use Token::*;
        loop {
            match self.token {
                token if token == close => return Some(()),
                Name if is_primitive_type(&self.text[self.start..self.end]) => {
                    self.leaf(Kind::PrimitiveType);
                }
                // Words that the grammar does not know here are names.
                Name | Dyn | Else | Extern | In | Move | Raw | Ref | Try | Yield => {
                    self.leaf(Kind::Identifier);
                }
                OpenParen | OpenBracket | OpenBrace => self.token_tree(tokens)?,
                CloseParen | CloseBracket | CloseBrace | End | Bad => return None,
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

    fn dollar(&mut self, tokens: Tokens) -> Parsed {
        let begin = self.begin();
        match self.at(self.end) {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.metavariable(begin, tokens),
            _ if self.peek() == Token::OpenParen => self.repetition(begin, tokens),
            _ => None,
        }
    }

    fn metavariable(&mut self, begin: Begin, tokens: Tokens) -> Parsed {
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

    fn repetition(&mut self, begin: Begin, tokens: Tokens) -> Parsed {
        self.enter()?;
        self.advance();
        self.advance();
        self.tokens(Token::CloseParen, tokens)?;
        // A separator is whatever is before the operator.
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
