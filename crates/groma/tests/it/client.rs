//! A client of the MCP server: the real program on the other end of two pipes.

use crate::sample::Sample;
use groma_testkit::{ANSWER_TIMEOUT, Connection};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::ops::{Deref, DerefMut};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

/// A connection to `groma serve-mcp`.
pub struct Client(groma_testkit::Client<Process>);

impl Client {
    /// Starts the server in the sample's folder and performs the handshake.
    pub fn start(sample: &Sample, arguments: &[&str]) -> Self {
        let command = sample.command(&[&["serve-mcp"], arguments].concat());
        Self(groma_testkit::Client::connected(Process::start(command, Stdio::null())))
    }

    /// Starts the server without a handshake.
    pub fn spawn(sample: &Sample, arguments: &[&str]) -> Self {
        Self::of(sample.command(&[&["serve-mcp"], arguments].concat()))
    }

    /// A client of the program that `command` starts.
    pub fn of(command: Command) -> Self {
        Self::with_stderr(command, Stdio::null())
    }

    /// The same, with standard error going elsewhere.
    pub fn with_stderr(command: Command, stderr: impl Into<Stdio>) -> Self {
        Self(groma_testkit::Client::new(Process::start(command, stderr)))
    }

    /// Disconnects; returns the exit code of the server.
    pub fn hang_up(self) -> Option<i32> {
        let mut process = self.0.into_connection();
        process.stdin.take();
        process.child.wait().unwrap().code()
    }

    /// The process id of the server.
    pub fn process(&self) -> u32 {
        self.0.connection().child.id()
    }
}

impl Deref for Client {
    type Target = groma_testkit::Client<Process>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Client {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// A server in a process of its own, which ends with it.
pub struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
}

impl Process {
    fn start(mut command: Command, stderr: impl Into<Stdio>) -> Self {
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
        Self { child, stdin, messages }
    }
}

impl Connection for Process {
    fn send(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(line.as_bytes()).unwrap();
        stdin.write_all(b"\n").unwrap();
        stdin.flush().unwrap();
    }

    fn receive(&mut self) -> Option<Value> {
        match self.messages.recv_timeout(ANSWER_TIMEOUT) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server did not answer"),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stdin.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
