//! Why a file is not in the index.
//!
//! Nothing is skipped silently: every file or folder that is not indexed has one of these reasons, and each reason
//! names the setting of `.groma.toml` that would include the file.

use groma_core::SkippedFile;
use std::fmt;
use std::io;

/// Why a file or a whole folder was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// It belongs to git, Mercurial, Subversion or Jujutsu.
    VersionControl,
    /// A glob of `exclude` names it.
    Excluded,
    /// It may contain a password or a private key.
    Secret,
    /// Its name begins with a dot.
    Hidden,
    /// An ignore file excludes it.
    Ignored,
    /// It is vendored code.
    Vendored,
    /// It is generated.
    Generated,
    /// It is minified.
    Minified,
    /// It is a lock file.
    LockFile,
    /// It is a test, and tests are not wanted.
    Test,
    /// It is not text.
    Binary,
    /// It is larger than `max_file_size`.
    TooLarge,
    /// It is a symbolic link, or is reached through one.
    Symlink,
    /// It is a pipe, a socket or a device.
    NotAFile,
    /// It is a submodule.
    Submodule,
    /// It could not be read.
    Unreadable,
    /// It was deleted after the folder was listed.
    Vanished,
    /// Its name is not UTF-8.
    NotUtf8Name,
    /// Its language is not indexed.
    OtherLanguage,
    /// Parsing it panicked.
    Failed,
}

impl SkipReason {
    /// Every reason, in the order in which they are checked.
    pub const ALL: &'static [SkipReason] = &[
        SkipReason::VersionControl,
        SkipReason::Excluded,
        SkipReason::Secret,
        SkipReason::Hidden,
        SkipReason::Ignored,
        SkipReason::Vendored,
        SkipReason::Generated,
        SkipReason::Minified,
        SkipReason::LockFile,
        SkipReason::Test,
        SkipReason::Binary,
        SkipReason::TooLarge,
        SkipReason::Symlink,
        SkipReason::NotAFile,
        SkipReason::Submodule,
        SkipReason::Unreadable,
        SkipReason::Vanished,
        SkipReason::NotUtf8Name,
        SkipReason::OtherLanguage,
        SkipReason::Failed,
    ];

    /// The short name that answers and stored manifests use.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::VersionControl => "version_control",
            SkipReason::Excluded => "excluded",
            SkipReason::Secret => "secret",
            SkipReason::Hidden => "hidden",
            SkipReason::Ignored => "ignored",
            SkipReason::Vendored => "vendored",
            SkipReason::Generated => "generated",
            SkipReason::Minified => "minified",
            SkipReason::LockFile => "lock_file",
            SkipReason::Test => "test",
            SkipReason::Binary => "binary",
            SkipReason::TooLarge => "too_large",
            SkipReason::Symlink => "symlink",
            SkipReason::NotAFile => "not_a_file",
            SkipReason::Submodule => "submodule",
            SkipReason::Unreadable => "unreadable",
            SkipReason::Vanished => "vanished",
            SkipReason::NotUtf8Name => "not_utf8_name",
            SkipReason::OtherLanguage => "other_language",
            SkipReason::Failed => "failed",
        }
    }

    /// The reason with this short name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.as_str() == name)
    }

    /// One line for users: what it means and how to have the file indexed.
    pub fn explanation(self) -> &'static str {
        match self {
            SkipReason::VersionControl => "version control's own data, never indexed",
            SkipReason::Excluded => {
                "named by `exclude` in .groma.toml; remove the glob to index it"
            }
            SkipReason::Secret => {
                "may contain a password or a private key; \
                 indexed only if `include` in .groma.toml names the file itself"
            }
            SkipReason::Hidden => {
                "the name begins with a dot; set `hidden = true` or name it in `include` in .groma.toml"
            }
            SkipReason::Ignored => {
                "excluded by .gitignore, .ignore, .gromaignore or git's own excludes; \
                 name it in `include` or set `gitignore = false` in .groma.toml"
            }
            SkipReason::Vendored => {
                "vendored code; set `vendored = true` or name it in `include` in .groma.toml"
            }
            SkipReason::Generated => {
                "generated; set `generated = true` or name it in `include` in .groma.toml"
            }
            SkipReason::Minified => {
                "minified; set `minified = true` or name it in `include` in .groma.toml"
            }
            SkipReason::LockFile => {
                "a lock file; set `lock_files = true` or name it in `include` in .groma.toml"
            }
            SkipReason::Test => "a test; set `tests = true` or name it in `include` in .groma.toml",
            SkipReason::Binary => {
                "not text; if only the extension says so, name it in `include` in .groma.toml"
            }
            SkipReason::TooLarge => "too large; raise `max_file_size` in .groma.toml",
            SkipReason::Symlink => {
                "a symbolic link; its target is indexed under its own path, if it is in the project"
            }
            SkipReason::NotAFile => "a pipe, a socket or a device, never read",
            SkipReason::Submodule => {
                "a submodule, whose files are not part of this commit; index it by itself"
            }
            SkipReason::Unreadable => "could not be read; check its permissions",
            SkipReason::Vanished => "deleted before it could be read",
            SkipReason::NotUtf8Name => "the name is not UTF-8; rename it to have it indexed",
            SkipReason::OtherLanguage => "its language is not indexed",
            SkipReason::Failed => "an internal error while parsing it; please report the file",
        }
    }

    /// Whether a file skipped for this reason is probably text, so that grep still searches it.
    pub(super) fn may_be_text(self) -> bool {
        matches!(self, Self::Generated | Self::Minified | Self::LockFile | Self::TooLarge)
    }

    /// A file skipped for this reason.
    pub fn skip(self, path: impl Into<String>, detail: impl Into<String>) -> SkippedFile {
        SkippedFile {
            path: path.into(),
            reason: self.as_str().into(),
            detail: detail.into(),
            stamp: None,
        }
    }

    /// The reason for an error of stat or read.
    pub(super) fn of_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => SkipReason::Vanished,
            _ => SkipReason::Unreadable,
        }
    }
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_lead_back() {
        for reason in SkipReason::ALL {
            assert_eq!(SkipReason::named(reason.as_str()), Some(*reason));
        }
        assert_eq!(SkipReason::named("because"), None);
    }

    #[test]
    fn explanations_are_one_line() {
        for reason in SkipReason::ALL {
            assert!(!reason.explanation().contains('\n'), "{reason}");
        }
    }
}
