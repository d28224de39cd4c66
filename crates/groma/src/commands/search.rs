//! `groma search`: ranked search results.

use super::Call;
use crate::args::Reference;
use crate::failure::{Exit, Failure, Kind};
use crate::progress::{ProgressReporter, cancel_on_interrupt};
use crate::project::Project;
use anyhow::{Result, anyhow};
use clap::Args;
use groma_core::{ChunkKind, NameGlob, SymbolKind};
use groma_engine::find_language;
use groma_engine::{
    Confidence, Context, Engine, EngineError, Ranking, SearchAnswer, SearchMode, SearchRequest,
    SnippetOptions, Snippets, Tests, is_test,
};
use groma_render::Budget;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

mod json;
mod show;

/// Hits from which the lines are chosen if no limit is given.
const HITS: usize = 40;

/// Results that are printed if nothing found is about the query.
const MAX_NEAREST: usize = 3;

const AFTER: &str = "\
Shows the lines that matter of the best results, with their numbers, and names the others. The
first line says how sure the answer is: strong, likely or weak. Tests are left out unless the query
asks for them. The index is created on the first search, and updated if files have changed.

A query needs quotes only for characters that the shell would change. The last argument is the
project's folder if it is one and follows a single argument, or is written like a path (., src/).
With --project every argument belongs to the query.

With --json:
  query, project, mode, intent, generation, cached, took_ms, candidates, notes [],
  suggestions [], results [{path, start_line, end_line, kind, language, package, title, tags [],
    score, keyword_score, vector_score, match_type, symbol {name, kind, qualified, signature,
    doc, visibility, start_line, end_line}, content, context_before, context_after,
    signals [{name, factor}]}], confidence (strong, likely, weak or none),
  absent [{name, similar []}], snippets [{path, also [], snippets [{start_line, end_line, kind,
    name, signature, excerpts [{start_line, end_line, text}]}]}]
  and with --explain: plan {intent, confidence, terms [{term, weight}], names [],
    wants {tests, docs, examples, config}},
    stages [{name, count, took_ms, best [{place, score}]}]
  With --paths-only: query, project, paths []

Examples:
  groma search where are requests rate limited
  groma search \"where are requests rate limited\" ~/src/server
  groma search verify_token ~/src/server --kind function,method
  groma search \"retry with backoff\" --lang go --path 'internal/**' -C 3
  groma search \"token expiry\" --tests only
  groma search \"parse config\" --max-tokens 1000
  groma search Session --chunk-kind overview --explain
  groma search Session --ref v1.2
  groma search \"parse config\" --json | jq '.results[0].path'";

/// Search a project by meaning, name, path or error message
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct SearchArgs {
    /// A question, a name, a path or an error message, in one argument or several; then optionally the project's folder
    #[arg(required = true, value_name = "QUERY")]
    pub words: Vec<String>,
    /// Maximum number of results, 1 to 1000; more are searched for the lines that matter unless it is given
    /// [default: 10, or `search.limit` of .groma.toml]
    #[arg(short, long, value_name = "COUNT")]
    pub limit: Option<usize>,
    /// Which retrievers are used: hybrid, vector or keyword [default: hybrid, or `search.mode`]
    #[arg(short, long)]
    pub mode: Option<SearchMode>,
    /// Search without vectors, by keywords and names only
    #[arg(long)]
    pub no_embeddings: bool,
    /// The ref.
    #[command(flatten)]
    pub reference: Reference,
    /// Omit results below this score, 0 to 1
    #[arg(long, value_name = "SCORE")]
    pub min_score: Option<f32>,
    /// Filters.
    #[command(flatten)]
    pub filter: Filters,
    /// Output options.
    #[command(flatten)]
    pub show: Show,
}

/// Filters.
#[derive(Debug, Args)]
#[command(next_help_heading = "Filters")]
pub struct Filters {
    /// Only these languages, by name, alias or extension
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = language)]
    pub lang: Vec<String>,
    /// Only definitions of these kinds: function, method, class, struct, interface, enum, constant, ...
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = kind)]
    pub kind: Vec<SymbolKind>,
    /// Only definitions whose name matches the glob, ignoring case
    #[arg(long, value_name = "GLOB", value_parser = NameGlob::new)]
    pub name: Option<NameGlob>,
    /// Only files whose path matches one of the globs; a folder matches everything in it
    #[arg(long = "path", value_name = "GLOB", id = "path_glob")]
    pub paths: Vec<String>,
    /// Only these packages, modules or folders
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub package: Vec<String>,
    /// Only chunks of these kinds: prose, overview, code or data
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub chunk_kind: Vec<ChunkKind>,
    /// Only files with all of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    pub tag: Vec<String>,
}

/// Output options.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct Show {
    /// Lines shown before those that matter
    #[arg(short = 'B', long, value_name = "LINES")]
    pub before: Option<u32>,
    /// Lines shown after those that matter
    #[arg(short = 'A', long, value_name = "LINES")]
    pub after: Option<u32>,
    /// Lines shown before and after, or `smart` for the enclosing definition of a result
    #[arg(short = 'C', long, value_name = "LINES|smart", value_parser = around)]
    pub context: Option<Around>,
    /// The same as --context smart
    #[arg(long, conflicts_with_all = ["context", "before", "after"])]
    pub smart: bool,
    /// Size of the answer: results are cut to the lines that matter, as far as they fit
    #[arg(long, value_name = "TOKENS", default_value_t = 3000)]
    pub max_tokens: usize,
    /// Show the best results in full, whatever their size
    #[arg(long, conflicts_with = "max_tokens")]
    pub full: bool,
    /// Tests among the results: auto (if the query asks for them), include or only
    #[arg(long, value_name = "WHICH", default_value = "auto")]
    pub tests: Tests,
    /// Show the query plan, what each stage found, and the factors of each score
    #[arg(long)]
    pub explain: bool,
    /// Print only the paths, best first, each once
    #[arg(short, long)]
    pub paths_only: bool,
}

/// The value of `--context`.
#[derive(Clone, Copy, Debug)]
pub enum Around {
    /// A number of lines.
    Lines(u32),
    /// The enclosing definition.
    Smart,
}

/// An answer with its context.
struct Found<'a> {
    project: &'a Project,
    request: &'a SearchRequest,
    limit: usize,
    answer: SearchAnswer,
    snippets: Snippets,
    suggestions: Vec<String>,
    took: Duration,
}

/// Runs the search.
pub fn run(args: &SearchArgs, call: &mut Call) -> Result<Exit> {
    let (words, folder) = split_folder(&args.words, call.global.project.is_some());
    let project = project(folder, call)?;
    let request = request(args, words.join(" "), &project, call.global.json)?;
    let engine = project.engine(Ranking::default())?;
    let engine = args.reference.of(&engine)?;
    let started = Instant::now();
    let cancel = cancel_on_interrupt();
    let progress = ProgressReporter::new(call.global.quiet);
    let options = options(args, &project);
    let (mut answer, snippets) = engine.search_snippets(&request, &options, &progress, &cancel)?;
    drop(progress);
    let took = started.elapsed();
    if args.show.tests == Tests::Only {
        answer.hits.retain(is_test);
        answer.hits.truncate(limit(args, &project));
    }
    if args.no_embeddings {
        answer.notes.push("embeddings are off: answered by keywords and symbols".to_string());
    }
    if snippets.confidence == Confidence::None {
        answer.hits.truncate(MAX_NEAREST);
    }
    let suggestions =
        if answer.hits.is_empty() { suggestions(&engine, &request, &answer)? } else { Vec::new() };
    let limit = limit(args, &project);
    let mut found =
        Found { project: &project, request: &request, limit, answer, snippets, suggestions, took };
    print(args, call, &mut found)?;
    let is_nothing = found.answer.hits.is_empty() || found.snippets.confidence == Confidence::None;
    Ok(if is_nothing { Exit::Nothing } else { Exit::Fine })
}

/// The project of a command whose last argument may be its folder.
pub(super) fn project(path: Option<&Path>, call: &Call) -> Result<Project> {
    if let Some(path) = path
        && call.global.project.is_none()
        && !path.exists()
    {
        let failure =
            Failure::new(Kind::NotFound, format!("there is no folder {}", path.display()));
        return Err(failure
            .hint("give a folder that exists; a query of several words needs quotes")
            .into());
    }
    call.project(path)
}

/// Splits the positional arguments into the words of the query and the project's folder.
///
/// People type questions without quotes, so the last word counts as the folder only if it is one and cannot well be part
/// of a sentence: it is the second of two arguments, or is written like a path. A second argument that is written like a
/// path or names a file is taken for the folder, too, so that a mistyped one is an error instead of a word.
fn split_folder(words: &[String], is_project_given: bool) -> (&[String], Option<&Path>) {
    let Some((last, query)) = words.split_last() else { return (words, None) };
    let path = Path::new(last);
    let is_written_as_path =
        [".", ".."].contains(&&**last) || last.contains(std::path::MAIN_SEPARATOR);
    let is_folder = match query {
        _ if is_project_given => false,
        [] => false,
        [_] => path.exists() || is_written_as_path,
        _ => is_written_as_path && path.is_dir(),
    };
    if is_folder { (query, Some(path)) } else { (words, None) }
}

fn print(args: &SearchArgs, call: &mut Call, found: &mut Found<'_>) -> Result<()> {
    if call.global.json {
        let value = if args.show.paths_only { json::paths(found) } else { json::answer(found) };
        return call.printer.json(&value);
    }
    let notes = std::mem::take(&mut found.answer.notes);
    notes.iter().for_each(|note| call.remark(&format!("note: {note}")));
    if args.show.paths_only {
        for path in distinct_paths(&found.answer) {
            writeln!(call.printer, "{path}")?;
        }
    } else if !found.answer.hits.is_empty() {
        show::answer(&mut call.printer, found)?;
    }
    if found.answer.hits.is_empty() {
        call.remark("nothing found");
        found.suggestions.iter().for_each(|suggestion| call.remark(&format!("  {suggestion}")));
    }
    call.detail(&format!(
        "{} of {} candidates in {}, generation {}, {}",
        found.answer.hits.len(),
        found.answer.candidates,
        crate::numbers::duration(found.took),
        found.answer.generation.generation.number,
        found.project.root.display()
    ));
    Ok(())
}

/// The distinct paths of the hits, best first.
fn distinct_paths(answer: &SearchAnswer) -> Vec<&str> {
    let mut paths: Vec<&str> = Vec::new();
    for hit in &answer.hits {
        if !paths.contains(&hit.path.as_str()) {
            paths.push(hit.path.as_str());
        }
    }
    paths
}

/// What is shown of the answer.
fn options(args: &SearchArgs, project: &Project) -> SnippetOptions {
    let budget =
        if args.show.full { Budget::UNLIMITED } else { Budget::tokens(args.show.max_tokens) };
    let places = limit(args, project).min(args.show.max_tokens / 100);
    SnippetOptions { chars: budget.chars(), places, tests: args.show.tests }
}

/// The number of results: that of the arguments, or else of the settings.
fn limit(args: &SearchArgs, project: &Project) -> usize {
    args.limit.unwrap_or(project.config.search.limit)
}

/// The request; settings of the project apply where no argument is given.
fn request(
    args: &SearchArgs,
    query: String,
    project: &Project,
    json: bool,
) -> Result<SearchRequest> {
    let defaults = &project.config.search;
    let mut request = SearchRequest::new(query);
    request.limit = limit(args, project);
    let is_page = !json && !args.show.paths_only && args.limit.is_none();
    if is_page || args.show.tests == Tests::Only {
        request.limit = request.limit.max(HITS);
    }
    request.mode = args.mode.unwrap_or(defaults.mode);
    request.min_score = args.min_score.unwrap_or(defaults.min_score);
    request.context = context(&args.show, defaults.context);
    request.explain = args.show.explain;
    if args.no_embeddings {
        // The index keeps its vectors: rebuilding it without them would cost more.
        if args.mode == Some(SearchMode::Vector) {
            let failure = Failure::new(Kind::Usage, "--mode vector needs embeddings");
            return Err(failure.hint("omit --no-embeddings, or choose --mode keyword").into());
        }
        request.mode = SearchMode::Keyword;
    }
    let filters = &args.filter;
    let filter = &mut request.filter;
    filter.languages = filters.lang.clone();
    filter.symbol_kinds = filters.kind.clone();
    filter.symbol_name = filters.name.clone();
    filter.packages = filters.package.clone();
    filter.chunk_kinds = filters.chunk_kind.clone();
    filter.tags = filters.tag.clone();
    filter.set_paths(&filters.paths).map_err(|reason| {
        anyhow!(
            Failure::new(Kind::Usage, format!("--path: {reason}"))
                .hint("write globs as in a .gitignore")
        )
    })?;
    // Checked before an index is opened.
    request.check().map_err(EngineError::from)?;
    Ok(request)
}

fn context(show: &Show, default: u32) -> Context {
    let both = match show.context {
        Some(Around::Smart) => return Context::Enclosing,
        _ if show.smart => return Context::Enclosing,
        Some(Around::Lines(lines)) => Some(lines),
        None if show.before.is_none() && show.after.is_none() => Some(default),
        None => None,
    };
    let before = show.before.or(both).unwrap_or(0);
    let after = show.after.or(both).unwrap_or(0);
    if before + after == 0 { Context::None } else { Context::Lines { before, after } }
}

/// Suggestions if nothing was found.
fn suggestions(
    engine: &Engine,
    request: &SearchRequest,
    answer: &SearchAnswer,
) -> Result<Vec<String>> {
    let mut tips = Vec::new();
    for name in answer.plan.names.iter().take(2) {
        let near = engine.similar_names(name, 3)?;
        if !near.is_empty() {
            tips.push(format!("names like {name}: {}", near.join(", ")));
        }
    }
    if request.min_score > 0.0 {
        tips.push(format!("lower --min-score (it is {})", request.min_score));
    }
    let given = given_filters(request);
    if !given.is_empty() {
        tips.push(format!("drop a filter: {}", given.join(", ")));
    }
    if request.mode != SearchMode::Hybrid {
        tips.push("try --mode hybrid, which uses all retrievers".to_string());
    }
    tips.push("`groma status --skipped` lists skipped files".to_string());
    Ok(tips)
}

fn given_filters(request: &SearchRequest) -> Vec<&'static str> {
    let filter = &request.filter;
    let given = [
        ("--lang", !filter.languages.is_empty()),
        ("--kind", !filter.symbol_kinds.is_empty()),
        ("--name", filter.symbol_name.is_some()),
        ("--path", !filter.path_globs().is_empty()),
        ("--package", !filter.packages.is_empty()),
        ("--chunk-kind", !filter.chunk_kinds.is_empty()),
        ("--tag", !filter.tags.is_empty()),
    ];
    given.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
}

/// A language by any of its names.
pub fn language(name: &str) -> Result<String, String> {
    find_language(name)
        .map(|language| language.name.to_string())
        .ok_or_else(|| "unknown language; `groma languages` lists them".to_string())
}

/// A kind of definition by any of its names.
pub fn kind(name: &str) -> Result<SymbolKind, String> {
    SymbolKind::parse_alias(name).ok_or_else(|| {
        let names: Vec<_> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).collect();
        format!("expected one of {}", names.join(", "))
    })
}

fn around(text: &str) -> Result<Around, String> {
    if text == "smart" {
        return Ok(Around::Smart);
    }
    match text.parse() {
        Ok(lines) if lines <= 1000 => Ok(Around::Lines(lines)),
        _ => Err("give a number of lines up to 1000, or `smart`".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(words: &[&str], is_project_given: bool) -> (String, Option<String>) {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        let (query, folder) = split_folder(&words, is_project_given);
        (query.join(" "), folder.map(|path| path.display().to_string()))
    }

    /// The tests of a crate run in its folder, which contains `src` and `Cargo.toml`.
    #[test]
    fn the_last_word_is_the_folder_only_where_it_cannot_be_a_word() {
        let folder = |name: &str| Some(name.to_string());
        assert_eq!(split(&["src"], false), ("src".into(), None));
        assert_eq!(split(&["session", "src"], false), ("session".into(), folder("src")));
        assert_eq!(split(&["two", "words"], false), ("two words".into(), None));
        assert_eq!(split(&["x", "no/such"], false), ("x".into(), folder("no/such")), "an error");
        assert_eq!(
            split(&["where", "is", "the", "src"], false),
            ("where is the src".into(), None),
            "a folder that is a word of the question"
        );
        assert_eq!(split(&["where", "is", "it", "."], false), ("where is it".into(), folder(".")));
        assert_eq!(split(&["either", "and/or"], false).1, folder("and/or"));
        assert_eq!(split(&["one", "and/or"], true), ("one and/or".into(), None));
        assert_eq!(split(&["is", "it", "and/or"], false), ("is it and/or".into(), None));
    }
}
