//! Every example of the document.

use super::{Shop, entries, object, results, texts, with_index, write};
use expect_test::expect;
use serde_json::{Value, json};

#[test]
fn tools_and_parameters_are_those_of_the_document() {
    let (_shop, mut client) = Shop::indexed();
    let listed = client.request("tools/list", json!({}));
    let mut text = String::new();
    for tool in listed["result"]["tools"].as_array().unwrap() {
        text.push_str(&format!("{} ", tool["name"].as_str().unwrap()));
        text.push_str(&format!("required {}\n", tool["inputSchema"]["required"]));
        for (name, schema) in tool["inputSchema"]["properties"].as_object().unwrap() {
            let mut schema = schema.clone();
            assert!(!schema["description"].as_str().unwrap().is_empty());
            schema.as_object_mut().unwrap().remove("description");
            text.push_str(&format!("  {name} {schema}\n"));
        }
    }
    expect![[r#"
        search_code required ["query"]
          query {"type":"string"}
          index_name {"type":["string","null"],"default":null}
          limit {"type":"integer","default":10}
          language {"type":["string","null"],"default":null}
          use_hybrid_search {"type":["boolean","null"],"default":null}
          symbol_type {"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}},{"type":"null"}],"default":null}
          symbol_name {"type":["string","null"],"default":null}
          context_before {"type":["integer","null"],"default":null}
          context_after {"type":["integer","null"],"default":null}
          smart_context {"type":"boolean","default":true}
        analyze_query required ["query"]
          query {"type":"string"}
          index_name {"type":["string","null"],"default":null}
          limit {"type":"integer","default":10}
          language {"type":["string","null"],"default":null}
          use_hybrid_search {"type":["boolean","null"],"default":null}
          symbol_type {"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}},{"type":"null"}],"default":null}
          symbol_name {"type":["string","null"],"default":null}
        list_indexes required null
        index_stats required null
          index_name {"type":["string","null"],"default":null}
          include_failures {"type":"boolean","default":false}
        clear_index required ["index_name"]
          index_name {"type":"string"}
        index_codebase required ["path"]
          path {"type":"string"}
          index_name {"type":["string","null"],"default":null}
    "#]].assert_eq(&text);
}

#[test]
fn search_code() {
    let (shop, mut client) = Shop::indexed();
    let found = entries(
        &mut client,
        "search_code",
        json!({
            "query": "JWT token validation",
            "index_name": "my-api-server",
            "limit": 1,
            "language": "python",
            "use_hybrid_search": true,
            "symbol_type": "function",
            "context_before": 3,
            "context_after": 3,
            "smart_context": false,
        }),
    );
    expect![[r#"
        [
          {
            "file_path": "[BASE]/my-api/auth/jwt.py",
            "start_line": 4,
            "end_line": 12,
            "score": "[...]",
            "content": "def validate_jwt_token(token: str) -> dict:\n    \"\"\"Validate JWT and return claims.\"\"\"\n    try:\n        payload = jwt.decode(token, SECRET_KEY, algorithms=['HS256'])\n        return payload\n    except jwt.ExpiredSignatureError:\n        raise AuthError('Token expired')\n    except jwt.InvalidTokenError:\n        raise AuthError('Invalid token')",
            "block_type": "function",
            "hierarchy": "validate_jwt_token",
            "language_id": "python",
            "symbol_type": "function",
            "symbol_name": "validate_jwt_token",
            "symbol_signature": "def validate_jwt_token(token: str) -> dict",
            "match_type": "both",
            "vector_score": "[...]",
            "keyword_score": "[...]",
            "context_before": "import jwt\nfrom .exceptions import AuthError\n\n",
            "context_after": "\n\ndef refresh_token(user_id: int) -> str:\n    return generate_jwt(user_id)"
          }
        ]"#]].assert_eq(&shop.shown(&json!(found)));
}

#[test]
fn search_code_in_words_finds_the_index_and_uses_both_retrievers() {
    let (shop, mut client) = Shop::indexed();
    let arguments = json!({ "query": "Find JWT token validation functions", "limit": 1 });
    let found = entries(&mut client, "search_code", arguments);
    expect![[r#"
        [
          {
            "type": "search_context",
            "searching": "[BASE]/my-api",
            "index_name": "my-api-server",
            "last_indexed_at": "[...]"
          },
          {
            "file_path": "[BASE]/my-api/auth/jwt.py",
            "start_line": 4,
            "end_line": 12,
            "score": "[...]",
            "content": "def validate_jwt_token(token: str) -> dict:\n    \"\"\"Validate JWT and return claims.\"\"\"\n    try:\n        payload = jwt.decode(token, SECRET_KEY, algorithms=['HS256'])\n        return payload\n    except jwt.ExpiredSignatureError:\n        raise AuthError('Token expired')\n    except jwt.InvalidTokenError:\n        raise AuthError('Invalid token')",
            "block_type": "function",
            "hierarchy": "validate_jwt_token",
            "language_id": "python",
            "symbol_type": "function",
            "symbol_name": "validate_jwt_token",
            "symbol_signature": "def validate_jwt_token(token: str) -> dict",
            "match_type": "both",
            "vector_score": "[...]",
            "keyword_score": "[...]"
          },
          {
            "type": "hint",
            "message": "The project was found by where the server runs. A client that tells its roots (MCP Roots) is followed, and index_name names any other index."
          }
        ]"#]].assert_eq(&shop.shown(&json!(found)));
}

#[test]
fn context_and_content_concatenate_to_the_file() {
    let (shop, mut client) = Shop::indexed();
    let arguments =
        json!({ "query": "validate_jwt_token", "context_before": 99, "context_after": 99 });
    let first = &results(&mut client, arguments)[0];
    let text =
        ["context_before", "content", "context_after"].map(|part| first[part].as_str().unwrap());
    let file = std::fs::read_to_string(shop.root().join("auth/jwt.py")).unwrap();
    assert_eq!(text.concat(), file.trim_end());
}

#[test]
fn a_search_sees_saved_files_and_never_creates_an_index() {
    let shop = Shop::new();
    let mut client = shop.client();
    let ask =
        |client: &mut _| entries(client, "search_code", json!({ "query": "who pays the invoice" }));
    assert_eq!(ask(&mut client)[0]["error"], "Index not found");
    assert!(entries(&mut client, "list_indexes", json!({})).is_empty());
    object(&mut client, "index_codebase", json!({ "path": "." }));
    shop.write("invoice.py", "def pay_invoice(invoice):\n    \"\"\"Who pays the invoice.\"\"\"\n");
    assert_eq!(ask(&mut client)[1]["symbol_name"], "pay_invoice");
    std::fs::remove_file(shop.root().join("invoice.py")).unwrap();
    assert!(!texts(&ask(&mut client), "symbol_name").contains(&"pay_invoice"));
}

#[test]
fn analyze_query() {
    let (shop, mut client) = Shop::indexed();
    let question = json!({ "query": "getUserById", "index_name": "my-api-server" });
    let mut analysis = object(&mut client, "analyze_query", question.clone());
    let found = entries(&mut client, "search_code", question);
    assert_eq!(analysis["results"], json!(found), "what search_code gives");
    assert_eq!(found[0]["symbol_name"], "getUserById");
    analysis["results"] = json!(found.len());
    analysis["signals"] = json!(multiplied(&analysis["signals"]));
    expect![[r#"
        {
          "query_analysis": {
            "original_query": "getUserById",
            "has_identifier": true,
            "normalized_keyword_query": "getUserById get User By Id"
          },
          "search_mode": {
            "mode": "hybrid",
            "reason": "Auto-detected identifier pattern in query",
            "use_hybrid_flag": null,
            "has_content_text_column": true,
            "has_identifier_pattern": true
          },
          "cache": {
            "checked": false,
            "hit": false,
            "hit_type": "miss",
            "cache_key_prefix": "[...]"
          },
          "vector_search": {
            "result_count": 15,
            "top_score": "[...]",
            "bottom_score": "[...]"
          },
          "keyword_search": {
            "executed": true,
            "normalized_query": "getUserById get User By Id",
            "result_count": 6,
            "top_ts_rank": "[...]"
          },
          "fusion": {
            "executed": true,
            "k_constant": 60,
            "vector_only_count": 9,
            "keyword_only_count": 0,
            "both_count": 6,
            "total_fused": 15
          },
          "definition_boost": {
            "executed": true,
            "boost_multiplier": 2.6,
            "boosted_count": 1,
            "rank_changes": 0
          },
          "filtering": {
            "language_filter": null,
            "symbol_type_filter": null,
            "symbol_name_filter": null,
            "min_score": 0.0,
            "pre_filter_count": 10,
            "post_filter_count": 10
          },
          "timings": {
            "query_analysis_ms": "[...]",
            "cache_check_ms": 0.0,
            "embedding_ms": "[...]",
            "vector_search_ms": "[...]",
            "keyword_search_ms": "[...]",
            "rrf_fusion_ms": "[...]",
            "definition_boost_ms": "[...]",
            "total_ms": "[...]"
          },
          "signals": 10,
          "results": 10
        }"#]]
    .assert_eq(&shop.shown(&analysis));
}

/// How many results' parts multiply up to their scores.
fn multiplied(signals: &Value) -> usize {
    let fits = |one: &&Value| {
        let parts = one["parts"].as_object().unwrap().values();
        let product: f64 = parts.map(|part| part.as_f64().unwrap()).product();
        (product - one["score"].as_f64().unwrap()).abs() < 2e-3
    };
    signals.as_array().unwrap().iter().filter(fits).count()
}

#[test]
fn analyze_query_counts_and_times_fit_together() {
    let (_shop, mut client) = Shop::indexed();
    let queries = ["getUserById", "JWT", "where do tokens expire", "xyzzy_nothing"];
    for (query, flag) in
        queries.iter().flat_map(|query| [None, Some(true), Some(false)].map(|flag| (query, flag)))
    {
        let arguments = with_index(json!({ "query": query, "use_hybrid_search": flag }));
        let analysis = object(&mut client, "analyze_query", arguments);
        let number = |block: &str, field: &str| analysis[block][field].as_u64().unwrap();
        let is_hybrid = analysis["search_mode"]["mode"] == "hybrid";
        let parts = ["vector_only_count", "keyword_only_count", "both_count"];
        let [vector, keyword, both] = parts.map(|part| number("fusion", part));
        assert_eq!(number("fusion", "total_fused"), vector + keyword + both);
        if is_hybrid {
            assert_eq!(number("vector_search", "result_count"), vector + both);
            assert_eq!(number("keyword_search", "result_count"), keyword + both);
        } else {
            assert_eq!([vector, keyword, both], [0; 3]);
            assert!(number("vector_search", "result_count") > 0);
        }
        let shown = analysis["results"].as_array().unwrap().len() as u64;
        assert_eq!(shown, number("filtering", "post_filter_count").min(10), "{analysis:#}");
        for block in ["keyword_search", "fusion", "definition_boost"] {
            assert_eq!(analysis[block]["executed"], is_hybrid, "{block}");
        }
        assert_eq!(
            analysis["keyword_search"]["result_count"] == 0,
            analysis["keyword_search"]["top_ts_rank"].is_null()
        );
        let times = analysis["timings"].as_object().unwrap();
        let total = times["total_ms"].as_f64().unwrap();
        assert!(
            times.values().all(|time| (0.0..=total).contains(&time.as_f64().unwrap())),
            "{times:?}"
        );
        assert!(total > 0.0);
    }
}

#[test]
fn analyze_query_is_never_cached_and_its_key_is_stable() {
    let (_shop, mut client) = Shop::indexed();
    let mut ask = |arguments: Value| object(&mut client, "analyze_query", with_index(arguments));
    let first = ask(json!({ "query": "getUserById" }));
    let second = ask(json!({ "query": "getUserById" }));
    let other = ask(json!({ "query": "getUserById", "limit": 3 }));
    assert_eq!(first["cache"], second["cache"]);
    let key = |answer: &Value| answer["cache"]["cache_key_prefix"].as_str().unwrap().to_string();
    assert_ne!(key(&first), key(&other));
    assert!(key(&first).len() == 16 && key(&first).bytes().all(|b| b.is_ascii_hexdigit()));
    assert_ne!(first["timings"], second["timings"], "each is measured");
}

#[test]
fn list_indexes() {
    let (shop, mut client) = Shop::indexed();
    for name in ["frontend-app", "shared-utils"] {
        write(&shop.beside(name).join("main.ts"), "export const a = 1;\n");
        object(&mut client, "index_codebase", json!({ "path": shop.beside(name) }));
    }
    let listed = entries(&mut client, "list_indexes", json!({}));
    expect![[r#"
        [
          {
            "name": "frontend-app",
            "table_name": "cocosearch_frontend_app"
          },
          {
            "name": "my-api-server",
            "table_name": "cocosearch_my_api_server"
          },
          {
            "name": "shared-utils",
            "table_name": "cocosearch_shared_utils"
          }
        ]"#]]
    .assert_eq(&shop.shown(&json!(listed)));
}

#[test]
fn index_stats_of_one_index() {
    let (shop, mut client) = Shop::indexed();
    let stats = object(&mut client, "index_stats", json!({ "index_name": "my-api-server" }));
    assert!(stats.get("parse_failures").is_none());
    expect![[r#"
        {
          "name": "my-api-server",
          "file_count": 5,
          "chunk_count": 15,
          "storage_size": "[...]",
          "storage_size_pretty": "[...]",
          "created_at": "[...]",
          "updated_at": "[...]",
          "is_stale": false,
          "staleness_days": 0,
          "languages": [
            {
              "language": "python",
              "file_count": 2,
              "chunk_count": 6,
              "line_count": 17
            },
            {
              "language": "hcl",
              "file_count": 1,
              "chunk_count": 2,
              "line_count": 3
            },
            {
              "language": "markdown",
              "file_count": 1,
              "chunk_count": 2,
              "line_count": 5
            },
            {
              "language": "typescript",
              "file_count": 1,
              "chunk_count": 5,
              "line_count": 31
            }
          ],
          "symbols": {
            "function": 3,
            "class": 1,
            "method": 2,
            "interface": 1
          },
          "parse_stats": {
            "parse_health_pct": 80.0,
            "total_files": 5,
            "total_ok": 4,
            "by_language": {
              "python": {
                "files": 2,
                "ok": 1,
                "partial": 1,
                "error": 0,
                "no_grammar": 0
              },
              "hcl": {
                "files": 1,
                "ok": 1,
                "partial": 0,
                "error": 0,
                "no_grammar": 0
              },
              "markdown": {
                "files": 1,
                "ok": 1,
                "partial": 0,
                "error": 0,
                "no_grammar": 0
              },
              "typescript": {
                "files": 1,
                "ok": 1,
                "partial": 0,
                "error": 0,
                "no_grammar": 0
              }
            }
          },
          "warnings": []
        }"#]]
    .assert_eq(&shop.shown(&stats));
    for field in ["created_at", "updated_at"] {
        let moment = stats[field].as_str().unwrap();
        assert!(
            moment.starts_with("20") && moment.len() == "2026-01-15T10:30:00Z".len(),
            "{moment}"
        );
    }
}

#[test]
fn index_stats_of_all_indexes() {
    let (shop, mut client) = Shop::indexed();
    write(&shop.beside("frontend-app").join("main.ts"), "export function start() {}\n");
    object(&mut client, "index_codebase", json!({ "path": shop.beside("frontend-app") }));
    let all = entries(&mut client, "index_stats", json!({}));
    assert_eq!(texts(&all, "name"), ["frontend-app", "my-api-server"]);
    let one = object(&mut client, "index_stats", json!({ "index_name": "my-api-server" }));
    assert_eq!(all[1], one);
    assert_eq!(all[0]["symbols"], json!({ "function": 1 }));
}

#[test]
fn clear_index() {
    let (_shop, mut client) = Shop::indexed();
    let arguments = json!({ "index_name": "my-api-server" });
    let answer = object(&mut client, "clear_index", arguments.clone());
    let message = "Index 'my-api-server' cleared successfully";
    assert_eq!(answer, json!({ "success": true, "message": message }));
    assert!(entries(&mut client, "list_indexes", json!({})).is_empty());
    let found =
        entries(&mut client, "search_code", json!({ "query": "x", "index_name": "my-api-server" }));
    assert_eq!(found[0]["error"], "Index not found");
    let answer = object(&mut client, "clear_index", arguments);
    assert_eq!(answer, json!({ "success": false, "error": "Index 'my-api-server' not found" }));
}

#[test]
fn index_codebase_counts_what_changed() {
    let shop = Shop::new();
    let mut client = shop.client();
    let arguments = json!({ "path": shop.root(), "index_name": "my-new-project" });
    let mut index = || object(&mut client, "index_codebase", arguments.clone());
    let expected = |added: u64, removed: u64, updated: u64| {
        json!({
            "success": true,
            "index_name": "my-new-project",
            "path": shop.root(),
            "stats": { "files_added": added, "files_removed": removed, "files_updated": updated },
        })
    };
    assert_eq!(index(), expected(5, 0, 0));
    assert_eq!(index(), expected(0, 0, 0));
    shop.write("new.py", "def new():\n    pass\n");
    shop.write("auth/jwt.py", "def validate():\n    pass\n");
    std::fs::remove_file(shop.root().join("infra/main.tf")).unwrap();
    assert_eq!(index(), expected(1, 1, 1));
}

#[test]
fn index_codebase_reports_progress() {
    let shop = Shop::new();
    let mut client = shop.client();
    let answer = client.request(
        "tools/call",
        json!({
            "name": "index_codebase",
            "arguments": { "path": shop.root() },
            "_meta": { "progressToken": "t" },
        }),
    );
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains("\"success\": true"));
    let told: Vec<&Value> = client.notifications.iter().map(|note| &note["params"]).collect();
    assert!(told.iter().all(|params| params["progressToken"] == "t"), "{told:?}");
    let last = told.last().expect("at least one report");
    assert_eq!((&last["progress"], &last["total"]), (&json!(5.0), &json!(5.0)), "{told:?}");
}
