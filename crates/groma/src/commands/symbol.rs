//! `groma symbol`: the definition of a name with its body, and its relations.

use super::Call;
use super::search::{kind, language};
use crate::args::Reference;
use crate::failure::Exit;
use crate::numbers::{milliseconds, rounded};
use crate::page::{self, Emphasis};
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use crate::project::Project;
use anyhow::Result;
use clap::Args;
use groma_core::SymbolKind;
use groma_engine::{
    Definition, Enclosing, EngineError, FurtherUsage, LocateRequest, Location, Relation,
    SymbolAnswer, SymbolRequest, Usage,
};
use groma_render::{Budget, place_view_json, symbol_page};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Definitions that are shown unless a limit is given.
const DEFINITIONS: usize = 10;

/// Uses that are shown unless a limit is given.
const USAGES: usize = 40;

const AFTER: &str = "\
Exact matches come first, then qualified names, then matches that ignore case and separators; if
there are none, similar names. Uses are linked to definitions by scopes, imports and types; where
nothing is known about the type before a name, a use is listed last, as possible. In languages whose
uses are not linked, they are matched by name. The best definition is shown with its body.

With --json:
  name, project, relation, generation, took_ms, total_definitions, total_usages,
  possible_usages, notes [],
  definitions [{path, line, column, start_line, end_line, name, kind, qualified, signature, doc,
    visibility, parent, language, package, match, score}],
  usages [{path, line, column, possible, kind, name, language, text, enclosing {name, qualified, kind,
    start_line, end_line}, definitions [{path, line}]}],
  further [[usages of the usages]], bodies [{path, line_count, place {}, excerpts [{start_line,
    end_line, text}], omitted [], members [], notes []}]

Examples:
  groma symbol RateLimiter
  groma symbol auth::jwt::verify_token
  groma symbol Store --implementors --lang go
  groma symbol Pool.open --callers --depth 2 ~/src/server
  groma symbol verify_token --tests
  groma symbol parse_config --relation callees --json";

/// Show the definition of a name, or what uses, calls, implements or tests it
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
    /// What to find: definitions, references, callers, callees, implementors or tests
    #[arg(short, long, default_value = "definitions")]
    pub relation: Wanted,
    /// The same as --relation references: everything that uses it
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
    /// The same as --relation tests: the tests that use it, directly or through other code
    #[arg(long, conflicts_with = "relation", group = "short")]
    pub tests: bool,
    /// How far callers and callees are followed: 2 for the callers of the callers
    #[arg(long, value_name = "STEPS", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=3))]
    pub depth: u8,
    /// Maximum number of definitions and of uses, 1 to 1000 [default: 10 definitions, 40 uses]
    #[arg(short, long, value_name = "COUNT")]
    pub limit: Option<usize>,
    /// Size of the answer
    #[arg(long, value_name = "TOKENS", default_value_t = 3000)]
    pub max_tokens: usize,
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

/// The value of `--relation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A relation.
    Relation(Relation),
    /// The references in tests.
    Tests,
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "tests" => Ok(Self::Tests),
            text => text.parse().map(Self::Relation).map_err(|error| format!("{error}, tests")),
        }
    }
}

/// Runs the query.
pub fn run(args: &SymbolArgs, call: &mut Call) -> Result<Exit> {
    let budget = Budget::tokens(args.max_tokens);
    let request = request(args, budget);
    // Checked before an index is opened.
    request.locate.check().map_err(EngineError::from)?;
    let project = call.project(args.path.as_deref())?;
    let engine = project.engine(Default::default())?;
    let engine = args.reference.of(&engine)?;
    let started = Instant::now();
    let progress = ProgressReporter::new(call.global.quiet);
    let answer = engine.symbol(&request, &progress, &cancel_on_interrupt());
    drop(progress);
    let (mut answer, took) = (answer?, started.elapsed());
    let found = match request.locate.relation {
        Relation::Definitions => answer.located.total_definitions,
        _ => answer.located.total_usages,
    };
    if call.global.json {
        call.printer.json(&as_json(&request, &project, &answer, took))?;
    } else {
        show(call, &request, &mut answer, budget)?;
        if found == 0 {
            call.remark(
                "`groma search` also searches text; `groma status --skipped` lists skipped files",
            );
        }
    }
    Ok(if found == 0 { Exit::Nothing } else { Exit::Fine })
}

fn request(args: &SymbolArgs, budget: Budget) -> SymbolRequest {
    let short = [
        (args.references, Wanted::Relation(Relation::References)),
        (args.callers, Wanted::Relation(Relation::Callers)),
        (args.callees, Wanted::Relation(Relation::Callees)),
        (args.implementors, Wanted::Relation(Relation::Implementors)),
        (args.tests, Wanted::Tests),
    ];
    let short = short.into_iter().find_map(|(given, wanted)| given.then_some(wanted));
    let (relation, only_tests) = match short.unwrap_or(args.relation) {
        Wanted::Relation(relation) => (relation, false),
        Wanted::Tests => (Relation::References, true),
    };
    let default = if relation == Relation::Definitions { DEFINITIONS } else { USAGES };
    let locate = LocateRequest {
        relation,
        kinds: args.kind.clone(),
        languages: args.lang.clone(),
        paths: args.paths.clone(),
        limit: args.limit.unwrap_or(default),
        ..LocateRequest::new(args.name.clone())
    };
    SymbolRequest {
        definitions: args.limit.unwrap_or(DEFINITIONS),
        locate,
        only_tests,
        depth: args.depth.into(),
        body_chars: budget.chars(),
    }
}

fn show(
    call: &mut Call,
    request: &SymbolRequest,
    answer: &mut SymbolAnswer,
    budget: Budget,
) -> Result<()> {
    let notes = std::mem::take(&mut answer.located.notes);
    notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
    if answer.located.definitions.is_empty() && answer.located.usages.is_empty() {
        call.remark(&format!("no {} found", request.what()));
        return Ok(());
    }
    let page = symbol_page(request, answer, budget);
    page::print(&mut call.printer, &page, &Emphasis::syntax())
}

fn as_json(
    request: &SymbolRequest,
    project: &Project,
    found: &SymbolAnswer,
    took: Duration,
) -> Value {
    let answer = &found.located;
    let level = |usages: &Vec<Usage>| usages.iter().map(usage_json).collect::<Vec<_>>();
    let further = |usages: &Vec<FurtherUsage>| {
        let usage = |one: &FurtherUsage| {
            let mut usage = usage_json(&one.usage);
            usage["of"] = one.of.into();
            usage
        };
        usages.iter().map(usage).collect::<Vec<_>>()
    };
    json!({
        "name": request.locate.name,
        "project": project.root.to_string_lossy(),
        "relation": request.what(),
        "generation": answer.generation.generation.number,
        "took_ms": milliseconds(took),
        "total_definitions": answer.total_definitions,
        "total_usages": answer.total_usages,
        "possible_usages": answer.possible_usages,
        "notes": answer.notes,
        "definitions": answer.definitions.iter().map(definition_json).collect::<Vec<_>>(),
        "usages": level(&answer.usages),
        "further": found.further.iter().map(further).collect::<Vec<_>>(),
        "bodies": found.bodies.iter().map(place_view_json).collect::<Vec<_>>(),
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
        "possible": one.is_possible,
        "kind": one.kind.as_str(),
        "name": one.name,
        "language": one.language,
        "text": one.text,
        "enclosing": one.enclosing.as_ref().map(enclosing),
        "definitions": one.definitions.iter().map(place).collect::<Vec<_>>(),
    })
}
