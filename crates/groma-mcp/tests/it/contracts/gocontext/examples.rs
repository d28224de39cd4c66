//! The examples of the document, word for word where nothing is measured.

use super::{Shop, names};
use crate::client::Client;
use crate::sample::Sample;
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn the_server_presents_itself_as_documented() {
    let mut client = Client::spawn(&Sample::new(), &["--contract", "gocontext"]);
    let answer = client.greet("2024-11-05", json!({}));
    let documented = json!({
        "protocolVersion": "2024-11-05",
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "gocontext-mcp", "version": "1.0.0" },
    });
    assert_eq!(answer["result"], documented);
    let listed = client.request("tools/list", json!({}));
    contains(&listed["result"], &documented_tools(), "tools/list");
}

/// Whether everything documented is there; more may be.
fn contains(whole: &Value, part: &Value, at: &str) {
    match part {
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, field)| contains(&whole[name], field, &format!("{at}.{name}"))),
        Value::Array(items) if items.iter().all(Value::is_object) => {
            assert_eq!(whole.as_array().unwrap().len(), items.len(), "{at}");
            (0..).zip(items).for_each(|(n, item)| contains(&whole[n], item, &format!("{at}[{n}]")));
        }
        other => assert_eq!(whole, other, "{at}"),
    }
}

fn documented_tools() -> Value {
    let property = |kind: &str, text: &str| json!({ "type": kind, "description": text });
    json!({ "tools": [
        {
            "name": "index_codebase",
            "description": "Index a Go codebase to make it searchable",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "path": property("string", "Absolute path to Go project root"),
                    "force_reindex": property("boolean", "Force full re-index ignoring file hashes"),
                    "include_tests": property("boolean", "Include *_test.go files in index"),
                    "include_vendor": property("boolean", "Include vendor/ directory in index"),
                },
                "required": ["path"],
            },
        },
        {
            "name": "search_code",
            "description": "Search indexed Go codebase with natural language or keyword queries",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "path": property("string", "Absolute path to indexed Go project"),
                    "query": property("string", "Search query (natural language or keywords)"),
                    "limit": {
                        "type": "integer",
                        "description": "Maximum number of results (1-100)",
                        "minimum": 1,
                        "maximum": 100,
                    },
                    "filters": property("object", "Optional filters to narrow search"),
                    "search_mode": {
                        "type": "string",
                        "enum": ["hybrid", "vector", "keyword"],
                        "description": "Search strategy to use",
                    },
                },
                "required": ["path", "query"],
            },
        },
        {
            "name": "get_status",
            "description": "Query indexing status and statistics for a Go project",
            "inputSchema": {
                "type": "object",
                "properties": { "path": property("string", "Absolute path to Go project") },
                "required": ["path"],
            },
        },
    ] })
}

#[test]
fn the_example_of_index_codebase() {
    let shop = Shop::new();
    shop.write(
        "internal/broken/parser.go",
        "package broken\n\nfunc Fine() int {\n\treturn 1\n}\n\nfunc Broken( {\n}\n",
    );
    let mut client = shop.client();
    let arguments = json!({
        "path": shop.path(),
        "force_reindex": false,
        "include_tests": true,
        "include_vendor": false,
    });
    let answer = client.call("index_codebase", arguments);
    shop.check(
        &answer["result"]["structuredContent"],
        &expect![[r#"
        {
          "success": true,
          "project_id": 0,
          "statistics": {
            "files_indexed": 5,
            "files_skipped": 0,
            "files_failed": 1,
            "symbols_extracted": 30,
            "chunks_created": 27,
            "embeddings_generated": 27,
            "duration_seconds": 0,
            "index_size_mb": 0
          },
          "errors": [
            {
              "file": "internal/broken/parser.go",
              "error": "syntax error at line 7"
            }
          ],
          "message": "Successfully indexed 5 files in  seconds"
        }"#]],
    );
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let text: Value = serde_json::from_str(text).unwrap();
    assert_eq!(text, answer["result"]["structuredContent"]);
    let statistics = &text["statistics"];
    let seconds = statistics["duration_seconds"].as_f64().unwrap();
    assert!(seconds > 0.0);
    assert_eq!(text["message"], format!("Successfully indexed 5 files in {seconds} seconds"));
    assert!(text["project_id"].as_u64().is_some_and(|id| id > 0 && id < 1 << 53));
    let error = client.error("index_codebase", json!({ "path": "/no/such/folder" }));
    shop.check(
        &error,
        &expect![[r#"
        {
          "code": -32602,
          "message": "Invalid params",
          "data": {
            "param": "path",
            "reason": "Path does not exist or is not accessible",
            "detail": "cannot open /no/such/folder: No such file or directory (os error 2)"
          }
        }"#]],
    );
}

#[test]
fn the_example_of_search_code() {
    let (shop, mut client) = Shop::indexed();
    let arguments = shop.ask(json!({
        "query": "user authentication logic",
        "limit": 10,
        "filters": { "symbol_types": ["function", "method"], "file_pattern": "internal/auth/**" },
        "search_mode": "hybrid",
    }));
    let answer = client.call("search_code", arguments.clone());
    shop.check(&answer["result"]["structuredContent"], &expect![[r#"
        {
          "success": true,
          "query": "user authentication logic",
          "results": [
            {
              "chunk_id": 615183240797055,
              "rank": 1,
              "relevance_score": 0,
              "symbol": {
                "name": "AuthenticateUser",
                "kind": "function",
                "package": "internal/auth",
                "signature": "func AuthenticateUser(username, password string) (*User, error)",
                "doc_comment": "AuthenticateUser verifies user credentials and returns authenticated user."
              },
              "file": {
                "path": "internal/auth/service.go",
                "package": "auth",
                "start_line": 14,
                "end_line": 20
              },
              "content": "// AuthenticateUser verifies user credentials and returns authenticated user.\nfunc AuthenticateUser(username, password string) (*User, error) {\n\tif username == \"\" || password == \"\" {\n\t\treturn nil, errors.New(\"username and password required\")\n\t}\n\treturn models.Find(username, password)\n}",
              "context_before": "package auth\n\nimport (\n\t\"errors\"\n\t\"internal/models\"\n)",
              "context_after": "// ValidateToken checks if authentication token is valid\nfunc ValidateToken(token string) bool {\n\treturn len(token) > 8 && models.Known(token)\n}"
            },
            {
              "chunk_id": 3868594541551975,
              "rank": 2,
              "relevance_score": 0,
              "symbol": {
                "name": "ValidateToken",
                "kind": "function",
                "package": "internal/auth",
                "signature": "func ValidateToken(token string) bool",
                "doc_comment": "ValidateToken checks if authentication token is valid"
              },
              "file": {
                "path": "internal/auth/service.go",
                "package": "auth",
                "start_line": 22,
                "end_line": 25
              },
              "content": "// ValidateToken checks if authentication token is valid\nfunc ValidateToken(token string) bool {\n\treturn len(token) > 8 && models.Known(token)\n}",
              "context_before": "package auth\n\nimport (\n\t\"errors\"\n\t\"internal/models\"\n)",
              "context_after": ""
            }
          ],
          "statistics": {
            "total_results": 2,
            "returned_results": 2,
            "search_duration_ms": 0,
            "cache_hit": false
          },
          "message": "Found 2 results in ms"
        }"#]]);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let text: Value = serde_json::from_str(text).unwrap();
    assert_eq!(text, answer["result"]["structuredContent"]);
    let scores: Vec<f64> = text["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["relevance_score"].as_f64().unwrap())
        .collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}");
    // The document's own filters together: methods and constructors have the roles of their type.
    let answer = client.json(
        "search_code",
        shop.ask(json!({
            "query": "order",
            "filters": {
                "symbol_types": ["function", "method"],
                "ddd_patterns": ["repository", "service"],
            },
        })),
    );
    let mut found = names(&answer);
    found.sort();
    assert_eq!(found, ["NewOrderService", "Place", "Save"]);
    // The same question again is answered from what is known.
    assert_eq!(client.json("search_code", arguments)["statistics"]["cache_hit"], true);
}

#[test]
fn the_examples_of_get_status() {
    let shop = Shop::new();
    let mut client = shop.client();
    let ask = json!({ "path": shop.path() });
    let answer = client.call("get_status", ask.clone());
    shop.check(
        &answer["result"]["structuredContent"],
        &expect![[r#"
        {
          "success": true,
          "indexed": false,
          "project": null,
          "statistics": null,
          "health": null,
          "message": "Project not indexed. Run index_codebase to create index."
        }"#]],
    );
    let indexed = client.json("index_codebase", ask.clone());
    let answer = client.call("get_status", ask.clone());
    let status = &answer["result"]["structuredContent"];
    shop.check(
        status,
        &expect![[r#"
        {
          "success": true,
          "indexed": true,
          "project": {
            "id": 0,
            "root_path": "[PATH]",
            "module_name": "github.com/dev/myproject",
            "go_version": "1.21",
            "index_version": "1.0.0"
          },
          "statistics": {
            "total_files": 5,
            "total_symbols": 28,
            "total_chunks": 24,
            "total_embeddings": 24,
            "index_size_mb": 0,
            "last_indexed_at": "[TIME]",
            "indexing_duration_seconds": 0
          },
          "health": {
            "database_accessible": true,
            "embeddings_available": true,
            "fts_indexes_built": true
          },
          "message": "Project indexed successfully with 5 files"
        }"#]],
    );
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *status);
    assert_eq!(status["project"]["id"], indexed["project_id"]);
    for (total, made) in [
        ("total_symbols", "symbols_extracted"),
        ("total_chunks", "chunks_created"),
        ("total_embeddings", "embeddings_generated"),
        ("total_files", "files_indexed"),
    ] {
        assert_eq!(status["statistics"][total], indexed["statistics"][made], "{total}");
    }
    let moment = status["statistics"]["last_indexed_at"].as_str().unwrap();
    let shape: String = moment.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(shape, "0000-00-00T00:00:00Z");
    assert!(status["statistics"]["indexing_duration_seconds"].is_number());
}
