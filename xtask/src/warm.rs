//! Questions asked of an open index, within one process. `bench` runs this in the release build.

use crate::grep;
use crate::process::thread_time;
use anyhow::{Context, Result, ensure};
use clap::Args;
use groma_core::{ChunkFilter, ChunkId, Embedder, Pipeline, RefName, Store, TextRole};
use groma_embed::StaticEmbedder;
use groma_engine::{
    Cancel, Engine, LocateRequest, PIPELINE_VERSION, Parts, Ranking, Relation, SearchRequest,
    WalkOptions,
};
use groma_store::EmbeddedStore;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many questions are asked of each kind.
const QUESTIONS: usize = 200;

/// Ask an index questions made from its own names and comments, and print how long the answers took
#[derive(Debug, Args)]
pub struct WarmArgs {
    /// The tree that was indexed
    tree: PathBuf,
    /// The folder that holds its index
    index: PathBuf,
}

/// Prints percentiles in milliseconds, as JSON.
pub fn run(args: &WarmArgs) -> Result<()> {
    let embedder = StaticEmbedder::default();
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: Some(embedder.identity()) };
    let store = EmbeddedStore::open(&args.index, pipeline)?;
    let questions = questions(&store)?;
    let nearest = nearest(&store, &embedder, &questions)?;
    let parts = Parts {
        root: args.tree.clone(),
        store: Arc::new(store),
        notebook: None,
        embedder: Some(Arc::new(embedder)),
        walk: WalkOptions::default(),
        ranking: Ranking::default(),
    };
    // As a server has it: the tree is watched.
    let engine = Engine::shared(parts, None);
    // Each pass asks for another number of hits, so that no answer of the pass before is remembered.
    let (first, _) =
        time(&questions, |question| engine.search_indexed(&request(question, 9)).map(drop))?;
    let (p50, p95) = warm(&engine, &questions)?;
    let stages = stages(&engine, &questions)?;
    let (fresh_p50, fresh_p95) = time(&questions, |question| {
        engine.search(&request(question, 11), &(), &Cancel::default()).map(drop)
    })?;
    let answer = json!({
        "questions": questions.len(), "first_p50": first, "p50": p50, "p95": p95,
        "fresh_p50": fresh_p50, "fresh_p95": fresh_p95, "names": names(&engine, &questions)?,
        "nearest": nearest, "stages": stages,
        "grep": grep::compare(&engine, &questions)?,
    });
    println!("{answer}");
    Ok(())
}

/// The middle one of three passes: something else may have been going on during one of them.
fn warm(engine: &Engine, questions: &[String]) -> Result<(f64, f64)> {
    let pass = |limit: usize| {
        time(questions, |question| engine.search_indexed(&request(question, limit)).map(drop))
    };
    let mut passes = [10, 13, 14].into_iter().map(pass).collect::<Result<Vec<_>, _>>()?;
    passes.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(passes[1])
}

/// What each stage of a query takes, by name, in milliseconds: medians. Keywords and vectors are looked up at once.
fn stages(engine: &Engine, questions: &[String]) -> Result<Value> {
    let mut taken: Vec<(&str, Vec<Duration>)> = Vec::new();
    for question in questions {
        let answer = engine.search_indexed(&request(question, 12))?;
        for stage in answer.stages {
            match taken.iter_mut().find(|(name, _)| *name == stage.name) {
                Some((_, times)) => times.push(stage.duration),
                None => taken.push((stage.name, vec![stage.duration])),
            }
        }
    }
    let medians = taken.into_iter().map(|(name, times)| (name.into(), json!(percentiles(times).0)));
    Ok(Value::Object(medians.collect()))
}

/// What the search among vectors takes of one core by itself, and how many of the ten nearest it finds.
fn nearest(store: &EmbeddedStore, embedder: &dyn Embedder, questions: &[String]) -> Result<Value> {
    let snapshot = store.snapshot(&RefName::live())?.context("the tree is not indexed")?;
    let (filter, depth) = (ChunkFilter::default(), Ranking::default().depth);
    let chunks = snapshot.chunk_count();
    let texts: Vec<&str> = questions.iter().map(String::as_str).collect();
    let vectors = embedder.embed(TextRole::Query, &texts)?;
    let (mut times, mut found, mut wanted) = (Vec::new(), 0, 0);
    for vector in &vectors {
        let started = thread_time();
        let hits = snapshot.nearest(vector, &filter, depth)?;
        times.push(thread_time() - started);
        // To ask for all of them has every one compared exactly.
        let exact = snapshot.nearest(vector, &filter, chunks)?;
        let of_exact: Vec<ChunkId> = exact.iter().take(10).map(|hit| hit.chunk).collect();
        wanted += of_exact.len();
        found += hits.iter().take(10).filter(|hit| of_exact.contains(&hit.chunk)).count();
    }
    let (p50, p95) = percentiles(times);
    let recall = found as f64 / wanted.max(1) as f64;
    Ok(json!({ "chunks": chunks, "p50": p50, "p95": p95, "recall": recall }))
}

/// Times of symbol queries: definitions, references, callers, callees and implementors.
fn names(engine: &Engine, questions: &[String]) -> Result<Value> {
    let names: Vec<String> = questions.iter().filter(|name| !name.contains(' ')).cloned().collect();
    let misspelled: Vec<String> = names.iter().map(|name| format!("q{name}")).collect();
    let ask = |names: &[String], relation: Relation| -> Result<Value> {
        let locate = |name: &str| {
            let request = LocateRequest { relation, ..LocateRequest::new(name) };
            engine.locate_indexed(&request).map(drop)
        };
        time(names, locate)?;
        let (p50, p95) = time(names, locate)?;
        Ok(json!({ "p50": p50, "p95": p95 }))
    };
    let mut answer = json!({ "similar": ask(&misspelled, Relation::Definitions)? });
    for relation in Relation::ALL {
        answer[relation.as_str()] = ask(&names, relation)?;
    }
    Ok(answer)
}

fn request(question: &str, limit: usize) -> SearchRequest {
    let mut request = SearchRequest::new(question.to_string());
    request.limit = limit;
    request
}

/// Names of definitions and first sentences of their comments, half and half, from all over the tree.
fn questions(store: &EmbeddedStore) -> Result<Vec<String>> {
    let snapshot = store.snapshot(&RefName::live())?.context("the tree is not indexed")?;
    let (mut names, mut sentences) = (Vec::new(), Vec::new());
    for path in snapshot.manifest().files.keys() {
        let Some(facts) = snapshot.file_facts(path)? else { continue };
        names.extend(
            facts.symbols.iter().map(|symbol| symbol.name.clone()).find(|name| name.len() > 4),
        );
        let sentence =
            |doc: &str| doc.lines().next().unwrap_or("").chars().take(120).collect::<String>();
        sentences.extend(
            facts
                .symbols
                .iter()
                .map(|symbol| sentence(&symbol.doc))
                .find(|s| s.split(' ').count() > 4),
        );
    }
    let mut questions = Vec::new();
    for mut all in [names, sentences] {
        all.sort();
        all.dedup();
        let step = (all.len() / (QUESTIONS / 2)).max(1);
        questions.extend(all.into_iter().step_by(step).take(QUESTIONS / 2));
    }
    ensure!(!questions.is_empty(), "the tree has neither names nor comments");
    Ok(questions)
}

/// Median and 95th percentile, in milliseconds.
fn time<E>(questions: &[String], ask: impl Fn(&str) -> Result<(), E>) -> Result<(f64, f64), E> {
    let mut times: Vec<Duration> = Vec::with_capacity(questions.len());
    for question in questions {
        let started = Instant::now();
        ask(question)?;
        times.push(started.elapsed());
    }
    Ok(percentiles(times))
}

fn percentiles(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    (at(0.5), at(0.95))
}
