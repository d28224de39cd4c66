//! The server over HTTP: streamable HTTP, the older HTTP+SSE, and access control.

use crate::sample::Sample;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::Duration;
use ureq::Agent;
use ureq::http::{Response, StatusCode};

/// A running `groma serve`.
struct Service {
    child: Child,
    url: String,
    agent: Agent,
}

impl Service {
    fn start(sample: &Sample, arguments: &[&str]) -> Self {
        let mut command =
            sample.command(&[&["serve", "--port", "0", "--json"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        while !text.contains('}') {
            assert_ne!(stdout.read_line(&mut text).unwrap(), 0, "the server ended: {text}");
        }
        let ready: Value = serde_json::from_str(&text).unwrap();
        let url = ready["url"].as_str().unwrap().trim_end_matches("/mcp").to_string();
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(60)));
        Self { child, url, agent: config.build().new_agent() }
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &Value) -> Response<ureq::Body> {
        let mut request = self
            .agent
            .post(format!("{}{path}", self.url))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send(body.to_string()).unwrap()
    }

    /// The answer to a request on a session.
    fn ask(&self, path: &str, session: &str, body: &Value) -> Value {
        let response = self.post(path, &[("mcp-session-id", session)], body);
        assert_eq!(response.status(), StatusCode::OK);
        answer(response)
    }

    /// Opens a session; returns its id and the server's description.
    fn greet(&self, path: &str) -> (String, Value) {
        let response = self.post(path, &[], &greeting());
        let session = response.headers()["mcp-session-id"].to_str().unwrap().to_string();
        let said = answer(response);
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let response = self.post(path, &[("mcp-session-id", &session)], &ready);
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        (session, said)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn greeting() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    } })
}

fn search(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": "search",
        "arguments": { "query": "where are requests rate limited" },
    } })
}

/// The last message with an id in a body of events or of plain JSON.
fn answer(mut response: Response<ureq::Body>) -> Value {
    let text = response.body_mut().read_to_string().unwrap();
    let events = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut messages = events.filter_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
    messages
        .rfind(|message| message.get("id").is_some())
        .unwrap_or_else(|| serde_json::from_str(&text).unwrap())
}

#[test]
fn streamable_http_serves_each_surface_at_its_address() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    for path in ["/mcp", "/mcp/native"] {
        let (session, said) = service.greet(path);
        assert_eq!(said["result"]["serverInfo"]["name"], "groma");
        let found = service.ask(path, &session, &search(2));
        let text = found["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("\nsrc/limit.rs\n"), "{text}");
    }
    let unknown = service.post("/mcp/none", &[], &greeting());
    assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
}

#[test]
fn the_stateless_revision_is_supported() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let headers = |method| [("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    let discover = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": { "_meta": meta } });
    let found = answer(service.post("/mcp", &headers("server/discover"), &discover));
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let mut call = search(2);
    call["params"]["_meta"] = meta;
    let headers = [&headers("tools/call")[..], &[("mcp-name", "search")]].concat();
    let found = answer(service.post("/mcp", &headers, &call));
    let text = found["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{found}"));
    assert!(text.contains("\nsrc/limit.rs\n"), "{text}");
}

#[test]
fn old_clients_are_served_over_sse() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let mut stream = service.agent.get(format!("{}/sse", service.url)).call().unwrap();
    let mut events = BufReader::new(stream.body_mut().as_reader());
    let address = next_event(&mut events, "endpoint");
    assert!(address.starts_with("/sse?session_id="), "{address}");
    let send = |body: &Value| service.post(&address, &[], body).status();
    assert_eq!(send(&greeting()), StatusCode::ACCEPTED);
    let said: Value = serde_json::from_str(&next_event(&mut events, "message")).unwrap();
    assert_eq!(said["result"]["serverInfo"]["name"], "groma");
    send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    send(&search(2));
    let found: Value = serde_json::from_str(&next_event(&mut events, "message")).unwrap();
    assert!(found["result"]["content"][0]["text"].as_str().unwrap().contains("\nsrc/limit.rs\n"));
    assert_eq!(
        service.post("/sse?session_id=none", &[], &search(3)).status(),
        StatusCode::NOT_FOUND
    );
    assert_eq!(service.post("/sse", &[], &search(3)).status(), StatusCode::BAD_REQUEST);
}

fn next_event(events: &mut impl BufRead, name: &str) -> String {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(events.read_line(&mut line).unwrap(), 0, "the stream ended");
        if line.trim() == format!("event: {name}") {
            line.clear();
            events.read_line(&mut line).unwrap();
            return line.trim().trim_start_matches("data: ").to_string();
        }
    }
}

#[test]
fn unauthorized_requests_are_rejected() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let page = [("origin", "https://evil.example")];
    assert_eq!(service.post("/mcp", &page, &greeting()).status(), StatusCode::FORBIDDEN);
    let rebound = [("host", "evil.example")];
    assert_eq!(service.post("/mcp", &rebound, &greeting()).status(), StatusCode::FORBIDDEN);
    let ran = sample.run(&["serve", "--host", "0.0.0.0", "--port", "0"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("GROMA_TOKEN"), "{}", ran.stderr);
}

#[test]
fn invalid_bodies_are_rejected_and_the_server_continues() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let (session, _) = service.greet("/mcp");
    let send = |body: &str| {
        let request = service.agent.post(format!("{}/mcp", service.url));
        let request = request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-session-id", &session);
        request.send(body).map(|response| response.status().as_u16())
    };
    for body in ["{ no JSON", "[]", "", "5", "{}"] {
        assert_eq!(send(body).unwrap(), 400, "{body}");
    }
    // The server may close the connection before all of it is sent.
    assert!(send(&"x".repeat(20 << 20)).map_or(true, |status| status == 413));
    let mut health = service.agent.get(format!("{}/health", service.url)).call().unwrap();
    let mut text = String::new();
    health.body_mut().as_reader().read_to_string(&mut text).unwrap();
    assert!(text.contains("\"ok\""), "{text}");
}

/// JSON-RPC 2.0: "-32700 Parse error", and the id is null if the request's cannot be known.
#[test]
fn malformed_json_is_a_parse_error() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let error = |headers: &[(&str, &str)], body: &str| -> Value {
        let mut request = service
            .agent
            .post(format!("{}/mcp", service.url))
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = request.send(body).unwrap();
        assert_eq!(response.status(), StatusCode::BAD_REQUEST);
        serde_json::from_str(&response.body_mut().read_to_string().unwrap()).unwrap()
    };
    let malformed = error(&[], "{ \"jsonrpc\": ");
    assert_eq!((&malformed["error"]["code"], &malformed["id"]), (&json!(-32700), &Value::Null));
    assert!(malformed.as_object().unwrap().contains_key("id"), "{malformed}");
    let latest = error(&[("mcp-protocol-version", "2025-11-25")], "{ \"jsonrpc\": ");
    assert!(!latest.as_object().unwrap().contains_key("id"), "{latest}");
    let invalid = error(&[], r#"{ "jsonrpc": "1.0", "id": 4, "method": "ping" }"#);
    assert_eq!((&invalid["error"]["code"], &invalid["id"]), (&json!(-32600), &json!(4)));
}

/// Revision 2025-03-26: "implementations MUST support receiving JSON-RPC batches".
#[test]
fn batches_are_answered_in_their_revision() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let (session, _) = service.greet("/mcp");
    let ping = |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" });
    let batch = json!([ping(7), note, search(8), { "jsonrpc": "2.0", "id": 9, "method": 5 }]);
    let send = |headers: &[(&str, &str)], body: &Value| {
        let session = [("mcp-session-id", session.as_str())];
        service.post("/mcp", &[&session, headers].concat(), body)
    };
    let mut response = send(&[], &batch);
    assert_eq!(response.status(), StatusCode::OK);
    let text = response.body_mut().read_to_string().unwrap();
    let answers: Vec<Value> = text
        .lines()
        .filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?.trim()).ok())
        .collect();
    let of = |id: u64| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert!(of(7)["result"].is_object() && of(9)["error"]["code"] == -32600, "{text}");
    assert!(of(8)["result"]["content"][0]["text"].as_str().unwrap().contains("src/limit.rs"));
    assert_eq!(send(&[], &json!([note])).status(), StatusCode::ACCEPTED);
    let later = [("mcp-protocol-version", "2025-06-18")];
    assert_eq!(send(&later, &batch).status(), StatusCode::BAD_REQUEST);
    assert_eq!(send(&[], &json!([greeting()])).status(), StatusCode::BAD_REQUEST);
}

/// CodeCompass over HTTP: "POST / JSON-RPC, GET /health".
#[test]
fn the_first_surface_is_at_the_root_too() {
    let sample = Sample::new();
    let service = Service::start(&sample, &["--contract", "codecompass"]);
    let (session, said) = service.greet("/");
    assert_eq!(said["result"]["serverInfo"]["name"], "codecompass");
    let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "index_status", "arguments": {},
    } });
    let answer = service.ask("/", &session, &call);
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "project_not_found");
    // An error in an ordinary answer is counted as one.
    let (_, text) = get(&service, "/metrics");
    let labels = "surface=\"codecompass\",tool=\"index_status\"";
    for line in [
        format!("groma_tool_calls_total{{{labels},outcome=\"failure\"}} 1"),
        format!("groma_tool_errors_total{{{labels},error=\"project_not_found\"}} 1"),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
}

/// The SDKs accept 200 and 204 and warn about any other status.
#[test]
fn an_ended_session_is_gone() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let (session, _) = service.greet("/mcp");
    let delete = || {
        let request = service.agent.delete(format!("{}/mcp", service.url));
        request.header("mcp-session-id", &session).call().unwrap().status()
    };
    assert_eq!(delete(), StatusCode::NO_CONTENT);
    let response = service.post("/mcp", &[("mcp-session-id", &session)], &search(3));
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
}

#[test]
fn all_tools_are_offered_over_http_on_request() {
    let sample = Sample::new();
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {} });
    for (options, count) in [(&[][..], 6), (&["--all-tools"][..], 10)] {
        let service = Service::start(&sample, options);
        for path in ["/mcp", "/mcp/native"] {
            let (session, _) = service.greet(path);
            let listed = service.ask(path, &session, &list);
            assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), count, "{listed}");
        }
    }
}

fn get(service: &Service, path: &str) -> (StatusCode, String) {
    let mut response = service.agent.get(format!("{}{path}", service.url)).call().unwrap();
    (response.status(), response.body_mut().read_to_string().unwrap())
}

#[test]
fn metrics_count_calls_runs_and_sessions() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let (session, _) = service.greet("/mcp");
    for id in 2..4 {
        service.ask("/mcp", &session, &search(id));
    }
    let unknown = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
        "name": "made-up-by-a-client", "arguments": {},
    } });
    service.ask("/mcp", &session, &unknown);
    let (status, text) = get(&service, "/metrics");
    assert_eq!(status, StatusCode::OK);
    let labels = "surface=\"native\",tool=\"search\"";
    for line in [
        format!("groma_tool_calls_total{{{labels},outcome=\"success\"}} 2"),
        format!("groma_tool_duration_seconds_count{{{labels}}} 2"),
        format!("groma_tool_duration_quantile_seconds{{{labels},quantile=\"0.95\"}}"),
        "groma_open_sessions{surface=\"native\"} 1".into(),
        "tool=\"unknown\",outcome=\"failure\"} 1".into(),
        "groma_answer_cache_hits_total{project=".into(),
        "groma_index_runs_total{project=".into(),
        "groma_generation_age_seconds{project=".into(),
        "groma_resident_memory_bytes ".into(),
    ] {
        assert!(text.contains(&line), "{line}\n{text}");
    }
    assert!(!text.contains("made-up") && text.ends_with("# EOF\n"), "{text}");
}

#[test]
fn health_fails_when_nothing_can_be_stored() {
    let sample = Sample::new();
    let service = Service::start(&sample, &[]);
    let (status, text) = get(&service, "/health");
    assert_eq!((status, text.contains("\"ok\"")), (StatusCode::OK, true), "{text}");
    let home = sample.home();
    std::fs::remove_dir_all(&home).unwrap();
    std::fs::write(&home, "in the way").unwrap();
    let (status, text) = get(&service, "/health");
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{text}");
    assert!(text.contains("the data directory cannot be written"), "{text}");
    std::fs::remove_file(&home).unwrap();
    assert_eq!(get(&service, "/health").0, StatusCode::OK, "it recovers");
}
