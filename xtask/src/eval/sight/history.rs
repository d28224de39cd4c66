//! The questions that a repository's history holds: recent fixes, and the lines each of them changed.

use super::hunks::Gold;
use super::question::question;
use anyhow::{Context, Result, ensure};
use groma_core::RelPath;
use groma_syntax::{LanguageKind, detect_by_name};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How far back fixes are looked for.
const MAX_COMMITS: &str = "8000";

/// A fix changes this many files at most, and so many of them sources.
const MAX_FILES: usize = 8;
const MAX_SOURCES: usize = 3;

/// Names of folders whose files are no sources of the product.
const OTHER_FOLDERS: &str = "\
    __tests__ bench benches benchmarks build build-logic buildsrc deps doc docs docs_src example examples \
    fixtures generated gradle playground scripts spec specs test testdata testing tests third_party vendor";

/// How a file's name ends, before its extension, if it is a test or a build script.
const OTHER_ENDINGS: &str = "_test _tests .test .spec _spec Test Tests .gradle";

/// A fix as a question.
pub struct Fix {
    pub commit: String,
    /// The commit that is asked about.
    pub parent: String,
    pub question: String,
    pub language: &'static str,
    pub gold: Vec<Gold>,
}

/// A repository with or without a work tree.
pub struct History {
    pub name: String,
    pub folder: PathBuf,
}

impl History {
    /// The repositories in a folder, by name.
    pub fn all(folder: &Path) -> Result<Vec<Self>> {
        let entries = folder.read_dir().with_context(|| format!("{}", folder.display()))?;
        let mut all = Vec::new();
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let folder = entry.path();
            if folder.join(".git").exists() || folder.join("objects").is_dir() {
                all.push(Self { name, folder });
            }
        }
        ensure!(!all.is_empty(), "there are no git repositories in {}", folder.display());
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    /// The newest fixes, oldest first, so that an index follows the history.
    pub fn fixes(&self, count: usize) -> Result<Vec<Fix>> {
        let format = "--format=%x01%H%x00%P%x00%s%x00%b%x00";
        let log =
            ["log", "--no-merges", "--no-renames", "--name-status", "-n", MAX_COMMITS, format];
        let log = self.git(&log)?;
        let (mut fixes, mut asked) = (Vec::new(), HashSet::new());
        for record in log.split('\u{1}').filter(|record| !record.is_empty()) {
            if fixes.len() == count {
                break;
            }
            if let Some(fix) = self.fix(record)?.filter(|fix| asked.insert(fix.question.clone())) {
                fixes.push(fix);
            }
        }
        fixes.reverse();
        Ok(fixes)
    }

    /// The files of a commit.
    pub fn files(&self, commit: &str) -> Result<HashSet<String>> {
        let list = self.git(&["ls-tree", "-r", "-z", "--name-only", commit])?;
        Ok(list.split('\0').filter(|path| !path.is_empty()).map(String::from).collect())
    }

    fn fix(&self, record: &str) -> Result<Option<Fix>> {
        let fields: Vec<&str> = record.split('\0').collect();
        let [commit, parent, subject, body, files] = fields[..] else { return Ok(None) };
        let Some(sources) = sources(files) else { return Ok(None) };
        let Some(question) = question(subject, body) else { return Ok(None) };
        let mut gold = Vec::new();
        for path in sources {
            let range =
                ["diff", "-U0", "--no-renames", "--no-ext-diff", parent, commit, "--", path];
            let (diff, file) =
                (self.git(&range)?, self.git(&["show", &format!("{parent}:{path}")])?);
            gold.push(Gold::new(path, &diff, &file));
        }
        gold.retain(|gold| !gold.lines.is_empty());
        let most = gold.iter().max_by_key(|gold| gold.lines.len());
        let Some(language) = most.and_then(|gold| language(&gold.path)) else { return Ok(None) };
        let (commit, parent) = (commit.to_string(), parent.to_string());
        Ok(Some(Fix { commit, parent, question, language, gold }))
    }

    fn git(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("git");
        let output = command.arg("-C").arg(&self.folder).args(arguments).output()?;
        let error = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "git {} in {}: {error}", arguments[0], self.name);
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// The sources that a commit modified, from the names and states of its files; `None` if it is too large for a fix,
/// or modified none.
fn sources(files: &str) -> Option<Vec<&str>> {
    let files: Vec<(&str, &str)> =
        files.lines().filter_map(|line| line.trim().split_once('\t')).collect();
    let sources: Vec<_> = files.iter().filter(|(_, path)| is_source(path)).collect();
    if files.len() > MAX_FILES || sources.len() > MAX_SOURCES {
        return None;
    }
    let modified: Vec<&str> =
        sources.iter().filter(|(state, _)| *state == "M").map(|(_, path)| *path).collect();
    (!modified.is_empty()).then_some(modified)
}

fn is_source(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_test = OTHER_ENDINGS.split(' ').any(|ending| stem.ends_with(ending))
        || stem.starts_with("test_")
        || stem == "tests";
    let is_other = folders.split('/').any(|folder| {
        let folder = folder.to_lowercase();
        folder.starts_with('.')
            || OTHER_FOLDERS.split(' ').any(|other| other == folder)
            || folder.ends_with("tests")
            || folder.ends_with("-test")
    });
    !is_test && !is_other && language(path).is_some()
}

/// The programming language of a file.
fn language(path: &str) -> Option<&'static str> {
    let language = detect_by_name(&RelPath::new(path).ok()?)?;
    let is_program = language.kind == LanguageKind::Code && language.has_grammar();
    let is_markup = ["html", "css", "scss", "dockerfile", "make", "cmake"].contains(&language.name);
    (is_program && !is_markup).then_some(language.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_documents_are_no_sources() {
        for path in ["src/lib.rs", "a/Maven.java", "lib/latest.js", "Jellyfin.Api/Hosts.cs"] {
            assert!(is_source(path), "{path}");
        }
        for path in [
            "tests/it/main.rs",
            "src/lib_test.go",
            "src/test/java/A.java",
            "a/MavenTest.java",
            "lib/a.test.ts",
            "spec/a_spec.rb",
            "Jellyfin.Api.Tests/Hosts.cs",
            "README.md",
            "build.gradle.kts",
            "package.json",
            ".github/run.py",
        ] {
            assert!(!is_source(path), "{path}");
        }
    }

    #[test]
    fn a_fix_modifies_one_to_three_sources() {
        let of = |files: &str| sources(files).map(|paths| paths.join(" "));
        assert_eq!(of("\nM\ta.rs\nM\tREADME.md\nA\ttests/a.rs\n").as_deref(), Some("a.rs"));
        assert_eq!(of("\nA\ta.rs\nM\tb.rs\n").as_deref(), Some("b.rs"));
        assert_eq!(of("\nM\tREADME.md\n"), None);
        assert_eq!(of("\nA\ta.rs\n"), None, "new files are nowhere to be found");
        assert_eq!(of("\nM\ta.rs\nM\tb.rs\nM\tc.rs\nM\td.rs\n"), None);
        assert_eq!(of(&format!("\nM\ta.rs{}\n", "\nM\ta.md".repeat(MAX_FILES))), None);
    }
}
