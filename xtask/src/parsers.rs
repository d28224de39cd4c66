//! `cargo xtask parsers`: the hand-written parsers beside the grammars whose trees they must produce.

use crate::process::thread_time;
use crate::workspace;
use anyhow::{Context, Result, ensure};
use clap::Args;
use groma_core::RelPath;
use groma_fastparse::differential::{Outcome, Pair};
use ignore::WalkBuilder;
use serde_json::json;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Generated files beyond this size say nothing new and take long.
const MAX_FILE_BYTES: u64 = 1_000_000;

/// A fast parser that declines more of the valid files than this is not worth having.
const MAX_FALLBACK: f64 = 0.05;

/// A language with a hand-written parser.
struct Language {
    name: &'static str,
    extension: &'static str,
    pair: fn() -> Pair,
}

const LANGUAGES: [Language; 2] = [
    Language { name: "go", extension: "go", pair: Pair::go },
    Language { name: "rust", extension: "rs", pair: Pair::rust },
];

/// Compare the hand-written parsers with the grammars, on every file of some folders
#[derive(Debug, Args)]
pub struct ParsersArgs {
    /// A folder with sources, instead of those of our dependencies; may be given several times
    #[arg(long, value_name = "DIR")]
    sources: Vec<PathBuf>,
    /// Compare a sample of so many megabytes for each language, the same in every run
    #[arg(long, value_name = "MB")]
    sample: Option<u64>,
    /// Print the CPU time of both, as JSON, instead of comparing trees
    #[arg(long, hide = true)]
    time: bool,
}

/// Compares and prints; fails if a tree differs.
pub fn run(args: &ParsersArgs) -> Result<()> {
    let folders = if args.sources.is_empty() {
        workspace::dependency_sources()?
    } else {
        args.sources.clone()
    };
    let mut mismatches = 0;
    let mut times = serde_json::Map::new();
    for Language { name, extension, pair } in LANGUAGES {
        let files = sample(source_files(&folders, extension), args.sample);
        if files.is_empty() {
            continue;
        }
        if args.time {
            times.insert(name.into(), time(&files, extension)?);
        } else {
            mismatches += compare(name, &pair(), &files)?;
        }
    }
    if args.time {
        println!("{}", json!(times));
    }
    ensure!(mismatches == 0, "{mismatches} files have another tree than the grammar gives");
    Ok(())
}

/// A file with its size.
type SourceFile = (PathBuf, u64);

/// The files below the folders with the extension. Ignore rules do not apply: what is compared is any source code.
fn source_files(folders: &[PathBuf], extension: &str) -> Vec<SourceFile> {
    let mut files = Vec::new();
    for folder in folders {
        for entry in WalkBuilder::new(folder).standard_filters(false).build().flatten() {
            let is_source = entry.path().extension().is_some_and(|one| one == extension);
            let size = entry.metadata().map_or(0, |metadata| metadata.len());
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if is_source && is_file && size <= MAX_FILE_BYTES {
                files.push((entry.into_path(), size));
            }
        }
    }
    files
}

/// The files in a pseudo-random order that is the same wherever the folders are, up to so many megabytes.
fn sample(mut files: Vec<SourceFile>, megabytes: Option<u64>) -> Vec<SourceFile> {
    files.sort_by_cached_key(|(path, size)| {
        let mut hasher = DefaultHasher::new();
        // The last four components: a crate's folder, `src` and two more.
        let tail: PathBuf = path.iter().rev().take(4).collect();
        (tail, size).hash(&mut hasher);
        (hasher.finish(), path.clone())
    });
    let Some(megabytes) = megabytes else { return files };
    let mut left = megabytes * 1_000_000;
    files.retain(|(_, size)| {
        let fits = *size <= left;
        left -= if fits { *size } else { 0 };
        fits
    });
    files
}

/// What came of the comparisons.
#[derive(Default)]
struct Counts {
    bytes: usize,
    equal: usize,
    fallback: usize,
    invalid: usize,
    mismatches: Vec<String>,
}

impl Counts {
    fn add(&mut self, path: &Path, bytes: usize, outcome: Outcome) {
        self.bytes += bytes;
        match outcome {
            Outcome::Equal => self.equal += 1,
            Outcome::Fallback => self.fallback += 1,
            Outcome::Invalid => self.invalid += 1,
            Outcome::AcceptsInvalid => self.mismatches.push(format!(
                "{}: the grammar finds a syntax error, the fast parser does not",
                path.display()
            )),
            Outcome::Different(difference) => {
                self.mismatches.push(format!("{}: {difference}", path.display()));
            }
        }
    }
}

/// Compares the files on all cores; the number of those whose trees differ.
fn compare(language: &str, pair: &Pair, files: &[SourceFile]) -> Result<usize> {
    let counts = Mutex::new(Counts::default());
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((path, _)) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            // What is not UTF-8 is replaced before it is parsed, and no test of a parser.
            let Ok(text) = fs::read_to_string(path) else { continue };
            let outcome = pair.compare(&text);
            counts.lock().expect("no worker panics").add(path, text.len(), outcome);
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
        (0..threads).for_each(|_| drop(scope.spawn(work)));
    });
    let mut counts = counts.into_inner().expect("no worker panics");
    counts.mismatches.sort();
    counts.mismatches.iter().for_each(|mismatch| println!("{mismatch}"));
    println!(
        "{language}: {:.1} MB; {} files equal, {} left to the grammar, {} invalid, {} differ",
        counts.bytes as f64 / 1e6,
        counts.equal,
        counts.fallback,
        counts.invalid,
        counts.mismatches.len()
    );
    let valid = counts.equal + counts.fallback;
    let share = counts.fallback as f64 / valid.max(1) as f64;
    ensure!(share <= MAX_FALLBACK, "{language}: {:.1} % left to the grammar", share * 100.0);
    Ok(counts.mismatches.len())
}

/// CPU seconds of parsing and extracting facts, with the fast parser and without, file by file in turn.
fn time(files: &[SourceFile], extension: &str) -> Result<serde_json::Value> {
    let path = RelPath::new(format!("file.{extension}")).context("a file name is a path")?;
    let (mut fast, mut grammar) = (Duration::ZERO, Duration::ZERO);
    for (file, _) in files {
        let Ok(text) = fs::read_to_string(file) else { continue };
        fast += timed(|| groma_syntax::parse(&path, &text));
        grammar += timed(|| groma_syntax::parse_by_grammar(&path, &text));
    }
    Ok(json!({ "fast_s": fast.as_secs_f64(), "grammar_s": grammar.as_secs_f64() }))
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = thread_time();
    std::hint::black_box(work());
    thread_time() - start
}
