//! The source file and its declarations.

use super::{Field, Kind, Parser, Position, Token};

impl Parser<'_> {
    pub(super) fn source_file(&mut self) -> Option<()> {
        let mut open = self.open();
        match self.lexer.comments.first() {
            Some((start, _)) => open.start = open.start.min(*start),
            None if self.at(Token::End) => return None,
            None => {}
        }
        while !self.at(Token::End) {
            match self.token() {
                Token::Package => self.package_clause()?,
                Token::Import => self.import_declaration()?,
                Token::Func => self.function()?,
                _ => {
                    self.statement()?;
                    // The grammar accepts the end of the file as a terminator here only sometimes.
                    if self.at(Token::End) {
                        return None;
                    }
                }
            }
            if !self.at(Token::End) {
                self.end_of_line()?;
            }
        }
        let end = self.lexer.text.len();
        self.nodes.close(Kind::SourceFile as u16, open.mark, open.start, end);
        Some(())
    }

    fn package_clause(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        self.name(Kind::PackageIdentifier)?;
        self.close(Kind::PackageClause, open);
        Some(())
    }

    fn import_declaration(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if self.at(Token::LeftParen) {
            let list = self.open();
            self.lines(Token::RightParen, Self::import_spec)?;
            self.close(Kind::ImportSpecList, list);
        } else {
            self.import_spec()?;
        }
        self.close(Kind::ImportDeclaration, open);
        Some(())
    }

    fn import_spec(&mut self) -> Option<()> {
        let open = self.open();
        if self.at(Token::Dot) {
            self.leaf(Kind::Dot);
            self.field(Field::Name);
        } else if self.token().is_name() {
            let at = self.lexer.at;
            let blank = &self.lexer.text[at.start..at.end] == "_";
            let kind = if blank { Kind::BlankIdentifier } else { Kind::PackageIdentifier };
            self.name_as(Field::Name, kind)?;
        }
        self.string_literal()?;
        self.field(Field::Path);
        self.close(Kind::ImportSpec, open);
        Some(())
    }

    /// A function or method; external ones have no body.
    fn function(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        let mut kind = Kind::FunctionDeclaration;
        if self.at(Token::LeftParen) {
            kind = Kind::MethodDeclaration;
            self.parameter_list()?;
            self.field(Field::Receiver);
            self.name_as(Field::Name, Kind::FieldIdentifier)?;
        } else {
            self.name_as(Field::Name, Kind::Identifier)?;
            if self.at(Token::LeftBracket) {
                self.type_parameter_list()?;
            }
        }
        self.signature()?;
        if self.at(Token::LeftBrace) {
            self.block()?;
            self.field(Field::Body);
        }
        self.close(kind, open);
        Some(())
    }

    /// The parameters and the result.
    pub(super) fn signature(&mut self) -> Option<()> {
        self.parameter_list()?;
        self.field(Field::Parameters);
        if self.at(Token::LeftParen) {
            self.parameter_list()?;
            self.field(Field::Result);
        } else if self.token().begins_simple_type() {
            self.any_type()?;
            self.field(Field::Result);
        }
        Some(())
    }

    pub(super) fn const_declaration(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if self.at(Token::LeftParen) {
            self.terminated_lines(Self::const_spec)?;
        } else {
            self.const_spec()?;
        }
        self.close(Kind::ConstDeclaration, open);
        Some(())
    }

    pub(super) fn var_declaration(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if self.at(Token::LeftParen) {
            let list = self.open();
            self.terminated_lines(Self::var_spec)?;
            self.close(Kind::VarSpecList, list);
        } else {
            self.var_spec()?;
        }
        self.close(Kind::VarDeclaration, open);
        Some(())
    }

    fn const_spec(&mut self) -> Option<()> {
        // The grammar accepts no type without a value.
        self.spec(Kind::ConstSpec, |typed, valued| valued || !typed)
    }

    fn var_spec(&mut self) -> Option<()> {
        self.spec(Kind::VarSpec, |typed, valued| valued || typed)
    }

    /// Names, with a type and values as far as `is_complete` demands.
    fn spec(&mut self, kind: Kind, is_complete: fn(bool, bool) -> bool) -> Option<()> {
        let open = self.open();
        self.spec_names()?;
        let typed = self.token().begins_type();
        if typed {
            self.any_type()?;
            self.field(Field::Type);
        }
        let valued = self.at(Token::Assign);
        if valued {
            self.spec_values()?;
        }
        if !is_complete(typed, valued) {
            return None;
        }
        self.close(kind, open);
        Some(())
    }

    fn spec_names(&mut self) -> Option<()> {
        self.name_as(Field::Name, Kind::Identifier)?;
        while self.skip(Token::Comma) {
            self.name_as(Field::Name, Kind::Identifier)?;
        }
        Some(())
    }

    fn spec_values(&mut self) -> Option<()> {
        self.advance();
        self.expression_list()?;
        self.field(Field::Value);
        Some(())
    }

    /// Elements in parentheses, each with a terminator: the grammar demands it after the last one, too.
    fn terminated_lines(&mut self, mut line: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.lines(Token::RightParen, |parser| {
            line(parser)?;
            parser.token().ends_line().then_some(())
        })
    }

    pub(super) fn type_declaration(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if self.at(Token::LeftParen) {
            self.lines(Token::RightParen, Self::type_spec)?;
        } else {
            self.type_spec()?;
        }
        self.close(Kind::TypeDeclaration, open);
        Some(())
    }

    fn type_spec(&mut self) -> Option<()> {
        let open = self.open();
        self.name_as(Field::Name, Kind::TypeIdentifier)?;
        if self.at(Token::LeftBracket) && self.has_type_parameters()? {
            self.type_parameter_list()?;
        }
        let alias = self.skip(Token::Assign);
        self.any_type()?;
        self.field(Field::Type);
        self.close(if alias { Kind::TypeAlias } else { Kind::TypeSpec }, open);
        Some(())
    }

    /// Whether the bracket at the current token begins type parameters, not an array type.
    fn has_type_parameters(&mut self) -> Option<bool> {
        let position = self.lexer.at;
        self.advance();
        let named = self.token().is_name();
        self.advance();
        let after = self.token();
        let is = match after {
            _ if !named => false,
            Token::Star => self.is_pointer_parameter(position)?,
            Token::LeftParen | Token::LeftBracket => return None,
            Token::Comma | Token::Tilde => true,
            token => token.begins_type(),
        };
        self.lexer.rewind(position)?;
        Some(is)
    }

    /// Whether `*` after the first name in the bracket begins a pointer type, not a multiplication, which the grammar
    /// prefers.
    fn is_pointer_parameter(&mut self, bracket: Position) -> Option<bool> {
        self.advance();
        let plain = self.token() <= Token::Rune;
        self.advance();
        let factor = plain && self.at(Token::RightBracket);
        self.lexer.rewind(bracket)?;
        if factor {
            return Some(false);
        }
        let mut comma = false;
        self.skip_brackets(|token| comma |= token == Token::Comma)?;
        comma.then_some(true)
    }

    fn type_parameter_list(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if self.at(Token::RightBracket) {
            return None;
        }
        self.separated(Token::RightBracket, |parser| {
            let declaration = parser.open();
            parser.spec_names()?;
            let constraint = parser.open();
            parser.type_union()?;
            parser.close_as(Field::Type, Kind::TypeConstraint, constraint);
            parser.close(Kind::TypeParameterDeclaration, declaration);
            Some(())
        })?;
        self.close_as(Field::TypeParameters, Kind::TypeParameterList, open);
        Some(())
    }
}
