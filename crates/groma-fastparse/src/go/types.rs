//! Types.

use super::{Field, Kind, Marker, Parser, Token};

impl Parser<'_> {
    pub(super) fn any_type(&mut self) -> Option<()> {
        if self.token().is_name() {
            return self.named_type();
        }
        self.nested(Self::composed_type)
    }

    fn composed_type(&mut self) -> Option<()> {
        let open = self.open();
        let kind = match self.token() {
            Token::LeftParen => {
                self.advance();
                self.any_type()?;
                self.expect(Token::RightParen)?;
                Kind::ParenthesizedType
            }
            Token::Star => {
                self.advance();
                self.any_type()?;
                Kind::PointerType
            }
            Token::Tilde => return self.negated_type(open),
            Token::LeftBracket => return self.array_type(false),
            Token::Struct => return self.struct_type(open),
            Token::Interface => return self.interface_type(open),
            Token::Map => return self.map_type(open),
            Token::Chan | Token::Arrow => return self.channel_type(open),
            Token::Func => {
                self.advance();
                self.signature()?;
                Kind::FunctionType
            }
            _ => return None,
        };
        self.close(kind, open);
        Some(())
    }

    pub(super) fn named_type(&mut self) -> Option<()> {
        let open = self.open();
        if !self.token().is_name() {
            return None;
        }
        self.advance();
        self.type_of_name(open)
    }

    /// A type whose first identifier is consumed.
    pub(super) fn type_of_name(&mut self, open: Marker) -> Option<()> {
        self.plain_type_of_name(open)?;
        if self.at(Token::LeftBracket) {
            self.field(Field::Type);
            self.nested(Self::type_arguments)?;
            self.close(Kind::GenericType, open);
        }
        Some(())
    }

    /// As [`Parser::type_of_name`], but without type arguments.
    pub(super) fn plain_type_of_name(&mut self, open: Marker) -> Option<()> {
        let end = self.lexer.at.last_end;
        if !self.at(Token::Dot) {
            self.nodes.leaf(Kind::TypeIdentifier as u16, open.start, end);
            return Some(());
        }
        self.nodes.leaf(Kind::PackageIdentifier as u16, open.start, end);
        self.field(Field::Package);
        self.advance();
        self.name_as(Field::Name, Kind::TypeIdentifier)?;
        self.close(Kind::QualifiedType, open);
        Some(())
    }

    pub(super) fn type_arguments(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if self.at(Token::RightBracket) {
            return None;
        }
        self.separated(Token::RightBracket, |parser| {
            let element = parser.open();
            parser.type_union()?;
            parser.close(Kind::TypeElem, element);
            Some(())
        })?;
        self.close_as(Field::TypeArguments, Kind::TypeArguments, open);
        Some(())
    }

    /// Types with `|` between them.
    pub(super) fn type_union(&mut self) -> Option<()> {
        self.any_type()?;
        while self.skip(Token::Pipe) {
            self.any_type()?;
        }
        Some(())
    }

    fn negated_type(&mut self, open: Marker) -> Option<()> {
        self.advance();
        let named = self.token().is_name();
        self.any_type()?;
        // The grammar gives type arguments at the end of anything but a name to the negated type.
        if !named && self.lexer.byte(self.lexer.at.last_end - 1) == b']' {
            return None;
        }
        self.close(Kind::NegatedType, open);
        Some(())
    }

    /// An array or slice type; `[...]T` only if a composite literal may follow.
    pub(super) fn array_type(&mut self, implicit_length: bool) -> Option<()> {
        let open = self.open();
        self.advance();
        let kind = match self.token() {
            Token::RightBracket => Kind::SliceType,
            Token::Ellipsis if implicit_length => {
                self.advance();
                Kind::ImplicitLengthArrayType
            }
            _ => {
                self.with_literals(true, Self::expression)?;
                self.field(Field::Length);
                Kind::ArrayType
            }
        };
        self.expect(Token::RightBracket)?;
        self.any_type()?;
        self.field(Field::Element);
        self.close(kind, open);
        Some(())
    }

    fn map_type(&mut self, open: Marker) -> Option<()> {
        self.advance();
        self.expect(Token::LeftBracket)?;
        self.any_type()?;
        self.field(Field::Key);
        self.expect(Token::RightBracket)?;
        self.any_type()?;
        self.field(Field::Value);
        self.close(Kind::MapType, open);
        Some(())
    }

    fn channel_type(&mut self, open: Marker) -> Option<()> {
        if self.skip(Token::Arrow) {
            self.expect(Token::Chan)?;
        } else {
            self.advance();
            let arrow = self.lexer.at;
            // In `chan<- chan T` the grammar gives the arrow to the second `chan`.
            if self.skip(Token::Arrow) && self.at(Token::Chan) {
                self.lexer.rewind(arrow)?;
            }
        }
        self.any_type()?;
        self.field(Field::Value);
        self.close(Kind::ChannelType, open);
        Some(())
    }

    fn interface_type(&mut self, open: Marker) -> Option<()> {
        self.advance();
        if !self.at(Token::LeftBrace) {
            return None;
        }
        self.lines(Token::RightBrace, Self::interface_element)?;
        self.close(Kind::InterfaceType, open);
        Some(())
    }

    fn interface_element(&mut self) -> Option<()> {
        let open = self.open();
        if !self.token().is_name() {
            self.type_union()?;
            self.close(Kind::TypeElem, open);
            return Some(());
        }
        self.advance();
        if self.at(Token::LeftParen) {
            let end = self.lexer.at.last_end;
            self.nodes.leaf(Kind::FieldIdentifier as u16, open.start, end);
            self.field(Field::Name);
            self.signature()?;
            self.close(Kind::MethodElem, open);
            return Some(());
        }
        self.type_of_name(open)?;
        if self.skip(Token::Pipe) {
            self.type_union()?;
        }
        self.close(Kind::TypeElem, open);
        Some(())
    }
}
