//! `index_repo`, `sync_repo` and `index_status`.

use super::codes::Code;
use super::error::Error;
use super::target::Target;
use super::tools::{IndexRepo, IndexStatus, SyncRepo};
use super::{CompassTool, answers};
use crate::arguments::{ArgumentError, Given};
use crate::surface::Call;
use groma_core::iso;
use groma_core::{JobRecord, JobState, JobTask};
use groma_engine::{JobRequest, Readiness, ResolvedRef, Status};
use serde_json::{Map, Value, json};

/// Number of jobs in `index_status`.
const RECENT: usize = 5;

/// The index schema version of this contract.
const SCHEMA_VERSION: u32 = 1;

impl CompassTool for IndexRepo {
    fn read_ref(given: &Given) -> Result<Option<String>, ArgumentError> {
        Self::reference(given)
    }

    fn answer(self, _: &Call<'_>, target: &mut Target) -> Result<Value, Error> {
        start(target, JobTask::Index, self.force)
    }
}

impl CompassTool for SyncRepo {
    fn read_ref(given: &Given) -> Result<Option<String>, ArgumentError> {
        Self::reference(given)
    }

    fn answer(self, _: &Call<'_>, target: &mut Target) -> Result<Value, Error> {
        start(target, JobTask::Update, self.force)
    }
}

impl CompassTool for IndexStatus {
    fn read_ref(given: &Given) -> Result<Option<String>, ArgumentError> {
        Self::reference(given)
    }

    fn answer(self, _: &Call<'_>, target: &mut Target) -> Result<Value, Error> {
        index_status(target)
    }
}

/// Starts a job and does not wait for it.
fn start(target: &mut Target, task: JobTask, force: bool) -> Result<Value, Error> {
    let reference = target.indexable()?;
    let request = JobRequest { task, reference, force };
    let started = target.project.jobs.start(&request);
    let job = started.map_err(|error| Error::of_job(error, task))?;
    // A small project may be indexed by now; the answer describes the moment its job began.
    target.state.active = Some(job.clone());
    target.running = Some(job.clone());
    let counted = match task {
        JobTask::Index => "file_count",
        JobTask::Update => "changed_files",
    };
    Ok(json!({
        "job_id": job.record.id,
        "status": job.record.state.as_str(),
        "mode": job.record.mode.as_str(),
        counted: Value::Null,
        "metadata": target.metadata().value(),
    }))
}

/// The state of the index, and its jobs.
fn index_status(target: &Target) -> Result<Value, Error> {
    if let ResolvedRef::Unknown { .. } = target.meaning {
        target.answerable()?;
    }
    let state = &target.state;
    let is_ready = state.readiness.is_ready();
    let status = if is_ready { Some(target.engine.status()?) } else { None };
    let symbols = if is_ready { target.engine.symbol_count()? } else { 0 };
    let indexed_at = |status: &Status| Some(iso(status.generation.as_ref()?.committed));
    let recent = target.project.jobs.recent(RECENT)?;
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| fields.insert(name.into(), value);
    add("project_id", target.id.as_str().into());
    add("repo_root", target.project.root.to_string_lossy().into());
    add("index_status", state.indexing().into());
    add("schema_status", state.schema().into());
    add("current_schema_version", if is_ready { SCHEMA_VERSION } else { 0 }.into());
    add("required_schema_version", SCHEMA_VERSION.into());
    add("last_indexed_at", status.as_ref().and_then(indexed_at).into());
    add("ref", target.reference().into());
    add("file_count", status.as_ref().map_or(0, |status| status.files).into());
    add("symbol_count", symbols.into());
    add("active_job", target.running.as_ref().map(answers::active_job).into());
    add("recent_jobs", recent.iter().map(answers::job).collect());
    if let Some(report) = interruptions(&recent, target.running.is_some() || state.is_written) {
        add("interrupted_recovery_report", report);
    }
    let mut metadata = target.metadata();
    if let Readiness::Damaged(reason) = &state.readiness {
        metadata
            .warnings
            .push(format!("{reason}; {}", Code::IndexIncompatible.entry().remediation));
    }
    add("metadata", metadata.value());
    Ok(Value::Object(fields))
}

/// Reports jobs whose process died.
fn interruptions(recent: &[JobRecord], is_running: bool) -> Option<Value> {
    let interrupted: Vec<_> =
        recent.iter().filter(|job| job.state == JobState::Interrupted).collect();
    let last = interrupted.first()?;
    let action = match recent.first().map(|job| job.state) {
        _ if is_running => "none: the index is being made again; poll index_status",
        Some(JobState::Succeeded) => "none: a later job was published",
        _ => "call index_repo",
    };
    Some(json!({
        "detected": true,
        "interrupted_jobs": interrupted.len(),
        "last_interrupted_job": last.id,
        "recommended_action": action,
    }))
}
