//! A surface with the names that the protocol's conformance suite asks for, served over HTTP.
//!
//! The suite calls tools and reads resources of its own example server. The program has none of those; this runs its
//! server and transport with them, so that the suite checks text, errors, progress, resources and templates, too
//! (`.ci/clients/run`). It prints the URL and serves until it is killed.
#![expect(clippy::print_stdout, reason = "the suite reads the address from there")]

use groma_core::{Progress, SubIndex};
use groma_engine::DocumentIndex;
use groma_mcp::transport::http::{self, AccessPolicy, Surfaces};
use groma_mcp::{
    Answer, Call, Effect, Host, HostError, Identity, IndexedProject, NamedIndex, Project,
    ProtocolError, RequestContext, ResourceEntry, Resources, Surface, ToolSpec, Workspace,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Longer than the shortest time between two progress notifications.
const STEP: Duration = Duration::from_millis(150);

const TOOLS: [ToolSpec; 3] = [
    tool("test_simple_text", "Returns a text"),
    tool("test_error_handling", "Fails"),
    tool("test_tool_with_progress", "Reports its progress"),
];

const fn tool(name: &'static str, description: &'static str) -> ToolSpec {
    ToolSpec { name, title: "", description, parameters: &[], effect: Effect::Reads }
}

struct Suite;

impl Surface for Suite {
    fn name(&self) -> &'static str {
        "conformance"
    }

    fn identity(&self) -> Identity {
        Identity {
            name: "conformance",
            title: "",
            version: env!("CARGO_PKG_VERSION"),
            instructions: "",
            tools_may_change: false,
        }
    }

    fn tools(&self) -> Vec<&'static ToolSpec> {
        TOOLS.iter().collect()
    }

    fn call(&self, call: &Call<'_>) -> Result<Answer, ProtocolError> {
        match call.tool {
            "test_simple_text" => Ok(Answer::text("This is a simple text response for testing.")),
            "test_error_handling" => {
                let text = "This tool intentionally returns an error for testing";
                Ok(Answer::text(text).failed())
            }
            "test_tool_with_progress" => {
                for done in [0, 50, 100] {
                    call.observer.progress(Progress::Indexing { done, total: 100 });
                    std::thread::sleep(STEP);
                }
                Ok(Answer::text("Done."))
            }
            other => self.unknown_tool(other),
        }
    }

    fn resources(&self) -> Option<&dyn Resources> {
        Some(self)
    }
}

impl Resources for Suite {
    fn list(&self, _: &RequestContext<'_>) -> Result<Vec<ResourceEntry>, ProtocolError> {
        Ok(vec![entry("test://static-text", "Static text")])
    }

    fn templates(&self) -> Vec<ResourceEntry> {
        vec![entry("test://template/{id}/data", "Data of an id")]
    }

    fn read(&self, uri: &str, _: &RequestContext<'_>) -> Result<String, ProtocolError> {
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        match (uri, id) {
            ("test://static-text", _) => {
                Ok("This is the content of the static text resource.".into())
            }
            (_, Some(id)) => Ok(format!("Data for ID: {id}")),
            _ => Err(ProtocolError::new(-32002, "Resource not found", None)),
        }
    }
}

fn entry(uri: &str, name: &str) -> ResourceEntry {
    ResourceEntry { uri: uri.into(), name: name.into(), description: name.into() }
}

/// A host without projects: the suite's tools need none.
struct NoProjects;

fn none<T>() -> Result<T, HostError> {
    Err(HostError::NotFound { message: "this server has no projects".into() })
}

impl Host for NoProjects {
    fn workspace(&self, _: Option<&Path>) -> Result<Workspace, HostError> {
        none()
    }

    fn is_registered(&self, _: &Path) -> Result<bool, HostError> {
        Ok(false)
    }

    fn open(&self, _: &Path) -> Result<Arc<Project>, HostError> {
        none()
    }

    fn open_sub_index(&self, _: &Path, _: &SubIndex) -> Result<Arc<Project>, HostError> {
        none()
    }

    fn save_sub_index(&self, _: &Path, _: &SubIndex) -> Result<(), HostError> {
        none()
    }

    fn sub_index(&self, _: &Path, _: &str) -> Result<Option<Arc<Project>>, HostError> {
        none()
    }

    fn chunks(&self, _: &Path) -> Result<Option<Arc<DocumentIndex>>, HostError> {
        none()
    }

    fn projects(&self) -> Result<Vec<IndexedProject>, HostError> {
        Ok(Vec::new())
    }

    fn delete_index(&self, _: &Path) -> Result<u64, HostError> {
        none()
    }

    fn names(&self) -> Result<Vec<NamedIndex>, HostError> {
        Ok(Vec::new())
    }

    fn default_name(&self, _: &Path) -> String {
        String::new()
    }

    fn add_name(&self, _: &Path, _: &str) -> Result<Option<PathBuf>, HostError> {
        none()
    }
}

fn main() -> std::io::Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        println!("http://{address}/mcp");
        let surfaces = Surfaces { first: Arc::new(Suite), others: Vec::new() };
        let policy = AccessPolicy { address, token: None };
        http::serve(listener, surfaces, Arc::new(NoProjects), policy, CancellationToken::new())
            .await
    })
}
