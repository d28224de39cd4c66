//! `cargo xtask eval`: how good the answers are, over the open benchmarks.

mod ablate;
mod literal;
mod sight;

use crate::bench::Floor;
use crate::process::measure;
use crate::workspace::Programs;
use anyhow::{Context, Result};
use clap::Args;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

/// The open sets, as laid out below the folder: what is indexed, the figure that counts, and what it must reach by
/// keywords alone and in all.
const OPEN: [(&str, &str, bool, &str, [f64; 2]); 4] = [
    ("semble, whole checkouts", "semble", false, "chunk", [0.78, 0.855]),
    ("semble, sub-folders", "semble", true, "chunk", [0.80, 0.885]),
    ("csn", "csn", false, "span", [0.45, 0.55]),
    ("cosqa", "cosqa", false, "file", [0.37, 0.51]),
];

/// One set of questions.
pub struct Set {
    pub name: String,
    folder: PathBuf,
    subfolders: bool,
    /// The figure that counts; of a set without one, spans do where its answers have them, else files.
    figure: Option<&'static str>,
    /// By keywords, and in all; a set made for checking has none.
    floors: [Option<f64>; 2],
}

impl Set {
    /// The figure that counts.
    pub fn figure(&self, figures: &Figures) -> f64 {
        let by_answers = if figures.contains_key("span") { "span" } else { "file" };
        let name = self.figure.unwrap_or(by_answers);
        figures.get(name).copied().unwrap_or(0.0)
    }
}

/// What `groma eval` prints: of a row of measures its NDCG by the row's name, of the others each by its own.
pub type Figures = HashMap<String, f64>;

/// Measure the answers over the open benchmarks
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Folder with semble, csn and cosqa, each of them queries.jsonl and repos/
    #[arg(long, value_name = "DIR", required_unless_present_any = ["sight", "literal"], conflicts_with = "sight")]
    bench: Option<PathBuf>,
    /// Another set of questions: a folder with queries.jsonl and repos/
    #[arg(long, value_name = "DIR")]
    also: Vec<PathBuf>,
    /// Switch each signal off in turn and print what that costs
    #[arg(long)]
    ablate: bool,
    #[command(flatten)]
    sight: sight::SightArgs,
    #[command(flatten)]
    literal: literal::LiteralArgs,
}

impl EvalArgs {
    /// The open sets, then the others.
    pub fn sets(&self) -> Vec<Set> {
        let open = self.bench.iter().flat_map(|bench| {
            OPEN.map(|(name, folder, subfolders, figure, floors)| Set {
                name: name.into(),
                folder: bench.join(folder),
                subfolders,
                figure: Some(figure),
                floors: floors.map(Some),
            })
        });
        let others = self.also.iter().map(|folder| Set {
            name: folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned(),
            folder: folder.clone(),
            subfolders: false,
            figure: None,
            floors: [None; 2],
        });
        open.chain(others).collect()
    }
}

/// What a peer publishes of the tokens read up to the first answer, on the repositories of the first set.
const PEER: [(&str, f64); 6] =
    [("mean", 566.0), ("500", 0.685), ("1k", 0.849), ("2k", 0.938), ("4k", 0.976), ("8k", 0.991)];

/// Runs the sets in both modes and prints one table, or the table of signals.
pub fn run(args: &EvalArgs) -> Result<()> {
    if args.sight.sight {
        return sight::run(&args.sight);
    }
    if !args.literal.literal.is_empty() {
        return literal::run(&args.literal);
    }
    let programs = Programs::build()?;
    if args.ablate {
        return ablate::run(&programs, args);
    }
    let (mut floors, mut reading) = (Vec::new(), Vec::new());
    println!(
        "{:<24} {:<8}  {:>7} {:>7} {:>7}  {:>7} {:>7}",
        "NDCG@10", "mode", "chunk", "file", "span", "p50 ms", "p95 ms"
    );
    for set in args.sets() {
        for (mode, least) in ["keyword", "hybrid"].into_iter().zip(set.floors) {
            let mut blocks = ask(&programs, &set, &["--mode", mode])?;
            let figures = blocks.swap_remove(0);
            let show = |name: &str| {
                figures.get(name).map_or("-".to_string(), |value| format!("{value:.3}"))
            };
            let (chunk, file, span) = (show("chunk"), show("file"), show("span"));
            let (p50, p95) = (show("p50"), show("p95"));
            println!(
                "{:<24} {mode:<8}  {chunk:>7} {file:>7} {span:>7}  {p50:>7} {p95:>7}",
                set.name
            );
            let name = format!("{}, {mode}", set.name);
            floors.extend(least.map(|least| Floor::least(&name, set.figure(&figures), least)));
            if mode == "hybrid" {
                reading.push((set.name.clone(), figures));
            }
        }
    }
    print_reading(&reading);
    println!();
    floors.iter().for_each(Floor::print);
    Ok(())
}

/// Tokens read up to the first answer, and the share of questions answered within each budget.
fn print_reading(sets: &[(String, Figures)]) {
    let budgets: String = PEER.iter().map(|(name, _)| format!(" {name:>7}")).collect();
    println!("\n{:<24}{budgets}", "tokens to the answer");
    let row = |name: &str, of: &dyn Fn(&str) -> f64| {
        let shown = PEER.iter().map(|(column, _)| match *column {
            "mean" => format!(" {:>7.0}", of(column)),
            _ => format!(" {:>7.3}", of(column)),
        });
        println!("{name:<24}{}", shown.collect::<String>());
    };
    for (name, figures) in sets {
        row(name, &|column| figures.get(column).copied().unwrap_or(0.0));
    }
    row("published peer", &|column| {
        PEER.iter().find(|(name, _)| *name == column).map_or(0.0, |p| p.1)
    });
}

/// The figures that `groma eval` prints, one block for each of the settings it is given.
pub fn ask(programs: &Programs, set: &Set, options: &[&str]) -> Result<Vec<Figures>> {
    let mut command = Command::new(&programs.groma);
    command
        .args(["eval", "--quiet"])
        .args(options)
        .arg(set.folder.join("queries.jsonl"))
        .arg("--repos")
        .arg(set.folder.join("repos"))
        .env("GROMA_HOME", programs.scratch.join("eval"));
    if set.subfolders {
        command.arg("--subfolders");
    }
    let (_, output) = measure(&mut command)?;
    let blocks: Vec<Figures> =
        output.split("\n# ").map(|block| block.lines().flat_map(figures).collect()).collect();
    let whole = blocks.iter().all(|figures: &Figures| figures.contains_key("file"));
    whole.then_some(blocks).context("groma eval printed no figures")
}

fn figures(line: &str) -> Vec<(String, f64)> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((row, rest)) = words.split_first() else { return Vec::new() };
    let pairs = rest.windows(2).filter_map(|pair| Some((pair[0], pair[1].parse().ok()?)));
    match *row {
        "time" | "tokens" => pairs.map(|(name, value)| (name.to_string(), value)).collect(),
        _ => pairs
            .filter(|(name, _)| *name == "NDCG@10")
            .map(|(_, value)| (row.to_string(), value))
            .collect(),
    }
}
