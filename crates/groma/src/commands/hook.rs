//! `groma notes hook`: ingests a session of Claude Code when it ends, and installs itself as a hook.

use super::{Call, ingest};
use crate::environment::Environment;
use crate::failure::{Exit, Failure, Kind};
use crate::project::Project;
use crate::report::failure_of;
use crate::transcript;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

const AFTER: &str = "\
Claude Code runs `groma notes hook` when a session ends and passes the path of the transcript on standard
input. The transcript is ingested as by `groma notes ingest`, into the project of the session. Errors are
printed on standard error, and the exit code is 0 nevertheless: the hook never blocks an assistant.

`groma notes hook --install` adds the hook to ~/.claude/settings.json, `--install --here` to
.claude/settings.local.json of the project. Other settings are kept. `--print` shows the entry for
manual installation.

Examples:
  groma notes hook --install
  groma notes hook --print";

/// The longest message on standard input, in bytes.
const MAX_MESSAGE: u64 = 1 << 20;

/// The command of the hook.
const COMMAND: &str = "groma notes hook";

/// The command of hooks that earlier versions installed; it still works.
const FORMER_COMMAND: &str = "groma hook";

/// Ingest each session of Claude Code when it ends
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct HookArgs {
    /// Add the hook to the settings of Claude Code
    #[arg(long)]
    pub install: bool,
    /// Add it to your local settings of this project instead
    #[arg(long, requires = "install")]
    pub here: bool,
    /// Print the entry for the settings
    #[arg(long, conflicts_with = "install")]
    pub print: bool,
}

/// Ingests the session, or installs or prints the hook.
pub fn run(args: &HookArgs, call: &mut Call) -> Result<Exit> {
    if args.install {
        return install(args.here, call);
    }
    if args.print || call.environment.stdin_is_terminal {
        writeln!(call.printer, "{:#}", entry())?;
        call.remark("add this to ~/.claude/settings.json, or run `groma notes hook --install`");
        return Ok(Exit::Fine);
    }
    match ingest_session(call) {
        Ok(done) => call.detail(&format!("groma notes hook: {done}")),
        Err(error) => call.remark(&format!("groma notes hook: {}", failure_of(&error))),
    }
    Ok(Exit::Fine)
}

/// Ingests the session that the message on standard input names.
fn ingest_session(call: &Call) -> Result<String> {
    let mut message = Vec::new();
    io::stdin()
        .take(MAX_MESSAGE)
        .read_to_end(&mut message)
        .context("cannot read standard input")?;
    let message: Value =
        serde_json::from_slice(&message).context("standard input is not a message of a hook")?;
    let text = |name: &str| message.get(name).and_then(Value::as_str).filter(|one| !one.is_empty());
    let Some(record) = text("transcript_path") else {
        return Ok("the session has no transcript".into());
    };
    let record = expanded(record, call.environment.home.as_deref());
    if !record.exists() {
        return Ok("the session has no transcript yet".into());
    }
    let mut environment: Environment = call.environment.clone();
    if let Some(folder) = text("cwd") {
        environment.folder = Some(PathBuf::from(folder));
        environment.project = None;
    }
    let project = Project::choose(call.global.project.as_deref(), &environment)?;
    let engine = project.engine(Default::default())?;
    Ok(ingest::summary(&transcript::ingest(&engine, &record, true)?))
}

fn expanded(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// The entry in the settings.
fn entry() -> Value {
    json!({ "hooks": { "SessionEnd": [group()] } })
}

fn group() -> Value {
    json!({ "hooks": [{ "type": "command", "command": COMMAND }] })
}

fn install(here: bool, call: &mut Call) -> Result<Exit> {
    let file = if here {
        call.project(None)?.root.join(".claude/settings.local.json")
    } else {
        settings(&call.environment)?
    };
    let is_new = add_hook(&file)?;
    let verb = if is_new { "was added to" } else { "is already in" };
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
            .hint("`groma notes hook --print` shows the entry for manual installation")
    };
    Ok(folder.ok_or_else(missing)?.join("settings.json"))
}

/// Adds the hook to a settings file; returns whether it was missing. An invalid file is not changed.
fn add_hook(file: &Path) -> Result<bool> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
    };
    let mut settings: Value = match text.trim() {
        "" => Value::Object(Map::new()),
        text => serde_json::from_str(text).map_err(|error| invalid(file, &error.to_string()))?,
    };
    let hooks = settings.as_object_mut().map(|all| all.entry("hooks").or_insert_with(|| json!({})));
    let ends = hooks.and_then(Value::as_object_mut);
    let ends = ends.map(|hooks| hooks.entry("SessionEnd").or_insert_with(|| json!([])));
    let Some(groups) = ends.and_then(Value::as_array_mut) else {
        return Err(
            invalid(file, "`hooks` does not have the structure that Claude Code expects").into()
        );
    };
    let commands = groups.iter().filter_map(|group| group.get("hooks")?.as_array()).flatten();
    let mut commands = commands.filter_map(|hook| hook.get("command")?.as_str());
    if commands.any(|command| [COMMAND, FORMER_COMMAND].iter().any(|own| command.contains(own))) {
        return Ok(false);
    }
    groups.push(group());
    write(file, &format!("{settings:#}\n"))?;
    Ok(true)
}

fn invalid(file: &Path, reason: &str) -> Failure {
    Failure::new(Kind::Usage, format!("{} is invalid: {reason}", file.display())).hint(
        "it was not changed; `groma notes hook --print` shows the entry for manual installation",
    )
}

/// Replaces a file atomically.
fn write(file: &Path, text: &str) -> Result<()> {
    let failed = || format!("cannot write {}", file.display());
    // A symbolic link stays one: its target is replaced.
    let target = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let folder = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(failed)?;
    let draft = folder.join(format!(".settings.{}.tmp", std::process::id()));
    let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, &target));
    if written.is_err() {
        let _ = fs::remove_file(&draft);
    }
    written.with_context(failed)
}
