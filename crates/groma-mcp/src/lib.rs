//! The Model Context Protocol server: the native surface and five contracts over one engine.
//!
//! `arguments` and `tool` declare what a tool takes and how it is handled, `surface` is the interface of a surface,
//! `host` that of the program, `server` speaks the protocol for one connection, `transport` connects clients, and
//! `contracts` are the surfaces themselves.
#![forbid(unsafe_code)]

mod activity;
pub mod arguments;
mod call_log;
pub mod contracts;
mod documents;
mod host;
mod metrics;
mod parameter;
mod server;
mod spec;
mod surface;
mod tool;
pub mod transport;

pub use arguments::Given;
pub use host::{
    Host, HostError, IndexedProject, NamedIndex, Project, SubIndex, Workspace, WorkspaceSource,
    normalized_name, same_name,
};
pub use metrics::Metrics;
pub use parameter::{Kind, Parameter, Preset};
pub use server::Server;
pub use spec::{Effect, ToolSpec};
pub use surface::{
    Answer, Call, Gist, Identity, ProtocolError, RequestContext, ResourceEntry, Resources, Session,
    Surface,
};
