//! One connection: the protocol on one side, a surface on the other.
//!
//! The protocol library speaks; this decides what it says. A call hops once onto a thread where it may block; its
//! progress and its cancellation cross that line in both directions.

use crate::arguments::Arguments;
use crate::host::{Host, Place, Source};
use crate::surface::{Answer, Call, Fault, ResourceEntry, Session, Surface, Visit};
use crate::tool::ToolSpec;
use groma_engine::{Cancel, Observer, Progress};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    ErrorCode, Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::mpsc;

/// How long a client may take to tell its roots.
const ROOTS_PATIENCE: Duration = Duration::from_secs(2);

/// How often a client is told how far its call is.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// One connection.
pub struct Server {
    surface: Arc<dyn Surface>,
    host: Arc<dyn Host>,
    session: Arc<Session>,
    /// The folder the connection was opened for, where its address named one.
    folder: Option<PathBuf>,
    roots: Mutex<Option<Option<PathBuf>>>,
}

impl Server {
    /// A connection to a surface.
    pub fn new(surface: Arc<dyn Surface>, host: Arc<dyn Host>) -> Self {
        let started = SystemTime::now();
        let session = Session { id: session_name(started), started };
        let session = Arc::new(session);
        Self { surface, host, session, folder: None, roots: Mutex::default() }
    }

    /// The same, for a connection whose address named a folder.
    pub fn at(mut self, folder: Option<PathBuf>) -> Self {
        self.folder = folder;
        self
    }

    /// The connection's name.
    pub fn session_id(&self) -> &str {
        &self.session.id
    }

    /// The project the client works in, if that can be told.
    async fn place(&self, context: &RequestContext<RoleServer>) -> Option<Place> {
        if let Some(folder) = addressed(context).or_else(|| self.folder.clone()) {
            return self.around(&folder, Source::Address);
        }
        match self.root_of(context).await {
            Some(folder) => self.around(&folder, Source::Roots),
            None => self.host.place(None).ok(),
        }
    }

    fn around(&self, folder: &Path, source: Source) -> Option<Place> {
        self.host.place(Some(folder)).ok().map(|place| Place { source, ..place })
    }

    /// The first root of the client that is a folder here. Asked once, and again when the client says they changed.
    async fn root_of(&self, context: &RequestContext<RoleServer>) -> Option<PathBuf> {
        if let Some(known) = self.roots.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return known;
        }
        let offers = context.client_capabilities().is_some_and(|client| client.roots.is_some());
        let root = if offers { ask_roots(&context.peer).await } else { None };
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = Some(root.clone());
        root
    }

    fn tool(&self, name: &str) -> Option<&'static ToolSpec> {
        self.surface.tools().iter().find(|tool| tool.name == name)
    }

    /// Runs a call on a thread where it may block.
    async fn run(
        &self,
        tool: &'static ToolSpec,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<Answer, Fault> {
        let place = self.place(&context).await;
        let (surface, host) = (self.surface.clone(), self.host.clone());
        let session = self.session.clone();
        let cancel = Arc::new(Cancel::default());
        let (reporter, reports) = Reporter::new(&context);
        let told = tokio::spawn(tell(reports, context.peer.clone()));
        let guard = CancelOnDrop(cancel.clone());
        let arguments = Arguments::new(tool, request.arguments.unwrap_or_default());
        let work = {
            let cancel = cancel.clone();
            tokio::task::spawn_blocking(move || {
                let visit = Visit { host: &host, place: place.as_ref(), session: &session };
                let observer = &reporter;
                surface.call(&Call { visit, tool, arguments, observer, cancel: &cancel })
            })
        };
        let outcome = finished(work, &context, &cancel).await;
        // Nothing may be reported about a call once it is answered.
        let _ = told.await;
        drop(guard);
        outcome
    }

    /// Runs a visit to the resources on a thread where it may block.
    async fn visit<T: Send + 'static>(
        &self,
        context: RequestContext<RoleServer>,
        work: impl FnOnce(&dyn Surface, &Visit<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let place = self.place(&context).await;
        let (surface, host) = (self.surface.clone(), self.host.clone());
        let session = self.session.clone();
        let done = tokio::task::spawn_blocking(move || {
            let visit = Visit { host: &host, place: place.as_ref(), session: &session };
            work(&*surface, &visit)
        });
        done.await.unwrap_or_else(|_| Err(crashed())).map_err(Into::into)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.surface.ended(&self.session);
    }
}

/// Waits for a call, and asks it to stop when the caller gives up.
async fn finished(
    mut work: tokio::task::JoinHandle<Result<Answer, Fault>>,
    context: &RequestContext<RoleServer>,
    cancel: &Cancel,
) -> Result<Answer, Fault> {
    let outcome = tokio::select! {
        outcome = &mut work => outcome,
        () = context.ct.cancelled() => {
            cancel.cancel();
            work.await
        }
    };
    outcome.unwrap_or_else(|_| Err(crashed()))
}

/// A call that panicked costs only itself.
fn crashed() -> Fault {
    Fault::internal(
        "the call failed inside the server; the server goes on, and other calls still work",
    )
}

/// A call whose connection is gone stops working.
struct CancelOnDrop(Arc<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

fn session_name(started: SystemTime) -> String {
    use std::hash::{BuildHasher, RandomState};
    let moment = started.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("session-{:016x}", RandomState::new().hash_one(moment))
}

/// The folder the address of an HTTP request names, as `?project=` (or `?project_path=`).
fn addressed(context: &RequestContext<RoleServer>) -> Option<PathBuf> {
    let parts = context.extensions.get::<axum::http::request::Parts>()?;
    let query: axum::extract::Query<std::collections::HashMap<String, String>> =
        axum::extract::Query::try_from_uri(&parts.uri).ok()?;
    let folder = query.get("project").or_else(|| query.get("project_path"))?;
    Some(PathBuf::from(folder))
}

#[expect(deprecated, reason = "clients of today still offer roots")]
async fn ask_roots(peer: &Peer<RoleServer>) -> Option<PathBuf> {
    let answer = tokio::time::timeout(ROOTS_PATIENCE, peer.list_roots()).await;
    let roots = answer.ok()?.ok()?.roots;
    roots.iter().filter_map(|root| file_path(&root.uri)).find(|path| path.is_dir())
}

/// The path a `file:` address means.
fn file_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = (*first == b'%').then(|| tail.get(..2)).flatten();
        let escaped =
            escaped.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &tail[2..] } else { tail };
    }
    // On Windows the path of `file:///C:/x` begins after the slash.
    let text = String::from_utf8(bytes).ok()?;
    let drive = text.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &text[1..] } else { &text }))
}

/// Hands progress from the thread that works to the task that tells.
struct Reporter {
    sender: Option<mpsc::UnboundedSender<ProgressNotificationParam>>,
    token: Option<rmcp::model::ProgressToken>,
    last: Mutex<Report>,
}

/// What was told last.
struct Report {
    at: Option<Instant>,
    progress: f64,
}

impl Reporter {
    fn new(
        context: &RequestContext<RoleServer>,
    ) -> (Self, mpsc::UnboundedReceiver<ProgressNotificationParam>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let token = context.meta.get_progress_token();
        let sender = token.is_some().then_some(sender);
        (Self { sender, token, last: Mutex::new(Report { at: None, progress: -1.0 }) }, receiver)
    }
}

impl Observer for Reporter {
    fn progress(&self, progress: Progress) {
        let (Some(sender), Some(token)) = (&self.sender, &self.token) else { return };
        let (done, total, message) = described(progress);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.at.is_none_or(|at| at.elapsed() >= BETWEEN_REPORTS);
        let is_last = total == Some(done);
        // The protocol wants numbers that grow.
        if done <= last.progress || !(is_due || is_last) {
            return;
        }
        *last = Report { at: Some(Instant::now()), progress: done };
        let mut note = ProgressNotificationParam::new(token.clone(), done).with_message(message);
        note.total = total;
        // Who no longer listens needs no report.
        let _ = sender.send(note);
    }
}

fn described(progress: Progress) -> (f64, Option<f64>, String) {
    match progress {
        Progress::Walking => (0.0, None, "looking for changed files".into()),
        Progress::Waiting => (0.0, None, "waiting for another index run of this project".into()),
        Progress::Indexing { done, total } => {
            (done as f64, Some(total as f64), format!("indexed {done} of {total} files"))
        }
        Progress::Committing => (f64::MIN, None, String::new()),
    }
}

async fn tell(
    mut reports: mpsc::UnboundedReceiver<ProgressNotificationParam>,
    peer: Peer<RoleServer>,
) {
    while let Some(report) = reports.recv().await {
        if peer.notify_progress(report).await.is_err() {
            return;
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let identity = self.surface.identity();
        let mut capabilities = ServerCapabilities::builder().enable_tools().build();
        if let Some(tools) = &mut capabilities.tools {
            tools.list_changed = identity.tools_may_change.then_some(true);
        }
        if self.surface.resources().is_some() {
            capabilities.resources = Some(Default::default());
        }
        let mut server = Implementation::new(identity.name, identity.version);
        server.title = (!identity.title.is_empty()).then(|| identity.title.to_string());
        let config = ServerConfig::new(capabilities).with_server_info(server);
        match identity.instructions {
            "" => config,
            instructions => config.with_instructions(instructions),
        }
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tool(name).map(ToolSpec::listed)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.surface.tools().iter().map(ToolSpec::listed).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = match self.tool(&request.name) {
            Some(tool) => self.run(tool, request, context).await?,
            None => self.surface.unknown_tool(&request.name)?,
        };
        Ok(CallToolResult::from(answer).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        if self.surface.resources().is_none() {
            return Ok(ListResourcesResult::default());
        }
        let entries = self.visit(context, |surface, visit| match surface.resources() {
            Some(resources) => resources.list(visit),
            None => Ok(Vec::new()),
        });
        let listed = |entry: ResourceEntry| {
            Resource::new(entry.uri, entry.name)
                .with_description(entry.description)
                .with_mime_type("text/markdown")
        };
        Ok(ListResourcesResult::with_all_items(entries.await?.into_iter().map(listed).collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let entries = self.surface.resources().map(|resources| resources.templates());
        let listed = |entry: ResourceEntry| {
            ResourceTemplate::new(entry.uri, entry.name)
                .with_description(entry.description)
                .with_mime_type("text/markdown")
        };
        let entries = entries.unwrap_or_default().into_iter().map(listed).collect();
        Ok(ListResourceTemplatesResult::with_all_items(entries))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if self.surface.resources().is_none() {
            return Err(ErrorData::method_not_found::<rmcp::model::ReadResourceRequestMethod>());
        }
        let uri = request.uri.clone();
        let text = self.visit(context, move |surface, visit| match surface.resources() {
            Some(resources) => resources.read(&uri, visit),
            None => Err(Fault::internal("this surface has no resources")),
        });
        let contents =
            ResourceContents::text(text.await?, request.uri).with_mime_type("text/markdown");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    /// What fits none of the protocol's requests: a method nobody knows, or one whose parameters have a wrong shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(misfit(&request))
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.roots.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

fn misfit(request: &CustomRequest) -> ErrorData {
    let shape = match request.method.as_str() {
        "tools/call" => "`name` must be a string and `arguments`, if given, an object",
        "resources/read" => "`uri` must be a string",
        "initialize" => "`protocolVersion`, `capabilities` and `clientInfo` are required",
        "tools/list" | "resources/list" | "resources/templates/list" => {
            "`cursor`, if given, must be a string"
        }
        other => {
            let message = format!("Method not found: {other}");
            return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
        }
    };
    let message = format!("Invalid params of {}: {shape}", request.method);
    ErrorData::new(ErrorCode::INVALID_PARAMS, message, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_addresses_are_paths() {
        assert_eq!(file_path("file:///a/b%20c"), Some(PathBuf::from("/a/b c")));
        assert_eq!(file_path("file://localhost/a"), Some(PathBuf::from("/a")));
        assert_eq!(file_path("file:///a%zz%2"), Some(PathBuf::from("/a%zz%2")));
        assert_eq!(file_path("file:///C:/x"), Some(PathBuf::from("C:/x")));
        assert_eq!(file_path("https://a/b"), None);
    }
}
