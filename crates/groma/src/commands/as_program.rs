//! `groma as NAME`: runs as another program would.

use crate::program::{self, Program};
use clap::Args;
use std::ffi::OsString;

const AFTER: &str = "\
Names: gocontext-mcp, context-tool, codecompass, cocosearch, cortex

Examples:
  groma as codecompass serve-mcp --workspace ~/src/server
  groma as cortex mcp
  groma as cocosearch --help";

/// Run as another program: take its commands and options, serve its contract
#[derive(Debug, Args)]
#[command(name = "as", after_help = AFTER, disable_help_flag = false)]
pub struct AsArgs {
    /// The program
    #[arg(value_name = "NAME", value_parser = program::named)]
    pub program: &'static Program,
    /// Its arguments
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}
