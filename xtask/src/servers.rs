//! Many servers on one project: how soon all of them answer with a change.

use crate::corpus::Corpus;
use crate::workspace::Programs;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How many assistants have the project open.
pub const SERVERS: usize = 16;

/// A server that has not answered with a change by then never will.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The time from saving a file until the last of the servers answers with what it says now, all asked at once.
/// Several times, the index being there already.
pub fn follow(programs: &Programs, corpus: &Corpus, times: usize) -> Result<Vec<Duration>> {
    // A server takes a folder of a repository for the repository, unless the folder has settings of its own.
    fs::write(corpus.tree.join(".groma.toml"), "")?;
    let file = corpus.tree.join("followed.rs");
    fs::write(&file, definition(0))?;
    let start = || Server::start(&programs.groma, corpus);
    let mut servers = (0..SERVERS).map(|_| start()).collect::<Result<Vec<_>>>()?;
    // The first query opens the project.
    all_answer(&mut servers, 0)?;
    let change = |number| {
        fs::write(&file, definition(number))?;
        let saved = Instant::now();
        all_answer(&mut servers, number)?;
        Ok(saved.elapsed())
    };
    (1..=times).map(change).collect()
}

fn name(number: usize) -> String {
    format!("followed_by_everybody_{number}")
}

fn definition(number: usize) -> String {
    format!("pub fn {}() {{}}\n", name(number))
}

/// Asks all servers for a definition at once, each until it has it.
fn all_answer(servers: &mut [Server], number: usize) -> Result<()> {
    std::thread::scope(|scope| {
        let asking: Vec<_> = servers
            .iter_mut()
            .map(|server| scope.spawn(move || server.await_definition(number)))
            .collect();
        asking.into_iter().try_for_each(|one| one.join().expect("asking does not panic"))
    })
}

/// A server, and the pipes to and from it.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Server {
    fn start(groma: &Path, corpus: &Corpus) -> Result<Self> {
        let mut child = Command::new(groma)
            .args(["serve-mcp", "--project"])
            .arg(&corpus.tree)
            .env("GROMA_HOME", corpus.scratch.join("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("cannot start a server")?;
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

    fn await_definition(&mut self, number: usize) -> Result<()> {
        let call =
            json!({ "name": "search_code", "arguments": { "query": name(number), "limit": 1 } });
        let started = Instant::now();
        while started.elapsed() < TIMEOUT {
            let answer = self.ask("tools/call", &call)?;
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
            // The question has no brackets, so that they are those of the file.
            if text.contains(&format!("{}()", name(number))) {
                return Ok(());
            }
        }
        bail!("a server does not see a change")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
