//! The files of a project.
//!
//! A [`FileTree`] lists and reads the files of one ref: [`WorkingTree`] a folder, [`CommitTree`] a commit. The
//! [`FileFilter`] decides which of them are wanted, [`source`] decodes them, [`Changes`] compares a walk with a
//! manifest, and the [`Watcher`] knows when there is nothing to compare. Indexing and search both build on this crate
//! and do not see each other.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod change;
mod commit;
mod error;
mod filter;
mod git;
mod globs;
mod go_module;
mod name_rules;
mod options;
mod path;
mod skip;
pub mod source;
mod source_tree;
mod stamp;
mod tree;
pub mod version;
mod watcher;
mod working_tree;

pub use change::Changes;
pub use commit::CommitTree;
pub use error::WalkError;
pub use filter::FileFilter;
pub use git::{CommitInfo, GitError, Head, Objects, Repository};
pub use go_module::GoModule;
pub use name_rules::is_sensitive;
pub use options::WalkOptions;
pub use skip::SkipReason;
pub use source_tree::{Listing, SourceTree};
pub use stamp::stamp;
pub use tree::{FileTree, OpenFile, UnresolvedPath, Walked, WalkedFile};
pub use watcher::{Mark, News, Settled, Sleeper, Watcher};
pub use working_tree::WorkingTree;
