//! Ambiguous operands, and how the grammar chooses between their interpretations.
//!
//! `a[b](c)` may be a call of an indexed value, a call with type arguments or a conversion. The grammar parses all of them
//! and keeps the tree with the highest sum of dynamic precedences: an identifier as a type -1, type arguments 2, a generic
//! type 1, an index 1, a conversion or an instantiation -1. Among equals conversions and instantiations win, then the tree
//! with fewer children.

use super::token::Token;

/// An operand, and what it scores as an expression and as a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interpretation {
    pub shape: Shape,
    /// The dynamic precedence as a type, if it may be one.
    pub as_type: Option<i32>,
    /// The dynamic precedence as an expression; only computed where it may be a type, too.
    pub as_value: i32,
    /// Whether it includes the `*` before it.
    pub with_pointers: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// `a`
    Name,
    /// `nil`, `true`, `false` or `iota`
    Predeclared,
    /// `new` or `make`
    Allocator,
    /// `a.b`
    Qualified,
    /// `a[b]` where `b` may be a type.
    Index,
    /// `a | b`
    Union,
    /// Can only be a type.
    Type {
        /// Whether a composite literal may begin with it.
        literal: bool,
    },
    /// `a.(type)`
    Guard,
    Other,
}

impl Interpretation {
    pub fn new(shape: Shape, as_type: Option<i32>, as_value: i32) -> Self {
        Self { shape, as_type, as_value, with_pointers: false }
    }

    pub fn other() -> Self {
        Self::new(Shape::Other, None, 0)
    }

    /// What can only be a type has one interpretation, so its score is irrelevant.
    pub fn a_type(literal: bool) -> Self {
        Self::new(Shape::Type { literal }, Some(0), 0)
    }

    pub fn is_type(self) -> bool {
        matches!(self.shape, Shape::Type { .. })
    }

    /// Whether it is `a` or `a.b`, which may take type arguments.
    pub fn is_type_name(self) -> bool {
        matches!(self.shape, Shape::Name | Shape::Qualified)
    }

    /// `None` unless it may be an expression.
    pub fn value(self) -> Option<()> {
        (!self.is_type() && self.shape != Shape::Guard).then_some(())
    }

    /// The operand in parentheses or after a `*`.
    pub fn wrapped(self) -> Self {
        match self.shape {
            Shape::Type { .. } => Self::a_type(false),
            Shape::Union => Self::other(),
            _ => Self::new(Shape::Other, self.as_type, self.as_value),
        }
    }

    pub fn union(self, other: Self) -> Self {
        match (self.as_type, other.as_type) {
            (Some(one), Some(two)) => {
                Self::new(Shape::Union, Some(one + two), self.as_value + other.as_value)
            }
            _ => Self::other(),
        }
    }

    /// Whether a call with one argument is a conversion.
    pub fn converts(self) -> bool {
        self.as_type.is_some_and(|score| score > self.as_value)
    }

    /// Whether the grammar may continue it over the newline before `token`, because it takes it for a type.
    pub fn continues_with(self, token: Token) -> bool {
        let is_type = self.as_type.is_some();
        match token {
            Token::LeftParen => self.converts() || self.shape == Shape::Index,
            Token::LeftBracket => is_type && self.shape != Shape::Name,
            Token::LeftBrace => is_type && matches!(self.shape, Shape::Qualified | Shape::Index),
            _ => false,
        }
    }

    /// `self[index]`, as an index or an instantiation.
    pub fn indexed_by(self, index: Self) -> Self {
        let as_type = self.is_type_name().then(|| Some(index.as_type? + 3)).flatten();
        let as_value = self.index_score(index);
        let as_value = self.instance_score(index).unwrap_or(as_value).max(as_value);
        let shape = if index.as_type.is_some() { Shape::Index } else { Shape::Other };
        Self::new(shape, as_type, as_value)
    }

    /// Whether `self[index]` is an instantiation rather than an index.
    pub fn is_instance(self, index: Self) -> bool {
        self.instance_score(index).is_some_and(|score| score >= self.index_score(index))
    }

    /// The score of `self[index]()` as a call with type arguments.
    pub fn type_argument_score(self, index: Self) -> Option<i32> {
        Some(self.as_value + index.as_type? + 2)
    }

    fn index_score(self, index: Self) -> i32 {
        self.as_value + 1 + index.as_value
    }

    fn instance_score(self, index: Self) -> Option<i32> {
        match index.shape {
            Shape::Union => None,
            _ => Some(self.as_type? + index.as_type? - 1),
        }
    }
}
