//! `index_repo`, `sync_repo` and `index_status`.

use super::answers;
use super::errors::Code;
use super::failure::Failure;
use super::site::Site;
use crate::surface::Call;
use groma_engine::core::iso;
use groma_engine::core::{JobRecord, JobState, JobTask};
use groma_engine::{JobRequest, Readiness, ResolvedRef, Status};
use serde_json::{Map, Value, json};

/// How many jobs `index_status` tells of.
const RECENT: usize = 5;

/// The version of the index that this contract knows.
const SCHEMA_VERSION: u32 = 1;

/// Starts a job and does not wait for it.
pub fn start(call: &Call<'_>, site: &mut Site, task: JobTask) -> Result<Value, Failure> {
    let reference = site.indexable()?;
    let request = JobRequest { task, reference, force: call.arguments.is_set("force")? };
    let started = site.project.jobs.start(&request);
    let job = started.map_err(|error| Failure::of_job(error, task))?;
    // A small project may be indexed by now; this answer is about the moment its job began.
    site.standing.active = Some(job.clone());
    site.running = Some(job.clone());
    let counted = match task {
        JobTask::Index => "file_count",
        JobTask::Sync => "changed_files",
    };
    Ok(json!({
        "job_id": job.record.id,
        "status": job.record.state.as_str(),
        "mode": job.record.mode.as_str(),
        counted: Value::Null,
        "metadata": site.metadata().value(),
    }))
}

/// Tells how the index stands, and of the jobs that made it.
pub fn index_status(site: &Site) -> Result<Value, Failure> {
    if let ResolvedRef::Unknown { .. } = site.meaning {
        site.answerable()?;
    }
    let standing = &site.standing;
    let is_ready = standing.readiness.is_ready();
    let status = if is_ready { Some(site.engine.status()?) } else { None };
    let symbols = if is_ready { site.engine.symbol_count()? } else { 0 };
    let indexed_at = |status: &Status| Some(iso(status.generation.as_ref()?.committed));
    let recent = site.project.jobs.recent(RECENT)?;
    let mut fields = Map::new();
    let mut add = |name: &str, value: Value| fields.insert(name.into(), value);
    add("project_id", site.id.as_str().into());
    add("repo_root", site.project.root.to_string_lossy().into());
    add("index_status", standing.indexing().into());
    add("schema_status", standing.schema().into());
    add("current_schema_version", if is_ready { SCHEMA_VERSION } else { 0 }.into());
    add("required_schema_version", SCHEMA_VERSION.into());
    add("last_indexed_at", status.as_ref().and_then(indexed_at).into());
    add("ref", site.reference().into());
    add("file_count", status.as_ref().map_or(0, |status| status.files).into());
    add("symbol_count", symbols.into());
    add("active_job", site.running.as_ref().map(answers::active_job).into());
    add("recent_jobs", recent.iter().map(answers::job).collect());
    if let Some(report) = interruptions(&recent, site.running.is_some() || standing.is_written) {
        add("interrupted_recovery_report", report);
    }
    let mut metadata = site.metadata();
    if let Readiness::Damaged(reason) = &standing.readiness {
        metadata
            .warnings
            .push(format!("{reason}; {}", Code::IndexIncompatible.entry().remediation));
    }
    add("metadata", metadata.value());
    Ok(Value::Object(fields))
}

/// What became of jobs whose process ended before they did.
fn interruptions(recent: &[JobRecord], is_running: bool) -> Option<Value> {
    let interrupted: Vec<_> =
        recent.iter().filter(|job| job.state == JobState::Interrupted).collect();
    let last = interrupted.first()?;
    let action = match recent.first().map(|job| job.state) {
        _ if is_running => "none: the index is being made again; poll index_status",
        Some(JobState::Published) => "none: a later job was published",
        _ => "call index_repo",
    };
    Some(json!({
        "detected": true,
        "interrupted_jobs": interrupted.len(),
        "last_interrupted_job": last.id,
        "recommended_action": action,
    }))
}
