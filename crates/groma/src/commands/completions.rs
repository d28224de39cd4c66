//! `groma completions`: shell completion scripts.

use super::Call;
use crate::failure::Exit;
use anyhow::Result;
use clap::Args;
use clap_complete::Shell;
use serde_json::json;
use std::io::Write;

const AFTER: &str = "\
With --json:
  shell, script

Examples:
  groma completions bash > ~/.local/share/bash-completion/completions/groma
  groma completions zsh > ~/.zfunc/_groma
  groma completions fish > ~/.config/fish/completions/groma.fish";

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// Prints the script for the program's command line.
pub fn run(args: &CompletionsArgs, mut command: clap::Command, call: &mut Call) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "groma", &mut script);
    if call.global.json {
        let script = String::from_utf8_lossy(&script);
        call.printer.json(&json!({ "shell": args.shell.to_string(), "script": script }))?;
    } else {
        call.printer.write_all(&script)?;
    }
    Ok(Exit::Fine)
}
