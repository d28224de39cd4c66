//! A tool and its handler.
//!
//! Parameters come from [`Arguments`]. The schema a client reads and the check its arguments go through are both
//! made from that declaration, so a bound that is shown is a bound that is enforced.

use crate::arguments::Arguments;
pub use crate::spec::{Effect, ToolSpec};
use crate::surface::{Answer, Call, ProtocolError, Surface};

/// What a tool says of itself, besides its parameters.
#[derive(Clone, Copy, Debug)]
pub struct ToolInfo {
    /// See [`ToolSpec::name`].
    pub name: &'static str,
    /// See [`ToolSpec::title`].
    pub title: &'static str,
    /// See [`ToolSpec::description`].
    pub description: &'static str,
    /// See [`ToolSpec::effect`].
    pub effect: Effect,
}

/// Answers a call of one tool of the surface `S`.
pub type Handler<S> = fn(&S, &Call<'_>) -> Result<Answer, ProtocolError>;

/// A tool of the surface `S`.
pub struct Tool<S> {
    spec: ToolSpec,
    handler: Handler<S>,
}

impl<S> Tool<S> {
    /// A tool that takes `A`.
    pub const fn new<A: Arguments>(info: ToolInfo, handler: Handler<S>) -> Self {
        let ToolInfo { name, title, description, effect } = info;
        let parameters = A::PARAMETERS;
        Self { spec: ToolSpec { name, title, description, parameters, effect }, handler }
    }
}

/// The tools as clients see them.
pub fn specs<S>(tools: &'static [Tool<S>]) -> Vec<&'static ToolSpec> {
    tools.iter().map(|tool| &tool.spec).collect()
}

/// Has the tool that a call names answer it.
pub fn dispatch<S: Surface>(
    surface: &S,
    tools: &'static [Tool<S>],
    call: &Call<'_>,
) -> Result<Answer, ProtocolError> {
    match tools.iter().find(|tool| tool.spec.name == call.tool) {
        Some(tool) => (tool.handler)(surface, call),
        None => surface.unknown_tool(call.tool),
    }
}
