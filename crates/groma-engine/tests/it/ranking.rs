//! Ranking, frozen in text: what a small corpus answers to questions with known answers.
//!
//! `UPDATE_EXPECT=1 cargo test` refreshes `ranking.txt`; the difference is to be read before it is kept.

use expect_test::expect_file;
use groma_embed::StaticEmbedder;
use groma_engine::{Cancel, Engine, SearchAnswer, SearchRequest};
use groma_testkit::{Sandbox, Setup};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A question, and the definition, heading or line that answers it.
const QUESTIONS: &[(&str, &str, &str)] = &[
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
];

/// The corpus in a folder of its own, so that nothing around it counts.
fn corpus() -> Sandbox {
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

fn ask(engine: &Engine, query: &str) -> SearchAnswer {
    engine.search(&SearchRequest::new(query), &(), &Cancel::default()).unwrap()
}

/// The place of the answer in the list, from 1.
fn rank(answer: &SearchAnswer, path: &str, text: &str) -> Option<usize> {
    let fits = |hit: &groma_engine::Hit| hit.path.as_str() == path && hit.content.contains(text);
    answer.hits.iter().position(fits).map(|place| place + 1)
}

fn stats(ranks: &[Option<usize>]) -> String {
    let share = |most: usize| {
        let found = ranks.iter().flatten().filter(|rank| **rank <= most).count();
        format!("{found}/{}", ranks.len())
    };
    let reciprocal: f32 = ranks.iter().flatten().map(|rank| 1.0 / *rank as f32).sum();
    let mean = reciprocal / ranks.len() as f32;
    format!("recall@1 {}  recall@5 {}  MRR {mean:.3}\n", share(1), share(5))
}

#[test]
fn known_answers_keep_their_ranks() {
    let sandbox = corpus();
    let (mut listing, mut ranks) = (String::new(), Vec::new());
    for (query, path, text) in QUESTIONS {
        let answer = ask(sandbox.engine(), query);
        let found = rank(&answer, path, text);
        let shown = found.map_or("-".to_string(), |rank| rank.to_string());
        let _ =
            writeln!(listing, "\n{query}  [{}, answer at {shown}]", answer.plan.intent.as_str());
        for hit in answer.hits.iter().take(5) {
            let _ = writeln!(
                listing,
                "  {:.3} {}:{}-{}",
                hit.score, hit.path, hit.lines.start, hit.lines.end
            );
        }
        ranks.push(found);
    }
    expect_file!["ranking.txt"].assert_eq(&(stats(&ranks) + &listing));
}

#[test]
fn every_known_answer_is_in_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus");
    for (query, path, text) in QUESTIONS {
        assert!(fs::read_to_string(corpus.join(path)).unwrap().contains(text), "{query}");
    }
}
