//! All languages. Each has a folder with its row, query, fixture, import resolver and other code for it alone.

mod bash;
mod c;
mod cmake;
mod cpp;
mod csharp;
mod css;
mod dart;
mod dockerfile;
mod ecmascript;
mod elixir;
mod erlang;
mod go;
mod haskell;
mod hcl;
mod html;
mod java;
mod javascript;
mod json;
mod julia;
mod jvm;
mod kotlin;
mod lua;
mod make;
mod markdown;
mod nix;
mod ocaml;
mod ocaml_interface;
mod perl;
mod php;
mod plain;
mod protobuf;
mod python;
mod r;
mod rst;
mod ruby;
mod rust;
mod scala;
mod sql;
mod swift;
mod text;
mod toml;
mod tsx;
mod typescript;
mod yaml;
mod zig;

use crate::language::Language;
use groma_core::RelPath;

/// Every language, in the order its extensions are tried.
pub static LANGUAGES: &[Language] = &[
    go::LANGUAGE,
    rust::LANGUAGE,
    python::LANGUAGE,
    javascript::LANGUAGE,
    typescript::LANGUAGE,
    tsx::LANGUAGE,
    java::LANGUAGE,
    c::LANGUAGE,
    cpp::LANGUAGE,
    csharp::LANGUAGE,
    ruby::LANGUAGE,
    php::LANGUAGE,
    swift::LANGUAGE,
    kotlin::LANGUAGE,
    scala::LANGUAGE,
    haskell::LANGUAGE,
    ocaml::LANGUAGE,
    ocaml_interface::LANGUAGE,
    elixir::LANGUAGE,
    erlang::LANGUAGE,
    lua::LANGUAGE,
    bash::LANGUAGE,
    hcl::LANGUAGE,
    dockerfile::LANGUAGE,
    toml::LANGUAGE,
    json::LANGUAGE,
    html::LANGUAGE,
    css::LANGUAGE,
    sql::LANGUAGE,
    zig::LANGUAGE,
    dart::LANGUAGE,
    r::LANGUAGE,
    julia::LANGUAGE,
    perl::LANGUAGE,
    nix::LANGUAGE,
    protobuf::LANGUAGE,
    make::LANGUAGE,
    cmake::LANGUAGE,
    plain::SCSS,
    plain::LESS,
    plain::VUE,
    plain::SVELTE,
    plain::ASTRO,
    plain::GRAPHQL,
    plain::POWERSHELL,
    plain::GROOVY,
    plain::CLOJURE,
    plain::FSHARP,
    plain::OBJECTIVE_C,
    plain::SOLIDITY,
    plain::ASSEMBLY,
    plain::VIM,
    plain::AWK,
    plain::STARLARK,
    plain::JINJA,
    plain::TEMPLATE,
    plain::XML,
    plain::CSV,
    plain::INI,
    markdown::LANGUAGE,
    rst::LANGUAGE,
    yaml::LANGUAGE,
    text::LANGUAGE,
];

/// The module that a path implies: `src/auth/jwt.rs` is `auth::jwt`. Folders up to the last `src` or `lib` are left out, and
/// so are the names of files in `silent`.
fn path_module(path: &RelPath, silent: &[&str], separator: &str) -> String {
    let folders: Vec<&str> = path.folders().collect();
    let from =
        folders.iter().rposition(|folder| matches!(*folder, "src" | "lib")).map_or(0, |at| at + 1);
    let mut parts: Vec<&str> = folders[from..].to_vec();
    if !silent.contains(&path.stem()) {
        parts.push(path.stem());
    }
    parts.join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn rows_are_consistent() {
        let mut names = FxHashSet::default();
        let mut extensions = FxHashSet::default();
        for language in LANGUAGES {
            let name = language.name;
            assert!(names.insert(name), "two rows are called {name}");
            for extension in language.extensions {
                assert!(extensions.insert(extension), "two languages have .{extension}");
            }
            assert!(language.builtins.is_sorted(), "{name}: built-ins are searched by bisection");
            let known = |name| Language::named(name).is_some();
            assert!(language.dialects.iter().all(|dialect| known(dialect.language)), "{name}");
        }
    }
}
