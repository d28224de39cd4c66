//! How clients reach a surface.

mod batch;
pub mod http;
mod listener;
mod message;
mod sse;
pub mod stdio;
mod streamable;
