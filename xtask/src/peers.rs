//! Other programs over the same tree, as a baseline.

use crate::corpus::Corpus;
use crate::process::{Cost, measure};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Another program, and what it took to index a tree.
pub struct Peer {
    pub name: &'static str,
    pub cost: Cost,
}

/// `ctags -R`: names and where they are defined.
pub fn ctags(corpus: &Corpus) -> Result<Option<Peer>> {
    let version = Command::new("ctags").arg("--version").output();
    if !version
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Universal Ctags"))
    {
        println!("universal-ctags is not installed; on Debian: apt install universal-ctags");
        return Ok(None);
    }
    let mut command = Command::new("ctags");
    command
        .arg("-R")
        .arg("-f")
        .arg(corpus.scratch.join("tags"))
        .arg(&corpus.tree)
        .stderr(log(corpus, "ctags")?);
    Ok(Some(Peer { name: "ctags -R", cost: measure(&mut command)?.0 }))
}

/// codesearch's `cindex`: trigrams, and no ranking.
pub fn cindex(corpus: &Corpus) -> Result<Option<Peer>> {
    if Command::new("cindex").arg("-help").output().is_err() {
        println!("codesearch is not installed; on Debian: apt install codesearch");
        return Ok(None);
    }
    let mut command = Command::new("cindex");
    command
        .arg("-reset")
        .arg(&corpus.tree)
        .env("CSEARCHINDEX", corpus.scratch.join("csearch"))
        .stderr(log(corpus, "cindex")?);
    Ok(Some(Peer { name: "cindex", cost: measure(&mut command)?.0 }))
}

/// semble, from its own environment below `scratch`, with a model of random vectors.
pub fn semble(corpus: &Corpus, scratch: &Path) -> Result<Option<Peer>> {
    let environment = scratch.join("venv");
    if let Err(error) = install(&environment) {
        println!("semble cannot be installed ({error:#}); its figures are left out");
        return Ok(None);
    }
    let model = corpus.scratch.join("random-model");
    let script = scratch.join("random_model.py");
    fs::write(&script, include_str!("random_model.py"))?;
    measure(
        Command::new(environment.join("bin/python")).arg(&script).arg(&corpus.tree).arg(&model),
    )?;
    let mut command = Command::new(environment.join("bin/semble"));
    command
        .args(["search", "where is the configuration read"])
        .arg(&corpus.tree)
        .env("SEMBLE_MODEL_NAME", &model)
        .env("SEMBLE_CACHE_LOCATION", corpus.scratch.join("semble"))
        .stderr(log(corpus, "semble")?);
    Ok(Some(Peer { name: "semble", cost: measure(&mut command)?.0 }))
}

fn install(environment: &Path) -> Result<()> {
    if environment.join("bin/semble").exists() {
        return Ok(());
    }
    measure(Command::new("python3").args(["-m", "venv"]).arg(environment))
        .context("python3 -m venv")?;
    let pip = environment.join("bin/pip");
    measure(Command::new(pip).args(["install", "--quiet", "semble"]))
        .context("pip install semble")?;
    Ok(())
}

/// Where a program's remarks go; the table is all that is printed.
fn log(corpus: &Corpus, name: &str) -> Result<fs::File> {
    Ok(fs::File::create(corpus.scratch.join(format!("{name}.log")))?)
}
