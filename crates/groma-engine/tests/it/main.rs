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
mod modes;
mod neighbours;
mod outline;
mod ranking;
mod reasons;
mod remote;
mod roles;
