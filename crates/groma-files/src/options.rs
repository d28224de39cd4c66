//! The options that select the files of a project.

use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The options that select the files to index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// Globs, as in a .gitignore, of files to index that other rules would skip. Secrets are indexed only by a glob
    /// that names the file; size and `exclude` still apply.
    pub include: Vec<String>,
    /// Skip secrets even if `include` names them.
    pub skip_secrets: bool,
    /// Globs, as in a .gitignore, of files to skip.
    pub exclude: Vec<String>,
    /// Index files and folders whose name begins with a dot.
    pub hidden: bool,
    /// Index vendored code.
    pub vendored: bool,
    /// Index generated files.
    pub generated: bool,
    /// Index lock files.
    pub lock_files: bool,
    /// Index minified code.
    pub minified: bool,
    /// Honour .gitignore files and git's other excludes. `.ignore` and `.gromaignore` always apply.
    pub gitignore: bool,
    /// Index tests.
    pub tests: bool,
    /// Canonical names of the only languages to index, whatever `include` says; all if empty. Files of other languages
    /// are not reported as skipped.
    pub languages: Vec<String>,
    /// Skip files with more bytes than this.
    pub max_file_size: u64,
}

impl Default for WalkOptions {
    fn default() -> Self {
        Self {
            include: Vec::new(),
            skip_secrets: false,
            exclude: Vec::new(),
            hidden: false,
            vendored: false,
            generated: false,
            lock_files: false,
            minified: false,
            gitignore: true,
            tests: true,
            languages: Vec::new(),
            max_file_size: 1_000_000,
        }
    }
}

impl WalkOptions {
    /// A hash of the options, stored with a manifest: another hash means that other files may be wanted. Every field
    /// is written out, so that renaming one does not change the hash.
    pub fn hash(&self) -> u64 {
        let Self {
            include,
            skip_secrets,
            exclude,
            hidden,
            vendored,
            generated,
            lock_files,
            minified,
            gitignore,
            tests,
            languages,
            max_file_size,
        } = self;
        let mut hasher = FxHasher::default();
        for list in [include, exclude, languages] {
            hasher.write_usize(list.len());
            for text in list {
                hasher.write_usize(text.len());
                hasher.write(text.as_bytes());
            }
        }
        for flag in [hidden, vendored, generated, lock_files, minified, gitignore, tests] {
            hasher.write_u8(u8::from(*flag));
        }
        hasher.write_u64(*max_file_size);
        if *skip_secrets {
            hasher.write_u8(1);
        }
        hasher.finish()
    }
}
