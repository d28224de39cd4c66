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
    /// The last index, if it is the last thing of the operand.
    index: Option<Index>,
}

/// `a[b]`, which may turn out to be something else.
struct Index {
    /// The bracket, and where its nodes begin.
    place: Place,
    mark: usize,
    /// The points of a call with type arguments.
    arguments: Option<i16>,
    /// Whether it is rather an instantiation than an index.
    instance: bool,
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
                found = match parser.token() {
                    Token::Dot => parser.selector(&mut operand, found)?,
                    Token::LeftParen => parser.call(&mut operand, found)?,
                    Token::LeftBracket => parser.index(&mut operand, found)?,
                    Token::LeftBrace if parser.begins_literal(found) => {
                        parser.composite_literal(&mut operand, found)?
                    }
                    _ => {
                        parser.tail = (found, parser.lexer.at.last_end);
                        return Some(Found { with_pointers: operand.with_pointers, ..found });
                    }
                };
            }
        })
    }

    fn selector(&mut self, operand: &mut Operand, found: Found) -> Option<Found> {
        found.value()?;
        operand.index = None;
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

    fn call(&mut self, operand: &mut Operand, found: Found) -> Option<Found> {
        if found.shape == Shape::Guard {
            return None;
        }
        if found.is_type() || found.converts() && self.has_one_argument()? {
            return self.conversion(operand);
        }
        if let Some(index) = operand.index.take() {
            if index.arguments.is_some_and(|points| points > found.as_value) {
                self.back(index.place, index.mark)?;
                return self.call_with_types(operand.open);
            }
            if index.instance {
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
        self.advance();
        let mut one = !self.at(Token::RightParen);
        let mut open = 1;
        while one && open > 0 {
            let token = self.token();
            match token {
                Token::LeftParen | Token::LeftBracket | Token::LeftBrace => open += 1,
                Token::RightParen | Token::RightBracket | Token::RightBrace => open -= 1,
                Token::Ellipsis if open == 1 => one = false,
                Token::End | Token::Wrong => return None,
                _ => {}
            }
            self.advance();
            if token == Token::Comma && open == 1 {
                one = self.at(Token::RightParen);
            }
        }
        self.lexer.back(place)?;
        Some(one)
    }

    fn argument_list(&mut self) -> Option<()> {
        let open = self.open();
        self.advance();
        self.with_literals(true, |parser| {
            while !parser.at(Token::RightParen) {
                let argument = parser.open();
                parser.expression()?;
                if parser.skip(Token::Ellipsis) {
                    parser.close(Kind::VariadicArgument, argument);
                }
                if !parser.skip(Token::Comma) && !parser.at(Token::RightParen) {
                    return None;
                }
            }
            Some(())
        })?;
        self.advance();
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
        if matches!(found.shape, Shape::Word | Shape::Allocator) {
            return None;
        }
        let (place, mark) = (self.lexer.at, self.nodes.mark());
        self.field(Field::Operand);
        self.advance();
        if self.at(Token::Colon) {
            return self.slice(operand);
        }
        let inside = self.with_literals(true, |parser| parser.operation(1))?;
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
                self.perhaps_index(
                    operand,
                    found,
                    inside,
                    Index {
                        place,
                        mark,
                        arguments: inside.as_type.map(|points| found.as_value + points + 2),
                        instance: false,
                    },
                )
            }
            Token::RightBracket | Token::Comma => {
                self.back(place, mark)?;
                self.with_type_arguments(operand, found)
            }
            _ => None,
        }
    }

    fn slice(&mut self, operand: &mut Operand) -> Option<Found> {
        operand.index = None;
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
    fn perhaps_index(
        &mut self,
        operand: &mut Operand,
        found: Found,
        inside: Found,
        mut index: Index,
    ) -> Option<Found> {
        let as_type = found.generic_points(inside);
        let mut as_value = found.index_points(inside);
        if as_type.is_some() && self.at(Token::LeftBrace) && self.literals {
            return self.generic_literal(operand);
        }
        if let Some(points) = found.instance_points(inside).filter(|points| *points >= as_value) {
            as_value = points;
            index.instance = true;
            if !self.at(Token::LeftParen) {
                return self.instance(operand, found, Found::new(Shape::Index, as_type, as_value));
            }
        }
        operand.index = Some(index);
        Some(Found::new(Shape::Index, as_type, as_value))
    }

    /// What is in the bracket here are types.
    fn with_type_arguments(&mut self, operand: &mut Operand, found: Found) -> Option<Found> {
        let place = self.lexer.at;
        self.skip_brackets()?;
        let (after, named) = (self.token(), found.is_type_name());
        let converts = named && after == Token::LeftParen && self.has_one_argument()?;
        self.lexer.back(place)?;
        match after {
            Token::LeftParen if converts => self.conversion(operand),
            Token::LeftParen => self.call_with_types(operand.open),
            Token::LeftBrace if self.literals && named => self.generic_literal(operand),
            _ => {
                let points = found.as_type? - 1;
                self.instance(operand, found, Found::new(Shape::Index, Some(3), points))
            }
        }
    }

    /// The operand once more, as the instance of something generic.
    fn instance(&mut self, operand: &mut Operand, found: Found, result: Found) -> Option<Found> {
        operand.index = None;
        self.back(operand.place, operand.open.mark)?;
        self.advance();
        match found.shape {
            Shape::Name | Shape::Qualified => self.plain_type_of_name(operand.open)?,
            Shape::Index => self.type_of_name(operand.open)?,
            _ => return None,
        }
        self.field(Field::Type);
        self.expect(Token::LeftBracket)?;
        loop {
            self.any_type()?;
            let more = self.skip(Token::Comma);
            if self.skip(Token::RightBracket) {
                break;
            }
            if !more {
                return None;
            }
        }
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

    fn composite_literal(&mut self, operand: &mut Operand, found: Found) -> Option<Found> {
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
    fn generic_literal(&mut self, operand: &mut Operand) -> Option<Found> {
        self.back(operand.place, operand.open.mark)?;
        self.any_type()?;
        self.literal_of_type(operand)
    }

    /// The last node is a type: the value after it.
    fn literal_of_type(&mut self, operand: &mut Operand) -> Option<Found> {
        operand.index = None;
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
