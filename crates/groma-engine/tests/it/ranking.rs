//! Ranking goldens: the results of queries with known answers over a small corpus.
//!
//! Each query has a file in `ranking/`; `rank_stats.txt` summarises them and marks every miss. `UPDATE_EXPECT=1 cargo
//! test` refreshes both; read the diff before committing it. The floors below are not refreshed: a change that falls
//! below them is a regression, not a new golden.

use crate::show::exact;
use expect_test::expect_file;
use groma_embed::StaticEmbedder;
use groma_engine::{Cancel, Engine, Hit, Ranking, SearchAnswer, SearchRequest};
use groma_testkit::{Sandbox, Setup};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A query, and the file and the definition, heading or line that answers it. An empty text means the file itself.
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
    ("deploy/service.yaml", "deploy/service.yaml", ""),
    ("requests_per_minute", "deploy/service.yaml", "requests_per_minute"),
    ("shopping cart component", "ui/cart.jsx", "ShoppingCart"),
    ("which function hashes a password", "app/password.py", "def hash_password"),
    ("how does the token bucket refill", "limiter/bucket.rs", "fn refill"),
    ("what is in the retry module", "limiter/retry.rs", "with_retries"),
];

/// The least that these queries must reach.
const FLOORS: Summary = Summary { ndcg: 0.89, mrr: 0.86, misses: 1 };

/// The corpus in a folder of its own, away from the repository's ignore files.
pub fn corpus() -> Sandbox {
    let embedder = Some(Arc::new(StaticEmbedder::default()) as Arc<_>);
    corpus_with(Setup { embedder, ..Setup::default() })
}

fn corpus_with(setup: Setup) -> Sandbox {
    let sandbox = Sandbox::with(setup, "");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus");
    copy(&sandbox, &source, "");
    sandbox
}

fn copy(sandbox: &Sandbox, folder: &Path, below: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            copy(sandbox, &entry.path(), &format!("{name}/"));
        } else {
            sandbox.write(&name, fs::read(entry.path()).unwrap());
        }
    }
}

/// Results requested, and the depth of every figure.
const DEPTH: usize = 10;

/// An answer further down than this is a miss, unless its file is the first result.
const FOUND_WITHIN: usize = 3;

fn ask(engine: &Engine, query: &str) -> SearchAnswer {
    let request = SearchRequest { explain: true, limit: DEPTH, ..SearchRequest::new(query) };
    engine.search(&request, &(), &Cancel::default()).unwrap()
}

/// Ranks of the known answer, from 1; `None` beyond `DEPTH`.
#[derive(Clone, Copy)]
struct Ranks {
    /// Of the chunk with the expected text.
    chunk: Option<usize>,
    /// Of the best chunk of its file.
    file: Option<usize>,
}

impl Ranks {
    fn of(answer: &SearchAnswer, path: &str, text: &str) -> Self {
        let rank = |fits: &dyn Fn(&Hit) -> bool| answer.hits.iter().position(fits).map(|at| at + 1);
        let in_file = |hit: &Hit| hit.path.as_str() == path;
        Self {
            chunk: rank(&|hit| in_file(hit) && hit.content.contains(text)),
            file: rank(&in_file),
        }
    }

    /// Empty for a good answer, `file` where the right file is first but another of its chunks, else `MISS`.
    fn mark(self) -> &'static str {
        match self {
            Self { chunk: Some(1..=FOUND_WITHIN), .. } => "",
            Self { file: Some(1), .. } => "file",
            _ => "MISS",
        }
    }
}

/// What all queries come to.
#[derive(Debug)]
struct Summary {
    ndcg: f64,
    mrr: f64,
    misses: usize,
}

impl Summary {
    fn of(ranks: &[Ranks]) -> Self {
        let mean = |gain: fn(f64) -> f64| {
            let gains = ranks.iter().filter_map(|ranks| ranks.chunk).map(|rank| gain(rank as f64));
            gains.sum::<f64>() / ranks.len() as f64
        };
        Self {
            ndcg: mean(|rank| 1.0 / (rank + 1.0).log2()),
            mrr: mean(|rank| 1.0 / rank),
            misses: ranks.iter().filter(|ranks| ranks.mark() == "MISS").count(),
        }
    }

    fn reaches(&self, floors: &Summary) -> bool {
        self.ndcg >= floors.ndcg && self.mrr >= floors.mrr && self.misses <= floors.misses
    }
}

fn shown(rank: Option<usize>) -> String {
    rank.map_or("-".to_string(), |rank| rank.to_string())
}

/// The name of a query's golden file.
fn slug(query: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let slug: String = query.chars().map(word).collect();
    slug.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// The results with the signals that make up each score.
fn listing(query: &str, answer: &SearchAnswer, ranks: Ranks) -> String {
    let plan = &answer.plan;
    let kind = match plan.breadth {
        _ if plan.requested.contents => "contents",
        breadth if breadth.action => "action",
        breadth if breadth.is_topic() => "topic",
        _ => "place",
    };
    let mark = match ranks.mark() {
        "" => String::new(),
        mark => format!(", {mark}"),
    };
    let (query_kind, rank) = (plan.kind.as_str(), shown(ranks.chunk));
    let mut out = format!("{query}\n{query_kind}, {kind}; answer at {rank}{mark}\n");
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

fn stats(ranks: &[(&str, Ranks)]) -> String {
    let all: Vec<Ranks> = ranks.iter().map(|(_, ranks)| *ranks).collect();
    let share = |most: usize| {
        let within = all.iter().filter(|ranks| ranks.chunk.is_some_and(|rank| rank <= most));
        format!("{}/{}", within.count(), all.len())
    };
    let Summary { ndcg, mrr, misses } = Summary::of(&all);
    let (one, five, ten) = (share(1), share(5), share(DEPTH));
    let mut out = format!(
        "NDCG@10 {ndcg:.3}  MRR {mrr:.3}  recall@1 {one}  recall@5 {five}  recall@10 {ten}  misses {misses}\n\n\
         chunk  file  mark  query\n"
    );
    for (query, ranks) in ranks {
        let (chunk, file, mark) = (shown(ranks.chunk), shown(ranks.file), ranks.mark());
        let _ = writeln!(out, "{chunk:>5}  {file:>4}  {mark:<4}  {query}");
    }
    out
}

#[test]
fn known_answers_keep_their_ranks() {
    let sandbox = corpus();
    let mut ranks = Vec::new();
    for (query, path, text) in QUESTIONS {
        let answer = ask(sandbox.engine(), query);
        let found = Ranks::of(&answer, path, text);
        let file = format!("ranking/{}.txt", slug(query));
        expect_file![file].assert_eq(&listing(query, &answer, found));
        ranks.push((*query, found));
    }
    expect_file!["rank_stats.txt"].assert_eq(&stats(&ranks));
}

fn summary(sandbox: &Sandbox) -> Summary {
    let ranks = QUESTIONS
        .iter()
        .map(|(query, path, text)| Ranks::of(&ask(sandbox.engine(), query), path, text));
    Summary::of(&ranks.collect::<Vec<_>>())
}

#[test]
fn known_answers_reach_the_floors() {
    let reached = summary(&corpus());
    assert!(reached.reaches(&FLOORS), "{reached:?} is below {FLOORS:?}");
}

/// The floors are worth something only if a broken signal falls below them.
#[test]
fn a_broken_signal_falls_below_the_floors() {
    let good = Ranking::default();
    let broken = [
        ("vectors ignored", Ranking { vector_weight: 0.0, ..good }),
        ("vectors inverted", Ranking { vector_weight: -2.0, ..good }),
        ("keywords inverted", Ranking { keyword_weight: -1.0, ..good }),
        ("ranks without scores", Ranking { score_share: 0.0, ..good }),
        ("partial matches preferred", Ranking { coverage: -1.0, ..good }),
        ("definitions demoted", Ranking { exact_name: -0.5, ..good }),
        ("words in names dominant", Ranking { name_overlap: 5.0, ..good }),
        ("coherence dominant", Ranking { coherence: 20.0, ..good }),
        ("tests preferred", Ranking { tests: 3.0, ..good }),
        ("data preferred", Ranking { loose: 5.0, ..good }),
        ("one result a file", Ranking { saturation: 0.1, action_saturation: 0.1, ..good }),
    ];
    for (name, ranking) in broken {
        let embedder = Some(Arc::new(StaticEmbedder::default()) as Arc<_>);
        let reached = summary(&corpus_with(Setup { embedder, ranking, ..Setup::in_memory() }));
        assert!(!reached.reaches(&FLOORS), "{name}: {reached:?} reaches {FLOORS:?}");
    }
}

#[test]
fn every_golden_belongs_to_a_query() {
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
        assert_eq!(first, again, "{query}, repeated");
    }
}

#[test]
fn every_known_answer_is_in_the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/corpus");
    for (query, path, text) in QUESTIONS {
        assert!(fs::read_to_string(corpus.join(path)).unwrap().contains(text), "{query}");
    }
}
