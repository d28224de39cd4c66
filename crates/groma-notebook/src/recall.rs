//! Recall: one ranked list of discoveries, sessions and code.

use crate::access::Accesses;
use crate::derive::Derivation;
use crate::error::Error;
use crate::module::Modules;
use crate::near_duplicate::{merge, without_superseded};
use crate::relevance::{MIN_RELEVANCE, Question};
use crate::request::{RecallAnswer, RecallRequest, Recalled, Seek};
use crate::score::{ScoredAnswer, Scorer, most_read_module, text_of};
use crate::session::Sessions;
use crate::similarity::SimilarityCache;
use groma_core::{Discovery, Embedder, Evidence, Notebook, Notes, Snapshot};
use groma_search::{Hit, Reader, SearchMode, SearchRequest, embed_query, plan};
use std::time::SystemTime;

/// Maximum number of code hits considered.
const CODE_DEPTH: usize = 40;

/// The same if hits are filtered by module afterwards.
const FILTERED_DEPTH: usize = 200;

/// Maximum number of sessions considered, newest first.
const MAX_SESSIONS: usize = 200;

/// Everything that a request is answered from.
pub(crate) struct Sources<'a> {
    pub notebook: Option<&'a dyn Notebook>,
    pub modules: &'a Modules,
    pub accesses: &'a Accesses,
    pub derivation: &'a Derivation,
    pub similarity: &'a SimilarityCache,
    pub sessions: &'a Sessions,
    pub reader: Option<&'a Reader>,
    pub embedder: Option<&'a dyn Embedder>,
}

/// The code search to run for a request; `None` if code cannot match it.
pub(crate) fn code_request(
    request: &RecallRequest,
    modules: &Modules,
    snapshot: Option<&dyn Snapshot>,
) -> Option<SearchRequest> {
    let mut search = SearchRequest::new(request.query.clone());
    search.limit = CODE_DEPTH;
    if let Some(module) = &request.module {
        // A module is searched in the folders of its files.
        search.filter.packages = folders_of(module, modules, snapshot?);
        search.limit = FILTERED_DEPTH;
        if search.filter.packages.is_empty() {
            return None;
        }
    }
    Some(search)
}

/// All discoveries that are not superseded, near-duplicates merged, recorded ones first.
pub(crate) fn current_discoveries(
    recorded: Vec<Discovery>,
    derived: &[Discovery],
) -> Vec<Discovery> {
    if recorded.is_empty() {
        return derived.to_vec();
    }
    let (superseded, mut current): (Vec<_>, Vec<_>) =
        recorded.into_iter().partition(|one| one.superseded.is_some());
    let mut derived = derived.to_vec();
    if !superseded.is_empty() {
        derived = without_superseded(derived, &superseded, &current);
    }
    current.extend(derived);
    merge(current)
}

impl Sources<'_> {
    /// Answers a request; `hits` are the results of its code search.
    pub fn recall(&self, request: &RecallRequest, hits: Vec<Hit>) -> Result<RecallAnswer, Error> {
        let mut answer = RecallAnswer::default();
        let known = self.known(request, &mut answer.notes)?;
        let snapshot = self.reader.map(|reader| &*reader.snapshot);
        answer.is_empty_project =
            known.is_empty() && self.reader.is_none_or(|reader| reader.manifest().files.is_empty());
        let scorer = self.scorer(request, &mut answer)?;
        let mut results = self.score_known(&scorer, known, &mut answer);
        let of_module = hits.into_iter().filter(|hit| {
            let module = request.module.as_deref();
            module.is_none_or(|module| is_module(module, self.modules.of(&hit.path)))
        });
        results.extend(of_module.map(|hit| scorer.score_code(hit, snapshot)));
        results.retain(|one| one.score >= MIN_RELEVANCE);
        results.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.key.cmp(&b.key)));
        let mut results = without_repeated_code(results);
        answer.found = results.len();
        results.truncate(request.limit);
        answer.results = results;
        Ok(answer)
    }

    /// The discoveries and sessions that match the request's filters.
    fn known(
        &self,
        request: &RecallRequest,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Recalled>, Error> {
        let mut known = Vec::new();
        if request.seek.wants_discoveries() {
            let recorded = self.notebook.map_or(Ok(Notes::default()), |notebook| notebook.notes());
            let Notes { discoveries: recorded, damaged, .. } = or_noted(recorded, notes);
            if !damaged.is_empty() {
                let count = damaged.len();
                notes.push(format!(
                    "{count} of the recorded notes left out, altered on the disk: `groma doctor` restores them"
                ));
            }
            let derived = self.derivation.discoveries(self.reader, notes)?;
            let fits = |one: &Discovery| {
                let module = request.module.as_deref();
                request.seek.admits(one.kind)
                    && module.is_none_or(|module| is_module(module, one.module.as_deref()))
            };
            let discoveries = current_discoveries(recorded, &derived).into_iter();
            known.extend(discoveries.filter(fits).map(Recalled::Discovery));
        }
        // A session holds questions, not answers: it is returned only if sessions are requested.
        if request.seek == Seek::Sessions {
            let sessions = or_noted(self.sessions.newest(MAX_SESSIONS), notes).into_iter();
            let sessions = sessions.filter(|session| {
                let is_own = Some(&session.connection) == request.connection.as_ref();
                let module = request.module.as_deref();
                !is_own
                    && module.is_none_or(|module| {
                        session.files.keys().any(|path| is_module(module, self.modules.of(path)))
                    })
            });
            known.extend(sessions.map(Recalled::Session));
        }
        Ok(known)
    }

    fn scorer(&self, request: &RecallRequest, answer: &mut RecallAnswer) -> Result<Scorer, Error> {
        let search =
            SearchRequest { mode: SearchMode::Hybrid, ..SearchRequest::new(request.query.clone()) };
        let mut query = embed_query(self.embedder, &search, None);
        let vector = query.vector.take();
        if vector.is_none() {
            answer.embed_failure = query.failure.or_else(|| query.notes.pop());
        }
        let accesses = or_noted(self.accesses.all(), &mut answer.notes).into_iter();
        let accesses = accesses.map(|access| (access.path, access.count)).collect();
        let current_module = match &request.connection {
            Some(connection) => or_noted(self.sessions.last(connection), &mut answer.notes)
                .as_ref()
                .and_then(|session| most_read_module(session, self.modules)),
            None => None,
        };
        let snapshot = self.reader.map(|reader| &*reader.snapshot);
        let question = Question::new(&plan(&request.query), vector, snapshot)?;
        let modules = self.modules.clone();
        Ok(Scorer { question, accesses, modules, current_module, now: SystemTime::now() })
    }

    /// Scores discoveries and sessions by their words and vectors.
    fn score_known(
        &self,
        scorer: &Scorer,
        known: Vec<Recalled>,
        answer: &mut RecallAnswer,
    ) -> Vec<ScoredAnswer> {
        let texts: Vec<String> = known.iter().map(text_of).collect();
        let question = &scorer.question;
        let cosines = question.vector.as_ref().zip(self.embedder).map(|(vector, embedder)| {
            let priority = |text: &str| question.relevance(text, None);
            self.similarity.cosines(embedder, vector, &texts, priority)
        });
        let cosines = cosines.unwrap_or(Ok(Vec::new())).unwrap_or_else(|failure| {
            answer.embed_failure = Some(failure);
            Vec::new()
        });
        let cosines = cosines.into_iter().chain(std::iter::repeat(None));
        let scored = known.into_iter().zip(texts).zip(cosines);
        scored.map(|((one, text), cosine)| scorer.score_known(one, &text, cosine)).collect()
    }
}

/// The value, or a default and a note: a failing notebook must not fail the request.
fn or_noted<T: Default>(given: Result<T, groma_core::NotebookError>, notes: &mut Vec<String>) -> T {
    given.unwrap_or_else(|error| {
        let note = format!("the notebook was skipped: {error}");
        if !notes.contains(&note) {
            notes.push(note);
        }
        T::default()
    })
}

fn is_module(wanted: &str, module: Option<&str>) -> bool {
    module.is_some_and(|module| module.eq_ignore_ascii_case(wanted))
}

/// The outermost folders with files of a module.
fn folders_of(module: &str, modules: &Modules, snapshot: &dyn Snapshot) -> Vec<String> {
    let files = snapshot.manifest().files.keys();
    let of_module = files.filter(|path| is_module(module, modules.of(path)));
    let mut folders: Vec<String> = of_module.map(|path| path.folder().to_string()).collect();
    folders.sort();
    folders.dedup();
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

/// A code hit is dropped if a discovery in it scores at least this share of its score.
const REPEATED_SHARE: f32 = 0.75;

/// Drops code hits that contain a discovery of about the same score.
fn without_repeated_code(results: Vec<ScoredAnswer>) -> Vec<(f32, Recalled)> {
    let mut shown: Vec<(Evidence, f32)> = Vec::new();
    for one in &results {
        if let Recalled::Discovery(discovery) = &one.answer {
            shown.extend(discovery.evidence.iter().map(|evidence| (evidence.clone(), one.score)));
        }
    }
    let repeats = |one: &ScoredAnswer| match &one.answer {
        Recalled::Code { hit, .. } => shown.iter().any(|(evidence, score)| {
            evidence.file() == Some(hit.path.as_str())
                && hit.lines.contains(evidence.line)
                && *score >= REPEATED_SHARE * one.score
        }),
        _ => false,
    };
    let kept = results.into_iter().filter(|one| !repeats(one));
    kept.map(|one| (one.score, one.answer)).collect()
}
