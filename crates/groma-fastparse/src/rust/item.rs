//! Items.

use super::expression::LOWEST;
use super::kinds::{Field, Kind};
use super::lexer::Token;
use super::{Marker, ParseResult, Parser};

/// The qualifiers before an item.
#[derive(Default)]
struct Modifiers {
    any: bool,
    /// `unsafe`, and nothing else.
    only_unsafe: bool,
    /// `extern` came last, after `unsafe` at most.
    foreign: bool,
}

impl Parser<'_> {
    /// An item, if there is one.
    pub fn declaration(&mut self) -> Option<bool> {
        use Token::*;
        let token = self.token;
        match token {
            Semicolon => self.leaf(Kind::EmptyStatement),
            Pound => self.attribute()?,
            Let => self.let_declaration()?,
            Name if &self.text[self.start..self.end] == b"macro_rules"
                && self.at(self.end) == b'!' =>
            {
                self.macro_definition()?;
            }
            Name => return Some(false),
            Const if self.peek() == OpenBrace => return Some(false),
            Async if matches!(self.peek(), OpenBrace | Move | Or | OrOr) => return Some(false),
            Unsafe if self.peek() == OpenBrace => return Some(false),
            Default if !matches!(self.peek(), Fn | Unsafe | Async | Const | Extern) => {
                return Some(false);
            }
            Union if self.peek() != Name => return Some(false),
            Const | Async | Unsafe | Default | Union | Pub | Extern | Fn | Struct | Enum | Impl
            | Trait | Type | Use | Mod | Static => self.item()?,
            _ => return Some(false),
        }
        Some(true)
    }

    fn item(&mut self) -> ParseResult {
        use Token::*;
        let begin = self.begin();
        let public = self.token == Pub;
        if public {
            self.visibility()?;
        }
        let token = self.token;
        match token {
            Use => self.use_declaration(begin),
            Mod => self.module(begin),
            Struct => self.structure(begin),
            Union => self.fields_item(begin, Kind::UnionItem),
            Enum => self.enumeration(begin),
            Type => self.type_item(begin, public),
            Static => self.static_item(begin),
            Const if matches!(self.peek(), Name | Underscore | Union | Gen | Raw) => {
                self.const_item(begin)
            }
            Extern if self.peek() == Crate => self.extern_crate(begin),
            Trait => self.trait_item(begin),
            Impl if !public => self.implementation(begin),
            _ => self.modified_item(begin, public),
        }
    }

    /// An item after qualifiers such as `unsafe` or `async`.
    fn modified_item(&mut self, begin: Marker, public: bool) -> ParseResult {
        let modifiers = self.modifiers()?;
        match self.token {
            Token::Fn => self.function(begin),
            Token::Trait if modifiers.only_unsafe => self.trait_item(begin),
            Token::Impl if modifiers.only_unsafe && !public => self.implementation(begin),
            Token::OpenBrace | Token::Semicolon if modifiers.foreign && !public => {
                self.body_or_end()?;
                self.close(Kind::ForeignModItem, begin);
                Some(())
            }
            _ => None,
        }
    }

    fn modifiers(&mut self) -> Option<Modifiers> {
        let begin = self.begin();
        let mut found = Modifiers::default();
        loop {
            let plain = !found.any || found.only_unsafe;
            let word = self.token;
            match word {
                Token::Extern => self.extern_modifier()?,
                Token::Async | Token::Default | Token::Const | Token::Unsafe => self.advance(),
                _ => break,
            }
            found = Modifiers {
                only_unsafe: word == Token::Unsafe && !found.any,
                foreign: word == Token::Extern && plain,
                any: true,
            };
        }
        if found.any && self.token == Token::Fn {
            self.close(Kind::FunctionModifiers, begin);
        }
        Some(found)
    }

    pub fn extern_modifier(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        if self.token == Token::String {
            self.string()?;
        }
        self.close(Kind::ExternModifier, begin);
        Some(())
    }

    pub fn visibility(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        if self.token == Token::OpenParen {
            self.restriction()?;
        }
        self.close(Kind::VisibilityModifier, begin);
        Some(())
    }

    /// `(crate)` etc., which may turn out to be a tuple type.
    fn restriction(&mut self) -> ParseResult {
        let checkpoint = self.checkpoint();
        self.advance();
        let kind = match self.token {
            Token::In => {
                self.advance();
                self.plain_path()?;
                return self.expect(Token::CloseParen);
            }
            Token::SelfWord => Kind::SelfWord,
            Token::Super => Kind::Super,
            Token::Crate => Kind::Crate,
            _ => {
                self.rewind(&checkpoint);
                return Some(());
            }
        };
        if self.peek() != Token::CloseParen {
            self.rewind(&checkpoint);
            return Some(());
        }
        self.leaf(kind);
        self.expect(Token::CloseParen)
    }

    fn item_name(&mut self, kind: Kind) -> ParseResult {
        self.advance();
        self.name(kind)?;
        self.field(Field::Name);
        Some(())
    }

    fn body_or_end(&mut self) -> ParseResult {
        if self.eat(Token::Semicolon) { Some(()) } else { self.declaration_list() }
    }

    fn declaration_list(&mut self) -> ParseResult {
        let begin = self.begin();
        self.expect(Token::OpenBrace)?;
        self.enter()?;
        while self.token != Token::CloseBrace {
            if !self.declaration()? {
                let item = self.begin();
                let path = self.path(false)?;
                self.macro_invocation(path, item)?;
            }
        }
        self.advance();
        self.leave();
        self.close_as(Field::Body, Kind::DeclarationList, begin);
        Some(())
    }

    fn module(&mut self, begin: Marker) -> ParseResult {
        self.item_name(Kind::Identifier)?;
        self.body_or_end()?;
        self.close(Kind::ModItem, begin);
        Some(())
    }

    fn extern_crate(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        self.leaf(Kind::Crate);
        let own = self.token == Token::SelfWord;
        (own || self.is_name()).then_some(())?;
        self.leaf(Kind::Identifier);
        self.field(Field::Name);
        if self.eat(Token::As) {
            self.name_or_underscore(Kind::Identifier)?;
            self.field(Field::Alias);
        }
        self.expect(Token::Semicolon)?;
        self.close(Kind::ExternCrateDeclaration, begin);
        Some(())
    }

    fn structure(&mut self, begin: Marker) -> ParseResult {
        self.item_name(Kind::TypeIdentifier)?;
        self.item_type_parameters()?;
        match self.token {
            Token::Semicolon => self.advance(),
            Token::OpenParen => {
                self.ordered_fields()?;
                self.field(Field::Body);
                self.where_clause()?;
                self.expect(Token::Semicolon)?;
            }
            _ => {
                self.where_clause()?;
                self.fields()?;
            }
        }
        self.close(Kind::StructItem, begin);
        Some(())
    }

    /// A struct or union with named fields.
    fn fields_item(&mut self, begin: Marker, kind: Kind) -> ParseResult {
        self.item_name(Kind::TypeIdentifier)?;
        self.item_type_parameters()?;
        self.where_clause()?;
        self.fields()?;
        self.close(kind, begin);
        Some(())
    }

    fn fields(&mut self) -> ParseResult {
        let begin = self.begin();
        self.expect(Token::OpenBrace)?;
        self.list(Token::CloseBrace, Self::field_declaration)?;
        self.close_as(Field::Body, Kind::FieldDeclarationList, begin);
        Some(())
    }

    fn field_declaration(&mut self) -> ParseResult {
        self.attributes()?;
        let begin = self.begin();
        if self.token == Token::Pub {
            self.visibility()?;
        }
        self.name_or_underscore(Kind::FieldIdentifier)?;
        self.field(Field::Name);
        self.expect(Token::Colon)?;
        self.bounded_type()?;
        self.field(Field::Type);
        self.close(Kind::FieldDeclaration, begin);
        Some(())
    }

    fn ordered_fields(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        let element = |parser: &mut Self| {
            parser.attributes()?;
            if parser.token == Token::Pub {
                parser.visibility()?;
            }
            parser.bounded_type()?;
            parser.field(Field::Type);
            Some(())
        };
        self.list(Token::CloseParen, element)?;
        self.close(Kind::OrderedFieldDeclarationList, begin);
        Some(())
    }

    fn enumeration(&mut self, begin: Marker) -> ParseResult {
        self.item_name(Kind::TypeIdentifier)?;
        self.item_type_parameters()?;
        self.where_clause()?;
        let variants = self.begin();
        self.expect(Token::OpenBrace)?;
        self.list(Token::CloseBrace, Self::variant)?;
        self.close_as(Field::Body, Kind::EnumVariantList, variants);
        self.close(Kind::EnumItem, begin);
        Some(())
    }

    fn variant(&mut self) -> ParseResult {
        self.attributes()?;
        let begin = self.begin();
        if self.token == Token::Pub {
            self.visibility()?;
        }
        self.name(Kind::Identifier)?;
        self.field(Field::Name);
        match self.token {
            Token::OpenBrace => self.fields()?,
            Token::OpenParen => {
                self.ordered_fields()?;
                self.field(Field::Body);
            }
            _ => {}
        }
        if self.eat(Token::Equal) {
            self.expression(LOWEST, true)?;
            self.field(Field::Value);
        }
        self.close(Kind::EnumVariant, begin);
        Some(())
    }

    fn type_item(&mut self, begin: Marker, public: bool) -> ParseResult {
        self.item_name(Kind::TypeIdentifier)?;
        self.item_type_parameters()?;
        let bounds = self.token == Token::Colon;
        if bounds {
            self.trait_bounds()?;
            self.field(Field::Bounds);
        }
        self.where_clause()?;
        if !bounds && self.eat(Token::Equal) {
            self.bounded_type()?;
            self.field(Field::Type);
            self.where_clause()?;
            self.expect(Token::Semicolon)?;
            self.close(Kind::TypeItem, begin);
            return Some(());
        }
        (!public).then_some(())?;
        self.expect(Token::Semicolon)?;
        self.close(Kind::AssociatedType, begin);
        Some(())
    }

    fn const_item(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        self.typed_value()?;
        self.close(Kind::ConstItem, begin);
        Some(())
    }

    fn static_item(&mut self, begin: Marker) -> ParseResult {
        self.advance();
        self.eat(Token::Ref);
        self.mutable_specifier();
        self.typed_value()?;
        self.close(Kind::StaticItem, begin);
        Some(())
    }

    /// `NAME: Type = value;`.
    fn typed_value(&mut self) -> ParseResult {
        self.name_or_underscore(Kind::Identifier)?;
        self.field(Field::Name);
        self.expect(Token::Colon)?;
        self.bounded_type()?;
        self.field(Field::Type);
        if self.eat(Token::Equal) {
            self.expression(LOWEST, true)?;
            self.field(Field::Value);
        }
        self.expect(Token::Semicolon)
    }

    fn function(&mut self, begin: Marker) -> ParseResult {
        self.item_name(Kind::Identifier)?;
        self.item_type_parameters()?;
        self.parameters(false)?;
        self.field(Field::Parameters);
        if self.eat(Token::Arrow) {
            self.bounded_type()?;
            self.field(Field::ReturnType);
        }
        self.where_clause()?;
        if self.eat(Token::Semicolon) {
            self.close(Kind::FunctionSignatureItem, begin);
            return Some(());
        }
        self.block()?;
        self.field(Field::Body);
        self.close(Kind::FunctionItem, begin);
        Some(())
    }

    fn implementation(&mut self, begin: Marker) -> ParseResult {
        use Kind::*;
        self.advance();
        self.item_type_parameters()?;
        let negative = self.token == Token::Not && self.peek() != Token::OpenBrace;
        if negative {
            self.advance();
        }
        self.bounded_type()?;
        if self.token == Token::For {
            let allowed = [TypeIdentifier, ScopedTypeIdentifier, GenericType];
            self.last_is_one_of(&allowed).then_some(())?;
            self.field(Field::Trait);
            self.advance();
            self.bounded_type()?;
        } else if negative {
            return None;
        }
        self.field(Field::Type);
        self.where_clause()?;
        self.body_or_end()?;
        self.close(ImplItem, begin);
        Some(())
    }

    fn trait_item(&mut self, begin: Marker) -> ParseResult {
        self.item_name(Kind::TypeIdentifier)?;
        self.item_type_parameters()?;
        if self.token == Token::Colon {
            self.trait_bounds()?;
            self.field(Field::Bounds);
        }
        self.where_clause()?;
        self.declaration_list()?;
        self.close(Kind::TraitItem, begin);
        Some(())
    }

    fn let_declaration(&mut self) -> ParseResult {
        let begin = self.begin();
        self.advance();
        let mutable = self.mutable_specifier();
        self.pattern_as(Field::Pattern)?;
        // The grammar would take `mut a` for one of the alternatives.
        (!mutable || !self.is_last(Kind::OrPattern)).then_some(())?;
        if self.eat(Token::Colon) {
            self.bounded_type()?;
            self.field(Field::Type);
        }
        if self.eat(Token::Equal) {
            self.expression(LOWEST, true)?;
            self.field(Field::Value);
        }
        if self.eat(Token::Else) {
            self.block()?;
            self.field(Field::Alternative);
        }
        self.expect(Token::Semicolon)?;
        self.close(Kind::LetDeclaration, begin);
        Some(())
    }
}
