//! A branch beside what is checked out: what it costs to index it, too.
//!
//! The tree that is measured is a copy, so the repository is one of our own: no corpus's refs are touched.

use crate::corpus::Corpus;
use anyhow::{Result, ensure};
use std::process::Command;

/// Makes the tree a repository with so many branches, each of which differs from what is checked out in some files.
/// The names of the branches; none where there is no git.
pub fn branches(corpus: &Corpus, count: usize, changed: usize) -> Result<Vec<String>> {
    if Command::new("git").arg("--version").output().is_err() {
        println!("git is not installed; what a branch costs is left out");
        return Ok(Vec::new());
    }
    git(corpus, &["init", "--quiet", "--initial-branch=main"])?;
    commit(corpus)?;
    // As a clone has its objects.
    git(corpus, &["repack", "-a", "-d", "--quiet"])?;
    let names: Vec<String> = (0..count).map(|number| format!("branch-{number}")).collect();
    for name in &names {
        // One on top of the other, so that no two are alike.
        git(corpus, &["checkout", "--quiet", "-b", name])?;
        corpus.change(changed)?;
        commit(corpus)?;
    }
    git(corpus, &["checkout", "--quiet", "main"])?;
    Ok(names)
}

/// Commits everything, whatever the ignore files of the corpus say: all of it is indexed.
fn commit(corpus: &Corpus) -> Result<()> {
    git(corpus, &["add", "--all", "--force"])?;
    git(corpus, &["commit", "--quiet", "--message", "state"])
}

fn git(corpus: &Corpus, arguments: &[&str]) -> Result<()> {
    let settings = [
        "user.name=bench",
        "user.email=bench@localhost",
        "commit.gpgsign=false",
        "gc.auto=0",
        "core.hooksPath=",
        "core.autocrlf=false",
    ];
    let output = Command::new("git")
        .args(settings.iter().flat_map(|setting| ["-c", setting]))
        .args(arguments)
        .current_dir(&corpus.tree)
        .output()?;
    ensure!(
        output.status.success(),
        "git {}: {}",
        arguments[0],
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}
