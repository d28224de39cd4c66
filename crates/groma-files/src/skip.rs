//! Why a file is not in the index.
//!
//! Nothing is left out silently: every file or folder that the walk or the reader passes over gets one of
//! these reasons, and every reason says which setting of `.groma.toml` would bring the file in.

use groma_core::SkippedFile;
use std::fmt;
use std::io;

/// Why a file or a whole folder was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// It belongs to git, Mercurial, Subversion or Jujutsu.
    VersionControl,
    /// A glob of `exclude` names it.
    Excluded,
    /// It may hold a password or a private key.
    Secret,
    /// Its name begins with a dot.
    Hidden,
    /// An ignore file excludes it.
    Ignored,
    /// It is a copy of somebody else's code.
    Vendored,
    /// A program wrote it.
    Generated,
    /// It is code made small for a browser.
    Minified,
    /// It lists the resolved versions of dependencies.
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
    /// It is another repository, of which the commit only knows the name.
    Submodule,
    /// The system refused to read it.
    Unreadable,
    /// It was there when the folder was listed and is gone now.
    Vanished,
    /// Its name is not UTF-8.
    NotUtf8Name,
    /// It is of a language that this index is not about.
    OtherLanguage,
    /// Reading what it says went wrong in a way nobody foresaw.
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

    /// One line for a person: what it means and what to do to have the file indexed.
    pub fn explanation(self) -> &'static str {
        match self {
            SkipReason::VersionControl => "version control's own data, never indexed",
            SkipReason::Excluded => {
                "named by `exclude` in .groma.toml; remove the glob to index it"
            }
            SkipReason::Secret => {
                "may hold a password or a private key; \
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
                "a copy of somebody else's code; set `vendored = true` or name it in `include` in .groma.toml"
            }
            SkipReason::Generated => {
                "written by a program; set `generated = true` or name it in `include` in .groma.toml"
            }
            SkipReason::Minified => {
                "minified; set `minified = true` or name it in `include` in .groma.toml"
            }
            SkipReason::LockFile => {
                "a list of resolved dependencies; set `lock_files = true` or name it in `include` in .groma.toml"
            }
            SkipReason::Test => "a test; set `tests = true` or name it in `include` in .groma.toml",
            SkipReason::Binary => {
                "not text; if only the extension says so, name it in `include` in .groma.toml"
            }
            SkipReason::TooLarge => "too large; raise `max_file_size` in .groma.toml",
            SkipReason::Symlink => {
                "a symbolic link; what it points to is indexed where it stands, if it is in the project"
            }
            SkipReason::NotAFile => "a pipe, a socket or a device, never read",
            SkipReason::Submodule => {
                "another repository, which is not part of this commit; index it by itself"
            }
            SkipReason::Unreadable => "the system refused to read it; check its permissions",
            SkipReason::Vanished => "gone before it could be read",
            SkipReason::NotUtf8Name => "the name is not UTF-8; rename it to have it indexed",
            SkipReason::OtherLanguage => "of a language that this index is not about",
            SkipReason::Failed => {
                "a fault of this program while reading it; please report the file"
            }
        }
    }

    /// Whether a file that is left out for this reason is text all the same, for whoever does not ask the index.
    pub(super) fn may_be_text(self) -> bool {
        matches!(self, Self::Generated | Self::Minified | Self::LockFile | Self::TooLarge)
    }

    /// A file left out for this reason.
    pub fn skip(self, path: impl Into<String>, detail: impl Into<String>) -> SkippedFile {
        SkippedFile {
            path: path.into(),
            reason: self.as_str().into(),
            detail: detail.into(),
            stamp: None,
        }
    }

    /// The reason that stands for a failure to look at or read a file.
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
