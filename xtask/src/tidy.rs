//! `cargo xtask tidy`: the rules of this repository that no compiler checks. Also run as a test.

mod booleans;
mod commits;
mod cycles;
mod dependencies;
mod source;

use crate::workspace;
use anyhow::{Context, Result, bail};
use ignore::WalkBuilder;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Which crates of the workspace a crate may be built from; tests may use any. A crate without a row may not exist.
const EDGES: &[(&str, &[&str])] = &[
    ("groma-core", &[]),
    ("groma-fastparse", &[]),
    ("groma-syntax", &["groma-core", "groma-fastparse"]),
    ("groma-embed", &["groma-core"]),
    ("groma-store", &["groma-core"]),
    ("groma-worker", &["groma-core", "groma-store", "groma-syntax"]),
    ("groma-secrets", &[]),
    ("groma-files", &["groma-core", "groma-secrets", "groma-syntax"]),
    ("groma-index", &["groma-core", "groma-files", "groma-syntax"]),
    ("groma-search", &["groma-core", "groma-files", "groma-syntax"]),
    (
        "groma-notebook",
        &["groma-core", "groma-files", "groma-search", "groma-secrets", "groma-syntax"],
    ),
    (
        "groma-engine",
        &[
            "groma-core",
            "groma-files",
            "groma-index",
            "groma-notebook",
            "groma-search",
            "groma-syntax",
        ],
    ),
    ("groma-render", &["groma-core", "groma-engine", "groma-secrets"]),
    ("groma-mcp", &["groma-core", "groma-engine", "groma-render", "groma-secrets"]),
    (
        "groma",
        &[
            "groma-core",
            "groma-embed",
            "groma-engine",
            "groma-mcp",
            "groma-render",
            "groma-secrets",
            "groma-store",
            "groma-worker",
        ],
    ),
    (
        "groma-testkit",
        &["groma-core", "groma-embed", "groma-engine", "groma-store", "groma-syntax"],
    ),
    (
        "xtask",
        &[
            "groma-core",
            "groma-embed",
            "groma-engine",
            "groma-fastparse",
            "groma-files",
            "groma-store",
            "groma-syntax",
        ],
    ),
];

/// Crates whose types know nothing of serialisation.
const PLAIN: [&str; 6] =
    ["groma-core", "groma-files", "groma-index", "groma-search", "groma-notebook", "groma-engine"];

/// Crates that take files and environment as arguments, and the modules that they must therefore not use.
const CLOSED: &[(&str, &[&str])] = &[
    ("groma-core", &["std::fs", "std::env"]),
    ("groma-fastparse", &["std::fs", "std::env"]),
    ("groma-secrets", &["std::fs", "std::env"]),
    ("groma-syntax", &["std::fs", "std::env"]),
    ("groma-embed", &["std::fs", "std::env"]),
    ("groma-files", &["std::env"]),
    ("groma-index", &["std::fs", "std::env"]),
    ("groma-search", &["std::env"]),
    ("groma-notebook", &["std::fs", "std::env"]),
    ("groma-engine", &["std::fs", "std::env"]),
    ("groma-store", &["std::env"]),
];

/// Branches on the name of a language. What differs between languages is a field of the row.
const LANGUAGE_BRANCHES: [&str; 3] =
    ["match language.name", "matches!(language.name", "language.name == \""];

/// Prefixes of paths that exist on one machine only. Split, so that this file passes its own check.
const PRIVATE_PATHS: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];

/// Checks every rule and fails with a list of all violations.
pub fn run() -> Result<()> {
    let problems = problems()?;
    if !problems.is_empty() {
        bail!("{} to tidy up:\n  {}", problems.len(), problems.join("\n  "));
    }
    println!("tidy");
    Ok(())
}

fn problems() -> Result<Vec<String>> {
    let root = workspace::root();
    let files = files(&root);
    let mut problems = edges(&workspace::metadata(false)?);
    problems.extend(dependencies::problems(&root)?);
    problems.extend(cycles::problems(&root)?);
    problems.extend(booleans::problems(&root)?);
    problems.extend(commits::problems(&root));
    problems.extend(documented_crates(&root)?);
    problems.extend(queries(&files, &root)?);
    for path in &files {
        // Binary files have no rules.
        let Ok(text) = fs::read_to_string(root.join(path)) else { continue };
        problems.extend(
            text_rules(path, &text).into_iter().map(|rule| format!("{}: {rule}", path.display())),
        );
    }
    Ok(problems)
}

/// Every file of the repository that git does not ignore, hidden ones included.
fn files(root: &Path) -> Vec<PathBuf> {
    let mut builder = WalkBuilder::new(root);
    builder.hidden(false).require_git(false).filter_entry(|entry| entry.file_name() != ".git");
    let mut files: Vec<PathBuf> = builder
        .build()
        .flatten()
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .filter_map(|entry| entry.path().strip_prefix(root).ok().map(Path::to_path_buf))
        .collect();
    files.sort();
    files
}

/// Edges that the table does not have, and serialisation in the plain crates.
fn edges(metadata: &Value) -> Vec<String> {
    let mut problems = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let Some((_, allowed)) = EDGES.iter().find(|(crate_name, _)| *crate_name == name) else {
            problems.push(format!("{name}: xtask/src/tidy.rs does not say what it may depend on"));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let on = dependency["name"].as_str().unwrap_or_default();
            let for_tests = dependency["kind"] == "dev";
            let inside = EDGES.iter().any(|(crate_name, _)| *crate_name == on);
            if inside && !for_tests && !allowed.contains(&on) {
                problems.push(format!("{name} must not depend on {on}"));
            }
            if PLAIN.contains(&name) && on.starts_with("serde") && !for_tests {
                problems.push(format!("{name} must not depend on {on}: its types are plain"));
            }
        }
    }
    problems
}

/// The table of crates in ARCHITECTURE.md names each folder of `crates/`, and no other.
fn documented_crates(root: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).context("ARCHITECTURE.md")?;
    let documented: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name.to_string())
        .filter(|name| name == "groma" || name.starts_with("groma-"))
        .collect();
    let mut present = BTreeSet::new();
    for entry in fs::read_dir(root.join("crates"))? {
        present.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    let differing = documented.symmetric_difference(&present);
    Ok(differing.map(|name| format!("ARCHITECTURE.md and crates/ disagree about {name}")).collect())
}

/// Each query file is part of a language's row, by a path from its own folder or from a sibling. That each row's files
/// exist, the compiler checks; so it does that each folder is a module.
fn queries(files: &[PathBuf], root: &Path) -> Result<Vec<String>> {
    let languages = Path::new("crates/groma-syntax/src/languages");
    let inside =
        || files.iter().filter_map(|path| Some((path.strip_prefix(languages).ok()?, path)));
    let mut rows = String::new();
    for (_, path) in inside().filter(|(inside, _)| inside.ends_with("mod.rs")) {
        rows.push_str(&fs::read_to_string(root.join(path)).context("a language's row")?);
    }
    let is_query = |path: &Path| path.extension().is_some_and(|extension| extension == "scm");
    let mut problems = Vec::new();
    for (query, path) in inside().filter(|(inside, _)| is_query(inside)) {
        let own = path.with_file_name("mod.rs");
        let own = fs::read_to_string(root.join(own)).context("a language's row")?;
        let name = query.file_name().unwrap_or_default().display();
        let here = own.contains(&format!("include_str!(\"{name}\")"));
        if !here && !rows.contains(&format!("include_str!(\"../{}\")", query.display())) {
            problems.push(format!("{} belongs to no language", path.display()));
        }
    }
    Ok(problems)
}

/// The violations in one file.
fn text_rules(path: &Path, text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let is_fixture = path.components().any(|part| part.as_os_str() == "fixtures");
    let is_rust = path.extension().is_some_and(|extension| extension == "rs") && !is_fixture;
    if is_rust && !text.starts_with("//!") {
        problems.push("opens without `//!`".to_string());
    }
    for (name, modules) in
        CLOSED.iter().filter(|(name, _)| path.starts_with(format!("crates/{name}/src")))
    {
        let uses = |module: &&&str| text.lines().any(|line| code(line).contains(**module));
        let used = modules.iter().filter(|_| !is_test(path)).filter(uses);
        problems.extend(used.map(|module| format!("{name} must not use {module}")));
    }
    let languages = Path::new("crates/groma-syntax/src/languages");
    if is_rust && path.starts_with("crates") && !path.starts_with(languages) {
        let branch = |line: &str| LANGUAGE_BRANCHES.iter().any(|start| code(line).contains(start));
        let found = text.lines().position(branch);
        problems.extend(found.map(|line| {
            format!(
                "line {} branches on the name of a language; make it a field of the row",
                line + 1
            )
        }));
    }
    for private in PRIVATE_PATHS {
        let found = text.lines().position(|line| line.contains(private));
        problems.extend(found.map(|line| format!("line {} names a path of one machine", line + 1)));
    }
    problems
}

/// A line without its comment.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "tests.rs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_repository_is_tidy() {
        assert_eq!(problems().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_forbidden_edge_is_found() {
        let edge = |name: &str, kind: Option<&str>| json!({ "name": name, "kind": kind });
        let package = |name: &str, edges: Vec<Value>| json!({ "packages": [{ "name": name, "dependencies": edges }] });
        let check = |name, on, kind| edges(&package(name, vec![edge(on, kind)])).len();
        assert_eq!(check("groma-engine", "groma-syntax", None), 0);
        assert_eq!(check("groma-engine", "groma-store", None), 1);
        assert_eq!(check("groma-engine", "groma-store", Some("dev")), 0);
        assert_eq!(check("groma-engine", "serde", None), 1);
        assert_eq!(check("groma-search", "groma-index", None), 1);
        assert_eq!(check("groma-index", "groma-search", None), 1);
        assert_eq!(check("groma-store", "groma-testkit", Some("dev")), 0);
        assert_eq!(check("groma-store", "groma-testkit", None), 1);
        assert_eq!(check("groma-other", "anyhow", None), 1);
    }

    #[test]
    fn a_file_against_the_rules_is_found() {
        let check = |path: &str, text: &str| text_rules(Path::new(path), text).len();
        assert_eq!(check("crates/groma/src/main.rs", "//! Good.\n"), 0);
        assert_eq!(check("crates/groma/src/main.rs", "fn main() {}\n"), 1);
        assert_eq!(
            check("crates/groma-syntax/src/languages/rust/fixtures/rust.rs", "fn main() {}\n"),
            0
        );
        let syntax = "//! Good.\nuse std::fs;\n";
        assert_eq!(check("crates/groma-syntax/src/parse.rs", syntax), 1);
        assert_eq!(check("crates/groma-store/src/memory.rs", syntax), 0);
        let branch = "//! Good.\nfn is_go() -> bool { language.name == \"go\" }\n";
        assert_eq!(check("crates/groma-syntax/src/parse.rs", branch), 1);
        assert_eq!(check("crates/groma-syntax/src/languages/go/mod.rs", branch), 0);
        assert_eq!(check("README.md", concat!("see /ho", "me/someone/project\n")), 1);
    }
}
