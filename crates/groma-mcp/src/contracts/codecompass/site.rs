//! The project a call is about: where it is, which ref is meant, and how its index stands.

use super::errors::Code;
use super::failure::Failure;
use super::metadata::{Freshness, Metadata, Standing};
use crate::contracts::handles::{Handles, project_id};
use crate::host::{HostError, Place, Project, Source};
use crate::surface::{Call, Visit};
use groma_engine::core::{JobRecord, RefName};
use groma_engine::{Engine, EngineError, Job, Readiness, ResolvedRef};
use std::sync::Arc;

/// How many jobs are looked at for the last one about a ref.
const RECENT: usize = 20;

/// The project a call is about.
pub struct Site {
    /// The project.
    pub project: Arc<Project>,
    /// Its id in the contract.
    pub id: String,
    /// What the ref that was asked for means.
    pub meaning: ResolvedRef,
    /// The engine of that ref; the working tree's where there is no such ref.
    pub engine: Arc<Engine>,
    /// How the ref's index stands.
    pub standing: Standing,
    /// The job of the project that runs, about whichever ref.
    pub running: Option<Job>,
}

impl Site {
    /// Finds it, and does again what a process that ended left undone.
    pub fn find(call: &Call<'_>) -> Result<Self, Failure> {
        let project = call.visit.host.open(&place(&call.visit)?.root)?;
        let given = call.arguments.text("ref").ok().flatten().map(str::trim);
        let meaning = project.engine.resolve_ref(given.filter(|name| !name.is_empty()));
        let (meaning, engine) = engine_of(&project, meaning)?;
        // Whether it can be started shows in how the project stands.
        let _ = project.jobs.resume();
        let running = project.jobs.active()?;
        let mut site = Self {
            id: project_id(&project.root),
            project,
            meaning,
            engine,
            standing: Standing::missing(),
            running,
        };
        if !matches!(site.meaning, ResolvedRef::Unknown { .. }) {
            site.standing = site.standing()?;
        }
        Ok(site)
    }

    fn standing(&self) -> Result<Standing, EngineError> {
        let active = self.running.clone().filter(|job| self.is_about(&job.record));
        let mut recent = self.project.jobs.recent(RECENT)?.into_iter();
        let last = recent.find(|job| self.is_about(job));
        let is_written = self.engine.is_being_written()?;
        // Looked at last: a job that ended meanwhile has left an index.
        Ok(Standing { readiness: self.engine.readiness()?, active, is_written, last })
    }

    /// Whether a job was about the same ref, by whatever name.
    fn is_about(&self, job: &JobRecord) -> bool {
        match (&self.meaning, self.project.engine.resolve_ref(Some(job.reference.as_str()))) {
            (ResolvedRef::Tree(_), ResolvedRef::Tree(_)) => true,
            (ResolvedRef::Commit(own), ResolvedRef::Commit(other)) => own.full == other.full,
            _ => false,
        }
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
            let status = self.engine.status().ok()?;
            Some(status.pending == 0 && status.removed == 0)
        };
        if self.standing.readiness.is_ready() && is_current() == Some(true) {
            Freshness::Fresh
        } else if self.standing.is_written {
            Freshness::Syncing
        } else {
            Freshness::Stale
        }
    }

    /// The ref a job is about.
    pub fn indexable(&self) -> Result<RefName, Failure> {
        match &self.meaning {
            ResolvedRef::Tree(name) => Ok(RefName::new(name)),
            ResolvedRef::Commit(target) => Ok(RefName::new(&target.name)),
            ResolvedRef::Unknown { name, reason } => {
                Err(Failure::new(Code::InvalidInput, format!("`ref` {name}: {reason}"))
                    .remedy("Name a branch, tag or commit, or leave `ref` out."))
            }
        }
    }

    /// Refuses a query that there is no index for.
    pub fn answerable(&self) -> Result<(), Failure> {
        let name = self.reference();
        match (&self.meaning, &self.standing.readiness) {
            (ResolvedRef::Unknown { reason, .. }, _) => {
                Err(Failure::new(Code::RefNotIndexed, format!("{name}: {reason}"))
                    .remedy("Leave `ref` out to search what is checked out."))
            }
            (_, Readiness::Ready) => Ok(()),
            (ResolvedRef::Commit(_), Readiness::Missing) if self.standing.active.is_none() => {
                Err(Failure::new(Code::RefNotIndexed, format!("{name} was never indexed")).remedy(
                    format!(
                        "Call index_repo with ref={name}, then poll index_status with ref={name} until it says ready."
                    ),
                ))
            }
            _ => Err(self.unready()),
        }
    }

    /// Why there is no index of a ref.
    fn unready(&self) -> Failure {
        if let Some(job) = &self.standing.active {
            let record = &job.record;
            let details =
                format!("the first index is being made: job {} is {}", record.id, record.state);
            return Failure::new(Code::IndexNotReady, details)
                .remedy("Poll index_status until it says ready.");
        }
        match (&self.standing.readiness, &self.standing.last) {
            (Readiness::Outdated, _) => Failure::new(
                Code::IndexIncompatible,
                "reindex_required: another version of the program, or another embedder, made it",
            ),
            (Readiness::Damaged(reason), _) => {
                Failure::new(Code::IndexIncompatible, format!("corrupt_manifest: {reason}"))
            }
            _ if self.standing.is_written => {
                Failure::new(Code::IndexNotReady, "another process is making the index")
                    .remedy("Poll index_status until it says ready.")
            }
            (_, Some(job)) if !job.message.is_empty() => Failure::new(
                Code::IndexNotReady,
                format!("job {} {}: {}", job.id, job.state, job.message),
            ),
            _ => Failure::new(Code::IndexNotReady, "nothing is indexed yet"),
        }
    }
}

/// The engine of a ref. One that cannot be read is as good as unknown, and says why.
fn engine_of(
    project: &Project,
    meaning: ResolvedRef,
) -> Result<(ResolvedRef, Arc<Engine>), EngineError> {
    let ResolvedRef::Commit(target) = &meaning else {
        return Ok((meaning, project.engine.clone()));
    };
    match project.engine.other(target) {
        Ok(engine) => Ok((meaning, engine)),
        Err(EngineError::Ref { name, reason }) => {
            Ok((ResolvedRef::Unknown { name, reason }, project.engine.clone()))
        }
        Err(error) => Err(error),
    }
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
