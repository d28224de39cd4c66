//! A client of the MCP server: the real program on the other end of two pipes.

use crate::sample::Sample;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Long enough for a loaded machine; reached only by a test that fails.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A connection to `groma serve-mcp`.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    next: u64,
    /// Messages that are not responses.
    pub notifications: Vec<Value>,
}

impl Client {
    /// Starts the server in the sample's folder and performs the handshake.
    pub fn start(sample: &Sample, arguments: &[&str]) -> Self {
        let mut client = Self::spawn(sample, arguments);
        let answer = client.greet("2025-06-18", json!({}));
        assert!(answer["result"]["serverInfo"]["name"].is_string(), "{answer}");
        client
    }

    /// Starts the server without a handshake.
    pub fn spawn(sample: &Sample, arguments: &[&str]) -> Self {
        Self::of(sample.command(&[&["serve-mcp"], arguments].concat()))
    }

    /// A client of the program that `command` starts.
    pub fn of(command: std::process::Command) -> Self {
        Self::with_stderr(command, Stdio::null())
    }

    /// The same, with standard error going elsewhere.
    pub fn with_stderr(mut command: std::process::Command, stderr: impl Into<Stdio>) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).unwrap_or_else(
                    |error| json!({ "not JSON": line, "error": error.to_string() }),
                );
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, stdin, messages, next: 1, notifications: Vec::new() }
    }

    /// Performs the handshake in a version of the protocol; returns the response.
    pub fn greet(&mut self, version: &str, capabilities: Value) -> Value {
        let answer = self.request(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        self.notify("notifications/initialized", json!({}));
        answer
    }

    /// Sends a raw line.
    pub fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    /// Sends a request without waiting; returns its id.
    pub fn post(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string(),
        );
        id
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// The next message of any kind.
    pub fn next(&mut self) -> Option<Value> {
        match self.messages.recv_timeout(TIMEOUT) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server did not answer"),
        }
    }

    /// The response to a request. Messages that arrive before it are kept as notifications.
    pub fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().expect("the server hung up");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.notifications.push(message);
        }
    }

    /// Sends a request; returns the response.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    /// Calls a tool; returns the response, with `result` or `error`.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments }))
    }

    /// Calls a tool; returns the text of the first block.
    pub fn text(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("no text: {answer:#}")).to_string()
    }

    /// Calls a tool; returns the JSON in the first block.
    pub fn json(&mut self, tool: &str, arguments: Value) -> Value {
        let text = self.text(tool, arguments);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Calls a tool that must fail with a protocol error; returns the error.
    pub fn error(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments);
        assert!(answer.get("error").is_some(), "no error: {answer:#}");
        answer["error"].clone()
    }

    /// Disconnects; returns the exit code of the server.
    pub fn hang_up(mut self) -> Option<i32> {
        self.stdin.take();
        self.child.wait().unwrap().code()
    }

    /// The process id of the server.
    pub fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stdin.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
