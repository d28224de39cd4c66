//! `cargo xtask eval --literal`: paths, messages, keys and names as people paste them.
//!
//! Questions are made from a repository by rule, with a fixed seed, so that any repository can be measured and no
//! question is chosen by hand. Each is asked once of the native surface with default settings.

mod answers;
mod questions;
mod random;
mod repository;
mod strings;

use crate::mcp::Server;
use crate::workspace::{self, Programs};
use answers::{Answer, Verdict};
use anyhow::{Context, Result};
use clap::Args;
use questions::{Kind, Question, questions};
use repository::Repository;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub struct LiteralArgs {
    /// Make questions about paths, messages, keys and names of these checkouts, and ask them
    #[arg(long, value_name = "REPO", num_args = 1.., conflicts_with_all = ["bench", "sight", "ablate"])]
    pub literal: Vec<PathBuf>,
    /// Questions of each kind for each repository
    #[arg(long, value_name = "N", default_value_t = 20, requires = "literal")]
    each: usize,
    /// A build to measure instead of this workspace's
    #[arg(long, value_name = "BINARY", requires = "literal")]
    binary: Option<PathBuf>,
    /// Print the questions that were not answered
    #[arg(long, requires = "literal")]
    misses: bool,
}

/// What became of the questions of one kind.
#[derive(Default)]
struct Count {
    asked: usize,
    first: usize,
    top: usize,
    /// Answered with "nothing here is about this".
    nothing: usize,
    times: Vec<Duration>,
}

/// Asks the questions of every repository, and prints a table for each and one for all.
pub fn run(args: &LiteralArgs) -> Result<()> {
    let (program, scratch) = match &args.binary {
        Some(binary) => (binary.canonicalize()?, workspace::scratch()?),
        None => {
            let programs = Programs::build()?;
            (programs.groma, programs.scratch)
        }
    };
    let mut all: BTreeMap<Kind, Count> = BTreeMap::new();
    for folder in &args.literal {
        let repository = Repository::read(folder).with_context(|| folder.display().to_string())?;
        let asked = questions(&repository, args.each);
        let home = scratch.join("literal");
        let counts = ask(args, &program, &home, &repository, &asked)?;
        print_table(&repository.name, &counts);
        for (kind, count) in counts {
            all.entry(kind).or_default().add(count);
        }
    }
    print_table("all", &all);
    Ok(())
}

/// Asks the questions about one repository.
fn ask(
    args: &LiteralArgs,
    program: &Path,
    home: &Path,
    repository: &Repository,
    questions: &[Question],
) -> Result<BTreeMap<Kind, Count>> {
    std::fs::create_dir_all(home)?;
    let mut server = Server::start(program, &repository.folder, home)?;
    // The first call makes the index.
    server.call("search", &json!({ "query": "main", "format": "json" }))?;
    let mut counts: BTreeMap<Kind, Count> = BTreeMap::new();
    for question in questions {
        let started = Instant::now();
        let text = server.call("search", &json!({ "query": question.text, "format": "json" }))?;
        let time = started.elapsed();
        let answer = Answer::parse(&text).with_context(|| question.text.clone())?;
        let verdict = answer.judge(repository, question);
        if args.misses && !verdict.is_right(question.kind) {
            println!("{:<22} {:<28} {}", repository.name, question.kind.name(), question.text);
            println!("{:<51} got {}", "", answer.shown());
        }
        counts.entry(question.kind).or_default().count(&verdict, time);
    }
    Ok(counts)
}

impl Count {
    fn count(&mut self, verdict: &Verdict, time: Duration) {
        self.asked += 1;
        self.first += usize::from(verdict.first);
        self.top += usize::from(verdict.top);
        self.nothing += usize::from(verdict.nothing);
        self.times.push(time);
    }

    fn add(&mut self, other: Count) {
        self.asked += other.asked;
        self.first += other.first;
        self.top += other.top;
        self.nothing += other.nothing;
        self.times.extend(other.times);
    }

    /// The time that half of the questions, and that 95 % of them, did not exceed; in milliseconds.
    fn percentiles(&self) -> (f64, f64) {
        let mut times = self.times.clone();
        times.sort_unstable();
        let at = |share: usize| {
            times.get((times.len().max(1) - 1) * share / 100).map_or(0.0, Duration::as_secs_f64)
        };
        (1000.0 * at(50), 1000.0 * at(95))
    }
}

fn print_table(name: &str, counts: &BTreeMap<Kind, Count>) {
    println!(
        "\n{name:<30} {:>7} {:>7} {:>7} {:>8} {:>8} {:>8}",
        "asked", "first", "top 3", "nothing", "p50 ms", "p95 ms"
    );
    for (kind, count) in counts {
        let share =
            |part: usize| format!("{:.0}%", 100.0 * part as f64 / count.asked.max(1) as f64);
        let (p50, p95) = count.percentiles();
        println!(
            "{:<30} {:>7} {:>7} {:>7} {:>8} {p50:>8.1} {p95:>8.1}",
            kind.name(),
            count.asked,
            share(count.first),
            share(count.top),
            share(count.nothing),
        );
    }
    let good =
        || counts.iter().filter(|(kind, _)| **kind != Kind::Nonsense).map(|(_, count)| count);
    let (lost, asked) =
        (good().map(|c| c.nothing).sum::<usize>(), good().map(|c| c.asked).sum::<usize>());
    println!("{:<30} {lost} of {asked}", "answers lost to \"nothing\"");
}
