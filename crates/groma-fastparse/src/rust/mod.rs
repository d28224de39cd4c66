//! The parser for Rust.
//!
//! Where the grammar deviates from the language reference, the parser follows the grammar: `break (a, b)` is a call of
//! `break`, and `..=b` an assignment to `..`. Each such case has a comment.

mod comment;
mod control;
mod expression;
mod generics;
mod item;
mod kinds;
mod lexer;
mod literal;
mod parameter;
mod path;
mod pattern;
mod statement;
#[cfg(test)]
mod tests;
mod token_tree;
mod types;

use super::{Node, Nodes};
pub(crate) use kinds::{FIELDS, KINDS};
use kinds::{Field, Kind};
use lexer::Token;

/// The maximum nesting, which no code written by hand has: deeper text would need too much stack.
const MAX_DEPTH: u32 = 300;

/// `None` if the grammar has to parse the text.
type ParseResult = Option<()>;

/// The nodes so far, and the current token.
struct Parser<'t> {
    text: &'t [u8],
    nodes: Nodes,
    token: Token,
    start: usize,
    end: usize,
    /// The end of the previous token.
    before: usize,
    depth: u32,
    /// Whether the grammar still considers both a pattern and a type, and so takes `_` for a pattern.
    pattern_or_type: bool,
}

/// The start of a node: the position of its first descendant, and its first byte.
#[derive(Clone, Copy)]
struct Marker {
    mark: usize,
    start: usize,
}

pub(crate) fn parse(text: &str) -> Option<Vec<Node>> {
    // The grammar's lexer takes a zero byte for the end of the text, wherever it is.
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return None;
    }
    let mut parser = Parser::new(text);
    parser.source_file()?;
    Some(parser.nodes.into_list())
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Self {
        Self {
            text: text.as_bytes(),
            nodes: Nodes::for_text(text),
            token: Token::End,
            start: 0,
            end: 0,
            before: 0,
            depth: 0,
            pattern_or_type: false,
        }
    }

    fn source_file(&mut self) -> ParseResult {
        self.advance();
        self.shebang();
        self.statements(Token::End)?;
        let first = self.text.iter().position(|byte| !matches!(byte, b'\t'..=b'\r' | b' '));
        let end = self.text.len();
        self.nodes.close(Kind::SourceFile as u16, 0, first.unwrap_or(end), end);
        Some(())
    }

    /// `#!` and the rest of the line, unless it begins an attribute.
    fn shebang(&mut self) {
        let found = self.token == Token::Pound && self.at(self.end) == b'!';
        if !found || self.at(self.end + 1) == b'[' {
            return;
        }
        if let Some(line) = memchr::memchr(b'\n', &self.text[self.end..]) {
            self.end += line + 1;
            self.leaf(Kind::Shebang);
        }
    }

    #[inline]
    fn begin(&self) -> Marker {
        Marker { mark: self.nodes.mark(), start: self.start }
    }

    /// Finishes a node at the end of the previous token.
    #[inline]
    fn close(&mut self, kind: Kind, begin: Marker) {
        self.nodes.close(kind as u16, begin.mark, begin.start, self.before);
    }

    /// As [`Parser::close`], with the field of the parent.
    #[inline]
    fn close_as(&mut self, field: Field, kind: Kind, begin: Marker) {
        self.close(kind, begin);
        self.field(field);
    }

    #[inline]
    fn field(&mut self, field: Field) {
        self.nodes.field(field as u16);
    }

    /// Makes the current token a node.
    #[inline]
    fn leaf(&mut self, kind: Kind) {
        self.nodes.leaf(kind as u16, self.start, self.end);
        self.advance();
    }

    #[inline]
    fn eat(&mut self, token: Token) -> bool {
        let found = self.token == token;
        if found {
            self.advance();
        }
        found
    }

    #[inline]
    fn expect(&mut self, token: Token) -> ParseResult {
        self.eat(token).then_some(())
    }

    /// Enters a nesting level; pair with [`Parser::leave`]. After a failure the parse is dropped, so levels need not
    /// balance.
    #[inline]
    fn enter(&mut self) -> ParseResult {
        self.depth += 1;
        (self.depth < MAX_DEPTH).then_some(())
    }

    #[inline]
    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Whether the last node is of the kind.
    fn is_last(&mut self, kind: Kind) -> bool {
        self.nodes.last().is_some_and(|node| node.kind == kind as u16)
    }

    fn last_is_one_of(&mut self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.is_last(*kind))
    }

    /// A comma-separated list, a trailing comma allowed, up to and including the token `until`.
    fn list(&mut self, until: Token, element: impl Fn(&mut Self) -> ParseResult) -> ParseResult {
        while self.token != until {
            element(self)?;
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(until)
    }

    fn is_name(&self) -> bool {
        is_name(self.token)
    }

    /// An identifier, which some keywords of the grammar may be.
    fn name(&mut self, kind: Kind) -> ParseResult {
        self.is_name().then_some(())?;
        self.leaf(kind);
        Some(())
    }

    /// An identifier or `_`.
    fn name_or_underscore(&mut self, kind: Kind) -> ParseResult {
        (self.is_name() || self.token == Token::Underscore).then_some(())?;
        self.leaf(kind);
        Some(())
    }

    fn mutable_specifier(&mut self) -> bool {
        let found = self.token == Token::Mut;
        if found {
            self.leaf(Kind::MutableSpecifier);
        }
        found
    }
}

fn is_name(token: Token) -> bool {
    token == Token::Name || is_reserved(token)
}

/// Contextual keywords, which the grammar has as tokens of their own.
fn is_reserved(token: Token) -> bool {
    matches!(token, Token::Default | Token::Union | Token::Gen | Token::Raw)
}
