//! `groma symbol`: definitions of a name and its relations.

use super::Call;
use super::search::{kind, language};
use crate::args::Reference;
use crate::failure::Exit;
use crate::numbers::{counted, milliseconds, rounded};
use crate::print::Tint;
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::SymbolKind;
use groma_engine::{
    Definition, Enclosing, EngineError, LocateAnswer, LocateRequest, Location, NameMatch, Relation,
    Usage,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const AFTER: &str = "\
Exact matches come first, then qualified names, then matches that ignore case and separators; if
there are none, similar names. Uses are resolved from syntax: a use of an ambiguous name lists the
possible definitions, the most likely first.

With --json:
  name, project, relation, generation, took_ms, total_definitions, total_usages, notes [],
  definitions [{path, line, column, start_line, end_line, name, kind, qualified, signature, doc,
    visibility, parent, language, package, match, score}],
  usages [{path, line, column, kind, name, language, text, enclosing {name, qualified, kind,
    start_line, end_line}, definitions [{path, line}]}]

Examples:
  groma symbol RateLimiter
  groma symbol auth::jwt::verify_token
  groma symbol Store --implementors --lang go
  groma symbol Pool.open --callers ~/src/server
  groma symbol parse_config --relation callees --json";

/// Find definitions of a name, references, callers, callees and implementors
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct SymbolArgs {
    /// A name, optionally qualified, in the notation of any language
    pub name: String,
    /// The project's folder
    pub path: Option<PathBuf>,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// What to find: definitions, references, callers, callees or implementors
    #[arg(short, long, default_value = "definitions")]
    pub relation: Relation,
    /// The same as --relation references: what calls it, names it as a type or imports it
    #[arg(long, conflicts_with = "relation", group = "short")]
    pub references: bool,
    /// The same as --relation callers: the definitions that call it
    #[arg(long, conflicts_with = "relation", group = "short")]
    pub callers: bool,
    /// The same as --relation callees: what it calls
    #[arg(long, conflicts_with = "relation", group = "short")]
    pub callees: bool,
    /// The same as --relation implementors: the types that extend or implement it
    #[arg(long, conflicts_with = "relation", group = "short")]
    pub implementors: bool,
    /// Maximum number of definitions and of uses, 1 to 1000
    #[arg(short, long, value_name = "COUNT", default_value_t = 10)]
    pub limit: usize,
    /// Only definitions of these kinds: function, method, class, struct, interface, enum, constant, ...
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = kind)]
    pub kind: Vec<SymbolKind>,
    /// Only these languages, by name, alias or extension
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = language)]
    pub lang: Vec<String>,
    /// Only files whose path matches one of the globs; a folder matches everything in it
    #[arg(long = "path", value_name = "GLOB", id = "path_glob")]
    pub paths: Vec<String>,
}

/// Runs the query.
pub fn run(args: &SymbolArgs, call: &mut Call) -> Result<Exit> {
    let request = request(args);
    // Checked before an index is opened.
    request.check().map_err(EngineError::from)?;
    let project = call.project(args.path.as_deref())?;
    let engine = project.engine(Default::default())?;
    let engine = args.reference.of(&engine)?;
    let started = Instant::now();
    let progress = ProgressReporter::new(call.global.quiet);
    let answer = engine.locate(&request, &progress, &cancel_on_interrupt());
    drop(progress);
    let (answer, took) = (answer?, started.elapsed());
    if call.global.json {
        call.printer.json(&as_json(&request, &project, &answer, took))?;
    } else {
        show(call, &request, &answer)?;
    }
    let found = match request.relation {
        Relation::Definitions => answer.total_definitions,
        _ => answer.total_usages,
    };
    Ok(if found == 0 { Exit::Nothing } else { Exit::Fine })
}

fn request(args: &SymbolArgs) -> LocateRequest {
    let short = [
        (args.references, Relation::References),
        (args.callers, Relation::Callers),
        (args.callees, Relation::Callees),
        (args.implementors, Relation::Implementors),
    ];
    let short = short.into_iter().find_map(|(given, relation)| given.then_some(relation));
    LocateRequest {
        relation: short.unwrap_or(args.relation),
        kinds: args.kind.clone(),
        languages: args.lang.clone(),
        paths: args.paths.clone(),
        limit: args.limit,
        ..LocateRequest::new(args.name.clone())
    }
}

fn show(call: &mut Call, request: &LocateRequest, answer: &LocateAnswer) -> Result<()> {
    answer.notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
    let fuzzy = answer.definitions.first().is_some_and(|one| one.matched == NameMatch::Fuzzy);
    if fuzzy && request.relation == Relation::Definitions {
        call.remark(&format!("note: no definition of {}; these names are similar", request.name));
    }
    for one in &answer.definitions {
        definition(call, one)?;
    }
    if !answer.definitions.is_empty() && !answer.usages.is_empty() {
        writeln!(call.printer)?;
    }
    for one in &answer.usages {
        usage(call, request.relation, one)?;
    }
    let hidden = [
        (answer.total_definitions - answer.definitions.len(), "more definition"),
        (answer.total_usages - answer.usages.len(), "more use"),
    ];
    for (count, thing) in hidden.into_iter().filter(|(count, _)| *count > 0) {
        call.remark(&format!("{}; --limit shows them", counted(count, thing)));
    }
    let none = match request.relation {
        Relation::Definitions => answer.definitions.is_empty().then_some("no definition"),
        Relation::References => answer.usages.is_empty().then_some("no references"),
        Relation::Callers => answer.usages.is_empty().then_some("no callers"),
        Relation::Callees => answer.usages.is_empty().then_some("no calls"),
        Relation::Implementors => answer.usages.is_empty().then_some("no implementors"),
    };
    if let Some(none) = none {
        call.remark(&format!("{none} found"));
        call.remark(
            "  `groma search` also searches text; `groma status --skipped` lists skipped files",
        );
    }
    Ok(())
}

/// `path:line  kind name`, then the signature.
fn definition(call: &mut Call, one: &Definition) -> Result<()> {
    let symbol = &one.symbol;
    let printer = &mut call.printer;
    let path = printer.paint(Tint::Path, &printer.visible(one.path.as_str()));
    let name = printer.paint(Tint::Name, &printer.visible(&symbol.qualified));
    writeln!(printer, "{path}:{}  {} {name}", symbol.name_line, symbol.kind)?;
    if !symbol.signature.is_empty() {
        let signature = printer.paint(Tint::Dim, &printer.visible(&symbol.signature));
        writeln!(printer, "       {signature}")?;
    }
    Ok(())
}

/// `path:line  what it is`, then the line.
fn usage(call: &mut Call, relation: Relation, one: &Usage) -> Result<()> {
    let around = one.enclosing.as_ref().map(|one| format!("{} {}", one.kind, one.qualified));
    let around = around.unwrap_or_else(|| "the file".to_string());
    let what = match relation {
        Relation::Callees => format!("calls {}{}", one.name, places(" -> ", &one.definitions)),
        Relation::Implementors => format!("{around}{}", places(" at ", &one.definitions)),
        _ => format!("{} in {around}", one.kind.as_str()),
    };
    let printer = &mut call.printer;
    let path = printer.paint(Tint::Path, &printer.visible(one.path.as_str()));
    writeln!(printer, "{path}:{}  {}", one.line, printer.visible(&what))?;
    let text = printer.paint(Tint::Dim, &printer.visible(&one.text));
    writeln!(printer, "       {text}")?;
    Ok(())
}

fn places(before: &str, places: &[Location]) -> String {
    let listed: Vec<String> =
        places.iter().map(|place| format!("{}:{}", place.path, place.line)).collect();
    if listed.is_empty() { String::new() } else { format!("{before}{}", listed.join(", ")) }
}

fn as_json(
    request: &LocateRequest,
    project: &Project,
    answer: &LocateAnswer,
    took: Duration,
) -> Value {
    json!({
        "name": request.name,
        "project": project.root.to_string_lossy(),
        "relation": request.relation.as_str(),
        "generation": answer.generation.generation.number,
        "took_ms": milliseconds(took),
        "total_definitions": answer.total_definitions,
        "total_usages": answer.total_usages,
        "notes": answer.notes,
        "definitions": answer.definitions.iter().map(definition_json).collect::<Vec<_>>(),
        "usages": answer.usages.iter().map(usage_json).collect::<Vec<_>>(),
    })
}

fn definition_json(one: &Definition) -> Value {
    let symbol = &one.symbol;
    json!({
        "path": one.path.as_str(),
        "line": symbol.name_line,
        "column": symbol.name_column,
        "start_line": symbol.lines.start,
        "end_line": symbol.lines.end,
        "name": symbol.name,
        "kind": symbol.kind.as_str(),
        "qualified": symbol.qualified,
        "signature": symbol.signature,
        "doc": symbol.doc,
        "visibility": symbol.visibility.as_str(),
        "parent": one.parent,
        "language": one.language,
        "package": one.package,
        "match": one.matched.as_str(),
        "score": rounded(one.score.into(), 3),
    })
}

fn usage_json(one: &Usage) -> Value {
    let enclosing = |one: &Enclosing| {
        json!({
            "name": one.name,
            "qualified": one.qualified,
            "kind": one.kind.as_str(),
            "start_line": one.lines.start,
            "end_line": one.lines.end,
        })
    };
    let place = |one: &Location| json!({ "path": one.path.as_str(), "line": one.line });
    json!({
        "path": one.path.as_str(),
        "line": one.line,
        "column": one.column,
        "kind": one.kind.as_str(),
        "name": one.name,
        "language": one.language,
        "text": one.text,
        "enclosing": one.enclosing.as_ref().map(enclosing),
        "definitions": one.definitions.iter().map(place).collect::<Vec<_>>(),
    })
}
