//! Operands with their suffixes: selectors, indices, calls and composite literals.

use super::interpretation::{Interpretation, Shape};
use super::{Field, Kind, Marker, Parser, Position, Token};

/// An operand that is being parsed.
struct Operand {
    position: Position,
    open: Marker,
    /// The start of the `*` before it, while they are not part of it.
    pointers: Option<(Position, Marker)>,
    with_pointers: bool,
    /// The last suffix, if it was an index.
    index: Option<Index>,
}

/// `a[b]`, which may turn out to be an instantiation or a type.
#[derive(Clone, Copy)]
struct Index {
    /// The bracket, and the mark of its nodes.
    position: Position,
    mark: usize,
    of: Interpretation,
    inside: Interpretation,
}

impl Parser<'_> {
    /// An operand with its suffixes; the `*` before it may become part of it.
    pub(super) fn operand(
        &mut self,
        pointers: Option<(Position, Marker)>,
    ) -> Option<Interpretation> {
        self.nested(|parser| {
            let mut operand = Operand {
                position: parser.lexer.at,
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
                        return Some(Interpretation {
                            with_pointers: operand.with_pointers,
                            ..found
                        });
                    }
                };
            }
        })
    }

    fn selector(&mut self, operand: &Operand, found: Interpretation) -> Option<Interpretation> {
        found.value()?;
        self.field(Field::Operand);
        self.advance();
        if self.skip(Token::LeftParen) {
            return self.type_assertion(operand);
        }
        self.name_as(Field::Selected, Kind::FieldIdentifier)?;
        self.close(Kind::SelectorExpression, operand.open);
        Some(match found.shape {
            Shape::Name => Interpretation::new(Shape::Qualified, Some(0), 0),
            _ => Interpretation::other(),
        })
    }

    fn type_assertion(&mut self, operand: &Operand) -> Option<Interpretation> {
        if self.skip(Token::Type) {
            self.expect(Token::RightParen)?;
            return Some(Interpretation::new(Shape::Guard, None, 0));
        }
        self.any_type()?;
        self.field(Field::Type);
        self.expect(Token::RightParen)?;
        self.close(Kind::TypeAssertionExpression, operand.open);
        Some(Interpretation::other())
    }

    fn call(
        &mut self,
        operand: &mut Operand,
        found: Interpretation,
        index: Option<Index>,
    ) -> Option<Interpretation> {
        if found.shape == Shape::Guard {
            return None;
        }
        if found.is_type() || found.converts() && self.has_one_argument()? {
            return self.conversion(operand);
        }
        if let Some(index) = index {
            if index.of.type_argument_score(index.inside).is_some_and(|it| it > found.as_value) {
                self.rewind(index.position, index.mark)?;
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
        Some(Interpretation::other())
    }

    /// A call of the last node with type arguments.
    fn call_with_types(&mut self, open: Marker) -> Option<Interpretation> {
        self.field(Field::Function);
        self.type_arguments()?;
        self.argument_list()?;
        self.close(Kind::CallExpression, open);
        Some(Interpretation::other())
    }

    /// Parses the operand again, as a type, and the value that is converted to it.
    fn conversion(&mut self, operand: &mut Operand) -> Option<Interpretation> {
        if let Some((position, open)) = operand.pointers.take() {
            (operand.position, operand.open, operand.with_pointers) = (position, open, true);
        }
        self.rewind(operand.position, operand.open.mark)?;
        self.any_type()?;
        self.field(Field::Type);
        self.expect(Token::LeftParen)?;
        self.with_literals(true, Self::expression)?;
        self.field(Field::Operand);
        self.skip(Token::Comma);
        self.expect(Token::RightParen)?;
        self.close(Kind::TypeConversionExpression, operand.open);
        Some(Interpretation::other())
    }

    /// Whether the parentheses at the current token hold one argument without `...`.
    fn has_one_argument(&mut self) -> Option<bool> {
        let position = self.lexer.at;
        let (mut any, mut one, mut comma) = (false, true, false);
        self.skip_brackets(|token| {
            one &= !comma && token != Token::Ellipsis;
            comma |= token == Token::Comma;
            any = true;
        })?;
        self.lexer.rewind(position)?;
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

    /// A type and, for `make`, sizes.
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

    fn index(&mut self, operand: &mut Operand, found: Interpretation) -> Option<Interpretation> {
        found.value()?;
        let found = self.indexed(found)?;
        let (position, mark) = (self.lexer.at, self.nodes.mark());
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
                self.disambiguate_index(operand, Index { position, mark, of: found, inside })
            }
            Token::RightBracket | Token::Comma => {
                self.rewind(position, mark)?;
                self.with_type_arguments(operand, found)
            }
            _ => None,
        }
    }

    /// The operand of an index: before a bracket the grammar takes a predeclared identifier for a type only inside of
    /// another index.
    fn indexed(&self, found: Interpretation) -> Option<Interpretation> {
        match found.shape {
            Shape::Predeclared | Shape::Allocator if self.indices > 0 => None,
            Shape::Predeclared | Shape::Allocator => Some(Interpretation::other()),
            _ => Some(found),
        }
    }

    fn slice(&mut self, operand: &Operand) -> Option<Interpretation> {
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
        Some(Interpretation::other())
    }

    /// Decides what the index just closed is, by the token after it.
    fn disambiguate_index(
        &mut self,
        operand: &mut Operand,
        index: Index,
    ) -> Option<Interpretation> {
        let result = index.of.indexed_by(index.inside);
        if result.as_type.is_some() && self.at(Token::LeftBrace) && self.literals {
            return self.generic_literal(operand);
        }
        if index.of.is_instance(index.inside) && !self.at(Token::LeftParen) {
            return self.instance(operand, index.of, result);
        }
        operand.index = Some(index);
        Some(result)
    }

    /// The bracket at the current token holds types.
    fn with_type_arguments(
        &mut self,
        operand: &mut Operand,
        found: Interpretation,
    ) -> Option<Interpretation> {
        if found.shape == Shape::Index {
            return None;
        }
        let position = self.lexer.at;
        self.skip_brackets(|_| ())?;
        let (after, named) = (self.token(), found.is_type_name());
        let converts = named && after == Token::LeftParen && self.has_one_argument()?;
        self.lexer.rewind(position)?;
        match after {
            Token::LeftParen if converts => self.conversion(operand),
            Token::LeftParen => self.call_with_types(operand.open),
            Token::LeftBrace if self.literals && named => self.generic_literal(operand),
            Token::LeftBrace => None,
            _ => {
                let score = found.as_type? - 1;
                self.instance(operand, found, Interpretation::new(Shape::Index, Some(3), score))
            }
        }
    }

    /// Parses the operand again, as an instantiation.
    fn instance(
        &mut self,
        operand: &Operand,
        found: Interpretation,
        result: Interpretation,
    ) -> Option<Interpretation> {
        // The grammar puts the `*` inside, or has several trees with the same score.
        if operand.pointers.is_some() {
            return None;
        }
        self.rewind(operand.position, operand.open.mark)?;
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

    /// Whether a brace after it begins a composite literal.
    fn begins_literal(&self, found: Interpretation) -> bool {
        match found.shape {
            Shape::Type { literal } => literal,
            Shape::Name | Shape::Qualified => self.literals,
            _ => false,
        }
    }

    fn composite_literal(
        &mut self,
        operand: &Operand,
        found: Interpretation,
    ) -> Option<Interpretation> {
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

    /// Parses the operand again, as a generic type, and the value.
    fn generic_literal(&mut self, operand: &Operand) -> Option<Interpretation> {
        self.rewind(operand.position, operand.open.mark)?;
        self.any_type()?;
        self.literal_of_type(operand)
    }

    /// The value after the type that is the last node.
    fn literal_of_type(&mut self, operand: &Operand) -> Option<Interpretation> {
        self.field(Field::Type);
        if !self.at(Token::LeftBrace) {
            return None;
        }
        self.with_literals(true, Self::literal_value)?;
        self.field(Field::Body);
        self.close(Kind::CompositeLiteral, operand.open);
        Some(Interpretation::other())
    }
}
