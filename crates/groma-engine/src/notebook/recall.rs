//! Answering a question from everything a project knows: discoveries, sessions and code, in one list.

use super::judge::{Judge, Judged, busiest_module, text_of};
use super::module::Modules;
use super::overlap::{merge, without_superseded};
use super::relevance::{LEAST, Question};
use crate::engine::{Effort, Engine};
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer};
use crate::query::plan::plan;
use crate::query::request::{Hit, SearchMode, SearchRequest};
use groma_core::{Discovery, DiscoveryKind, Evidence, SessionRecord, Snapshot};
use std::time::{Duration, Instant, SystemTime};

/// Places in code that are considered.
const CODE_DEPTH: usize = 40;

/// Places in code that are considered where most may be of another module.
const FILTERED_DEPTH: usize = 200;

/// Sessions that are considered, the newest.
const SESSIONS: usize = 200;

/// Most results.
const MOST: usize = 100;

/// What kind of answer is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seek {
    /// Any.
    #[default]
    All,
    /// Discoveries, of one kind or of any.
    Discoveries(Option<DiscoveryKind>),
    /// Sessions.
    Sessions,
    /// Places in code.
    Code,
}

impl Seek {
    fn wants_discoveries(self) -> bool {
        matches!(self, Self::All | Self::Discoveries(_))
    }

    fn admits(self, kind: DiscoveryKind) -> bool {
        match self {
            Self::Discoveries(Some(wanted)) => wanted == kind,
            other => other.wants_discoveries(),
        }
    }
}

/// A question to what a project knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallRequest {
    /// The question.
    pub query: String,
    /// What kind of answer is wanted.
    pub seek: Seek,
    /// Only what is about this module, whatever its case.
    pub module: Option<String>,
    /// Most results.
    pub limit: usize,
    /// The connection that asks: its own session is no answer, and the module it works in comes first.
    pub connection: Option<String>,
}

impl RecallRequest {
    /// A question with the defaults.
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), seek: Seek::All, module: None, limit: 5, connection: None }
    }
}

/// What was recalled.
#[derive(Clone, Debug)]
pub enum Recalled {
    /// A discovery.
    Discovery(Discovery),
    /// A session.
    Session(SessionRecord),
    /// A place in code.
    Code {
        /// The place.
        hit: Box<Hit>,
        /// When its file was changed.
        modified: SystemTime,
        /// The part of the project it belongs to.
        module: Option<String>,
    },
}

impl Recalled {
    /// The part of the project it is about.
    pub fn module(&self) -> Option<&str> {
        match self {
            Self::Discovery(discovery) => discovery.module.as_deref(),
            Self::Session(_) => None,
            Self::Code { module, .. } => module.as_deref(),
        }
    }
}

/// The answer to a question.
#[derive(Clone, Debug, Default)]
pub struct RecallAnswer {
    /// What was recalled with how well it answers, 0..1, best first.
    pub results: Vec<(f32, Recalled)>,
    /// How many answers there were in all.
    pub found: usize,
    /// Whether nothing is known at all: no file, no discovery, no session.
    pub knows_nothing: bool,
    /// Why there were no vectors, where there should have been.
    pub embed_failure: Option<String>,
    /// How long it took.
    pub duration: Duration,
    /// What the reader should know.
    pub notes: Vec<String>,
}

impl Engine {
    /// Answers a question from everything the project knows now.
    pub fn recall(
        &self,
        request: &RecallRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<RecallAnswer, EngineError> {
        let started = Instant::now();
        self.check_recall(request)?;
        let mut answer = RecallAnswer::default();
        let hits = self.code_hits(request, observer, cancel, &mut answer)?;
        let snapshot = self.readable()?;
        let known = self.known(request, snapshot.as_deref(), &mut answer.notes)?;
        answer.knows_nothing = known.is_empty()
            && snapshot.as_ref().is_none_or(|snapshot| snapshot.manifest().files.is_empty());
        let judge = self.judge(request, snapshot.as_deref(), &mut answer)?;
        let mut results = self.judged(&judge, known, &mut answer);
        results.extend(hits.into_iter().map(|hit| judge.code(hit, snapshot.as_deref())));
        results.retain(|one| one.score >= LEAST);
        results.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        let mut results = without_repetition(results);
        answer.found = results.len();
        results.truncate(request.limit);
        answer.results = results;
        answer.duration = started.elapsed();
        Ok(answer)
    }

    fn check_recall(&self, request: &RecallRequest) -> Result<(), EngineError> {
        if request.limit == 0 || request.limit > MOST {
            return Err(EngineError::invalid("limit", format!("must be 1 to {MOST}")));
        }
        SearchRequest::new(request.query.clone()).check()
    }

    /// Places in code, the index brought up to date first.
    fn code_hits(
        &self,
        request: &RecallRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
        answer: &mut RecallAnswer,
    ) -> Result<Vec<Hit>, EngineError> {
        if !matches!(request.seek, Seek::All | Seek::Code) {
            answer.notes.extend(
                self.answering().freshen_if_possible(Effort::Words, observer, cancel)?.notes,
            );
            return Ok(Vec::new());
        }
        let mut search = SearchRequest::new(request.query.clone());
        search.limit = CODE_DEPTH;
        if let Some(module) = &request.module {
            // The folders a module is found in are those of files that belong to it.
            self.answering().freshen_if_possible(Effort::Words, observer, cancel)?;
            let Some(snapshot) = self.readable()? else { return Ok(Vec::new()) };
            search.filter.packages = folders_of(module, self.modules(), &*snapshot);
            search.limit = FILTERED_DEPTH;
            if search.filter.packages.is_empty() {
                return Ok(Vec::new());
            }
        }
        let mut found = self.search(&search, observer, cancel)?;
        answer.notes.append(&mut found.notes);
        let fits = |hit: &Hit| {
            request
                .module
                .as_deref()
                .is_none_or(|module| is_of(module, self.modules().of(&hit.path)))
        };
        found.hits.retain(fits);
        Ok(found.hits)
    }

    /// Discoveries and sessions that may answer.
    fn known(
        &self,
        request: &RecallRequest,
        snapshot: Option<&dyn Snapshot>,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Recalled>, EngineError> {
        let mut known = Vec::new();
        if request.seek.wants_discoveries() {
            let told = or_noted(self.told(), notes);
            let discoveries = self.with_derived(told, snapshot, notes)?;
            let fits = |one: &Discovery| {
                let module = request.module.as_deref();
                request.seek.admits(one.kind)
                    && module.is_none_or(|module| is_of(module, one.module.as_deref()))
            };
            known.extend(discoveries.into_iter().filter(fits).map(Recalled::Discovery));
        }
        if matches!(request.seek, Seek::All | Seek::Sessions) {
            let sessions = or_noted(self.sessions(SESSIONS), notes).into_iter().filter(|session| {
                let is_own = Some(&session.connection) == request.connection.as_ref();
                let module = request.module.as_deref();
                !is_own
                    && module.is_none_or(|module| {
                        session.files.keys().any(|path| is_of(module, self.modules().of(path)))
                    })
            });
            known.extend(sessions.map(Recalled::Session));
        }
        Ok(known)
    }

    /// Everything that was told and stated and still holds, near-duplicates merged; what was told comes first.
    pub fn discoveries(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Vec<Discovery>, EngineError> {
        self.answering().freshen_if_possible(Effort::Words, observer, cancel)?;
        let snapshot = self.readable()?;
        self.with_derived(self.told()?, snapshot.as_deref(), &mut Vec::new())
    }

    fn with_derived(
        &self,
        told: Vec<Discovery>,
        snapshot: Option<&dyn Snapshot>,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Discovery>, EngineError> {
        let derived = self.derived(snapshot, notes)?;
        if told.is_empty() {
            return Ok(derived.to_vec());
        }
        let (superseded, mut current): (Vec<_>, Vec<_>) =
            told.into_iter().partition(|one| one.superseded.is_some());
        let mut derived = derived.to_vec();
        if !superseded.is_empty() {
            derived = without_superseded(derived, &superseded, &current);
        }
        current.extend(derived);
        Ok(merge(current))
    }

    fn judge(
        &self,
        request: &RecallRequest,
        snapshot: Option<&dyn Snapshot>,
        answer: &mut RecallAnswer,
    ) -> Result<Judge, EngineError> {
        let search =
            SearchRequest { mode: SearchMode::Hybrid, ..SearchRequest::new(request.query.clone()) };
        let mut asked = self.answering().question(&search);
        let vector = asked.vector.take();
        if vector.is_none() {
            answer.embed_failure = asked.failure.or_else(|| asked.notes.pop());
        }
        let accesses = or_noted(self.accesses(), &mut answer.notes).into_iter();
        let accesses = accesses.map(|access| (access.path, access.count)).collect();
        let working_on = match &request.connection {
            Some(connection) => or_noted(self.last_session(connection), &mut answer.notes)
                .as_ref()
                .and_then(|session| busiest_module(session, self.modules())),
            None => None,
        };
        let question = Question::new(&plan(&request.query), vector, snapshot)?;
        let modules = self.modules().clone();
        Ok(Judge { question, accesses, modules, working_on, now: SystemTime::now() })
    }

    /// Judges discoveries and sessions by their words and vectors.
    fn judged(
        &self,
        judge: &Judge,
        known: Vec<Recalled>,
        answer: &mut RecallAnswer,
    ) -> Vec<Judged> {
        let texts: Vec<String> = known.iter().map(text_of).collect();
        let question = &judge.question;
        let nearness = question.vector.as_ref().map(|vector| {
            let promise = |text: &str| question.relevance(text, None);
            self.answering().nearness(vector, &texts, promise)
        });
        let nearness = nearness.unwrap_or(Ok(Vec::new())).unwrap_or_else(|failure| {
            answer.embed_failure = Some(failure);
            Vec::new()
        });
        let nearness = nearness.into_iter().chain(std::iter::repeat(None));
        let judged = known.into_iter().zip(texts).zip(nearness);
        judged.map(|((one, text), near)| judge.known(one, &text, near)).collect()
    }
}

/// What the notebook gave; where it failed, the rest of the answer is worth having all the same.
fn or_noted<T: Default>(given: Result<T, EngineError>, notes: &mut Vec<String>) -> T {
    given.unwrap_or_else(|error| {
        let note = format!("the notebook was left out: {error}");
        if !notes.contains(&note) {
            notes.push(note);
        }
        T::default()
    })
}

fn is_of(wanted: &str, module: Option<&str>) -> bool {
    module.is_some_and(|module| module.eq_ignore_ascii_case(wanted))
}

/// The folders in which the files of a module are.
fn folders_of(module: &str, modules: &Modules, snapshot: &dyn Snapshot) -> Vec<String> {
    let files = snapshot.manifest().files.keys();
    let of_module = files.filter(|path| is_of(module, modules.of(path)));
    let mut folders: Vec<String> = of_module.map(|path| path.folder().to_string()).collect();
    folders.sort();
    folders.dedup();
    // A folder stands for those in it.
    let mut outermost: Vec<String> = Vec::new();
    for folder in folders {
        let inside = |outer: &String| {
            folder.strip_prefix(&**outer).is_some_and(|rest| rest.starts_with('/'))
        };
        if !outermost.last().is_some_and(inside) {
            outermost.push(folder);
        }
    }
    outermost
}

/// How good a discovery must be, beside the code it stands in, to stand for it.
const AS_GOOD: f32 = 0.75;

/// Leaves out places in code that hardly show more than a discovery that stands there says already.
fn without_repetition(results: Vec<Judged>) -> Vec<(f32, Recalled)> {
    let mut said: Vec<(Evidence, f32)> = Vec::new();
    for one in &results {
        if let Recalled::Discovery(discovery) = &one.answer {
            said.extend(discovery.evidence.iter().map(|evidence| (evidence.clone(), one.score)));
        }
    }
    let repeats = |one: &Judged| match &one.answer {
        Recalled::Code { hit, .. } => said.iter().any(|(evidence, score)| {
            evidence.file() == Some(hit.path.as_str())
                && hit.lines.contains(evidence.line)
                && *score >= AS_GOOD * one.score
        }),
        _ => false,
    };
    let kept = results.into_iter().filter(|one| !repeats(one));
    kept.map(|one| (one.score, one.answer)).collect()
}
