//! What a surface is: a list of tools and a way to answer a call.
//!
//! The native surface and the five contracts are each one implementation. A surface turns a call into a request
//! to an engine and the engine's answer into its own wire form; it knows nothing of transports, and it is called
//! on a thread of its own, so it may block.

use crate::arguments::Arguments;
use crate::host::{Host, Place};
use crate::tool::ToolSpec;
use groma_engine::{Cancel, Observer};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::{Value, json};
use std::sync::Arc;

/// A surface: how one kind of client sees Groma.
pub trait Surface: Send + Sync + 'static {
    /// How it is named on the command line and in an address.
    fn name(&self) -> &'static str;

    /// What it tells of itself when a client connects.
    fn identity(&self) -> Identity;

    /// Its tools, in the order they are listed.
    fn tools(&self) -> &'static [ToolSpec];

    /// Answers a call of one of its tools.
    fn call(&self, call: &Call<'_>) -> Result<Answer, Fault>;

    /// Answers a call of a tool it does not have.
    fn unknown_tool(&self, name: &str) -> Result<Answer, Fault> {
        let known: Vec<&str> = self.tools().iter().map(|tool| tool.name).collect();
        let message = format!("Unknown tool: {name}. This server has {}", known.join(", "));
        let data = json!({ "param": "name", "tool": name, "tools": known });
        Err(Fault::invalid_params(message, Some(data)))
    }

    /// Takes note that a connection has ended.
    fn ended(&self, _session: &Session) {}

    /// What it has besides tools.
    fn resources(&self) -> Option<&dyn Resources> {
        None
    }
}

/// What a surface tells of itself.
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// The server's name.
    pub name: &'static str,
    /// The server's name for people.
    pub title: &'static str,
    /// The server's version.
    pub version: &'static str,
    /// How a model should use the tools.
    pub instructions: &'static str,
    /// Whether it says that its tools may change.
    pub tools_may_change: bool,
}

/// Documents a surface offers to read.
pub trait Resources: Send + Sync {
    /// Those that can be named: address, name, what it is.
    fn list(&self, call: &Visit<'_>) -> Result<Vec<ResourceEntry>, Fault>;

    /// Those whose address has a part to fill in.
    fn templates(&self) -> Vec<ResourceEntry>;

    /// One of them, as Markdown.
    fn read(&self, uri: &str, call: &Visit<'_>) -> Result<String, Fault>;
}

/// A document that can be read.
#[derive(Clone, Debug)]
pub struct ResourceEntry {
    /// Its address, or the pattern of addresses.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
}

/// Who asks, and from where.
pub struct Visit<'a> {
    /// What the program gives.
    pub host: &'a Arc<dyn Host>,
    /// The project the client works in, if that is known.
    pub place: Option<&'a Place>,
    /// The connection.
    pub session: &'a Arc<Session>,
}

/// A call of a tool.
pub struct Call<'a> {
    /// Who asks, and from where.
    pub visit: Visit<'a>,
    /// The tool.
    pub tool: &'static ToolSpec,
    /// What it was given.
    pub arguments: Arguments,
    /// Whom to tell how long work goes.
    pub observer: &'a dyn Observer,
    /// Whether the caller has given up.
    pub cancel: &'a Cancel,
}

/// A connection.
#[derive(Debug)]
pub struct Session {
    /// A name unlike any other's.
    pub id: String,
    /// When it began.
    pub started: std::time::SystemTime,
}

/// A tool's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Blocks of text.
    pub blocks: Vec<String>,
    /// The same as data, for clients that read it.
    pub structured: Option<Value>,
    /// Whether it says that the tool failed.
    pub is_error: bool,
}

impl Answer {
    /// One block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { blocks: vec![text.into()], ..Self::default() }
    }

    /// One block that holds compact JSON.
    pub fn json(value: &Value) -> Self {
        Self::text(value.to_string())
    }

    /// The same answer as a failure.
    pub fn failed(self) -> Self {
        Self { is_error: true, ..self }
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let blocks = answer.blocks.into_iter().map(ContentBlock::text).collect();
        let mut result = match answer.is_error {
            true => CallToolResult::error(blocks),
            false => CallToolResult::success(blocks),
        };
        result.structured_content = answer.structured;
        result
    }
}

/// An error of the protocol: a code, a message, and what a program can read.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Its number.
    pub code: i32,
    /// What is wrong.
    pub message: String,
    /// More, for a program.
    pub data: Option<Value>,
}

impl Fault {
    /// An error with a number of its own.
    pub fn new(code: i32, message: impl Into<String>, data: Option<Value>) -> Self {
        Self { code, message: message.into(), data }
    }

    /// Wrong arguments.
    pub fn invalid_params(message: impl Into<String>, data: Option<Value>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS.0, message, data)
    }

    /// Something of ours went wrong.
    pub fn internal(reason: impl Into<String>) -> Self {
        let reason: String = reason.into();
        Self::new(ErrorCode::INTERNAL_ERROR.0, reason.clone(), Some(json!({ "reason": reason })))
    }
}

impl From<Fault> for ErrorData {
    fn from(fault: Fault) -> Self {
        ErrorData::new(ErrorCode(fault.code), fault.message, fault.data)
    }
}
