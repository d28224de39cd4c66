//! Storage of indexes, notebooks and cached vectors.
//!
//! [`EmbeddedCatalog`] owns the data directory: which projects there are, and where the files of each one are.
//!
//! [`EmbeddedStore`] keeps an index in one folder: SQLite for what is relational (generations, manifests, versions)
//! and immutable, memory-mapped segments for what is searched; or it keeps the same in memory. [`MemoryStore`] answers
//! naively, from plain collections; it is the oracle that the embedded one is tested against. A notebook is beside the
//! index, in a file of its own, and [`EmbeddedVectorCache`] caches the vectors of an embedding service.
#![deny(missing_docs)]

mod bm25;
mod catalog;
mod embedded;
mod history;
mod job_log;
mod journal;
mod matching;
mod memory;
mod memory_leases;
mod notebook;
mod notes;
mod private;
mod random;
mod sqlite;
mod transcripts;
mod vector_cache;

pub use catalog::{CatalogAdmin, EmbeddedCatalog};
pub use embedded::{
    CommitStep, EmbeddedStore, FileLeases, FileStatCaches, FolderBlobs, Ports, SqliteLedger,
    pack_facts, unpack_facts,
};
pub use memory::MemoryStore;
pub use notebook::{EmbeddedNotebook, MemoryNotebook};
pub use vector_cache::EmbeddedVectorCache;
