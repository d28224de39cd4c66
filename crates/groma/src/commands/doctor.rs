//! `groma doctor`: looks at everything a search relies on, and says what to do about what is wrong.

use super::Call;
use crate::embedding::Embedding;
use crate::failure::{Exit, Failure};
use crate::numbers::{ago, bytes, count, counted, duration, rate, unix};
use crate::print::Tint;
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::{Embedder, RefName, Role, Store, TextRole};
use groma_embed::StaticEmbedder;
use groma_engine::syntax::LANGUAGES;
use groma_engine::{SkipReason, walk};
use groma_store::{EmbeddedStore, Holder};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const AFTER: &str = "\
The exit code is 1 if something is wrong, 0 otherwise; a warning is not wrong.

With --json:
  ok, findings [{check, status (ok, warning or problem), message, next}],
  holders [{role (writer, job or keeper), process, since (seconds since 1970)}]

Examples:
  groma doctor
  groma doctor ~/src/server --json";

/// Less room than this deserves a word.
const LITTLE_ROOM: u64 = 500_000_000;

/// How many texts a service is measured with.
const PROBED: usize = 8;

/// How long the built-in embedder is measured.
const MEASURED: Duration = Duration::from_millis(100);

/// Look for problems with the data directory, the index, the settings and the program
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct DoctorArgs {
    /// The project's folder
    pub path: Option<PathBuf>,
}

/// How a check came out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    Fine,
    Warning,
    Problem,
}

/// What a check found.
struct Finding {
    check: &'static str,
    health: Health,
    message: String,
    next: String,
}

impl Finding {
    fn fine(check: &'static str, message: impl Into<String>) -> Self {
        Self { check, health: Health::Fine, message: message.into(), next: String::new() }
    }

    fn warning(check: &'static str, message: impl Into<String>, next: &str) -> Self {
        Self { check, health: Health::Warning, message: message.into(), next: next.to_string() }
    }

    fn problem(check: &'static str, message: impl Into<String>, next: &str) -> Self {
        Self { check, health: Health::Problem, message: message.into(), next: next.to_string() }
    }

    fn failed(check: &'static str, error: &anyhow::Error) -> Self {
        let failure = Failure::of(error);
        Self::problem(check, failure.to_string(), failure.next_step())
    }
}

/// Runs every check.
pub fn run(args: &DoctorArgs, call: &mut Call) -> Result<Exit> {
    let mut findings = Vec::new();
    let mut holders = Vec::new();
    match call.environment.data() {
        Ok(data) => findings.extend([data_directory(data), room(data)]),
        Err(error) => findings.push(Finding::failed("data directory", &error)),
    }
    match call.project(args.path.as_deref()) {
        Ok(project) => {
            findings.push(Finding::fine(
                "project",
                format!("{} ({})", project.root.display(), project.id()),
            ));
            findings.extend([files(&project), index(&project)]);
            let held = project.holders();
            findings.extend(processes(&held));
            holders = held.unwrap_or_default();
            findings.push(embedder(&project));
        }
        Err(error) => findings.push(Finding::failed("project", &error)),
    }
    findings.push(grammars());
    let wrong = findings.iter().any(|finding| finding.health == Health::Problem);
    if call.global.json {
        let list: Vec<Value> = findings.iter().map(as_json).collect();
        let held: Vec<Value> = holders.iter().map(holder_json).collect();
        call.printer.json(&json!({ "ok": !wrong, "findings": list, "holders": held }))?;
    } else {
        show(call, &findings)?;
    }
    Ok(if wrong { Exit::Nothing } else { Exit::Fine })
}

fn show(call: &mut Call, findings: &[Finding]) -> Result<()> {
    let printer = &mut call.printer;
    for finding in findings {
        let mark = match finding.health {
            Health::Fine => printer.paint(Tint::Good, "ok     "),
            Health::Warning => printer.paint(Tint::Warn, "warning"),
            Health::Problem => printer.paint(Tint::Bad, "problem"),
        };
        writeln!(printer, "{mark}  {:<15} {}", finding.check, finding.message)?;
        if !finding.next.is_empty() {
            writeln!(printer, "{:25}next: {}", "", finding.next)?;
        }
    }
    Ok(())
}

fn as_json(finding: &Finding) -> Value {
    let status = match finding.health {
        Health::Fine => "ok",
        Health::Warning => "warning",
        Health::Problem => "problem",
    };
    json!({ "check": finding.check, "status": status, "message": finding.message, "next": finding.next })
}

/// A process with a turn, as JSON.
pub(super) fn holder_json(holder: &Holder) -> Value {
    let role = match holder.role {
        Role::Writer => "writer",
        Role::Job => "job",
        Role::Keeper => "keeper",
    };
    json!({ "role": role, "process": holder.process, "since": holder.since.map(unix) })
}

fn data_directory(data: &Path) -> Finding {
    let probe = data.join(format!(".probe-{}", std::process::id()));
    let written = fs::create_dir_all(data).and_then(|()| fs::write(&probe, b"probe"));
    let _ = fs::remove_file(&probe);
    match written {
        Ok(()) => Finding::fine("data directory", format!("{} is writable", data.display())),
        Err(error) => Finding::problem(
            "data directory",
            format!("{} is not writable: {error}", data.display()),
            "correct its permissions, or set GROMA_HOME to another folder",
        ),
    }
}

fn room(data: &Path) -> Finding {
    match free_bytes(data) {
        None => Finding::fine("free space", "not known on this system"),
        Some(free) if free < LITTLE_ROOM => Finding::warning(
            "free space",
            bytes(free),
            "free some space, or set GROMA_HOME to another disk",
        ),
        Some(free) => Finding::fine("free space", bytes(free)),
    }
}

#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// Whether the ignore rules leave something to index, and the system lets us read it.
fn files(project: &Project) -> Finding {
    let walked = match walk(&project.root, &project.config.index) {
        Ok(walked) => walked,
        Err(error) => {
            return Finding::failed("ignore rules", &groma_engine::EngineError::from(error).into());
        }
    };
    let message = format!(
        "{} to index, {} left out",
        counted(walked.files.len(), "file"),
        count(walked.skipped.len())
    );
    let unreadable =
        walked.skipped.iter().filter(|file| file.reason == SkipReason::Unreadable.as_str()).count();
    if walked.files.is_empty() {
        let next =
            "`groma index --dry-run` says why; `.groma.toml` (`groma init`) can bring files in";
        return Finding::warning("ignore rules", message, next);
    }
    if unreadable > 0 {
        let message = format!("{message}, {} unreadable", count(unreadable));
        return Finding::warning(
            "ignore rules",
            message,
            "correct their permissions, or exclude them in .groma.toml",
        );
    }
    Finding::fine("ignore rules", message)
}

/// Whether the database opens and every byte of the index is as it was written.
fn index(project: &Project) -> Finding {
    if !project.is_indexed() {
        return Finding::fine("index", "none yet; the first search or `groma index` makes it");
    }
    let stores = match project.stores() {
        Ok(stores) => stores,
        Err(error) => return Finding::failed("index", &error),
    };
    if let Some(error) = stores.iter().find_map(|store| store.verify().err()) {
        return Finding::failed("index", &error.into());
    }
    let size = stores.iter().filter_map(|store| store.size().ok()).map(|size| size.bytes).sum();
    let size = bytes(size);
    let live = |store: &EmbeddedStore| store.snapshot(&RefName::live()).transpose();
    match stores.iter().find_map(live).transpose() {
        Ok(Some(snapshot)) => {
            let files = counted(snapshot.manifest().files.len(), "file");
            let generation = snapshot.info().generation.0;
            Finding::fine("index", format!("generation {generation} verifies, {files}, {size}"))
        }
        Ok(None) => Finding::fine(
            "index",
            "empty, or made by another version; the next search makes it anew",
        ),
        Err(error) => Finding::failed("index", &error.into()),
    }
}

/// Which processes are at work on the project, and on what.
fn processes(held: &Result<Vec<Holder>>) -> Vec<Finding> {
    let held = match held {
        Ok(held) => held,
        Err(error) => {
            let next = "set GROMA_HOME to a folder on a local disk";
            return vec![Finding::problem("writer", Failure::of(error).to_string(), next)];
        }
    };
    let mut findings: Vec<Finding> = held.iter().map(process).collect();
    let is_idle = |role| !held.iter().any(|holder| holder.role == role);
    if is_idle(Role::Writer) {
        findings.push(Finding::fine("writer", "nobody is indexing this project"));
    }
    if is_idle(Role::Keeper) {
        let message = "nobody watches this project; changes are indexed when it is asked about";
        findings.push(Finding::fine("keeper", message));
    }
    findings
}

fn process(holder: &Holder) -> Finding {
    let who = holder.process.map_or("another process".into(), |id| format!("process {id}"));
    let since = holder.since.map(|since| format!(" (began {})", ago(since))).unwrap_or_default();
    let wait = "wait for it; if it hangs, end that process and its lock goes with it";
    match holder.role {
        Role::Writer => {
            Finding::warning("writer", format!("{who} is indexing this project{since}"), wait)
        }
        Role::Job => Finding::warning("job", format!("{who} runs an index job{since}"), wait),
        Role::Keeper => {
            Finding::fine("keeper", format!("{who} watches this project for changes{since}"))
        }
    }
}

/// Which model makes the vectors, and how fast.
fn embedder(project: &Project) -> Finding {
    match &project.embedding {
        Embedding::Off => Finding::fine("embedder", "off; words and names are searched"),
        Embedding::BuiltIn => built_in(),
        Embedding::Remote(_) => service(project),
        Embedding::Unusable(reason) => {
            Finding::problem("embedder", reason.clone(), "until then the built-in model answers")
        }
    }
}

/// Whether a service answers, with what, and how long that takes.
fn service(project: &Project) -> Finding {
    let probed = match project.service() {
        Ok(Some(service)) => service.probe(PROBED).map(|probe| (service, probe)),
        Ok(None) => return built_in(),
        Err(error) => Err(error),
    };
    let next = "keywords go on answering, and so do vectors of the built-in model where there are \
                no others; `provider` under [embeddings] chooses another model";
    let (service, probe) = match probed {
        Ok(probed) => probed,
        Err(error) => return Finding::problem("embedder", error.to_string(), next),
    };
    let (identity, endpoint) = (service.identity(), service.endpoint());
    let shown =
        endpoint.address().map_or(String::new(), |address| format!(" at {}", address.shown));
    let told = format!("{identity}{shown}");
    if probe.dimensions != identity.dimensions {
        let message = format!("{told} has {} dimensions", probe.dimensions);
        let next = format!("set `dimensions = {}` under [embeddings]", probe.dimensions);
        return Finding::problem("embedder", message, &next);
    }
    let speed = count(rate(PROBED, probe.time));
    let time = duration(probe.time);
    Finding::fine("embedder", format!("{told}, {PROBED} texts in {time}: {speed} chunks/s"))
}

fn built_in() -> Finding {
    let embedder = StaticEmbedder::default();
    let text =
        "opens a pooled connection to the server and retries with backoff until the deadline\n"
            .repeat(8);
    let texts = [text.as_str(); 64];
    let started = Instant::now();
    let mut embedded = 0;
    while started.elapsed() < MEASURED {
        if let Err(error) = embedder.embed(TextRole::Passage, &texts) {
            return Finding::problem("embedder", error.to_string(), "report this: it cannot be");
        }
        embedded += texts.len();
    }
    let speed = count(rate(embedded, started.elapsed()));
    Finding::fine("embedder", format!("{}, {speed} chunks/s on one core", embedder.identity()))
}

fn grammars() -> Finding {
    let broken: Vec<String> =
        LANGUAGES.iter().filter_map(|language| language.check().err()).collect();
    if broken.is_empty() {
        let parsed = LANGUAGES.iter().filter(|language| language.has_grammar()).count();
        return Finding::fine(
            "grammars",
            format!("{parsed} languages are parsed, {} known", LANGUAGES.len()),
        );
    }
    Finding::problem("grammars", broken.join("; "), "this is a mistake in the program: report it")
}
