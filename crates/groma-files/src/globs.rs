//! The `include` and `exclude` globs of the walk options, compiled.

use crate::error::WalkError;
use crate::options::WalkOptions;
use crate::path::file_name;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

impl WalkOptions {
    /// Validates the globs.
    pub fn check(&self) -> Result<(), WalkError> {
        Globs::new(self).map(drop)
    }
}

/// The globs of the options, compiled. They follow the rules of `.gitignore` lines.
pub(crate) struct Globs {
    exclude: Gitignore,
    include: Gitignore,
    /// The parent folders of what `include` names.
    parents: Gitignore,
    /// The globs of `include` that name files rather than everything in a folder.
    naming: Gitignore,
}

impl Globs {
    pub(crate) fn new(options: &WalkOptions) -> Result<Self, WalkError> {
        let include: Vec<&str> = options.include.iter().map(|glob| normalized(glob)).collect();
        // `folder/**` means the folder, too: otherwise it would be reported as skipped.
        let folders = include
            .iter()
            .filter(|glob| !glob.starts_with('!'))
            .filter_map(|glob| glob.strip_suffix("/**"))
            .map(anchored);
        let names_secrets = |glob: &&&str| !options.skip_secrets && names_files(glob);
        let naming = include.iter().filter(names_secrets);
        Ok(Self {
            exclude: compile(options.exclude.iter().map(|glob| normalized(glob).to_owned()))?,
            include: compile(include.iter().map(|glob| glob.to_string()).chain(folders))?,
            parents: compile(include.iter().flat_map(|glob| parent_globs(glob)))?,
            naming: compile(naming.map(|glob| glob.to_string()))?,
        })
    }

    pub(crate) fn nothing_included(&self) -> bool {
        self.include.is_empty()
    }

    pub(crate) fn excluded(&self, path: &str, is_folder: bool) -> bool {
        self.exclude.matched(path, is_folder).is_ignore()
    }

    pub(crate) fn included(&self, path: &str, is_folder: bool) -> bool {
        !self.include.is_empty()
            && self.include.matched_path_or_any_parents(path, is_folder).is_ignore()
    }

    pub(crate) fn leads_to_included(&self, folder: &str) -> bool {
        self.parents.matched(folder, true).is_ignore()
    }

    /// Whether `include` names this very file.
    pub(crate) fn names(&self, path: &str) -> bool {
        self.naming.matched(path, false).is_ignore()
    }
}

fn compile(globs: impl Iterator<Item = String>) -> Result<Gitignore, WalkError> {
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(false);
    for glob in globs {
        builder
            .add_line(None, &glob)
            .map_err(|source| WalkError::Glob { glob: glob.clone(), source })?;
    }
    builder.build().map_err(|source| WalkError::Glob { glob: String::new(), source })
}

/// A glob without a leading `./`.
fn normalized(glob: &str) -> &str {
    let glob = glob.trim();
    glob.strip_prefix("./").unwrap_or(glob)
}

/// A glob anchored at the root even if it has one component.
fn anchored(glob: &str) -> String {
    if glob.starts_with('/') || glob.starts_with("**/") {
        glob.to_owned()
    } else {
        format!("/{glob}")
    }
}

/// The parent folders of what a glob names: `a/*/c.rs` gives `/a` and `/a/*`.
fn parent_globs(glob: &str) -> Vec<String> {
    if glob.starts_with('!') {
        return Vec::new();
    }
    glob.match_indices('/')
        .map(|(slash, _)| &glob[..slash])
        .filter(|parent| !parent.is_empty() && !parent.ends_with("**"))
        .map(anchored)
        .collect()
}

/// Whether the last component of a glob contains more than wildcards.
fn names_files(glob: &str) -> bool {
    let last = file_name(glob);
    glob.starts_with('!') || last.contains(|c: char| c.is_alphanumeric())
}
