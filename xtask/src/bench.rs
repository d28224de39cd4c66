//! `cargo xtask bench`: how fast it is, beside programs that do part of the work.
//!
//! Everything is measured in one run on one machine and judged by ratios, so that the figures mean the same on
//! any machine. The floors are those the project holds itself to.

use crate::branch::branches;
use crate::corpus::{Corpus, size_of};
use crate::peers::{self, Peer};
use crate::process::{Cost, measure};
use crate::servers::{self, SERVERS};
use crate::workspace::Programs;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How often a short run is repeated; the median counts.
const REPEATS: usize = 3;

/// How many files are changed before an incremental run.
const CHANGED: usize = 10;

/// Measure indexing and searching beside ctags, codesearch and semble
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// A project to measure with, besides the sources of our dependencies; may be given several times
    #[arg(long, value_name = "DIR")]
    corpus: Vec<PathBuf>,
    /// Measure semble too: installs it from PyPI into an environment below the target directory
    #[arg(long)]
    peers: bool,
    /// Leave out the sources of our dependencies
    #[arg(long, requires = "corpus")]
    only: bool,
}

/// Measures and prints.
pub fn run(args: &BenchArgs) -> Result<()> {
    let programs = Programs::build()?;
    for folder in &args.corpus {
        let corpus = Corpus::project(folder, &programs.scratch)?;
        measure_corpus(&programs, &corpus, args.peers)?;
    }
    if !args.only {
        let corpus = Corpus::dependencies(&programs.scratch)?;
        measure_corpus(&programs, &corpus, args.peers)?;
    }
    Ok(())
}

/// What was measured of one corpus.
struct Figures {
    cold: Cost,
    report: Value,
    index_bytes: u64,
    peers: Vec<Peer>,
    unchanged: Duration,
    changed: Duration,
    warm: Value,
    /// How long the last of many servers took to follow a change.
    followed: Duration,
    /// CPU seconds of parsing with the hand-written parsers and without, by language.
    parse: Value,
    /// What a branch that differs in a few files takes; `None` without git.
    branch: Option<Duration>,
}

fn measure_corpus(programs: &Programs, corpus: &Corpus, with_semble: bool) -> Result<()> {
    println!(
        "\n{}: {} files, {} lines, {:.1} MB",
        corpus.name,
        corpus.files.len(),
        corpus.lines,
        megabytes(corpus.bytes)
    );
    let mut found: Vec<Peer> =
        [peers::ctags(corpus)?, peers::cindex(corpus)?].into_iter().flatten().collect();
    if with_semble {
        found.extend(peers::semble(corpus, &programs.scratch)?);
    }
    let (cold, report) = index(programs, corpus, &[])?;
    let data = corpus.scratch.join("home");
    let index_bytes = size_of(&data)?;
    let folder = fs::read_dir(data.join("projects"))?.next().context("there is no index")??.path();
    let unchanged = repeat(|| Ok(index(programs, corpus, &[])?.0.wall))?;
    let changed = repeat(|| {
        corpus.change(CHANGED)?;
        Ok(index(programs, corpus, &[])?.0.wall)
    })?;
    let (_, warm) =
        measure(Command::new(&programs.xtask).arg("warm").arg(&corpus.tree).arg(folder))?;
    let warm = serde_json::from_str(&warm)?;
    let followed = median(servers::follow(programs, corpus, REPEATS)?);
    let branch = branch(programs, corpus)?;
    let mut parse = Command::new(&programs.xtask);
    parse.args(["parsers", "--time", "--sample", "20", "--sources"]).arg(&corpus.tree);
    let parse = serde_json::from_str(&measure(&mut parse)?.1)?;
    let figures = Figures {
        cold,
        report,
        index_bytes,
        peers: found,
        unchanged,
        changed,
        warm,
        followed,
        parse,
        branch,
    };
    figures.print(corpus);
    Ok(())
}

/// What it takes to index a branch that differs in a few files from what is checked out and indexed.
fn branch(programs: &Programs, corpus: &Corpus) -> Result<Option<Duration>> {
    let names = branches(corpus, REPEATS, CHANGED)?;
    // The tree is another now that it is a repository.
    index(programs, corpus, &[])?;
    let indexed = |name: &String| Ok(index(programs, corpus, &["--ref", name])?.0.wall);
    let times = names.iter().map(indexed).collect::<Result<Vec<_>>>()?;
    Ok((!times.is_empty()).then(|| median(times)))
}

/// `groma index`, with what it reports.
fn index(programs: &Programs, corpus: &Corpus, arguments: &[&str]) -> Result<(Cost, Value)> {
    let mut command = Command::new(&programs.groma);
    command
        .args(["index", "--json", "--quiet"])
        .args(arguments)
        .arg(&corpus.tree)
        .env("GROMA_HOME", corpus.scratch.join("home"));
    let (cost, output) = measure(&mut command)?;
    Ok((cost, serde_json::from_str(&output)?))
}

fn repeat(run: impl Fn() -> Result<Duration>) -> Result<Duration> {
    Ok(median((0..REPEATS).map(|_| run()).collect::<Result<Vec<_>>>()?))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

impl Figures {
    fn print(&self, corpus: &Corpus) {
        println!("  {:<14} {:>9} {:>9} {:>9}", "cold index", "CPU s", "wall s", "peak MB");
        print_cost("groma", &self.cold);
        self.peers.iter().for_each(|peer| print_cost(peer.name, &peer.cost));
        let count = |name: &str| self.report[name].as_u64().unwrap_or(0);
        println!(
            "  {} files, {} chunks, {} symbols; index {:.1} MB for {:.1} MB of source",
            count("files"),
            count("chunks"),
            count("symbols"),
            megabytes(self.index_bytes),
            megabytes(corpus.bytes)
        );
        let stages = self.report["stages"].as_object().into_iter().flatten();
        let stages: Vec<String> = stages
            .map(|(name, ms)| format!("{name} {:.2}", ms.as_f64().unwrap_or(0.0) / 1000.0))
            .collect();
        println!("  seconds by stage, all threads: {}", stages.join(", "));
        println!(
            "  query, ms: first time p50 {:.2}; warm p50 {:.2}, p95 {:.2}; with the check for changes p50 {:.2}, p95 {:.2}",
            self.query("first_p50"),
            self.query("p50"),
            self.query("p95"),
            self.query("fresh_p50"),
            self.query("fresh_p95")
        );
        let stages = self.warm["stages"].as_object().into_iter().flatten();
        let stages = stages.map(|(name, ms)| format!("{name} {:.2}", ms.as_f64().unwrap_or(0.0)));
        println!("  query by stage, ms, p50: {}", stages.collect::<Vec<_>>().join(", "));
        let names = self.warm["names"].as_object().into_iter().flatten();
        let each = names.map(|(name, took)| {
            let at = |share: &str| took[share].as_f64().unwrap_or(f64::INFINITY);
            format!("{name} {:.2}, {:.2}", at("p50"), at("p95"))
        });
        println!("  names, ms, p50 and p95: {}", each.collect::<Vec<_>>().join("; "));
        let nearest = &self.warm["nearest"];
        println!(
            "  vectors alone, ms: p50 {:.2}, p95 {:.2} among {} chunks",
            number(nearest, "p50"),
            number(nearest, "p95"),
            nearest["chunks"]
        );
        self.print_grep();
        self.floors(corpus).iter().for_each(Floor::print);
    }

    fn print_grep(&self) {
        println!("  {:<28} {:>9} {:>9} {:>9} {:>9}", "grep", "lines", "groma ms", "rg ms", "ratio");
        for row in self.grep() {
            let (ours, theirs) = (number(row, "groma_ms"), number(row, "ripgrep_ms"));
            println!(
                "  {:<28} {:>9} {ours:>9.2} {theirs:>9.2} {:>9.1}",
                row["pattern"].as_str().unwrap_or_default(),
                row["lines"],
                theirs / ours
            );
        }
    }

    fn grep(&self) -> impl Iterator<Item = &Value> {
        self.warm["grep"].as_array().into_iter().flatten()
    }

    /// How many times faster than ripgrep the worst of some patterns is.
    fn grep_ratio(&self, names: bool) -> Option<f64> {
        let rows = self.grep().filter(|row| !names || row["is_name"] == true);
        rows.map(|row| number(row, "ripgrep_ms") / number(row, "groma_ms")).reduce(f64::min)
    }

    fn query(&self, name: &str) -> f64 {
        self.warm[name].as_f64().unwrap_or(f64::INFINITY)
    }

    fn floors(&self, corpus: &Corpus) -> Vec<Floor> {
        let cold = self.cold.wall.as_secs_f64();
        let (unchanged, changed) = (self.unchanged.as_secs_f64(), self.changed.as_secs_f64());
        let peer =
            |name: &str| self.peers.iter().find(|peer| peer.name == name).map(|peer| peer.cost);
        let mut floors = Vec::new();
        if let (Some(ctags), Some(cindex)) = (peer("ctags -R"), peer("cindex")) {
            let ratio = self.cold.cpu.as_secs_f64() / (ctags.cpu + cindex.cpu).as_secs_f64();
            floors.push(Floor::most("cold CPU / (ctags + cindex)", ratio, 3.0));
        }
        if let Some(semble) = peer("semble") {
            let (time, cpu) = (semble.wall.as_secs_f64(), semble.cpu.as_secs_f64());
            floors.push(Floor::least("semble's time / ours", time / cold, 5.0));
            floors.push(Floor::least(
                "semble's CPU / ours",
                cpu / self.cold.cpu.as_secs_f64(),
                5.0,
            ));
        }
        floors.extend([
            Floor::most("nothing changed / cold", unchanged / cold, 0.05),
            Floor::most("10 changed files, s", changed, 0.02 * cold + 0.1),
            Floor::most(
                &format!("{SERVERS} servers follow a change, s"),
                self.followed.as_secs_f64(),
                1.0,
            ),
            Floor::most("warm query p50, ms", self.query("p50"), 5.0),
            Floor::most("warm query p95, ms", self.query("p95"), 20.0),
            Floor::most(
                "definitions of a name p95, ms",
                self.warm["names"]["definitions"]["p95"].as_f64().unwrap_or(f64::INFINITY),
                5.0,
            ),
            Floor::least(
                "vectors: recall@10 of exact",
                number(&self.warm["nearest"], "recall"),
                0.99,
            ),
            Floor::most("vectors p50, ms, one core", number(&self.warm["nearest"], "p50"), 5.0),
            Floor::most("index / source", self.index_bytes as f64 / corpus.bytes as f64, 1.0),
        ]);
        let branch = self.branch.map(|took| took.as_secs_f64() / cold);
        floors.extend(branch.map(|ratio| Floor::most("branch, 10 files / cold", ratio, 0.05)));
        for (language, times) in self.parse.as_object().into_iter().flatten() {
            let ratio = number(times, "grammar_s") / number(times, "fast_s");
            let name = format!("parse: grammar / fastparse, {language}");
            floors.push(Floor::least(&name, ratio, 3.0));
        }
        let grep =
            [("ripgrep's time / ours, worst", false, 1.0), ("the same, for names", true, 10.0)];
        for (name, names, least) in grep {
            floors.extend(self.grep_ratio(names).map(|ratio| Floor::least(name, ratio, least)));
        }
        floors
    }
}

/// A figure and what it must keep to.
pub struct Floor {
    name: String,
    value: f64,
    limit: f64,
    most: bool,
}

impl Floor {
    /// A figure that must not be larger.
    pub fn most(name: &str, value: f64, limit: f64) -> Self {
        Self { name: name.into(), value, limit, most: true }
    }

    /// A figure that must not be smaller.
    pub fn least(name: &str, value: f64, limit: f64) -> Self {
        Self { name: name.into(), value, limit, most: false }
    }

    /// One line: kept or missed, and by how much.
    pub fn print(&self) {
        let kept = if self.most { self.value <= self.limit } else { self.value >= self.limit };
        let (word, side) =
            (if kept { "ok" } else { "MISSED" }, if self.most { "at most" } else { "at least" });
        println!("  {word:<7} {:<30} {:>8.3}   {side} {:.3}", self.name, self.value, self.limit);
    }
}

/// A figure that is missing is no number, and keeps to nothing.
fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or(f64::NAN)
}

fn print_cost(name: &str, cost: &Cost) {
    let (cpu, wall) = (cost.cpu.as_secs_f64(), cost.wall.as_secs_f64());
    println!("  {name:<14} {cpu:>9.2} {wall:>9.2} {:>9.0}", megabytes(cost.peak_bytes));
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
