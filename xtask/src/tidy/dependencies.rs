//! Dependencies: each is used, and each has a licence that this project may be built with.

use super::code;
use crate::workspace;
use anyhow::{Context, Result};
use ignore::WalkBuilder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Licences under which a dependency may be used.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Unused dependencies, and those with another licence.
pub fn problems(root: &Path) -> Result<Vec<String>> {
    let metadata = workspace::metadata(true)?;
    let packages: Vec<&Value> = metadata["packages"].as_array().into_iter().flatten().collect();
    let mut problems: Vec<String> =
        packages.iter().filter_map(|package| licence(package)).collect();
    let libraries: BTreeMap<&str, String> =
        packages.iter().filter_map(|one| library(one)).collect();
    let members = packages.iter().filter(|package| package["source"].is_null());
    let mut declared = BTreeSet::new();
    for member in members {
        problems.extend(unused(member, &libraries)?);
        declared.extend(dependencies(member).map(|one| text(&one["name"]).to_string()));
    }
    let manifest = fs::read_to_string(root.join("Cargo.toml")).context("Cargo.toml")?;
    let manifest: toml::Table = manifest.parse().context("Cargo.toml")?;
    let shared = manifest["workspace"]["dependencies"].as_table();
    for name in shared.into_iter().flat_map(toml::Table::keys) {
        if !declared.contains(name) {
            problems.push(format!("Cargo.toml: no crate depends on {name}"));
        }
    }
    Ok(problems)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn dependencies(package: &Value) -> impl Iterator<Item = &Value> {
    package["dependencies"].as_array().into_iter().flatten()
}

/// The name by which code names a package.
fn library(package: &Value) -> Option<(&str, String)> {
    let targets = package["targets"].as_array()?;
    let is_library = |target: &&Value| {
        let kinds = target["kind"].as_array().into_iter().flatten();
        kinds.map(text).any(|kind| kind.ends_with("lib") || kind == "proc-macro")
    };
    let library = targets.iter().find(is_library)?;
    Some((text(&package["name"]), text(&library["name"]).replace('-', "_")))
}

/// What is wrong with the licence of a package.
fn licence(package: &Value) -> Option<String> {
    let (name, licence) = (text(&package["name"]), text(&package["license"]));
    let mode = spdx::ParseMode { allow_slash_as_or_operator: true, ..spdx::ParseMode::STRICT };
    let is_allowed = |requirement: &spdx::LicenseReq| {
        requirement.license.id().is_some_and(|id| LICENCES.contains(&id.name))
    };
    match spdx::Expression::parse_mode(licence, mode) {
        Ok(expression) if expression.evaluate(is_allowed) => None,
        Ok(_) => Some(format!("{name}: its licence `{licence}` is not in the list")),
        Err(_) => Some(format!("{name}: its licence `{licence}` is no SPDX expression")),
    }
}

/// Dependencies of a crate that none of its files names.
fn unused(package: &Value, libraries: &BTreeMap<&str, String>) -> Result<Vec<String>> {
    let folder = Path::new(text(&package["manifest_path"])).parent().context("a manifest")?;
    let (own, tests) = (words(&folder.join("src"))?, words(folder)?);
    let mut problems = Vec::new();
    for dependency in dependencies(package) {
        let name = text(&dependency["name"]);
        let as_is = name.replace('-', "_");
        let library = match dependency["rename"].as_str() {
            Some(rename) => rename.replace('-', "_"),
            None => libraries.get(name).cloned().unwrap_or(as_is),
        };
        let is_for_program = dependency["kind"].is_null();
        let used = if is_for_program { own.contains(&library) } else { tests.contains(&library) };
        if !used {
            problems.push(format!("{}: {name} is not used", text(&package["name"])));
        }
    }
    Ok(problems)
}

/// Every word of code in the Rust files below a folder.
fn words(folder: &Path) -> Result<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    for entry in WalkBuilder::new(folder).require_git(false).build().flatten() {
        if entry.path().extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(entry.path())?;
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            for line in text.lines().map(code) {
                words.extend(line.split(|c| !is_word(c)).map(String::from));
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn licences_are_read_as_expressions() {
        let check = |text: &str| licence(&json!({ "name": "x", "license": text })).is_none();
        for good in [
            "MIT",
            "GPL-3.0-only OR MIT",
            "MIT/Apache-2.0",
            "(MIT OR GPL-2.0-only) AND ISC",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(check(good), "{good}");
        }
        for bad in ["", "GPL-3.0-only", "MIT AND GPL-3.0-only", "MPL-2.0", "see LICENSE"] {
            assert!(!check(bad), "{bad}");
        }
    }

    #[test]
    fn a_dependency_that_no_file_names_is_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("src")).unwrap();
        fs::create_dir_all(folder.path().join("tests")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "//! a_b in a comment\nuse c_d::X;\n").unwrap();
        fs::write(folder.path().join("tests/it.rs"), "use a_b::X; use lib_e::Y;\n").unwrap();
        let package = |name: &str, kind: Option<&str>| {
            json!({
                "name": "x",
                "manifest_path": folder.path().join("Cargo.toml"),
                "dependencies": [{ "name": name, "kind": kind, "rename": null }],
            })
        };
        let libraries = BTreeMap::from([("e", "lib_e".to_string())]);
        let check = |name, kind| unused(&package(name, kind), &libraries).unwrap().len();
        assert_eq!((check("c-d", None), check("a-b", None)), (0, 1));
        assert_eq!((check("a-b", Some("dev")), check("e", Some("dev"))), (0, 0));
        assert_eq!(check("f", Some("dev")), 1);
    }
}
