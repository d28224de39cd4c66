//! Groma in the place of another program: by a link of its name, with its own command line and variables.
#![cfg(unix)]

use crate::client::Client;
use crate::sample::Sample;
use groma_testkit::git_init;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Installs Groma under a name; returns the link.
fn install(sample: &Sample, name: &str) -> PathBuf {
    let folder = sample.home().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let ran = sample.run(&["install", "--as", name, "--dir", folder.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    folder.join(name)
}

/// The command of a link, in the environment of the tests.
fn command(sample: &Sample, link: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(link);
    let plain = sample.command(&[]);
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.args(arguments).current_dir(sample.root());
    command
}

/// Starts a program by its name and arguments; returns what it says of itself and its tools.
fn served(sample: &Sample, name: &str, arguments: &[&str]) -> (Client, String, Vec<String>) {
    let mut client = Client::of(command(sample, &install(sample, name), arguments));
    let greeting = client.greet("2025-06-18", json!({}));
    let server = greeting["result"]["serverInfo"]["name"].as_str().unwrap().to_string();
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap().iter();
    let names = tools.map(|tool| tool["name"].as_str().unwrap().to_string()).collect();
    (client, server, names)
}

/// "Transport: JSON-RPC 2.0 over stdio": the program is started without arguments.
#[test]
fn gocontext_mcp() {
    let sample = Sample::new();
    sample.write("go.mod", "module example.com/x\n\ngo 1.21\n");
    sample.write("main.go", "package main\n\n// Serve serves.\nfunc Serve() {\n}\n");
    let (mut client, server, tools) = served(&sample, "gocontext-mcp", &[]);
    assert_eq!(server, "gocontext-mcp");
    assert_eq!(tools, ["index_codebase", "search_code", "get_status"]);
    let indexed = client.json("index_codebase", json!({ "path": sample.root() }));
    assert_eq!(indexed["success"], true, "{indexed}");
    let link = sample.home().join("bin/gocontext-mcp");
    let ran = sample.ran(command(&sample, &link, &["--version"]).output().unwrap());
    assert!(ran.stdout.starts_with("gocontext-mcp "), "{ran:?}");
    // GOCONTEXT_DB_PATH
    let database = sample.home().join("own/gocontext.db");
    let mut own = command(&sample, &link, &[]);
    own.env("GOCONTEXT_DB_PATH", &database);
    let mut client = Client::of(own);
    client.greet("2024-11-05", json!({}));
    let status = client.json("get_status", json!({ "path": sample.root() }));
    assert_eq!(status["indexed"], false, "another place: {status}");
    client.json("index_codebase", json!({ "path": sample.root() }));
    assert!(sample.home().join("own/gocontext.groma").is_dir());
}

/// "| `codecompass serve-mcp [--workspace PATH]` | Start MCP server (stdio) |"
#[test]
fn codecompass_serve_mcp_workspace() {
    let sample = Sample::new();
    git_init(&sample.root());
    let link = install(&sample, "codecompass");
    let run = |arguments: &[&str]| {
        let ran = sample.ran(command(&sample, &link, arguments).output().unwrap());
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        ran
    };
    assert!(run(&["init"]).stdout.contains("version control  git"));
    run(&["index", "--force", "--path", ".", "--ref", "main"]);
    run(&["sync", "--force", "--workspace", "."]);
    assert!(run(&["search", "RateLimiter", "--lang", "rust"]).stdout.contains("src/limit.rs"));
    run(&["doctor", "--verbose"]);
    let settings = sample.home().join("other.toml");
    std::fs::write(&settings, "[index]\nexclude = [\"*.rs\"]\n").unwrap();
    let told = run(&["index", "--config", settings.to_str().unwrap()]);
    assert!(told.stdout.contains("1 removed"), "{told:?}");
    let root = sample.root().display().to_string();
    let (mut client, server, tools) =
        served(&sample, "codecompass", &["serve-mcp", "--workspace", &root]);
    assert_eq!(server, "codecompass");
    assert_eq!(tools[0], "index_repo");
    let status = client.json("index_status", json!({}));
    assert_eq!(status["repo_root"], root);
    // "Get current indexing status and job history for a project", with "codecompass sync ... (CLI wrapper over `sync_repo`)".
    let jobs = status["recent_jobs"].as_array().unwrap().iter();
    let jobs: Vec<String> = jobs
        .map(|job| format!("{} {} {}", job["ref"], job["mode"], job["status"]).replace('"', ""))
        .collect();
    let full = "main full published";
    assert_eq!(jobs, ["main incremental published", full, full, full], "{status:#}");
}

/// "cortex mcp", and `cortex index --watch` keeps the chunks up to date.
#[test]
fn cortex_mcp() {
    let sample = Sample::new();
    let link = install(&sample, "cortex");
    let ran = sample.ran(command(&sample, &link, &["index"]).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(sample.root().join(".cortex/chunks/code-symbols.json").exists());
    let (mut client, server, tools) = served(&sample, "cortex", &["mcp"]);
    assert_eq!((server.as_str(), &*tools), ("cortex-mcp", &["cortex_search".to_string()][..]));
    let found = client.json("cortex_search", json!({ "query": "rate limiter", "limit": 1 }));
    assert_eq!(found["total"], 1, "{found}");
    drop(client);
    let ran = sample.ran(command(&sample, &link, &["clean"]).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!sample.root().join(".cortex/chunks/code-symbols.json").exists());
}

#[test]
fn cocosearch_mcp() {
    let sample = Sample::new();
    let link = install(&sample, "cocosearch");
    let run = |arguments: &[&str]| {
        let ran = sample.ran(command(&sample, &link, arguments).output().unwrap());
        assert_eq!(ran.code, Some(0), "{arguments:?}: {ran:?}");
        serde_json::from_str::<Value>(&ran.stdout).unwrap_or_default()
    };
    assert_eq!(run(&["index", ".", "-n", "my-api"])["files"], 4);
    let found = run(&["search", "RateLimiter", "-n", "my_api", "-l", "1"]);
    assert_eq!(found["results"][0]["path"], "src/limit.rs", "{found}");
    let (mut client, server, tools) = served(&sample, "cocosearch", &["mcp"]);
    assert_eq!((server.as_str(), tools.len()), ("cocosearch", 6));
    assert_eq!(client.json("list_indexes", json!({}))["name"], "my-api");
    run(&["clear", "my-api", "--force"]);
    let ran = sample.ran(command(&sample, &link, &["stats", "my-api"]).output().unwrap());
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.stderr.contains("Index 'my-api' not found"), "{ran:?}");
}

#[test]
fn context_tool_serve() {
    let sample = Sample::new();
    let (_client, server, tools) = served(&sample, "context-tool", &["serve"]);
    assert_eq!(server, "context-tool");
    assert_eq!(tools, ["context_search", "read_file", "grep_codebase"]);
    drop(_client);
    let link = sample.home().join("bin/context-tool");
    let ran = sample.ran(command(&sample, &link, &["show"]).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// "logger.info('Tool called', { tool, params, sessionId, timestamp })" with CONTEXT_TOOL_LOG_LEVEL, and the document's
/// metrics: "Tool call counts (by tool name)", "Success/failure rates", "Execution times (p50, p95, p99)", "Error types
/// and frequencies", "Rate limit hits".
#[test]
fn context_tool_logs_by_its_variable() {
    let sample = Sample::new();
    let link = install(&sample, "context-tool");
    let path = sample.home().join("stderr");
    let mut serve = command(&sample, &link, &["serve"]);
    serve.env("CONTEXT_TOOL_LOG_LEVEL", "info");
    let mut client = Client::with_stderr(serve, std::fs::File::create(&path).unwrap());
    client.greet("2025-06-18", json!({}));
    client.call("grep_codebase", json!({ "pattern": "RateLimiter" }));
    client.call("read_file", json!({ "path": "no/such/file.rs" }));
    for _ in 0..31 {
        client.call("context_search", json!({ "query": "ab" }));
    }
    assert_eq!(client.hang_up(), Some(0));
    let text = std::fs::read_to_string(path).unwrap();
    let line = |parts: &[&str]| {
        let is_it = |line: &&str| parts.iter().all(|part| line.contains(part));
        text.lines().find(is_it).unwrap_or_else(|| panic!("{parts:?}\n{text}"))
    };
    line(&["tool called", "tool=\"grep_codebase\"", "session=\"session-", "pattern=\"RateL\"…"]);
    line(&["tool completed", "tool=\"grep_codebase\"", "success=true", "results=", "size="]);
    line(&["tool completed", "tool=\"read_file\"", "success=false"]);
    line(&["calls of the session", "tool=\"read_file\"", "calls=1 failed=1", "not_found=1"]);
    let searches = line(&["calls of the session", "tool=\"context_search\"", "calls=31"]);
    for part in ["rate_limited=1", "invalid_params=30", "p50=", "p95=", "p99="] {
        assert!(searches.contains(part), "{part} {searches}");
    }
}

#[test]
fn groma_as_a_program_needs_no_link() {
    let sample = Sample::new();
    let mut client = Client::of(sample.command(&["as", "cortex", "mcp"]));
    let greeting = client.greet("2025-06-18", json!({}));
    assert_eq!(greeting["result"]["serverInfo"]["name"], "cortex-mcp");
    let ran = sample.run(&["as", "codecompass", "search"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("codecompass search"), "{ran:?}");
    let ran = sample.run(&["as", "emacs"]);
    assert!(ran.stderr.contains("`emacs` is none of gocontext-mcp, context-tool,"), "{ran:?}");
}

#[test]
fn a_link_replaces_nothing_unasked() {
    let sample = Sample::new();
    let link = install(&sample, "cortex");
    install(&sample, "cortex");
    std::fs::remove_file(&link).unwrap();
    std::fs::write(&link, "something else").unwrap();
    let folder = sample.home().join("bin").display().to_string();
    let ran = sample.run(&["install", "--as", "cortex", "--dir", &folder]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("--force"), "{ran:?}");
    let ran = sample.run(&["install", "--as", "cortex", "--dir", &folder, "--force"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(std::fs::read_link(&link).is_ok());
}
