//! Cycles between the modules at the top of a crate.
//!
//! The graph has an edge from a module to each module that its code names by a path from the crate's root, tests left
//! out. A name that the root re-exports counts as its module. Modules that reach each other form a cycle.

use super::source::{self, Source, is_test_only};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::visit::{self, Visit};

/// The modules that each module names.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The cycles of every crate.
pub fn problems(root: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for folder in source::crates(root)? {
        let name = folder.trim_start_matches("crates/");
        let sources = source::rust_files(root, &format!("{folder}/src"))?;
        let cycles = cycles(&graph(&folder, &sources));
        let problem =
            |cycle: &Vec<String>| format!("{name}: the modules {} form a cycle", cycle.join(", "));
        problems.extend(cycles.iter().map(problem));
    }
    Ok(problems)
}

fn graph(folder: &str, sources: &[Source]) -> Graph {
    let root = Path::new(folder).join("src");
    let files: Vec<(Vec<String>, &syn::File)> = sources
        .iter()
        .filter_map(|source| {
            Some((module_path(source.path.strip_prefix(&root).ok()?)?, &source.file))
        })
        .collect();
    let modules: BTreeSet<String> =
        files.iter().filter_map(|(path, _)| path.first().cloned()).collect();
    let mut exports = BTreeMap::new();
    for (_, file) in files.iter().filter(|(path, _)| path.is_empty()) {
        exports.extend(root_exports(file, &modules));
    }
    let mut graph = Graph::new();
    for (path, file) in files.iter().filter(|(path, _)| !path.is_empty()) {
        let mut found = Names {
            depth: path.len(),
            modules: &modules,
            exports: &exports,
            found: BTreeSet::new(),
        };
        found.visit_file(file);
        found.found.remove(&path[0]);
        graph.entry(path[0].clone()).or_default().extend(found.found);
    }
    graph
}

/// `a/b.rs` is `[a, b]`, `lib.rs` and `main.rs` are the root. `None` for tests.
fn module_path(file: &Path) -> Option<Vec<String>> {
    let mut parts: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.iter().any(|part| part == "tests") {
        return None;
    }
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    Some(parts)
}

/// The names that the root takes from its modules.
fn root_exports(file: &syn::File, modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for item in &file.items {
        let syn::Item::Use(item) = item else { continue };
        for path in flatten(&item.tree) {
            let path: Vec<String> =
                path.into_iter().skip_while(|part| part == "crate" || part == "self").collect();
            if let [module, .., name] = &path[..]
                && modules.contains(module)
            {
                exports.insert(name.clone(), module.clone());
            }
        }
    }
    exports
}

/// The paths of a `use`, each ending with the name that it brings in.
fn flatten(tree: &syn::UseTree) -> Vec<Vec<String>> {
    match tree {
        syn::UseTree::Path(path) => flatten(&path.tree)
            .into_iter()
            .map(|rest| [vec![path.ident.to_string()], rest].concat())
            .collect(),
        syn::UseTree::Name(name) => vec![vec![name.ident.to_string()]],
        syn::UseTree::Rename(name) => vec![vec![name.ident.to_string(), name.rename.to_string()]],
        syn::UseTree::Glob(_) => vec![vec!["*".to_string()]],
        syn::UseTree::Group(group) => group.items.iter().flat_map(flatten).collect(),
    }
}

/// Collects the modules that a file names.
struct Names<'a> {
    /// How many `super` lead to the root.
    depth: usize,
    modules: &'a BTreeSet<String>,
    exports: &'a BTreeMap<String, String>,
    found: BTreeSet<String>,
}

impl Names<'_> {
    fn add(&mut self, path: &[String]) {
        let path: Vec<&str> =
            path.iter().map(String::as_str).skip_while(|part| *part == "self").collect();
        let supers = path.iter().take_while(|part| **part == "super").count();
        let name = match path.first() {
            Some(&"crate") => path.get(1),
            Some(_) if supers == self.depth => path.get(supers),
            _ => None,
        };
        let Some(name) = name else { return };
        let module = self.modules.get(*name).or_else(|| self.exports.get(*name));
        self.found.extend(module.cloned());
    }
}

impl<'ast> Visit<'ast> for Names<'_> {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Use(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            _ => return visit::visit_item(self, item),
        };
        if !is_test_only(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        self.depth += 1;
        visit::visit_item_mod(self, module);
        self.depth -= 1;
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        flatten(&item.tree).iter().for_each(|path| self.add(path));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.add(&parts);
        visit::visit_path(self, path);
    }

    /// What is in a macro is not parsed, so its tokens are searched.
    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let tokens = item.tokens.to_string();
        for (at, _) in tokens.match_indices("crate :: ") {
            let name = tokens[at + "crate :: ".len()..]
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            let is_own = !tokens[..at].trim_end().ends_with('$');
            if let Some(name) = name.filter(|_| is_own) {
                self.add(&["crate".to_string(), name.to_string()]);
            }
        }
        visit::visit_macro(self, item);
    }
}

/// The sets of modules that reach each other, in order.
fn cycles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> =
        graph.keys().map(|module| (module, reachable(graph, module))).collect();
    let mut cycles: Vec<Vec<String>> = Vec::new();
    for (module, from_it) in &reached {
        let both =
            |other: &&&String| reached.get(**other).is_some_and(|back| back.contains(module));
        let cycle: Vec<String> =
            from_it.iter().filter(both).map(|other| (*other).clone()).collect();
        if cycle.len() > 1 && !cycles.contains(&cycle) {
            cycles.push(cycle);
        }
    }
    cycles
}

fn reachable<'g>(graph: &'g Graph, from: &String) -> BTreeSet<&'g String> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&String> = graph.get(from).into_iter().flatten().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(graph.get(module).into_iter().flatten());
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<Vec<String>> {
        let sources: Vec<Source> = files
            .iter()
            .map(|(path, text)| Source {
                path: Path::new("crates/x/src").join(path),
                file: syn::parse_file(text).unwrap(),
            })
            .collect();
        cycles(&graph("crates/x", &sources))
    }

    #[test]
    fn a_cycle_is_found_through_every_kind_of_path() {
        let back = [
            "use crate::a::A;",
            "use crate::{a, c};",
            "use crate::A;",
            "use super::a::A;",
            "fn f() { crate::a::f() }",
            "fn f() { println!(\"{}\", crate::a::f()) }",
            "mod inner { use super::super::a::A; }",
        ];
        for text in back {
            let files = [
                ("lib.rs", "mod a; mod b; pub use a::A;"),
                ("a/mod.rs", "mod deep;"),
                ("a/deep.rs", "use crate::b::B;"),
                ("b.rs", text),
            ];
            assert_eq!(found(&files), [["a", "b"]], "{text}");
        }
    }

    #[test]
    fn tests_and_one_way_are_no_cycle() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "use crate::b::B; use super::b;"),
            ("b.rs", "#[cfg(test)] mod tests { use crate::a::A; }"),
            ("b/tests.rs", "use crate::a::A;"),
        ];
        assert_eq!(found(&files), Vec::<Vec<String>>::new());
    }
}
