//! Types.

use super::expression::LOWEST;
use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::path::Path;
use super::{Marker, ParseResult, Parser};

impl Parser<'_> {
    /// A type with `+` bounds.
    pub fn bounded_type(&mut self) -> ParseResult {
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
    pub fn single_type(&mut self) -> ParseResult {
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

    fn named_type(&mut self, begin: Marker) -> ParseResult {
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

    /// Parameters and the return type.
    fn function_type(&mut self, begin: Marker) -> ParseResult {
        self.parameters(true)?;
        self.field(Field::Parameters);
        if self.eat(Token::Arrow) {
            self.unlike_pattern(Self::single_type)?;
            self.field(Field::ReturnType);
        }
        self.close(Kind::FunctionType, begin);
        Some(())
    }

    fn function_pointer(&mut self, begin: Marker) -> ParseResult {
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

    /// `for<'a> Fn(&'a T)`, in a position where only a type is allowed.
    fn for_function_type(&mut self, begin: Marker) -> ParseResult {
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

    fn reference_type(&mut self, begin: Marker) -> ParseResult {
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

    fn pointer_type(&mut self, begin: Marker) -> ParseResult {
        self.take_byte(b'*')?;
        if !self.mutable_specifier() {
            self.expect(Token::Const)?;
        }
        self.unlike_pattern(Self::single_type)?;
        self.field(Field::Type);
        self.close(Kind::PointerType, begin);
        Some(())
    }

    fn tuple_type(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        if self.eat(Token::CloseParen) {
            self.close(Kind::UnitType, begin);
            return Some(());
        }
        self.list(Token::CloseParen, Self::bounded_type)?;
        self.close(Kind::TupleType, begin);
        Some(())
    }

    fn array_type(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        self.bounded_type()?;
        self.field(Field::Element);
        if self.eat(Token::Semicolon) {
            self.unlike_pattern(|parser| parser.expression(LOWEST, true))?;
            self.field(Field::Length);
        }
        self.expect(Token::CloseBracket)?;
        self.close(Kind::ArrayType, begin);
        Some(())
    }

    fn abstract_type(&mut self, begin: Marker) -> ParseResult {
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

    fn dynamic_type(&mut self, begin: Marker) -> ParseResult {
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
    pub fn bracketed_type(&mut self) -> ParseResult {
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

    /// At least one element, up to `>`.
    pub fn angle_list(
        &mut self,
        element: impl std::ops::Fn(&mut Self) -> ParseResult,
    ) -> ParseResult {
        loop {
            element(self)?;
            if !self.eat(Token::Comma) || self.begins(b'>') {
                return self.take_byte(b'>');
            }
        }
    }

    /// Parses something that cannot be mistaken for a pattern.
    pub fn unlike_pattern(&mut self, parse: impl FnOnce(&mut Self) -> ParseResult) -> ParseResult {
        let before = std::mem::replace(&mut self.pattern_or_type, false);
        parse(self)?;
        self.pattern_or_type = before;
        Some(())
    }
}
