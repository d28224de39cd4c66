//! The parser for Go.
//!
//! The grammar is a GLR grammar: among several trees of a text the one with the highest dynamic precedence wins.
//! [`interpretation`] computes the same precedences. Where the grammar deviates from the language specification, the
//! parser follows the grammar; rare cases fall back to it.

mod declaration;
mod expression;
mod field;
mod interpretation;
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
use interpretation::Interpretation;
pub(crate) use kinds::{FIELDS, KINDS};
use kinds::{Field, Kind};
use lexer::{Lexer, Position};
use token::Token;

/// The maximum nesting: deeper text is left to the grammar, which does not recurse.
const MAX_DEPTH: usize = 200;

/// The nodes of a text; `None` if it is invalid or ambiguous.
pub(crate) fn parse(text: &str) -> Option<Vec<Node>> {
    // The grammar's lexer takes a zero byte for the end of the text, wherever it is.
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return None;
    }
    let mut parser = Parser {
        lexer: Lexer::new(text),
        nodes: Nodes::for_text(text),
        depth: 0,
        literals: true,
        indices: 0,
        tail: (Interpretation::other(), 0),
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
    /// Whether `T {` begins a composite literal, not the block after the header of a statement.
    literals: bool,
    /// The number of unclosed index brackets.
    indices: usize,
    /// The last operand and its end.
    tail: (Interpretation, usize),
    /// Identifiers in parameter lists that may turn out to be types.
    names: Vec<(usize, usize)>,
}

/// The start of a node: the position of its first descendant, and its first byte.
#[derive(Clone, Copy)]
struct Marker {
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

    /// Consumes the token if it is the current one.
    fn skip(&mut self, token: Token) -> bool {
        let is = self.at(token);
        if is {
            self.advance();
        }
        is
    }

    /// Consumes the token; `None` if it is not the current one.
    fn expect(&mut self, token: Token) -> Option<()> {
        self.skip(token).then_some(())
    }

    /// Rewinds to the position and drops the nodes since then.
    fn rewind(&mut self, position: Position, mark: usize) -> Option<()> {
        self.nodes.truncate(mark);
        self.lexer.rewind(position)
    }

    /// Starts a node at the current token.
    fn open(&self) -> Marker {
        Marker { mark: self.nodes.mark(), start: self.lexer.at.start }
    }

    /// Finishes a node at the end of the previous token.
    fn close(&mut self, kind: Kind, open: Marker) {
        self.nodes.close(kind as u16, open.mark, open.start, self.lexer.at.last_end);
    }

    /// As [`Parser::close`], with the field of the parent.
    fn close_as(&mut self, field: Field, kind: Kind, open: Marker) {
        self.close(kind, open);
        self.field(field);
    }

    fn field(&mut self, field: Field) {
        self.nodes.field(field as u16);
    }

    /// Makes the current token a node.
    fn leaf(&mut self, kind: Kind) {
        self.nodes.leaf(kind as u16, self.lexer.at.start, self.lexer.at.end);
        self.advance();
    }

    /// Makes the current token, which must be an identifier, a node.
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

    /// Parses something that may contain itself, one level deeper.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let result = if self.depth > MAX_DEPTH { None } else { inside(self) };
        self.depth -= 1;
        result
    }

    /// Parses something where `T {` begins a composite literal or does not.
    fn with_literals<T>(&mut self, literals: bool, inside: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.literals, literals);
        let result = inside(self);
        self.literals = before;
        result
    }

    /// The token after the bracketed group that begins at the current token.
    fn after_brackets(&mut self) -> Option<Token> {
        let position = self.lexer.at;
        self.skip_brackets(|_| ())?;
        let after = self.token();
        self.lexer.rewind(position)?;
        Some(after)
    }

    /// Skips a bracketed group; `visit` gets the tokens directly in it, without those of nested groups.
    fn skip_brackets(&mut self, mut visit: impl FnMut(Token)) -> Option<()> {
        let mut open = 0;
        loop {
            let token = self.token();
            match token {
                Token::RightParen | Token::RightBracket | Token::RightBrace => open -= 1,
                Token::End | Token::Invalid => return None,
                _ if open == 1 => visit(token),
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

    /// A comma-separated list, a trailing comma allowed, up to and including the token `end`.
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

    /// Elements in parentheses, each terminated by a newline or semicolon, which the last one may lack.
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
