//! `groma doctor`: checks everything a search relies on, and suggests how to fix problems.

use super::Call;
use crate::embedding::Embedding;
use crate::environment::Environment;
use crate::failure::Exit;
use crate::numbers::{ago, bytes, count, counted, duration, rate, unix};
use crate::print::Tint;
use crate::project::Project;
use crate::report::failure_of;
use anyhow::Result;
use clap::Args;
use groma_core::{Embedder, LeaseHolder, LeaseKind, RefName, Store, TextRole};
use groma_embed::StaticEmbedder;
use groma_engine::LANGUAGES;
use groma_engine::{SkipReason, walk};
use groma_worker::Isolation;

use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const AFTER: &str = "\
The exit code is 1 if there is a problem, 0 otherwise; warnings are not problems.

With --json:
  ok, findings [{check, status (ok, warning or problem), message, next}],
  holders [{role (writer, job or background_indexer), process, since (seconds since 1970)}]

Examples:
  groma doctor
  groma doctor ~/src/server --json
  groma doctor --restore";

/// Free space below which a warning is shown, in bytes.
const LOW_SPACE: u64 = 500_000_000;

/// Texts that a service is measured with.
const PROBE_TEXTS: usize = 8;

/// How long the built-in embedder is measured.
const MEASURE_TIME: Duration = Duration::from_millis(100);

/// Check the data directory, the index, the settings and the embedder
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct DoctorArgs {
    /// The project's folder
    pub path: Option<PathBuf>,
    /// Restore notes that are altered or missing from the history of the notebook
    #[arg(long)]
    pub restore: bool,
}

/// The outcome of a check.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Health {
    Fine,
    Warning,
    Problem,
}

/// The result of a check.
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
        let failure = failure_of(error);
        Self::problem(check, failure.to_string(), failure.next_step())
    }
}

/// Runs every check.
pub fn run(args: &DoctorArgs, call: &mut Call) -> Result<Exit> {
    let mut findings = Vec::new();
    let mut holders = Vec::new();
    match call.environment.data() {
        Ok(data) => findings.extend([data_directory(data), free_space(data)]),
        Err(error) => findings.push(Finding::failed("data directory", &error)),
    }
    match call.project(args.path.as_deref()) {
        Ok(project) => {
            findings.push(Finding::fine(
                "project",
                format!("{} ({})", project.root.display(), project.id),
            ));
            findings.push(trust(&project));
            findings.extend([files(&project), index(&project, &call.environment)]);
            findings.push(notebook(&project, &call.environment, args));
            let held = holders_of(&project, &call.environment);
            findings.extend(processes(&held));
            holders = held.unwrap_or_default();
            findings.push(embedder(&project));
        }
        Err(error) => findings.push(Finding::failed("project", &error)),
    }
    findings.extend([grammars(), isolation()]);
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

/// A lock holder as JSON.
pub(super) fn holder_json(holder: &LeaseHolder) -> Value {
    let role = match holder.kind {
        LeaseKind::Writer => "writer",
        LeaseKind::Job => "job",
        LeaseKind::BackgroundIndexer => "background_indexer",
    };
    json!({ "role": role, "process": holder.process, "since": holder.since.map(unix) })
}

fn data_directory(data: &Path) -> Finding {
    let probe = data.join(format!(".probe-{}", std::process::id()));
    let written = fs::create_dir_all(data).and_then(|()| fs::write(&probe, b"probe"));
    let _ = fs::remove_file(&probe);
    match written {
        Ok(()) if is_open_to_others(data) => Finding::warning(
            "data directory",
            format!("{} is writable, and other users can read it", data.display()),
            "`chmod 700` it: indexes and notebooks say what projects contain",
        ),
        Ok(()) => Finding::fine("data directory", format!("{} is writable", data.display())),
        Err(error) => Finding::problem(
            "data directory",
            format!("{} is not writable: {error}", data.display()),
            "correct its permissions, or set GROMA_HOME to another folder",
        ),
    }
}

/// Whether the settings in the project's files may widen what groma does.
fn trust(project: &Project) -> Finding {
    if project.is_trusted {
        return Finding::fine("trust", "its settings are trusted until they change");
    }
    if project.ignored.is_empty() {
        return Finding::fine("trust", "its settings only narrow what groma does");
    }
    let keys = project.ignored.join(", ");
    let message = format!("its settings are not trusted: {keys} has no effect");
    Finding::warning("trust", message, "read them, then `groma trust`")
}

fn free_space(data: &Path) -> Finding {
    match free_bytes(data) {
        None => Finding::fine("free space", "unknown on this platform"),
        Some(free) if free < LOW_SPACE => Finding::warning(
            "free space",
            bytes(free),
            "free some space, or set GROMA_HOME to another disk",
        ),
        Some(free) => Finding::fine("free space", bytes(free)),
    }
}

/// Whether other users can list a folder.
#[cfg(unix)]
fn is_open_to_others(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o055 != 0)
}

#[cfg(not(unix))]
fn is_open_to_others(_: &Path) -> bool {
    false
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

/// Whether the ignore rules leave files to index, and whether they are readable.
fn files(project: &Project) -> Finding {
    let walked = match walk(&project.root, &project.config.index) {
        Ok(walked) => walked,
        Err(error) => {
            return Finding::failed("ignore rules", &groma_engine::EngineError::from(error).into());
        }
    };
    let message = format!(
        "{} to index, {} skipped",
        counted(walked.files.len(), "file"),
        count(walked.skipped.len())
    );
    let unreadable =
        walked.skipped.iter().filter(|file| file.reason == SkipReason::Unreadable.as_str()).count();
    if walked.files.is_empty() {
        let next = "`groma index --dry-run` shows the reasons; `.groma.toml` (`groma init`) can include files";
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

/// Whether the index opens and its checksums are right.
fn index(project: &Project, environment: &Environment) -> Finding {
    if !project.is_indexed() {
        return Finding::fine("index", "none yet; the first search or `groma index` creates it");
    }
    let stores = match project.stores() {
        Ok(stores) => stores,
        Err(error) => return Finding::failed("index", &error),
    };
    if let Err(error) = verify(project, environment) {
        return Finding::failed("index", &error);
    }
    let size = stores.iter().filter_map(|store| store.size().ok()).map(|size| size.bytes).sum();
    let size = bytes(size);
    let live = |store: &Arc<dyn Store>| store.snapshot(&RefName::live()).transpose();
    match stores.iter().find_map(live).transpose() {
        Ok(Some(snapshot)) => {
            let files = counted(snapshot.manifest().files.len(), "file");
            let generation = snapshot.info().generation.number;
            Finding::fine("index", format!("generation {generation} verifies, {files}, {size}"))
        }
        Ok(None) => Finding::fine(
            "index",
            "empty, or written by another version; the next search rebuilds it",
        ),
        Err(error) => Finding::failed("index", &error.into()),
    }
}

/// Whether every note matches its checksum and the history; restores those that do not, if asked to.
fn notebook(project: &Project, environment: &Environment, args: &DoctorArgs) -> Finding {
    const NEXT: &str = "`groma doctor --restore` restores them from the history of changes";
    let notebook = match environment.catalog() {
        Ok(catalog) => catalog.notebook(&project.id, None),
        Err(error) => return Finding::failed("notebook", &error),
    };
    let restored = if args.restore { notebook.restore() } else { Ok(0) };
    let health = match restored.and_then(|count| Ok((count, notebook.verify()?))) {
        Ok(health) => health,
        Err(error) => {
            let message = failure_of(&groma_engine::EngineError::from(error).into()).to_string();
            return Finding::problem("notebook", message, NEXT);
        }
    };
    let (restored, health) = health;
    let again = if restored > 0 { format!(", {restored} restored") } else { String::new() };
    let message = format!(
        "{} verified, {} in the history{again}",
        counted(health.notes, "note"),
        counted(health.changes, "change")
    );
    if health.is_sound() {
        return Finding::fine("notebook", message);
    }
    let wrong = [
        (!health.altered.is_empty()).then(|| format!("altered: {}", health.altered.join(", "))),
        (!health.missing.is_empty()).then(|| format!("missing: {}", health.missing.join(", "))),
        health.history_problem.map(|problem| format!("the history: {problem}")),
    ];
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    Finding::problem("notebook", format!("{message}; {}", wrong.join("; ")), NEXT)
}

fn verify(project: &Project, environment: &Environment) -> Result<()> {
    let admin = environment.catalog_admin()?;
    for (index, pipeline) in project.indexes() {
        admin.verify(&index, &pipeline)?;
    }
    Ok(())
}

fn holders_of(project: &Project, environment: &Environment) -> Result<Vec<LeaseHolder>> {
    Ok(environment.catalog_admin()?.holders(&project.id)?)
}

/// The processes that work on the project.
fn processes(held: &Result<Vec<LeaseHolder>>) -> Vec<Finding> {
    let held = match held {
        Ok(held) => held,
        Err(error) => {
            let next = "set GROMA_HOME to a folder on a local disk";
            return vec![Finding::problem("writer", failure_of(error).to_string(), next)];
        }
    };
    let mut findings: Vec<Finding> = held.iter().map(process).collect();
    let is_idle = |role| !held.iter().any(|holder| holder.kind == role);
    if is_idle(LeaseKind::Writer) {
        findings.push(Finding::fine("writer", "no process is indexing this project"));
    }
    if is_idle(LeaseKind::BackgroundIndexer) {
        let message = "no process watches this project; changes are indexed by the next query";
        findings.push(Finding::fine("background_indexer", message));
    }
    findings
}

fn process(holder: &LeaseHolder) -> Finding {
    let process = holder.process.map_or("another process".into(), |id| format!("process {id}"));
    let since = holder.since.map(|since| format!(" (started {})", ago(since))).unwrap_or_default();
    let wait = "wait for it; if it hangs, end the process, which releases its lock";
    match holder.kind {
        LeaseKind::Writer => {
            Finding::warning("writer", format!("{process} is indexing this project{since}"), wait)
        }
        LeaseKind::Job => {
            Finding::warning("job", format!("{process} runs an index job{since}"), wait)
        }
        LeaseKind::BackgroundIndexer => Finding::fine(
            "background_indexer",
            format!("{process} watches this project for changes{since}"),
        ),
    }
}

/// The embedding model and its speed.
fn embedder(project: &Project) -> Finding {
    match &project.models.embedding {
        Embedding::Off => Finding::fine("embedder", "off; search uses keywords and names"),
        Embedding::BuiltIn => built_in(),
        Embedding::Remote(_) => service(project),
        Embedding::Unusable(reason) => Finding::problem(
            "embedder",
            reason.clone(),
            "until this is fixed, the built-in model is used",
        ),
    }
}

/// Whether a service responds, with which dimensions, and how fast.
fn service(project: &Project) -> Finding {
    let probed = match project.models.service() {
        Ok(Some(service)) => service.probe(PROBE_TEXTS).map(|probe| (service, probe)),
        Ok(None) => return built_in(),
        Err(error) => Err(error),
    };
    let next = "search continues with keywords, and with vectors of the built-in model where there are no \
                others; `provider` under [embeddings] selects another model";
    let (service, probe) = match probed {
        Ok(probed) => probed,
        Err(error) => return Finding::problem("embedder", error.to_string(), next),
    };
    let (identity, endpoint) = (service.identity(), service.endpoint());
    let shown =
        endpoint.address().map_or(String::new(), |address| format!(" at {}", address.shown));
    let model = format!("{identity}{shown}");
    if probe.dimensions != identity.dimensions {
        let message = format!("{model} has {} dimensions", probe.dimensions);
        let next = format!("set `dimensions = {}` under [embeddings]", probe.dimensions);
        return Finding::problem("embedder", message, &next);
    }
    let speed = count(rate(PROBE_TEXTS, probe.time));
    let time = duration(probe.time);
    Finding::fine("embedder", format!("{model}, {PROBE_TEXTS} texts in {time}: {speed} chunks/s"))
}

fn built_in() -> Finding {
    let embedder = StaticEmbedder::default();
    let text =
        "opens a pooled connection to the server and retries with backoff until the deadline\n"
            .repeat(8);
    let texts = [text.as_str(); 64];
    let started = Instant::now();
    let mut embedded = 0;
    while started.elapsed() < MEASURE_TIME {
        if let Err(error) = embedder.embed(TextRole::Passage, &texts) {
            return Finding::problem(
                "embedder",
                error.to_string(),
                "this should not happen; please report it",
            );
        }
        embedded += texts.len();
    }
    let speed = count(rate(embedded, started.elapsed()));
    Finding::fine("embedder", format!("{}, {speed} chunks/s on one core", embedder.identity()))
}

/// Where grammars run, and what they could do if a text took them over.
fn isolation() -> Finding {
    const CHECK: &str = "parser workers";
    let confined = match groma_worker::isolation() {
        Isolation::Workers(confined) => confined,
        Isolation::Failed(error) => {
            return Finding::warning(
                CHECK,
                format!("no process can be started: {error}; files are indexed by lines"),
                "allow groma to start its own program",
            );
        }
        Isolation::Off => {
            return Finding::warning(
                CHECK,
                "the running program cannot be found",
                "start groma by its path",
            );
        }
    };
    let limits = [
        (confined.system_calls, "system calls (seccomp)"),
        (confined.files, "files (Landlock)"),
        (confined.memory, "memory"),
    ];
    let of = |wanted: bool| -> Vec<&str> {
        limits.iter().filter(|(is, _)| *is == wanted).map(|(_, name)| *name).collect()
    };
    let mut message = "grammars run in processes of their own".to_string();
    for (wanted, words) in [(true, "limited"), (false, "not limited on this system")] {
        if !of(wanted).is_empty() {
            message.push_str(&format!("; {words}: {}", of(wanted).join(", ")));
        }
    }
    Finding::fine(CHECK, message)
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
    Finding::problem(
        "grammars",
        broken.join("; "),
        "this is a bug in the program; please report it",
    )
}
