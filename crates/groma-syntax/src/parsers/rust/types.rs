//! Types, their parameters, arguments and bounds, and the parameters of functions.

use super::expression::WHOLE;
use super::kinds::{Field, Kind};
use super::lexer::{Token, is_primitive_type};
use super::path::Path;
use super::{Begin, Parsed, Parser};

impl Parser<'_> {
    /// A type with the bounds that are added to it.
    pub fn bounded_type(&mut self) -> Parsed {
        let begin = self.begin();
        if self.token == Token::Quote {
            self.lifetime()?;
            (self.token == Token::Plus).then_some(())?;
        } else {
            self.single_type()?;
        }
        while self.eat(Token::Plus) {
            match self.token {
                Token::Quote => self.lifetime()?,
                Token::Use => self.use_bounds()?,
                _ => self.single_type()?,
            }
            self.close(Kind::BoundedType, begin);
        }
        Some(())
    }

    /// A type up to a `+`.
    pub fn single_type(&mut self) -> Parsed {
        use Token::*;
        self.enter()?;
        let begin = self.begin();
        match self.token {
            Name => self.named_type(begin)?,
            Underscore if !self.pattern_or_type => {
                self.leaf(Kind::TypeIdentifier);
                let more = matches!(self.token, PathSeparator | OpenParen | Not);
                (!more && !self.begins(b'<')).then_some(())?;
            }
            And | AndAnd => self.reference_type(begin)?,
            Star => self.pointer_type(begin)?,
            OpenParen => self.tuple_type(begin)?,
            OpenBracket => self.array_type(begin)?,
            Not => self.leaf(Kind::NeverType),
            Impl => self.abstract_type(begin)?,
            Dyn => self.dynamic_type(begin)?,
            For => self.for_function_type(begin)?,
            Fn | Unsafe | Extern => self.function_pointer(begin)?,
            Question => {
                self.advance();
                self.single_type()?;
                self.close(Kind::RemovedTraitBound, begin);
            }
            _ if self.begins_path() => self.named_type(begin)?,
            _ => return None,
        }
        self.leave();
        Some(())
    }

    fn named_type(&mut self, begin: Begin) -> Parsed {
        let path = self.path(true)?;
        if self.token == Token::Not {
            return self.macro_invocation(path, begin);
        }
        if path == Path::Name && self.last_is_primitive() {
            self.nodes.last()?.kind = Kind::PrimitiveType as u16;
            return Some(());
        }
        self.type_name(path)?;
        if self.token == Token::OpenParen && path != Path::Generic {
            self.field(Field::Trait);
            self.function_type(begin)?;
        }
        Some(())
    }

    /// Parameters, and what is returned.
    fn function_type(&mut self, begin: Begin) -> Parsed {
        self.parameters(true)?;
        self.field(Field::Parameters);
        if self.eat(Token::Arrow) {
            self.unlike_pattern(Self::single_type)?;
            self.field(Field::ReturnType);
        }
        self.close(Kind::FunctionType, begin);
        Some(())
    }

    fn function_pointer(&mut self, begin: Begin) -> Parsed {
        let modifiers = self.begin();
        while self.token != Token::Fn {
            match self.token {
                Token::Unsafe => self.advance(),
                Token::Extern => self.extern_modifier()?,
                _ => return None,
            }
        }
        if self.start > modifiers.start {
            self.close(Kind::FunctionModifiers, modifiers);
        }
        self.advance();
        self.function_type(begin)
    }

    /// `for<'a> Fn(&'a T)`, where only a type can be.
    fn for_function_type(&mut self, begin: Begin) -> Parsed {
        let lifetimes = self.begin();
        self.advance();
        self.take_byte(b'<')?;
        self.angle_list(Self::lifetime)?;
        self.close(Kind::ForLifetimes, lifetimes);
        if matches!(self.token, Token::Fn | Token::Unsafe | Token::Extern) {
            return self.function_pointer(begin);
        }
        let path = self.path(true)?;
        if matches!(path, Path::Generic) || self.last_is_primitive() {
            return None;
        }
        self.type_name(path)?;
        self.field(Field::Trait);
        self.function_type(begin)
    }

    fn reference_type(&mut self, begin: Begin) -> Parsed {
        self.take_byte(b'&')?;
        if self.token == Token::Quote {
            self.lifetime()?;
        }
        self.mutable_specifier();
        self.single_type()?;
        self.field(Field::Type);
        self.close(Kind::ReferenceType, begin);
        Some(())
    }

    fn pointer_type(&mut self, begin: Begin) -> Parsed {
        self.take_byte(b'*')?;
        if !self.mutable_specifier() {
            self.expect(Token::Const)?;
        }
        self.unlike_pattern(Self::single_type)?;
        self.field(Field::Type);
        self.close(Kind::PointerType, begin);
        Some(())
    }

    fn tuple_type(&mut self, begin: Begin) -> Parsed {
        self.advance();
        if self.eat(Token::CloseParen) {
            self.close(Kind::UnitType, begin);
            return Some(());
        }
        self.list(Token::CloseParen, Self::bounded_type)?;
        self.close(Kind::TupleType, begin);
        Some(())
    }

    fn array_type(&mut self, begin: Begin) -> Parsed {
        self.advance();
        self.bounded_type()?;
        self.field(Field::Element);
        if self.eat(Token::Semicolon) {
            self.unlike_pattern(|parser| parser.expression(WHOLE, true))?;
            self.field(Field::Length);
        }
        self.expect(Token::CloseBracket)?;
        self.close(Kind::ArrayType, begin);
        Some(())
    }

    fn abstract_type(&mut self, begin: Begin) -> Parsed {
        use Kind::*;
        self.advance();
        if self.eat(Token::For) {
            self.type_parameters()?;
        }
        if self.token == Token::Quote {
            let bounded = self.begin();
            self.lifetime()?;
            self.expect(Token::Plus)?;
            self.single_type()?;
            self.close(BoundedType, bounded);
        } else {
            self.single_type()?;
            let allowed =
                [TypeIdentifier, ScopedTypeIdentifier, GenericType, FunctionType, TupleType];
            (self.last_is_one_of(&allowed) || self.is_last(RemovedTraitBound)).then_some(())?;
        }
        self.field(Field::Trait);
        self.close(AbstractType, begin);
        Some(())
    }

    fn dynamic_type(&mut self, begin: Begin) -> Parsed {
        use Kind::*;
        self.advance();
        if self.token == Token::For {
            self.higher_ranked_bound()?;
        } else {
            self.single_type()?;
            let allowed =
                [TypeIdentifier, ScopedTypeIdentifier, GenericType, FunctionType, TupleType];
            self.last_is_one_of(&allowed).then_some(())?;
        }
        self.field(Field::Trait);
        self.close(DynamicType, begin);
        Some(())
    }

    /// `<T>` or `<T as Trait>`, before `::`.
    pub fn bracketed_type(&mut self) -> Parsed {
        let bracketed = self.begin();
        self.take_byte(b'<')?;
        let begin = self.begin();
        self.unlike_pattern(Self::bounded_type)?;
        if self.token == Token::As {
            self.field(Field::Type);
            self.advance();
            self.unlike_pattern(Self::bounded_type)?;
            self.field(Field::Alias);
            self.close(Kind::QualifiedType, begin);
        }
        self.take_byte(b'>')?;
        self.close(Kind::BracketedType, bracketed);
        Some(())
    }

    /// Elements until `>`, at least one.
    fn angle_list(&mut self, element: impl std::ops::Fn(&mut Self) -> Parsed) -> Parsed {
        loop {
            element(self)?;
            if !self.eat(Token::Comma) || self.begins(b'>') {
                return self.take_byte(b'>');
            }
        }
    }

    /// What cannot be taken for a pattern.
    fn unlike_pattern(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        let before = std::mem::replace(&mut self.pattern_or_type, false);
        parse(self)?;
        self.pattern_or_type = before;
        Some(())
    }

    pub fn type_arguments(&mut self) -> Parsed {
        let begin = self.begin();
        self.take_byte(b'<')?;
        self.unlike_pattern(|parser| parser.angle_list(Self::type_argument))?;
        self.close(Kind::TypeArguments, begin);
        Some(())
    }

    fn type_argument(&mut self) -> Parsed {
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

    /// `= T` after what was taken for a type.
    fn type_binding(&mut self, begin: Begin) -> Parsed {
        if self.is_last(Kind::GenericType) {
            let generic = self.nodes.mark() - 1;
            self.nodes.forget(generic);
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

    fn use_bounds(&mut self) -> Parsed {
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
    pub fn trait_bounds(&mut self) -> Parsed {
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
    fn higher_ranked_bound(&mut self) -> Parsed {
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
    pub fn item_type_parameters(&mut self) -> Parsed {
        if self.begins(b'<') {
            self.type_parameters()?;
            self.field(Field::TypeParameters);
        }
        Some(())
    }

    fn type_parameters(&mut self) -> Parsed {
        let begin = self.begin();
        self.take_byte(b'<')?;
        self.angle_list(Self::type_parameter)?;
        self.close(Kind::TypeParameters, begin);
        Some(())
    }

    fn type_parameter(&mut self) -> Parsed {
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

    fn const_parameter(&mut self, begin: Begin) -> Parsed {
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

    pub fn where_clause(&mut self) -> Parsed {
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

    fn where_predicate(&mut self) -> Parsed {
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

    /// The parameters of a function, or of a function's type.
    pub fn parameters(&mut self, of_type: bool) -> Parsed {
        let begin = self.begin();
        self.expect(Token::OpenParen)?;
        let before = std::mem::replace(&mut self.pattern_or_type, true);
        self.list(Token::CloseParen, |parser| parser.parameter(of_type))?;
        self.pattern_or_type = before;
        self.close(Kind::Parameters, begin);
        Some(())
    }

    fn parameter(&mut self, of_type: bool) -> Parsed {
        if self.token == Token::Pound {
            self.attribute()?;
            self.is_last(Kind::AttributeItem).then_some(())?;
        }
        let begin = self.begin();
        let token = self.token;
        match token {
            Token::DotDotDot => {
                self.leaf(Kind::VariadicParameter);
                return Some(());
            }
            Token::And if !of_type && self.is_self_reference() => {
                return self.self_parameter(begin);
            }
            _ => {}
        }
        if self.token == Token::Mut {
            self.mutable_specifier();
        } else if self.is_parameter_type(of_type) {
            return self.bounded_type();
        }
        let mark = self.nodes.mark();
        match self.token {
            Token::SelfWord => {
                self.leaf(Kind::SelfWord);
                if self.token != Token::Colon {
                    self.close(Kind::SelfParameter, begin);
                    return Some(());
                }
                self.field(Field::Pattern);
                return self.parameter_type(begin);
            }
            Token::Underscore => {
                self.advance();
                if self.token != Token::Colon && begin.mark == mark {
                    return Some(());
                }
            }
            // The grammar would take `mut a` for one of the alternatives.
            _ if begin.mark < mark => self.single_pattern()?,
            _ => self.pattern()?,
        }
        self.field_since(mark, Field::Pattern);
        if self.token == Token::Colon && self.peek() == Token::DotDotDot {
            self.advance();
            self.advance();
            self.close(Kind::VariadicParameter, begin);
            return Some(());
        }
        self.parameter_type(begin)
    }

    /// `: T` after the pattern of a parameter.
    pub fn parameter_type(&mut self, begin: Begin) -> Parsed {
        self.expect(Token::Colon)?;
        self.unlike_pattern(Self::bounded_type)?;
        self.field(Field::Type);
        self.close(Kind::Parameter, begin);
        Some(())
    }

    /// Whether a parameter is only a type. Of what could be both only the plain cases are known.
    fn is_parameter_type(&mut self, of_type: bool) -> bool {
        match self.token {
            Token::SelfWord if !of_type => false,
            Token::Underscore => false,
            Token::Name if of_type => self.peek() != Token::Colon,
            Token::Name if is_primitive_type(&self.text[self.start..self.end]) => {
                self.peek() != Token::Colon
            }
            Token::Name => {
                matches!(self.peek(), Token::Comma | Token::CloseParen | Token::Less)
            }
            _ => of_type,
        }
    }

    /// Whether this is `&self`, maybe with a lifetime or `mut`.
    fn is_self_reference(&mut self) -> bool {
        let place = self.place();
        self.advance();
        if self.eat(Token::Quote) {
            self.advance();
        }
        self.eat(Token::Mut);
        let found = self.token == Token::SelfWord;
        self.go_back(&place);
        found
    }

    fn self_parameter(&mut self, begin: Begin) -> Parsed {
        self.advance();
        if self.token == Token::Quote {
            self.lifetime()?;
        }
        self.mutable_specifier();
        self.leaf(Kind::SelfWord);
        self.close(Kind::SelfParameter, begin);
        Some(())
    }
}
