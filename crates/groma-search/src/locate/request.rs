//! Request and answer of a symbol query.

use groma_core::{GenerationInfo, Lines, RelPath, Symbol, SymbolKind};
use std::str::FromStr;

/// The relation to look up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Relation {
    /// Definitions of the name.
    #[default]
    Definitions,
    /// Every use of the name.
    References,
    /// Definitions that call it.
    Callers,
    /// Definitions that it calls.
    Callees,
    /// Types that extend or implement it.
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

/// A symbol query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocateRequest {
    /// The name, unqualified or qualified, in the notation of any language.
    pub name: String,
    /// Only the definition whose name is at this place, if given.
    pub at: Option<Location>,
    /// The relation to look up.
    pub relation: Relation,
    /// Only definitions of these kinds; any if empty.
    pub kinds: Vec<SymbolKind>,
    /// Only files of these languages, by canonical name; any if empty. Languages and paths filter the results:
    /// definitions and callees, or the usages.
    pub languages: Vec<String>,
    /// Only files whose path matches one of these globs; any if empty.
    pub paths: Vec<String>,
    /// Maximum number of definitions, and of usages, to return.
    pub limit: usize,
}

impl LocateRequest {
    /// The definitions of a name, ten at most.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            at: None,
            relation: Relation::default(),
            kinds: Vec::new(),
            languages: Vec::new(),
            paths: Vec::new(),
            limit: 10,
        }
    }
}

/// How a definition's name matches the name in the query; better kinds come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NameMatch {
    /// The same name.
    Exact,
    /// The same name with the modules, types or folders of the query around it.
    Qualified,
    /// One of the two, ignoring case and separators.
    IgnoringCase,
    /// A similar name; only if nothing else matches.
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
    /// How its name matches.
    pub matched: NameMatch,
    /// 0..1; larger is better.
    pub score: f32,
}

/// How a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsageKind {
    /// A call.
    Call,
    /// A type reference.
    Type,
    /// An import.
    Import,
    /// Any other use: it is read, written or passed on.
    Value,
}

impl UsageKind {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Type => "type",
            Self::Import => "import",
            Self::Value => "value",
        }
    }
}

/// The definition that encloses a usage.
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
    /// The line of its name.
    pub name_line: u32,
}

/// A file and a line in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The file.
    pub path: RelPath,
    /// The line.
    pub line: u32,
}

/// A usage of a name.
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
    /// The name that is used: that of the query, or the callee.
    pub name: String,
    /// The trimmed text of the line.
    pub text: String,
    /// The enclosing definition; for an implementor, the implementing type.
    pub enclosing: Option<Enclosing>,
    /// For a callee, its possible definitions; for an implementor, that of the type. Likeliest first.
    pub definitions: Vec<Location>,
    /// Whether it may mean something else: nothing is known about what it is a member of.
    pub is_possible: bool,
}

/// The answer to a symbol query.
#[derive(Clone, Debug)]
pub struct LocateAnswer {
    /// The definitions, best first. For other relations, the definitions that the usages relate to.
    pub definitions: Vec<Definition>,
    /// The usages or, for callees, the calls.
    pub usages: Vec<Usage>,
    /// How many definitions there are in all.
    pub total_definitions: usize,
    /// How many usages there are in all.
    pub total_usages: usize,
    /// How many of them may mean something else.
    pub possible_usages: usize,
    /// The generation that answered.
    pub generation: GenerationInfo,
    /// Whether the answer is known to miss changes of the tree.
    pub is_behind: bool,
    /// Notes for the reader.
    pub notes: Vec<String>,
}
