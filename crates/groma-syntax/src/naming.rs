//! Names, signatures, comments and import paths as text.

use crate::language::{Language, VisibilityRule};
use crate::tree::Node;
use groma_core::{Import, RelPath, Symbol, SymbolKind, Visibility};

/// Longest signature that is kept, in bytes.
const LONGEST_SIGNATURE: usize = 400;

/// Longest doc comment that is kept, in bytes.
const LONGEST_DOC: usize = 2000;

/// A name without sigils and white space.
pub(crate) fn plain(name: &str) -> &str {
    let name = name.trim();
    // `$(DIR)/x` starts with an expansion, not with a sigil.
    let expands = name.starts_with("$(") || name.starts_with("${");
    let bare = if expands { name } else { name.trim_start_matches(['$', '@', '&', '*', ':']) };
    bare.trim_end_matches(':').trim()
}

/// A name as the language has it: where `$` is a letter it stays.
pub(crate) fn bare<'t>(language: &Language, name: &'t str) -> &'t str {
    if language.naming.dollar_is_letter && name.starts_with('$') {
        name.trim()
    } else {
        plain(name)
    }
}

/// A string or quoted name without its quotes.
pub(crate) fn without_quotes(text: &str) -> &str {
    let text = text.trim();
    let inner = text.trim_matches(['"', '\'', '`']);
    if inner.is_empty() { text } else { inner }
}

/// What is imported, without its quotes or angles.
pub(crate) fn unquote(text: &str) -> &str {
    let inner = without_quotes(text);
    if let Some(angled) = inner.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')) {
        return angled;
    }
    inner
}

/// The bare name of a type expression: `*Server[K]` is `Server`.
pub(crate) fn type_name(text: &str) -> &str {
    let text = text.trim().trim_start_matches(['*', '&', ' ']);
    let end = text.find(['[', '<', '(', ' ']).unwrap_or(text.len());
    text[..end].rsplit(['.', ':']).next().unwrap_or(text)
}

/// The type a method belongs to. What a module hands out belongs to no type.
pub(crate) fn receiver(text: &str) -> Option<String> {
    let name = type_name(text);
    (!matches!(name, "exports" | "module" | "")).then(|| name.to_string())
}

/// Whether a name is written like a constant: `MAX_LINES`.
pub(crate) fn is_upper_case(name: &str) -> bool {
    name.len() > 1
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The definition from `start` to `end`, white space folded.
pub(crate) fn signature(text: &str, node: &Node<'_>, start: usize, end: usize) -> String {
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    // Words in front, like `export` or `type`, belong to it; another definition or an attribute does not.
    let before = text[line..start].trim();
    let words = start == node.start_byte()
        && before.len() <= 60
        && !before.contains(['{', '}', '(', ';', ',', '@', '=']);
    fold(&text[if words { line } else { start }..end.max(start)])
}

/// The body of a definition: the one given, its `body` field, or a child that is called a body.
pub(crate) fn body<'t>(node: &Node<'t>, given: Option<Node<'t>>) -> Option<Node<'t>> {
    let found = given
        .or_else(|| node.body())
        .or_else(|| node.named_children().find(|child| child.kind().ends_with("_body")))?;
    // The parts of a tuple are what it is; how members are initialised is not.
    if found.kind() == "ordered_field_declaration_list" {
        return None;
    }
    let initializers = found.before().filter(|node| node.kind() == "field_initializer_list");
    Some(initializers.unwrap_or(found))
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
    let trimmed = folded.trim_end_matches(['{', '(', '[', ':', '=', ' ', ',', '\\']).trim_end();
    trimmed.to_string()
}

/// Without a body, a signature ends with the first line of text.
pub(crate) fn first_line_end(text: &str, start: usize, node: &Node<'_>) -> usize {
    let rest = &text[start..node.end_byte().max(start)];
    let blank = rest.len() - rest.trim_start().len();
    start + rest[blank..].find('\n').map_or(rest.len(), |at| blank + at)
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
    // Some names are written in full: `package Shop::Order::Line` within `Shop::Order`.
    let inner = outer.iter().copied().rfind(|part| !part.is_empty()).unwrap_or("");
    let full =
        name.strip_prefix(inner).is_some_and(|rest| rest.starts_with(language.naming.separator));
    let outer: &[&str] = if full { &[] } else { outer };
    for part in outer.iter().copied().filter(|part| !part.is_empty()).chain([name]) {
        if !qualified.is_empty() {
            qualified.push_str(language.naming.separator);
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
    language.naming.module.map_or(String::new(), |module| module(path))
}

/// A qualified name without the module that a file's path makes: what it keeps when it moves to another file.
pub fn name_in_file<'n>(language: &str, path: &RelPath, qualified: &'n str) -> &'n str {
    let Some(language) = crate::find_language(language) else { return qualified };
    let module = module_prefix(language, path, None);
    let inner = qualified.strip_prefix(&module).filter(|_| !module.is_empty());
    inner.and_then(|rest| rest.strip_prefix(language.naming.separator)).unwrap_or(qualified)
}

/// `src/auth/jwt.rs` is `auth::jwt`; what stands before the last `src` or `lib` folder is left out.
pub(crate) fn path_module(path: &RelPath, silent: &[&str], separator: &str) -> String {
    let folders: Vec<&str> = path.folders().collect();
    let from =
        folders.iter().rposition(|folder| matches!(*folder, "src" | "lib")).map_or(0, |at| at + 1);
    let mut parts: Vec<&str> = folders[from..].to_vec();
    if !silent.contains(&path.stem()) {
        parts.push(path.stem());
    }
    parts.join(separator)
}

/// Who may use a definition, by the language's rule.
pub(crate) fn visibility(
    language: &Language,
    kind: SymbolKind,
    name: &str,
    signature: &str,
    parent: Option<&Symbol>,
) -> Visibility {
    // What is defined in a function stays in it.
    if parent.is_some_and(|parent| parent.kind.is_callable()) {
        return Visibility::Private;
    }
    match language.naming.visibility {
        VisibilityRule::Capital => {
            let exported = name.chars().next().is_some_and(char::is_uppercase);
            return if exported { Visibility::Public } else { Visibility::Internal };
        }
        VisibilityRule::Underscore => {
            let hidden = name.starts_with('_') && !(name.starts_with("__") && name.ends_with("__"));
            return if hidden { Visibility::Private } else { Visibility::Public };
        }
        _ if name.starts_with('#') => return Visibility::Private,
        _ => {}
    }
    let keyword = access_word(language, signature, name);
    keyword.unwrap_or_else(|| default_visibility(language, kind, signature, parent))
}

/// Whether a signature has a word that says who may use it.
pub(crate) fn has_access_keyword(language: &Language, signature: &str, name: &str) -> bool {
    access_word(language, signature, name).is_some()
}

/// The visibility the words in front of a name state.
fn access_word(language: &Language, signature: &str, name: &str) -> Option<Visibility> {
    // `private(set)` limits who may change it only.
    let signature = ["private(set) ", "fileprivate(set) ", "internal(set) "]
        .iter()
        .find_map(|setter| signature.strip_prefix(setter))
        .unwrap_or(signature);
    let head = signature.split(['(', '=', '{']).next().unwrap_or(signature);
    // `pub(crate)` is cut off at its parenthesis.
    if head.trim_end() == "pub" && signature[head.len()..].starts_with('(') {
        return Some(Visibility::Internal);
    }
    for word in head.split_whitespace().take(6).take_while(|word| *word != name) {
        match word {
            "pub" | "public" | "export" | "open" => return Some(Visibility::Public),
            "private" | "fileprivate" | "local" => return Some(Visibility::Private),
            "protected" => return Some(Visibility::Protected),
            "internal" => return Some(Visibility::Internal),
            _ if language.naming.private_keywords.contains(&word) => {
                return Some(Visibility::Private);
            }
            _ if word.starts_with("private[") || word.starts_with("protected[") => {
                return Some(Visibility::Internal);
            }
            _ => {}
        }
    }
    None
}

/// The visibility of a definition that has no word for it.
fn default_visibility(
    language: &Language,
    kind: SymbolKind,
    signature: &str,
    parent: Option<&Symbol>,
) -> Visibility {
    let outer = parent.map(|parent| parent.kind);
    let member = outer.is_some_and(SymbolKind::is_type);
    // What an interface or an enumeration lists is as visible as the whole.
    if let Some(parent) = parent
        && (kind == SymbolKind::Variant
            || matches!(
                parent.kind,
                SymbolKind::Trait | SymbolKind::Interface | SymbolKind::Variant
            ))
    {
        return parent.visibility;
    }
    match language.naming.visibility {
        VisibilityRule::KeywordElseInternal => Visibility::Internal,
        VisibilityRule::KeywordElsePrivate => Visibility::Private,
        VisibilityRule::KeywordElseNarrow if member => Visibility::Private,
        VisibilityRule::KeywordElseNarrow => Visibility::Internal,
        // `exports.x = ...` exports as well.
        VisibilityRule::Export
            if !member
                && !["exports.", "module."].iter().any(|start| signature.starts_with(start)) =>
        {
            // `app.use = function () {}` is as open as the object.
            let alone =
                if kind == SymbolKind::Method { Visibility::Public } else { Visibility::Internal };
            parent.map_or(alone, |parent| parent.visibility)
        }
        VisibilityRule::Linkage
            if outer == Some(SymbolKind::Class) || !member && signature.starts_with("static ") =>
        {
            Visibility::Private
        }
        _ => Visibility::Public,
    }
}

/// A comment without its marks, or a doc string without its quotes.
pub(crate) fn clean_comment(comment: &str) -> String {
    let comment = comment.trim();
    // A doc string may have a letter in front of its quotes.
    let quoted = comment.trim_start_matches(['r', 'R', 'u', 'U']);
    let comment = if quoted.starts_with(['"', '\'']) { quoted } else { comment };
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
    let inner = inner.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(inner);
    let mut cleaned = String::with_capacity(inner.len().min(LONGEST_DOC));
    for line in inner.lines() {
        let line = line.trim().trim_start_matches(['/', '!', '#', '*', '-', ';', '%']);
        // Haddock marks its comments with `|` and `^`, roxygen with `'`.
        let line = line.strip_prefix('\'').unwrap_or(line).trim();
        let line = line.strip_prefix(['|', '^']).unwrap_or(line).trim();
        let line = line.trim_start_matches("<summary>").trim_end_matches("</summary>").trim();
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

/// One import for each thing imported: Rust's `a::{b, c}` becomes `a::b` and `a::c`, Scala's `a.{b => c}` `a.b`.
pub(crate) fn expand_imports(language: &Language, imports: Vec<Import>) -> Vec<Import> {
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
        let paths: Vec<_> =
            expand_imports(language, vec![import]).into_iter().map(|i| i.path).collect();
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
    fn a_dollar_is_a_sigil_or_a_letter() {
        let name = |language: &str| bare(crate::find_language(language).unwrap(), "$scope");
        assert_eq!((name("php"), name("javascript")), ("scope", "$scope"));
    }

    #[test]
    fn modules_come_from_paths() {
        let prefix = |language: &str, path: &str| {
            module_prefix(
                crate::find_language(language).unwrap(),
                &RelPath::new(path).unwrap(),
                None,
            )
        };
        assert_eq!(prefix("rust", "crates/x/src/auth/jwt.rs"), "auth::jwt");
        assert_eq!(prefix("rust", "src/auth/mod.rs"), "auth");
        assert_eq!(prefix("python", "pkg/net/__init__.py"), "pkg.net");
        assert_eq!(prefix("go", "pkg/net/a.go"), "");
    }

    #[test]
    fn names_keep_what_no_path_gave_them() {
        let name = |language: &str, path: &str, qualified: &'static str| {
            name_in_file(language, &RelPath::new(path).unwrap(), qualified)
        };
        assert_eq!(name("rust", "src/auth/jwt.rs", "auth::jwt::Key::verify"), "Key::verify");
        assert_eq!(name("rust", "src/main.rs", "main"), "main");
        assert_eq!(name("python", "auth/token.py", "auth.token.verify"), "verify");
        assert_eq!(name("go", "store/order.go", "store.Find"), "store.Find", "a declared package");
        assert_eq!(name("rust", "src/auth.rs", "authority::x"), "authority::x");
        assert_eq!(name("no such language", "a.b", "a.c"), "a.c");
    }

    #[test]
    fn types_lose_their_decoration() {
        assert_eq!(type_name("*Server[K, V]"), "Server");
        assert_eq!(type_name("fmt::Display"), "Display");
    }
}
