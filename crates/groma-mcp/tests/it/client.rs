//! A client of the MCP server at the other end of an in-memory connection.

use crate::host::MemoryHost;
use crate::sample::Sample;
use groma_mcp::Server;
use groma_mcp::contracts::Contract;
use groma_mcp::transport::stdio::Lines;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Bytes that either side may write before the other reads.
const BUFFER: usize = 1 << 20;

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::new().expect("a runtime"))
}

/// A connection to a server of its own.
pub struct Client {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
    server: JoinHandle<()>,
    next: u64,
    /// The messages that were not answers.
    pub notifications: Vec<Value>,
}

impl Client {
    /// Starts a server for the sample's project, with the options of the command line, and shakes hands.
    pub fn start(sample: &Sample, options: &[&str]) -> Self {
        let mut client = Self::spawn(sample, options);
        let answer = client.greet("2025-06-18", json!({}));
        assert!(answer["result"]["serverInfo"]["name"].is_string(), "{answer}");
        client
    }

    /// Starts a server and sends nothing.
    pub fn spawn(sample: &Sample, options: &[&str]) -> Self {
        let mut contract = Contract::Native;
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match *option {
                "--contract" => contract = options.next().unwrap().parse().unwrap(),
                "--verbose" => sample.host.set_verbose(),
                // Nothing is watched here.
                "--no-watch" => {}
                other => panic!("the harness has no option {other}"),
            }
        }
        Self::over(sample.host.clone(), contract)
    }

    /// Starts a server over a host and sends nothing.
    pub fn over(host: MemoryHost, contract: Contract) -> Self {
        let server = Server::new(contract.surface(), Arc::new(host));
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
        Self { reader: BufReader::new(reader), writer, server, next: 1, notifications: Vec::new() }
    }

    /// The handshake, in a version of the protocol; the server's answer to it.
    pub fn greet(&mut self, version: &str, capabilities: Value) -> Value {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        runtime().block_on(self.writer.write_all(line.as_bytes())).unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        let read = async {
            tokio::time::timeout(TIMEOUT, self.reader.read_line(&mut line))
                .await
                .expect("an answer")
        };
        assert!(runtime().block_on(read).unwrap() > 0, "the server closed the connection");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request without waiting; its id.
    pub fn post(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request that was posted. Other messages are kept as notifications.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Sends a request; the whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    /// Calls a tool; the whole answer, with `result` or `error`.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool; the text of its first block.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text: {answer:#}")).to_string()
    }

    /// Calls a tool; the JSON in its first block.
    pub fn json(&mut self, tool: &str, arguments: Value) -> Value {
        let text = self.text(tool, arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Calls a tool that must fail with a protocol error; the error.
    pub fn error(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments);
        assert!(answer.get("error").is_some(), "no error: {answer:#}");
        answer["error"].clone()
    }

    /// Closes the connection and waits until the server has ended it.
    pub fn hang_up(mut self) {
        runtime().block_on(async {
            self.writer.shutdown().await.unwrap();
            tokio::time::timeout(TIMEOUT, self.server).await.expect("an end").unwrap();
        });
    }
}
