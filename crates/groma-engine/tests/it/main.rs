//! The engine over real folders, by feature.

mod show;

mod background;
mod cache;
mod commits;
mod context;
mod cost;
mod damage;
mod determinism;
mod documents;
mod explain;
mod export;
mod filters;
mod freshness;
mod granularity;
mod grep;
mod history;
mod hostile;
mod jobs;
mod locate;
mod modes;
mod neighbours;
mod notebook;
mod outline;
mod ranking;
mod read;
mod readiness;
mod reasons;
mod recall;
mod refs;
mod remote;
mod signals;
mod update;
mod upgrade;
mod usages;
