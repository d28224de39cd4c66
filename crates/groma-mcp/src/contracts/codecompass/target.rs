//! The target of a call: its project, the ref, and the state of the index.

use super::codes::Code;
use super::error::Error;
use super::metadata::{Freshness, IndexState, Metadata};
use crate::contracts::handles::{Handles, project_id};
use crate::host::{HostError, Project, Workspace, WorkspaceSource};
use crate::surface::{Call, RequestContext};
use groma_core::{JobRecord, RefName};
use groma_engine::{Engine, EngineError, Job, Readiness, ResolvedRef};
use std::sync::Arc;

/// Number of jobs searched for the last one of a ref.
const RECENT: usize = 20;

/// The target of a call.
pub struct Target {
    /// The project.
    pub project: Arc<Project>,
    /// Its id in the contract.
    pub id: String,
    /// What the given ref resolves to.
    pub meaning: ResolvedRef,
    /// The engine of that ref, or of the working tree if there is no such ref.
    pub engine: Arc<Engine>,
    /// The state of the ref's index.
    pub state: IndexState,
    /// The running job of the project, for any ref.
    pub running: Option<Job>,
}

impl Target {
    /// Resolves it, and resumes jobs of processes that died.
    pub fn find(call: &Call<'_>, reference: Option<&str>) -> Result<Self, Error> {
        let root = workspace(&call.context)?.root;
        let host = call.context.host;
        if !host.is_registered(&root)? {
            let details = format!("{} is not initialized", root.display());
            return Err(Error::new(Code::ProjectNotFound, details));
        }
        let project = host.open(&root)?;
        let given = reference.map(str::trim);
        let meaning = project.engine.resolve_ref(given.filter(|name| !name.is_empty()));
        let (meaning, engine) = engine_of(&project, meaning)?;
        // A failure shows in the state of the index.
        let _ = project.jobs.resume();
        let running = project.jobs.active()?;
        let mut target = Self {
            id: project_id(&project.root),
            project,
            meaning,
            engine,
            state: IndexState::missing(),
            running,
        };
        if !matches!(target.meaning, ResolvedRef::Unknown { .. }) {
            target.state = target.state()?;
        }
        Ok(target)
    }

    fn state(&self) -> Result<IndexState, EngineError> {
        let active = self.running.clone().filter(|job| self.is_about(&job.record));
        let mut recent = self.project.jobs.recent(RECENT)?.into_iter();
        let last = recent.find(|job| self.is_about(job));
        let is_written = self.engine.is_being_written()?;
        // Read last, so that a job that ends meanwhile is seen as an index.
        Ok(IndexState { readiness: self.engine.readiness()?, active, is_written, last })
    }

    /// Whether a job is about the same ref, by any name of it.
    fn is_about(&self, job: &JobRecord) -> bool {
        match (&self.meaning, self.project.engine.resolve_ref(Some(job.reference.as_str()))) {
            (ResolvedRef::Tree(_), ResolvedRef::Tree(_)) => true,
            (ResolvedRef::Commit(own), ResolvedRef::Commit(other)) => own.full == other.full,
            _ => false,
        }
    }

    /// The name of the ref in answers.
    pub fn reference(&self) -> &str {
        self.meaning.name()
    }

    /// Computes the handles of symbols and results.
    pub fn handles(&self) -> Handles<'_> {
        Handles { project: &self.id, reference: self.reference() }
    }

    /// The metadata of an answer; compares the index with the files.
    pub fn metadata(&self) -> Metadata {
        Metadata::new(&self.state, self.freshness(), self.reference())
    }

    /// The metadata of a query's answer. Unless a job is running, the query has just brought the index up to date, or
    /// there was too much to index and the answer is behind.
    pub fn query_metadata(&self, is_behind: bool) -> Metadata {
        let metadata = |freshness| Metadata::new(&self.state, freshness, self.reference());
        if self.is_syncing() || is_behind {
            metadata(Freshness::Syncing).partial()
        } else {
            metadata(Freshness::Fresh)
        }
    }

    /// Whether a job is running; queries are then answered from the existing index.
    pub fn is_syncing(&self) -> bool {
        self.state.active.is_some()
    }

    fn freshness(&self) -> Freshness {
        if self.is_syncing() {
            return Freshness::Syncing;
        }
        let is_current = || {
            let status = self.engine.status().ok()?;
            Some(status.pending == 0 && status.removed == 0)
        };
        if self.state.readiness.is_ready() && is_current() == Some(true) {
            Freshness::Fresh
        } else if self.state.is_written {
            Freshness::Syncing
        } else {
            Freshness::Stale
        }
    }

    /// The ref to index.
    pub fn indexable(&self) -> Result<RefName, Error> {
        match &self.meaning {
            ResolvedRef::Tree(name) => Ok(RefName::new(name)),
            ResolvedRef::Commit(target) => Ok(RefName::new(&target.name)),
            ResolvedRef::Unknown { name, reason } => {
                Err(Error::new(Code::InvalidInput, format!("`ref` {name}: {reason}"))
                    .remedy("Name a branch, tag or commit, or leave `ref` out."))
            }
        }
    }

    /// Rejects a query if there is no index.
    pub fn answerable(&self) -> Result<(), Error> {
        let name = self.reference();
        match (&self.meaning, &self.state.readiness) {
            (ResolvedRef::Unknown { reason, .. }, _) => {
                Err(Error::new(Code::RefNotIndexed, format!("{name}: {reason}"))
                    .remedy("Leave `ref` out to search what is checked out."))
            }
            (_, Readiness::Ready) => Ok(()),
            (ResolvedRef::Commit(_), Readiness::Missing) if self.state.active.is_none() => {
                Err(Error::new(Code::RefNotIndexed, format!("{name} was never indexed")).remedy(
                    format!(
                        "Call index_repo with ref={name}, then poll index_status with ref={name} until it says ready."
                    ),
                ))
            }
            _ => Err(self.unready()),
        }
    }

    /// Why there is no index.
    fn unready(&self) -> Error {
        if let Some(job) = &self.state.active {
            let record = &job.record;
            let details =
                format!("the first index is being made: job {} is {}", record.id, record.state);
            return Error::new(Code::IndexNotReady, details)
                .remedy("Poll index_status until it says ready.");
        }
        match (&self.state.readiness, &self.state.last) {
            (Readiness::Outdated, _) => Error::new(
                Code::IndexIncompatible,
                "reindex_required: another version of the program, or another embedder, made it",
            ),
            (Readiness::Damaged(reason), _) => {
                Error::new(Code::IndexIncompatible, format!("corrupt_manifest: {reason}"))
            }
            _ if self.state.is_written => {
                Error::new(Code::IndexNotReady, "another process is making the index")
                    .remedy("Poll index_status until it says ready.")
            }
            (_, Some(job)) if !job.message.is_empty() => Error::new(
                Code::IndexNotReady,
                format!("job {} {}: {}", job.id, job.state, job.message),
            ),
            _ => Error::new(Code::IndexNotReady, "nothing is indexed yet"),
        }
    }
}

/// The engine of a ref. A ref that cannot be read counts as unknown, with the reason.
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

/// The project the server was started for takes precedence over the client's roots, but not over the URL.
fn workspace(context: &RequestContext<'_>) -> Result<Workspace, Error> {
    let client = context.workspace.as_ref()?;
    if client.source != WorkspaceSource::Roots {
        return Ok(client.clone());
    }
    let is_explicit =
        |source| matches!(source, WorkspaceSource::Option | WorkspaceSource::Environment);
    match context.host.workspace(None) {
        Ok(started) if is_explicit(started.source) => Ok(started),
        Ok(_) | Err(HostError::Refused { .. }) => Ok(client.clone()),
        Err(error) => Err(error.into()),
    }
}
