//! A check of import resolvers: a small project and a table of imports in it. The cases of each language are in its folder.

use super::ImportMap;
use groma_core::{Import, RelPath};

/// Manifests as (path, text); they are files of the project too.
pub(crate) type Manifests<'a> = &'a [(&'a str, &'a str)];

/// The importing file, the import, and the files it resolves to, separated by spaces.
pub(crate) type Cases<'a> = &'a [(&'a str, &'a str, &'a str)];

/// Resolves the imports of `cases` in a project with these paths, separated by white space, and manifests.
#[track_caller]
pub(crate) fn check(language: &str, paths: &str, manifests: Manifests<'_>, cases: Cases<'_>) {
    let path = |text: &str| RelPath::new(text).unwrap();
    let texts: Vec<_> =
        manifests.iter().map(|(name, text)| (path(name), text.to_string())).collect();
    for (name, _) in &texts {
        assert!(ImportMap::is_manifest(name), "{name} is not taken for a manifest");
    }
    let names = manifests.iter().map(|(name, _)| path(name));
    let map = ImportMap::new(paths.split_whitespace().map(path).chain(names), &texts);
    for (from, import, expected) in cases {
        let import = Import { path: import.to_string(), line: 1 };
        let found = map.resolve(&path(from), language, &import);
        let found: Vec<&str> = found.iter().map(RelPath::as_str).collect();
        assert_eq!(found.join(" "), *expected, "{language}: `{}` in {from}", import.path);
    }
}

#[test]
fn paths_as_written() {
    check("css", "a/x.css b/y.css", &[], &[("a/x.css", "../b/y.css", "b/y.css")]);
    check(
        "zig",
        "src/main.zig src/net/pool.zig",
        &[],
        &[("src/main.zig", "net/pool.zig", "src/net/pool.zig"), ("src/main.zig", "std", "")],
    );
    check(
        "protobuf",
        "proto/shop/v1/cart.proto proto/shop/v1/money.proto third/google/type/date.proto",
        &[],
        &[
            ("proto/shop/v1/cart.proto", "shop/v1/money.proto", "proto/shop/v1/money.proto"),
            ("proto/shop/v1/cart.proto", "money.proto", "proto/shop/v1/money.proto"),
            ("proto/shop/v1/cart.proto", "google/type/date.proto", "third/google/type/date.proto"),
            ("proto/shop/v1/cart.proto", "google/protobuf/any.proto", ""),
        ],
    );
}

#[test]
fn other_languages_have_nothing() {
    check("swift", "a.swift Foundation.swift", &[], &[("a.swift", "Foundation", "")]);
    check("text", "a.txt b.txt", &[], &[("a.txt", "b.txt", ""), ("a.txt", "", "")]);
}

#[test]
fn installed_packages_are_no_manifests() {
    assert!(!ImportMap::is_manifest(&RelPath::new("web/node_modules/x/package.json").unwrap()));
    assert!(!ImportMap::is_manifest(&RelPath::new("src/main.rs").unwrap()));
}
