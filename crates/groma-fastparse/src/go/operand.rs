//! What follows an operand: selectors, indices, calls and literals.

use super::found::{Found, Shape};
use super::{Field, Kind, Open, Parser, Place, Token};

/// An operand that is being read.
struct Operand {
    place: Place,
    open: Open,
    /// Where the pointers before it begin, if there are any that it does not have yet.
    pointers: Option<(Place, Open)>,
    with_pointers: bool,
    /// The index that the last step was, if it was one.
    index: Option<Index>,
}

/// `a[b]`, which may turn out to be something else.
#[derive(Clone, Copy)]
struct Index {
    /// The bracket, and where its nodes begin.
    place: Place,
    mark: usize,
    of: Found,
    inside: Found,
}

impl Parser<'_> {
    /// An operand with all that follows it; the pointers before it may become part of it.
    pub(super) fn operand(&mut self, pointers: Option<(Place, Open)>) -> Option<Found> {
        self.deeper(|parser| {
            let mut operand = Operand {
                place: parser.lexer.at,
                open: parser.open(),
                pointers,
                with_pointers: false,
                index: None,
            };
            let mut found = parser.primary()?;
            loop {
                let index = operand.index.take();
                found = match parser.token() {
                    Token::Dot => parser.selector(&operand, found)?,
                    Token::LeftParen => parser.call(&mut operand, found, index)?,
                    Token::LeftBracket => parser.index(&mut operand, found)?,
                    Token::LeftBrace if parser.begins_literal(found) => {
                        parser.composite_literal(&operand, found)?
                    }
                    _ => {
                        parser.tail = (found, parser.lexer.at.last_end);
                        return Some(Found { with_pointers: operand.with_pointers, ..found });
                    }
                };
            }
        })
    }

    fn selector(&mut self, operand: &Operand, found: Found) -> Option<Found> {
        found.value()?;
        self.field(Field::Operand);
        self.advance();
        if self.skip(Token::LeftParen) {
            return self.type_assertion(operand);
        }
        self.name_as(Field::Selected, Kind::FieldIdentifier)?;
        self.close(Kind::SelectorExpression, operand.open);
        Some(match found.shape {
            Shape::Name => Found::new(Shape::Qualified, Some(0), 0),
            _ => Found::other(),
        })
    }

    fn type_assertion(&mut self, operand: &Operand) -> Option<Found> {
        if self.skip(Token::Type) {
            self.expect(Token::RightParen)?;
            return Some(Found::new(Shape::Guard, None, 0));
        }
        self.any_type()?;
        self.field(Field::Type);
        self.expect(Token::RightParen)?;
        self.close(Kind::TypeAssertionExpression, operand.open);
        Some(Found::other())
    }

    fn call(&mut self, operand: &mut Operand, found: Found, index: Option<Index>) -> Option<Found> {
        if found.shape == Shape::Guard {
            return None;
        }
        if found.is_type() || found.converts() && self.has_one_argument()? {
            return self.conversion(operand);
        }
        if let Some(index) = index {
            if index.of.argument_points(index.inside).is_some_and(|it| it > found.as_value) {
                self.back(index.place, index.mark)?;
                return self.call_with_types(operand.open);
            }
            if index.of.is_instance(index.inside) {
                return None;
            }
        }
        self.field(Field::Function);
        match found.shape {
            Shape::Allocator => self.allocator_arguments()?,
            _ => self.argument_list()?,
        }
        self.close(Kind::CallExpression, operand.open);
        Some(Found::other())
    }

    /// The call of the last node with type arguments.
    fn call_with_types(&mut self, open: Open) -> Option<Found> {
        self.field(Field::Function);
        self.type_arguments()?;
        self.argument_list()?;
        self.close(Kind::CallExpression, open);
        Some(Found::other())
    }

    /// The operand once more, as a type, and what is converted to it.
    fn conversion(&mut self, operand: &mut Operand) -> Option<Found> {
        if let Some((place, open)) = operand.pointers.take() {
            (operand.place, operand.open, operand.with_pointers) = (place, open, true);
        }
        self.back(operand.place, operand.open.mark)?;
        self.any_type()?;
        self.field(Field::Type);
        self.expect(Token::LeftParen)?;
        self.with_literals(true, Self::expression)?;
        self.field(Field::Operand);
        self.skip(Token::Comma);
        self.expect(Token::RightParen)?;
        self.close(Kind::TypeConversionExpression, operand.open);
        Some(Found::other())
    }

    /// Whether there is one argument in the parentheses here, and no `...` after it.
    fn has_one_argument(&mut self) -> Option<bool> {
        let place = self.lexer.at;
        let (mut any, mut one, mut comma) = (false, true, false);
        self.skip_brackets(|token| {
            one &= !comma && token != Token::Ellipsis;
            comma |= token == Token::Comma;
            any = true;
        })?;
        self.lexer.back(place)?;
        Some(any && one)
    }

    fn argument_list(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        self.with_literals(true, |parser| {
            parser.separated(Token::RightParen, |parser| {
                let argument = parser.open();
                parser.expression()?;
                if parser.skip(Token::Ellipsis) {
                    parser.close(Kind::VariadicArgument, argument);
                }
                Some(())
            })
        })?;
        self.close_as(Field::Arguments, Kind::ArgumentList, open);
        Some(())
    }

    /// A type and what `make` wants besides.
    fn allocator_arguments(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        if !self.at(Token::RightParen) {
            self.any_type()?;
            while self.skip(Token::Comma) && !self.at(Token::RightParen) {
                self.with_literals(true, Self::expression)?;
            }
        }
        self.expect(Token::RightParen)?;
        self.close_as(Field::Arguments, Kind::ArgumentList, open);
        Some(())
    }

    fn index(&mut self, operand: &mut Operand, found: Found) -> Option<Found> {
        found.value()?;
        let found = self.indexed(found)?;
        let (place, mark) = (self.lexer.at, self.nodes.mark());
        self.field(Field::Operand);
        self.advance();
        if self.at(Token::Colon) {
            return self.slice(operand);
        }
        self.indices += 1;
        let inside = self.with_literals(true, |parser| parser.operation(1))?;
        self.indices -= 1;
        match self.token() {
            Token::Colon => {
                inside.value()?;
                self.field(Field::Start);
                self.slice(operand)
            }
            Token::RightBracket if !inside.is_type() => {
                inside.value()?;
                self.field(Field::Index);
                self.advance();
                self.close(Kind::IndexExpression, operand.open);
                self.perhaps_index(operand, Index { place, mark, of: found, inside })
            }
            Token::RightBracket | Token::Comma => {
                self.back(place, mark)?;
                self.with_type_arguments(operand, found)
            }
            _ => None,
        }
    }

    /// What an index is of: a word of the grammar is no name of a type before a bracket, unless inside of another.
    fn indexed(&self, found: Found) -> Option<Found> {
        match found.shape {
            Shape::Word | Shape::Allocator if self.indices > 0 => None,
            Shape::Word | Shape::Allocator => Some(Found::other()),
            _ => Some(found),
        }
    }

    fn slice(&mut self, operand: &Operand) -> Option<Found> {
        self.advance();
        self.with_literals(true, |parser| {
            if !parser.at(Token::RightBracket) {
                parser.expression()?;
                parser.field(Field::End);
                if parser.skip(Token::Colon) {
                    parser.expression()?;
                    parser.field(Field::Capacity);
                }
            }
            parser.expect(Token::RightBracket)
        })?;
        self.close(Kind::SliceExpression, operand.open);
        Some(Found::other())
    }

    /// What the index just closed is, by what follows it.
    fn perhaps_index(&mut self, operand: &mut Operand, index: Index) -> Option<Found> {
        let result = index.of.at_index(index.inside);
        if result.as_type.is_some() && self.at(Token::LeftBrace) && self.literals {
            return self.generic_literal(operand);
        }
        if index.of.is_instance(index.inside) && !self.at(Token::LeftParen) {
            return self.instance(operand, index.of, result);
        }
        operand.index = Some(index);
        Some(result)
    }

    /// What is in the bracket here are types.
    fn with_type_arguments(&mut self, operand: &mut Operand, found: Found) -> Option<Found> {
        if found.shape == Shape::Index {
            return None;
        }
        let place = self.lexer.at;
        self.skip_brackets(|_| ())?;
        let (after, named) = (self.token(), found.is_type_name());
        let converts = named && after == Token::LeftParen && self.has_one_argument()?;
        self.lexer.back(place)?;
        match after {
            Token::LeftParen if converts => self.conversion(operand),
            Token::LeftParen => self.call_with_types(operand.open),
            Token::LeftBrace if self.literals && named => self.generic_literal(operand),
            Token::LeftBrace => None,
            _ => {
                let points = found.as_type? - 1;
                self.instance(operand, found, Found::new(Shape::Index, Some(3), points))
            }
        }
    }

    /// The operand once more, as the instance of something generic.
    fn instance(&mut self, operand: &Operand, found: Found, result: Found) -> Option<Found> {
        // The grammar has the pointers inside, or more types than one to choose from.
        if operand.pointers.is_some() {
            return None;
        }
        self.back(operand.place, operand.open.mark)?;
        self.advance();
        match found.shape {
            Shape::Name | Shape::Qualified => self.plain_type_of_name(operand.open)?,
            Shape::Index => self.type_of_name(operand.open)?,
            _ => return None,
        }
        self.field(Field::Type);
        self.expect(Token::LeftBracket)?;
        self.separated(Token::RightBracket, Self::any_type)?;
        self.close(Kind::TypeInstantiationExpression, operand.open);
        Some(result)
    }

    /// Whether a brace after it begins a literal.
    fn begins_literal(&self, found: Found) -> bool {
        match found.shape {
            Shape::Type { literal } => literal,
            Shape::Name | Shape::Qualified => self.literals,
            _ => false,
        }
    }

    fn composite_literal(&mut self, operand: &Operand, found: Found) -> Option<Found> {
        let mark = operand.open.mark;
        match found.shape {
            Shape::Name => self.nodes.last()?.kind = Kind::TypeIdentifier as u16,
            Shape::Qualified => {
                let parts = [
                    (Kind::PackageIdentifier, Field::Package),
                    (Kind::TypeIdentifier, Field::Name),
                    (Kind::QualifiedType, Field::None),
                ];
                for (at, (kind, field)) in parts.into_iter().enumerate() {
                    let node = self.nodes.node(mark + at);
                    (node.kind, node.field) = (kind as u16, field as u16);
                }
            }
            _ => {}
        }
        self.literal_of_type(operand)
    }

    /// The operand once more, as a generic type, and the value.
    fn generic_literal(&mut self, operand: &Operand) -> Option<Found> {
        self.back(operand.place, operand.open.mark)?;
        self.any_type()?;
        self.literal_of_type(operand)
    }

    /// The last node is a type: the value after it.
    fn literal_of_type(&mut self, operand: &Operand) -> Option<Found> {
        self.field(Field::Type);
        if !self.at(Token::LeftBrace) {
            return None;
        }
        self.with_literals(true, Self::literal_value)?;
        self.field(Field::Body);
        self.close(Kind::CompositeLiteral, operand.open);
        Some(Found::other())
    }
}
