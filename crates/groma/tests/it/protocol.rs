//! The protocol: handshake, invalid messages, disconnecting.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};

#[test]
fn every_revision_with_a_handshake_is_supported() {
    let sample = Sample::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::spawn(&sample, &[]);
        let answer = client.greet(version, json!({}));
        assert_eq!(answer["result"]["protocolVersion"], version);
        assert_eq!(answer["result"]["serverInfo"]["name"], "groma");
        assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
        assert_eq!(client.hang_up(), Some(0));
    }
}

#[test]
fn a_query_needs_no_explicit_indexing() {
    let sample = Sample::new();
    let mut client = Client::start(&sample, &[]);
    let text = client.text("search", json!({ "query": "where are requests rate limited" }));
    assert!(text.contains("\nsrc/limit.rs\n"), "{text}");
    assert!(text.contains("pub fn allow"), "{text}");
}

#[test]
fn invalid_messages_get_protocol_errors() {
    let sample = Sample::new();
    let mut client = Client::start(&sample, &[]);
    client.send("{ this is no JSON");
    assert_eq!(client.next_message().unwrap()["error"]["code"], -32700);
    client.send("[1, 2]");
    assert_eq!(client.next_message().unwrap()["error"]["code"], -32600);
    client.send(r#"{"jsonrpc":"2.0","id":77,"method":5}"#);
    let answer = client.next_message().unwrap();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(77)));
    let answer = client.request("tools/call", json!({ "name": 5 }));
    assert_eq!(answer["error"]["code"], -32602);
    let answer = client.request("no/such/method", json!({}));
    assert_eq!(answer["error"]["code"], -32601);
    let error = client.error("no_such_tool", json!({}));
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("search"), "{error}");
    // Revision 2025-11-25: "input validation errors should be returned as tool execution errors".
    let text = client.text("search", json!({ "query": "x", "tests": "all" }));
    assert_eq!(text, "`tests` must be one of auto, include, only");
    let answer = client.call("search", json!({ "query": ["x"] }));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    let text = &answer["result"]["content"][0]["text"];
    assert_eq!(text, "`query` must be a string, not an array");
    // After all of that it still answers.
    assert!(client.request("ping", json!({}))["result"].is_object());
}

/// Revision 2025-03-26: "implementations MUST support receiving JSON-RPC batches"; JSON-RPC 2.0: "The Server should respond
/// with an Array containing the corresponding Response objects".
#[test]
fn batches_are_answered_in_their_revision() {
    let sample = Sample::new();
    let mut client = Client::spawn(&sample, &[]);
    client.greet("2025-03-26", json!({}));
    let ping = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    let search = json!({ "jsonrpc": "2.0", "id": 72, "method": "tools/call", "params": {
        "name": "search", "arguments": { "query": "where are requests rate limited" },
    } });
    let invalid = json!({ "jsonrpc": "2.0", "id": 73, "method": 5 });
    client.send(&json!([ping(71), note, search, invalid]).to_string());
    let answers = client.next_message().unwrap();
    let of = |id: u64| answers.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap();
    assert!(of(71)["result"].is_object(), "{answers}");
    assert!(of(72)["result"]["content"][0]["text"].as_str().unwrap().contains("src/limit.rs"));
    assert_eq!(of(73)["error"]["code"], -32600);
    client.send(&json!([note]).to_string());
    client.send("[]");
    assert_eq!(client.next_message().unwrap()["error"]["code"], -32600);
    let many: Vec<Value> = (100..140).map(ping).collect();
    client.send(&json!(many).to_string());
    assert_eq!(client.next_message().unwrap()["error"]["code"], -32600);
    let many: Vec<Value> = (100..132).map(ping).collect();
    client.send(&json!(many).to_string());
    assert_eq!(client.next_message().unwrap().as_array().unwrap().len(), 32);
    for later in ["2025-06-18", "2025-11-25"] {
        let mut client = Client::spawn(&sample, &[]);
        client.greet(later, json!({}));
        client.send(&json!([ping(71)]).to_string());
        assert_eq!(client.next_message().unwrap()["error"]["code"], -32600);
    }
}

/// JSON-RPC 2.0: "If there was an error in detecting the id in the Request object [...], it MUST be Null"; from revision
/// 2025-11-25 on the id is left out.
#[test]
fn an_error_without_a_request_has_the_id_of_its_revision() {
    let sample = Sample::new();
    for (version, id) in [
        ("2024-11-05", Some(Value::Null)),
        ("2025-03-26", Some(Value::Null)),
        ("2025-06-18", Some(Value::Null)),
        ("2025-11-25", None),
    ] {
        let mut client = Client::spawn(&sample, &[]);
        client.greet(version, json!({}));
        for line in ["{ this is no JSON", "5", r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#] {
            client.send(line);
            let answer = client.next_message().unwrap();
            assert_eq!(answer.get("id").cloned(), id, "{version} {line}: {answer}");
        }
    }
}

#[test]
fn ten_megabytes_of_garbage_are_survived() {
    let sample = Sample::new();
    let mut client = Client::start(&sample, &[]);
    client.send(&"x".repeat(10 << 20));
    assert_eq!(client.next_message().unwrap()["error"]["code"], -32700);
    client.send(&"y".repeat(20 << 20));
    assert_eq!(client.next_message().unwrap()["error"]["code"], -32600);
    let answer = client.call("search", json!({ "query": "z".repeat(5 << 20) }));
    assert_eq!(answer["result"]["isError"], true);
    assert!(client.request("ping", json!({}))["result"].is_object());
}

#[test]
fn the_client_s_roots_select_the_project() {
    let sample = Sample::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut client = Client::of(sample.command_in(elsewhere.path(), &["serve-mcp"]));
    client.greet("2025-06-18", json!({ "roots": { "listChanged": true } }));
    let arguments = json!({ "query": "rate limit", "format": "json" });
    let root = sample.root().display().to_string();
    let answer = client.call_with_root("search", arguments, &root);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let found: Value = serde_json::from_str(text).unwrap();
    assert_eq!(found["files"][0]["path"], "src/limit.rs");
}

/// A sample with enough files that indexing takes a while.
fn large() -> Sample {
    let sample = Sample::new();
    for number in 0..1500 {
        let text: String =
            (0..20).map(|f| format!("def work_{number}_{f}(x):\n    return x + {f}\n\n")).collect();
        sample.write(&format!("many/part{number}.py"), &text);
    }
    sample
}

fn call(tool: &str, arguments: Value, token: Value) -> Value {
    json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": token } })
}

#[test]
fn progress_has_a_real_total_and_grows() {
    let sample = large();
    let mut client = Client::start(&sample, &["--all-tools"]);
    let id = client.post("tools/call", call("index_codebase", json!({}), json!("job-1")));
    let answer = client.answer(id);
    assert!(
        answer["result"]["content"][0]["text"].as_str().unwrap().contains("1504 files"),
        "{answer}"
    );
    let reports: Vec<&Value> = client
        .notifications
        .iter()
        .filter(|message| message["method"] == "notifications/progress")
        .map(|message| &message["params"])
        .collect();
    assert!(reports.iter().all(|report| report["progressToken"] == "job-1"), "{reports:?}");
    let done: Vec<f64> =
        reports.iter().map(|report| report["progress"].as_f64().unwrap()).collect();
    assert!(done.windows(2).all(|pair| pair[0] < pair[1]), "{done:?}");
    assert!(reports.iter().any(|report| report["total"] == 1504.0), "{reports:?}");
}

#[test]
fn a_cancelled_index_run_stops_and_leaves_nothing() {
    let sample = large();
    let mut client = Client::start(&sample, &["--all-tools"]);
    let id = client.post("tools/call", call("index_codebase", json!({}), json!(1)));
    // Wait until it is running.
    while client.next_message().unwrap()["method"] != "notifications/progress" {}
    client.notify("notifications/cancelled", json!({ "requestId": id }));
    let asked = std::time::Instant::now();
    let status = client.json("index_status", json!({ "format": "json" }));
    assert_eq!(status["indexed"], false, "{status}");
    // The next run acquires the lock at once, so the cancelled one has released it.
    let report = client.json("index_codebase", json!({ "format": "json" }));
    assert_eq!(report["files"], 1504, "after {:?}: {report}", asked.elapsed());
    assert!(
        !client.notifications.iter().any(|message| message["id"] == id),
        "a cancelled call is not answered"
    );
}

#[test]
fn a_search_is_answered_while_another_call_indexes() {
    let sample = large();
    let mut client = Client::start(&sample, &["--all-tools"]);
    let other = Sample::new();
    let indexing = client.post("tools/call", call("index_codebase", json!({}), json!(1)));
    while client.next_message().unwrap()["method"] != "notifications/progress" {}
    let question = json!({ "query": "rate limit", "project": other.root() });
    let id = client.post("tools/call", json!({ "name": "search", "arguments": question }));
    let first = loop {
        let message = client.next_message().unwrap();
        if message.get("id").is_some() {
            break message;
        }
    };
    assert_eq!(first["id"], id, "the search waited for the index run");
    client.answer(indexing);
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_server_is_small_and_ends_on_request() {
    for signal in ["TERM", "INT"] {
        let sample = Sample::indexed();
        let mut client = Client::start(&sample, &[]);
        client.text("search", json!({ "query": "rate limit" }));
        let process = client.process().to_string();
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kilobytes < 100 << 10, "{kilobytes} kB");
        let told = std::process::Command::new("kill").args(["-s", signal, &process]).status();
        assert!(told.unwrap().success());
        assert!(client.next_message().is_none(), "there is no further message");
        assert_eq!(client.hang_up(), Some(0), "on {signal}");
    }
}

#[test]
fn a_server_whose_client_disconnects_during_a_run_ends_and_releases_the_lock() {
    let sample = large();
    let mut client = Client::start(&sample, &["--all-tools"]);
    client.post("tools/call", call("index_codebase", json!({}), json!(1)));
    while client.next_message().unwrap()["method"] != "notifications/progress" {}
    assert_eq!(client.hang_up(), Some(0));
    let report = sample.json(&["index"]);
    assert_eq!(report["files"], 1504);
}

#[test]
fn requests_before_the_handshake_are_rejected_and_the_handshake_still_works() {
    let sample = Sample::new();
    let mut client = Client::spawn(&sample, &[]);
    let answer = client.request("ping", json!({}));
    assert!(answer.get("result").is_some(), "{answer}");
    let answer = client.greet("2025-06-18", json!({}));
    assert_eq!(answer["result"]["serverInfo"]["name"], "groma");
}

#[test]
fn a_project_that_another_process_cleared_is_opened_again() {
    let sample = Sample::indexed();
    let mut client = Client::start(&sample, &["--all-tools"]);
    client.text("search", json!({ "query": "rate limit" }));
    assert_eq!(sample.run(&["clear", "--yes"]).code, Some(0));
    let text = client.text("search", json!({ "query": "rate limit" }));
    assert!(text.contains("\nsrc/limit.rs\n"), "{text}");
    let text = client.text("clear_index", json!({ "project": sample.root() }));
    assert!(text.starts_with("Cleared the index"), "{text}");
}

#[test]
fn all_tools_are_offered_on_request() {
    let sample = Sample::new();
    let names = |options: &[&str]| -> Vec<String> {
        let listed = Client::start(&sample, options).request("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names(&[]), ["search", "read", "grep", "symbol", "outline", "notes"]);
    let all = names(&["--all-tools"]);
    assert_eq!(all.len(), 10);
    assert!(all.contains(&"clear_index".to_string()), "{all:?}");
    for command in ["serve-mcp", "serve"] {
        let ran = sample.run(&[command, "--all-tools", "--contract", "cortex"]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(
            ran.stderr.contains("--all-tools is for the native contract, not for cortex"),
            "{ran:?}"
        );
        assert!(ran.stderr.contains("remove --all-tools or --contract"), "{ran:?}");
    }
}

/// A server whose client has asked for more than fits into the pipe, and reads nothing.
#[cfg(unix)]
fn unread_server(sample: &Sample) -> std::process::Child {
    use std::io::Write;
    use std::process::Stdio;
    sample.write("big.txt", &"a line of a large file\n".repeat(4000));
    let mut command = sample.command(&["serve-mcp"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut lines = vec![
        json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" } } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
    ];
    lines.extend((1..200).map(|id| {
        let arguments = json!({ "path": "big.txt", "max_tokens": 20_000 });
        let params = json!({ "name": "read", "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    }));
    let input = child.stdin.as_mut().unwrap();
    lines.iter().for_each(|line| writeln!(input, "{line}").unwrap());
    child
}

/// Waits for the end of a process; only a deadlock takes so long.
#[cfg(unix)]
fn ends(child: &mut std::process::Child) -> bool {
    let ended = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        child.try_wait().unwrap().is_some()
    });
    let _ = child.kill();
    let _ = child.wait();
    ended
}

#[cfg(unix)]
#[test]
fn a_server_ends_though_its_client_reads_nothing() {
    let sample = Sample::new();
    let mut closed = unread_server(&sample);
    // Until the output is full.
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(closed.stdin.take());
    assert!(ends(&mut closed), "after the end of input");
    let mut terminated = unread_server(&sample);
    std::thread::sleep(std::time::Duration::from_millis(500));
    let process = rustix::process::Pid::from_child(&terminated);
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    assert!(ends(&mut terminated), "after SIGTERM");
}
