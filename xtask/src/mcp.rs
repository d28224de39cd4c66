//! An MCP server on a project, and the client's side of its standard input and output.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A server, and the pipes to and from it.
pub struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    /// Starts a server with the native contract and default settings, with its indexes below `home`.
    pub fn start(groma: &Path, project: &Path, home: &Path) -> Result<Self> {
        let mut child = Command::new(groma)
            .args(["serve-mcp", "--project"])
            .arg(project)
            .env("GROMA_HOME", home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", groma.display()))?;
        let input = child.stdin.take().context("a server reads")?;
        let output = BufReader::new(child.stdout.take().context("a server answers")?);
        let mut server = Self { child, input, output, asked: 0 };
        let client = json!({ "name": "bench", "version": "1" });
        server.ask(
            "initialize",
            &json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client }),
        )?;
        server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    fn say(&mut self, message: &Value) -> Result<()> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }

    /// The answer to a request; what else the server says meanwhile does not matter here.
    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let mut line = String::new();
        loop {
            line.clear();
            ensure!(self.output.read_line(&mut line)? > 0, "a server ended");
            let message: Value = serde_json::from_str(&line)?;
            if message["id"] == id && message.get("method").is_none() {
                return Ok(message);
            }
        }
    }

    /// The names of its tools.
    pub fn tools(&mut self) -> Result<Vec<String>> {
        let answer = self.ask("tools/list", &json!({}))?;
        let tools = answer["result"]["tools"].as_array().context("a server lists its tools")?;
        Ok(tools.iter().filter_map(|tool| Some(tool["name"].as_str()?.to_string())).collect())
    }

    /// The text that a tool answers with.
    pub fn call(&mut self, tool: &str, arguments: &Value) -> Result<String> {
        let answer = self.ask("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        let result = &answer["result"];
        let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
        let text = texts.join("\n");
        let failed = result.is_null() || result["isError"] == true;
        ensure!(!failed, "{tool} failed: {text}{}", answer["error"]);
        Ok(text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
