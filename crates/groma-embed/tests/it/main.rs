//! Models behind HTTP, against a real server that misbehaves.

mod asked;

mod batches;
mod faults;
mod kept;
mod protocols;
