//! How well discoveries, sessions and places in code answer a question, by one measure.

use crate::module::Modules;
use crate::relevance::{Boost, Question, boosted};
use crate::request::Recalled;
use groma_core::{Discovery, Evidence, Origin, RelPath, SessionRecord, Snapshot, iso, words};
use groma_search::Hit;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::SystemTime;

/// How much of a code hit's relevance is decided by its place in the search's own order.
const ORDER_SHARE: f32 = 0.25;

/// How much the code counts beside what is said about it.
const CODE_SHARE: f32 = 0.85;

/// How much of a discovery's relevance its confidence decides.
const CONFIDENCE_SHARE: f32 = 0.3;

/// An answer with its score, and a key that orders those of equal score.
pub(super) struct Judged {
    pub score: f32,
    pub key: String,
    pub answer: Recalled,
}

/// What a session is worth beside what answers: that somebody asked the same before is no answer.
const SESSION_WORTH: f32 = 0.5;

/// What is the same for all answers of a question.
pub(super) struct Judge {
    pub question: Question,
    pub accesses: FxHashMap<RelPath, u64>,
    pub modules: Modules,
    /// The module the asking session reads most.
    pub working_on: Option<String>,
    pub now: SystemTime,
}

impl Judge {
    /// Judges a discovery or a session by its words, and by its vector where it has one.
    pub fn known(&self, answer: Recalled, text: &str, near: Option<f32>) -> Judged {
        let mut relevance = self.question.relevance(text, near);
        let (key, date, accesses) = match &answer {
            Recalled::Discovery(discovery) => {
                relevance *= 1.0 - CONFIDENCE_SHARE * (1.0 - discovery.confidence);
                relevance = (relevance * self.question.favour(discovery.kind)).min(1.0);
                let accesses = discovery.evidence.iter().filter_map(Evidence::file);
                let accesses = accesses.filter_map(|path| self.accesses.get(path)).sum();
                (discovery.id.clone(), known_date(discovery), accesses)
            }
            Recalled::Session(session) => {
                relevance *= SESSION_WORTH;
                (session.id.clone(), None, 0)
            }
            Recalled::Code { hit, .. } => (place(hit), None, 0),
        };
        let same_module = self.is_worked_on(answer.module());
        let factor = Boost { date, same_module, accesses }.factor(self.now);
        Judged { score: boosted(relevance, factor), key, answer }
    }

    /// Judges places in code by the same measure; their own order still counts.
    pub fn code(&self, hit: Hit, snapshot: Option<&dyn Snapshot>) -> Judged {
        let text = format!("{}\n{}\n{}", hit.path, hit.title, hit.content);
        let relevance = substance(&hit.content) * self.question.relevance(&text, hit.vector_score);
        let relevance = CODE_SHARE * relevance * (1.0 - ORDER_SHARE * (1.0 - hit.score));
        let module = self.modules.of(&hit.path).map(str::to_string);
        let boost = Boost {
            date: None,
            same_module: self.is_worked_on(module.as_deref()),
            accesses: self.accesses.get(&hit.path).copied().unwrap_or(0),
        };
        let score = boosted(relevance, boost.factor(self.now));
        let modified = modified(&hit.path, snapshot);
        Judged {
            score,
            key: place(&hit),
            answer: Recalled::Code { hit: Box::new(hit), modified, module },
        }
    }

    fn is_worked_on(&self, module: Option<&str>) -> bool {
        self.working_on.is_some() && self.working_on.as_deref() == module
    }
}

/// Whether a text says anything by itself: a place with hardly a word is found by its path alone.
fn substance(text: &str) -> f32 {
    const ENOUGH: usize = 6;
    let mut count = 0;
    words(text, |_| count += 1);
    (count as f32 / ENOUGH as f32).min(1.0).sqrt()
}

/// When a discovery was made, where its date is its own: that of a file is the date of its checkout.
fn known_date(discovery: &Discovery) -> Option<SystemTime> {
    let own = !matches!(discovery.origin(), Origin::Comment | Origin::Document);
    own.then_some(discovery.date)
}

fn modified(path: &RelPath, snapshot: Option<&dyn Snapshot>) -> SystemTime {
    let entry = snapshot.and_then(|snapshot| snapshot.manifest().files.get(path));
    entry.map_or(SystemTime::UNIX_EPOCH, |entry| super::derive::changed(&entry.stamp))
}

fn place(hit: &Hit) -> String {
    format!("{}:{:08}", hit.path, hit.lines.start)
}

/// The text by which an answer is judged: with the module it is about and the file it comes from.
pub(super) fn text_of(one: &Recalled) -> String {
    match one {
        Recalled::Discovery(discovery) => {
            let place = discovery.evidence.first().map_or("", |evidence| &*evidence.place);
            let module = discovery.module.as_deref().unwrap_or_default();
            format!("{place}\n{module} {} {}", discovery.kind, discovery.content)
        }
        Recalled::Session(session) => session_text(session),
        Recalled::Code { hit, .. } => hit.content.clone(),
    }
}

/// A session in words.
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

/// The module most of the files that a session read belong to.
pub(super) fn busiest_module(session: &SessionRecord, modules: &Modules) -> Option<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (path, count) in &session.files {
        if let Some(module) = modules.of(path) {
            *counts.entry(module).or_default() += count;
        }
    }
    let busiest = counts.into_iter().max_by_key(|(module, count)| (*count, Reverse(*module)));
    busiest.map(|(module, _)| module.to_string())
}
