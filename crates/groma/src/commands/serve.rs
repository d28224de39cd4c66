//! `groma serve`: the MCP server over HTTP, with all contracts on one listener.

use super::Call;
use super::serve_mcp::{close_idle_projects, runtime, stop_on_signal, tool_set};
use crate::failure::{Exit, Failure, Kind};
use crate::host::Projects;
use crate::logs::{self, LogArgs};
use anyhow::{Context, Result};
use clap::Args;
use groma_mcp::contracts::Contract;
use groma_mcp::transport::http::{self, AccessPolicy, Surfaces};
use serde_json::json;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How long running requests may take to stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);

const AFTER: &str = "\
Addresses:
  /mcp, /mcp/NAME   streamable HTTP, native (or --contract) and each contract by name
  /sse, /sse/NAME   HTTP+SSE, for clients from before 2025
  /health           health check: 503 with the reason if requests cannot be answered
  /metrics          metrics in Prometheus' text format

A client selects its project by its roots or by ?project=DIR in the address; else it is --workspace,
$GROMA_PROJECT or the repository that contains the working directory.

Clients can open the project the server was started for, projects that have an index, and what is in
a folder given by --allow.

The server accepts local connections only. Another --host requires a token in $GROMA_TOKEN, or in
the file $GROMA_TOKEN_FILE, which clients send as Authorization: Bearer.

With --json:
  url (printed when the server is ready)

Examples:
  groma serve
  groma serve --port 8000 --workspace ~/src/server
  groma serve --allow ~/src
  GROMA_TOKEN=$(openssl rand -hex 16) groma serve --host 0.0.0.0
  claude mcp add --transport http groma http://127.0.0.1:4766/mcp";

/// Serve coding assistants over MCP on HTTP
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ServeArgs {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    pub host: IpAddr,
    /// The port to listen on; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = 4766)]
    pub port: u16,
    /// The contract at /mcp and /sse
    #[arg(long, value_name = "NAME", default_value = "native")]
    pub contract: Contract,
    /// Offer the tools that maintain and explain an index, too
    #[arg(long)]
    pub all_tools: bool,
    /// The project's folder, for clients that select none
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// Let clients open any project in this folder; may be repeated
    #[arg(long, value_name = "DIR")]
    pub allow: Vec<PathBuf>,
    /// Index changes on the next query instead of in the background
    #[arg(long)]
    pub no_watch: bool,
    /// What is logged, and where.
    #[command(flatten)]
    pub logs: LogArgs,
}

/// Serves until the process is terminated.
pub fn run(args: &ServeArgs, call: &mut Call) -> Result<Exit> {
    if let Some(note) = logs::start(&args.logs) {
        call.remark(&format!("note: {note}"));
    }
    let surfaces = Surfaces::all(args.contract, tool_set(args.all_tools, args.contract)?);
    let token = call.environment.token.clone();
    if !args.host.is_loopback() && token.is_none() {
        let message = format!("{} accepts remote connections, so a token is required", args.host);
        return Err(Failure::new(Kind::Usage, message)
            .hint("set GROMA_TOKEN to a secret that clients send as Authorization: Bearer")
            .into());
    }
    let workspace = call.global.project.clone().or_else(|| args.workspace.clone());
    // The contracts share their engines, so no contract's variables select the embedder.
    let projects = Projects::new(call.environment.clone(), Contract::Native, workspace)
        .watching(!args.no_watch)
        .only_in(&args.allow);
    let host = Arc::new(projects);
    let runtime = runtime()?;
    runtime.block_on(async {
        let stop = CancellationToken::new();
        tokio::spawn(stop_on_signal(stop.clone()));
        tokio::spawn(close_idle_projects(Arc::downgrade(&host)));
        let listener = listen(SocketAddr::new(args.host, args.port)).await?;
        let address = listener.local_addr()?;
        announce(call, address)?;
        let policy = AccessPolicy { address, token };
        http::serve(listener, surfaces, host, policy, stop).await.context("the server failed")
    })?;
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    Ok(Exit::Fine)
}

async fn listen(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        Failure::new(Kind::Busy, format!("cannot listen on {address}: {error}"))
            .hint("stop the process that uses the port, or choose another with --port")
            .into()
    })
}

fn announce(call: &mut Call, address: SocketAddr) -> Result<()> {
    let url = format!("http://{address}/mcp");
    if call.global.json {
        call.printer.json(&json!({ "url": url }))?;
    } else {
        call.remark(&format!("serving {url}; Ctrl-C stops"));
    }
    call.printer.flush()?;
    Ok(())
}
