//! Definitions found in code.

use crate::Lines;
use std::fmt;
use std::str::FromStr;

macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$vmeta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant,)+ }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The name used on the command line and in answers.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)+ }
            }

            /// The value stored as `code`, if there is one.
            pub fn from_code(code: u8) -> Option<Self> {
                Self::ALL.get(code as usize).copied()
            }

            /// The number it is stored as.
            pub fn code(self) -> u8 {
                self as u8
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = String;
            fn from_str(text: &str) -> Result<Self, String> {
                $name::ALL.iter().copied().find(|value| value.as_str() == text).ok_or_else(|| {
                    let names: Vec<_> = $name::ALL.iter().map(|value| value.as_str()).collect();
                    format!("`{text}` is none of {}", names.join(", "))
                })
            }
        }
    };
}
pub(crate) use named_enum;

named_enum! {
    /// What a definition defines.
    SymbolKind {
        /// A free function.
        Function = "function",
        /// A function that belongs to a type.
        Method = "method",
        /// A function that makes a value of its type.
        Constructor = "constructor",
        /// A class.
        Class = "class",
        /// A struct, record or data class.
        Struct = "struct",
        /// An interface, protocol or signature.
        Interface = "interface",
        /// A trait, type class or mixin.
        Trait = "trait",
        /// An enumeration or sum type.
        Enum = "enum",
        /// A case of an enumeration.
        Variant = "variant",
        /// A type alias or named type.
        Type = "type",
        /// A module, namespace or package.
        Module = "module",
        /// A constant.
        Constant = "constant",
        /// A variable.
        Variable = "variable",
        /// A field of a type.
        Field = "field",
        /// A property with accessors.
        Property = "property",
        /// A macro.
        Macro = "macro",
        /// A heading of a document.
        Section = "section",
        /// A key of a configuration file.
        Key = "key",
        /// A declared resource: a Terraform block, a SQL table, a build target, a container stage.
        Resource = "resource",
        /// A named test.
        Test = "test",
    }
}

impl SymbolKind {
    /// Whether the definition holds other definitions.
    pub fn is_container(self) -> bool {
        use SymbolKind::*;
        matches!(self, Class | Struct | Interface | Trait | Enum | Module | Section)
    }

    /// Whether the definition is a type.
    pub fn is_type(self) -> bool {
        use SymbolKind::*;
        matches!(self, Class | Struct | Interface | Trait | Enum | Type)
    }

    /// Whether the definition runs.
    pub fn is_callable(self) -> bool {
        use SymbolKind::*;
        matches!(self, Function | Method | Constructor | Macro | Test)
    }

    /// Whether the definition is a value rather than code or a type.
    pub fn is_value(self) -> bool {
        use SymbolKind::*;
        matches!(self, Constant | Variable | Field | Property | Variant | Key)
    }

    /// The kind a user means by `name`, short forms of other tools included.
    pub fn parse_alias(name: &str) -> Option<Self> {
        use SymbolKind::*;
        Some(match name.to_ascii_lowercase().as_str() {
            "fn" | "func" | "def" => Function,
            "ctor" | "init" => Constructor,
            "record" => Struct,
            "protocol" => Interface,
            "const" => Constant,
            "var" | "let" => Variable,
            "type_alias" | "typedef" | "alias" => Type,
            "mod" | "namespace" | "package" => Module,
            "attribute" | "member" => Field,
            "heading" => Section,
            other => return other.parse().ok(),
        })
    }
}

named_enum! {
    /// Where a definition may be used.
    Visibility {
        /// Everywhere.
        Public = "public",
        /// The package, crate, assembly or folder.
        Internal = "internal",
        /// The type and its subtypes.
        Protected = "protected",
        /// The file or type only.
        Private = "private",
    }
}

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name as written.
    pub name: String,
    /// What it defines.
    pub kind: SymbolKind,
    /// The name with its module and parents in front, in the language's own notation.
    pub qualified: String,
    /// The definition without its body, white space folded.
    pub signature: String,
    /// The comment above (or the doc string inside), without comment marks.
    pub doc: String,
    /// Where it may be used.
    pub visibility: Visibility,
    /// The symbol of the same file that holds it: an enclosing type, or a Go method's receiver.
    pub parent: Option<u32>,
    /// The type a method belongs to when that type is not in this file.
    pub receiver: Option<String>,
    /// The definition with its doc comment, attributes and body.
    pub lines: Lines,
    /// The line that holds the name.
    pub name_line: u32,
    /// The column of the name, in bytes from 0.
    pub name_column: u32,
}

/// What a filter tests of a definition. A store fills it from its own rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolOutline<'a> {
    /// The name as written.
    pub name: &'a str,
    /// What it defines.
    pub kind: SymbolKind,
    /// The name of what holds it: an enclosing definition, or a Go method's receiver.
    pub container: Option<&'a str>,
}
