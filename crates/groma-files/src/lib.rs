//! The files of a project.
//!
//! A [`FileTree`] lists and reads the files of one ref: [`WorkingTree`] a folder, [`CommitTree`] a commit,
//! [`MemoryTree`] texts in memory. The [`FileFilter`] decides which of them are wanted, [`source`] decodes them,
//! [`Changes`] compares a walk with a manifest, and the [`Watcher`] reports whether a walk is needed at all. Indexing
//! and search both build on this crate and do not see each other.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod beneath;
mod change;
mod commit;
mod diff;
mod error;
mod file_names;
mod filter;
mod git;
mod globs;
mod go_module;
mod memory_tree;
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
pub use diff::changed_lines;
pub use error::WalkError;
pub use file_names::is_sensitive;
pub use filter::FileFilter;
pub use git::{CommitInfo, GitError, Head, Objects, Repository, open_repository};
pub use go_module::GoModule;
pub use memory_tree::MemoryTree;
pub use options::WalkOptions;
pub use skip::SkipReason;
pub use source_tree::{Listing, SourceTree};
pub use stamp::stamp;
pub use tree::{FileTree, OpenFile, UnresolvedPath, WalkResult, WalkedFile};
pub use watcher::{ChangeWaiter, Mark, SyncPoint, TreeChange, Watcher};
pub use working_tree::WorkingTree;
