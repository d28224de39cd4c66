//! The parameters of a function.

use super::{Field, Kind, Open, Parser, Token};

/// Of so many names with one type the grammar takes the first ones for types, since it cannot follow all that they may
/// be.
const TOO_MANY_NAMES: usize = 10;

/// What the parameters of a list are so far.
#[derive(Clone, Copy, PartialEq)]
enum Are {
    Unknown,
    Named,
    Types,
}

impl Parser<'_> {
    /// Parameters with names and types or with types alone: what the language does not mix is not mixed here, though
    /// the grammar would.
    pub(super) fn parameter_list(&mut self) -> Option<()> {
        let open = self.open();
        self.expect(Token::LeftParen)?;
        let names = self.names.len();
        let mut are = Are::Unknown;
        self.separated(Token::RightParen, |parser| {
            let is = parser.parameter(names)?;
            let mixed = is != Are::Unknown && are != Are::Unknown && is != are;
            are = if is == Are::Unknown { are } else { is };
            (!mixed).then_some(())
        })?;
        if are == Are::Named && self.names.len() > names {
            return None;
        }
        self.names_are_types(names);
        self.close(Kind::ParameterList, open);
        Some(())
    }

    /// One of them; a name alone is kept with those from `names` on, until it is known what it is.
    fn parameter(&mut self, names: usize) -> Option<Are> {
        let open = self.open();
        if self.at(Token::Ellipsis) {
            self.names_are_types(names);
            return self.variadic_parameter(self.open(), Are::Types);
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
                return Some(Are::Unknown);
            }
            Token::Ellipsis if self.names.len() > names => return None,
            Token::Ellipsis => {
                self.parameter_name(open.start, self.lexer.at.last_end);
                return self.variadic_parameter(open, Are::Named);
            }
            Token::LeftBracket => self.after_brackets()?.begins_type(),
            token => token.begins_type(),
        };
        if named {
            return self.named_parameters(open, names);
        }
        self.names_are_types(names);
        let open = Open { mark: self.nodes.mark(), start: open.start };
        self.type_of_name(open)?;
        self.unnamed_parameter(open)
    }

    fn unnamed_parameter(&mut self, open: Open) -> Option<Are> {
        self.field(Field::Type);
        self.close(Kind::ParameterDeclaration, open);
        Some(Are::Types)
    }

    fn variadic_parameter(&mut self, open: Open, are: Are) -> Option<Are> {
        self.advance();
        self.any_type()?;
        self.field(Field::Type);
        self.close(Kind::VariadicParameterDeclaration, open);
        Some(are)
    }

    /// Names with the type after them; the last one begins with `last` and is passed.
    fn named_parameters(&mut self, last: Open, names: usize) -> Option<Are> {
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
        Some(Are::Named)
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
