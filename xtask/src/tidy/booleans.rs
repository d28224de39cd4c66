//! `match flag { true => .., false => .. }`, where `if` and `else` are meant.

use super::source;
use anyhow::Result;
use std::path::Path;
use syn::visit::{self, Visit};

/// How many of them each crate may still have. Numbers go down, never up.
const ALLOWED: &[(&str, usize)] = &[
    ("crates/groma", 12),
    ("crates/groma-core", 1),
    ("crates/groma-embed", 2),
    ("crates/groma-files", 3),
    ("crates/groma-mcp", 18),
    ("crates/groma-notebook", 5),
    ("crates/groma-search", 6),
    ("crates/groma-store", 9),
];

/// Crates with more of them than allowed.
pub fn problems(root: &Path) -> Result<Vec<String>> {
    let mut problems = Vec::new();
    for folder in source::crates(root)? {
        let allowed = ALLOWED.iter().find(|(own, _)| *own == folder).map_or(0, |(_, count)| *count);
        let mut found = 0;
        let mut files = Vec::new();
        for source in source::rust_files(root, &folder)? {
            let count = count(&source.file);
            found += count;
            if count > 0 {
                files.push(format!("{} ({count})", source.path.display()));
            }
        }
        if found > allowed {
            let files = files.join(", ");
            problems.push(format!(
                "{folder}: {found} times `match` on a boolean, {allowed} allowed; use `if`: {files}"
            ));
        }
    }
    Ok(problems)
}

fn count(file: &syn::File) -> usize {
    let mut matches = Matches(0);
    matches.visit_file(file);
    matches.0
}

struct Matches(usize);

impl<'ast> Visit<'ast> for Matches {
    fn visit_expr_match(&mut self, expression: &'ast syn::ExprMatch) {
        let is_boolean = |arm: &syn::Arm| matches!(&arm.pat, syn::Pat::Lit(literal) if matches!(literal.lit, syn::Lit::Bool(_)));
        self.0 += usize::from(expression.arms.iter().any(is_boolean));
        visit::visit_expr_match(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_match_on_a_boolean_counts() {
        let count = |text: &str| count(&syn::parse_file(text).unwrap());
        assert_eq!(count("fn f(x: bool) { match x { true => {} false => {} } }"), 1);
        assert_eq!(count("fn f(x: bool) { match x { true => {} _ => {} } }"), 1);
        assert_eq!(count("fn f(x: (bool, u8)) { match x { (true, _) => {} _ => {} } }"), 0);
        assert_eq!(count("fn f(x: Option<u8>) { match x { Some(_) => {} None => {} } }"), 0);
    }
}
