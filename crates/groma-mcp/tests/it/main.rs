//! The surfaces, in process: the real server over an in-memory connection, real engines, a host without a disk layout.

mod client;
mod contracts;
mod host;
mod protocol;
mod sample;
