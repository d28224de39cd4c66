//! Answering a question from everything a project knows: discoveries, sessions and code, in one list.

use crate::access::Accesses;
use crate::derive::Derivation;
use crate::error::Error;
use crate::judge::{Judge, Judged, busiest_module, text_of};
use crate::module::Modules;
use crate::nearness::NearnessCache;
use crate::overlap::{merge, without_superseded};
use crate::relevance::{LEAST, Question};
use crate::request::{RecallAnswer, RecallRequest, Recalled, Seek};
use crate::session::Sessions;
use groma_core::{Discovery, Embedder, Evidence, Notebook, Snapshot};
use groma_search::{Hit, Reader, SearchMode, SearchRequest, embed_query, plan};
use std::time::SystemTime;

/// Places in code that are considered.
const CODE_DEPTH: usize = 40;

/// Places in code that are considered where most may be of another module.
const FILTERED_DEPTH: usize = 200;

/// Sessions that are considered, the newest.
const SESSIONS: usize = 200;

/// Everything a question is answered from.
pub(crate) struct Sources<'a> {
    pub notebook: Option<&'a dyn Notebook>,
    pub modules: &'a Modules,
    pub accesses: &'a Accesses,
    pub derivation: &'a Derivation,
    pub nearness: &'a NearnessCache,
    pub sessions: &'a Sessions,
    pub reader: Option<&'a Reader>,
    pub embedder: Option<&'a dyn Embedder>,
}

/// The search whose hits may answer; `None` where no code can.
pub(crate) fn code_request(
    request: &RecallRequest,
    modules: &Modules,
    snapshot: Option<&dyn Snapshot>,
) -> Option<SearchRequest> {
    let mut search = SearchRequest::new(request.query.clone());
    search.limit = CODE_DEPTH;
    if let Some(module) = &request.module {
        // The folders a module is found in are those of files that belong to it.
        search.filter.packages = folders_of(module, modules, snapshot?);
        search.limit = FILTERED_DEPTH;
        if search.filter.packages.is_empty() {
            return None;
        }
    }
    Some(search)
}

/// Everything that was told and stated and still holds, near-duplicates merged; what was told comes first.
pub(crate) fn current_discoveries(told: Vec<Discovery>, derived: &[Discovery]) -> Vec<Discovery> {
    if told.is_empty() {
        return derived.to_vec();
    }
    let (superseded, mut current): (Vec<_>, Vec<_>) =
        told.into_iter().partition(|one| one.superseded.is_some());
    let mut derived = derived.to_vec();
    if !superseded.is_empty() {
        derived = without_superseded(derived, &superseded, &current);
    }
    current.extend(derived);
    merge(current)
}

impl Sources<'_> {
    /// Answers a question; `hits` are the places in code that may answer it.
    pub fn recall(&self, request: &RecallRequest, hits: Vec<Hit>) -> Result<RecallAnswer, Error> {
        let mut answer = RecallAnswer::default();
        let known = self.known(request, &mut answer.notes)?;
        let snapshot = self.reader.map(|reader| &*reader.snapshot);
        answer.knows_nothing =
            known.is_empty() && self.reader.is_none_or(|reader| reader.manifest().files.is_empty());
        let judge = self.judge(request, &mut answer)?;
        let mut results = self.judged(&judge, known, &mut answer);
        let of_module = hits.into_iter().filter(|hit| {
            let module = request.module.as_deref();
            module.is_none_or(|module| is_of(module, self.modules.of(&hit.path)))
        });
        results.extend(of_module.map(|hit| judge.code(hit, snapshot)));
        results.retain(|one| one.score >= LEAST);
        results.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        let mut results = without_repetition(results);
        answer.found = results.len();
        results.truncate(request.limit);
        answer.results = results;
        Ok(answer)
    }

    /// Discoveries and sessions that may answer.
    fn known(
        &self,
        request: &RecallRequest,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Recalled>, Error> {
        let mut known = Vec::new();
        if request.seek.wants_discoveries() {
            let told = self.notebook.map_or(Ok(Vec::new()), |notebook| notebook.discoveries());
            let told = or_noted(told, notes);
            let derived = self.derivation.discoveries(self.reader, notes)?;
            let fits = |one: &Discovery| {
                let module = request.module.as_deref();
                request.seek.admits(one.kind)
                    && module.is_none_or(|module| is_of(module, one.module.as_deref()))
            };
            let discoveries = current_discoveries(told, &derived).into_iter();
            known.extend(discoveries.filter(fits).map(Recalled::Discovery));
        }
        if matches!(request.seek, Seek::All | Seek::Sessions) {
            let sessions = or_noted(self.sessions.newest(SESSIONS), notes).into_iter();
            let sessions = sessions.filter(|session| {
                let is_own = Some(&session.connection) == request.connection.as_ref();
                let module = request.module.as_deref();
                !is_own
                    && module.is_none_or(|module| {
                        session.files.keys().any(|path| is_of(module, self.modules.of(path)))
                    })
            });
            known.extend(sessions.map(Recalled::Session));
        }
        Ok(known)
    }

    fn judge(&self, request: &RecallRequest, answer: &mut RecallAnswer) -> Result<Judge, Error> {
        let search =
            SearchRequest { mode: SearchMode::Hybrid, ..SearchRequest::new(request.query.clone()) };
        let mut query = embed_query(self.embedder, &search);
        let vector = query.vector.take();
        if vector.is_none() {
            answer.embed_failure = query.failure.or_else(|| query.notes.pop());
        }
        let accesses = or_noted(self.accesses.all(), &mut answer.notes).into_iter();
        let accesses = accesses.map(|access| (access.path, access.count)).collect();
        let working_on = match &request.connection {
            Some(connection) => or_noted(self.sessions.last(connection), &mut answer.notes)
                .as_ref()
                .and_then(|session| busiest_module(session, self.modules)),
            None => None,
        };
        let snapshot = self.reader.map(|reader| &*reader.snapshot);
        let question = Question::new(&plan(&request.query), vector, snapshot)?;
        let modules = self.modules.clone();
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
        let nearness = question.vector.as_ref().zip(self.embedder).map(|(vector, embedder)| {
            let promise = |text: &str| question.relevance(text, None);
            self.nearness.of(embedder, vector, &texts, promise)
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
fn or_noted<T: Default>(given: Result<T, groma_core::NotebookError>, notes: &mut Vec<String>) -> T {
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
