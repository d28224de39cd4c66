//! How clients reach a surface.

pub mod http;
mod listener;
mod message;
mod sse;
pub mod stdio;
mod streamable;
