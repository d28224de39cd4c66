//! Which chunks a query may find.
//!
//! A filter is applied before retrieval, so that it narrows the search and never starves it. Its rules are
//! here, beside the vocabulary, so that every store applies the same ones.

use crate::{ChunkKind, SymbolKind, SymbolOutline};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use std::fmt;
use std::sync::Arc;

/// The attributes that a filter tests. A store fills it from its own rows.
#[derive(Clone, Copy, Debug)]
pub struct FilterSubject<'a> {
    /// The file's path.
    pub path: &'a str,
    /// The file's language.
    pub language: &'a str,
    /// The package the file declares.
    pub package: Option<&'a str>,
    /// The file's tags.
    pub tags: &'a [String],
}

/// A case-insensitive glob over symbol names.
#[derive(Clone, Debug)]
pub struct NameGlob {
    pattern: String,
    matcher: globset::GlobMatcher,
}

impl NameGlob {
    /// Compiles a pattern of `*`, `?`, `[...]` and `{a,b}`.
    pub fn new(pattern: &str) -> Result<Self, String> {
        let glob = GlobBuilder::new(pattern)
            .case_insensitive(true)
            .build()
            .map_err(|error| error.kind().to_string())?;
        Ok(Self { pattern: pattern.to_string(), matcher: glob.compile_matcher() })
    }

    /// Whether a name fits.
    pub fn matches(&self, name: &str) -> bool {
        self.matcher.is_match(name)
    }

    /// The pattern as given.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }
}

/// A test of definitions that the caller brings, for what the other fields of a filter cannot express.
#[derive(Clone)]
pub struct SymbolPredicate {
    id: String,
    test: Arc<dyn Fn(&SymbolOutline<'_>) -> bool + Send + Sync>,
}

impl SymbolPredicate {
    /// A test and its id. Answers are cached by the id, so tests of the same id must agree about every definition.
    pub fn new(
        id: impl Into<String>,
        test: impl Fn(&SymbolOutline<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { id: id.into(), test: Arc::new(test) }
    }

    /// Whether a definition fits.
    pub fn matches(&self, symbol: &SymbolOutline<'_>) -> bool {
        (self.test)(symbol)
    }

    /// The id as given.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl fmt::Debug for SymbolPredicate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SymbolPredicate").field(&self.id).finish()
    }
}

/// Which chunks a query may find. An empty list admits everything.
#[derive(Clone, Debug, Default)]
pub struct ChunkFilter {
    /// Canonical language names; any of them.
    pub languages: Vec<String>,
    /// Symbol kinds; any of them.
    pub symbol_kinds: Vec<SymbolKind>,
    /// A glob over the names a chunk defines.
    pub symbol_name: Option<NameGlob>,
    /// Packages, modules or folders; any of them.
    pub packages: Vec<String>,
    /// Chunk kinds; any of them.
    pub chunk_kinds: Vec<ChunkKind>,
    /// Tags of the file; all of them.
    pub tags: Vec<String>,
    /// A test that one of the symbols a chunk defines must pass.
    pub symbol: Option<SymbolPredicate>,
    path_globs: Vec<String>,
    paths: Option<GlobSet>,
    left_out: Option<GlobSet>,
}

impl ChunkFilter {
    /// Admits only paths that match one of the globs; one that begins with `!` excludes the paths it matches. A
    /// folder includes everything below it.
    pub fn set_paths<S: AsRef<str>>(&mut self, globs: &[S]) -> Result<(), String> {
        self.path_globs = globs.iter().map(|glob| glob.as_ref().to_string()).collect();
        let (left_out, admitted): (Vec<&str>, Vec<&str>) =
            globs.iter().map(AsRef::as_ref).partition(|glob| glob.starts_with('!'));
        self.paths = glob_set(&admitted)?;
        self.left_out = glob_set(&left_out)?;
        Ok(())
    }

    /// The path globs as given.
    pub fn path_globs(&self) -> &[String] {
        &self.path_globs
    }

    /// Whether everything is admitted.
    pub fn is_empty(&self) -> bool {
        self.languages.is_empty()
            && self.symbol_kinds.is_empty()
            && self.symbol_name.is_none()
            && self.packages.is_empty()
            && self.chunk_kinds.is_empty()
            && self.tags.is_empty()
            && self.symbol.is_none()
            && self.paths.is_none()
            && self.left_out.is_none()
    }

    /// Whether any chunk of the file may be found.
    pub fn admits_file(&self, file: &FilterSubject<'_>) -> bool {
        (self.languages.is_empty() || self.languages.iter().any(|name| name == file.language))
            && self.paths.as_ref().is_none_or(|globs| globs.is_match(file.path))
            && !self.left_out.as_ref().is_some_and(|globs| globs.is_match(file.path))
            && (self.packages.is_empty() || self.packages.iter().any(|name| in_package(name, file)))
            && self.tags.iter().all(|tag| has_tag(file, tag))
    }

    /// Whether a chunk of an admitted file may be found: its kind, the kinds of the symbols it defines (as bits by
    /// code), and the symbols.
    pub fn admits_chunk<'s>(
        &self,
        kind: ChunkKind,
        symbol_kinds: u32,
        mut symbols: impl Iterator<Item = SymbolOutline<'s>> + Clone,
    ) -> bool {
        (self.chunk_kinds.is_empty() || self.chunk_kinds.contains(&kind))
            && (self.symbol_kinds.is_empty() || self.symbol_kind_bits() & symbol_kinds != 0)
            && self
                .symbol_name
                .as_ref()
                .is_none_or(|glob| symbols.clone().any(|symbol| glob.matches(symbol.name)))
            && self.symbol.as_ref().is_none_or(|test| symbols.any(|symbol| test.matches(&symbol)))
    }

    fn symbol_kind_bits(&self) -> u32 {
        self.symbol_kinds.iter().fold(0, |bits, kind| bits | 1 << kind.code())
    }
}

fn has_tag(file: &FilterSubject<'_>, tag: &str) -> bool {
    file.tags.iter().any(|have| have.eq_ignore_ascii_case(tag))
}

/// The globs as one set; `None` if there are none.
fn glob_set(globs: &[&str]) -> Result<Option<GlobSet>, String> {
    if globs.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let glob = glob.trim_start_matches('!').trim_start_matches("./").trim_end_matches('/');
        // As in .gitignore: a pattern with a slash is anchored at the root, one without is found anywhere.
        let anchored = if glob.contains('/') {
            glob.trim_start_matches('/').to_string()
        } else {
            format!("**/{glob}")
        };
        for form in [anchored.clone(), format!("{anchored}/**")] {
            let built = GlobBuilder::new(&form)
                .literal_separator(true)
                .build()
                .map_err(|error| format!("path pattern `{glob}`: {}", error.kind()))?;
            set.add(built);
        }
    }
    set.build().map(Some).map_err(|error| error.to_string())
}

/// A package is named as declared, by its folder, or by the last component of either.
fn in_package(name: &str, file: &FilterSubject<'_>) -> bool {
    let folder = file.path.rfind('/').map_or("", |slash| &file.path[..slash]);
    let last_folder = folder.rsplit('/').next().unwrap_or(folder);
    file.package.is_some_and(|package| {
        package == name || package.rsplit(['.', '/', '\\', ':']).next() == Some(name)
    }) || folder == name
        || last_folder == name
        || folder.starts_with(name) && folder.as_bytes().get(name.len()) == Some(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject<'a>(path: &'a str, tags: &'a [String]) -> FilterSubject<'a> {
        FilterSubject { path, language: "go", package: Some("auth"), tags }
    }

    #[test]
    fn path_globs_leave_out() {
        let admits = |globs: &[&str], path: &str| {
            let mut filter = ChunkFilter::default();
            filter.set_paths(globs).unwrap();
            assert!(!filter.is_empty());
            filter.admits_file(&subject(path, &[]))
        };
        assert!(admits(&["!**/dist/**"], "src/a.ts"));
        assert!(admits(&["!**/dist/**"], "dist"), "a file of that name is no folder");
        assert!(
            !admits(&["!**/dist/**"], "dist/a.ts") && !admits(&["!**/dist/**"], "a/dist/b/c.ts")
        );
        assert!(admits(&["*.ts", "!*.test.ts"], "src/a.ts"));
        assert!(!admits(&["*.ts", "!*.test.ts"], "src/a.test.ts"));
        assert!(!admits(&["*.ts", "!*.test.ts"], "src/a.js"));
    }

    #[test]
    fn path_globs_admit_folders_names_and_patterns() {
        let admits = |glob: &str, path: &str| {
            let mut filter = ChunkFilter::default();
            filter.set_paths(&[glob]).unwrap();
            filter.admits_file(&subject(path, &[]))
        };
        assert!(admits("internal/auth/**", "internal/auth/a/b.go"));
        assert!(admits("internal", "internal/auth/b.go"));
        assert!(admits("./internal/", "internal/auth/b.go"));
        assert!(admits("*.go", "internal/auth/b.go"));
        assert!(admits("auth", "internal/auth/b.go"));
        assert!(!admits("internal/*", "internal2/b.go"));
        assert!(!admits("*.rs", "internal/auth/b.go"));
    }

    #[test]
    fn tags_must_all_match() {
        let tags = ["code".to_string(), "go".to_string()];
        let with = |tags: &[&str]| ChunkFilter {
            tags: tags.iter().map(|tag| tag.to_string()).collect(),
            ..Default::default()
        };
        assert!(with(&["code", "go"]).admits_file(&subject("a.go", &tags)));
        assert!(!with(&["code", "rust"]).admits_file(&subject("a.go", &tags)));
    }

    #[test]
    fn packages_and_names() {
        let filter = ChunkFilter { packages: vec!["internal/auth".into()], ..Default::default() };
        assert!(filter.admits_file(&subject("internal/auth/jwt.go", &[])));
        assert!(!filter.admits_file(&subject("internal/authz/jwt.go", &[])));
        assert!(NameGlob::new("User*Service").unwrap().matches("userprofileservice"));
        assert!(NameGlob::new("[").is_err());
    }

    #[test]
    fn one_symbol_must_pass_the_predicate() {
        let symbol = |name, container| SymbolOutline { name, kind: SymbolKind::Method, container };
        let in_pool = SymbolPredicate::new("in Pool", |symbol| symbol.container == Some("Pool"));
        let filter = ChunkFilter {
            symbol: Some(in_pool),
            symbol_name: NameGlob::new("get").ok(),
            ..Default::default()
        };
        assert!(!filter.is_empty());
        let admits = |symbols: &[SymbolOutline<'_>]| {
            filter.admits_chunk(ChunkKind::Code, 0, symbols.iter().copied())
        };
        assert!(admits(&[symbol("get", Some("Pool"))]));
        assert!(admits(&[symbol("get", None), symbol("put", Some("Pool"))]));
        assert!(!admits(&[symbol("get", Some("Queue"))]));
        assert!(!admits(&[symbol("put", Some("Pool"))]));
        assert!(!admits(&[]));
    }
}
