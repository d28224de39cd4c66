//! `cargo xtask eval`: how good the answers are, over the open benchmarks.

use crate::ablate;
use crate::bench::Floor;
use crate::process::measure;
use crate::workspace::Programs;
use anyhow::{Context, Result};
use clap::Args;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

/// The sets, as laid out below the folder, the figure that counts, and what it must reach by keywords alone and
/// in all.
pub const SETS: [Set; 4] = [
    Set {
        name: "semble, whole checkouts",
        folder: "semble",
        subfolders: false,
        figure: "chunk",
        floors: [0.77, 0.84],
    },
    Set {
        name: "semble, sub-folders",
        folder: "semble",
        subfolders: true,
        figure: "chunk",
        floors: [0.80, 0.88],
    },
    Set { name: "csn", folder: "csn", subfolders: false, figure: "span", floors: [0.45, 0.55] },
    Set { name: "cosqa", folder: "cosqa", subfolders: false, figure: "file", floors: [0.37, 0.48] },
];

/// One set of questions.
pub struct Set {
    pub name: &'static str,
    folder: &'static str,
    subfolders: bool,
    pub figure: &'static str,
    /// By keywords, and in all.
    floors: [f64; 2],
}

/// Measure the answers over the open benchmarks
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Folder with semble, csn and cosqa, each of them queries.jsonl and repos/
    #[arg(long, value_name = "DIR")]
    bench: PathBuf,
    /// Switch each signal off in turn and print what that costs
    #[arg(long)]
    ablate: bool,
}

/// What a peer publishes of the tokens read up to the first answer, on the repositories of the first set.
const PEER: [(&str, f64); 6] =
    [("mean", 566.0), ("500", 0.685), ("1k", 0.849), ("2k", 0.938), ("4k", 0.976), ("8k", 0.991)];

/// Runs the sets in both modes and prints one table, or the table of signals.
pub fn run(args: &EvalArgs) -> Result<()> {
    let programs = Programs::build()?;
    if args.ablate {
        return ablate::run(&programs, args);
    }
    let (mut floors, mut reading) = (Vec::new(), Vec::new());
    println!(
        "{:<24} {:<8}  {:>7} {:>7} {:>7}  {:>7} {:>7}",
        "NDCG@10", "mode", "chunk", "file", "span", "p50 ms", "p95 ms"
    );
    for set in &SETS {
        for (mode, least) in ["keyword", "hybrid"].into_iter().zip(set.floors) {
            let figures = ask(&programs, args, set, &["--mode", mode])?;
            let show = |name: &str| {
                figures.get(name).map_or("-".to_string(), |value| format!("{value:.3}"))
            };
            let (chunk, file, span) = (show("chunk"), show("file"), show("span"));
            let (p50, p95) = (show("p50"), show("p95"));
            println!(
                "{:<24} {mode:<8}  {chunk:>7} {file:>7} {span:>7}  {p50:>7} {p95:>7}",
                set.name
            );
            let value = figures.get(set.figure).copied().unwrap_or(0.0);
            let name = format!("{}, {mode}, {}", set.name, set.figure);
            floors.push(Floor::least(&name, value, least));
            if mode == "hybrid" {
                reading.push((set.name, figures));
            }
        }
    }
    print_reading(&reading);
    println!();
    floors.iter().for_each(Floor::print);
    Ok(())
}

/// Tokens read up to the first answer, and the share of questions answered within each budget.
fn print_reading(sets: &[(&str, HashMap<String, f64>)]) {
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

/// The figures that `groma eval` prints: of a row of measures its NDCG by the row's name, of the others each by
/// its own.
pub fn ask(
    programs: &Programs,
    args: &EvalArgs,
    set: &Set,
    options: &[&str],
) -> Result<HashMap<String, f64>> {
    let folder = args.bench.join(set.folder);
    let mut command = Command::new(&programs.groma);
    command
        .args(["eval", "--quiet"])
        .args(options)
        .arg(folder.join("queries.jsonl"))
        .arg("--repos")
        .arg(folder.join("repos"))
        .env("GROMA_HOME", programs.scratch.join("eval"));
    if set.subfolders {
        command.arg("--subfolders");
    }
    let (_, output) = measure(&mut command)?;
    let figures: HashMap<String, f64> = output.lines().flat_map(figures).collect();
    figures.contains_key("file").then_some(figures).context("groma eval printed no figures")
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
