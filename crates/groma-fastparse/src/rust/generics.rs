//! Generic parameters, arguments and bounds.

use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::{Marker, ParseResult, Parser};

impl Parser<'_> {
    pub fn type_arguments(&mut self) -> ParseResult {
        let begin = self.begin();
        self.take_byte(b'<')?;
        self.unlike_pattern(|parser| parser.angle_list(Self::type_argument))?;
        self.close(Kind::TypeArguments, begin);
        Some(())
    }

    fn type_argument(&mut self) -> ParseResult {
        let begin = self.begin();
        match self.token {
            Token::Quote => {
                self.lifetime()?;
                (self.token != Token::Plus).then_some(())?;
            }
            Token::OpenBrace => self.block()?,
            _ if self.is_literal() => self.literal()?,
            _ => {
                self.bounded_type()?;
                if self.token == Token::Equal {
                    self.type_binding(begin)?;
                }
            }
        }
        if self.token == Token::Colon {
            self.trait_bounds()?;
        }
        Some(())
    }

    /// `= T` after a name that was parsed as a type.
    fn type_binding(&mut self, begin: Marker) -> ParseResult {
        if self.is_last(Kind::GenericType) {
            let generic = self.nodes.mark() - 1;
            self.nodes.truncate(generic);
        }
        let name = self.nodes.node(begin.mark);
        (name.kind == Kind::TypeIdentifier as u16).then_some(())?;
        name.field = Field::Name as u16;
        let others = self.nodes.mark() - begin.mark - 1;
        let arguments =
            self.is_last(Kind::TypeArguments) && self.nodes.last()?.size as usize == others;
        (others == 0 || arguments).then_some(())?;
        self.advance();
        self.bounded_type()?;
        self.field(Field::Type);
        self.close(Kind::TypeBinding, begin);
        Some(())
    }

    pub fn use_bounds(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        self.take_byte(b'<')?;
        let element = |parser: &mut Self| match parser.token {
            Token::Quote => parser.lifetime(),
            _ => parser.name(Kind::TypeIdentifier),
        };
        if self.begins(b'>') {
            self.take_byte(b'>')?;
        } else {
            self.angle_list(element)?;
        }
        self.close(Kind::UseBounds, begin);
        Some(())
    }

    /// `: A + B`.
    pub fn trait_bounds(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        loop {
            match self.token {
                Token::Quote => self.lifetime()?,
                Token::For => self.higher_ranked_bound()?,
                _ => self.single_type()?,
            }
            if !self.eat(Token::Plus) {
                break;
            }
        }
        self.close(Kind::TraitBounds, begin);
        Some(())
    }

    /// `for<'a> Trait<'a>`.
    pub fn higher_ranked_bound(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        self.type_parameters()?;
        self.field(Field::TypeParameters);
        self.single_type()?;
        self.field(Field::Type);
        self.close(Kind::HigherRankedTraitBound, begin);
        Some(())
    }

    /// The parameters of an item, if it has any.
    pub fn item_type_parameters(&mut self) -> ParseResult {
        if self.begins(b'<') {
            self.type_parameters()?;
            self.field(Field::TypeParameters);
        }
        Some(())
    }

    pub fn type_parameters(&mut self) -> ParseResult {
        let begin = self.begin();
        self.take_byte(b'<')?;
        self.angle_list(Self::type_parameter)?;
        self.close(Kind::TypeParameters, begin);
        Some(())
    }

    fn type_parameter(&mut self) -> ParseResult {
        self.attributes()?;
        let begin = self.begin();
        if self.token == Token::Const {
            return self.const_parameter(begin);
        }
        let lifetime = self.token == Token::Quote;
        if lifetime {
            self.lifetime()?;
        } else {
            (self.token == Token::Name).then_some(())?;
            self.leaf(Kind::TypeIdentifier);
            (!self.last_is_primitive()).then_some(())?;
        }
        self.field(Field::Name);
        if self.token == Token::Colon {
            self.trait_bounds()?;
            self.field(Field::Bounds);
        }
        if lifetime {
            self.close(Kind::LifetimeParameter, begin);
            return Some(());
        }
        if self.eat(Token::Equal) {
            self.bounded_type()?;
            self.field(Field::DefaultType);
        }
        self.close(Kind::TypeParameter, begin);
        Some(())
    }

    fn const_parameter(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        self.name(Kind::Identifier)?;
        self.field(Field::Name);
        self.expect(Token::Colon)?;
        self.bounded_type()?;
        self.field(Field::Type);
        if self.eat(Token::Equal) {
            match self.token {
                Token::OpenBrace => self.block()?,
                Token::Name => self.leaf(Kind::Identifier),
                Token::Minus => self.negative_literal()?,
                _ => self.literal()?,
            }
            self.field(Field::Value);
        }
        self.close(Kind::ConstParameter, begin);
        Some(())
    }

    pub fn where_clause(&mut self) -> ParseResult {
        if self.token != Token::Where {
            return Some(());
        }
        let begin = self.begin();
        self.advance();
        let ends = |parser: &Self| {
            matches!(parser.token, Token::OpenBrace | Token::Semicolon | Token::Equal)
        };
        while !ends(self) {
            self.where_predicate()?;
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.close(Kind::WhereClause, begin);
        Some(())
    }

    fn where_predicate(&mut self) -> ParseResult {
        use Kind::*;
        let begin = self.begin();
        match self.token {
            Token::Quote => self.lifetime()?,
            Token::For => self.higher_ranked_bound()?,
            _ => {
                self.single_type()?;
                let allowed =
                    [TypeIdentifier, ScopedTypeIdentifier, GenericType, ReferenceType, PointerType];
                let others = [TupleType, ArrayType, PrimitiveType];
                (self.last_is_one_of(&allowed) || self.last_is_one_of(&others)).then_some(())?;
            }
        }
        self.field(Field::Left);
        (self.token == Token::Colon).then_some(())?;
        self.trait_bounds()?;
        self.field(Field::Bounds);
        self.close(WherePredicate, begin);
        Some(())
    }
}
