//! The options that commands share.

use crate::print::When;
use clap::{ArgAction, Args as Group};
use groma_engine::{Engine, EngineError, RefEngine};
use std::path::PathBuf;

/// Options of all commands.
#[derive(Clone, Debug, Default, Group)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Print JSON; field names are stable
    #[arg(long, global = true)]
    pub json: bool,
    /// Print only errors on standard error, no progress and no notes
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more on standard error: counts, times and the causes of an error
    #[arg(short, long, global = true, action = ArgAction::SetTrue)]
    pub verbose: bool,
    /// When to use colours; `auto` means on a terminal unless NO_COLOR is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", value_enum)]
    pub color: When,
    /// The project's root folder, exactly as given
    #[arg(short = 'P', long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// The settings file, instead of the project's .groma.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// The ref a command works on.
#[derive(Clone, Debug, Default, Group)]
pub struct Reference {
    /// A branch, tag or commit, read from git without a checkout [default: the working tree]
    #[arg(long = "ref", id = "ref", value_name = "REF")]
    pub name: Option<String>,
}

impl Reference {
    /// The view of the engine on this ref.
    pub fn of<'e>(&self, engine: &'e Engine) -> Result<RefEngine<'e>, EngineError> {
        engine.at(self.name.as_deref())
    }
}
