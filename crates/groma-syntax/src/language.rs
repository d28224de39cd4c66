//! What is known about a language: a row with its names, rules, grammar and query.

use crate::lowering::Lowering;
use crate::resolve::ImportRules;
use crate::sections::Document;
use groma_core::{ReferenceKind, RelPath};
use std::borrow::Cow;

/// What a file of the language is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LanguageKind {
    /// Programs, scripts, schemas and markup.
    Code,
    /// Configuration: keys and values.
    Data,
    /// Documents.
    Prose,
}

/// How a language decides which code may use a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VisibilityRule {
    /// A capital first letter exports (Go).
    Capital,
    /// A leading underscore hides (Python, Dart, Perl).
    Underscore,
    /// A keyword in front of the definition decides; without one it is public.
    KeywordElsePublic,
    /// A keyword in front of the definition decides; without one it is internal.
    KeywordElseInternal,
    /// A keyword in front of the definition decides; without one it is private.
    KeywordElsePrivate,
    /// A keyword in front of the definition decides; without one a member is private and the rest internal (C#).
    KeywordElseNarrow,
    /// `export` makes a definition outside of types public; members are public unless a keyword says otherwise.
    Export,
    /// `static` keeps a definition in its translation unit, and members of a class are private (C, C++).
    Linkage,
}

/// How a language forms names.
#[derive(Clone, Copy)]
pub(crate) struct Naming {
    /// The separator between the parts of a qualified name.
    pub separator: &'static str,
    pub visibility: VisibilityRule,
    /// Keywords of private definitions, besides the usual `private`.
    pub private_keywords: &'static [&'static str],
    /// Whether `$` is a letter of identifiers rather than a sigil.
    pub dollar_is_letter: bool,
    /// Whether names keep their punctuation, as selectors of CSS do.
    pub verbatim: bool,
    /// Names of methods that are constructors; a function with the name of its type always is.
    pub constructors: &'static [&'static str],
    /// Whether the functions of a module are methods, because modules are mixed into types.
    pub modules_are_mixins: bool,
    /// Whether one import may list several names in braces.
    pub grouped_imports: bool,
    /// The module that a file is by its path, if it declares no package.
    pub module: Option<fn(&RelPath) -> String>,
}

impl Naming {
    /// The rules of most languages.
    pub const DEFAULT: Self = Self {
        separator: ".",
        visibility: VisibilityRule::KeywordElsePublic,
        private_keywords: &[],
        dollar_is_letter: false,
        verbatim: false,
        constructors: &[],
        modules_are_mixins: false,
        grouped_imports: false,
        module: None,
    };
}

/// How a language delimits comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommentSyntax {
    /// The marks that start a comment which ends with its line.
    pub line: &'static [&'static str],
    /// The marks around a comment that may span lines.
    pub block: Option<(&'static str, &'static str)>,
}

impl CommentSyntax {
    pub(crate) const SLASH: Self = Self { line: &["//"], block: Some(("/*", "*/")) };
    pub(crate) const HASH: Self = Self { line: &["#"], block: None };
    pub(crate) const SLASH_OR_HASH: Self = Self { line: &["//", "#"], block: Some(("/*", "*/")) };
    pub(crate) const DASH: Self = Self { line: &["--"], block: None };
    pub(crate) const SEMICOLON: Self = Self { line: &[";", "#"], block: None };
    pub(crate) const PERCENT: Self = Self { line: &["%"], block: None };
    pub(crate) const QUOTE: Self = Self { line: &["\""], block: None };
    pub(crate) const MARKUP: Self = Self { line: &["//"], block: Some(("<!--", "-->")) };
    pub(crate) const BLOCK: Self = Self { line: &[], block: Some(("/*", "*/")) };
    pub(crate) const STARRED: Self = Self { line: &[], block: Some(("(*", "*)")) };
}

/// A language that shares file extensions with another.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Its canonical name.
    pub language: &'static str,
    /// Texts that occur only in files of this dialect.
    pub(crate) marks: &'static [&'static [u8]],
}

/// Where a bare name may be defined, besides its own file and what that imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SharedScope {
    /// Nowhere: a file is a module.
    File,
    /// In the files of the same folder that declare the same package.
    Folder,
    /// In all files that declare the same package.
    Package,
    /// In every file: names are linked across the program.
    Program,
}

/// A language: how its files are recognised, parsed and named. Each has a folder in `languages/`.
#[derive(Clone, Copy)]
pub struct Language {
    /// The canonical name.
    pub name: &'static str,
    /// Other names users give it.
    pub aliases: &'static [&'static str],
    /// File extensions, lowercase, without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names; a trailing `*` matches any ending.
    pub file_names: &'static [&'static str],
    /// Interpreters of a `#!` line.
    pub interpreters: &'static [&'static str],
    /// Languages that have the same extensions and differ in content.
    pub dialects: &'static [Dialect],
    /// What its files are for.
    pub kind: LanguageKind,
    /// The group of languages whose code can use each other's definitions; its own name if it is alone.
    pub family: &'static str,
    /// How comments are written.
    pub comments: CommentSyntax,
    /// Whether a type implements an interface by having its methods, without a declaration.
    pub structural_interfaces: bool,
    /// Where a bare name may be defined, besides its own file and what that imports.
    pub shared_scope: SharedScope,
    pub(crate) naming: Naming,
    /// Names that never refer to a definition of the project, ascending: built-in types that the grammar does
    /// not distinguish from others, and keywords that look like calls.
    pub(crate) builtins: &'static [&'static str],
    /// Names of members that values of the language itself have, ascending.
    pub(crate) members: &'static [&'static str],
    /// How imports are resolved to files; `None` if they name no files.
    pub(crate) imports: Option<&'static ImportRules>,
    /// Replaces text that the grammar misreads by as many bytes that it does not.
    pub(crate) preprocess: Option<fn(&str) -> Cow<'_, str>>,
    /// Finds the headings of a document by a scan of its lines, instead of a grammar.
    pub(crate) scan: Option<fn(&str) -> Document>,
    pub(crate) grammar: Option<fn() -> tree_sitter::Language>,
    /// The query that finds definitions, references and imports; the captures are in CONTRIBUTING.md.
    pub(crate) query: &'static str,
    /// How its trees are lowered to references with targets; without one, the query finds references.
    pub(crate) lowering: Option<&'static Lowering>,
}

impl Language {
    /// Whether values of the language itself, its strings or containers, have a member of this name.
    pub fn is_member_name(&self, name: &str) -> bool {
        self.members.binary_search(&name).is_ok()
    }

    /// The separator between the parts of a qualified name.
    pub fn separator(&self) -> &'static str {
        self.naming.separator
    }

    /// Whether its references have targets.
    pub fn links_references(&self) -> bool {
        self.lowering.is_some()
    }

    /// Whether there is a grammar.
    pub fn has_grammar(&self) -> bool {
        self.grammar.is_some()
    }

    /// Whether symbols are found: by a grammar, or the headings of a document by a scan of its lines.
    pub fn has_symbols(&self) -> bool {
        self.has_grammar() || self.scan.is_some()
    }

    /// Whether a use of `name` cannot mean a definition of the project: a built-in, or a single letter, as type
    /// parameters have.
    pub(crate) fn is_builtin(&self, name: &str, kind: ReferenceKind) -> bool {
        kind == ReferenceKind::Type && name.len() == 1 || self.builtins.binary_search(&name).is_ok()
    }
}

impl std::fmt::Debug for Language {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A row of code; the defaults fit most languages.
pub(crate) const fn code(name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language {
        name,
        aliases: &[],
        extensions,
        file_names: &[],
        interpreters: &[],
        dialects: &[],
        kind: LanguageKind::Code,
        family: name,
        comments: CommentSyntax::SLASH,
        structural_interfaces: false,
        shared_scope: SharedScope::File,
        naming: Naming::DEFAULT,
        builtins: &[],
        members: &[],
        imports: None,
        preprocess: None,
        scan: None,
        grammar: None,
        query: "",
        lowering: None,
    }
}

/// A row of configuration.
pub(crate) const fn data(name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language { kind: LanguageKind::Data, ..code(name, extensions) }
}

/// A row of prose.
pub(crate) const fn prose(name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language { kind: LanguageKind::Prose, ..code(name, extensions) }
}

#[cfg(test)]
mod tests {
    use crate::LANGUAGES;

    #[test]
    fn names_that_are_looked_up_are_ascending() {
        for language in LANGUAGES {
            assert!(language.builtins.is_sorted(), "builtins of {}", language.name);
            assert!(language.members.is_sorted(), "members of {}", language.name);
        }
        assert!(crate::find_language("python").is_some_and(|one| one.is_member_name("append")));
    }
}
