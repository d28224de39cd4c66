//! The fields of a struct.

use super::{Field, Kind, Marker, Parser, Token};

impl Parser<'_> {
    pub(super) fn struct_type(&mut self, open: Marker) -> Option<()> {
        self.advance();
        let list = self.open();
        if !self.at(Token::LeftBrace) {
            return None;
        }
        self.lines(Token::RightBrace, Self::field_declaration)?;
        self.close(Kind::FieldDeclarationList, list);
        self.close(Kind::StructType, open);
        Some(())
    }

    fn field_declaration(&mut self) -> Option<()> {
        let open = self.open();
        if self.skip(Token::Star) {
            self.named_type()?;
        } else {
            self.named_field(open)?;
        }
        self.field(Field::Type);
        if matches!(self.token(), Token::String | Token::RawString) {
            self.string_literal()?;
            self.field(Field::Tag);
        }
        self.close(Kind::FieldDeclaration, open);
        Some(())
    }

    /// Names and their type, or a type alone.
    fn named_field(&mut self, open: Marker) -> Option<()> {
        if !self.token().is_name() {
            return None;
        }
        self.advance();
        let named = match self.token() {
            Token::Comma => true,
            Token::LeftBracket => self.after_brackets()?.begins_type(),
            token => token.begins_type(),
        };
        if !named {
            return self.type_of_name(open);
        }
        self.nodes.leaf(Kind::FieldIdentifier as u16, open.start, self.lexer.at.last_end);
        self.field(Field::Name);
        while self.skip(Token::Comma) {
            self.name_as(Field::Name, Kind::FieldIdentifier)?;
        }
        self.any_type()
    }
}
