//! Arguments that a tool does not have: none of the documents' schemas forbids them.

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};

/// A call of each contract, of a kind that a document shows.
fn calls(root: &str) -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("gocontext", "get_status", json!({ "path": root })),
        ("context", "grep_codebase", json!({ "pattern": "token" })),
        ("codecompass", "index_status", json!({})),
        ("cocosearch", "list_indexes", json!({})),
        ("cortex", "cortex_search", json!({ "query": "token" })),
    ]
}

/// GoContext: "inputSchema": { "type": "object", "properties": { ... }, "required": ["path"] }, and nothing else; Context Tool:
/// "z.object({ ... })", which drops other keys; CodeCompass, CocoSearch and Cortex list parameters and forbid none.
#[test]
fn unknown_arguments_are_accepted() {
    let sample = Sample::new();
    let root = sample.root().to_string_lossy().into_owned();
    for (contract, tool, mut arguments) in calls(&root) {
        let mut client = Client::start(&sample, &["--contract", contract]);
        let mut answered = |arguments: &Value| {
            let mut result = client.call(tool, arguments.clone())["result"].clone();
            assert_eq!(result.get("isError").filter(|one| **one == true), None, "{result}");
            let content = result["content"].as_array().map(Vec::len);
            // Not the time it took.
            result.as_object_mut().unwrap().retain(|name, _| name != "content");
            (result, content)
        };
        let expected = answered(&arguments);
        arguments["colour"] = json!("red");
        assert_eq!(answered(&arguments), expected, "{contract}");
    }
}

#[test]
fn the_schema_tells_what_is_accepted() {
    for contract in ["native", "gocontext", "context", "codecompass", "cocosearch", "cortex"] {
        let mut client = Client::start(&Sample::new(), &["--contract", contract]);
        let listed = client.request("tools/list", json!({}));
        for tool in listed["result"]["tools"].as_array().unwrap() {
            let schema = &tool["inputSchema"];
            assert_eq!(schema.get("additionalProperties"), None, "{contract} {tool}");
            // "-32602 | Invalid params | Invalid query, limit out of range, or malformed filters"
            let filters = &schema["properties"]["filters"];
            assert!(filters.is_null() || filters["additionalProperties"] == false, "{filters}");
            assert_eq!(tool["annotations"]["openWorldHint"], false, "{contract} {tool}");
        }
    }
}
