//! Ranking, frozen in text: what a small corpus answers to questions with known answers.
//!
//! Each question has its file in `ranking/`, and `rank_stats.txt` sums them up. `UPDATE_EXPECT=1 cargo test` refreshes
//! them; the difference is to be read before it is kept.

use crate::show::exact;
use expect_test::expect_file;
use groma_embed::StaticEmbedder;
use groma_engine::{Cancel, Engine, Hit, SearchAnswer, SearchRequest};
use groma_testkit::{Sandbox, Setup};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A question, and the definition, heading or line that answers it.
pub const QUESTIONS: &[(&str, &str, &str)] = &[
    ("where are requests rate limited", "limiter/bucket.rs", "try_acquire"),
    ("TokenBucket", "limiter/bucket.rs", "pub struct TokenBucket"),
    ("exponential backoff with jitter", "limiter/retry.rs", "pub fn backoff"),
    ("run again when it fails", "limiter/retry.rs", "pub fn with_retries"),
    ("user logs in", "web/session.ts", "create(userId"),
    ("find session by cookie", "web/session.ts", "find(cookie"),
    ("revokeAll", "web/session.ts", "revokeAll"),
    ("least recently used cache eviction", "web/cache.ts", "evictOldest"),
    ("how are passwords hashed", "app/password.py", "def hash_password"),
    ("constant time comparison", "app/password.py", "def verify_password"),
    ("send an email", "app/mailer.py", "def _send"),
    ("forgot password link", "app/mailer.py", "def send_reset_link"),
    ("cannot send mail through", "app/mailer.py", "cannot send mail through"),
    (
        "undo reservations when an item is out of stock",
        "internal/order/service.go",
        ") PlaceOrder(",
    ),
    ("NewOrderService", "internal/order/service.go", "func NewOrderService"),
    ("sum of the prices of an order", "internal/order/service.go", ") Total()"),
    (
        "save an order in a transaction",
        "internal/order/repository.go",
        ") Save(ctx context.Context, order Order) error {",
    ),
    ("order_items table", "db/schema.sql", "create table order_items"),
    ("parse a line of comma separated values", "lib/Csv.java", "parseLine"),
    ("\"unterminated quote\"", "lib/Csv.java", "unterminated quote"),
    ("lock free ring buffer", "lib/ring.c", "bool ring_push"),
    ("roll back a release", "docs/deploying.md", "## Rolling back"),
    ("deploy/service.yaml", "deploy/service.yaml", "service:"),
    ("requests_per_minute", "deploy/service.yaml", "requests_per_minute"),
    ("shopping cart component", "ui/cart.jsx", "ShoppingCart"),
    ("which function hashes a password", "app/password.py", "def hash_password"),
    ("how does the token bucket refill", "limiter/bucket.rs", "fn refill"),
    ("what is in the retry module", "limiter/retry.rs", "with_retries"),
];

/// The corpus in a folder of its own, so that nothing around it counts.
pub fn corpus() -> Sandbox {
    let embedder = Some(Arc::new(StaticEmbedder::default()) as Arc<_>);
    let sandbox = Sandbox::with(Setup { embedder, ..Setup::default() }, "");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus");
    copy(&sandbox, &source, "");
    sandbox
}

fn copy(sandbox: &Sandbox, folder: &Path, below: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => copy(sandbox, &entry.path(), &format!("{name}/")),
            false => sandbox.write(&name, fs::read(entry.path()).unwrap()),
        }
    }
}

/// The places of an answer that are looked at.
const DEPTH: usize = 10;

fn ask(engine: &Engine, query: &str) -> SearchAnswer {
    let request = SearchRequest { explain: true, limit: DEPTH, ..SearchRequest::new(query) };
    engine.search(&request, &(), &Cancel::default()).unwrap()
}

/// The place of the answer in the list, from 1.
fn rank(answer: &SearchAnswer, path: &str, text: &str) -> Option<usize> {
    let fits = |hit: &Hit| hit.path.as_str() == path && hit.content.contains(text);
    answer.hits.iter().position(fits).map(|place| place + 1)
}

fn shown(rank: Option<usize>) -> String {
    rank.map_or("-".to_string(), |rank| rank.to_string())
}

/// The name of a question's file.
fn slug(query: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = query.chars().map(word).collect();
    slug.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// An answer with every signal's part in its scores.
fn listing(query: &str, answer: &SearchAnswer, rank: Option<usize>) -> String {
    let plan = &answer.plan;
    let kind = match plan.breadth {
        _ if plan.requested.contents => "contents",
        breadth if breadth.action => "action",
        breadth if breadth.is_topic() => "topic",
        _ => "place",
    };
    let mut out = format!("{query}\n{}, {kind}; answer at {}\n", plan.intent.as_str(), shown(rank));
    for hit in &answer.hits {
        let symbol = hit.symbol.as_ref();
        let name =
            symbol.map_or(hit.title.clone(), |one| format!("{} {}", one.kind, one.qualified));
        let Hit { path, lines, score, .. } = hit;
        let _ =
            writeln!(out, "\n{score:.3} {path}:{}-{} {} {name}", lines.start, lines.end, hit.kind);
        // Factors that changed nothing are left out.
        for (name, factor) in hit.signals.iter().filter(|(_, factor)| (factor - 1.0).abs() > 1e-4) {
            let _ = writeln!(out, "    {name} {factor:.3}");
        }
    }
    out
}

fn stats(ranks: &[(&str, Option<usize>)]) -> String {
    let found: Vec<usize> = ranks.iter().filter_map(|(_, rank)| *rank).collect();
    let share = |most: usize| {
        format!("{}/{}", found.iter().filter(|rank| **rank <= most).count(), ranks.len())
    };
    let mean = |gain: fn(f64) -> f64| {
        found.iter().map(|rank| gain(*rank as f64)).sum::<f64>() / ranks.len() as f64
    };
    let mut out = format!(
        "NDCG@10 {:.3}  MRR {:.3}  recall@1 {}  recall@5 {}  recall@10 {}\n\n",
        mean(|rank| 1.0 / (rank + 1.0).log2()),
        mean(|rank| 1.0 / rank),
        share(1),
        share(5),
        share(DEPTH)
    );
    for (query, rank) in ranks {
        let _ = writeln!(out, "{:>2}  {query}", shown(*rank));
    }
    out
}

#[test]
fn known_answers_keep_their_ranks() {
    let sandbox = corpus();
    let mut ranks = Vec::new();
    for (query, path, text) in QUESTIONS {
        let answer = ask(sandbox.engine(), query);
        let found = rank(&answer, path, text);
        let file = format!("ranking/{}.txt", slug(query));
        expect_file![file].assert_eq(&listing(query, &answer, found));
        ranks.push((*query, found));
    }
    expect_file!["rank_stats.txt"].assert_eq(&stats(&ranks));
}

#[test]
fn every_file_belongs_to_a_question() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/ranking");
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    let mut expected: Vec<String> =
        QUESTIONS.iter().map(|(query, ..)| format!("{}.txt", slug(query))).collect();
    names.sort();
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn the_corpus_answers_alike_wherever_it_was_indexed() {
    let (one, other) = (corpus(), corpus());
    for (query, ..) in QUESTIONS {
        let answers = [&one, &other, &one].map(|sandbox| ask(sandbox.engine(), query));
        let [first, second, again] = answers.map(|answer| exact(&answer));
        assert_eq!(first, second, "{query}, in another folder");
        assert_eq!(first, again, "{query}, asked again");
    }
}

#[test]
fn every_known_answer_is_in_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus");
    for (query, path, text) in QUESTIONS {
        assert!(fs::read_to_string(corpus.join(path)).unwrap().contains(text), "{query}");
    }
}
