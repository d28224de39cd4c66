//! The documents of the contract.

use super::Web;
use crate::client::Client;
use expect_test::expect;
use serde_json::{Value, json};

fn read(client: &mut Client, uri: &str) -> String {
    let answer = client.request("resources/read", json!({ "uri": uri }));
    let contents = &answer["result"]["contents"][0];
    assert_eq!(contents["uri"], uri, "{answer:#}");
    assert_eq!(contents["mimeType"], "text/markdown");
    contents["text"].as_str().unwrap().to_string()
}

fn error(client: &mut Client, uri: &str) -> Value {
    client.request("resources/read", json!({ "uri": uri }))["error"].clone()
}

#[test]
fn documents_are_listed() {
    let web = Web::with_discoveries();
    let mut client = web.client();
    let listed = client.request("resources/list", json!({}));
    let resources = listed["result"]["resources"].as_array().unwrap();
    assert!(resources.iter().all(|one| one["mimeType"] == "text/markdown"));
    let uris: Vec<&str> = resources.iter().map(|one| one["uri"].as_str().unwrap()).collect();
    assert_eq!(
        uris,
        [
            "context://project/overview",
            "context://session/current",
            "context://sessions/recent",
            "context://module/auth",
            "context://module/users",
        ]
    );
    let listed = client.request("resources/templates/list", json!({}));
    let templates = listed["result"]["resourceTemplates"].as_array().unwrap();
    let patterns: Vec<&str> =
        templates.iter().map(|one| one["uriTemplate"].as_str().unwrap()).collect();
    assert_eq!(patterns, ["context://module/{name}", "context://sessions/recent{?limit}"]);
}

#[test]
fn the_project_and_its_modules() {
    let web = Web::with_discoveries();
    let mut client = web.client();
    expect![[r#"
        # sample

        4 files

        ## Languages

        - typescript: 4 files

        ## Modules

        - auth: 2 files
        - users: 1 files

        ## Patterns

        - Use JWT tokens stored in httpOnly cookies for auth
        - Implement token refresh with mutex locks to prevent race conditions

        ## Issues

        - Token refresh race condition fixed with mutex lock
    "#]]
    .assert_eq(&read(&mut client, "context://project/overview"));
    expect![[r#"
        # Module auth

        2 files

        ## Depends on

        - users

        ## Patterns

        - Use JWT tokens stored in httpOnly cookies for auth
        - Implement token refresh with mutex locks to prevent race conditions

        ## Issues

        - Token refresh race condition fixed with mutex lock

        ## Core files

        - src/server/auth/AuthService.ts
        - src/server/auth/TokenManager.ts
    "#]]
    .assert_eq(&read(&mut client, "context://module/auth"));
    let fault = error(&mut client, "context://module/nothing");
    assert_eq!(fault["code"], -32602);
    assert_eq!(
        fault["data"],
        json!({ "resource": "context://module/nothing", "reason": "Module 'nothing' not found" })
    );
}

#[test]
fn sessions_are_documents() {
    let web = Web::new();
    let mut client = web.client();
    let current = read(&mut client, "context://session/current");
    assert!(
        current.starts_with("# Session session-") && current.contains("Status: active"),
        "{current}"
    );
    assert_eq!(read(&mut client, "context://sessions/recent"), "# Recent sessions\n\nNone yet.\n");
    client.json("context_search", json!({ "query": "users and tokens" }));
    let current = read(&mut client, "context://session/current");
    assert!(current.contains("Tool calls: context_search 1"), "{current}");
    assert!(current.contains("## Topics\n\n- users and tokens\n"), "{current}");
    let mut other = web.client();
    other.json("context_search", json!({ "query": "something else" }));
    let count = |text: String| text.matches("\n## Session ").count();
    assert_eq!(count(read(&mut client, "context://sessions/recent")), 2);
    assert_eq!(count(read(&mut client, "context://sessions/recent?limit=1")), 1);
}

#[test]
fn invalid_uris_are_rejected() {
    let web = Web::new();
    let mut client = web.client();
    for (uri, code) in [
        ("file:///etc/passwd", -32600),
        ("context://project", -32600),
        ("context://module/", -32600),
        ("context://sessions/recent?limit=0", -32602),
    ] {
        let fault = error(&mut client, uri);
        assert_eq!((&fault["code"], &fault["data"]["resource"]), (&json!(code), &json!(uri)));
    }
}
