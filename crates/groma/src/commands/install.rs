//! `groma install`: puts Groma where other programs are expected.

use super::Call;
use crate::failure::{Exit, Failure, Kind};
use crate::program::{self, Program};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

const AFTER: &str = "\
With --as NAME a link of that name is made beside the program, or in --dir. Started through it,
Groma takes that program's commands and options and serves its contract, so that an existing
configuration of a client works unchanged. `groma as NAME` does the same without a link.

Names: gocontext-mcp, context-tool, codecompass, cocosearch, cortex

With --json:
  link, program

Examples:
  groma install --as codecompass
  groma install --as cocosearch --dir ~/.local/bin";

/// Install Groma under the name of another program
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct InstallArgs {
    /// The program to replace
    #[arg(long = "as", value_name = "NAME", value_parser = program::named)]
    pub program: &'static Program,
    /// The folder of the link [default: that of the program]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Replace an existing file
    #[arg(short, long)]
    pub force: bool,
}

/// Makes the link.
pub fn run(args: &InstallArgs, call: &mut Call) -> Result<Exit> {
    let program = call.environment.program.clone().ok_or_else(|| {
        Failure::new(Kind::Internal, "the path of this program is unknown")
            .hint("make the link by hand: ln -s /path/to/groma NAME")
    })?;
    let folder = match &args.dir {
        Some(folder) => folder.clone(),
        None => program.parent().unwrap_or(Path::new(".")).to_path_buf(),
    };
    let link = folder.join(format!("{}{}", args.program.name, std::env::consts::EXE_SUFFIX));
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    make_link(&program, &link, args.force)?;
    if call.global.json {
        call.printer.json(
            &json!({ "link": link.to_string_lossy(), "program": program.to_string_lossy() }),
        )?;
    } else {
        writeln!(call.printer, "{} -> {}", link.display(), program.display())?;
    }
    Ok(Exit::Fine)
}

fn make_link(program: &Path, link: &Path, force: bool) -> Result<()> {
    if fs::symlink_metadata(link).is_ok() {
        let is_ours = link.canonicalize().ok() == program.canonicalize().ok();
        if !is_ours && !force {
            let message = format!("{} exists already", link.display());
            return Err(Failure::new(Kind::Usage, message).hint("replace it with --force").into());
        }
        fs::remove_file(link).with_context(|| format!("cannot replace {}", link.display()))?;
    }
    linked(program, link).with_context(|| format!("cannot write {}", link.display()))
}

#[cfg(unix)]
fn linked(program: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

/// Symbolic links need a privilege there.
#[cfg(not(unix))]
fn linked(program: &Path, link: &Path) -> std::io::Result<()> {
    fs::hard_link(program, link).or_else(|_| fs::copy(program, link).map(drop))
}
