//! Go, as its grammar reads it.
//!
//! Where the grammar has two trees for the same text it takes the one of the higher score; [`found`] counts the
//! same scores. Where it is of another mind than the language, so are we; what is rare there is left to it.

mod declaration;
mod expression;
mod field;
mod found;
mod kinds;
mod lexer;
mod literal;
mod number;
mod operand;
mod parameter;
mod statement;
#[cfg(test)]
mod tests;
mod token;
mod types;

use super::{Node, Nodes};
use found::Found;
pub(crate) use kinds::{FIELDS, KINDS};
use kinds::{Field, Kind};
use lexer::{Lexer, Place};
use token::Token;

/// How deep things may be inside of each other: what is deeper is left to the grammar, which needs no stack for it.
const DEPTH: usize = 200;

/// The nodes of a text, or none if it is wrong or has something unusual.
pub(crate) fn parse(text: &str) -> Option<Vec<Node>> {
    let mut parser = Parser {
        lexer: Lexer::new(text),
        nodes: Nodes::for_text(text),
        depth: 0,
        literals: true,
        indices: 0,
        tail: (Found::other(), 0),
        names: Vec::new(),
    };
    parser.source_file()?;
    for (start, end) in &parser.lexer.comments {
        parser.nodes.comment(Kind::Comment as u16, *start, *end, &[]);
    }
    Some(parser.nodes.into_list())
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    nodes: Nodes,
    depth: usize,
    /// Whether `T {` begins a literal, not the block after the head of a statement.
    literals: bool,
    /// How many indices are open.
    indices: usize,
    /// The last operand and its end.
    tail: (Found, usize),
    /// Names in lists of parameters which may turn out to be types.
    names: Vec<(usize, usize)>,
}

/// Where a node begins.
#[derive(Clone, Copy)]
struct Open {
    mark: usize,
    start: usize,
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.lexer.at.token
    }

    fn at(&self, token: Token) -> bool {
        self.lexer.at.token == token
    }

    fn advance(&mut self) {
        self.lexer.advance();
    }

    /// Passes the token if it is there.
    fn skip(&mut self, token: Token) -> bool {
        let is = self.at(token);
        if is {
            self.advance();
        }
        is
    }

    /// Passes the token, which has to be there.
    fn expect(&mut self, token: Token) -> Option<()> {
        self.skip(token).then_some(())
    }

    /// Goes back to the token and forgets the nodes since then.
    fn back(&mut self, place: Place, mark: usize) -> Option<()> {
        self.nodes.truncate(mark);
        self.lexer.back(place)
    }

    /// A node begins with this token.
    fn open(&self) -> Open {
        Open { mark: self.nodes.mark(), start: self.lexer.at.start }
    }

    /// The node ends with the token before.
    fn close(&mut self, kind: Kind, open: Open) {
        self.nodes.close(kind as u16, open.mark, open.start, self.lexer.at.last_end);
    }

    /// As [`Parser::close`], for what is this part of its parent.
    fn close_as(&mut self, field: Field, kind: Kind, open: Open) {
        self.close(kind, open);
        self.field(field);
    }

    fn field(&mut self, field: Field) {
        self.nodes.field(field as u16);
    }

    /// This token is a node.
    fn leaf(&mut self, kind: Kind) {
        self.nodes.leaf(kind as u16, self.lexer.at.start, self.lexer.at.end);
        self.advance();
    }

    /// This token is a name, and a node of that kind.
    fn name(&mut self, kind: Kind) -> Option<()> {
        if !self.token().is_name() {
            return None;
        }
        self.leaf(kind);
        Some(())
    }

    fn name_as(&mut self, field: Field, kind: Kind) -> Option<()> {
        self.name(kind)?;
        self.field(field);
        Some(())
    }

    /// Does something that may do the same inside.
    fn deeper<T>(&mut self, inside: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let result = if self.depth > DEPTH { None } else { inside(self) };
        self.depth -= 1;
        result
    }

    /// Does something where `T {` begins a literal or does not.
    fn with_literals<T>(&mut self, literals: bool, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.literals, literals);
        let result = inside(self);
        self.literals = before;
        result
    }

    /// What a bracket that begins here has after its end.
    fn after_brackets(&mut self) -> Option<Token> {
        let place = self.lexer.at;
        self.skip_brackets(|_| ())?;
        let after = self.token();
        self.lexer.back(place)?;
        Some(after)
    }

    /// Passes a bracket with all inside; the function is told what is in it, but not in others inside.
    fn skip_brackets(&mut self, mut told: impl FnMut(Token)) -> Option<()> {
        let mut open = 0;
        loop {
            let token = self.token();
            match token {
                Token::RightParen | Token::RightBracket | Token::RightBrace => open -= 1,
                Token::End | Token::Wrong => return None,
                _ if open == 1 => told(token),
                _ => {}
            }
            if matches!(token, Token::LeftParen | Token::LeftBracket | Token::LeftBrace) {
                open += 1;
            }
            self.advance();
            if open == 0 {
                return Some(());
            }
        }
    }

    /// Things with commas between them, and perhaps after the last, up to the token, which is passed.
    fn separated(
        &mut self,
        end: Token,
        mut one: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        while !self.at(end) {
            one(self)?;
            if !self.skip(Token::Comma) && !self.at(end) {
                return None;
            }
        }
        self.advance();
        Some(())
    }

    /// Things in parentheses, each with the end of a line after it, the last one perhaps without.
    fn lines(&mut self, end: Token, mut line: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.advance();
        while !self.at(end) {
            line(self)?;
            if self.token().ends_line() {
                self.advance();
            } else if !self.at(end) {
                return None;
            }
        }
        self.advance();
        Some(())
    }
}
