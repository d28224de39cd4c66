//! `groma notes`: the notebook of a project: searches, adds, lists, edits, exports and imports.

mod text;

use super::Call;
use super::context::{self, ContextArgs};
use super::hook::{self, HookArgs};
use super::ingest::{self, IngestArgs};
use super::remember::{self, RememberArgs};
use crate::failure::{Exit, Failure, Kind};
use crate::numbers::{ago, counted};
use crate::print::Tint;
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use groma_core::{Discovery, DiscoveryKind, Origin, iso};
use groma_engine::notebook::{Change, NewDiscovery, Replacement};
use groma_engine::{Engine, EngineError};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const AFTER: &str = "\
An export is a readable text file that a team can commit and merge; importing is idempotent. The
version edited last wins. A discovery that one person deleted returns with the file of another;
supersede it instead.

With --json:
  list: discoveries [{id, type, content, module, session, date, confidence, edited,
    superseded_by, places []}]
  show, edit, supersede, forget: one of these
  import: added, merged, unchanged

Examples:
  groma notes search \"why do we keep tokens in cookies\"
  groma notes add \"Never log a token\" --module auth
  groma notes list --all --type decision
  groma notes edit discovery-0123456789abcdef --text \"Tokens live 15 minutes\"
  groma notes supersede 0123 \"Tokens live an hour, refresh was too slow\"
  groma notes export docs/notebook.md
  groma notes ingest ~/.claude/projects/-home-ann-shop/*.jsonl";

/// Search, add and edit what is known about the project: decisions, rules, issues
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct NotesArgs {
    /// The action.
    #[command(subcommand)]
    pub action: Action,
}

/// The actions.
#[derive(Debug, Subcommand)]
pub enum Action {
    Search(ContextArgs),
    Add(RememberArgs),
    /// List the recorded discoveries, oldest first
    List {
        /// Only this type: pattern, rule, decision or issue
        #[arg(short = 't', long = "type", value_name = "TYPE")]
        kind: Option<DiscoveryKind>,
        /// Only this module
        #[arg(short, long, value_name = "NAME")]
        module: Option<String>,
        /// Also list those derived from comments, documents and commits
        #[arg(short, long)]
        all: bool,
    },
    /// Show one discovery in full
    Show {
        /// Its id, or a prefix of it
        id: String,
    },
    /// Edit one discovery
    Edit {
        /// Its id, or a prefix of it
        id: String,
        /// A new text
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
        /// A new type: pattern, rule, decision or issue
        #[arg(short = 't', long = "type", value_name = "TYPE")]
        kind: Option<DiscoveryKind>,
        /// A new module; empty for none
        #[arg(short, long, value_name = "NAME")]
        module: Option<String>,
    },
    /// Replace a discovery that is no longer valid
    #[command(group = clap::ArgGroup::new("new").required(true).args(["text", "by"]))]
    Supersede {
        /// Its id, or a prefix of it
        id: String,
        /// The new statement
        text: Option<String>,
        /// The id of the discovery that replaces it
        #[arg(long, value_name = "ID")]
        by: Option<String>,
    },
    /// Delete one discovery; those it superseded become valid again
    Forget {
        /// Its id, or a prefix of it
        id: String,
    },
    /// Write all recorded discoveries to a file
    Export {
        /// The file; standard output without one
        file: Option<PathBuf>,
    },
    /// Import an exported file
    Import {
        /// The file; `-` is standard input
        file: PathBuf,
    },
    Ingest(IngestArgs),
    Hook(HookArgs),
}

/// Runs the action.
pub fn run(args: &NotesArgs, call: &mut Call) -> Result<Exit> {
    match &args.action {
        Action::Search(args) => return context::run(args, call),
        Action::Add(args) => return remember::run(args, call),
        Action::Ingest(args) => return ingest::run(args, call),
        Action::Hook(args) => return hook::run(args, call),
        _ => {}
    }
    let engine = call.project(None)?.engine(Default::default())?;
    match &args.action {
        Action::Search(_) | Action::Add(_) | Action::Ingest(_) | Action::Hook(_) => Ok(Exit::Fine),
        Action::List { kind, module, all } => {
            let fits = |one: &Discovery| {
                kind.is_none_or(|kind| one.kind == kind)
                    && module.as_ref().is_none_or(|module| one.module.as_ref() == Some(module))
            };
            let mut known = if *all {
                everything(&engine, call)?
            } else {
                engine.notebook().recorded().map_err(EngineError::from)?
            };
            warn_of_damage(&engine, call);
            known.retain(fits);
            list(call, &known)
        }
        Action::Show { id } => {
            let one = known(&engine, call, id)?;
            show(call, &one)?;
            let similar = engine.notebook().similar(&one).map_err(EngineError::from)?;
            remark_similar(call, &similar);
            Ok(Exit::Fine)
        }
        Action::Supersede { id, text, by } => {
            let old = known(&engine, call, id)?;
            let by = match (text, by) {
                (Some(text), _) => Replacement::New(NewDiscovery::new(text.clone())),
                (None, by) => Replacement::Existing(full_id(&engine, by.as_deref().unwrap_or(""))?),
            };
            let new = engine.notebook().supersede(&old, &by).map_err(EngineError::from)?;
            call.remark(&format!("{} is superseded by:", old.id));
            show(call, &new)
        }
        Action::Edit { id, text, kind, module } => {
            let id = full_id(&engine, id)?;
            let change = Change { content: text.clone(), kind: *kind, module: module.clone() };
            let changed = engine.notebook().revise(&id, &change).map_err(EngineError::from)?;
            show(call, &changed)
        }
        Action::Forget { id } => {
            let forgotten =
                engine.notebook().forget(&full_id(&engine, id)?).map_err(EngineError::from)?;
            call.remark("deleted:");
            show(call, &forgotten)
        }
        Action::Export { file } => export(call, &engine, file.as_deref()),
        Action::Import { file } => import(call, &engine, file),
    }
}

/// Says that notes are left out because they do not match their checksums.
fn warn_of_damage(engine: &Engine, call: &Call) {
    let notes = engine.notebook().storage().and_then(|storage| storage.notes().ok());
    let damaged = notes.map_or(0, |notes| notes.damaged.len());
    if damaged > 0 {
        let noun = counted(damaged, "note");
        call.remark(&format!(
            "note: {noun} left out, altered on the disk; `groma doctor --restore` restores it"
        ));
    }
}

/// Refers to notes in nearly the same words.
pub fn remark_similar(call: &Call, similar: &[Discovery]) {
    for one in similar {
        let content = call.printer.visible(&one.content).into_owned();
        call.remark(&format!("note: similar to {} ({}): {content}", one.id, ago(one.date)));
    }
}

/// All discoveries, recorded and derived.
fn everything(engine: &Engine, call: &Call) -> Result<Vec<Discovery>> {
    let progress = ProgressReporter::new(call.global.quiet);
    Ok(engine.discoveries(&progress, &cancel_on_interrupt())?)
}

/// The only discovery whose id has this prefix: among the recorded ones, then among all.
fn known(engine: &Engine, call: &Call, id: &str) -> Result<Discovery> {
    match one_of(&engine.notebook().recorded().map_err(EngineError::from)?, id) {
        Ok(one) => Ok(one.clone()),
        Err(_) => Ok(one_of(&everything(engine, call)?, id)?.clone()),
    }
}

/// The id of the only recorded discovery whose id has this prefix.
fn full_id(engine: &Engine, id: &str) -> Result<String> {
    Ok(one_of(&engine.notebook().recorded().map_err(EngineError::from)?, id)?.id.clone())
}

/// The only discovery whose id has this prefix; `discovery-` may be omitted.
fn one_of<'a>(known: &'a [Discovery], id: &str) -> Result<&'a Discovery> {
    let has_prefix = |one: &&Discovery| {
        let short = one.id.strip_prefix("discovery-").unwrap_or(&one.id);
        !id.is_empty() && (one.id.starts_with(id) || short.starts_with(id))
    };
    let mut found = known.iter().filter(has_prefix);
    let failure = match (found.next(), found.next()) {
        (Some(one), None) => return Ok(one),
        (None, _) => Failure::new(Kind::NotFound, format!("no discovery has the id {id}"))
            .hint("`groma notes list` shows those that can be edited"),
        _ => Failure::new(Kind::Usage, format!("more than one id begins with {id}"))
            .hint("give more characters"),
    };
    Err(failure.into())
}

fn list(call: &mut Call, known: &[Discovery]) -> Result<Exit> {
    if call.global.json {
        let discoveries: Vec<Value> = known.iter().map(as_json).collect();
        call.printer.json(&json!({ "discoveries": discoveries }))?;
        return Ok(Exit::Fine);
    }
    if known.is_empty() {
        call.remark("the notebook is empty; `groma notes add TEXT` adds to it");
    }
    for one in known {
        let id = call.printer.paint(Tint::Dim, &one.id);
        let module = one.module.as_ref().map_or(String::new(), |module| format!(" in {module}"));
        let content = call.printer.visible(&one.content).into_owned();
        let gone = if one.superseded.is_some() { " (superseded)" } else { "" };
        let source = call.printer.visible(&source(one)).into_owned();
        let source = call.printer.paint(Tint::Dim, &source);
        writeln!(call.printer, "{id}  {}{module}{gone}: {content}  {source}", one.kind)?;
    }
    Ok(Exit::Fine)
}

/// Where a discovery comes from, and how old it is. The date of a file is that of the checkout, so it is not shown.
pub fn source(one: &Discovery) -> String {
    let places: Vec<String> = one.evidence.iter().map(ToString::to_string).collect();
    match one.origin() {
        Origin::Comment | Origin::Document => places.join(", "),
        Origin::Remembered | Origin::Commit | Origin::Transcript => {
            format!("{}, {}", places.join(", "), ago(one.date))
        }
    }
}

fn show(call: &mut Call, one: &Discovery) -> Result<Exit> {
    if call.global.json {
        call.printer.json(&as_json(one))?;
        return Ok(Exit::Fine);
    }
    let printer = &mut call.printer;
    writeln!(printer, "{}  {}", printer.paint(Tint::Name, one.kind.as_str()), one.id)?;
    if let Some(module) = &one.module {
        writeln!(printer, "  module   {}", printer.visible(module))?;
    }
    writeln!(printer, "  since    {} ({})", iso(one.date), ago(one.date))?;
    if let Some(edited) = one.edited {
        writeln!(printer, "  edited   {} ({})", iso(edited), ago(edited))?;
    }
    if let Some(id) = &one.superseded {
        writeln!(printer, "  gone     superseded by {}", printer.visible(id))?;
    }
    for place in &one.evidence {
        writeln!(printer, "  from     {}", printer.visible(&place.to_string()))?;
    }
    for line in one.content.lines() {
        writeln!(printer, "  {}", printer.visible(line))?;
    }
    Ok(Exit::Fine)
}

fn as_json(one: &Discovery) -> Value {
    json!({
        "id": one.id,
        "type": one.kind.as_str(),
        "content": one.content,
        "module": one.module,
        "session": one.session,
        "date": iso(one.date),
        "confidence": crate::numbers::rounded(f64::from(one.confidence), 2),
        "edited": one.edited.map(iso),
        "superseded_by": one.superseded,
        "places": one.evidence.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn export(call: &mut Call, engine: &Engine, file: Option<&Path>) -> Result<Exit> {
    let discoveries = engine.notebook().recorded().map_err(EngineError::from)?;
    let text = text::write(&discoveries);
    match file {
        None => write!(call.printer, "{text}")?,
        Some(path) => {
            std::fs::write(path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
            call.remark(&format!(
                "wrote {} to {}",
                counted(discoveries.len(), "discovery"),
                path.display()
            ));
        }
    }
    Ok(Exit::Fine)
}

fn import(call: &mut Call, engine: &Engine, file: &Path) -> Result<Exit> {
    let mut text = String::new();
    if file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
    } else {
        let unreadable = |error: std::io::Error| {
            Failure::new(Kind::NotFound, format!("cannot read {}: {error}", file.display()))
                .hint("give a file that `groma notes export` wrote")
        };
        text = std::fs::read_to_string(file).map_err(unreadable)?;
    }
    let discoveries = text::read(&text).map_err(|reason| {
        Failure::new(Kind::Usage, format!("{}: {reason}", file.display()))
            .hint("correct it; nothing was imported")
    })?;
    let imported = engine.notebook().import(&discoveries).map_err(EngineError::from)?;
    if call.global.json {
        call.printer.json(&json!({
            "added": imported.added,
            "merged": imported.merged,
            "unchanged": imported.unchanged,
        }))?;
    } else {
        let (added, merged) = (imported.added, imported.merged);
        writeln!(call.printer, "{added} added, {merged} merged, {} unchanged", imported.unchanged)?;
    }
    Ok(Exit::Fine)
}
