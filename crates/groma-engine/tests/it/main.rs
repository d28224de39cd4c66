//! The engine over real folders, by feature.

mod show;

mod cache;
mod context;
mod cost;
mod damage;
mod determinism;
mod explain;
mod filters;
mod freshness;
mod history;
mod hostile;
mod locate;
mod modes;
mod neighbours;
mod outline;
mod ranking;
mod read;
mod reasons;
mod roles;
mod signals;
mod update;
