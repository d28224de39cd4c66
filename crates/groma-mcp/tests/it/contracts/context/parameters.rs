//! Every parameter has an effect.

use super::super::{Shown, every_parameter_is_shown};
use super::{Web, contents};
use serde_json::{Value, json};

#[test]
fn every_parameter_has_an_effect() {
    every_parameter_is_shown(
        "context",
        &[
            Shown { tool: "context_search", parameter: "query", test: query },
            Shown { tool: "context_search", parameter: "type", test: kind },
            Shown { tool: "context_search", parameter: "module", test: module },
            Shown { tool: "context_search", parameter: "limit", test: search_limit },
            Shown { tool: "read_file", parameter: "path", test: path },
            Shown { tool: "read_file", parameter: "includeDeps", test: include_deps },
            Shown { tool: "read_file", parameter: "maxDepth", test: include_deps },
            Shown { tool: "grep_codebase", parameter: "pattern", test: pattern },
            Shown { tool: "grep_codebase", parameter: "filePattern", test: file_pattern },
            Shown { tool: "grep_codebase", parameter: "caseSensitive", test: case_sensitive },
            Shown { tool: "grep_codebase", parameter: "limit", test: grep_limit },
        ],
    );
}

fn search(web: &Web, arguments: Value) -> Value {
    web.client().json("context_search", arguments)
}

fn query() {
    let web = Web::with_discoveries();
    let first = |query: &str| {
        let answer = search(&web, json!({ "query": query, "type": "discovery" }));
        assert_eq!(answer["query"], query);
        contents(&answer)[0].to_string()
    };
    assert_eq!(
        first("where do JWT tokens live, cookies?"),
        "Use JWT tokens stored in httpOnly cookies for auth"
    );
    assert!(first("race condition").contains("race condition"));
}

fn kind() {
    let web = Web::with_discoveries();
    web.remember("We decided to use PostgreSQL for tokens", "decision", "db");
    web.remember("Tokens must never be logged", "rule", "auth");
    let found = |kind: &str| {
        let answer = search(&web, json!({ "query": "tokens", "type": kind, "limit": 20 }));
        let results = answer["results"].as_array().unwrap().clone();
        assert!(!results.is_empty() || kind == "session", "{kind}: {answer}");
        results
    };
    for kind in ["pattern", "rule", "decision", "issue"] {
        assert!(found(kind).iter().all(|one| one["type"] == kind && one["source"] == "discovery"));
    }
    let kinds = |kind: &str, field: &str| {
        let found = found(kind);
        let mut kinds: Vec<String> =
            found.iter().map(|one| one[field].as_str().unwrap().to_string()).collect();
        kinds.sort();
        kinds.dedup();
        kinds
    };
    assert_eq!(kinds("discovery", "type"), ["decision", "issue", "pattern", "rule"]);
    assert_eq!(kinds("code", "source"), ["code"]);
    assert_eq!(kinds("session", "type"), ["session"], "the searches before were sessions");
    // "Returns relevant discoveries, patterns, rules, and past decisions": what was asked before answers nothing.
    assert_eq!(kinds("all", "source"), ["code", "discovery"]);
}

fn module() {
    let web = Web::with_discoveries();
    web.remember("Tokens of users are kept for a day", "rule", "users");
    let found = |module: &str, kind: &str| {
        let answer = search(
            &web,
            json!({ "query": "tokens users", "module": module, "type": kind, "limit": 20 }),
        );
        let results = answer["results"].as_array().unwrap().clone();
        assert!(results.iter().all(|one| one["module"] == module), "{answer}");
        results.len()
    };
    assert_eq!(found("users", "discovery"), 1);
    assert_eq!(found("auth", "discovery"), 3);
    assert_eq!(found("nowhere", "all"), 0);
    assert!(found("users", "code") > 0 && found("auth", "code") > 0);
}

fn search_limit() {
    let web = Web::with_discoveries();
    let found = |limit: Option<u64>| {
        let mut arguments = json!({ "query": "token refresh jwt users auth" });
        arguments["limit"] = limit.map_or(Value::Null, Value::from);
        let answer = search(&web, arguments);
        (answer["results"].as_array().unwrap().len(), answer["totalFound"].as_u64().unwrap())
    };
    let (one, total) = found(Some(1));
    assert!(one == 1 && total > 5, "{total}");
    assert_eq!(found(None).0, 5);
    assert!(found(Some(20)).0 > 5);
}

fn path() {
    let web = Web::new();
    let mut client = web.client();
    for path in ["src/index.ts", "src/server/users/UserRepository.ts"] {
        let answer = client.json("read_file", json!({ "path": path }));
        assert_eq!(answer["file"]["path"], path);
    }
}

fn include_deps() {
    let web = Web::new();
    let mut client = web.client();
    let mut dependencies = |include: bool, depth: Option<u64>| {
        let path = "src/server/auth/AuthService.ts";
        let mut arguments = json!({ "path": path, "includeDeps": include });
        arguments["maxDepth"] = depth.map_or(Value::Null, Value::from);
        let answer = client.json("read_file", arguments);
        answer["dependencies"].as_array().unwrap().len()
    };
    assert_eq!(dependencies(true, None), 2, "the default is one level");
    assert_eq!((dependencies(true, Some(1)), dependencies(true, Some(0))), (2, 0));
    assert_eq!((dependencies(false, None), dependencies(false, Some(1))), (0, 0));
}

fn matches(web: &Web, arguments: Value) -> Vec<String> {
    let answer = web.client().json("grep_codebase", arguments);
    let matches = answer["matches"].as_array().unwrap().iter();
    matches.map(|one| format!("{}:{}", one["file"].as_str().unwrap(), one["line"])).collect()
}

fn pattern() {
    let web = Web::new();
    assert_eq!(
        matches(&web, json!({ "pattern": "export interface" })),
        ["src/server/users/UserRepository.ts:8"]
    );
    assert_eq!(matches(&web, json!({ "pattern": "^export (class|namespace)" })).len(), 4);
}

fn file_pattern() {
    let web = Web::new();
    let found =
        |glob: &str| matches(&web, json!({ "pattern": "export class", "filePattern": glob }));
    assert_eq!(found("src/server/users/**"), ["src/server/users/UserRepository.ts:2"]);
    assert_eq!(found("*.md"), [""; 0]);
    assert_eq!(found("**/*.ts").len(), 3);
    assert_eq!(found("").len(), 3);
}

fn case_sensitive() {
    let web = Web::new();
    let found = |exact: Option<bool>| {
        let mut arguments = json!({ "pattern": "jwt\\.sign" });
        arguments["caseSensitive"] = exact.map_or(Value::Null, Value::from);
        matches(&web, arguments).len()
    };
    assert_eq!((found(None), found(Some(false)), found(Some(true))), (3, 3, 2));
}

fn grep_limit() {
    let web = Web::large();
    let answer = |limit: Option<u64>| {
        let mut arguments = json!({ "pattern": "page" });
        arguments["limit"] = limit.map_or(Value::Null, Value::from);
        let answer = web.client().json("grep_codebase", arguments);
        assert_eq!(answer["totalMatches"], 123);
        answer["matches"].as_array().unwrap().len()
    };
    assert_eq!((answer(None), answer(Some(7)), answer(Some(100))), (50, 7, 100));
}
