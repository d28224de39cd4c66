//! Imports that list several names in braces.

use crate::language::Language;
use groma_core::Import;

/// One import for each imported name: Rust's `a::{b, c}` becomes `a::b` and `a::c`, Scala's `a.{b => c}` `a.b`.
pub(super) fn expand(language: &Language, imports: Vec<Import>) -> Vec<Import> {
    if !language.naming.grouped_imports {
        return imports;
    }
    let mut expanded = Vec::with_capacity(imports.len());
    for import in imports {
        let mut paths = Vec::new();
        for item in split_top(import.path.trim_start_matches("import ")) {
            expand_braces(item, "", 0, &mut paths);
        }
        expanded.extend(paths.into_iter().map(|path| Import { path, line: import.line }));
    }
    expanded
}

fn expand_braces(text: &str, prefix: &str, depth: usize, out: &mut Vec<String>) {
    let text = text.trim();
    let Some(open) = text.find('{').filter(|_| depth < 8) else {
        let path = text.split(" as ").next().unwrap_or(text);
        let path = path.split("=>").next().unwrap_or(path).trim();
        let joined = match path {
            "self" => prefix.trim_end_matches("::").to_string(),
            _ => format!("{prefix}{path}"),
        };
        if !joined.is_empty() {
            out.push(joined);
        }
        return;
    };
    let prefix = format!("{prefix}{}", text[..open].trim());
    let inner = text[open + 1..].trim_end();
    for item in split_top(inner.strip_suffix('}').unwrap_or(inner)) {
        expand_braces(item, &prefix, depth + 1, out);
    }
}

/// Splits at commas outside of braces.
fn split_top(text: &str) -> Vec<&str> {
    let mut depth = 0usize;
    let mut start = 0;
    let mut items = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                items.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&text[start..]);
    items.into_iter().filter(|item| !item.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_imports_are_expanded() {
        let import = Import { path: "crate::a::{self, b::{C, D as E}, f}".into(), line: 3 };
        let language = crate::find_language("rust").unwrap();
        let paths: Vec<_> = expand(language, vec![import]).into_iter().map(|i| i.path).collect();
        assert_eq!(paths, ["crate::a", "crate::a::b::C", "crate::a::b::D", "crate::a::f"]);
    }
}
