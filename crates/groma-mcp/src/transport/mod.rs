//! How clients reach a surface.

mod batch;
pub mod http;
mod message;
mod sse;
pub mod stdio;
mod streamable;
