//! Grep timed against ripgrep, on the same tree in the same run.

use anyhow::{Context, Result};
use groma_engine::{Cancel, Engine, GrepRequest};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Patterns that much or little of a tree matches; the first ones give an index nothing to go by.
const COMMON: [&str; 9] = [
    "e",
    r"\w+",
    r"^\s*$",
    "[A-Z]{3,}",
    "(?i)error",
    "return",
    r"fn \w+\(",
    "TODO|FIXME",
    r"https?://[a-z.]+",
];

/// How many names of the tree are looked for: these are what an index is for.
const NAMES: usize = 8;

/// How often each pattern is searched for; the fastest counts, for the machine's other work only adds.
const REPEATS: usize = 5;

/// What each pattern took here and there, in milliseconds; `null` where there is no ripgrep.
pub fn compare(engine: &Engine, names: &[String]) -> Result<Value> {
    if Command::new("rg").arg("--version").output().is_err() {
        eprintln!("ripgrep is not installed; on Debian: apt install ripgrep");
        return Ok(Value::Null);
    }
    let rare = names.iter().filter(|name| name.len() > 11 && !name.contains(' ')).take(NAMES);
    let common = COMMON.iter().map(|pattern| (pattern.to_string(), false));
    let patterns = common.chain(rare.map(|name| (name.clone(), true)));
    patterns.map(|(pattern, is_name)| one(engine, &pattern, is_name)).collect()
}

fn one(engine: &Engine, pattern: &str, is_name: bool) -> Result<Value> {
    let (mut ours, mut theirs) = (Duration::MAX, Duration::MAX);
    let mut answer = None;
    for _ in 0..REPEATS {
        let started = Instant::now();
        answer = Some(engine.grep(&GrepRequest::new(pattern), &(), &Cancel::default())?);
        ours = ours.min(started.elapsed());
        theirs = theirs.min(ripgrep(engine.root(), pattern)?);
    }
    let answer = answer.context("nothing was searched")?;
    Ok(json!({
        "pattern": pattern, "is_name": is_name, "lines": answer.total, "files_read": answer.files_read,
        "groma_ms": ours.as_secs_f64() * 1000.0, "ripgrep_ms": theirs.as_secs_f64() * 1000.0,
    }))
}

/// ripgrep counts the lines and prints none of them, as the engine counts all and shows a few.
fn ripgrep(root: &Path, pattern: &str) -> Result<Duration> {
    let started = Instant::now();
    let mut command = Command::new("rg");
    command.args(["--count", "--regexp", pattern, "."]).current_dir(root);
    command.stdin(Stdio::null()).output().context("cannot run rg")?;
    Ok(started.elapsed())
}
