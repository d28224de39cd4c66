//! `groma serve-mcp`: the MCP server on standard input and output.

use super::Call;
use crate::failure::{Exit, Failure, Kind};
use crate::host::Projects;
use crate::logs::{self, LogArgs};
use anyhow::{Context, Result};
use clap::Args;
use groma_mcp::contracts::{Contract, ToolSet};
use groma_mcp::{Host, Metrics, Server, transport};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long running requests may take to stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

const AFTER: &str = "\
The project is the root that the client reports, else --workspace, else $GROMA_PROJECT, else the
repository that contains the working directory. It is indexed on the first query.

Examples:
  groma serve-mcp
  groma serve-mcp --workspace ~/src/server
  groma serve-mcp --contract cocosearch
  groma serve-mcp --all-tools
  claude mcp add groma -- groma serve-mcp";

/// Serve a coding assistant over MCP on standard input and output
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct ServeMcpArgs {
    /// The contract whose tools are offered
    #[arg(long, value_name = "NAME", default_value = "native")]
    pub contract: Contract,
    /// Offer the tools that maintain and explain an index, too
    #[arg(long)]
    pub all_tools: bool,
    /// The project's folder, for clients that do not report roots
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,
    /// With `--contract cortex`: serve the chunk files of this folder instead of the index
    #[arg(long, value_name = "DIR")]
    pub chunks_dir: Option<PathBuf>,
    /// Index changes on the next query instead of in the background
    #[arg(long)]
    pub no_watch: bool,
    /// What is logged, and where.
    #[command(flatten)]
    pub logs: LogArgs,
}

/// Serves until the client disconnects or the process is terminated.
pub fn run(args: &ServeMcpArgs, call: &mut Call) -> Result<Exit> {
    if let Some(note) = logs::start(&args.logs) {
        call.remark(&format!("note: {note}"));
    }
    let tools = tool_set(args.all_tools, args.contract)?;
    let workspace = call.global.project.clone().or_else(|| args.workspace.clone());
    let projects = Projects::new(call.environment.clone(), args.contract, workspace)
        .verbose(call.global.verbose)
        .watching(!args.no_watch)
        .with_chunks(args.chunks_dir.as_deref());
    let host = Arc::new(projects);
    match args.contract {
        Contract::Cortex => {
            host.check_service()?;
            load_chunks(&*host)?;
        }
        _ if args.chunks_dir.is_some() => {
            let message = "--chunks-dir is for the cortex contract";
            return Err(Failure::new(Kind::Usage, message).hint("add --contract cortex").into());
        }
        _ => {}
    }
    let metrics = Arc::new(Metrics::default());
    let server = Server::counted(args.contract.surface(tools), host, metrics.clone());
    let runtime = runtime()?;
    runtime.block_on(async {
        let stop = CancellationToken::new();
        tokio::spawn(stop_on_signal(stop.clone()));
        transport::stdio::serve(server, stop).await
    })?;
    metrics.log_summary();
    // The thread that reads standard input cannot be interrupted; it ends with the process.
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    Ok(Exit::Fine)
}

/// The tools that `--all-tools` chooses; the other contracts define theirs.
pub fn tool_set(all_tools: bool, contract: Contract) -> Result<ToolSet> {
    match contract {
        Contract::Native if all_tools => Ok(ToolSet::All),
        _ if all_tools => {
            let message = format!("--all-tools is for the native contract, not for {contract}");
            Err(Failure::new(Kind::Usage, message).hint("remove --all-tools or --contract").into())
        }
        _ => Ok(ToolSet::Work),
    }
}

/// Loads the chunk files of the project, so that a missing folder is reported at start.
fn load_chunks(host: &dyn Host) -> Result<()> {
    let Ok(workspace) = host.workspace(None) else { return Ok(()) };
    match host.chunks(&workspace.root) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::new(Kind::NotFound, error.to_string()).into()),
    }
}

/// Maximum number of tool calls that run at a time, with the reads and writes of standard input and output.
const MAX_CALLS: usize = 64;

/// Two threads handle the protocol; tool calls run on blocking threads.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(MAX_CALLS)
        .enable_all()
        .build()
        .context("cannot start the threads of the server")
}

/// Cancels `stop` on a termination signal.
pub async fn stop_on_signal(stop: CancellationToken) {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut term), Ok(mut hangup)) =
            (signal(SignalKind::terminate()), signal(SignalKind::hangup()))
        {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = term.recv() => {}
                _ = hangup.recv() => {}
            }
            stop.cancel();
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_ok() {
        stop.cancel();
    }
}
