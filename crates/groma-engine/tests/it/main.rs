//! The engine over real folders, by feature.

mod show;

mod history;
mod determinism;
mod freshness;
mod cost;
mod filters;
mod context;
mod modes;
mod explain;
mod cache;
mod roles;
mod ranking;
mod reasons;
mod hostile;
mod neighbours;
mod damage;
