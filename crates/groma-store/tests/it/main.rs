//! The tests of the stores, in one binary: crash tests run it again as the process that dies.

mod conformance;
mod crash;
mod damage;
mod embedded;
mod history;
mod notebook;
mod temporary;
mod vector_cache;
