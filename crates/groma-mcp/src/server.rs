//! One connection: the protocol on one side, a surface on the other.
//!
//! rmcp implements the protocol; this decides what it answers. A call runs on a blocking thread; its progress and its
//! cancellation cross between that thread and the connection's task.

use crate::call_log::CallLog;
use crate::host::{Host, HostError, Workspace, WorkspaceSource};
use crate::metrics::{Metrics, SessionGuard};
use crate::surface::{
    Answer, Call, ProtocolError, RESOURCE_NOT_FOUND, RequestContext, ResourceEntry, Session,
    Surface,
};
use crate::tool::ToolSpec;
use groma_core::Locked;
use groma_engine::{Cancel, Observer, Progress};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult,
    ErrorCode, Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{self, NotificationContext, Peer};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How long a client may take to answer `roots/list`.
const ROOTS_TIMEOUT: Duration = Duration::from_secs(2);

/// Time between two progress notifications.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

type McpContext = service::RequestContext<RoleServer>;

/// One connection.
pub struct Server {
    surface: Arc<dyn Surface>,
    host: Arc<dyn Host>,
    session: Arc<Session>,
    /// The folder named in the URL that the connection was opened with.
    folder: Option<PathBuf>,
    roots: Locked<Option<Roots>>,
    metrics: Arc<Metrics>,
    _open: SessionGuard,
}

impl Server {
    /// A connection to a surface.
    pub fn new(surface: Arc<dyn Surface>, host: Arc<dyn Host>) -> Self {
        Self::counted(surface, host, Arc::default())
    }

    /// A connection to a surface whose calls are counted.
    pub fn counted(surface: Arc<dyn Surface>, host: Arc<dyn Host>, metrics: Arc<Metrics>) -> Self {
        let session = Arc::new(Session::new());
        let _open = metrics.open_session(surface.name());
        Self { surface, host, session, folder: None, roots: Locked::default(), metrics, _open }
    }

    /// The same, for a connection whose URL named a folder.
    pub fn at(mut self, folder: Option<PathBuf>) -> Self {
        self.folder = folder;
        self
    }

    /// The unique id of the connection.
    pub fn session_id(&self) -> &str {
        &self.session.id
    }

    /// The project the client works in.
    async fn workspace(&self, context: &McpContext) -> Result<Workspace, HostError> {
        if let Some(folder) = folder_of_url(context).or_else(|| self.folder.clone()) {
            return self.around(&folder, WorkspaceSource::Url);
        }
        match self.root_of(context).await {
            Some(folder) => self.around(&folder, WorkspaceSource::Roots),
            None => self.host.workspace(None),
        }
    }

    fn around(&self, folder: &Path, source: WorkspaceSource) -> Result<Workspace, HostError> {
        self.host.workspace(Some(folder)).map(|found| Workspace { source, ..found })
    }

    /// The client's first root that is a folder on this machine. Requested once, and again after
    /// `notifications/roots/list_changed`; a note names once the roots that do not count.
    async fn root_of(&self, context: &McpContext) -> Option<PathBuf> {
        if let Some(known) = &*self.roots.lock() {
            return known.used.clone();
        }
        let offers = context.client_capabilities().is_some_and(|client| client.roots.is_some());
        let roots = if offers { ask_roots(&context.peer).await } else { Vec::new() };
        let roots = Roots::of(roots);
        let used = roots.used.clone();
        if let Some(note) = roots.note() {
            self.session.add_note(note);
        }
        *self.roots.lock() = Some(roots);
        used
    }

    /// Runs a call on a blocking thread.
    async fn run(
        &self,
        request: CallToolRequestParams,
        context: McpContext,
    ) -> Result<Answer, ProtocolError> {
        let log = CallLog::begin(&*self.surface, &self.session.id, &request);
        let workspace = self.workspace(&context).await;
        let (surface, host) = (self.surface.clone(), self.host.clone());
        let session = self.session.clone();
        let cancel = Arc::new(Cancel::default());
        let (reporter, reports) = Reporter::new(&context);
        let reporting = tokio::spawn(send_progress(reports, context.peer.clone()));
        let guard = CancelOnDrop(cancel.clone());
        let name = request.name.clone();
        let work = {
            let (cancel, surface) = (cancel.clone(), surface.clone());
            tokio::task::spawn_blocking(move || {
                surface.call(&Call {
                    context: RequestContext {
                        host: &*host,
                        workspace: &workspace,
                        session: &session,
                    },
                    tool: &request.name,
                    arguments: request.arguments.unwrap_or_default().into(),
                    observer: &reporter,
                    cancel: &cancel,
                })
            })
        };
        let outcome = finished(work, &context, &cancel).await;
        // No progress may be sent for a call once it is answered.
        let _ = reporting.await;
        drop(guard);
        let outcome = outcome.unwrap_or_else(|| surface.panicked(&name, panicked()));
        log.end(&outcome, &self.metrics);
        outcome
    }

    /// Answers a request for resources on a blocking thread.
    async fn with_resources<T: Send + 'static>(
        &self,
        context: McpContext,
        work: impl FnOnce(&dyn Surface, &RequestContext<'_>) -> Result<T, ProtocolError>
        + Send
        + 'static,
    ) -> Result<T, ErrorData> {
        let workspace = self.workspace(&context).await;
        let (surface, host) = (self.surface.clone(), self.host.clone());
        let session = self.session.clone();
        let done = tokio::task::spawn_blocking(move || {
            let context = RequestContext { host: &*host, workspace: &workspace, session: &session };
            work(&*surface, &context)
        });
        done.await.unwrap_or_else(|_| Err(panicked())).map_err(Into::into)
    }
}

/// Waits for a call, and cancels it when the client does; `None` if it panicked.
async fn finished(
    mut work: tokio::task::JoinHandle<Result<Answer, ProtocolError>>,
    context: &McpContext,
    cancel: &Cancel,
) -> Option<Result<Answer, ProtocolError>> {
    let outcome = tokio::select! {
        outcome = &mut work => outcome,
        () = context.ct.cancelled() => {
            cancel.cancel();
            work.await
        }
    };
    outcome.ok()
}

/// The error of a call that panicked; other calls are not affected.
fn panicked() -> ProtocolError {
    ProtocolError::internal(
        "the call failed inside the server; the server goes on, and other calls still work",
    )
}

/// Cancels a call whose connection is closed.
struct CancelOnDrop(Arc<Cancel>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The folder that the URL of an HTTP request names, as `?project=` (or `?project_path=`).
fn folder_of_url(context: &McpContext) -> Option<PathBuf> {
    let parts = context.extensions.get::<axum::http::request::Parts>()?;
    let query: axum::extract::Query<std::collections::HashMap<String, String>> =
        axum::extract::Query::try_from_uri(&parts.uri).ok()?;
    let folder = query.get("project").or_else(|| query.get("project_path"))?;
    Some(PathBuf::from(folder))
}

/// The roots of a client.
#[derive(Debug, Default)]
struct Roots {
    /// The first that is a folder on this machine.
    used: Option<PathBuf>,
    /// Further folders.
    unused: Vec<PathBuf>,
    /// Those that are no folders on this machine, as the client names them.
    missing: Vec<String>,
}

impl Roots {
    fn of(uris: Vec<String>) -> Self {
        let mut roots = Self::default();
        for uri in uris {
            match file_path(&uri).filter(|path| path.is_dir()) {
                Some(path) if roots.used.is_none() => roots.used = Some(path),
                Some(path) => roots.unused.push(path),
                None => roots.missing.push(uri),
            }
        }
        roots
    }

    /// What the client should know of those that do not count.
    fn note(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.missing.is_empty() {
            parts.push(format!("no folder here: {}", self.missing.join(", ")));
        }
        if !self.unused.is_empty() {
            let unused: Vec<String> =
                self.unused.iter().map(|path| path.display().to_string()).collect();
            parts.push(format!("not searched: {}", unused.join(", ")));
        }
        match &self.used {
            _ if parts.is_empty() => None,
            Some(used) => Some(format!(
                "of the client's roots, {} is used; {}",
                used.display(),
                parts.join("; ")
            )),
            None => Some(format!(
                "none of the client's roots counts, so the folder of the server does; {}",
                parts.join("; ")
            )),
        }
    }
}

#[expect(deprecated, reason = "clients of today still offer roots")]
async fn ask_roots(peer: &Peer<RoleServer>) -> Vec<String> {
    match tokio::time::timeout(ROOTS_TIMEOUT, peer.list_roots()).await {
        Ok(Ok(answer)) => answer.roots.into_iter().map(|root| root.uri).collect(),
        _ => Vec::new(),
    }
}

/// The path of a `file:` URI.
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

/// Passes progress from the blocking thread to the task that sends notifications.
struct Reporter {
    sender: Option<mpsc::UnboundedSender<ProgressNotificationParam>>,
    token: Option<rmcp::model::ProgressToken>,
    last: Locked<Report>,
}

/// The last notification.
struct Report {
    at: Option<Instant>,
    progress: f64,
}

impl Reporter {
    fn new(context: &McpContext) -> (Self, mpsc::UnboundedReceiver<ProgressNotificationParam>) {
        let (sender, receiver) = mpsc::unbounded_channel();
        let token = context.meta.get_progress_token();
        let sender = token.is_some().then_some(sender);
        (Self { sender, token, last: Locked::new(Report { at: None, progress: -1.0 }) }, receiver)
    }
}

impl Observer for Reporter {
    fn progress(&self, progress: Progress) {
        let (Some(sender), Some(token)) = (&self.sender, &self.token) else { return };
        let (done, total, message) = described(progress);
        let mut last = self.last.lock();
        let is_due = last.at.is_none_or(|at| at.elapsed() >= PROGRESS_INTERVAL);
        let is_last = total == Some(done);
        // The protocol requires progress to increase.
        if done <= last.progress || !(is_due || is_last) {
            return;
        }
        *last = Report { at: Some(Instant::now()), progress: done };
        let mut note = ProgressNotificationParam::new(token.clone(), done).with_message(message);
        note.total = total;
        // The receiver is gone once the connection is closed.
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

async fn send_progress(
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
        let tools = self.surface.tools();
        tools.into_iter().find(|tool| tool.name == name).map(ToolSpec::listed)
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        _: McpContext,
    ) -> Result<ListToolsResult, ErrorData> {
        check_cursor(page)?;
        let tools = self.surface.tools().into_iter().map(ToolSpec::listed).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: McpContext,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::from(self.run(request, context).await?).into())
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: McpContext,
    ) -> Result<ListResourcesResult, ErrorData> {
        check_cursor(page)?;
        if self.surface.resources().is_none() {
            return Ok(ListResourcesResult::default());
        }
        let entries = self.with_resources(context, |surface, context| match surface.resources() {
            Some(resources) => resources.list(context),
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
        page: Option<PaginatedRequestParams>,
        _: McpContext,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        check_cursor(page)?;
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
        context: McpContext,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if self.surface.resources().is_none() {
            return Err(ErrorData::method_not_found::<rmcp::model::ReadResourceRequestMethod>());
        }
        let uri = request.uri.clone();
        let version = context.protocol_version();
        let text =
            self.with_resources(context, move |surface, context| match surface.resources() {
                Some(resources) => resources.read(&uri, context),
                None => Err(ProtocolError::internal("this surface has no resources")),
            });
        let text = text.await.map_err(|error| in_revision(error, version.as_ref()))?;
        let contents = ResourceContents::text(text, request.uri).with_mime_type("text/markdown");
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    /// A request that rmcp could not decode: an unknown method, or parameters of a wrong shape.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: McpContext,
    ) -> Result<CustomResult, ErrorData> {
        Err(undecodable(&request))
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.roots.lock() = None;
    }
}

/// An error in the codes of a revision: the ones after 2025-11-25 have no code for a resource that does not exist.
fn in_revision(error: ErrorData, version: Option<&ProtocolVersion>) -> ErrorData {
    let is_later = version.is_some_and(|version| *version > ProtocolVersion::V_2025_11_25);
    if is_later && error.code == ErrorCode(RESOURCE_NOT_FOUND) {
        return ErrorData { code: ErrorCode::INVALID_PARAMS, ..error };
    }
    error
}

/// Every list is one page, so no cursor was ever given out.
fn check_cursor(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        None => Ok(()),
        Some(cursor) => {
            let message =
                format!("Invalid cursor {cursor:?}: the list has one page; ask without a cursor");
            Err(ErrorData::new(ErrorCode::INVALID_PARAMS, message, None))
        }
    }
}

fn undecodable(request: &CustomRequest) -> ErrorData {
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
    fn file_uris_are_paths() {
        assert_eq!(file_path("file:///a/b%20c"), Some(PathBuf::from("/a/b c")));
        assert_eq!(file_path("file://localhost/a"), Some(PathBuf::from("/a")));
        assert_eq!(file_path("file:///a%zz%2"), Some(PathBuf::from("/a%zz%2")));
        assert_eq!(file_path("file:///C:/x"), Some(PathBuf::from("C:/x")));
        assert_eq!(file_path("https://a/b"), None);
    }

    #[test]
    fn roots_that_do_not_count_are_named() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let uri = |at: usize| format!("file://{}", folders[at].path().display());
        assert_eq!(Roots::of(vec![uri(0)]).note(), None);
        assert_eq!(Roots::of(Vec::new()).note(), None);
        let note = Roots::of(vec!["file:///no/such".into(), uri(0), uri(1)]).note().unwrap();
        let [first, second] = folders.each_ref().map(|folder| folder.path().display().to_string());
        assert_eq!(
            note,
            format!(
                "of the client's roots, {first} is used; no folder here: file:///no/such; not searched: {second}"
            )
        );
        let note = Roots::of(vec!["https://example.com/x".into()]).note().unwrap();
        assert!(note.starts_with("none of the client's roots counts"), "{note}");
    }
}
