//! `groma hook`: what an assistant runs when a session ends, and how it is told to.

use super::{Call, ingest};
use crate::environment::Environment;
use crate::failure::{Exit, Failure, Kind};
use crate::project::Project;
use crate::transcript::take_in;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const AFTER: &str = "\
Claude Code runs `groma hook` when a session ends and gives it, on standard input, where the record
of the session is; what was said is taken in as by `groma ingest`, for the project the session was
held in. Whatever goes wrong is said on standard error, and the hook ends well all the same: an
assistant is never held up by it.

`groma hook --install` enters it in ~/.claude/settings.json, `--install --here` in
.claude/settings.local.json of the project. What else stands there is kept. `--print` shows what to
enter by hand.

Examples:
  groma hook --install
  groma hook --print";

/// The longest message from an assistant, in bytes.
const LONGEST: u64 = 1 << 20;

/// What is run.
const COMMAND: &str = "groma hook";

/// Let Claude Code hand over each session as it ends
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct HookArgs {
    /// Enter the hook in the settings of Claude Code
    #[arg(long)]
    pub install: bool,
    /// In those of this project, for yourself
    #[arg(long, requires = "install")]
    pub here: bool,
    /// Print what to enter in the settings
    #[arg(long, conflicts_with = "install")]
    pub print: bool,
}

/// Does it.
pub fn run(args: &HookArgs, call: &mut Call) -> Result<Exit> {
    if args.install {
        return install(args.here, call);
    }
    if args.print || call.environment.stdin_is_terminal {
        writeln!(call.printer, "{:#}", entry())?;
        call.remark("enter this in ~/.claude/settings.json, or run `groma hook --install`");
        return Ok(Exit::Fine);
    }
    match hand_over(call) {
        Ok(done) => call.detail(&format!("groma hook: {done}")),
        Err(error) => call.remark(&format!("groma hook: {}", Failure::of(&error))),
    }
    Ok(Exit::Fine)
}

/// Takes in the session that the message on standard input tells of.
fn hand_over(call: &Call) -> Result<String> {
    let mut message = Vec::new();
    io::stdin().take(LONGEST).read_to_end(&mut message).context("cannot read standard input")?;
    let message: Value =
        serde_json::from_slice(&message).context("standard input holds no message of a hook")?;
    let text = |name: &str| message.get(name).and_then(Value::as_str).filter(|one| !one.is_empty());
    let Some(record) = text("transcript_path") else {
        return Ok("the session has no record".into());
    };
    let record = expanded(record, call.environment.home.as_deref());
    if !record.exists() {
        return Ok("the session has no record yet".into());
    }
    let mut environment: Environment = call.environment.clone();
    if let Some(folder) = text("cwd") {
        environment.folder = Some(PathBuf::from(folder));
        environment.project = None;
    }
    let project = Project::choose(call.global.project.as_deref(), &environment)?;
    let engine = project.engine(Default::default())?;
    Ok(ingest::told(&take_in(&engine, &record, true)?))
}

fn expanded(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// What stands in the settings.
fn entry() -> Value {
    json!({ "hooks": { "SessionEnd": [group()] } })
}

fn group() -> Value {
    json!({ "hooks": [{ "type": "command", "command": COMMAND }] })
}

fn install(here: bool, call: &mut Call) -> Result<Exit> {
    let file = match here {
        true => call.project(None)?.root.join(".claude/settings.local.json"),
        false => settings(&call.environment)?,
    };
    let is_new = enter(&file)?;
    let verb = if is_new { "entered in" } else { "stands already in" };
    if call.global.json {
        call.printer.json(&json!({ "file": file, "installed": is_new }))?;
    } else {
        writeln!(call.printer, "the hook {verb} {}", file.display())?;
    }
    Ok(Exit::Fine)
}

/// The settings of the user.
fn settings(environment: &Environment) -> Result<PathBuf> {
    let folder = environment.variables.text("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let folder = folder.or_else(|| Some(environment.home.as_ref()?.join(".claude")));
    let missing = || {
        Failure::new(Kind::NotFound, "no home folder is set")
            .hint("`groma hook --print` shows what to enter by hand")
    };
    Ok(folder.ok_or_else(missing)?.join("settings.json"))
}

/// Enters the hook in a file of settings, which is left alone where it makes no sense; says whether it was missing.
fn enter(file: &Path) -> Result<bool> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let mut settings: Value = match text.trim() {
        "" => Value::Object(Map::new()),
        text => serde_json::from_str(text).map_err(|error| odd(file, &error.to_string()))?,
    };
    let hooks = settings.as_object_mut().map(|all| all.entry("hooks").or_insert_with(|| json!({})));
    let ends = hooks.and_then(Value::as_object_mut);
    let ends = ends.map(|hooks| hooks.entry("SessionEnd").or_insert_with(|| json!([])));
    let Some(groups) = ends.and_then(Value::as_array_mut) else {
        return Err(odd(file, "`hooks` is not what Claude Code expects").into());
    };
    let commands = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let mut commands = commands.filter_map(|hook| hook.get("command")?.as_str());
    if commands.any(|command| command.contains(COMMAND)) {
        return Ok(false);
    }
    groups.push(group());
    write(file, &format!("{settings:#}\n"))?;
    Ok(true)
}

fn odd(file: &Path, reason: &str) -> Failure {
    Failure::new(Kind::Usage, format!("{} makes no sense: {reason}", file.display()))
        .hint("it was left alone; `groma hook --print` shows what to enter by hand")
}

/// Writes a file whole or not at all.
fn write(file: &Path, text: &str) -> Result<()> {
    let failed = || format!("cannot write {}", file.display());
    // A link to settings that are kept elsewhere stays one.
    let target = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(failed)?;
    let beside = folder.join(format!(".settings.{}.tmp", std::process::id()));
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, &target));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.with_context(failed)
}
