//! A client of the MCP server at the other end of an in-memory connection.

use crate::host::TestHost;
use crate::sample::Sample;
use groma_mcp::Server;
use groma_mcp::contracts::{Contract, ToolSet};
use groma_mcp::transport::stdio::Lines;
use groma_testkit::{ANSWER_TIMEOUT, Connection};
use serde_json::Value;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, OnceLock};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Bytes that either side may write before the other reads.
const BUFFER: usize = 1 << 20;

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().expect("a runtime"))
}

/// A connection to a server of its own.
pub struct Client(groma_testkit::Client<Memory>);

impl Client {
    /// Starts a server for the sample's project, with the options of the command line, and performs the handshake.
    pub fn start(sample: &Sample, options: &[&str]) -> Self {
        let (contract, tools) = chosen(sample, options);
        Self(groma_testkit::Client::connected(Memory::start(sample.host.clone(), contract, tools)))
    }

    /// Starts a server and sends nothing.
    pub fn spawn(sample: &Sample, options: &[&str]) -> Self {
        let (contract, tools) = chosen(sample, options);
        Self(groma_testkit::Client::new(Memory::start(sample.host.clone(), contract, tools)))
    }

    /// Starts a server over a host and performs the handshake.
    pub fn connected(host: TestHost, contract: Contract) -> Self {
        Self(groma_testkit::Client::connected(Memory::start(host, contract, ToolSet::Work)))
    }

    /// Starts a server over a host and sends nothing.
    pub fn over(host: TestHost, contract: Contract) -> Self {
        Self(groma_testkit::Client::new(Memory::start(host, contract, ToolSet::Work)))
    }

    /// Closes the connection and waits until the server has ended it.
    pub fn hang_up(self) {
        let mut connection = self.0.into_connection();
        runtime().block_on(async {
            connection.writer.shutdown().await.unwrap();
            let ended = tokio::time::timeout(ANSWER_TIMEOUT, connection.server).await;
            ended.expect("an end").unwrap();
        });
    }
}

/// The contract and the tools that the options of the command line choose.
fn chosen(sample: &Sample, options: &[&str]) -> (Contract, ToolSet) {
    let (mut contract, mut tools) = (Contract::Native, ToolSet::Work);
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match *option {
            "--contract" => contract = options.next().unwrap().parse().unwrap(),
            "--all-tools" => tools = ToolSet::All,
            "--verbose" => sample.host.set_verbose(),
            // Nothing is watched here.
            "--no-watch" => {}
            other => panic!("the harness has no option {other}"),
        }
    }
    (contract, tools)
}

impl Deref for Client {
    type Target = groma_testkit::Client<Memory>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// An in-memory connection to a server in this process.
pub struct Memory {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    server: JoinHandle<()>,
}

impl Memory {
    fn start(host: TestHost, contract: Contract, tools: ToolSet) -> Self {
        let server = Server::new(contract.surface(tools), Arc::new(host));
        let (ours, theirs) = duplex(BUFFER);
        let (reader, writer) = split(theirs);
        let server = runtime().spawn(async move {
            let transport = Lines::new(reader, writer);
            let stop = CancellationToken::new();
            if let Ok(running) = rmcp::service::serve_server_with_ct(server, transport, stop).await
            {
                let _ = running.waiting().await;
            }
        });
        let (reader, writer) = split(ours);
        Self { reader: BufReader::new(reader), writer, server }
    }
}

impl Connection for Memory {
    fn send(&mut self, line: &str) {
        let line = format!("{line}\n");
        runtime().block_on(self.writer.write_all(line.as_bytes())).unwrap();
    }

    fn receive(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = async {
            let read = self.reader.read_line(&mut line);
            tokio::time::timeout(ANSWER_TIMEOUT, read).await.expect("an answer")
        };
        let length = runtime().block_on(read).unwrap();
        (length > 0).then(|| serde_json::from_str(&line).unwrap())
    }
}
