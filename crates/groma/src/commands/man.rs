//! `groma man`: manual pages.

use super::Call;
use crate::failure::Exit;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

const AFTER: &str = "\
With --json:
  page, or with --out: pages [path]

Examples:
  groma man | man -l -
  groma man --out ~/.local/share/man/man1";

/// Print the manual page, or write the pages of all commands
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ManArgs {
    /// Write one page for each command into this folder, creating it if necessary
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Prints or writes the pages of the program's command line.
pub fn run(args: &ManArgs, mut command: clap::Command, call: &mut Call) -> Result<Exit> {
    command.build();
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        if call.global.json {
            call.printer.json(&json!({ "page": String::from_utf8_lossy(&page) }))?;
        } else {
            call.printer.write_all(&page)?;
        }
        return Ok(Exit::Fine);
    };
    let pages = write_pages(command, folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    if call.global.json {
        call.printer.json(&json!({ "pages": pages }))?;
    } else {
        for page in pages {
            writeln!(call.printer, "{}", page.display())?;
        }
    }
    Ok(Exit::Fine)
}

fn write_pages(command: clap::Command, folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(folder)?;
    let mut pages = Vec::new();
    let mut pending = vec![command];
    while let Some(command) = pending.pop() {
        pending.extend(
            command.get_subcommands().filter(|command| command.get_name() != "help").cloned(),
        );
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_string();
        let path = folder.join(format!("{name}.1"));
        let mut page = Vec::new();
        clap_mangen::Man::new(command).title(name).render(&mut page)?;
        std::fs::write(&path, page)?;
        pages.push(path);
    }
    pages.sort();
    Ok(pages)
}
