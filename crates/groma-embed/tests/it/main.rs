//! Models behind HTTP, against a real server that misbehaves.

mod asked;

mod batches;
mod clock;
mod faults;
mod kept;
mod protocols;
