//! The conformance tests of job logs and leases.

use crate::Tree;
use crate::fixture::Make;
use groma_core::{Deadline, JobMode, JobRecord, JobState, JobTask, LeaseKind, RefName};
use std::time::{Duration, UNIX_EPOCH};

fn job(number: u64) -> JobRecord {
    JobRecord {
        id: format!("job{number}"),
        task: JobTask::Index,
        reference: RefName::new("main"),
        mode: JobMode::Full,
        state: JobState::Running,
        changed_files: None,
        duration_ms: None,
        created: UNIX_EPOCH + Duration::from_millis(1_700_000_000_123 + number),
        message: String::new(),
    }
}

/// Jobs come back as they were last recorded, newest first, however old their records are.
pub fn jobs_are_remembered(make: Make<'_>) {
    let store = make();
    assert_eq!(store.job_log().jobs(5).unwrap(), []);
    let odd = JobRecord {
        task: JobTask::Update,
        reference: RefName::new("größe/'x'"),
        mode: JobMode::Incremental,
        state: JobState::Cancelled,
        changed_files: Some(0),
        duration_ms: Some(u32::MAX.into()),
        created: UNIX_EPOCH,
        message: "why\nnot".into(),
        ..job(2)
    };
    for job in [&job(1), &odd, &job(3)] {
        store.job_log().record(job).unwrap();
    }
    let ended = JobRecord {
        state: JobState::Succeeded,
        changed_files: Some(7),
        duration_ms: Some(8),
        ..job(1)
    };
    store.job_log().record(&ended).unwrap();
    assert_eq!(store.job_log().jobs(5).unwrap(), [job(3), odd.clone(), ended]);
    assert_eq!(store.job_log().jobs(2).unwrap(), [job(3), odd]);
    assert_eq!(store.job_log().jobs(0).unwrap(), []);
}

/// The history is separate from the index, and bounded.
pub fn jobs_outlive_the_index(make: Make<'_>) {
    let store = make();
    store.job_log().record(&job(1)).unwrap();
    Tree::default().commit(&*store, &RefName::live()).unwrap();
    store.clear().unwrap();
    assert_eq!(store.job_log().jobs(5).unwrap(), [job(1)]);
    (2..=300).for_each(|number| store.job_log().record(&job(number)).unwrap());
    let jobs = store.job_log().jobs(1000).unwrap();
    assert_eq!((jobs.len(), &jobs[0], &jobs[99]), (100, &job(300), &job(201)));
}

/// One holder of a lease at a time; reading and writing go on beside it.
pub fn one_job_holds_its_lease(make: Make<'_>) {
    let store = make();
    let leases = store.leases();
    let acquire = || leases.acquire(LeaseKind::Job, "", Deadline::now()).unwrap();
    let is_held = |kind| leases.holder(kind).unwrap().is_some();
    assert!(!is_held(LeaseKind::Job));
    let lease = acquire().unwrap();
    assert!(is_held(LeaseKind::Job) && !is_held(LeaseKind::Writer));
    assert!(acquire().is_none());
    assert!(leases.acquire(LeaseKind::Job, "main", Deadline::now()).unwrap().is_some());
    assert!(leases.renew(&lease, Deadline::now()).unwrap());
    Tree::default().commit(&*store, &RefName::live()).unwrap();
    store.job_log().record(&job(1)).unwrap();
    let token = lease.token();
    leases.release(lease, Deadline::now()).unwrap();
    let next = acquire().unwrap();
    assert_ne!(next.token(), token, "every acquisition has a token of its own");
    drop(next);
    drop(acquire().unwrap());
}

/// What this pipeline made is its own.
pub fn an_own_index_is_not_outdated(make: Make<'_>) {
    let store = make();
    assert!(!store.is_outdated().unwrap());
    Tree::default().commit(&*store, &RefName::live()).unwrap();
    assert!(!store.is_outdated().unwrap());
    store.clear().unwrap();
    assert!(!store.is_outdated().unwrap());
}
