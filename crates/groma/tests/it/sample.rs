//! A small project, the program run on it, and its output without what varies between runs.

use groma_testkit::ProjectFolder;
pub use groma_testkit::SAMPLE_FILES as FILES;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A project and a data directory that no other test sees.
pub struct Sample {
    folder: ProjectFolder,
}

/// The result of a run of the program.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Sample {
    /// The project, written but not indexed.
    pub fn new() -> Self {
        Self::with(FILES)
    }

    /// A project of these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let sample = Self { folder: ProjectFolder::new(files) };
        fs::create_dir_all(sample.home()).unwrap();
        #[cfg(unix)]
        {
            let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            fs::set_permissions(sample.home(), private).unwrap();
        }
        sample
    }

    /// A project without a file.
    pub fn bare() -> Self {
        Self::with(&[])
    }

    /// The sample's files, indexed.
    pub fn indexed() -> Self {
        let sample = Self::new();
        assert_eq!(sample.run(&["index"]).code, Some(0));
        sample
    }

    pub fn root(&self) -> PathBuf {
        self.folder.root().to_path_buf()
    }

    pub fn home(&self) -> PathBuf {
        self.folder.beside("home")
    }

    /// The project's own folder in the data directory.
    pub fn data(&self) -> PathBuf {
        fs::read_dir(self.home().join("projects")).unwrap().next().unwrap().unwrap().path()
    }

    pub fn write(&self, path: &str, text: &str) {
        self.folder.write(path, text);
    }

    /// The program, to be run in the project's folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_in(&self.root(), arguments)
    }

    pub fn command_in(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_groma"));
        for name in ["GROMA_PROJECT", "CORTEX_CHUNKS_DIR", "NO_COLOR", "COLUMNS", "XDG_DATA_HOME"] {
            command.env_remove(name);
        }
        let chooses_an_embedder = |name: &String| {
            ["GROMA_EMBEDDING_", "GOCONTEXT_", "CORTEX_"]
                .iter()
                .any(|start| name.starts_with(start))
                || name.ends_with("_API_KEY")
                || name.to_lowercase().ends_with("_proxy")
        };
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        for name in names.filter(chooses_an_embedder) {
            command.env_remove(name);
        }
        command.args(arguments).current_dir(folder).env("GROMA_HOME", self.home());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.ran(self.command(arguments).output().unwrap())
    }

    pub fn ran(&self, output: Output) -> Ran {
        let text = |bytes: Vec<u8>| self.plain(&String::from_utf8(bytes).unwrap());
        let (stdout, mut stderr) = (text(output.stdout), text(output.stderr));
        // On a busy machine a run takes long enough to print progress.
        let is_progress = |line: &&str| {
            ["looking for changed files", "reading, parsing and embedding", "writing the index"]
                .iter()
                .any(|doing| line.starts_with(doing))
        };
        if stderr.lines().any(|line| is_progress(&line)) {
            stderr = stderr
                .lines()
                .filter(|line| !is_progress(line))
                .map(|line| format!("{line}\n"))
                .collect();
        }
        Ran { code: output.status.code(), stdout, stderr }
    }

    /// The text with the folders of this run replaced by placeholders.
    fn plain(&self, text: &str) -> String {
        let root = self.root().to_string_lossy().into_owned();
        let text = text.replace(&root, "[ROOT]").replace(&*self.home().to_string_lossy(), "[HOME]");
        match text.split_once("sample-") {
            Some((_, rest)) if !rest.starts_with('[') => text.replace(&rest[..16], "[HASH]"),
            _ => text,
        }
    }

    /// The JSON that a run printed.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["--json"]].concat());
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
    }
}

/// The text with measured numbers and scores replaced: a number before a unit, or one with two decimals at the end
/// of a line.
pub fn steady(text: &str) -> String {
    const UNITS: [&str; 9] = ["µs", "ms", "s", "kB", "MB", "GB", "bytes", "files/s", "chunks/s"];
    text.lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let is_unit = |word: &str| UNITS.contains(&word.trim_matches([',', ')', ':']));
            let measured = |at: usize| words.get(at + 1).is_some_and(|next| is_unit(next));
            let steady = words.iter().enumerate().map(|(at, word)| match word {
                _ if word.starts_with("groma-static@") => "[MODEL]".to_string(),
                _ if is_unit(word) && at > 0 => {
                    word.replace(word.trim_matches([',', ')', ':']), "[U]")
                }
                _ if measured(at) => {
                    word.replace(|c: char| c.is_ascii_digit() || c == '.' || c == ',', "")
                }
                _ => word.to_string(),
            });
            let indent = &line[..line.len() - line.trim_start().len()];
            format!(
                "{indent}{}\n",
                steady.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
            )
        })
        .collect()
}

/// The value with measurements replaced by null.
pub fn steady_json(mut value: Value) -> Value {
    const MEASURED: &[&str] = &[
        "took_ms",
        "seconds",
        "files_per_second",
        "bytes",
        "committed",
        "score",
        "keyword_score",
        "vector_score",
        "factor",
        "walk",
        "read",
        "parse",
        "terms",
        "generation",
        "trigrams",
        "embed",
        "store",
        "candidates",
        "count",
        "embedder",
    ];
    match &mut value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                let number = field.is_number() || name == "embedder";
                *field = if number && MEASURED.contains(&name.as_str()) {
                    json!(null)
                } else {
                    steady_json(field.take())
                };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = steady_json(item.take())),
        _ => {}
    }
    value
}

/// The value as indented text, with the folders of this run replaced by placeholders.
pub fn pretty(sample: &Sample, value: Value) -> String {
    sample.plain(&serde_json::to_string_pretty(&steady_json(value)).unwrap())
}
