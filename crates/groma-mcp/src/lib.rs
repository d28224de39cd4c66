//! The Model Context Protocol server: the native surface and five contracts over one engine.
#![forbid(unsafe_code)]

mod arguments;
mod tool;

pub use arguments::{Arguments, Complaint, Problem};
pub use tool::{Effect, Kind, Parameter, Preset, ToolSpec};
