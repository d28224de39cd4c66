//! Every parameter has an effect.

use super::super::{Shown, every_parameter_is_shown};
use super::{chunks, ids, kinds, sample, search, start};
use serde_json::{Value, json};

#[test]
fn every_parameter_has_an_effect() {
    let shown = |parameter, test| Shown { tool: "cortex_search", parameter, test };
    every_parameter_is_shown(
        "cortex",
        &[
            shown("query", query),
            shown("limit", limit),
            shown("tags", tags),
            shown("chunk_types", chunk_types),
        ],
    );
}

fn query() {
    let sample = sample();
    let mut client = start(&sample);
    for (query, path) in [
        ("rate limit requests", "src/limit.rs"),
        ("session behind a token", "internal/auth/handler.go"),
        ("database timeout", "internal/config/database.go"),
    ] {
        let answer = search(&mut client, json!({ "query": query }));
        assert_eq!(chunks(&answer)[0]["metadata"]["file_path"], path, "{query}");
    }
}

fn limit() {
    let sample = sample();
    for number in 0..110 {
        sample.write(
            &format!("many/m{number}.go"),
            &format!("package many\n\n// Handle{number} handles requests.\nfunc Handle{number}() {{\n}}\n"),
        );
    }
    let mut client = start(&sample);
    let mut total = |limit: Value| {
        let mut ask = json!({ "query": "handle requests" });
        if !limit.is_null() {
            ask["limit"] = limit;
        }
        search(&mut client, ask)["total"].as_u64().unwrap()
    };
    assert_eq!(total(json!(3)), 3);
    assert_eq!(total(Value::Null), 15, "the default");
    // "limit: number (optional, 1-100, default 15)": out of bounds is brought back into them.
    assert_eq!(total(json!(0)), 1);
    assert_eq!(total(json!(-7)), 1);
    assert_eq!(total(json!(1000)), 100);
    assert_eq!(total(json!(1e300)), 100);
    assert_eq!(total(json!(4.0)), 4);
}

fn tags() {
    let sample = sample();
    let mut client = start(&sample);
    let mut found = |tags: Value| {
        let answer =
            search(&mut client, json!({ "query": "authentication", "tags": tags, "limit": 100 }));
        for chunk in chunks(&answer) {
            let own = chunk["tags"].as_array().unwrap();
            assert!(
                tags.as_array().unwrap().iter().all(|tag| own.contains(tag)),
                "{tags}: {chunk}"
            );
        }
        answer["total"].as_u64().unwrap()
    };
    let all = found(json!([]));
    // From the language, the type, the path, front matter and hashtags; all of them must be there.
    for tags in [
        json!(["code", "go"]),
        json!(["documentation", "architecture"]),
        json!(["internal", "auth", "symbols"]),
        json!(["users"]),
        json!(["typescript", "definitions"]),
    ] {
        let some = found(tags.clone());
        assert!(some > 0 && some < all, "{tags}: {some} of {all}");
    }
    assert_eq!(found(json!(["code", "architecture"])), 0);
    assert_eq!(found(json!(["definitions", "data"])), 0);
}

fn chunk_types() {
    let sample = sample();
    let mut client = start(&sample);
    for wanted in [
        json!(["documentation"]),
        json!(["symbols"]),
        json!(["definitions"]),
        json!(["data"]),
        json!(["data", "documentation"]),
    ] {
        let ask =
            json!({ "query": "authentication and database", "chunk_types": wanted, "limit": 100 });
        let answer = search(&mut client, ask);
        let mut found = kinds(&answer);
        found.sort();
        found.dedup();
        let expected: Vec<&str> =
            wanted.as_array().unwrap().iter().map(|kind| kind.as_str().unwrap()).collect();
        assert_eq!(found, expected);
    }
    // A document is no list of functions.
    let ask = json!({ "query": "authentication", "chunk_types": ["symbols"], "limit": 100 });
    let answer = search(&mut client, ask);
    assert!(ids(&answer).iter().all(|id| !id.ends_with("-md")), "{:?}", ids(&answer));
}
