//! How clients reach a surface.

pub mod http;
mod message;
mod sse;
pub mod stdio;
mod streamable;
