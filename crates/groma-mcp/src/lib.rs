//! The Model Context Protocol server: the native surface and five contracts over one engine.
//!
//! `tool` and `arguments` say what a tool takes, `surface` what a surface is, `host` what the program gives it,
//! `server` speaks the protocol for one connection, `transport` is how clients connect, and `contracts` are the
//! surfaces themselves.
#![forbid(unsafe_code)]

mod arguments;
pub mod contracts;
mod documents;
mod host;
mod server;
mod surface;
mod tool;
pub mod transport;
mod visits;

pub use arguments::{Arguments, Complaint, Problem};
pub use host::{
    Host, HostError, Known, Named, Place, Project, Scope, Source, plain_name, same_name,
};
pub use server::Server;
pub use surface::{
    Answer, Call, Fault, Identity, ResourceEntry, Resources, Session, Surface, Visit,
};
pub use tool::{Effect, Kind, LONGEST_TEXT, Parameter, Preset, ToolSpec};
