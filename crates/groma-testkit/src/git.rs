//! Git repositories in temporary folders, made by git itself.

use std::path::Path;
use std::process::Command;

/// Runs git in a folder without the user's configuration; returns its output.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "core.autocrlf=false", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(std::env::vars_os().filter(|(name, _)| name == "PATH"))
        .env("HOME", folder)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")])
        .envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.com")])
        .envs([("GIT_AUTHOR_DATE", "1500000000 +0000"), ("GIT_COMMITTER_DATE", "1500000000 +0000")])
        .output()
        .expect("git is installed");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {words}");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}

/// Makes a repository of a folder, with everything in it as the first commit of `main`.
pub fn git_init(folder: &Path) {
    git(folder, &["init", "-q", "-b", "main"]);
    git_commit(folder);
}

/// Commits everything there is; the commit's name.
pub fn git_commit(folder: &Path) -> String {
    git(folder, &["add", "-A", "-f"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "a change"]);
    git(folder, &["rev-parse", "HEAD"])
}
