//! Grammars in worker processes.
//!
//! Grammars are third-party C that reads repository text. A worker is a process of the same program that parses one file
//! at a time and sends back its facts; on Linux it can do nothing else (`confinement`). So whatever a text makes a
//! scanner do — abort, write out of bounds, loop, allocate without end — costs one worker, and the file is indexed by
//! lines. [`isolate_grammars`] makes every parse of this process go there; [`run_worker`] is the other side.
#![deny(missing_docs)]

mod confinement;
mod frame;
mod pool;
mod worker;
mod worker_process;

pub use confinement::Confinement;
pub use pool::{Isolation, isolate_grammars, isolation};
pub use worker::run_worker;
