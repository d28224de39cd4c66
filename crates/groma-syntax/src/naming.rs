//! Names: as written, bare, and qualified.

use crate::language::Language;
use groma_core::RelPath;

/// A name without sigils and white space.
pub(crate) fn without_sigil(name: &str) -> &str {
    let name = name.trim();
    // `$(DIR)/x` starts with an expansion, not with a sigil.
    let expands = name.starts_with("$(") || name.starts_with("${");
    let bare = if expands { name } else { name.trim_start_matches(['$', '@', '&', '*', ':']) };
    bare.trim_end_matches(':').trim()
}

/// A name without its sigil, unless `$` is a letter in this language.
pub(crate) fn identifier<'t>(language: &Language, name: &'t str) -> &'t str {
    if language.naming.dollar_is_letter && name.starts_with('$') {
        name.trim()
    } else {
        without_sigil(name)
    }
}

/// A string or quoted name without its quotes.
pub(crate) fn without_quotes(text: &str) -> &str {
    let text = text.trim();
    let inner = text.trim_matches(['"', '\'', '`']);
    if inner.is_empty() { text } else { inner }
}

/// The path of an import, without quotes or angle brackets.
pub(crate) fn import_path(text: &str) -> &str {
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

/// The type that a method belongs to. Exports of a module belong to no type.
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

/// A name with the parts of `outer` that are not empty in front, joined by the language's separator.
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

/// The qualifier of every name in a file: the package it declares, or the module that its path implies.
pub(crate) fn module_prefix(language: &Language, path: &RelPath, package: Option<&str>) -> String {
    if let Some(package) = package {
        return package.trim().to_string();
    }
    language.naming.module.map_or(String::new(), |module| module(path))
}

/// A qualified name without the module that the file's path implies: the part that a move to another file keeps.
pub fn name_in_file<'n>(language: &str, path: &RelPath, qualified: &'n str) -> &'n str {
    let Some(language) = crate::find_language(language) else { return qualified };
    let module = module_prefix(language, path, None);
    let inner = qualified.strip_prefix(&module).filter(|_| !module.is_empty());
    inner.and_then(|rest| rest.strip_prefix(language.naming.separator)).unwrap_or(qualified)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dollar_is_a_sigil_or_a_letter() {
        let name = |language: &str| identifier(crate::find_language(language).unwrap(), "$scope");
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
    fn names_lose_only_the_module_of_their_path() {
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
    fn type_names_lose_modules_and_arguments() {
        assert_eq!(type_name("*Server[K, V]"), "Server");
        assert_eq!(type_name("fmt::Display"), "Display");
    }
}
