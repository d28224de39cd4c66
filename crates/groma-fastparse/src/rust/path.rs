//! Paths of values, types, patterns and `use`.

use super::kinds::{Field, Kind};
use super::lexer::{Token, is_primitive_type};
use super::token_tree::Tokens;
use super::{Marker, ParseResult, Parser};

/// The form of a path. Its last node is an `identifier` until the path is known to be a type.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Path {
    /// One identifier.
    Name,
    /// One contextual keyword.
    Reserved,
    /// `self`, `super` or `crate` alone.
    Word,
    /// Only the leading `::`.
    Root,
    Bracketed,
    Scoped {
        /// Whether it begins with `<T>` or `<T as Trait>`.
        bracketed: bool,
        /// Whether its prefix has generic arguments, so that it is a type.
        typed: bool,
    },
    /// A type with generic arguments.
    Generic,
    /// A path followed by `::<...>`, not yet in a common node; the position of the path's node.
    Turbofish(usize),
}

impl Parser<'_> {
    /// Whether a path may begin here.
    pub fn begins_path(&self) -> bool {
        use Token::*;
        self.is_name()
            || matches!(self.token, SelfWord | Super | Crate | PathSeparator | Less | ShiftLeft)
    }

    /// The longest path. In a type, generic arguments need no `::` before them.
    pub fn path(&mut self, in_type: bool) -> Option<Path> {
        let begin = self.begin();
        let mut path = self.path_start()?;
        let mut bracketed = path == Path::Bracketed;
        loop {
            if in_type && self.begins(b'<') && self.is_generic(path) {
                self.type_name(path)?;
                self.field(Field::Type);
                self.type_arguments()?;
                self.field(Field::TypeArguments);
                self.close(Kind::GenericType, begin);
                path = Path::Generic;
                bracketed = false;
            } else if self.token != Token::PathSeparator {
                return Some(path);
            } else {
                if let Path::Scoped { typed: true, .. } = path {
                    return None;
                }
                self.advance();
                if self.begins(b'<') {
                    let number = self.turbofish(path)?;
                    if self.token != Token::PathSeparator {
                        return Some(Path::Turbofish(number));
                    }
                    self.generic_type(number, Kind::GenericType, begin);
                    // Unlike a type with arguments without `::`, this may continue with any segment.
                    path = Path::Turbofish(number);
                    bracketed = false;
                } else {
                    self.path_segment(path, begin)?;
                    path = Path::Scoped { bracketed, typed: path == Path::Generic };
                }
            }
        }
    }

    /// A path that does not end with generic arguments.
    pub fn plain_path(&mut self) -> ParseResult {
        match self.path(false)? {
            Path::Turbofish(_) => None,
            _ => Some(()),
        }
    }

    fn path_start(&mut self) -> Option<Path> {
        let (kind, path) = match self.token {
            Token::Name => (Kind::Identifier, Path::Name),
            Token::SelfWord => (Kind::SelfWord, Path::Word),
            Token::Super => (Kind::Super, Path::Word),
            Token::Crate => (Kind::Crate, Path::Word),
            Token::PathSeparator => return Some(Path::Root),
            Token::Less | Token::ShiftLeft => {
                self.bracketed_type()?;
                return (self.token == Token::PathSeparator).then_some(Path::Bracketed);
            }
            _ if self.is_name() => (Kind::Identifier, Path::Reserved),
            _ => return None,
        };
        self.leaf(kind);
        Some(path)
    }

    /// The segment after `::`, where every keyword but `super` is an identifier.
    fn path_segment(&mut self, path: Path, begin: Marker) -> ParseResult {
        if path != Path::Root {
            self.field(Field::Path);
        }
        match self.token {
            Token::Super => self.leaf(Kind::Super),
            Token::SelfWord => self.leaf(Kind::Identifier),
            _ => self.name(Kind::Identifier)?,
        }
        self.field(Field::Name);
        self.close(Kind::ScopedIdentifier, begin);
        Some(())
    }

    /// The generic arguments after `path::`; the position of the path's node.
    fn turbofish(&mut self, path: Path) -> Option<usize> {
        let generic = path != Path::Reserved && self.is_generic(path);
        generic.then_some(())?;
        let number = self.nodes.mark() - 1;
        self.type_arguments()?;
        self.field(Field::TypeArguments);
        Some(number)
    }

    /// Makes a path and the generic arguments after it a type.
    pub fn generic_type(&mut self, number: usize, kind: Kind, begin: Marker) {
        let node = self.nodes.node(number);
        if node.kind == Kind::Identifier as u16 {
            node.kind = Kind::TypeIdentifier as u16;
        }
        node.field = Field::Type as u16;
        self.close(kind, begin);
    }

    /// Makes the path that is the last node a type.
    pub fn type_name(&mut self, path: Path) -> ParseResult {
        let number = self.nodes.mark() - 1;
        match path {
            Path::Name => self.nodes.node(number).kind = Kind::TypeIdentifier as u16,
            // Before arguments the grammar keeps `self`, `super` and `crate` as they are.
            Path::Reserved if self.begins(b'<') => {}
            Path::Generic => {}
            Path::Scoped { .. } => {
                let name = self.nodes.node(number - 1);
                (name.kind == Kind::Identifier as u16).then_some(())?;
                name.kind = Kind::TypeIdentifier as u16;
                self.nodes.node(number).kind = Kind::ScopedTypeIdentifier as u16;
            }
            _ => return None,
        }
        Some(())
    }

    /// Whether the last node is the name of a primitive type.
    pub fn last_is_primitive(&mut self) -> bool {
        let text = self.text;
        self.nodes
            .last()
            .is_some_and(|node| is_primitive_type(&text[node.start as usize..node.end as usize]))
    }

    /// `!` and the token tree of the macro whose path is the last node.
    pub fn macro_invocation(&mut self, path: Path, begin: Marker) -> ParseResult {
        match path {
            Path::Name => (!self.last_is_primitive()).then_some(())?,
            Path::Reserved | Path::Scoped { typed: false, .. } => {}
            _ => return None,
        }
        self.field(Field::Macro);
        self.expect(Token::Not)?;
        self.token_tree(Tokens::Arguments)?;
        self.close(Kind::MacroInvocation, begin);
        Some(())
    }

    pub fn use_declaration(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        self.use_clause()?;
        self.field(Field::Argument);
        self.expect(Token::Semicolon)?;
        self.close(Kind::UseDeclaration, begin);
        Some(())
    }

    fn use_clause(&mut self) -> ParseResult {
        let begin = self.begin();
        match self.token {
            Token::OpenBrace => return self.use_list(),
            Token::Star => {
                self.leaf(Kind::UseWildcard);
                return Some(());
            }
            Token::Less | Token::ShiftLeft => return None,
            _ => {}
        }
        let mut path = self.path_start()?;
        while self.eat(Token::PathSeparator) {
            match self.token {
                Token::OpenBrace => {
                    if path != Path::Root {
                        self.field(Field::Path);
                    }
                    self.use_list()?;
                    self.field(Field::List);
                    self.close(Kind::ScopedUseList, begin);
                    return Some(());
                }
                Token::Star => {
                    self.advance();
                    self.close(Kind::UseWildcard, begin);
                    return Some(());
                }
                _ => self.path_segment(path, begin)?,
            }
            path = Path::Scoped { bracketed: false, typed: false };
        }
        if self.token == Token::As {
            self.field(Field::Path);
            self.advance();
            self.name_or_underscore(Kind::Identifier)?;
            self.field(Field::Alias);
            self.close(Kind::UseAsClause, begin);
        }
        Some(())
    }

    fn use_list(&mut self) -> ParseResult {
        let begin = self.begin();
        self.enter()?;
        self.advance();
        self.list(Token::CloseBrace, Self::use_clause)?;
        self.leave();
        self.close(Kind::UseList, begin);
        Some(())
    }

    /// Whether generic arguments may follow.
    fn is_generic(&mut self, path: Path) -> bool {
        match path {
            Path::Name => !self.last_is_primitive(),
            Path::Reserved | Path::Scoped { .. } => true,
            _ => false,
        }
    }
}
