//! Files in, generations out.
//!
//! An [`Indexer`] brings the index of one ref up to date: it compares the tree with the newest generation, runs the
//! changed files through the pipeline on all cores, and commits a new generation. [`Indexer::run`] is the one way to do
//! that; what a caller wants is in the [`Run`]. [`index_documents`] indexes texts that are not files. Nothing here
//! knows how an index is searched.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod documents;
mod error;
mod index;
mod indexer;
mod pipeline;
mod refs;
mod report;
mod run;
mod scan;
mod terms;
mod vectors;

pub use documents::{Document, index_documents};
pub use error::IndexError;
pub use index::{Active, Index, unembedded};
pub use indexer::Indexer;
pub use pipeline::ParseFailure;
pub use report::IndexReport;
pub use run::{Goal, Run, WAIT_TIMEOUT};
