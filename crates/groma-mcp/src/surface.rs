//! What a surface is: a list of tools and a way to answer a call.
//!
//! The native surface and the five contracts are each one implementation. A surface turns a call into a request
//! to an engine and the engine's answer into its own wire form; it knows nothing of transports, and it is called
//! on a thread of its own, so it may block.

use crate::activity::{ActivityLog, Entry};
use crate::arguments::Given;
use crate::host::{Host, HostError, Workspace};
use crate::spec::ToolSpec;
use groma_core::Locked;
use groma_engine::{Cancel, Observer};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode};
use serde_json::{Map, Value, json};
use std::time::{Duration, SystemTime};

/// A surface: how one kind of client sees Groma.
pub trait Surface: Send + Sync + 'static {
    /// How it is named on the command line and in an address.
    fn name(&self) -> &'static str;

    /// What the handshake says of the server.
    fn identity(&self) -> Identity;

    /// Its tools, in the order they are listed.
    fn tools(&self) -> Vec<&'static ToolSpec>;

    /// Answers a call, also of a tool it does not have. See `tool::dispatch`.
    fn call(&self, call: &Call<'_>) -> Result<Answer, ProtocolError>;

    /// Answers a call of a tool it does not have.
    fn unknown_tool(&self, name: &str) -> Result<Answer, ProtocolError> {
        Err(unknown_tool(&self.tools(), name))
    }

    /// Answers a call that panicked; `error` says so.
    fn panicked(&self, tool: &str, error: ProtocolError) -> Result<Answer, ProtocolError> {
        let _ = tool;
        Err(error)
    }

    /// The documents it offers, if any.
    fn resources(&self) -> Option<&dyn Resources> {
        None
    }

    /// How long a call may take before it is logged as slow.
    fn max_time(&self, _tool: &str, _arguments: Option<&Map<String, Value>>) -> Duration {
        MAX_TIME
    }
}

/// The protocol's code of a resource that does not exist, up to revision 2025-11-25; later ones have none.
pub const RESOURCE_NOT_FOUND: i32 = -32002;

/// How long a call may take before it is logged as slow, where the contract does not say.
const MAX_TIME: Duration = Duration::from_secs(10);

/// The error of a call of a tool that is not among these.
pub(crate) fn unknown_tool(tools: &[&ToolSpec], name: &str) -> ProtocolError {
    let known: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
    let message = format!("Unknown tool: {name}. This server has {}", known.join(", "));
    let data = json!({ "param": "name", "tool": name, "tools": known });
    ProtocolError::invalid_params(message, Some(data))
}

/// What the handshake says of the server.
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
    /// The documents with a fixed URI.
    fn list(&self, context: &RequestContext<'_>) -> Result<Vec<ResourceEntry>, ProtocolError>;

    /// The URI templates.
    fn templates(&self) -> Vec<ResourceEntry>;

    /// Reads a document as Markdown.
    fn read(&self, uri: &str, context: &RequestContext<'_>) -> Result<String, ProtocolError>;
}

/// A document that can be read.
#[derive(Clone, Debug)]
pub struct ResourceEntry {
    /// Its URI or URI template.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
}

/// Where a request comes from.
pub struct RequestContext<'a> {
    /// The program.
    pub host: &'a dyn Host,
    /// The project the client works in, resolved once for each request, or why there is none.
    pub workspace: &'a Result<Workspace, HostError>,
    /// The connection.
    pub session: &'a Session,
}

/// A call of a tool.
pub struct Call<'a> {
    /// Where it comes from.
    pub context: RequestContext<'a>,
    /// The name of the tool.
    pub tool: &'a str,
    /// The arguments, not yet checked.
    pub arguments: Given,
    /// Receives progress.
    pub observer: &'a dyn Observer,
    /// Set once the client has cancelled the call.
    pub cancel: &'a Cancel,
}

impl Call<'_> {
    /// Records what the call did.
    pub fn record(&self, entry: &Entry) {
        let session = self.context.session;
        session.activity.record(&session.id, self.tool, entry);
    }
}

/// A connection.
#[derive(Debug)]
pub struct Session {
    /// Unique id.
    pub id: String,
    /// When it was opened.
    pub started: SystemTime,
    activity: ActivityLog,
    notes: Locked<Vec<String>>,
}

impl Session {
    /// A connection that is opened now.
    pub fn new() -> Self {
        use std::hash::{BuildHasher, RandomState};
        let started = SystemTime::now();
        let moment = started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let id = format!("session-{:016x}", RandomState::new().hash_one(moment));
        Self { id, started, activity: ActivityLog::default(), notes: Locked::default() }
    }

    /// Adds something that the client should know; the next answer with room for it says so.
    pub fn add_note(&self, note: String) {
        self.notes.lock().push(note);
    }

    /// What the client should know and was not told yet.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock())
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.activity.end(&self.id);
    }
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
    /// What is logged and counted of it.
    pub gist: Gist,
}

/// What is logged and counted of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gist {
    /// The type of its error, also where a contract has errors in ordinary answers.
    pub error: Option<&'static str>,
    /// How many results a search has.
    pub results: Option<usize>,
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

    /// Data, as compact JSON in one block and in structured form.
    pub fn data(value: Value) -> Self {
        let results = value["results"].as_array().map(Vec::len);
        let text = value.to_string();
        let gist = Gist { error: None, results };
        Self { blocks: vec![text], structured: Some(value), is_error: false, gist }
    }

    /// The same answer as a failure.
    pub fn failed(self) -> Self {
        Self { is_error: true, ..self }
    }

    /// The same answer, counted as an error of this type.
    pub fn with_error(mut self, error: &'static str) -> Self {
        self.gist.error = Some(error);
        self
    }

    /// The same answer, logged with a number of results.
    pub fn with_results(mut self, results: usize) -> Self {
        self.gist.results = Some(results);
        self
    }
}

impl From<Answer> for CallToolResult {
    fn from(answer: Answer) -> Self {
        let blocks = answer.blocks.into_iter().map(ContentBlock::text).collect();
        let mut result = if answer.is_error {
            CallToolResult::error(blocks)
        } else {
            CallToolResult::success(blocks)
        };
        result.structured_content = answer.structured;
        result
    }
}

/// An error of the protocol: a code, a message, and what a program can read.
#[derive(Clone, Debug, PartialEq)]
pub struct ProtocolError {
    /// Its number.
    pub code: i32,
    /// What is wrong.
    pub message: String,
    /// More, for a program.
    pub data: Option<Value>,
}

impl ProtocolError {
    /// An error with a number of its own.
    pub fn new(code: i32, message: impl Into<String>, data: Option<Value>) -> Self {
        Self { code, message: message.into(), data }
    }

    /// Wrong arguments.
    pub fn invalid_params(message: impl Into<String>, data: Option<Value>) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS.0, message, data)
    }

    /// An error inside the server.
    pub fn internal(reason: impl Into<String>) -> Self {
        let reason: String = reason.into();
        Self::new(ErrorCode::INTERNAL_ERROR.0, reason.clone(), Some(json!({ "reason": reason })))
    }
}

impl From<ProtocolError> for ErrorData {
    fn from(error: ProtocolError) -> Self {
        ErrorData::new(ErrorCode(error.code), error.message, error.data)
    }
}
