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
    /// Folders that stand on the way to something that `include` names.
    way: Gitignore,
    /// The globs of `include` that name files rather than everything in a folder.
    naming: Gitignore,
}

impl Globs {
    pub(crate) fn new(options: &WalkOptions) -> Result<Self, WalkError> {
        let include: Vec<&str> = options.include.iter().map(|glob| plain(glob)).collect();
        // `folder/**` means the folder too: otherwise it would be reported as left out.
        let folders = include
            .iter()
            .filter(|glob| !glob.starts_with('!'))
            .filter_map(|glob| glob.strip_suffix("/**"))
            .map(anchored);
        Ok(Self {
            exclude: compile(options.exclude.iter().map(|glob| plain(glob).to_owned()))?,
            include: compile(include.iter().map(|glob| glob.to_string()).chain(folders))?,
            way: compile(include.iter().flat_map(|glob| ways(glob)))?,
            naming: compile(include.iter().filter(|g| names_files(g)).map(|g| g.to_string()))?,
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
        self.way.matched(folder, true).is_ignore()
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

/// A glob without the `./` that some people write in front.
fn plain(glob: &str) -> &str {
    let glob = glob.trim();
    glob.strip_prefix("./").unwrap_or(glob)
}

/// A glob that is counted from the root even if it has one component.
fn anchored(glob: &str) -> String {
    if glob.starts_with('/') || glob.starts_with("**/") {
        glob.to_owned()
    } else {
        format!("/{glob}")
    }
}

/// The folders on the way to what a glob names: `a/*/c.rs` gives `/a` and `/a/*`.
fn ways(glob: &str) -> Vec<String> {
    if glob.starts_with('!') {
        return Vec::new();
    }
    glob.match_indices('/')
        .map(|(slash, _)| &glob[..slash])
        .filter(|way| !way.is_empty() && !way.ends_with("**"))
        .map(anchored)
        .collect()
}

/// Whether a glob's last part has a name in it and not only wildcards.
fn names_files(glob: &str) -> bool {
    let last = file_name(glob);
    glob.starts_with('!') || last.contains(|c: char| c.is_alphanumeric())
}
