//! The history of jobs in memory.

use groma_core::{JobLog, JobRecord, Locked, StoreError};

/// How many jobs are kept.
pub(crate) const MAX_JOBS: usize = 100;

/// The jobs of a store in memory, oldest first.
#[derive(Default)]
pub(crate) struct MemoryJobLog(Locked<Vec<JobRecord>>);

impl JobLog for MemoryJobLog {
    fn record(&self, job: &JobRecord) -> Result<(), StoreError> {
        let mut jobs = self.0.lock();
        match jobs.iter_mut().find(|known| known.id == job.id) {
            Some(known) => *known = job.clone(),
            None => jobs.push(job.clone()),
        }
        let old = jobs.len().saturating_sub(MAX_JOBS);
        jobs.drain(..old);
        Ok(())
    }

    fn jobs(&self, limit: usize) -> Result<Vec<JobRecord>, StoreError> {
        Ok(self.0.lock().iter().rev().take(limit).cloned().collect())
    }
}
