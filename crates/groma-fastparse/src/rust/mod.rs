//! Rust, as the grammar of tree-sitter-rust has it.
//!
//! The grammar decides by tables what the language decides by rules, and where both differ the grammar is followed:
//! `break (a, b)` is a call of `break`, and `..=b` an assignment to `..`. Each such place says so.

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

/// Nesting that no code has that was written by hand; what is deeper would need too much stack.
const DEEPEST: u32 = 300;

/// Nothing if it is not known what the grammar would make of it.
type Parsed = Option<()>;

/// What was read so far, and the token that is next.
struct Parser<'t> {
    text: &'t [u8],
    nodes: Nodes,
    token: Token,
    start: usize,
    end: usize,
    /// Where the token before ended.
    before: usize,
    depth: u32,
    /// Whether this could be a pattern as well as a type, so that `_` is one to the grammar.
    pattern_or_type: bool,
}

/// Where a node begins: its first byte, and the number of its first child.
#[derive(Clone, Copy)]
struct Begin {
    mark: usize,
    start: usize,
}

pub(crate) fn parse(text: &str) -> Option<Vec<Node>> {
    // The grammar's tables stop at a zero byte, wherever it is.
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

    fn source_file(&mut self) -> Parsed {
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
    fn begin(&self) -> Begin {
        Begin { mark: self.nodes.mark(), start: self.start }
    }

    /// A node from there to the token before.
    #[inline]
    fn close(&mut self, kind: Kind, begin: Begin) {
        self.nodes.close(kind as u16, begin.mark, begin.start, self.before);
    }

    /// A node as a field of its parent.
    #[inline]
    fn close_as(&mut self, field: Field, kind: Kind, begin: Begin) {
        self.close(kind, begin);
        self.field(field);
    }

    #[inline]
    fn field(&mut self, field: Field) {
        self.nodes.field(field as u16);
    }

    /// The token is a node.
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
    fn expect(&mut self, token: Token) -> Parsed {
        self.eat(token).then_some(())
    }

    /// Goes one level deeper. [`Parser::leave`] comes back; where something is wrong nobody does.
    #[inline]
    fn enter(&mut self) -> Parsed {
        self.depth += 1;
        (self.depth < DEEPEST).then_some(())
    }

    #[inline]
    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// The kind of the node found last.
    fn is_last(&mut self, kind: Kind) -> bool {
        self.nodes.last().is_some_and(|node| node.kind == kind as u16)
    }

    fn last_is_one_of(&mut self, kinds: &[Kind]) -> bool {
        kinds.iter().any(|kind| self.is_last(*kind))
    }

    /// Elements until the token, a comma after each but maybe the last; the token is taken.
    fn list(&mut self, until: Token, element: impl Fn(&mut Self) -> Parsed) -> Parsed {
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

    /// A name, wherever the grammar takes its own words as names, too.
    fn name(&mut self, kind: Kind) -> Parsed {
        self.is_name().then_some(())?;
        self.leaf(kind);
        Some(())
    }

    /// A name, or the `_` that stands for one.
    fn name_or_underscore(&mut self, kind: Kind) -> Parsed {
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

/// Words of the grammar that are names to the compiler.
fn is_reserved(token: Token) -> bool {
    matches!(token, Token::Default | Token::Union | Token::Gen | Token::Raw)
}
