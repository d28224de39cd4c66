//! `cargo xtask eval --ablate`: what each signal is worth, by switching it off.

use crate::eval::{EvalArgs, SETS, ask};
use crate::workspace::Programs;
use anyhow::Result;

/// A signal, and the settings under which it says nothing.
struct Signal {
    name: &'static str,
    off: &'static [&'static str],
}

const SIGNALS: [Signal; 17] = [
    Signal { name: "vectors", off: &["--mode", "keyword"] },
    Signal { name: "keywords and names", off: &["--mode", "vector"] },
    Signal { name: "scores (ranks alone)", off: &["--set", "score_share=0"] },
    Signal { name: "file's keywords", off: &["--set", "file_share=0"] },
    Signal { name: "coverage", off: &["--set", "coverage=0"] },
    Signal { name: "exact name", off: &["--set", "exact_name=0"] },
    Signal {
        name: "home of a name",
        off: &["--set", "other_spelling=1", "--set", "inner_name=1", "--set", "named_file=0"],
    },
    Signal { name: "name overlap", off: &["--set", "name_overlap=0"] },
    Signal { name: "file name", off: &["--set", "file_name=0"] },
    Signal { name: "coherence", off: &["--set", "coherence=0"] },
    Signal { name: "tests down", off: &["--set", "tests=1"] },
    Signal { name: "examples down", off: &["--set", "examples=1"] },
    Signal { name: "documents down", off: &["--set", "docs=1"] },
    Signal { name: "data and stubs down", off: &["--set", "data=1", "--set", "stubs=1"] },
    Signal { name: "opening lines down", off: &["--set", "loose=1"] },
    Signal { name: "headers down", off: &["--set", "headers=1"] },
    Signal { name: "saturation", off: &["--set", "saturation=1", "--set", "action_saturation=1"] },
];

/// Prints one table: the figures, and by how many points each falls without a signal.
pub fn run(programs: &Programs, args: &EvalArgs) -> Result<()> {
    let names: Vec<&str> = SETS.iter().map(|set| set.name).collect();
    println!("| without | {} | p50 / p95 ms |", names.join(" | "));
    println!("|---|{}--:|", "--:|".repeat(SETS.len()));
    let (whole, times) = figures(programs, args, &[])?;
    let shown: Vec<String> = whole.iter().map(|value| format!("{value:.3}")).collect();
    println!("| nothing | {} | {times} |", shown.join(" | "));
    for signal in &SIGNALS {
        let (values, times) = figures(programs, args, signal.off)?;
        let change = values.iter().zip(&whole).map(|(value, whole)| (value - whole) * 100.0);
        let shown: Vec<String> = change.map(|points| format!("{points:+.1}")).collect();
        println!("| {} | {} | {times} |", signal.name, shown.join(" | "));
    }
    Ok(())
}

/// The headline figure of each set, and the times of the first.
fn figures(programs: &Programs, args: &EvalArgs, options: &[&str]) -> Result<(Vec<f64>, String)> {
    let (mut values, mut times) = (Vec::new(), String::new());
    for set in &SETS {
        let figures = ask(programs, args, set, options)?;
        values.push(figures.get(set.figure).copied().unwrap_or(0.0));
        if times.is_empty() {
            let of = |name: &str| figures.get(name).copied().unwrap_or(0.0);
            times = format!("{:.1} / {:.1}", of("p50"), of("p95"));
        }
    }
    Ok((values, times))
}
