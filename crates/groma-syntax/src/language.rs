//! The table of languages: one row here and one query file add a language.

use groma_core::RelPath;
use std::sync::OnceLock;
use tree_sitter::Query;

/// What a file of the language is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Something that runs.
    Code,
    /// Something that configures or describes: keys and values.
    Data,
    /// Something people read.
    Prose,
}

/// How a language says who may use a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VisibilityRule {
    /// A capital first letter exports (Go).
    Capital,
    /// A leading underscore hides (Python, Dart, Lua, ...).
    Underscore,
    /// A keyword in front of the definition decides; without one it is public.
    KeywordElsePublic,
    /// A keyword in front of the definition decides; without one it is internal.
    KeywordElseInternal,
    /// A keyword in front of the definition decides; without one it is private.
    KeywordElsePrivate,
}

/// A row of the table.
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
    /// What its files are for.
    pub role: Role,
    /// What stands between the parts of a qualified name.
    pub(crate) separator: &'static str,
    pub(crate) visibility: VisibilityRule,
    grammar: Option<fn() -> tree_sitter::Language>,
    query: &'static str,
}

/// The compiled grammars, by row.
static COMPILED: [OnceLock<Compiled>; 64] = [const { OnceLock::new() }; 64];

/// A grammar with its query and the meaning of each capture.
pub(crate) struct Compiled {
    pub grammar: tree_sitter::Language,
    pub query: Query,
    pub captures: Vec<crate::extract::Capture>,
}

impl Language {
    /// Whether there is a grammar, so that symbols are found.
    pub fn has_grammar(&self) -> bool {
        self.grammar.is_some()
    }

    /// The grammar and its query, compiled at first use.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        let grammar = self.grammar?;
        let row = LANGUAGES.iter().position(|row| row.name == self.name)?;
        Some(COMPILED[row].get_or_init(|| {
            let grammar = grammar();
            let query = Query::new(&grammar, self.query)
                .unwrap_or_else(|error| panic!("queries/{}.scm: {error}", self.name));
            let captures =
                query.capture_names().iter().map(|name| crate::extract::Capture::named(name)).collect();
            Compiled { grammar, query, captures }
        }))
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

/// The language called `name`, by its canonical name, an alias or an extension; case does not matter.
pub fn find_language(name: &str) -> Option<&'static Language> {
    let name = name.trim().trim_start_matches('.').to_ascii_lowercase();
    let named = |list: &[&str]| list.contains(&name.as_str());
    LANGUAGES
        .iter()
        .find(|language| language.name == name)
        .or_else(|| LANGUAGES.iter().find(|language| named(language.aliases)))
        .or_else(|| LANGUAGES.iter().find(|language| named(language.extensions)))
}

/// The language of a file, by its name, its extension, and at last its first line. Any other text is `text`.
pub fn detect(path: &RelPath, bytes: &[u8]) -> &'static Language {
    let name = path.file_name();
    let fits = |pattern: &str| match pattern.strip_suffix('*') {
        Some(start) => name.len() >= start.len() && name[..start.len()].eq_ignore_ascii_case(start),
        None => name.eq_ignore_ascii_case(pattern),
    };
    if let Some(language) = LANGUAGES.iter().find(|l| l.file_names.iter().any(|n| fits(n))) {
        return language;
    }
    if let Some(extension) = path.extension().map(str::to_ascii_lowercase) {
        let found = LANGUAGES.iter().find(|l| l.extensions.contains(&extension.as_str()));
        if let Some(language) = found {
            return prefer_cpp(language, bytes);
        }
    }
    interpreter(bytes)
        .and_then(|program| {
            LANGUAGES.iter().find(|l| l.interpreters.iter().any(|i| program.starts_with(i)))
        })
        .unwrap_or_else(|| find_language("text").expect("the table has a row for plain text"))
}

/// A `.h` file is C unless it shows words that only C++ has.
fn prefer_cpp(language: &'static Language, bytes: &[u8]) -> &'static Language {
    const SIGNS: [&[u8]; 6] =
        [b"namespace ", b"template <", b"template<", b"\nclass ", b"public:", b"std::"];
    let head = &bytes[..bytes.len().min(64 * 1024)];
    if language.name == "c"
        && SIGNS.iter().any(|sign| memchr::memmem::find(head, sign).is_some())
        && let Some(cpp) = find_language("cpp")
    {
        return cpp;
    }
    language
}

fn interpreter(bytes: &[u8]) -> Option<&str> {
    let line = bytes.strip_prefix(b"#!")?;
    let line = &line[..memchr::memchr(b'\n', line).unwrap_or(line.len()).min(200)];
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    if program == "env" { words.find(|word| !word.starts_with('-')) } else { Some(program) }
}

/// A row of code; the defaults fit most languages.
const fn code(name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language {
        name,
        aliases: &[],
        extensions,
        file_names: &[],
        interpreters: &[],
        role: Role::Code,
        separator: ".",
        visibility: VisibilityRule::KeywordElsePublic,
        grammar: None,
        query: "",
    }
}

/// A row of configuration.
const fn data(name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language { role: Role::Data, ..code(name, extensions) }
}

/// A row of prose.
const fn prose(name: &'static str, extensions: &'static [&'static str]) -> Language {
    Language { role: Role::Prose, ..code(name, extensions) }
}

/// Every language, in the order its extensions are tried.
pub static LANGUAGES: &[Language] = &[
    Language {
        aliases: &["golang"],
        visibility: VisibilityRule::Capital,
        grammar: Some(|| tree_sitter_go::LANGUAGE.into()),
        query: include_str!("../queries/go.scm"),
        ..code("go", &["go"])
    },
    Language {
        aliases: &["rs"],
        separator: "::",
        visibility: VisibilityRule::KeywordElsePrivate,
        grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
        query: include_str!("../queries/rust.scm"),
        ..code("rust", &["rs"])
    },
    Language {
        aliases: &["py", "python3"],
        interpreters: &["python"],
        visibility: VisibilityRule::Underscore,
        grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
        query: include_str!("../queries/python.scm"),
        ..code("python", &["py", "pyi", "pyw", "pyx"])
    },
    Language {
        aliases: &["md"],
        grammar: Some(|| tree_sitter_md::LANGUAGE.into()),
        query: include_str!("../queries/markdown.scm"),
        ..prose("markdown", &["md", "markdown", "mdx", "mkd"])
    },
    Language { aliases: &["restructuredtext"], ..prose("rst", &["rst"]) },
    Language {
        aliases: &["yml"],
        grammar: Some(|| tree_sitter_yaml::LANGUAGE.into()),
        query: include_str!("../queries/yaml.scm"),
        ..data("yaml", &["yaml", "yml"])
    },
    prose("text", &["txt", "text", "adoc", "asciidoc", "org", "tex"]),
];
