//! `groma eval`: retrieval quality over a file of queries with known answers.

mod reading;
mod variant;

use self::reading::{Block, Reading};
use self::variant::Variant;
use super::Call;
use crate::environment::Environment;
use crate::failure::Exit;
use crate::project::Project;
use anyhow::{Context, Result};
use clap::Args;
use groma_core::{Lines, RelPath};
use groma_engine::{
    Cancel, Engine, MORE_RESULTS, MoreFile, Ranking, SearchAnswer, SearchMode, SearchRequest,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const AFTER: &str = "\
With --json the ranked results are printed instead of the figures, one JSON object per line:
  id, results [{path, start_line, end_line}]

Examples:
  groma eval queries.jsonl --repos checkouts
  groma eval queries.jsonl --repos checkouts --mode keyword --json > ranked.jsonl";

/// Measure retrieval over a file of queries with known answers
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct EvalArgs {
    /// Queries, one JSON object per line: id, repo, query, relevant [{path, start_line?, end_line?, grade?}]
    pub queries: PathBuf,
    /// Folder that contains each query's repo as a sub-folder
    #[arg(long, value_name = "DIR")]
    pub repos: PathBuf,
    /// Which retrievers are used: hybrid, vector or keyword
    #[arg(long, default_value = "hybrid")]
    pub mode: SearchMode,
    /// Search only the sub-folder that each query names as its `root`
    #[arg(long)]
    pub subfolders: bool,
    /// Number of results to evaluate
    #[arg(long, default_value_t = 30)]
    pub limit: usize,
    /// Set a ranking parameter for an experiment, as NAME=VALUE
    #[arg(long = "set", value_name = "NAME=VALUE", hide = true)]
    pub set: Vec<String>,
    /// Repeat all queries with other parameters, as `title: NAME=VALUE ...`, where `mode` is a name too
    #[arg(long = "variant", value_name = "TITLE: NAME=VALUE ...", hide = true)]
    pub variants: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Question {
    id: String,
    repo: String,
    query: String,
    relevant: Vec<Target>,
    root: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Target {
    path: String,
    start_line: Option<u32>,
    end_line: Option<u32>,
    grade: Option<f64>,
}

impl Target {
    fn gain(&self) -> f64 {
        self.grade.unwrap_or(1.0)
    }

    fn span(&self) -> Option<(u32, u32)> {
        Some((self.start_line?, self.end_line?))
    }
}

#[derive(Clone, Debug, Serialize)]
struct Place {
    path: String,
    start_line: u32,
    end_line: u32,
}

#[derive(Debug, Serialize)]
struct Answered<'a> {
    id: &'a str,
    results: &'a [Place],
}

/// Runs the queries and prints the figures or the results.
pub fn run(args: &EvalArgs, call: &mut Call) -> Result<Exit> {
    let environment = call.environment.clone();
    let (json, out) = (call.global.json, &mut call.printer);
    let plain = Variant::plain(args.mode).with(&args.set)?;
    let mut variants = vec![plain.clone()];
    for text in &args.variants {
        variants.push(plain.parse(text)?);
    }
    let questions = questions(&args.queries)?;
    let mut engines = Engines::new(args, &environment);
    for variant in &variants {
        let mut figures = Figures::default();
        for question in &questions {
            let Asked { places, blocks, took } = engines.ask(variant, question)?;
            if json {
                let line = Answered { id: &question.id, results: &places };
                writeln!(out, "{}", serde_json::to_string(&line)?)?;
            } else {
                figures.add(&question.relevant, &places, took);
                figures.reading.add(&blocks);
            }
        }
        if !json {
            write!(out, "{}{}", variant.heading(), figures.report())?;
        }
    }
    Ok(Exit::Fine)
}

fn questions(file: &Path) -> Result<Vec<Question>> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .with_context(|| format!("{} is not a file of queries", file.display()))
}

/// The engines of the repositories, each opened for its first query.
struct Engines<'a> {
    args: &'a EvalArgs,
    environment: &'a Environment,
    open: BTreeMap<PathBuf, Engine>,
}

impl<'a> Engines<'a> {
    fn new(args: &'a EvalArgs, environment: &'a Environment) -> Self {
        Self { args, environment, open: BTreeMap::new() }
    }

    /// Requests what an assistant is shown: hits and further locations.
    fn ask(&mut self, variant: &Variant, question: &Question) -> Result<Asked> {
        let below = question.root.as_deref().filter(|_| self.args.subfolders).unwrap_or("");
        let folder = self.args.repos.join(&question.repo).join(below);
        if !self.open.contains_key(&folder) {
            self.open.insert(folder.clone(), open(&folder, self.environment)?);
        }
        let mut request = SearchRequest::new(question.query.clone());
        request.limit = request.limit.min(self.args.limit);
        request.more_results = MORE_RESULTS;
        request.mode = variant.mode;
        let started = Instant::now();
        let answer = self.open[&folder].search_indexed_by(&variant.ranking, &request)?;
        let took = started.elapsed();
        let seen = Seen { below, relevant: &question.relevant };
        let mut places = seen.places(&answer);
        places.truncate(self.args.limit);
        Ok(Asked { places, blocks: seen.blocks(&answer), took })
    }
}

/// The answer to a query.
struct Asked {
    /// The results, best first.
    places: Vec<Place>,
    /// The output, in reading order.
    blocks: Vec<Block>,
    took: Duration,
}

/// Compares an answer with the relevant targets.
struct Seen<'a> {
    /// The searched folder within the repository.
    below: &'a str,
    relevant: &'a [Target],
}

impl Seen<'_> {
    fn place(&self, path: &RelPath, lines: Lines) -> Place {
        let slash = if self.below.is_empty() { "" } else { "/" };
        let path = format!("{}{slash}{path}", self.below);
        Place { path, start_line: lines.start, end_line: lines.end }
    }

    /// Hits, then further locations by score.
    fn places(&self, answer: &SearchAnswer) -> Vec<Place> {
        let of = |file: &MoreFile| {
            let named = file.results.iter();
            named.map(|one| (one.score, self.place(&file.path, one.lines))).collect::<Vec<_>>()
        };
        let mut further: Vec<(f32, Place)> = answer.more_results.iter().flat_map(of).collect();
        further.sort_by(|a, b| b.0.total_cmp(&a.0));
        let hits = answer.hits.iter().map(|hit| self.place(&hit.path, hit.lines));
        hits.chain(further.into_iter().map(|(_, place)| place)).collect()
    }

    /// The hits and further results as blocks of output.
    fn blocks(&self, answer: &SearchAnswer) -> Vec<Block> {
        let answers = |path: &RelPath, lines: Lines| {
            let place = self.place(path, lines);
            self.relevant.iter().any(|one| one.path == place.path && matches(one, &place))
        };
        let hits = answer.in_reading_order().into_iter();
        let hits = hits.map(|hit| Block {
            bytes: reading::bytes(hit),
            answers: answers(&hit.path, hit.lines),
        });
        let further = answer.more_results.iter().map(|file| Block {
            bytes: reading::bytes_of_names(file),
            answers: file.results.iter().any(|one| answers(&file.path, one.lines)),
        });
        hits.chain(further).collect()
    }
}

fn open(folder: &Path, environment: &Environment) -> Result<Engine> {
    let engine = Project::find(folder, environment)?.engine(Ranking::default())?;
    engine.index(&(), &Cancel::default())?;
    Ok(engine)
}

/// The depth of the figures, as in NDCG@10.
const DEPTH: usize = 10;

/// Sums over the queries.
#[derive(Debug, Default)]
struct Figures {
    questions: usize,
    chunk_ndcg: f64,
    file: Measures,
    with_spans: usize,
    span: Measures,
    reading: Reading,
    times: Vec<Duration>,
}

#[derive(Debug, Default)]
struct Measures {
    ndcg: f64,
    mrr: f64,
    recall: f64,
}

impl Measures {
    fn add(&mut self, gains: &[f64], ideal: Vec<f64>) {
        self.ndcg += ndcg(gains, &ideal).min(1.0);
        self.mrr +=
            gains.iter().position(|gain| *gain > 0.0).map_or(0.0, |at| 1.0 / (at + 1) as f64);
        let found = gains.iter().filter(|gain| **gain > 0.0).count();
        self.recall += (found as f64 / ideal.len().clamp(1, DEPTH) as f64).min(1.0);
    }

    fn row(&self, name: &str, count: usize) -> String {
        let mean = |sum: f64| sum / count.max(1) as f64;
        format!(
            "{name:<6} {count:>5} questions  NDCG@10 {:.3}  MRR {:.3}  recall@10 {:.3}\n",
            mean(self.ndcg),
            mean(self.mrr),
            mean(self.recall)
        )
    }
}

fn dcg(gains: &[f64]) -> f64 {
    gains.iter().take(DEPTH).enumerate().map(|(at, gain)| gain / (at as f64 + 2.0).log2()).sum()
}

fn ndcg(gains: &[f64], ideal: &[f64]) -> f64 {
    let mut ideal = ideal.to_vec();
    ideal.sort_by(|a, b| b.total_cmp(a));
    let best = dcg(&ideal);
    if best > 0.0 { dcg(gains) / best } else { 0.0 }
}

impl Figures {
    fn add(&mut self, relevant: &[Target], places: &[Place], took: Duration) {
        self.questions += 1;
        self.times.push(took);
        self.chunk_ndcg += chunk_ndcg(relevant, places);
        self.add_files(relevant, places);
        if !relevant.is_empty() && relevant.iter().all(|target| target.span().is_some()) {
            self.add_spans(relevant, places);
        }
    }

    /// Results reduced to distinct files.
    fn add_files(&mut self, relevant: &[Target], places: &[Place]) {
        let mut gain: BTreeMap<&str, f64> = BTreeMap::new();
        for target in relevant {
            let best = gain.entry(&target.path).or_default();
            *best = best.max(target.gain());
        }
        let mut files: Vec<&str> = Vec::new();
        for place in places {
            if !files.contains(&place.path.as_str()) {
                files.push(&place.path);
            }
        }
        let gains: Vec<f64> =
            files.iter().take(DEPTH).map(|file| gain.get(file).copied().unwrap_or(0.0)).collect();
        self.file.add(&gains, gain.into_values().collect());
    }

    /// Each target counts once, at the first result that covers half of it or is half covered by it.
    fn add_spans(&mut self, relevant: &[Target], places: &[Place]) {
        let mut left: Vec<&Target> = relevant.iter().collect();
        let mut gains = Vec::new();
        for place in places.iter().take(DEPTH) {
            let mut gain = 0f64;
            left.retain(|target| {
                let hit = target.path == place.path && matches(target, place);
                gain = if hit { gain.max(target.gain()) } else { gain };
                !hit
            });
            gains.push(gain);
        }
        self.with_spans += 1;
        self.span.add(&gains, relevant.iter().map(Target::gain).collect());
    }

    fn report(mut self) -> String {
        self.times.sort_unstable();
        let at = |share: f64| {
            let place = ((self.times.len().max(1) - 1) as f64 * share) as usize;
            self.times.get(place).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
        };
        let mut report = format!(
            "chunk  {:>5} questions  NDCG@10 {:.3}\n",
            self.questions,
            self.chunk_ndcg / self.questions.max(1) as f64
        );
        report += &self.file.row("file", self.questions);
        if self.with_spans > 0 {
            report += &self.span.row("span", self.with_spans);
        }
        report += &self.reading.row();
        report += &format!("time   p50 {:.2} ms  p95 {:.2} ms\n", at(0.5), at(0.95));
        report
    }
}

/// NDCG of the raw list; a target is found by the first result in its file (and span).
fn chunk_ndcg(relevant: &[Target], places: &[Place]) -> f64 {
    let mut gains = vec![0.0; DEPTH];
    for target in relevant {
        let found = places.iter().take(DEPTH).position(|place| {
            place.path == target.path
                && target
                    .span()
                    .is_none_or(|(start, end)| place.start_line <= end && start <= place.end_line)
        });
        if let Some(at) = found {
            gains[at] = 1.0;
        }
    }
    ndcg(&gains, &vec![1.0; relevant.len()])
}

fn matches(target: &Target, place: &Place) -> bool {
    let Some((start, end)) = target.span() else { return true };
    let shared = i64::from(place.end_line.min(end)) - i64::from(place.start_line.max(start)) + 1;
    shared > 0
        && (shared * 2 >= i64::from(end - start + 1)
            || shared * 2 >= i64::from(place.end_line - place.start_line + 1))
}
