//! `cargo xtask eval`: how good the answers are, over the open benchmarks.

use crate::bench::Floor;
use crate::process::measure;
use crate::workspace::Programs;
use anyhow::{Context, Result};
use clap::Args;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;

/// The sets, as laid out below the folder, and what the keyword path must reach on one figure of each.
const SETS: [Set; 4] = [
    Set {
        name: "semble, whole checkouts",
        folder: "semble",
        subfolders: false,
        floor: Some(("file", 0.78)),
    },
    Set { name: "semble, sub-folders", folder: "semble", subfolders: true, floor: None },
    Set { name: "csn", folder: "csn", subfolders: false, floor: Some(("span", 0.45)) },
    Set { name: "cosqa", folder: "cosqa", subfolders: false, floor: Some(("file", 0.37)) },
];

struct Set {
    name: &'static str,
    folder: &'static str,
    subfolders: bool,
    floor: Option<(&'static str, f64)>,
}

/// Measure the answers over the open benchmarks
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// Folder with semble, csn and cosqa, each of them queries.jsonl and repos/
    #[arg(long, value_name = "DIR")]
    bench: PathBuf,
}

/// Runs the sets in both modes and prints one table.
pub fn run(args: &EvalArgs) -> Result<()> {
    let programs = Programs::build()?;
    let mut floors = Vec::new();
    println!(
        "{:<24} {:<8}  {:>7} {:>7} {:>7}  {:>7}",
        "NDCG@10", "mode", "chunk", "file", "span", "p50 ms"
    );
    for set in &SETS {
        for mode in ["keyword", "hybrid"] {
            let figures = ask(&programs, args, set, mode)?;
            let show = |name: &str| {
                figures.get(name).map_or("-".to_string(), |value| format!("{value:.3}"))
            };
            let (chunk, file, span, time) =
                (show("chunk"), show("file"), show("span"), show("time"));
            println!("{:<24} {mode:<8}  {chunk:>7} {file:>7} {span:>7}  {time:>7}", set.name);
            if let (Some((figure, least)), "keyword") = (set.floor, mode) {
                let value = figures.get(figure).copied().unwrap_or(0.0);
                floors.push(Floor::least(&format!("{}, {figure}", set.name), value, least));
            }
        }
    }
    println!("\nkeyword path alone:");
    floors.iter().for_each(Floor::print);
    Ok(())
}

/// The first figure of each row that `groma eval` prints, by the row's name.
fn ask(
    programs: &Programs,
    args: &EvalArgs,
    set: &Set,
    mode: &str,
) -> Result<HashMap<String, f64>> {
    let folder = args.bench.join(set.folder);
    let mut command = Command::new(&programs.groma);
    command
        .args(["eval", "--quiet", "--mode", mode])
        .arg(folder.join("queries.jsonl"))
        .arg("--repos")
        .arg(folder.join("repos"))
        .env("GROMA_HOME", programs.scratch.join("eval"));
    if set.subfolders {
        command.arg("--subfolders");
    }
    let (_, output) = measure(&mut command)?;
    let figure = |line: &str| {
        let mut words = line.split_whitespace();
        let row = words.next()?.to_string();
        words.find(|word| matches!(*word, "NDCG@10" | "p50"))?;
        Some((row, words.next()?.parse().ok()?))
    };
    let figures: HashMap<String, f64> = output.lines().filter_map(figure).collect();
    figures.contains_key("file").then_some(figures).context("groma eval printed no figures")
}
