//! Retrieval over real code: known questions about the sources of our dependencies, with floors.
//!
//! Cargo has fetched the sources anyway, and Cargo.lock pins them. Answers are files, so that a patch release of a
//! dependency changes nothing here. `retrieval/questions.jsonl` has the questions; `cargo xtask eval` measures the same
//! on the open benchmarks, which are too large for every run.

use crate::sample::Sample;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// NDCG@10 and MRR over files.
#[derive(Clone, Copy, Debug)]
struct Figures {
    ndcg: f64,
    mrr: f64,
}

/// The least that each mode must reach.
const FLOORS: [(&str, Figures); 2] =
    [("keyword", Figures { ndcg: 0.84, mrr: 0.81 }), ("hybrid", Figures { ndcg: 0.86, mrr: 0.83 })];

/// Weights with which ranking is broken. Each must fall below the floors, or these would be worth nothing.
const BROKEN: [&str; 2] = ["keywords ignored: keyword_weight=0", "tests preferred: tests=3"];

const QUESTIONS: &str = include_str!("retrieval/questions.jsonl");

/// The answers of all questions, as paths that begin with a crate.
fn answers() -> Vec<String> {
    let questions = QUESTIONS.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let paths = |question: Value| {
        let relevant = question["relevant"].as_array().unwrap().clone();
        relevant.into_iter().map(|one| one["path"].as_str().unwrap().to_string())
    };
    questions.flat_map(paths).collect()
}

/// Where the sources of each package of the lock file are.
fn packages() -> Vec<(String, PathBuf)> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().map(|package| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        (package["name"].as_str().unwrap().to_string(), manifest.parent().unwrap().to_path_buf())
    });
    packages.collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The sources of every crate that has an answer, each in a folder of its name, as one project `dependencies`.
fn corpus(sample: &Sample) -> PathBuf {
    let repos = sample.root().join("../repos");
    let answers = answers();
    let names: BTreeSet<&str> =
        answers.iter().map(|path| path.split('/').next().unwrap()).collect();
    let packages = packages();
    for name in names {
        let package = packages.iter().find(|(own, _)| own == name);
        let (_, folder) = package.unwrap_or_else(|| panic!("{name} is no dependency any more"));
        copy(folder, &repos.join("dependencies").join(name));
    }
    for path in answers {
        assert!(repos.join("dependencies").join(&path).is_file(), "{path} is gone");
    }
    repos
}

impl Figures {
    /// What `groma eval` prints of files.
    fn of(printed: &str) -> Self {
        let row = printed.lines().find(|line| line.starts_with("file ")).expect("a row for files");
        let words: Vec<&str> = row.split_whitespace().collect();
        let figure = |name: &str| {
            let at = words.iter().position(|word| *word == name).expect("a figure");
            words[at + 1].parse().unwrap()
        };
        Self { ndcg: figure("NDCG@10"), mrr: figure("MRR") }
    }

    fn reach(&self, floors: &Figures) -> bool {
        self.ndcg >= floors.ndcg && self.mrr >= floors.mrr
    }
}

#[test]
fn questions_about_real_code_reach_the_floors() {
    let sample = Sample::bare();
    let repos = corpus(&sample);
    sample.write("questions.jsonl", QUESTIONS);
    let eval = |options: &[&str]| {
        let arguments = ["eval", "questions.jsonl", "--quiet", "--repos", repos.to_str().unwrap()];
        let ran = sample.run(&[&arguments[..], options].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.stdout
    };
    for (mode, floors) in FLOORS {
        let reached = Figures::of(&eval(&["--mode", mode]));
        assert!(reached.reach(&floors), "{mode}: {reached:?} is below {floors:?}");
    }
    let variants: Vec<&str> = BROKEN.iter().flat_map(|broken| ["--variant", broken]).collect();
    let printed = eval(&variants);
    let blocks: Vec<&str> = printed.split("\n# ").skip(1).collect();
    assert_eq!(blocks.len(), BROKEN.len(), "{printed}");
    for (name, block) in BROKEN.iter().zip(blocks) {
        let reached = Figures::of(block);
        assert!(!reached.reach(&FLOORS[1].1), "{name}: {reached:?} reaches the floors");
    }
}
