//! The project a call is about: where it is, which ref is meant, and how its index stands.

use super::errors::Code;
use super::failure::Failure;
use super::handles::{Handles, project_id};
use super::metadata::{Freshness, Metadata, Standing};
use crate::host::{HostError, Place, Project, Source};
use crate::surface::{Call, Visit};
use groma_engine::core::RefName;
use groma_engine::{EngineError, Meaning, Readiness};
use std::sync::Arc;

/// The project a call is about.
pub struct Site {
    /// The project.
    pub project: Arc<Project>,
    /// Its id in the contract.
    pub id: String,
    /// What the ref that was asked for means.
    pub meaning: Meaning,
    /// How its index stands; what is not checked out has none.
    pub standing: Standing,
}

impl Site {
    /// Finds it, and does again what a process that ended left undone.
    pub fn find(call: &Call<'_>) -> Result<Self, Failure> {
        let project = call.visit.host.open(&place(&call.visit)?.root)?;
        let given = call.arguments.text("ref").ok().flatten().map(str::trim);
        let meaning = project.engine.meaning(given.filter(|name| !name.is_empty()));
        // Whether it can be started shows in how the project stands.
        let _ = project.jobs.resume();
        let standing = match meaning {
            Meaning::Tree(_) => standing(&project)?,
            _ => Standing::missing(),
        };
        Ok(Self { id: project_id(&project.root), project, meaning, standing })
    }

    /// The ref, as answers name it.
    pub fn reference(&self) -> &str {
        self.meaning.name()
    }

    /// Makes the handles of its symbols and results.
    pub fn handles(&self) -> Handles<'_> {
        Handles { project: &self.id, reference: self.reference() }
    }

    /// The metadata of an answer that did not compare the index with the files: this does.
    pub fn metadata(&self) -> Metadata {
        Metadata::new(&self.standing, self.freshness(), self.reference())
    }

    /// The metadata of an answer to a query. Where no job runs, the engine has just brought the index up to date,
    /// unless there was so much to do that the answer is behind.
    pub fn query_metadata(&self, is_behind: bool) -> Metadata {
        let metadata = |freshness| Metadata::new(&self.standing, freshness, self.reference());
        match self.is_syncing() || is_behind {
            true => metadata(Freshness::Syncing).partial(),
            false => metadata(Freshness::Fresh),
        }
    }

    /// Whether a job runs: then queries are answered from what is indexed already.
    pub fn is_syncing(&self) -> bool {
        self.standing.active.is_some()
    }

    fn freshness(&self) -> Freshness {
        if self.is_syncing() {
            return Freshness::Syncing;
        }
        let is_current = || {
            let status = self.project.engine.status().ok()?;
            Some(status.pending == 0 && status.removed == 0)
        };
        match self.standing.readiness.is_ready() && is_current() == Some(true) {
            true => Freshness::Fresh,
            false => Freshness::Stale,
        }
    }

    /// The ref a job is about. Only what is checked out can be indexed; indexing another ref begins here.
    pub fn indexable(&self) -> Result<RefName, Failure> {
        let wrong = |details: String| Failure::new(Code::InvalidInput, details);
        match &self.meaning {
            Meaning::Tree(name) => Ok(RefName::new(name)),
            Meaning::Other { name, .. } => Err(wrong(format!(
                "`ref` is {name}, which is not checked out; this version indexes the checked-out ref only"
            ))
            .remedy(format!("Check out {name} and call again, or leave `ref` out."))),
            Meaning::Unknown(name) => Err(wrong(format!("`ref`: {}", unknown(name)))
                .remedy("Name a branch, tag or commit, or leave `ref` out.")),
        }
    }

    /// Refuses a query that there is no index for.
    pub fn answerable(&self) -> Result<(), Failure> {
        let name = self.reference();
        match (&self.meaning, &self.standing.readiness) {
            (Meaning::Other { .. }, _) => Err(Failure::new(
                Code::RefNotIndexed,
                format!("{name} is not checked out; this version indexes the checked-out ref only"),
            )
            .remedy(format!(
                "Check out {name} and call index_repo with ref={name}, or leave `ref` out."
            ))),
            (Meaning::Unknown(_), _) => Err(Failure::new(Code::RefNotIndexed, unknown(name))
                .remedy("Leave `ref` out to search what is checked out.")),
            (Meaning::Tree(_), Readiness::Ready) => Ok(()),
            (Meaning::Tree(_), _) => Err(self.unready()),
        }
    }

    /// Why there is no index for what is checked out.
    fn unready(&self) -> Failure {
        if let Some(job) = &self.standing.active {
            let record = &job.record;
            let details =
                format!("the first index is being made: job {} is {}", record.id, record.state);
            return Failure::new(Code::IndexNotReady, details)
                .remedy("Poll index_status until it says ready.");
        }
        match (&self.standing.readiness, &self.standing.last) {
            (Readiness::Foreign, _) => Failure::new(
                Code::IndexIncompatible,
                "reindex_required: another version of the program, or another embedder, made it",
            ),
            (Readiness::Damaged(reason), _) => {
                Failure::new(Code::IndexIncompatible, format!("corrupt_manifest: {reason}"))
            }
            (_, Some(job)) if !job.message.is_empty() => Failure::new(
                Code::IndexNotReady,
                format!("job {} {}: {}", job.id, job.state, job.message),
            ),
            _ => Failure::new(Code::IndexNotReady, "nothing is indexed yet"),
        }
    }
}

fn unknown(name: &str) -> String {
    format!("{name} is no branch or tag here, nor the commit that is checked out")
}

fn standing(project: &Project) -> Result<Standing, EngineError> {
    let active = project.jobs.active()?;
    let last = project.jobs.recent(1)?.into_iter().next();
    // Looked at last: a job that ended meanwhile has left an index.
    Ok(Standing { readiness: project.engine.readiness()?, active, last })
}

/// Where the server was started for, whatever roots a client tells; only an address that names a project, or a
/// server that was started for none, leaves that to the client.
fn place(visit: &Visit<'_>) -> Result<Place, HostError> {
    let told = visit.place.cloned();
    if let Some(place) = told.as_ref().filter(|place| place.source == Source::Address) {
        return Ok(place.clone());
    }
    match (visit.host.place(None), told) {
        (Ok(started), _) if matches!(started.source, Source::Option | Source::Environment) => {
            Ok(started)
        }
        (Ok(_) | Err(HostError::Refused { .. }), Some(told)) => Ok(told),
        (started, _) => started,
    }
}
