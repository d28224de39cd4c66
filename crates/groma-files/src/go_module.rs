//! The `go.mod` of a Go project.

use crate::options::WalkOptions;
use crate::source;
use crate::working_tree::WorkingTree;
use groma_core::RelPath;
use std::path::Path;

/// A Go module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoModule {
    /// Its import path.
    pub name: String,
    /// The version of Go it requires; empty if it states none.
    pub go_version: String,
}

impl GoModule {
    /// Reads the `go.mod` of a folder; `None` without one.
    pub fn at(root: &Path) -> Option<Self> {
        let path = RelPath::new("go.mod").ok()?;
        let source = source::read(&WorkingTree::new(root), &path, &WalkOptions::default()).ok()?;
        Some(parse(&source.text))
    }
}

fn parse(text: &str) -> GoModule {
    let mut module = GoModule::default();
    let mut block = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line);
        let words = line.split_whitespace().map(|word| word.trim_matches(['"', '`']));
        match *words.collect::<Vec<_>>() {
            [")"] => block.clear(),
            [directive, "("] => block = directive.to_string(),
            ["module", name] if block.is_empty() => module.name = name.to_string(),
            ["go", version] if block.is_empty() => module.go_version = version.to_string(),
            [name] if block == "module" => module.name = name.to_string(),
            _ => {}
        }
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_read_in_either_form() {
        let module =
            |name: &str, version: &str| GoModule { name: name.into(), go_version: version.into() };
        let plain = "// My project.\nmodule github.com/dev/myproject // it is mine\n\ngo 1.21\n\nrequire (\n\tgo 9\n)\n";
        assert_eq!(parse(plain), module("github.com/dev/myproject", "1.21"));
        assert_eq!(parse("module (\n\t\"example.com/x\"\n)\n"), module("example.com/x", ""));
        assert_eq!(parse("\u{0}garbage ("), module("", ""));
    }
}
