//! The examples of the document.

use super::{chunks, ids, kinds, sample, search, start, steady};
use crate::client::Client;
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn the_server_presents_itself_as_documented() {
    let sample = sample();
    let mut client = Client::spawn(&sample, &["--contract", "cortex"]);
    let answer = client.greet("2024-11-05", json!({}));
    assert_eq!(answer["result"]["serverInfo"], json!({ "name": "cortex-mcp", "version": "1.0.0" }));
    assert_eq!(answer["result"]["capabilities"], json!({ "tools": { "listChanged": true } }));
    let listed = client.request("tools/list", json!({}));
    let [tool] = &listed["result"]["tools"].as_array().unwrap()[..] else { panic!("{listed}") };
    assert_eq!(tool["name"], "cortex_search");
    assert_eq!(
        tool["description"],
        "Search for relevant context in the project codebase and documentation"
    );
    assert_eq!(tool["annotations"]["readOnlyHint"], true);
    assert_eq!(tool["annotations"]["destructiveHint"], false);
    let schema = &tool["inputSchema"];
    assert_eq!(schema["required"], json!(["query"]));
    let limit = &schema["properties"]["limit"];
    assert_eq!(
        (&limit["minimum"], &limit["maximum"], &limit["default"]),
        (&json!(1), &json!(100), &json!(15))
    );
    for list in ["tags", "chunk_types"] {
        assert_eq!(schema["properties"][list]["type"], "array", "{list}");
    }
}

#[test]
fn the_example_of_an_answer() {
    let sample = sample();
    let mut client = start(&sample);
    let ask = json!({ "query": "authentication handler", "chunk_types": ["symbols"], "limit": 1 });
    let answer = client.call("cortex_search", ask);
    let content = answer["result"]["content"].as_array().unwrap();
    assert_eq!(content.len(), 1, "one block of text: {answer}");
    let answer: Value = serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(answer["total"], 1);
    expect![[r#"
        {
          "chunk": {
            "id": "code-symbols-internal-auth-handler-go",
            "chunk_type": "symbols",
            "title": "internal/auth/handler.go symbols",
            "text": "Package: auth\n\nImports: 5 packages\n\nTypes:\n  - AuthHandler (struct) (lines 10-15)\n  - Session (struct) (lines 17-21)\n\nFunctions:\n  - NewAuthHandler (function) (lines 23-28)\n  - AuthHandler.Login (method) (lines 30-37)\n  - AuthHandler.Authenticate (method) (lines 39-46)",
            "tags": [
              "code",
              "go",
              "symbols",
              "internal",
              "auth"
            ],
            "metadata": {
              "source": "code",
              "file_path": "internal/auth/handler.go",
              "language": "go",
              "package": "auth",
              "imports_count": 5,
              "types_count": 2,
              "functions_count": 3
            },
            "created_at": "0000-00-00T00:00:00Z",
            "updated_at": "0000-00-00T00:00:00Z"
          },
          "combined_score": 0
        }"#]].assert_eq(&steady(&answer));
}

#[test]
fn architecture_understanding() {
    let sample = sample();
    let answer = search(
        &mut start(&sample),
        json!({
            "query": "authentication design decisions",
            "chunk_types": ["documentation"],
            "tags": ["architecture"],
        }),
    );
    assert_eq!(answer["total"], 1);
    expect![[r#"
        {
          "chunk": {
            "id": "doc-docs-adr-auth-md-s0",
            "chunk_type": "documentation",
            "title": "Authentication design decisions",
            "text": "---\ntags: [architecture, design]\n---\n# Authentication design decisions\n\nTokens were chosen over sessions in a database, because servers come and go. #auth #users",
            "tags": [
              "documentation",
              "markdown",
              "docs",
              "adr",
              "architecture",
              "design",
              "auth",
              "users"
            ],
            "metadata": {
              "source": "documentation",
              "file_path": "docs/adr/auth.md",
              "language": "markdown",
              "start_line": 1,
              "end_line": 6,
              "section_index": 0,
              "chunk_index": 0
            },
            "created_at": "0000-00-00T00:00:00Z",
            "updated_at": "0000-00-00T00:00:00Z"
          },
          "combined_score": 0
        }"#]].assert_eq(&steady(&answer));
}

#[test]
fn code_navigation() {
    let sample = sample();
    let ask = json!({
        "query": "authentication handler implementation",
        "chunk_types": ["symbols", "definitions"],
    });
    let answer = search(&mut start(&sample), ask);
    let found = ids(&answer);
    // An overview, and what it is an overview of.
    assert!(found.contains(&"code-symbols-internal-auth-handler-go"), "{found:?}");
    let signatures: Vec<&str> = chunks(&answer)
        .iter()
        .filter(|chunk| chunk["chunk_type"] == "definitions")
        .filter(|chunk| chunk["metadata"]["file_path"] == "internal/auth/handler.go")
        .map(|chunk| chunk["text"].as_str().unwrap())
        .collect();
    assert!(
        signatures.contains(
            &"// (lines 39-46)\n// Authenticate finds the session behind a token.\nfunc (h *AuthHandler) \
              Authenticate(ctx context.Context, token string) (*Session, error)"
        ),
        "{signatures:?}"
    );
    assert!(kinds(&answer).iter().all(|kind| ["symbols", "definitions"].contains(kind)));
}

#[test]
fn configuration_discovery() {
    let sample = sample();
    let ask = json!({ "query": "database connection settings", "chunk_types": ["data"] });
    let answer = search(&mut start(&sample), ask);
    expect![[r#"
        {
          "chunk": {
            "id": "code-data-internal-config-database-go",
            "chunk_type": "data",
            "title": "internal/config/database.go data",
            "text": "// (lines 1-7)\npackage config\n\n// DatabaseHost is where database connections go.\nconst DatabaseHost = \"localhost\"\n\n// DatabaseTimeout is how many seconds a database connection may take.\nconst DatabaseTimeout = 30",
            "tags": [
              "code",
              "go",
              "data",
              "internal",
              "config"
            ],
            "metadata": {
              "source": "code",
              "file_path": "internal/config/database.go",
              "language": "go",
              "package": "config",
              "start_line": 1,
              "end_line": 7
            },
            "created_at": "0000-00-00T00:00:00Z",
            "updated_at": "0000-00-00T00:00:00Z"
          },
          "combined_score": 0
        }"#]].assert_eq(&steady(&answer));
    assert!(kinds(&answer).iter().all(|kind| *kind == "data"));
}

#[test]
fn unified_search() {
    let sample = sample();
    let answer = search(
        &mut start(&sample),
        json!({ "query": "how does authentication work", "limit": 100 }),
    );
    for kind in ["documentation", "symbols", "definitions", "data"] {
        assert!(kinds(&answer).contains(&kind), "{kind} in {:?}", kinds(&answer));
    }
    let mut all = ids(&answer);
    let total = all.len();
    assert_eq!(answer["total"], total);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), total, "no id twice");
    let scores: Vec<f64> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["combined_score"].as_f64().unwrap())
        .collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    assert!(!answer.to_string().contains("\"embedding\""));
}

#[test]
fn language_specific() {
    let sample = sample();
    let ask = json!({ "query": "error handling patterns", "tags": ["typescript", "code"] });
    let answer = search(&mut start(&sample), ask);
    let paths: Vec<&str> = chunks(&answer)
        .iter()
        .map(|chunk| chunk["metadata"]["file_path"].as_str().unwrap())
        .collect();
    assert!(!paths.is_empty() && paths.iter().all(|path| *path == "web/errors.ts"), "{paths:?}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let sample = sample();
    let ask = json!({ "query": "how does authentication work" });
    let first = search(&mut start(&sample), ask.clone());
    let mut client = start(&sample);
    assert_eq!(search(&mut client, ask.clone()), first);
    // And a change is seen at once.
    sample.write(
        "internal/auth/late.go",
        "package auth\n\n// Authentication was added late.\nfunc AuthenticateLate() {\n}\n",
    );
    let found = search(&mut client, ask);
    assert!(ids(&found).contains(&"code-definitions-internal-auth-late-go"), "{found}");
}
