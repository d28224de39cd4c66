//! What is asked about a name, and what is answered.

use groma_core::{GenerationInfo, Lines, RelPath, Symbol, SymbolKind};
use std::str::FromStr;

/// What is wanted of a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Where it is defined.
    #[default]
    Definitions,
    /// Where it is used: called, named as a type, imported.
    References,
    /// What calls it.
    Callers,
    /// What it calls.
    Callees,
    /// Which types extend or implement it.
    Implementors,
}

impl Relation {
    /// Every relation.
    pub const ALL: [Relation; 5] =
        [Self::Definitions, Self::References, Self::Callers, Self::Callees, Self::Implementors];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Definitions => "definitions",
            Self::References => "references",
            Self::Callers => "callers",
            Self::Callees => "callees",
            Self::Implementors => "implementors",
        }
    }
}

impl FromStr for Relation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|relation| relation.as_str() == text);
        found.ok_or_else(|| {
            format!("`{text}` is none of {}", Self::ALL.map(Self::as_str).join(", "))
        })
    }
}

/// A question about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocateRequest {
    /// The name, short or with what it is part of in front, in the notation of any language.
    pub name: String,
    /// What is wanted of it.
    pub relation: Relation,
    /// Only definitions of these kinds; any where empty.
    pub kinds: Vec<SymbolKind>,
    /// Only files of these languages, by canonical name; any where empty. They and the paths hold for what is
    /// answered: definitions and what they call, or the places that use them.
    pub languages: Vec<String>,
    /// Only files whose path fits one of these globs; any where empty.
    pub paths: Vec<String>,
    /// Most definitions, and most usages, to answer with.
    pub limit: usize,
}

impl LocateRequest {
    /// The definitions of a name, ten at most.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            relation: Relation::default(),
            kinds: Vec::new(),
            languages: Vec::new(),
            paths: Vec::new(),
            limit: 10,
        }
    }
}

/// How a definition's name fits the name asked for; the better comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameMatch {
    /// It is the name.
    Exact,
    /// It is the name with the modules, types or folders in front that were given.
    Qualified,
    /// It is one of the two but for case and separators.
    IgnoringCase,
    /// It is like it. Only where nothing else is found.
    Fuzzy,
}

impl NameMatch {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Qualified => "qualified",
            Self::IgnoringCase => "ignoring_case",
            Self::Fuzzy => "fuzzy",
        }
    }
}

/// A definition of the name.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    /// The file.
    pub path: RelPath,
    /// The file's language.
    pub language: String,
    /// The package the file declares.
    pub package: Option<String>,
    /// What is defined.
    pub symbol: Symbol,
    /// The name of the type or module that holds it.
    pub parent: Option<String>,
    /// How its name fits.
    pub matched: NameMatch,
    /// 0..1; larger is better.
    pub score: f32,
}

/// How a place uses a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsageKind {
    /// It calls it.
    Call,
    /// It names it as a type.
    Type,
    /// It imports it.
    Import,
}

impl UsageKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Type => "type",
            Self::Import => "import",
        }
    }
}

/// The definition around a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enclosing {
    /// Its name.
    pub name: String,
    /// The name with its module and parents.
    pub qualified: String,
    /// What it defines.
    pub kind: SymbolKind,
    /// Its lines.
    pub lines: Lines,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub path: RelPath,
    /// The line.
    pub line: u32,
}

/// A place that uses a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The file.
    pub path: RelPath,
    /// The file's language.
    pub language: String,
    /// The line.
    pub line: u32,
    /// The column, in bytes from 0.
    pub column: u32,
    /// How the name is used.
    pub kind: UsageKind,
    /// The name that is used: the one asked for, or the one that is called.
    pub name: String,
    /// The line's text, without white space around.
    pub text: String,
    /// The definition around it; for an implementor, the type that implements.
    pub enclosing: Option<Enclosing>,
    /// For what is called, where that may be defined; for an implementor, where the type is. Best guess first.
    pub definitions: Vec<Place>,
}

/// The answer to a question about a name.
#[derive(Clone, Debug)]
pub struct LocateAnswer {
    /// The definitions, best first. Where something else was asked, those that it was asked of.
    pub definitions: Vec<Definition>,
    /// The places that use it, or that it uses.
    pub usages: Vec<Usage>,
    /// How many definitions there are in all.
    pub total_definitions: usize,
    /// How many usages there are in all.
    pub total_usages: usize,
    /// The generation that answered.
    pub generation: GenerationInfo,
    /// Whether changes of the tree are missing, as far as that was looked for.
    pub is_behind: bool,
    /// What the reader should know.
    pub notes: Vec<String>,
}
