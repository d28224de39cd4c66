//! How clients reach a surface.

pub mod stdio;
