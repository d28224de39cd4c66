//! Scores discoveries, sessions and code hits on one scale.

use crate::module::Modules;
use crate::relevance::{Boost, Question, boosted};
use crate::request::Recalled;
use groma_core::{
    Discovery, DiscoveryKind, Evidence, Origin, RelPath, SessionRecord, Snapshot, iso, words,
};
use groma_search::Hit;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::SystemTime;

/// The share of a code hit's relevance that its search score decides.
const SEARCH_SHARE: f32 = 0.25;

/// The weight of code relative to discoveries.
const CODE_WEIGHT: f32 = 0.85;

/// The same if the question asks why, which code seldom says.
const WHY_CODE_WEIGHT: f32 = 0.6;

/// The share of a discovery's relevance that its confidence decides.
const CONFIDENCE_SHARE: f32 = 0.3;

/// An answer with its score, and a key that breaks ties.
pub(super) struct ScoredAnswer {
    pub score: f32,
    pub key: String,
    pub answer: Recalled,
}

/// The weight of sessions: an earlier session with the same question does not answer it.
const SESSION_WEIGHT: f32 = 0.5;

/// Scores the answers of one question.
pub(super) struct Scorer {
    pub question: Question,
    pub accesses: FxHashMap<RelPath, u64>,
    pub modules: Modules,
    /// The module that the requesting session reads most.
    pub current_module: Option<String>,
    pub now: SystemTime,
}

impl Scorer {
    /// Scores a discovery or a session by its text and the cosine of its vector, if it has one.
    pub fn score_known(&self, answer: Recalled, text: &str, cosine: Option<f32>) -> ScoredAnswer {
        let mut relevance = self.question.relevance(text, cosine);
        let (key, date, accesses) = match &answer {
            Recalled::Discovery(discovery) => {
                relevance *= 1.0 - CONFIDENCE_SHARE * (1.0 - discovery.confidence);
                let age = age_factor(discovery, self.now);
                let is_reason =
                    self.question.asks_why() && discovery.kind == DiscoveryKind::Decision;
                relevance *= if is_reason { age.sqrt() } else { age };
                relevance = (relevance * self.question.kind_boost(discovery.kind)).min(1.0);
                let accesses = discovery.evidence.iter().filter_map(Evidence::file);
                let accesses = accesses.filter_map(|path| self.accesses.get(path)).sum();
                (discovery.id.clone(), known_date(discovery), accesses)
            }
            Recalled::Session(session) => {
                relevance *= SESSION_WEIGHT;
                (session.id.clone(), None, 0)
            }
            Recalled::Code { hit, .. } => (location(hit), None, 0),
        };
        let same_module = self.is_current_module(answer.module());
        let factor = Boost { date, same_module, accesses }.factor(self.now);
        ScoredAnswer { score: boosted(relevance, factor), key, answer }
    }

    /// Scores a code hit on the same scale.
    pub fn score_code(&self, hit: Hit, snapshot: Option<&dyn Snapshot>) -> ScoredAnswer {
        let text = format!("{}\n{}\n{}", hit.path, hit.title, hit.content);
        let relevance =
            length_factor(&hit.content) * self.question.relevance(&text, hit.vector_score);
        let weight = if self.question.asks_why() { WHY_CODE_WEIGHT } else { CODE_WEIGHT };
        let relevance = weight * relevance * (1.0 - SEARCH_SHARE * (1.0 - hit.score));
        let module = self.modules.of(&hit.path).map(str::to_string);
        let boost = Boost {
            date: None,
            same_module: self.is_current_module(module.as_deref()),
            accesses: self.accesses.get(&hit.path).copied().unwrap_or(0),
        };
        let score = boosted(relevance, boost.factor(self.now));
        let modified = modified(&hit.path, snapshot);
        ScoredAnswer {
            score,
            key: location(&hit),
            answer: Recalled::Code { hit: Box::new(hit), modified, module },
        }
    }

    fn is_current_module(&self, module: Option<&str>) -> bool {
        self.current_module.is_some() && self.current_module.as_deref() == module
    }
}

/// A penalty for texts of a few words, which match by their path alone.
fn length_factor(text: &str) -> f32 {
    const FULL_LENGTH: usize = 6;
    let mut count = 0;
    words(text, |_| count += 1);
    (count as f32 / FULL_LENGTH as f32).min(1.0).sqrt()
}

/// The date of a discovery; `None` for one in a file, whose date is that of the checkout.
fn known_date(discovery: &Discovery) -> Option<SystemTime> {
    let has_date = !matches!(discovery.origin(), Origin::Comment | Origin::Document);
    has_date.then_some(discovery.date)
}

/// The years during which a commit message counts fully, and after which it counts least.
const AGE_RANGE: (f32, f32) = (2.0, 10.0);

/// The least weight of an old commit message: what it says may have changed long ago.
const MIN_AGE_FACTOR: f32 = 0.6;

/// The weight of a discovery by its age. Files speak of today, and what was recorded holds until it is superseded.
fn age_factor(discovery: &Discovery, now: SystemTime) -> f32 {
    if discovery.origin() != Origin::Commit {
        return 1.0;
    }
    let age = now.duration_since(discovery.date).unwrap_or_default();
    let years = age.as_secs_f32() / (365.25 * 24.0 * 3600.0);
    let (from, to) = AGE_RANGE;
    1.0 - (1.0 - MIN_AGE_FACTOR) * ((years - from) / (to - from)).clamp(0.0, 1.0)
}

fn modified(path: &RelPath, snapshot: Option<&dyn Snapshot>) -> SystemTime {
    let entry = snapshot.and_then(|snapshot| snapshot.manifest().files.get(path));
    entry.map_or(SystemTime::UNIX_EPOCH, |entry| super::derive::changed(&entry.stamp))
}

fn location(hit: &Hit) -> String {
    format!("{}:{:08}", hit.path, hit.lines.start)
}

/// The text that an answer is scored by, with its module and its file.
pub(super) fn text_of(one: &Recalled) -> String {
    match one {
        Recalled::Discovery(discovery) => {
            let source = discovery.evidence.first().map_or("", |evidence| &*evidence.place);
            let module = discovery.module.as_deref().unwrap_or_default();
            format!("{source}\n{module} {} {}", discovery.kind, discovery.content)
        }
        Recalled::Session(session) => session_text(session),
        Recalled::Code { hit, .. } => hit.content.clone(),
    }
}

/// A one-line description of a session.
pub fn session_text(session: &SessionRecord) -> String {
    let files: Vec<&str> = session.files.keys().map(RelPath::as_str).collect();
    let mut text = format!("Session of {}", iso(session.started));
    if !session.topics.is_empty() {
        text.push_str(&format!(". Asked: {}", session.topics.join("; ")));
    }
    if !files.is_empty() {
        text.push_str(&format!(". Read: {}", files.join(", ")));
    }
    text
}

/// The module of most of the files that a session read.
pub(super) fn most_read_module(session: &SessionRecord, modules: &Modules) -> Option<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (path, count) in &session.files {
        if let Some(module) = modules.of(path) {
            *counts.entry(module).or_default() += count;
        }
    }
    let most_read = counts.into_iter().max_by_key(|(module, count)| (*count, Reverse(*module)));
    most_read.map(|(module, _)| module.to_string())
}
