//! The project's settings: `.groma.toml` at the project's root.
//!
//! The file is parsed into plain data. Missing keys have their defaults; an unknown key is an error with its line
//! number, so that a typo is not silently ignored.

use crate::embedding::EmbeddingSettings;
use groma_core::RelPath;
use groma_engine::SearchMode;
use groma_engine::notebook::Modules;
use groma_engine::{WalkError, WalkOptions};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The name of the file.
pub const FILE_NAME: &str = ".groma.toml";

/// The largest settings file, in bytes.
const MAX_SIZE: u64 = 1_000_000;

/// The largest `max_file_size`: a file of this size takes a few hundred megabytes of memory to index.
const MAX_FILE_SIZE: u64 = 16_000_000;

/// All settings of a project.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// Which files are indexed.
    pub index: WalkOptions,
    /// Defaults of a search.
    pub search: SearchDefaults,
    /// The embedding model.
    pub embeddings: EmbeddingSettings,
    /// Modules by name, where the folder structure does not reflect them.
    pub modules: BTreeMap<String, Folders>,
}

/// One folder of the project, or several.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Folders {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl Folders {
    fn each(&self) -> &[String] {
        match self {
            Self::One(folder) => std::slice::from_ref(folder),
            Self::Many(folders) => folders,
        }
    }
}

/// Defaults of a search.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchDefaults {
    /// Number of results.
    pub limit: usize,
    /// Which retrievers are used.
    #[serde(with = "ModeName")]
    pub mode: SearchMode,
    /// Lines shown before and after a result.
    pub context: u32,
    /// Results with a lower score are not shown.
    pub min_score: f32,
}

impl Default for SearchDefaults {
    fn default() -> Self {
        Self { limit: 10, mode: SearchMode::Hybrid, context: 0, min_score: 0.0 }
    }
}

/// The serialised form of [`SearchMode`]; the engine's types do not use serde.
#[derive(Deserialize)]
#[serde(remote = "SearchMode", rename_all = "lowercase")]
enum ModeName {
    Hybrid,
    Vector,
    Keyword,
}

/// Why the settings could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file exists and cannot be read.
    #[error("cannot read {}", .path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The file is not TOML, or contains an unknown key or value.
    #[error("{}, line {line}: {message}", .path.display())]
    Invalid {
        /// Which file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason, with the allowed keys or values.
        message: String,
    },
    /// A value is out of bounds.
    #[error("{}: `{key}` must be {allowed}", .path.display())]
    OutOfBounds {
        /// Which file.
        path: PathBuf,
        /// The key with its table.
        key: &'static str,
        /// What is allowed.
        allowed: &'static str,
    },
    /// `include` or `exclude` contains an invalid glob.
    #[error("{}: {source}", .path.display())]
    Glob {
        /// Which file.
        path: PathBuf,
        /// The glob and the reason.
        source: WalkError,
    },
}

impl Config {
    /// Loads the settings of the project at `root`; the defaults if it has none.
    pub fn load(root: &Path) -> Result<Self, ConfigError> {
        let path = root.join(FILE_NAME);
        let text = match read(&path) {
            Ok(text) => text,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(ConfigError::Unreadable { path, source }),
        };
        Self::parse(&path, &text)
    }

    /// Loads a settings file that must exist.
    pub fn load_file(path: &Path) -> Result<Self, ConfigError> {
        match read(path) {
            Ok(text) => Self::parse(path, &text),
            Err(source) => Err(ConfigError::Unreadable { path: path.into(), source }),
        }
    }

    /// Parses settings; `path` is for error messages.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfigError> {
        let file: ConfigFile = toml::from_str(text).map_err(|error| ConfigError::Invalid {
            path: path.into(),
            line: error.span().map_or(1, |span| line_of(text, span.start)),
            message: error.message().replace("unknown field", "unknown key"),
        })?;
        let config = Config {
            index: file.index.into(),
            search: file.search,
            embeddings: file.embeddings,
            modules: file.modules,
        };
        config.check(path)?;
        Ok(config)
    }

    /// The file that `groma init` writes: every key with its default, commented out.
    pub fn default_toml() -> &'static str {
        include_str!("default.groma.toml")
    }

    /// The effective settings, defaults included, in the structure of the file.
    pub fn to_json(&self) -> Value {
        let WalkOptions {
            include,
            exclude,
            hidden,
            vendored,
            generated,
            lock_files,
            minified,
            gitignore,
            tests,
            // Set by the sub-index, not by the project.
            languages: _,
            max_file_size,
            // Not a setting: it follows from trust.
            skip_secrets: _,
        } = &self.index;
        let SearchDefaults { limit, mode, context, min_score } = &self.search;
        json!({
            "index": {
                "include": include,
                "exclude": exclude,
                "hidden": hidden,
                "vendored": vendored,
                "generated": generated,
                "lock_files": lock_files,
                "minified": minified,
                "gitignore": gitignore,
                "tests": tests,
                "max_file_size": max_file_size,
            },
            "search": { "limit": limit, "mode": mode.as_str(), "context": context, "min_score": min_score },
            "embeddings": self.embeddings.to_json(),
            "modules": self.modules,
        })
    }

    /// The modules of the project.
    pub fn modules(&self) -> Modules {
        let folders = self.modules.iter().flat_map(|(name, folders)| {
            let folders = folders.each().iter().filter_map(|one| folder(one));
            folders.map(move |folder| (folder, name.clone()))
        });
        Modules::new(folders.collect())
    }

    /// Withdraws what settings may do only in a project that the user trusts; returns the keys that have no effect.
    pub fn restrict(&mut self) -> Vec<&'static str> {
        let mut ignored = Vec::new();
        let default = WalkOptions::default().max_file_size;
        if self.index.max_file_size > default {
            self.index.max_file_size = default;
            ignored.push("index.max_file_size");
        }
        // Without `include` there is nothing to withdraw.
        self.index.skip_secrets = !self.index.include.is_empty();
        let names_secret = |glob: &String| {
            let path = glob.trim_start_matches(['/', '*']);
            RelPath::new(path).is_ok_and(|path| groma_engine::is_sensitive(&path))
        };
        if self.index.include.iter().any(names_secret) {
            ignored.push("index.include, where it names secrets");
        }
        self.embeddings.is_trusted = false;
        if self.embeddings.provider.is_some() {
            ignored.push("embeddings.provider");
        }
        ignored
    }

    fn check(&self, path: &Path) -> Result<(), ConfigError> {
        let bounds = |key, allowed| ConfigError::OutOfBounds { path: path.into(), key, allowed };
        if !(1..=1000).contains(&self.search.limit) {
            return Err(bounds("search.limit", "between 1 and 1000"));
        }
        if !(0.0..=1.0).contains(&self.search.min_score) {
            return Err(bounds("search.min_score", "between 0.0 and 1.0"));
        }
        if self.search.context > 1000 {
            return Err(bounds("search.context", "at most 1000"));
        }
        if !(1..=MAX_FILE_SIZE).contains(&self.index.max_file_size) {
            return Err(bounds("index.max_file_size", "between 1 and 16 MB"));
        }
        let are_inside = |folders: &Folders| folders.each().iter().all(|one| folder(one).is_some());
        let is_module =
            |(name, folders): (&String, &Folders)| !name.is_empty() && are_inside(folders);
        if !self.modules.iter().all(is_module) {
            return Err(bounds("modules", "names with folders inside the project"));
        }
        if let Some((key, allowed)) = self.embeddings.invalid() {
            return Err(bounds(key, allowed));
        }
        self.index.check().map_err(|source| ConfigError::Glob { path: path.into(), source })
    }
}

/// A folder inside the project.
fn folder(text: &str) -> Option<RelPath> {
    RelPath::new(text.trim_start_matches("./").trim_end_matches('/')).ok()
}

/// The structure of the file.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ConfigFile {
    index: IndexTable,
    search: SearchDefaults,
    embeddings: EmbeddingSettings,
    modules: BTreeMap<String, Folders>,
}

/// The serialised form of [`WalkOptions`]; the engine's types do not use serde.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct IndexTable {
    include: Vec<String>,
    exclude: Vec<String>,
    hidden: bool,
    vendored: bool,
    generated: bool,
    lock_files: bool,
    minified: bool,
    gitignore: bool,
    tests: bool,
    #[serde(deserialize_with = "size")]
    max_file_size: u64,
}

impl Default for IndexTable {
    fn default() -> Self {
        let options = WalkOptions::default();
        Self {
            include: options.include,
            exclude: options.exclude,
            hidden: options.hidden,
            vendored: options.vendored,
            generated: options.generated,
            lock_files: options.lock_files,
            minified: options.minified,
            gitignore: options.gitignore,
            tests: options.tests,
            max_file_size: options.max_file_size,
        }
    }
}

impl From<IndexTable> for WalkOptions {
    fn from(table: IndexTable) -> Self {
        Self {
            include: table.include,
            exclude: table.exclude,
            hidden: table.hidden,
            vendored: table.vendored,
            generated: table.generated,
            lock_files: table.lock_files,
            minified: table.minified,
            gitignore: table.gitignore,
            tests: table.tests,
            languages: Vec::new(),
            skip_secrets: false,
            max_file_size: table.max_file_size,
        }
    }
}

/// A number of bytes, or text such as `"2 MB"`.
fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    struct Size;

    impl Visitor<'_> for Size {
        type Value = u64;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a number of bytes, or text such as \"500 kB\" or \"2 MB\"")
        }

        fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<u64, E> {
            u64::try_from(bytes).map_err(|_| E::invalid_value(de::Unexpected::Signed(bytes), &self))
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<u64, E> {
            parse_size(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
        }
    }

    deserializer.deserialize_any(Size)
}

fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let unit = match &*text[digits..].trim().to_ascii_lowercase() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        _ => return None,
    };
    text[..digits].parse::<u64>().ok()?.checked_mul(unit)
}

/// Reads a settings file. Rejects pipes and files that are too large.
pub fn read(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    let mut text = String::new();
    fs::File::open(path)?.take(MAX_SIZE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_SIZE {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 MB"));
    }
    Ok(text)
}

fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, ConfigError> {
        Config::parse(Path::new(FILE_NAME), text)
    }

    fn error_of(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn an_empty_file_changes_nothing() {
        assert_eq!(parse("").unwrap(), Config::default());
        assert_eq!(parse("[index]\n[search]\n[embeddings]\n").unwrap(), Config::default());
    }

    #[test]
    fn every_key_has_an_effect() {
        let config = parse(
            r#"
            [index]
            include = [".github/**"]
            exclude = ["docs/old/"]
            hidden = true
            vendored = true
            generated = true
            lock_files = true
            minified = true
            gitignore = false
            tests = false
            max_file_size = "2 MB"
            [search]
            limit = 20
            mode = "keyword"
            context = 3
            min_score = 0.25
            [embeddings]
            enabled = false
            provider = "vllm"
            base_url = "http://localhost:8000/v1"
            model = "house-made"
            dimensions = 512
            batch = 16
            concurrency = 2
            query_prefix = "query: "
            passage_prefix = "passage: "
            timeout_seconds = 5
            key_variable = "VLLM_KEY"
            [modules]
            auth = ["src/login", "./src/token/"]
            billing = "src/pay"
            "#,
        );
        let expected = Config {
            index: WalkOptions {
                include: vec![".github/**".into()],
                skip_secrets: false,
                exclude: vec!["docs/old/".into()],
                hidden: true,
                vendored: true,
                generated: true,
                lock_files: true,
                minified: true,
                gitignore: false,
                tests: false,
                languages: Vec::new(),
                max_file_size: 2_000_000,
            },
            search: SearchDefaults {
                limit: 20,
                mode: SearchMode::Keyword,
                context: 3,
                min_score: 0.25,
            },
            embeddings: EmbeddingSettings {
                enabled: false,
                provider: Some(groma_embed::Provider::Vllm),
                base_url: "http://localhost:8000/v1".into(),
                model: "house-made".into(),
                dimensions: 512,
                batch: 16,
                concurrency: 2,
                query_prefix: "query: ".into(),
                passage_prefix: "passage: ".into(),
                timeout_seconds: 5,
                key_variable: "VLLM_KEY".into(),
                is_trusted: false,
            },
            modules: BTreeMap::from([
                ("auth".into(), Folders::Many(vec!["src/login".into(), "./src/token/".into()])),
                ("billing".into(), Folders::One("src/pay".into())),
            ]),
        };
        assert_eq!(config.unwrap(), expected);
    }

    #[test]
    fn the_template_is_the_defaults_and_shows_every_key() {
        let template = Config::default_toml();
        assert_eq!(parse(template).unwrap(), Config::default());
        let uncommented: String = template
            .lines()
            .map(|line| match line.strip_prefix("# ") {
                Some(setting) if setting.contains(" = ") => format!("{setting}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        assert_eq!(parse(&uncommented).unwrap(), Config::default());
        let written = toml::to_string(&Config::default().to_json()).unwrap();
        assert_eq!(parse(&written).unwrap(), Config::default());
        let keys = uncommented.lines().filter(|line| line.contains(" = ")).count();
        assert_eq!(keys, 25);
    }

    #[test]
    fn what_nobody_knows_is_an_error_with_its_line() {
        assert_eq!(
            error_of("[index]\nhiden = true\n"),
            ".groma.toml, line 2: unknown key `hiden`, expected one of `include`, `exclude`, `hidden`, \
             `vendored`, `generated`, `lock_files`, `minified`, `gitignore`, `tests`, `max_file_size`"
        );
        assert_eq!(
            error_of("\n\n[indx]\n"),
            ".groma.toml, line 3: unknown key `indx`, expected one of `index`, `search`, `embeddings`, `modules`"
        );
        assert_eq!(
            error_of("[search]\nmode = \"fuzzy\"\n"),
            ".groma.toml, line 2: unknown variant `fuzzy`, expected one of `hybrid`, `vector`, `keyword`"
        );
        assert_eq!(
            error_of("[embeddings]\nprovider = \"unheard\"\n"),
            ".groma.toml, line 2: unknown variant `unheard`, expected one of `builtin`, `openai`, `jina`, \
             `voyage`, `ollama`, `lmstudio`, `tei`, `vllm`, `cortex`"
        );
        assert!(error_of("[search]\nlimit = ten\n").starts_with(".groma.toml, line 2: "));
        assert!(error_of("[index]\nhidden = 1\n").starts_with(".groma.toml, line 2: "));
    }

    #[test]
    fn values_have_bounds() {
        assert_eq!(
            error_of("[modules]\nauth = \"../other\""),
            ".groma.toml: `modules` must be names with folders inside the project"
        );
        assert_eq!(
            error_of("search.limit = 0"),
            ".groma.toml: `search.limit` must be between 1 and 1000"
        );
        assert!(error_of("search.min_score = nan").contains("search.min_score"));
        assert!(error_of("search.context = 5000").contains("search.context"));
        assert!(error_of("index.max_file_size = 0").contains("index.max_file_size"));
        assert!(error_of("index.max_file_size = -1").contains("a number of bytes"));
        assert_eq!(
            error_of("embeddings.provider = 'ollama'\nembeddings.base_url = 'localhost:11434'"),
            ".groma.toml: `embeddings.base_url` must be an address such as \
             \"http://localhost:11434/v1\", without a password"
        );
        for (wrong, key) in [
            ("model = 'x'", "provider"),
            ("base_url = 'http://localhost'", "provider"),
            ("base_url = 'http://me:pw@localhost'", "base_url"),
            ("dimensions = 99999", "dimensions"),
            ("batch = 5000", "batch"),
            ("concurrency = 500", "concurrency"),
            ("timeout_seconds = 99999", "timeout_seconds"),
            ("key_variable = 'sk-proj-1'", "key_variable"),
        ] {
            let message = error_of(&format!("[embeddings]\n{wrong}\n"));
            assert!(message.contains(&format!("embeddings.{key}")), "{message}");
        }
        assert!(error_of("index.max_file_size = '2 lightyears'").contains("a number of bytes"));
    }

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("7", 7), ("500 kB", 500_000), ("2MB", 2_000_000), ("1 MiB", 1 << 20)]
        {
            assert_eq!(parse_size(text), Some(bytes));
        }
        assert_eq!(parse_size("99999999999999999999"), None);
        assert_eq!(parse_size("9999999999999999999 MB"), None);
        assert_eq!(parse_size("-1"), None);
    }

    #[test]
    fn loads_from_the_project() {
        let root = tempfile::TempDir::new().unwrap();
        assert_eq!(Config::load(root.path()).unwrap(), Config::default());
        fs::write(root.path().join(FILE_NAME), "[search]\nlimit = 3\n").unwrap();
        assert_eq!(Config::load(root.path()).unwrap().search.limit, 3);
        fs::write(root.path().join(FILE_NAME), "[index]\ninclude = ['a[']\n").unwrap();
        assert!(matches!(Config::load(root.path()), Err(ConfigError::Glob { .. })));
        fs::write(root.path().join(FILE_NAME), b"\xff").unwrap();
        assert!(matches!(Config::load(root.path()), Err(ConfigError::Unreadable { .. })));
        fs::remove_file(root.path().join(FILE_NAME)).unwrap();
        fs::create_dir(root.path().join(FILE_NAME)).unwrap();
        assert!(matches!(Config::load(root.path()), Err(ConfigError::Unreadable { .. })));
    }
}
