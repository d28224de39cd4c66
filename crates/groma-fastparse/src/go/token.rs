//! Tokens.

/// A token, or a newline where it terminates a statement.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[repr(u8)]
pub(super) enum Token {
    // Identifiers. The grammar has rules of its own for the predeclared ones, in expressions only.
    Name,
    Nil,
    True,
    False,
    Iota,
    New,
    Make,

    Int,
    Float,
    Imaginary,
    Rune,
    String,
    RawString,

    Break,
    Case,
    Chan,
    Const,
    Continue,
    Default,
    Defer,
    Else,
    Fallthrough,
    For,
    Func,
    Go,
    Goto,
    If,
    Import,
    Interface,
    Map,
    Package,
    Range,
    Return,
    Select,
    Struct,
    Switch,
    Type,
    Var,

    LeftParen,
    RightParen,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    Comma,
    Semicolon,
    Newline,
    Colon,
    Dot,
    Ellipsis,
    Define,
    Assign,
    /// `+=` etc.
    CompoundAssign,
    Increment,
    Decrement,
    Arrow,
    Tilde,
    Not,

    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Pipe,
    Caret,
    Star,
    Slash,
    Percent,
    ShiftLeft,
    ShiftRight,
    Ampersand,
    AndNot,

    End,
    /// Invalid, or not supported here.
    Invalid,
}

impl Token {
    pub fn is_name(self) -> bool {
        self <= Token::Make
    }

    /// Whether a newline after it terminates the statement.
    pub fn ends_statement(self) -> bool {
        use Token::*;
        self <= RawString
            || matches!(
                self,
                RightParen
                    | RightBracket
                    | RightBrace
                    | Increment
                    | Decrement
                    | Break
                    | Continue
                    | Fallthrough
                    | Return
            )
    }

    pub fn ends_line(self) -> bool {
        matches!(self, Token::Semicolon | Token::Newline)
    }

    /// The precedence of a binary operator, 0 for other tokens.
    pub fn precedence(self) -> u8 {
        use Token::*;
        match self {
            Or => 1,
            And => 2,
            Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual => 3,
            Plus | Minus | Pipe | Caret => 4,
            Star | Slash | Percent | ShiftLeft | ShiftRight | Ampersand | AndNot => 5,
            _ => 0,
        }
    }

    /// Whether a type may begin with it.
    pub fn begins_type(self) -> bool {
        self == Token::LeftParen || self.begins_simple_type()
    }

    pub fn begins_simple_type(self) -> bool {
        use Token::*;
        self.is_name()
            || matches!(self, LeftBracket | Star | Arrow | Chan | Func | Interface | Map | Struct)
    }

    /// The keyword, or `Name`.
    pub fn of_word(word: &[u8]) -> Token {
        use Token::*;
        match word {
            b"if" => If,
            b"go" => Go,
            b"for" => For,
            b"var" => Var,
            b"nil" => Nil,
            b"map" => Map,
            b"new" => New,
            b"func" => Func,
            b"case" => Case,
            b"else" => Else,
            b"type" => Type,
            b"true" => True,
            b"make" => Make,
            b"chan" => Chan,
            b"goto" => Goto,
            b"iota" => Iota,
            b"range" => Range,
            b"const" => Const,
            b"false" => False,
            b"defer" => Defer,
            b"break" => Break,
            b"return" => Return,
            b"struct" => Struct,
            b"switch" => Switch,
            b"import" => Import,
            b"select" => Select,
            b"default" => Default,
            b"package" => Package,
            b"continue" => Continue,
            b"interface" => Interface,
            b"fallthrough" => Fallthrough,
            _ => Name,
        }
    }
}
