//! Languages without a grammar: recognised by name, indexed by lines.

use super::{ecmascript, jvm};
use crate::language::{CommentSyntax, Language, Naming, code, data};

pub(super) const SCSS: Language =
    Language { aliases: &["sass"], ..code("scss", &["scss", "sass"]) };

pub(super) const LESS: Language = code("less", &["less"]);

pub(super) const VUE: Language = Language {
    family: "ecmascript",
    comments: CommentSyntax::MARKUP,
    imports: Some(&ecmascript::IMPORTS),
    ..code("vue", &["vue"])
};

pub(super) const SVELTE: Language = Language {
    family: "ecmascript",
    comments: CommentSyntax::MARKUP,
    imports: Some(&ecmascript::IMPORTS),
    ..code("svelte", &["svelte"])
};

pub(super) const ASTRO: Language = Language {
    family: "ecmascript",
    comments: CommentSyntax::MARKUP,
    imports: Some(&ecmascript::IMPORTS),
    ..code("astro", &["astro"])
};

pub(super) const GRAPHQL: Language = Language {
    aliases: &["gql"],
    comments: CommentSyntax::HASH,
    ..code("graphql", &["graphql", "gql", "graphqls"])
};

pub(super) const POWERSHELL: Language = Language {
    aliases: &["pwsh", "ps"],
    interpreters: &["pwsh"],
    comments: CommentSyntax::HASH,
    ..code("powershell", &["ps1", "psm1", "psd1"])
};

pub(super) const GROOVY: Language = Language {
    aliases: &["gradle"],
    file_names: &["Jenkinsfile*"],
    interpreters: &["groovy"],
    family: "jvm",
    naming: Naming { dollar_is_letter: true, ..Naming::DEFAULT },
    imports: Some(&jvm::MEMBERS),
    ..code("groovy", &["groovy", "gradle", "gvy"])
};

pub(super) const CLOJURE: Language = Language {
    aliases: &["cljs"],
    interpreters: &["clojure", "bb"],
    comments: CommentSyntax::SEMICOLON,
    ..code("clojure", &["clj", "cljs", "cljc", "edn"])
};

pub(super) const FSHARP: Language = Language {
    aliases: &["f#", "fs"],
    comments: CommentSyntax::STARRED,
    ..code("fsharp", &["fs", "fsi", "fsx"])
};

pub(super) const OBJECTIVE_C: Language = Language {
    aliases: &["objc", "objectivec"],
    family: "c",
    imports: Some(&super::c::IMPORTS),
    ..code("objective-c", &["m", "mm"])
};

pub(super) const SOLIDITY: Language = Language { aliases: &["sol"], ..code("solidity", &["sol"]) };

pub(super) const ASSEMBLY: Language = Language {
    aliases: &["asm"],
    comments: CommentSyntax::SEMICOLON,
    ..code("assembly", &["s", "asm"])
};

pub(super) const VIM: Language = Language {
    aliases: &["vimscript", "viml"],
    file_names: &[".vimrc", "vimrc"],
    comments: CommentSyntax::QUOTE,
    ..code("vim", &["vim"])
};

pub(super) const AWK: Language = Language {
    interpreters: &["awk", "gawk"],
    comments: CommentSyntax::HASH,
    ..code("awk", &["awk"])
};

pub(super) const STARLARK: Language =
    Language { comments: CommentSyntax::HASH, ..code("starlark", &["bzl", "star", "bazel"]) };

pub(super) const JINJA: Language =
    Language { aliases: &["jinja2"], ..code("jinja", &["j2", "jinja", "jinja2"]) };

pub(super) const TEMPLATE: Language = Language {
    aliases: &["handlebars", "mustache", "liquid"],
    ..code(
        "template",
        &["ejs", "hbs", "handlebars", "mustache", "liquid", "erb", "tmpl", "tpl", "gotmpl"],
    )
};

pub(super) const XML: Language = data(
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
);

pub(super) const CSV: Language = Language { aliases: &["tsv"], ..data("csv", &["csv", "tsv"]) };

pub(super) const INI: Language = Language {
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
    comments: CommentSyntax::SEMICOLON,
    ..data("ini", &["ini", "cfg", "conf", "properties", "env", "service", "desktop", "toc"])
};
