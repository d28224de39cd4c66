//! No bytes that a client sends, over a pipe or over HTTP, and no arguments of a tool make a surface panic or hang.
//!
//! The first byte chooses the surface, the second the way in: a raw stream of bytes, the body of an HTTP request, or
//! the arguments of one of its tools.
#![no_main]

use groma_engine::DocumentIndex;
use groma_mcp::contracts::{Contract, ToolSet};
use groma_mcp::transport::http::{self, AccessPolicy, Surfaces};
use groma_mcp::transport::stdio::Lines;
use groma_mcp::{
    Host, HostError, IndexedProject, NamedIndex, Project, Server, SubIndex, Workspace,
    WorkspaceSource,
};
use groma_testkit::{Setup, Tree};
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex, split};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

const PROJECT: &str = "\
//- src/limit.rs
/// Limits requests.
pub struct RateLimiter;
impl RateLimiter {
    pub fn allow(&self) -> bool { true }
}
//- store/order.go
package store

// FindOrder finds an order.
func FindOrder(number int) string { return \"order\" }
//- README.md
# Orders

How orders are kept.
";

/// Longer than any input takes on a loaded machine.
const TIMEOUT: Duration = Duration::from_secs(10);

/// A program with one project, which opens no other folder of the machine.
struct OneProject {
    root: PathBuf,
    _folder: TempDir,
    project: Arc<Project>,
}

impl OneProject {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("a folder");
        for (path, text) in Tree::parse(PROJECT).files() {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let engine = Arc::new(Setup::default().engine(&root));
        let project = Arc::new(Project::new(root.clone(), "project-0".into(), engine));
        Self { root, _folder: folder, project }
    }

    fn check(&self, root: &Path) -> Result<(), HostError> {
        if root == self.root {
            return Ok(());
        }
        Err(HostError::NotFound { message: format!("{} is not served", root.display()) })
    }
}

impl Host for OneProject {
    fn workspace(&self, folder: Option<&Path>) -> Result<Workspace, HostError> {
        folder.map_or(Ok(()), |folder| self.check(folder))?;
        Ok(Workspace { root: self.root.clone(), source: WorkspaceSource::Folder })
    }

    fn is_registered(&self, root: &Path) -> Result<bool, HostError> {
        Ok(root == self.root)
    }

    fn open(&self, root: &Path) -> Result<Arc<Project>, HostError> {
        self.check(root).map(|()| self.project.clone())
    }

    fn open_sub_index(&self, root: &Path, _: &SubIndex) -> Result<Arc<Project>, HostError> {
        self.open(root)
    }

    fn save_sub_index(&self, root: &Path, _: &SubIndex) -> Result<(), HostError> {
        self.check(root)
    }

    fn sub_index(&self, root: &Path, _: &str) -> Result<Option<Arc<Project>>, HostError> {
        self.open(root).map(Some)
    }

    fn chunks(&self, _: &Path) -> Result<Option<Arc<DocumentIndex>>, HostError> {
        Ok(None)
    }

    fn projects(&self) -> Result<Vec<IndexedProject>, HostError> {
        let (root, id) = (self.root.clone(), self.project.id.clone());
        Ok(vec![IndexedProject { root, id, exists: true, created: 0 }])
    }

    fn delete_index(&self, root: &Path) -> Result<u64, HostError> {
        self.check(root).map(|()| 0)
    }

    fn names(&self) -> Result<Vec<NamedIndex>, HostError> {
        let (name, root) = ("project".into(), self.root.clone());
        Ok(vec![NamedIndex { name, root, exists: true, created: 0 }])
    }

    fn default_name(&self, _: &Path) -> String {
        "project".into()
    }

    fn add_name(&self, root: &Path, _: &str) -> Result<Option<PathBuf>, HostError> {
        self.check(root).map(|()| None)
    }
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

static HOST: LazyLock<Arc<OneProject>> = LazyLock::new(|| Arc::new(OneProject::new()));

/// The address of an HTTP server.
static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
    let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).expect("a port");
    let address = listener.local_addr().expect("an address");
    let policy = AccessPolicy { address, token: None };
    let surfaces = Surfaces::all(Contract::ALL[0], ToolSet::All);
    let serving = http::serve(listener, surfaces, HOST.clone(), policy, CancellationToken::new());
    RUNTIME.spawn(serving);
    address
});

/// Sends bytes to a server over a pipe after the handshake, and waits until it has answered and ended.
async fn over_a_pipe(contract: Contract, bytes: &[u8]) {
    let (ours, theirs) = duplex(1 << 20);
    let (reader, writer) = split(theirs);
    let server = Server::new(contract.surface(ToolSet::All), HOST.clone());
    let stop = CancellationToken::new();
    let serving = tokio::spawn(async move {
        let serving = rmcp::service::serve_server_with_ct(server, Lines::new(reader, writer), stop);
        if let Ok(running) = serving.await {
            let _ = running.waiting().await;
        }
    });
    let (mut answers, mut requests) = split(ours);
    let reading = tokio::spawn(async move { answers.read_to_end(&mut Vec::new()).await });
    let handshake = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "fuzz", "version": "1" },
    } });
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let start = format!("{handshake}\n{initialized}\n");
    for part in [start.as_bytes(), bytes, b"\n"] {
        let _ = requests.write_all(part).await;
    }
    let _ = requests.shutdown().await;
    serving.await.expect("the server does not panic");
    drop(requests);
    let _ = reading.await;
}

/// Sends bytes as the body of an HTTP request.
async fn over_http(address: SocketAddr, contract: Contract, body: &[u8]) {
    let Ok(mut stream) = TcpStream::connect(address).await else { return };
    let head = format!(
        "POST /mcp/{contract} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes()).await;
    let _ = stream.write_all(body).await;
    // An event stream stays open; its first bytes are the answer.
    let read = stream.read(&mut [0; 4096]).await;
    assert!(read.is_ok_and(|length| length > 0), "every request is answered");
}

/// A call of one of the surface's tools with these arguments.
fn call(contract: Contract, tool: u8, arguments: &Value) -> Vec<u8> {
    let tools = contract.surface(ToolSet::All).tools();
    let name = tools[usize::from(tool) % tools.len()].name;
    let params = json!({ "name": name, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
        .to_string()
        .into_bytes()
}

fuzz_target!(|input: &[u8]| {
    let [contract, way, rest @ ..] = input else { return };
    let contract = Contract::ALL[usize::from(*contract) % Contract::ALL.len()];
    // Starts the server, which cannot be done inside of the runtime.
    let address = *ADDRESS;
    let sent = RUNTIME.block_on(async {
        tokio::time::timeout(TIMEOUT, async {
            match way % 4 {
                0 => over_a_pipe(contract, rest).await,
                1 => over_http(address, contract, rest).await,
                _ => {
                    let Ok(arguments) = serde_json::from_slice(rest) else { return };
                    over_a_pipe(contract, &call(contract, way / 4, &arguments)).await;
                }
            }
        })
        .await
    });
    assert!(sent.is_ok(), "the server hangs");
});
