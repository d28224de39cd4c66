//! Function parameters.

use super::{Field, Kind, Marker, Parser, Token};

/// With this many names before one type the grammar takes the first for types: it drops the other parse versions.
const TOO_MANY_NAMES: usize = 10;

/// What the parameters of a list have in common, as far as it is known.
#[derive(Clone, Copy, PartialEq)]
enum ParameterStyle {
    Unknown,
    Named,
    Types,
}

impl Parser<'_> {
    /// Parameters with names and types, or with types alone. The language forbids to mix them; the grammar would accept
    /// it, so mixed lists fall back.
    pub(super) fn parameter_list(&mut self) -> Option<()> {
        let open = self.open();
        self.expect(Token::LeftParen)?;
        let names = self.names.len();
        let mut style = ParameterStyle::Unknown;
        self.separated(Token::RightParen, |parser| {
            let is = parser.parameter(names)?;
            let mixed =
                is != ParameterStyle::Unknown && style != ParameterStyle::Unknown && is != style;
            style = if is == ParameterStyle::Unknown { style } else { is };
            (!mixed).then_some(())
        })?;
        if style == ParameterStyle::Named && self.names.len() > names {
            return None;
        }
        self.names_are_types(names);
        self.close(Kind::ParameterList, open);
        Some(())
    }

    /// One parameter. An identifier alone is pushed to `self.names`, where this list begins at `names`, until it is known
    /// whether it is a name or a type.
    fn parameter(&mut self, names: usize) -> Option<ParameterStyle> {
        let open = self.open();
        if self.at(Token::Ellipsis) {
            self.names_are_types(names);
            return self.variadic_parameter(self.open(), ParameterStyle::Types);
        }
        if !self.token().is_name() {
            self.names_are_types(names);
            let open = self.open();
            self.any_type()?;
            return self.unnamed_parameter(open);
        }
        self.advance();
        let named = match self.token() {
            Token::Comma | Token::RightParen => {
                self.names.push((open.start, self.lexer.at.last_end));
                return Some(ParameterStyle::Unknown);
            }
            Token::Ellipsis if self.names.len() > names => return None,
            Token::Ellipsis => {
                self.parameter_name(open.start, self.lexer.at.last_end);
                return self.variadic_parameter(open, ParameterStyle::Named);
            }
            Token::LeftBracket => self.after_brackets()?.begins_type(),
            token => token.begins_type(),
        };
        if named {
            return self.named_parameters(open, names);
        }
        self.names_are_types(names);
        let open = Marker { mark: self.nodes.mark(), start: open.start };
        self.type_of_name(open)?;
        self.unnamed_parameter(open)
    }

    fn unnamed_parameter(&mut self, open: Marker) -> Option<ParameterStyle> {
        self.field(Field::Type);
        self.close(Kind::ParameterDeclaration, open);
        Some(ParameterStyle::Types)
    }

    fn variadic_parameter(
        &mut self,
        open: Marker,
        style: ParameterStyle,
    ) -> Option<ParameterStyle> {
        self.advance();
        self.any_type()?;
        self.field(Field::Type);
        self.close(Kind::VariadicParameterDeclaration, open);
        Some(style)
    }

    /// Names with the type after them; the last name begins at `last` and is consumed.
    fn named_parameters(&mut self, last: Marker, names: usize) -> Option<ParameterStyle> {
        if self.names.len() - names + 1 >= TOO_MANY_NAMES {
            return None;
        }
        let end = self.lexer.at.last_end;
        let mut open = last;
        if let Some((start, _)) = self.names.get(names) {
            open.start = *start;
        }
        for at in names..self.names.len() {
            let (start, end) = self.names[at];
            self.parameter_name(start, end);
        }
        self.names.truncate(names);
        self.parameter_name(last.start, end);
        self.any_type()?;
        self.field(Field::Type);
        self.close(Kind::ParameterDeclaration, open);
        Some(ParameterStyle::Named)
    }

    fn parameter_name(&mut self, start: usize, end: usize) {
        self.nodes.leaf(Kind::Identifier as u16, start, end);
        self.field(Field::Name);
    }

    fn names_are_types(&mut self, names: usize) {
        for at in names..self.names.len() {
            let (start, end) = self.names[at];
            let mark = self.nodes.mark();
            self.nodes.leaf(Kind::TypeIdentifier as u16, start, end);
            self.field(Field::Type);
            self.nodes.close(Kind::ParameterDeclaration as u16, mark, start, end);
        }
        self.names.truncate(names);
    }
}
