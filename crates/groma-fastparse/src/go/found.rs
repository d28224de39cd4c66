//! What an expression may be besides, and how the grammar chooses.
//!
//! `a[b](c)` may be a call of what is at an index, a call with type arguments or a conversion to a type. The grammar
//! tries all, counts points for the nodes of each and keeps the one with most: a name as a type -1, type arguments 2,
//! a generic type 1, an index 1, a conversion or an instantiation -1. Between equals conversions and instantiations
//! are preferred, then what has fewer children.

use super::token::Token;

/// What was found in place of an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub shape: Shape,
    /// The points as a type, if it may be one.
    pub as_type: Option<i32>,
    /// The points as an expression; only counted as far as it may be a type too.
    pub as_value: i32,
    /// Whether the pointers before it are part of it.
    pub with_pointers: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// `a`
    Name,
    /// `nil` and its like.
    Word,
    /// `new` or `make`
    Allocator,
    /// `a.b`
    Qualified,
    /// `a[b]` where `b` may be a type.
    Index,
    /// `a | b`
    Union,
    /// A type and nothing else.
    Type {
        /// Whether a literal may begin with it.
        literal: bool,
    },
    /// `a.(type)`
    Guard,
    Other,
}

impl Found {
    pub fn new(shape: Shape, as_type: Option<i32>, as_value: i32) -> Self {
        Self { shape, as_type, as_value, with_pointers: false }
    }

    pub fn other() -> Self {
        Self::new(Shape::Other, None, 0)
    }

    /// A type has the same points wherever it is, so they need no counting.
    pub fn a_type(literal: bool) -> Self {
        Self::new(Shape::Type { literal }, Some(0), 0)
    }

    pub fn is_type(self) -> bool {
        matches!(self.shape, Shape::Type { .. })
    }

    /// Whether it is `a` or `a.b`, to which type arguments may be given.
    pub fn is_type_name(self) -> bool {
        matches!(self.shape, Shape::Name | Shape::Qualified)
    }

    /// None unless it is an expression.
    pub fn value(self) -> Option<()> {
        (!self.is_type() && self.shape != Shape::Guard).then_some(())
    }

    /// It in parentheses or behind a `*`.
    pub fn around(self) -> Self {
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

    /// Whether a call of it with one argument is a conversion.
    pub fn converts(self) -> bool {
        self.as_type.is_some_and(|points| points > self.as_value)
    }

    /// Whether the grammar may go on over the end of the line after it, for what is a type to it then.
    pub fn goes_on_with(self, token: Token) -> bool {
        let is_type = self.as_type.is_some();
        match token {
            Token::LeftParen => self.converts() || self.shape == Shape::Index,
            Token::LeftBracket => is_type && self.shape != Shape::Name,
            Token::LeftBrace => is_type && matches!(self.shape, Shape::Qualified | Shape::Index),
            _ => false,
        }
    }

    /// `self[index]`, as an index or an instance.
    pub fn at_index(self, index: Self) -> Self {
        let as_type = self.is_type_name().then(|| Some(index.as_type? + 3)).flatten();
        let as_value = self.index_points(index);
        let as_value = self.instance_points(index).unwrap_or(as_value).max(as_value);
        let shape = if index.as_type.is_some() { Shape::Index } else { Shape::Other };
        Self::new(shape, as_type, as_value)
    }

    /// Whether `self[index]` is rather an instance than an index.
    pub fn is_instance(self, index: Self) -> bool {
        self.instance_points(index).is_some_and(|points| points >= self.index_points(index))
    }

    /// The points of `self[index]()` with type arguments.
    pub fn argument_points(self, index: Self) -> Option<i32> {
        Some(self.as_value + index.as_type? + 2)
    }

    fn index_points(self, index: Self) -> i32 {
        self.as_value + 1 + index.as_value
    }

    fn instance_points(self, index: Self) -> Option<i32> {
        match index.shape {
            Shape::Union => None,
            _ => Some(self.as_type? + index.as_type? - 1),
        }
    }
}
