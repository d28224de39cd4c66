//! One fixture for each language in `languages/*/fixtures/`, and beside it the facts extracted from it.
//!
//! `UPDATE_EXPECT=1 cargo test -p groma-syntax` rewrites the expectations; read the diff.

use crate::fixtures;
use expect_test::expect_file;
use groma_core::{ReferenceKind, RelPath};
use groma_syntax::{LANGUAGES, detect, find_language, parse};
use std::fmt::Write;

/// Symbols, imports, references with their targets, bindings, types and chunks of a file, one to a line.
fn describe(path: &str, text: &str) -> String {
    let facts = parse(&RelPath::new(path).unwrap(), text).facts;
    let mut out = format!("{} {}", facts.language, facts.health.status);
    let _ = writeln!(out, " {}", facts.package.as_deref().unwrap_or("-"));
    for symbol in &facts.symbols {
        let parent = symbol.parent.map_or("-", |parent| &facts.symbols[parent as usize].name);
        let _ = writeln!(
            out,
            "{} {} {} {}-{} in {parent} [{}] | {} | {}",
            symbol.kind,
            symbol.qualified,
            symbol.visibility,
            symbol.lines.start,
            symbol.lines.end,
            symbol.receiver.as_deref().unwrap_or(""),
            symbol.signature,
            symbol.doc.replace('\n', " / "),
        );
    }
    for import in &facts.imports {
        let _ = writeln!(out, "import {} {}", import.line, import.path);
    }
    let symbol = |index: u32| facts.symbols[index as usize].qualified.clone();
    let meaning = |target| facts.links.show(target, &symbol);
    for reference in &facts.references {
        let inside = reference.enclosing.map_or("-", |index| &facts.symbols[index as usize].name);
        let implementor = reference.implementor.as_deref();
        let implementor = implementor.map_or(String::new(), |name| format!(" for {name}"));
        let _ = writeln!(
            out,
            "{} {}:{} {} in {inside}{implementor}{}",
            reference.kind,
            reference.line,
            reference.column,
            reference.name,
            reference.target.map_or(String::new(), |target| format!(" = {}", meaning(target))),
        );
    }
    for binding in &facts.links.bindings {
        let exported = if binding.exported { "exported " } else { "" };
        let target = meaning(binding.target);
        let _ = writeln!(out, "{exported}binding {} {} = {target}", binding.line, binding.name);
    }
    for (symbol, target) in &facts.links.types {
        let symbol = &facts.symbols[*symbol as usize].qualified;
        let _ = writeln!(out, "typed {symbol} = {}", meaning(*target));
    }
    for chunk in &facts.chunks {
        let symbol = chunk.symbol.map_or("-", |index| &facts.symbols[index as usize].name);
        let _ = writeln!(
            out,
            "chunk {} {}-{} {symbol} {}",
            chunk.kind, chunk.lines.start, chunk.lines.end, chunk.title
        );
    }
    out
}

#[test]
fn every_fixture_yields_the_expected_facts() {
    let mut seen = Vec::new();
    for path in fixtures() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let described = describe(name, &text);
        expect_file![path.with_file_name(format!("{name}.expect"))].assert_eq(&described);
        seen.push(detect(&RelPath::new(name).unwrap(), text.as_bytes()).name);
    }
    for language in LANGUAGES.iter().filter(|language| language.has_grammar()) {
        assert!(seen.contains(&language.name), "no fixture for {}", language.name);
    }
}

#[test]
fn aliases_find_their_language() {
    for (alias, name) in [
        ("golang", "go"),
        ("PY", "python"),
        (".rs", "rust"),
        ("js", "javascript"),
        ("ts", "typescript"),
        ("c++", "cpp"),
        ("c#", "csharp"),
        ("cs", "csharp"),
        ("rb", "ruby"),
        ("kt", "kotlin"),
        ("hs", "haskell"),
        ("ml", "ocaml"),
        ("mli", "ocaml_interface"),
        ("ex", "elixir"),
        ("exs", "elixir"),
        ("erl", "erlang"),
        ("sh", "bash"),
        ("shell", "bash"),
        ("zsh", "bash"),
        ("terraform", "hcl"),
        ("tf", "hcl"),
        ("docker", "dockerfile"),
        ("containerfile", "dockerfile"),
        ("yml", "yaml"),
        ("md", "markdown"),
        ("proto", "protobuf"),
        ("makefile", "make"),
        ("rlang", "r"),
        ("jl", "julia"),
        ("pl", "perl"),
        ("jsonc", "json"),
        ("htm", "html"),
        ("gradle", "groovy"),
        ("objc", "objective-c"),
        ("f#", "fsharp"),
        ("ps1", "powershell"),
    ] {
        assert_eq!(find_language(alias).map(|language| language.name), Some(name), "{alias}");
    }
    assert!(find_language("klingon").is_none());
}

#[test]
fn file_names_and_interpreters_determine_the_language() {
    let language =
        |path: &str, text: &str| detect(&RelPath::new(path).unwrap(), text.as_bytes()).name;
    for (path, name) in [
        ("Dockerfile", "dockerfile"),
        ("docker/Dockerfile.dev", "dockerfile"),
        ("api.dockerfile", "dockerfile"),
        ("Containerfile", "dockerfile"),
        ("Makefile", "make"),
        ("GNUmakefile", "make"),
        ("rules.mk", "make"),
        ("CMakeLists.txt", "cmake"),
        ("home/.bashrc", "bash"),
        ("home/.zshrc", "bash"),
        ("prod.tfvars", "hcl"),
        ("Cargo.lock", "toml"),
        (".eslintrc", "json"),
        ("lib/Order.pm", "perl"),
        ("t/order.t", "perl"),
        ("analysis.R", "r"),
        ("Jenkinsfile", "groovy"),
        (".editorconfig", "ini"),
        (".env.local", "ini"),
        ("Dockerfiles.md", "markdown"),
        ("CCTV大赛上海.txt", "text"),
    ] {
        assert_eq!(language(path, ""), name, "{path}");
    }
    for (line, name) in [
        ("#!/usr/bin/env -S python3 -u", "python"),
        ("#!/bin/sh", "bash"),
        ("#!/usr/bin/env bash", "bash"),
        ("#!/usr/bin/env bats", "bash"),
        ("#!/usr/bin/perl -w", "perl"),
        ("#!/usr/bin/env Rscript", "r"),
        ("#!/usr/bin/lua5.4", "lua"),
        ("#!/usr/bin/env elixir", "elixir"),
        ("#!/usr/bin/env node", "javascript"),
        ("#!/usr/bin/env ruby", "ruby"),
    ] {
        assert_eq!(language("bin/run", &format!("{line}\n")), name, "{line}");
    }
    assert_eq!(language("notes", "hello"), "text");
    assert_eq!(language("Gemfile", ""), "ruby");
    assert_eq!(language("a.h", "struct a;\n"), "c");
    assert_eq!(language("a.h", "namespace a {}\n"), "cpp");
}

#[test]
fn blocks_outside_of_a_type_name_the_implementor() {
    let implementor = |path: &str, text: &str| {
        let facts = parse(&RelPath::new(path).unwrap(), text).facts;
        let base = facts.references.iter().find(|one| one.kind == ReferenceKind::Base).unwrap();
        base.implementor.clone()
    };
    for (head, expected) in [
        ("impl Display for Cart<'_, T>", "Cart"),
        ("impl From<Box<dyn Fn(u8) -> u8>> for crate::shop::Cart where T: X", "Cart"),
        ("impl Iterator for &'a mut Cart", "Cart"),
        ("impl Iterator for &crate::shop::Cart<T>", "Cart"),
        ("impl Service for Box<dyn Service>", "Box"),
        ("impl Service for dyn Priced", "Priced"),
        ("impl Priced\n    for\n    Cart\n", "Cart"),
        ("impl crate::Priced for u8", "u8"),
        ("impl Priced for (A,\n    B)", "(A, B)"),
        ("fn f() { impl Priced for Cart {} } struct X", "Cart"),
    ] {
        let found = implementor("a.rs", &format!("{head} {{}}\n"));
        assert_eq!(found.as_deref(), Some(expected), "{head}");
    }
    assert_eq!(implementor("a.rs", "trait Taxed: Priced {}\n"), None);
    for head in ["extension Shop.Cart: Priced", "extension Cart<Int>: Priced<Int>"] {
        let found = implementor("a.swift", &format!("{head} {{}}\n"));
        assert_eq!(found.as_deref(), Some("Cart"), "{head}");
    }
    assert_eq!(implementor("a.swift", "class Cart: Priced {}\n"), None);
}
