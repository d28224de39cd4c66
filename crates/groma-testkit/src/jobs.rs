//! What every store promises of jobs; part of [`conformance`](crate::conformance).

use crate::Tree;
use crate::conformance::Make;
use groma_core::{JobMode, JobRecord, JobState, JobTask, RefName, Role, StoreError};
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
    assert_eq!(store.jobs(5).unwrap(), []);
    let odd = JobRecord {
        task: JobTask::Sync,
        reference: RefName::new("größe/'x'"),
        mode: JobMode::Incremental,
        state: JobState::RolledBack,
        changed_files: Some(0),
        duration_ms: Some(u32::MAX.into()),
        created: UNIX_EPOCH,
        message: "why\nnot".into(),
        ..job(2)
    };
    for job in [&job(1), &odd, &job(3)] {
        store.record_job(job).unwrap();
    }
    let ended = JobRecord {
        state: JobState::Published,
        changed_files: Some(7),
        duration_ms: Some(8),
        ..job(1)
    };
    store.record_job(&ended).unwrap();
    assert_eq!(store.jobs(5).unwrap(), [job(3), odd.clone(), ended]);
    assert_eq!(store.jobs(2).unwrap(), [job(3), odd]);
    assert_eq!(store.jobs(0).unwrap(), []);
}

/// The history is no part of the index, and does not grow for ever.
pub fn jobs_outlive_the_index(make: Make<'_>) {
    let store = make();
    store.record_job(&job(1)).unwrap();
    Tree::default().commit(&*store, &RefName::live()).unwrap();
    store.clear().unwrap();
    assert_eq!(store.jobs(5).unwrap(), [job(1)]);
    (2..=300).for_each(|number| store.record_job(&job(number)).unwrap());
    let jobs = store.jobs(1000).unwrap();
    assert_eq!((jobs.len(), &jobs[0], &jobs[99]), (100, &job(300), &job(201)));
}

/// One job at a time; reading and writing go on beside it.
pub fn one_job_has_its_turn(make: Make<'_>) {
    let store = make();
    assert!(!store.is_held(Role::Job).unwrap());
    let turn = store.turn(Role::Job).unwrap();
    assert!(store.is_held(Role::Job).unwrap() && !store.is_held(Role::Writer).unwrap());
    assert!(matches!(store.turn(Role::Job).err(), Some(StoreError::Busy)));
    Tree::default().commit(&*store, &RefName::live()).unwrap();
    store.record_job(&job(1)).unwrap();
    drop(turn);
    drop(store.turn(Role::Job).unwrap());
    drop(store.turn(Role::Job).unwrap());
}

/// What this pipeline made is its own.
pub fn an_own_index_is_not_foreign(make: Make<'_>) {
    let store = make();
    assert!(!store.is_foreign().unwrap());
    Tree::default().commit(&*store, &RefName::live()).unwrap();
    assert!(!store.is_foreign().unwrap());
    store.clear().unwrap();
    assert!(!store.is_foreign().unwrap());
}
