//! `cargo xtask eval --ablate`: what each signal is worth, by switching it off.

use super::{EvalArgs, Figures, Set, ask};
use crate::workspace::Programs;
use anyhow::Result;

/// A signal, and the settings under which it says nothing.
struct Signal {
    name: &'static str,
    off: &'static str,
}

const SIGNALS: [Signal; 20] = [
    Signal { name: "vectors", off: "mode=keyword" },
    Signal { name: "keywords and names", off: "mode=vector" },
    Signal { name: "scores (ranks alone)", off: "score_share=0" },
    Signal { name: "file's keywords", off: "file_share=0" },
    Signal { name: "coverage", off: "coverage=0" },
    Signal { name: "exact name", off: "exact_name=0" },
    Signal { name: "home of a name", off: "other_spelling=1 inner_name=1 named_file=0" },
    Signal { name: "name overlap", off: "name_overlap=0" },
    Signal { name: "file name", off: "file_name=0" },
    Signal { name: "file named by a topic", off: "topic_file=0" },
    Signal { name: "coherence", off: "coherence=0" },
    Signal { name: "tests down", off: "tests=1" },
    Signal { name: "examples down", off: "examples=1" },
    Signal { name: "documents down", off: "docs=1" },
    Signal { name: "data and opening lines down", off: "loose=1" },
    Signal { name: "no function, for actions", off: "not_callable=1" },
    Signal { name: "contrast of vectors, for actions", off: "action_contrast=0" },
    Signal { name: "copies down", off: "copies=1" },
    Signal { name: "headers down", off: "headers=1" },
    Signal { name: "saturation", off: "saturation=1 action_saturation=1 detailed_saturation=1" },
];

/// Prints one table: the figures, and by how many points each falls without a signal. Each set is indexed once and
/// asked under all settings in turn.
pub fn run(programs: &Programs, args: &EvalArgs) -> Result<()> {
    let sets = args.sets();
    let variants: Vec<String> =
        SIGNALS.iter().map(|signal| format!("{}: {}", signal.name, signal.off)).collect();
    let options: Vec<&str> =
        variants.iter().flat_map(|variant| ["--variant", variant.as_str()]).collect();
    let mut answers = Vec::new();
    for set in &sets {
        answers.push(ask(programs, set, &options)?);
    }
    let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
    println!("| without | {} | p50 / p95 ms |", names.join(" | "));
    println!("|---|{}--:|", "--:|".repeat(sets.len()));
    let rows = ["nothing"].into_iter().chain(SIGNALS.iter().map(|signal| signal.name));
    for (row, name) in rows.enumerate() {
        let shown: Vec<String> =
            sets.iter().zip(&answers).map(|(set, blocks)| cell(set, blocks, row)).collect();
        println!("| {name} | {} | {} |", shown.join(" | "), times(&answers[0][row]));
    }
    Ok(())
}

/// The figure of a set, in the first row; below it, by how many points it changes.
fn cell(set: &Set, blocks: &[Figures], row: usize) -> String {
    let figure = set.figure(&blocks[row]);
    match row {
        0 => format!("{figure:.3}"),
        _ => format!("{:+.1}", (figure - set.figure(&blocks[0])) * 100.0),
    }
}

fn times(figures: &Figures) -> String {
    let of = |name: &str| figures.get(name).copied().unwrap_or(0.0);
    format!("{:.1} / {:.1}", of("p50"), of("p95"))
}
