//! `cargo xtask eval --sight`: does one call show the lines to change?
//!
//! Each question is a recent fix of an open repository in the words of its commit message, asked over the parent commit.
//! The answer is right if a line that the fix changed can be read in it: an assistant then needs no further call.

mod history;
mod hunks;
mod question;
mod visible;

use crate::bench::Floor;
use crate::mcp::Server;
use crate::workspace::{self, Programs};
use anyhow::{Context, Result};
use clap::Args;
use history::{Fix, History};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use visible::{Visible, visible};

/// The most that an answer may cost on average.
const MAX_CHARACTERS: f64 = 4500.0;

/// How much more often than the baseline a changed line must be visible.
const MIN_GAIN: f64 = 2.0;

/// The names that the tool has, preferred first.
const TOOLS: [&str; 2] = ["search", "search_code"];

#[derive(Debug, Args)]
pub struct SightArgs {
    /// Ask for recent fixes of other repositories, and see whether the changed lines are in the answer
    #[arg(long, requires = "repos")]
    pub sight: bool,
    /// Folder with git repositories, bare or with a work tree
    #[arg(long, value_name = "DIR", requires = "sight")]
    repos: Option<PathBuf>,
    /// A build to measure instead of this workspace's; given twice, the first is the baseline
    #[arg(long, value_name = "BINARY", requires = "sight")]
    groma: Vec<PathBuf>,
    /// The tool to call [default: the first of search, search_code that the server has]
    #[arg(long, value_name = "NAME", requires = "sight")]
    tool: Option<String>,
    /// Fixes of each repository
    #[arg(long, value_name = "N", default_value_t = 30, requires = "sight")]
    commits: usize,
    /// Print one line for each question
    #[arg(long, requires = "sight")]
    show: bool,
    /// Write questions and answers to this file, one JSON object a line
    #[arg(long, value_name = "FILE", requires = "sight")]
    answers: Option<PathBuf>,
}

/// A program that is asked.
struct Build {
    name: String,
    program: PathBuf,
    /// Where it keeps its indexes.
    home: PathBuf,
}

/// How a question was answered by a build.
struct Outcome {
    build: usize,
    repository: String,
    language: &'static str,
    visible: Visible,
    characters: usize,
}

/// Asks every build every question, and prints one table.
pub fn run(args: &SightArgs) -> Result<()> {
    let folder = args.repos.as_deref().context("--repos names no folder")?;
    let builds = builds(&args.groma)?;
    let mut answers = args.answers.as_ref().map(File::create).transpose()?;
    let mut outcomes = Vec::new();
    for history in History::all(folder)? {
        let fixes = history.fixes(args.commits)?;
        for (number, build) in builds.iter().enumerate() {
            let asked = ask(args, build, &history, &fixes)
                .with_context(|| format!("{} over {}", build.name, history.name))?;
            for (fix, (text, visible)) in fixes.iter().zip(asked) {
                let outcome = Outcome {
                    build: number,
                    repository: history.name.clone(),
                    language: fix.language,
                    visible,
                    characters: text.chars().count(),
                };
                if args.show {
                    println!("{}", shown(build, fix, &outcome));
                }
                if let Some(file) = &mut answers {
                    writeln!(file, "{}", record(build, fix, &outcome, &text))?;
                }
                outcomes.push(outcome);
            }
        }
    }
    print_table(&builds, &outcomes);
    print_floors(&builds, &outcomes);
    Ok(())
}

/// The builds that were given, or else this workspace's.
fn builds(given: &[PathBuf]) -> Result<Vec<Build>> {
    let (programs, scratch) = if given.is_empty() {
        let programs = Programs::build()?;
        (vec![programs.groma], programs.scratch)
    } else {
        (given.to_vec(), workspace::scratch()?)
    };
    let build = |(number, program): (usize, PathBuf)| {
        let name = program.file_name().context("a build is a file")?.to_string_lossy();
        let name = if given.len() > 1 { format!("{} {name}", number + 1) } else { name.into() };
        let home = scratch.join("sight").join(name.replace(' ', "-"));
        fs::create_dir_all(&home)?;
        let program = program.canonicalize().with_context(|| format!("{}", program.display()))?;
        Ok(Build { name, program, home })
    };
    programs.into_iter().enumerate().map(build).collect()
}

/// The answers of a build to the questions of a repository, and what each shows.
fn ask(
    args: &SightArgs,
    build: &Build,
    history: &History,
    fixes: &[Fix],
) -> Result<Vec<(String, Visible)>> {
    let mut server = Server::start(&build.program, &history.folder, &build.home)?;
    let tool = match &args.tool {
        Some(name) => name.clone(),
        None => default_tool(&server.tools()?)?,
    };
    let answer = |fix: &Fix| {
        let arguments = json!({ "query": fix.question, "ref": fix.parent });
        let text = server.call(&tool, &arguments).with_context(|| fix.question.clone())?;
        let visible = visible(&text, &fix.gold, &history.files(&fix.parent)?);
        Ok((text, visible))
    };
    fixes.iter().map(answer).collect()
}

fn default_tool(offered: &[String]) -> Result<String> {
    let tool = TOOLS.iter().find(|tool| offered.iter().any(|offered| offered == *tool));
    Ok(tool.context("the server has no tool to search with; name one by --tool")?.to_string())
}

/// One line for a question.
fn shown(build: &Build, fix: &Fix, outcome: &Outcome) -> String {
    let Visible { in_sight, named, first } = outcome.visible;
    let mark = |is: bool, word: &'static str| if is { word } else { "-" };
    format!(
        "{:<12} {:<24} {} {:<8} {:<5} {:<5} {:>6}  {}",
        build.name,
        outcome.repository,
        &fix.commit[..10],
        mark(in_sight, "in sight"),
        mark(named, "named"),
        mark(first, "first"),
        outcome.characters,
        fix.question
    )
}

/// A question with all that belongs to it.
fn record(build: &Build, fix: &Fix, outcome: &Outcome, text: &str) -> Value {
    let gold = |gold: &hunks::Gold| {
        let ranges = gold.ranges.iter().map(|range| [range.start(), range.end()]);
        json!({ "path": gold.path, "ranges": ranges.collect::<Vec<_>>(), "lines": gold.lines })
    };
    json!({
        "build": build.name,
        "repository": outcome.repository,
        "language": fix.language,
        "commit": fix.commit,
        "parent": fix.parent,
        "question": fix.question,
        "gold": fix.gold.iter().map(gold).collect::<Vec<_>>(),
        "in_sight": outcome.visible.in_sight,
        "named": outcome.visible.named,
        "first": outcome.visible.first,
        "characters": outcome.characters,
        "answer": text,
    })
}

/// Counts over some questions.
#[derive(Default)]
struct Totals {
    questions: usize,
    in_sight: usize,
    named: usize,
    first: usize,
    characters: usize,
}

impl Totals {
    fn of<'o>(outcomes: impl IntoIterator<Item = &'o Outcome>) -> Self {
        let mut totals = Self::default();
        for outcome in outcomes {
            totals.questions += 1;
            totals.in_sight += usize::from(outcome.visible.in_sight);
            totals.named += usize::from(outcome.visible.named);
            totals.first += usize::from(outcome.visible.first);
            totals.characters += outcome.characters;
        }
        totals
    }

    fn mean_characters(&self) -> f64 {
        self.characters as f64 / self.questions.max(1) as f64
    }

    fn print(&self, name: &str, build: &str) {
        let count = |count: usize| {
            format!("{count:>5} {:>3.0}%", 100.0 * count as f64 / self.questions.max(1) as f64)
        };
        println!(
            "{name:<28} {build:<14} {:>9} {:>10} {:>10} {:>10} {:>10.0}",
            self.questions,
            count(self.in_sight),
            count(self.named),
            count(self.first),
            self.mean_characters()
        );
    }
}

/// A row for each repository, language and build, then the totals.
fn print_table(builds: &[Build], outcomes: &[Outcome]) {
    println!(
        "{:<28} {:<14} {:>9} {:>10} {:>10} {:>10} {:>10}",
        "sight", "build", "questions", "in sight", "named", "first", "characters"
    );
    let mut groups: BTreeMap<(u8, &str), Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        let names = [outcome.repository.as_str(), outcome.language, "all"];
        for (order, name) in (0..).zip(names) {
            groups.entry((order, name)).or_default().push(outcome);
        }
    }
    for ((_, name), group) in groups {
        for (number, build) in builds.iter().enumerate() {
            let own = group.iter().filter(|outcome| outcome.build == number);
            Totals::of(own.copied()).print(name, &build.name);
        }
    }
}

/// The floors of the last build, that of the gain against the first.
fn print_floors(builds: &[Build], outcomes: &[Outcome]) {
    let totals = |number: usize| Totals::of(outcomes.iter().filter(|one| one.build == number));
    let last = totals(builds.len() - 1);
    println!();
    Floor::most("characters of an answer", last.mean_characters(), MAX_CHARACTERS).print();
    if builds.len() > 1 {
        let least = MIN_GAIN * totals(0).in_sight as f64;
        Floor::least("in sight, against the baseline", last.in_sight as f64, least).print();
    }
}
