//! The table of languages: one row here and one query file add a language.

use crate::fast::FastParser;
use crate::query::Query;
use groma_core::{ReferenceKind, RelPath};
use std::sync::OnceLock;

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
    /// A keyword in front of the definition decides; without one a member is private and the rest internal (C#).
    KeywordElseNarrow,
    /// `export` makes what stands outside of types public; members are public unless a keyword says otherwise.
    Export,
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
    /// Names that never mean a definition of the project, ascending: built-in types the grammar does not tell
    /// from others, and words that read like calls.
    builtins: &'static [&'static str],
    grammar: Option<fn() -> tree_sitter::Language>,
    pub(crate) query: &'static str,
}

/// The compiled grammars, by row.
static COMPILED: [OnceLock<Compiled>; 128] = [const { OnceLock::new() }; 128];

/// A grammar with its query and the meaning of each capture.
pub(crate) struct Compiled {
    pub grammar: tree_sitter::Language,
    pub query: Query,
    /// The hand-written parser, if there is one.
    pub fast: Option<FastParser>,
    pub captures: Vec<crate::extract::Capture>,
    /// The separator of the language's names.
    pub separator: &'static str,
}

impl Language {
    /// Whether there is a grammar.
    pub fn has_grammar(&self) -> bool {
        self.grammar.is_some()
    }

    /// Whether symbols are found: by a grammar, or the headings of a document by a scan of its lines.
    pub fn has_symbols(&self) -> bool {
        self.has_grammar() || matches!(self.name, "markdown" | "rst")
    }

    /// Whether a use of `name` says nothing: a built-in, or a single letter as type parameters have.
    pub(crate) fn is_builtin(&self, name: &str, kind: ReferenceKind) -> bool {
        kind == ReferenceKind::Type && name.len() == 1 || self.builtins.binary_search(&name).is_ok()
    }

    /// Whether the query fits the grammar; what is wrong where it does not.
    pub fn check(&self) -> Result<(), String> {
        let Some(grammar) = self.grammar else { return Ok(()) };
        crate::memory::prepare();
        Query::new(&grammar(), self.query)
            .map(drop)
            .map_err(|error| format!("queries/{}.scm: {error}", self.name))
    }

    /// The grammar and its query, compiled at first use.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        let grammar = self.grammar?;
        let row = LANGUAGES.iter().position(|row| row.name == self.name)?;
        Some(COMPILED[row].get_or_init(|| {
            crate::memory::prepare();
            let grammar = grammar();
            let query = Query::new(&grammar, self.query)
                .unwrap_or_else(|error| panic!("queries/{}.scm: {error}", self.name));
            let captures = query
                .capture_names
                .iter()
                .map(|name| crate::extract::Capture::named(name))
                .collect();
            let fast = FastParser::new(self.name, &grammar);
            Compiled { grammar, query, fast, captures, separator: self.separator }
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
        Some(start) => name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)),
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
        builtins: &[],
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
        builtins: &[
            "any",
            "bool",
            "byte",
            "comparable",
            "complex128",
            "complex64",
            "error",
            "float32",
            "float64",
            "int",
            "int16",
            "int32",
            "int64",
            "int8",
            "rune",
            "string",
            "uint",
            "uint16",
            "uint32",
            "uint64",
            "uint8",
            "uintptr",
        ],
        grammar: Some(|| tree_sitter_go::LANGUAGE.into()),
        query: include_str!("../queries/go.scm"),
        ..code("go", &["go"])
    },
    Language {
        aliases: &["rs"],
        separator: "::",
        visibility: VisibilityRule::KeywordElsePrivate,
        builtins: &["Self"],
        grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
        query: include_str!("../queries/rust.scm"),
        ..code("rust", &["rs"])
    },
    Language {
        aliases: &["py", "python3"],
        interpreters: &["python"],
        visibility: VisibilityRule::Underscore,
        builtins: &[
            "Any",
            "bool",
            "bytes",
            "classmethod",
            "dict",
            "float",
            "frozenset",
            "int",
            "list",
            "object",
            "property",
            "set",
            "staticmethod",
            "str",
            "super",
            "tuple",
            "type",
        ],
        grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
        query: include_str!("../queries/python.scm"),
        ..code("python", &["py", "pyi", "pyw", "pyx"])
    },
    Language {
        aliases: &["js", "node"],
        interpreters: &["node", "deno", "bun"],
        visibility: VisibilityRule::Export,
        builtins: &["require"],
        grammar: Some(|| tree_sitter_javascript::LANGUAGE.into()),
        query: concat!(
            include_str!("../queries/ecmascript.scm"),
            include_str!("../queries/javascript.scm"),
            include_str!("../queries/jsx.scm")
        ),
        ..code("javascript", &["js", "mjs", "cjs", "jsx"])
    },
    Language {
        aliases: &["ts"],
        visibility: VisibilityRule::Export,
        builtins: &["require"],
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        query: concat!(
            include_str!("../queries/ecmascript.scm"),
            include_str!("../queries/typescript.scm")
        ),
        ..code("typescript", &["ts", "mts", "cts"])
    },
    Language {
        visibility: VisibilityRule::Export,
        builtins: &["require"],
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TSX.into()),
        query: concat!(
            include_str!("../queries/ecmascript.scm"),
            include_str!("../queries/typescript.scm"),
            include_str!("../queries/jsx.scm")
        ),
        ..code("tsx", &["tsx"])
    },
    Language {
        visibility: VisibilityRule::KeywordElseInternal,
        builtins: &[
            "Boolean", "Class", "Double", "Integer", "Long", "Object", "Override", "String", "Void",
        ],
        grammar: Some(|| tree_sitter_java::LANGUAGE.into()),
        query: include_str!("../queries/java.scm"),
        ..code("java", &["java"])
    },
    Language {
        grammar: Some(|| tree_sitter_c::LANGUAGE.into()),
        query: include_str!("../queries/c.scm"),
        ..code("c", &["c", "h"])
    },
    Language {
        aliases: &["c++", "cxx"],
        separator: "::",
        builtins: &["const_cast", "dynamic_cast", "reinterpret_cast", "static_cast"],
        grammar: Some(|| tree_sitter_cpp::LANGUAGE.into()),
        query: include_str!("../queries/cpp.scm"),
        ..code("cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx", "ipp", "inl", "cu"])
    },
    Language {
        aliases: &["c#", "cs"],
        visibility: VisibilityRule::KeywordElseNarrow,
        builtins: &["nameof", "var"],
        grammar: Some(|| tree_sitter_c_sharp::LANGUAGE.into()),
        query: include_str!("../queries/csharp.scm"),
        ..code("csharp", &["cs", "csx"])
    },
    Language {
        aliases: &["rb"],
        file_names: &["Gemfile", "Rakefile"],
        interpreters: &["ruby"],
        separator: "::",
        builtins: &[
            "alias_method",
            "attr_accessor",
            "attr_reader",
            "attr_writer",
            "autoload",
            "block_given?",
            "define_method",
            "extend",
            "include",
            "lambda",
            "load",
            "loop",
            "prepend",
            "private",
            "private_class_method",
            "private_constant",
            "proc",
            "protected",
            "public",
            "raise",
            "require",
            "require_relative",
            "super",
        ],
        grammar: Some(|| tree_sitter_ruby::LANGUAGE.into()),
        query: include_str!("../queries/ruby.scm"),
        ..code("ruby", &["rb", "rake", "gemspec", "ru"])
    },
    Language {
        interpreters: &["php"],
        separator: "\\",
        builtins: &["define", "parent", "self", "static"],
        grammar: Some(|| tree_sitter_php::LANGUAGE_PHP.into()),
        query: include_str!("../queries/php.scm"),
        ..code("php", &["php"])
    },
    Language {
        visibility: VisibilityRule::KeywordElseInternal,
        builtins: &[
            "Any",
            "Bool",
            "Character",
            "Double",
            "Float",
            "Int",
            "Int16",
            "Int32",
            "Int64",
            "Int8",
            "MainActor",
            "Self",
            "String",
            "UInt",
            "UInt16",
            "UInt32",
            "UInt64",
            "UInt8",
            "Void",
            "autoclosure",
            "available",
            "discardableResult",
            "escaping",
            "frozen",
            "inlinable",
            "objc",
            "testable",
            "unknown",
            "usableFromInline",
        ],
        grammar: Some(|| tree_sitter_swift::LANGUAGE.into()),
        query: include_str!("../queries/swift.scm"),
        ..code("swift", &["swift"])
    },
    Language {
        aliases: &["kt"],
        builtins: &[
            "Any",
            "Boolean",
            "Byte",
            "Char",
            "Double",
            "Float",
            "Int",
            "JvmStatic",
            "Long",
            "Nothing",
            "Short",
            "String",
            "Suppress",
            "Unit",
        ],
        grammar: Some(|| tree_sitter_kotlin_sg::LANGUAGE.into()),
        query: include_str!("../queries/kotlin.scm"),
        ..code("kotlin", &["kt", "kts"])
    },
    Language {
        builtins: &[
            "Any", "AnyRef", "AnyVal", "Boolean", "Byte", "Char", "Double", "Float", "Int", "Long",
            "Nothing", "Null", "Short", "String", "Unit", "super", "this",
        ],
        grammar: Some(|| tree_sitter_scala::LANGUAGE.into()),
        query: include_str!("../queries/scala.scm"),
        ..code("scala", &["scala", "sc", "sbt"])
    },
    Language {
        aliases: &["hs"],
        interpreters: &["runghc", "runhaskell", "stack"],
        grammar: Some(|| tree_sitter_haskell::LANGUAGE.into()),
        query: include_str!("../queries/haskell.scm"),
        ..code("haskell", &["hs", "lhs", "hs-boot", "hsc"])
    },
    Language {
        aliases: &["ml"],
        interpreters: &["ocaml"],
        grammar: Some(|| tree_sitter_ocaml::LANGUAGE_OCAML.into()),
        query: include_str!("../queries/ocaml.scm"),
        ..code("ocaml", &["ml"])
    },
    Language {
        grammar: Some(|| tree_sitter_ocaml::LANGUAGE_OCAML_INTERFACE.into()),
        query: include_str!("../queries/ocaml_interface.scm"),
        ..code("ocaml_interface", &["mli"])
    },
    Language {
        interpreters: &["elixir"],
        file_names: &["mix.lock"],
        grammar: Some(|| tree_sitter_elixir::LANGUAGE.into()),
        query: include_str!("../queries/elixir.scm"),
        ..code("elixir", &["ex", "exs"])
    },
    Language {
        file_names: &["rebar.config", "rebar.lock"],
        interpreters: &["escript"],
        separator: ":",
        grammar: Some(|| tree_sitter_erlang::LANGUAGE.into()),
        query: include_str!("../queries/erlang.scm"),
        ..code("erlang", &["erl", "hrl", "escript"])
    },
    Language {
        interpreters: &["lua"],
        visibility: VisibilityRule::KeywordElsePublic,
        grammar: Some(|| tree_sitter_lua::LANGUAGE.into()),
        query: include_str!("../queries/lua.scm"),
        ..code("lua", &["lua", "rockspec"])
    },
    Language {
        aliases: &["sh", "shell", "zsh", "ksh"],
        file_names: &[
            ".bashrc",
            ".bash_profile",
            ".bash_aliases",
            ".bash_login",
            ".bash_logout",
            ".profile",
            ".zshrc",
            ".zshenv",
            ".zprofile",
            ".zlogin",
            ".kshrc",
            ".envrc",
            "PKGBUILD",
            "APKBUILD",
        ],
        interpreters: &["sh", "bash", "zsh", "dash", "ksh", "ash", "bats"],
        grammar: Some(|| tree_sitter_bash::LANGUAGE.into()),
        query: include_str!("../queries/bash.scm"),
        ..code("bash", &["sh", "bash", "zsh", "ksh", "bats", "ebuild"])
    },
    Language {
        aliases: &["terraform", "tf", "opentofu"],
        file_names: &[".terraform.lock.hcl"],
        grammar: Some(|| tree_sitter_hcl::LANGUAGE.into()),
        query: include_str!("../queries/hcl.scm"),
        ..code("hcl", &["tf", "tfvars", "hcl", "nomad", "tofu"])
    },
    Language {
        aliases: &["docker", "containerfile"],
        file_names: &["Dockerfile", "Dockerfile.*", "Containerfile", "Containerfile.*"],
        grammar: Some(|| tree_sitter_containerfile::LANGUAGE.into()),
        query: include_str!("../queries/dockerfile.scm"),
        ..code("dockerfile", &["dockerfile", "containerfile"])
    },
    Language {
        file_names: &["Cargo.lock", "poetry.lock", "uv.lock", "Pipfile", "Gopkg.lock"],
        grammar: Some(|| tree_sitter_toml_ng::LANGUAGE.into()),
        query: include_str!("../queries/toml.scm"),
        ..data("toml", &["toml"])
    },
    Language {
        aliases: &["jsonc", "json5"],
        file_names: &[
            ".babelrc",
            ".eslintrc",
            ".prettierrc",
            ".swcrc",
            "composer.lock",
            "Pipfile.lock",
            "flake.lock",
        ],
        grammar: Some(|| tree_sitter_json::LANGUAGE.into()),
        query: include_str!("../queries/json.scm"),
        ..data(
            "json",
            &[
                "json",
                "jsonc",
                "json5",
                "geojson",
                "webmanifest",
                "ipynb",
                "avsc",
                "jsonl",
                "ndjson",
            ],
        )
    },
    Language {
        aliases: &["htm"],
        grammar: Some(|| tree_sitter_html::LANGUAGE.into()),
        query: include_str!("../queries/html.scm"),
        ..code("html", &["html", "htm", "xhtml"])
    },
    Language {
        separator: " ",
        grammar: Some(|| tree_sitter_css::LANGUAGE.into()),
        query: include_str!("../queries/css.scm"),
        ..code("css", &["css"])
    },
    Language {
        aliases: &["postgresql", "mysql", "sqlite", "plsql"],
        grammar: Some(|| tree_sitter_sequel::LANGUAGE.into()),
        query: include_str!("../queries/sql.scm"),
        ..code("sql", &["sql", "ddl", "psql", "pgsql"])
    },
    Language {
        visibility: VisibilityRule::KeywordElsePrivate,
        grammar: Some(|| tree_sitter_zig::LANGUAGE.into()),
        query: include_str!("../queries/zig.scm"),
        ..code("zig", &["zig", "zon"])
    },
    Language {
        interpreters: &["dart"],
        visibility: VisibilityRule::Underscore,
        grammar: Some(|| tree_sitter_dart::LANGUAGE.into()),
        query: include_str!("../queries/dart.scm"),
        ..code("dart", &["dart"])
    },
    Language {
        aliases: &["rlang"],
        file_names: &[".Rprofile"],
        interpreters: &["Rscript"],
        grammar: Some(|| tree_sitter_r::LANGUAGE.into()),
        query: include_str!("../queries/r.scm"),
        ..code("r", &["r"])
    },
    Language {
        interpreters: &["julia"],
        grammar: Some(|| tree_sitter_julia::LANGUAGE.into()),
        query: include_str!("../queries/julia.scm"),
        ..code("julia", &["jl"])
    },
    Language {
        file_names: &["cpanfile"],
        interpreters: &["perl"],
        separator: "::",
        visibility: VisibilityRule::Underscore,
        grammar: Some(|| arborium_perl::language().into()),
        query: include_str!("../queries/perl.scm"),
        ..code("perl", &["pl", "pm", "t", "psgi"])
    },
    Language {
        grammar: Some(|| tree_sitter_nix::LANGUAGE.into()),
        query: include_str!("../queries/nix.scm"),
        ..code("nix", &["nix"])
    },
    Language {
        aliases: &["proto", "protocol-buffers"],
        grammar: Some(|| tree_sitter_proto::LANGUAGE.into()),
        query: include_str!("../queries/protobuf.scm"),
        ..code("protobuf", &["proto"])
    },
    Language {
        aliases: &["makefile", "gnumake"],
        file_names: &[
            "Makefile",
            "GNUmakefile",
            "BSDmakefile",
            "Kbuild",
            "Makefile.am",
            "Makefile.in",
            "Makefile.inc",
            "Makefile.common",
            "Makefile.include",
            "Makefile.dist",
        ],
        interpreters: &["make"],
        grammar: Some(|| tree_sitter_make::LANGUAGE.into()),
        query: include_str!("../queries/make.scm"),
        ..code("make", &["mk", "mak", "make"])
    },
    Language {
        file_names: &["CMakeLists.txt"],
        grammar: Some(|| tree_sitter_cmake::LANGUAGE.into()),
        query: include_str!("../queries/cmake.scm"),
        ..code("cmake", &["cmake"])
    },
    // Without a grammar, by lines.
    Language { aliases: &["sass"], ..code("scss", &["scss", "sass"]) },
    code("less", &["less"]),
    code("vue", &["vue"]),
    code("svelte", &["svelte"]),
    code("astro", &["astro"]),
    Language { aliases: &["gql"], ..code("graphql", &["graphql", "gql", "graphqls"]) },
    Language {
        aliases: &["pwsh", "ps"],
        interpreters: &["pwsh"],
        ..code("powershell", &["ps1", "psm1", "psd1"])
    },
    Language {
        aliases: &["gradle"],
        file_names: &["Jenkinsfile*"],
        interpreters: &["groovy"],
        ..code("groovy", &["groovy", "gradle", "gvy"])
    },
    Language {
        aliases: &["cljs"],
        interpreters: &["clojure", "bb"],
        ..code("clojure", &["clj", "cljs", "cljc", "edn"])
    },
    Language { aliases: &["f#", "fs"], ..code("fsharp", &["fs", "fsi", "fsx"]) },
    Language { aliases: &["objc", "objectivec"], ..code("objective-c", &["m", "mm"]) },
    Language { aliases: &["sol"], ..code("solidity", &["sol"]) },
    Language { aliases: &["asm"], ..code("assembly", &["s", "asm"]) },
    Language {
        aliases: &["vimscript", "viml"],
        file_names: &[".vimrc", "vimrc"],
        ..code("vim", &["vim"])
    },
    Language { interpreters: &["awk", "gawk"], ..code("awk", &["awk"]) },
    code("starlark", &["bzl", "star", "bazel"]),
    Language { aliases: &["jinja2"], ..code("jinja", &["j2", "jinja", "jinja2"]) },
    Language {
        aliases: &["handlebars", "mustache", "liquid"],
        ..code(
            "template",
            &["ejs", "hbs", "handlebars", "mustache", "liquid", "erb", "tmpl", "tpl", "gotmpl"],
        )
    },
    data(
        "xml",
        &[
            "xml",
            "xsd",
            "xsl",
            "xslt",
            "plist",
            "csproj",
            "fsproj",
            "vbproj",
            "props",
            "targets",
            "resx",
            "xaml",
            "storyboard",
            "xib",
        ],
    ),
    Language { aliases: &["tsv"], ..data("csv", &["csv", "tsv"]) },
    Language {
        aliases: &["properties", "conf"],
        file_names: &[
            ".editorconfig",
            ".gitconfig",
            ".gitmodules",
            ".npmrc",
            ".env",
            ".env.*",
            ".gitignore",
            ".gitattributes",
            ".dockerignore",
            ".eslintignore",
            ".prettierignore",
            ".npmignore",
        ],
        ..data("ini", &["ini", "cfg", "conf", "properties", "env", "service", "desktop", "toc"])
    },
    Language { aliases: &["md"], ..prose("markdown", &["md", "markdown", "mdx", "mkd"]) },
    Language { aliases: &["restructuredtext"], ..prose("rst", &["rst"]) },
    Language {
        aliases: &["yml"],
        grammar: Some(|| tree_sitter_yaml::LANGUAGE.into()),
        query: include_str!("../queries/yaml.scm"),
        ..data("yaml", &["yaml", "yml"])
    },
    prose("text", &["txt", "text", "adoc", "asciidoc", "org", "tex"]),
];
