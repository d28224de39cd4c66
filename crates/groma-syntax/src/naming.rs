//! Names, signatures, comments and import paths as text.

use crate::language::{Language, VisibilityRule};
use groma_core::{Import, RelPath, Symbol, Visibility};
use tree_sitter::Node;

/// Longest signature that is kept, in bytes.
const LONGEST_SIGNATURE: usize = 400;

/// Longest doc comment that is kept, in bytes.
const LONGEST_DOC: usize = 2000;

/// A name without sigils and white space.
pub(crate) fn plain(name: &str) -> &str {
    let name = name.trim();
    // `$(DIR)/x` starts with an expansion, not with a sigil.
    let expands = name.starts_with("$(") || name.starts_with("${");
    let bare = if expands { name } else { name.trim_start_matches(['$', '@', '&', '*']) };
    bare.trim_end_matches(':').trim()
}

/// A string literal without its quotes.
pub(crate) fn unquote(text: &str) -> &str {
    let text = text.trim();
    let inner = text.trim_matches(['"', '\'', '`']);
    if let Some(angled) = inner.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        return angled;
    }
    if inner.is_empty() { text } else { inner }
}

/// The bare name of a type expression: `*Server[K]` is `Server`.
pub(crate) fn type_name(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['*', '&', ' ']);
    let end = text.find(['[', '<', '(', ' ']).unwrap_or(text.len());
    text[..end].rsplit(['.', ':']).next().unwrap_or(text)
}

/// The definition up to its body, white space folded.
pub(crate) fn signature(text: &str, node: &Node<'_>, body: Option<Node<'_>>) -> String {
    let line = text[..node.start_byte()].rfind('\n').map_or(0, |at| at + 1);
    let start = if text[line..node.start_byte()].trim().len() <= 60 { line } else { node.start_byte() };
    let body = body.or_else(|| node.child_by_field_name("body"));
    let end = match body {
        Some(body) if body.start_byte() > node.start_byte() => body.start_byte(),
        _ => first_line_end(text, node),
    };
    fold(&text[start..end])
}

/// A signature on one line, without what opens its body.
pub(crate) fn fold(text: &str) -> String {
    let raw = &text[..cut(text, text.len(), 4 * LONGEST_SIGNATURE)];
    let mut folded = String::with_capacity(raw.len().min(LONGEST_SIGNATURE));
    for word in raw.split_whitespace() {
        if folded.len() + word.len() > LONGEST_SIGNATURE {
            break;
        }
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    let trimmed = folded.trim_end_matches(['{', ':', '=', ' ', ',']).trim_end();
    trimmed.to_string()
}

/// Without a body, a signature ends with its line.
fn first_line_end(text: &str, node: &Node<'_>) -> usize {
    let rest = &text[node.start_byte()..node.end_byte()];
    node.start_byte() + rest.find('\n').unwrap_or(rest.len())
}

/// The largest character boundary at or below `at` and `most`.
fn cut(text: &str, at: usize, most: usize) -> usize {
    let mut at = at.min(most).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The parts that are not empty and the name, joined as the language does.
pub(crate) fn qualify(language: &Language, outer: &[&str], name: &str) -> String {
    let mut qualified = String::new();
    // Some names are written in full: a package within a package, `a.b` within `a`.
    let inner = outer.iter().copied().rfind(|part| !part.is_empty()).unwrap_or("");
    let full = name.strip_prefix(inner).is_some_and(|rest| rest.is_empty() || rest.starts_with(language.separator));
    let outer = if full && language.full_names { &[] } else { outer };
    for part in outer.iter().copied().filter(|part| !part.is_empty()).chain([name]) {
        if !qualified.is_empty() {
            qualified.push_str(language.separator);
        }
        qualified.push_str(part);
    }
    qualified
}

/// What stands before every name of a file: its declared package, or the module its path makes it.
pub(crate) fn module_prefix(language: &Language, path: &RelPath, package: Option<&str>) -> String {
    if let Some(package) = package {
        return package.trim().to_string();
    }
    match language.name {
        "rust" => path_module(path, &["mod", "lib", "main"], "::"),
        "python" => path_module(path, &["__init__", "__main__"], "."),
        "ocaml" | "ocaml_interface" => capitalised(path.stem()),
        _ => String::new(),
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// `src/auth/jwt.rs` is `auth::jwt`; what stands before the last `src` or `lib` folder is left out.
fn path_module(path: &RelPath, silent: &[&str], separator: &str) -> String {
    let folders: Vec<&str> = path.folders().collect();
    let from = folders.iter().rposition(|folder| matches!(*folder, "src" | "lib")).map_or(0, |at| at + 1);
    let mut parts: Vec<&str> = folders[from..].to_vec();
    if !silent.contains(&path.stem()) {
        parts.push(path.stem());
    }
    parts.join(separator)
}

/// Who may use a definition, by the language's rule.
pub(crate) fn visibility(
    language: &Language,
    name: &str,
    signature: &str,
    parent: Option<&Symbol>,
) -> Visibility {
    let fallback = match language.visibility {
        VisibilityRule::Capital => {
            let exported = name.chars().next().is_some_and(char::is_uppercase);
            return if exported { Visibility::Public } else { Visibility::Internal };
        }
        VisibilityRule::Underscore => {
            let hidden = name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"));
            return if hidden { Visibility::Private } else { Visibility::Public };
        }
        VisibilityRule::KeywordElsePublic => Visibility::Public,
        VisibilityRule::KeywordElseInternal => Visibility::Internal,
        VisibilityRule::KeywordElsePrivate => {
            // What a trait or an enumeration lists is as visible as the whole.
            match parent {
                Some(parent) if matches!(parent.kind.as_str(), "trait" | "interface" | "enum") => {
                    parent.visibility
                }
                _ => Visibility::Private,
            }
        }
    };
    let head = signature.split(['(', '=', '{']).next().unwrap_or(signature);
    for word in head.split_whitespace().take(6) {
        match word {
            "pub" | "public" | "export" | "open" => return Visibility::Public,
            "private" | "fileprivate" | "local" | "defp" | "defmacrop" | "defguardp" | "@typep" => return Visibility::Private,
            "protected" => return Visibility::Protected,
            "internal" => return Visibility::Internal,
            "static" if matches!(language.name, "c" | "cpp") && parent.is_none() => {
                return Visibility::Private;
            }
            _ if word.starts_with("pub(") || word.starts_with("private[") => {
                return Visibility::Internal;
            }
            _ => {}
        }
    }
    // `pub(crate)` is cut off at its parenthesis above.
    if head.trim_end().ends_with("pub") && signature[head.len()..].starts_with('(') {
        return Visibility::Internal;
    }
    if name.starts_with('#') { Visibility::Private } else { fallback }
}

/// A comment without its marks, or a doc string without its quotes.
pub(crate) fn clean_comment(comment: &str) -> String {
    let comment = comment.trim();
    let inner = comment
        .trim_start_matches("/**")
        .trim_start_matches("/*")
        .trim_end_matches("*/")
        .trim_start_matches("\"\"\"")
        .trim_end_matches("\"\"\"")
        .trim_start_matches("<!--")
        .trim_end_matches("-->")
        .trim_start_matches("'''")
        .trim_end_matches("'''")
        .trim_start_matches("{-")
        .trim_end_matches("-}")
        .trim_start_matches("(**")
        .trim_start_matches("(*")
        .trim_end_matches("*)");
    let mut cleaned = String::with_capacity(inner.len().min(LONGEST_DOC));
    for line in inner.lines() {
        let line = line.trim().trim_start_matches(['/', '!', '#', '*', '-', ';', '%']);
        let line = line.strip_prefix('|').unwrap_or(line).trim();
        if cleaned.len() + line.len() > LONGEST_DOC {
            break;
        }
        if !cleaned.is_empty() {
            cleaned.push('\n');
        }
        cleaned.push_str(line);
    }
    cleaned.trim().to_string()
}

/// One import for each thing imported: Rust's `a::{b, c}` becomes `a::b` and `a::c`.
pub(crate) fn expand_imports(language: &Language, imports: Vec<Import>) -> Vec<Import> {
    if language.name != "rust" {
        return imports;
    }
    let mut expanded = Vec::with_capacity(imports.len());
    for import in imports {
        let mut paths = Vec::new();
        expand_braces(&import.path, "", 0, &mut paths);
        expanded.extend(paths.into_iter().map(|path| Import { path, line: import.line }));
    }
    expanded
}

fn expand_braces(text: &str, prefix: &str, depth: usize, out: &mut Vec<String>) {
    let text = text.trim();
    let Some(open) = text.find('{').filter(|_| depth < 8) else {
        let path = text.split(" as ").next().unwrap_or(text).trim();
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
    let inner = text[open + 1..].trim_end().trim_end_matches('}');
    // `trim_end_matches` takes nested closers too; the split below counts what is open.
    for item in split_top(inner) {
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
        let paths: Vec<_> = expand_imports(language, vec![import]).into_iter().map(|i| i.path).collect();
        assert_eq!(paths, ["crate::a", "crate::a::b::C", "crate::a::b::D", "crate::a::f"]);
    }

    #[test]
    fn comments_lose_their_marks() {
        assert_eq!(clean_comment("/// Opens it.\n"), "Opens it.");
        assert_eq!(clean_comment("/**\n * Opens it.\n * Twice.\n */"), "Opens it.\nTwice.");
        assert_eq!(clean_comment("\"\"\"Opens it.\n\n    Twice.\"\"\""), "Opens it.\n\nTwice.");
        assert_eq!(clean_comment("# Opens it."), "Opens it.");
    }

    #[test]
    fn modules_come_from_paths() {
        let prefix = |language: &str, path: &str| {
            module_prefix(crate::find_language(language).unwrap(), &RelPath::new(path).unwrap(), None)
        };
        assert_eq!(prefix("rust", "crates/x/src/auth/jwt.rs"), "auth::jwt");
        assert_eq!(prefix("rust", "src/auth/mod.rs"), "auth");
        assert_eq!(prefix("python", "pkg/net/__init__.py"), "pkg.net");
        assert_eq!(prefix("go", "pkg/net/a.go"), "");
    }

    #[test]
    fn types_lose_their_decoration() {
        assert_eq!(type_name("*Server[K, V]"), "Server");
        assert_eq!(type_name("fmt::Display"), "Display");
    }
}
