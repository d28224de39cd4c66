//! Every parameter has an effect.

use super::{code, indexed, names, project, ready};
use crate::contracts::{Shown, every_parameter_is_shown};
use groma_testkit::git;
use serde_json::json;

#[test]
fn every_parameter_has_an_effect() {
    let shown = |tool, parameter, test| Shown { tool, parameter, test };
    every_parameter_is_shown(
        "codecompass",
        &[
            shown("index_repo", "force", || force("index_repo")),
            shown("index_repo", "ref", || job_ref("index_repo")),
            shown("sync_repo", "force", || force("sync_repo")),
            shown("sync_repo", "ref", || job_ref("sync_repo")),
            shown("locate_symbol", "name", name),
            shown("locate_symbol", "kind", kind),
            shown("locate_symbol", "language", locate_language),
            shown("locate_symbol", "ref", || query_ref("locate_symbol", "name")),
            shown("locate_symbol", "limit", || limit("locate_symbol", "name")),
            shown("search_code", "query", query),
            shown("search_code", "ref", || query_ref("search_code", "query")),
            shown("search_code", "language", search_language),
            shown("search_code", "limit", || limit("search_code", "query")),
            shown("index_status", "ref", status_ref),
        ],
    );
}

fn force(tool: &str) {
    let sample = project();
    let mut client = indexed(&sample);
    for (force, mode, changed) in [(false, "incremental", 0), (true, "full", 4)] {
        let job = client.json(tool, json!({ "force": force }));
        assert_eq!(job["mode"], mode);
        assert_eq!(ready(&mut client)["recent_jobs"][0]["changed_files"], changed);
    }
}

fn job_ref(tool: &str) {
    let sample = project();
    let mut client = indexed(&sample);
    let commit = git(&sample.root(), &["rev-parse", "--short", "main"]);
    for (given, told) in [
        ("main", "main"),
        ("HEAD", "main"),
        ("live", "live"),
        (&commit, &commit),
        ("v1", "v1"),
        ("feature", "feature"),
        ("refs/heads/feature", "feature"),
    ] {
        let job = client.json(tool, json!({ "ref": given }));
        assert_eq!(job["metadata"]["ref"], told);
        assert_eq!(ready(&mut client)["recent_jobs"][0]["ref"], told);
    }
    assert_eq!(code(&mut client, tool, json!({ "ref": "nowhere" })), "invalid_input");
}

fn name() {
    let sample = project();
    let mut client = indexed(&sample);
    let mut found = |name: &str| {
        let answer = client.json("locate_symbol", json!({ "name": name }));
        names(&answer).into_iter().map(str::to_string).collect::<Vec<_>>()
    };
    assert_eq!(found("check_rate_limit"), ["check_rate_limit"]);
    assert_eq!(found("auth::jwt::validate_token"), ["validate_token"], "by its qualified name");
    assert_eq!(found("checkratelimit"), ["check_rate_limit"], "without case and separators");
}

fn kind() {
    let sample = project();
    sample.write("src/report.rs", "pub struct total;\n");
    let mut client = indexed(&sample);
    let mut kinds = |kind: &str| {
        let answer = client.json("locate_symbol", json!({ "name": "total", "kind": kind }));
        let results = answer["results"].as_array().unwrap().clone();
        results.into_iter().map(|one| one["kind"].as_str().unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(kinds("struct"), ["struct"]);
    assert_eq!(kinds("method"), ["method"]);
    assert_eq!(kinds("fn"), Vec::<String>::new());
    assert_eq!(kinds("").len(), 2);
    let mut by_alias = |kind: &str| {
        let arguments = json!({ "name": "check_rate_limit", "kind": kind });
        client.json("locate_symbol", arguments)["results"].get(0).map(|one| one["kind"].clone())
    };
    for alias in ["fn", "func", "def", "function", "FN"] {
        assert_eq!(by_alias(alias), Some(json!("fn")), "{alias}");
    }
    for other in ["mod", "use", "import", "const", "var", "type", "type_alias", "class"] {
        assert_eq!(by_alias(other), None, "{other}");
    }
}

fn locate_language() {
    let sample = project();
    let mut client = indexed(&sample);
    for (language, path) in [("rust", "src/auth/jwt.rs"), ("py", "tools/report.py")] {
        let arguments = json!({ "name": "validate_token", "language": language });
        let answer = client.json("locate_symbol", arguments);
        assert_eq!((names(&answer).len(), &answer["results"][0]["path"]), (1, &json!(path)));
    }
}

fn search_language() {
    let sample = project();
    let mut client = indexed(&sample);
    for language in ["rust", "python", "markdown"] {
        let answer = client
            .json("search_code", json!({ "query": "validate token limit", "language": language }));
        let results = answer["results"].as_array().unwrap();
        assert!(
            !results.is_empty() && results.iter().all(|one| one["language"] == language),
            "{answer:#}"
        );
    }
}

fn query_ref(tool: &str, parameter: &str) {
    let sample = project();
    let mut client = indexed(&sample);
    for reference in ["main", "live", "HEAD", "refs/heads/main"] {
        let answer = client.json(tool, json!({ parameter: "validate_token", "ref": reference }));
        assert_eq!(answer["results"][0]["name"], "validate_token", "{reference}");
        let told = match reference {
            "HEAD" | "refs/heads/main" => "main",
            other => other,
        };
        assert_eq!(answer["metadata"]["ref"], told);
    }
    let arguments = json!({ parameter: "validate_token", "ref": "feature" });
    assert_eq!(code(&mut client, tool, arguments), "ref_not_indexed");
    // What is checked out is what is searched.
    git(&sample.root(), &["checkout", "-q", "feature"]);
    let answer = client.json(tool, json!({ parameter: "validate_token", "ref": "feature" }));
    assert_eq!(answer["metadata"]["ref"], "feature");
    assert_eq!(answer["results"][0]["name"], "validate_token");
}

fn limit(tool: &str, parameter: &str) {
    let sample = project();
    for number in 0..12 {
        sample.write(&format!("src/m{number}.rs"), "pub fn crowded() {}\n");
    }
    let mut client = indexed(&sample);
    let mut count = |limit: Option<i64>| {
        let answer = client.json(tool, json!({ parameter: "crowded", "limit": limit }));
        let is_clamped = limit.is_some_and(|limit| !(1..=1000).contains(&limit));
        assert_eq!(answer["metadata"]["warnings"].is_array(), is_clamped, "{limit:?}");
        names(&answer).len()
    };
    assert_eq!([None, Some(3), Some(0), Some(-4)].map(&mut count), [10, 3, 1, 1]);
    assert!(count(Some(100)) >= 12);
    assert_eq!(count(Some(5000)), count(Some(100)));
}

fn query() {
    let sample = project();
    let mut client = indexed(&sample);
    for (query, name) in
        [("who limits requests", "check_rate_limit"), ("signed with a key", "validate_token")]
    {
        let answer = client.json("search_code", json!({ "query": query }));
        assert_eq!(answer["results"][0]["name"], name, "{answer:#}");
    }
}

fn status_ref() {
    let sample = project();
    let mut client = indexed(&sample);
    let mut status = |reference: &str| {
        let status = client.json("index_status", json!({ "ref": reference }));
        format!("{} {}", status["ref"].as_str().unwrap(), status["index_status"].as_str().unwrap())
    };
    assert_eq!(status("main"), "main ready");
    assert_eq!(status("live"), "live ready");
    assert_eq!(status("feature"), "feature not_indexed");
}
