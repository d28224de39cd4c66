//! `groma sync`: brings an index up to date, by the name that CodeCompass has for it.

use super::Call;
use super::index::{self, IndexArgs};
use crate::args::Reference;
use crate::failure::Exit;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;

const AFTER: &str = "\
The same as `groma index`, with the options of CodeCompass's command of this name.

Examples:
  groma sync
  groma sync --workspace ~/src/server --force";

/// Bring a project's index up to date with the files that changed
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct SyncArgs {
    /// The project's folder
    #[arg(long, value_name = "PATH")]
    pub workspace: Option<PathBuf>,
    /// Index everything again
    #[arg(short, long)]
    pub force: bool,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
}

/// Updates the index.
pub fn run(args: &SyncArgs, call: &mut Call) -> Result<Exit> {
    let index = IndexArgs {
        path: args.workspace.clone(),
        path_option: None,
        force: args.force,
        dry_run: false,
        watch: false,
        chunks_dir: None,
        reference: args.reference.clone(),
        stages: false,
        is_update: true,
    };
    index::run(&index, call)
}
