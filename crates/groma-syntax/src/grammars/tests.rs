//! The constants beside what cargo resolved.

use super::{FNV_OFFSET, GRAMMARS, fnv1a, grammar_fingerprint};
use std::collections::BTreeMap;
use std::path::Path;

fn read(path: &str) -> toml::Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn is_grammar(name: &str) -> bool {
    name == "tree-sitter" || name.starts_with("tree-sitter-") || name.starts_with("arborium-")
}

#[test]
fn every_grammar_is_listed_and_pinned_to_the_version_of_the_lock_file() {
    let (manifest, workspace) = (read("Cargo.toml"), read("../../Cargo.toml"));
    let shared = &workspace["workspace"]["dependencies"];
    let requirement = |(name, value): (&String, &toml::Value)| {
        let value = value.as_str().or_else(|| shared.get(name)?.as_str());
        (name.clone(), value.unwrap_or("no version").to_string())
    };
    let dependencies = manifest["dependencies"].as_table().unwrap();
    let required: BTreeMap<String, String> =
        dependencies.iter().filter(|(name, _)| is_grammar(name)).map(requirement).collect();
    let listed: BTreeMap<String, String> =
        GRAMMARS.iter().map(|(name, version)| (name.to_string(), format!("={version}"))).collect();
    assert_eq!(listed, required);

    let lock = read("../../Cargo.lock");
    for (name, version) in GRAMMARS {
        let locked = lock["package"].as_array().unwrap().iter();
        let versions: Vec<_> = locked
            .filter(|package| package["name"].as_str() == Some(name))
            .map(|package| package["version"].as_str().unwrap())
            .collect();
        assert_eq!(versions, [*version], "{name}");
    }
}

#[test]
fn the_fingerprint_depends_on_names_and_versions() {
    let hash = |pairs: &[(&str, &str)]| {
        pairs.iter().fold(FNV_OFFSET, |hash, (name, version)| fnv1a(fnv1a(hash, name), version))
    };
    assert_eq!(grammar_fingerprint(), hash(GRAMMARS));
    assert_ne!(hash(&[("a", "1")]), hash(&[("a", "2")]));
    assert_ne!(hash(&[("a", "1")]), hash(&[("b", "1")]));
    assert_ne!(hash(&[("a", "b")]), hash(&[("ab", "")]));
}
