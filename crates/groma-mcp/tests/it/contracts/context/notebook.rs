//! What the server records: accesses to files, sessions, discoveries.

use super::{Web, contents};
use serde_json::json;

#[test]
fn files_and_their_dependencies_are_counted() {
    let web = Web::new();
    let mut client = web.client();
    let path = "src/server/auth/AuthService.ts";
    client.json("read_file", json!({ "path": path }));
    client.json("read_file", json!({ "path": path, "includeDeps": true }));
    client.call("read_file", json!({ "path": "missing.ts" }));
    let overview = client.request("resources/read", json!({ "uri": "context://project/overview" }));
    let text = overview["result"]["contents"][0]["text"].as_str().unwrap();
    let read: Vec<&str> = text
        .lines()
        .skip_while(|line| *line != "## Read most")
        .filter_map(|line| line.strip_prefix("- ")?.split_once(" times"))
        .map(|(line, _)| line)
        .collect();
    assert_eq!(
        read,
        [
            "src/server/auth/AuthService.ts: 2",
            "src/server/auth/TokenManager.ts: 1",
            "src/server/users/UserRepository.ts: 1",
        ],
        "{text}"
    );
}

#[test]
fn sessions_end_with_their_connection() {
    let web = Web::new();
    let mut client = web.client();
    client.json("context_search", json!({ "query": "how do webhooks retry" }));
    client.json("read_file", json!({ "path": "src/index.ts" }));
    client.json("grep_codebase", json!({ "pattern": "handleAuth" }));
    client.hang_up();
    let mut client = web.client();
    let recent = client.request("resources/read", json!({ "uri": "context://sessions/recent" }));
    let text = recent["result"]["contents"][0]["text"].as_str().unwrap();
    for part in [
        "Status: completed",
        "Ended: ",
        "Tool calls: context_search 1, grep_codebase 1, read_file 1",
        "- how do webhooks retry\n- handleAuth",
        "- src/index.ts: 1 times",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let answer =
        client.json("context_search", json!({ "query": "webhooks retry", "type": "session" }));
    assert!(contents(&answer)[0].contains("how do webhooks retry"), "{answer}");
}

#[test]
fn comments_and_documents_are_known_and_follow_their_files() {
    let web = Web::new();
    web.write("src/server/billing/invoice.ts", "// DECISION: invoices are numbered without gaps\n");
    web.write(
        "docs/adr/0001-queue.md",
        "# 1. One queue\n\n## Decision\n\nOne queue in PostgreSQL.\n",
    );
    let mut client = web.client();
    let mut ask =
        |query: &str| client.json("context_search", json!({ "query": query, "type": "decision" }));
    let answer = ask("how are invoices numbered");
    let first = &answer["results"][0];
    assert_eq!(first["content"], "invoices are numbered without gaps");
    assert_eq!((&first["module"], &first["session"]), (&json!("billing"), &json!(null)));
    assert_eq!(
        (&first["file"], &first["line"]),
        (&json!("src/server/billing/invoice.ts"), &json!(1))
    );
    assert_eq!(contents(&ask("which queue"))[0], "One queue: One queue in PostgreSQL.");
    std::fs::remove_file(web.sample.root().join("docs/adr/0001-queue.md")).unwrap();
    assert!(contents(&ask("which queue")).is_empty());
}
