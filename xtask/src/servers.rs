//! Many servers on one project: how soon all of them answer with a change.

use crate::corpus::Corpus;
use crate::mcp::Server;
use crate::workspace::Programs;
use anyhow::{Result, bail};
use serde_json::json;
use std::fs;
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
    let home = corpus.scratch.join("home");
    let start = || Server::start(&programs.groma, &corpus.tree, &home);
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
            .map(|server| scope.spawn(move || await_definition(server, number)))
            .collect();
        asking.into_iter().try_for_each(|one| one.join().expect("asking does not panic"))
    })
}

fn await_definition(server: &mut Server, number: usize) -> Result<()> {
    let arguments = json!({ "query": name(number) });
    let started = Instant::now();
    while started.elapsed() < TIMEOUT {
        let text = server.call("search", &arguments)?;
        // The question has no brackets, so that they are those of the file.
        if text.contains(&format!("{}()", name(number))) {
            return Ok(());
        }
    }
    bail!("a server does not see a change")
}
