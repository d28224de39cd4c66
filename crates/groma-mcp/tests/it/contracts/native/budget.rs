//! `max_tokens` holds for every tool and format, whatever the lines are like.

use super::client_with;
use crate::client::Client;
use serde_json::{Value, json};

/// A project with long files, long lines, long signatures, many folders and many uses.
fn large() -> Vec<(String, String)> {
    let lines: String = (0..400).map(|n| format!("    total{n} = order.price + {n}\n")).collect();
    let members: String = (0..200)
        .map(|n| {
            format!("def order_member_with_a_long_name_{n}(order, price):\n    return 1\n\n\n")
        })
        .collect();
    let long: String = (0..40)
        .map(|n| format!("order_line_{n} = \"{}\"\n", "\\\"order\\\" ".repeat(400)))
        .collect();
    let uses: String = (0..120)
        .map(|n| format!("def use_{n}():\n    return collect_orders({})\n\n\n", "1, ".repeat(n)))
        .collect();
    let parameters: Vec<String> = (0..80).map(|n| format!("parameter_{n}")).collect();
    let parameters = parameters.join(", ");
    let mut files = vec![
        ("orders/collect.py".to_string(), format!("def collect_orders({parameters}):\n{lines}")),
        ("orders/members.py".to_string(), members),
        ("orders/long.py".to_string(), long),
        (
            "orders/uses.py".to_string(),
            format!("from orders.collect import collect_orders\n{uses}"),
        ),
        ("orders/minified.js".to_string(), format!("var order={};", "f(order),".repeat(3000))),
    ];
    for n in 0..120 {
        let path = format!("folder_with_a_long_name_{n}/order_file_with_a_long_name_{n}.py");
        files.push((path, format!("def order_of_folder_{n}(number):\n    return number\n")));
    }
    files
}

fn client() -> (crate::sample::Sample, Client) {
    let files = large();
    let files: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    client_with(&files)
}

fn holds(client: &mut Client, tool: &str, arguments: &Value) {
    for format in ["text", "json"] {
        for tokens in [200, 450, 1000, 3000] {
            let mut asked = arguments.clone();
            (asked["format"], asked["max_tokens"]) = (format.into(), tokens.into());
            let text = client.text(tool, asked);
            let (length, most) = (text.chars().count(), 3 * tokens);
            assert!(length <= most, "{tool} {arguments} {format}: {length} of {most}\n{text}");
            // A budget is there to be used.
            let is_cut = text.contains("more lines: raise max_tokens");
            assert!(!is_cut || length * 4 > most, "{tool} {arguments} {format}: {length}\n{text}");
        }
    }
}

#[test]
fn the_budget_of_search_and_notes_holds() {
    let (_sample, mut client) = client();
    for query in ["collect orders", "order_line_7", "orders \"order\"", "where is CollectOrders"] {
        holds(&mut client, "search", &json!({ "query": query }));
    }
    for n in 0..20 {
        let text = format!("We decided that order {n} is kept, {}", "because it is ".repeat(60));
        client.text("notes", json!({ "remember": text }));
    }
    holds(&mut client, "notes", &json!({ "query": "orders that are kept" }));
    holds(&mut client, "notes", &json!({ "query": "order_line", "type": "code" }));
}

#[test]
fn the_budget_of_read_holds() {
    let (_sample, mut client) = client();
    for places in [
        json!("orders/collect.py"),
        json!("orders/collect.py#collect_orders"),
        json!("orders/members.py"),
        json!("orders/long.py"),
        json!("orders/long.py:3-20"),
        json!("orders/minified.js"),
        json!("collect_orders"),
        json!(["orders/long.py", "orders/members.py", "no/such.py", "orders/uses.py:1-90", ".env"]),
        json!(vec!["orders/long.py:3"; 30]),
        json!(vec!["orders/nothing_of_this_name.py"; 30]),
    ] {
        let arguments = json!({ "places": places, "imports": true });
        holds(&mut client, "read", &arguments);
    }
}

#[test]
fn the_budget_of_grep_holds() {
    let (_sample, mut client) = client();
    for (pattern, context) in [("order", 0), ("order", 5), ("f\\(order\\)", 0), ("line_3 ", 20)] {
        let arguments = json!({ "pattern": pattern, "context": context, "limit": 1000 });
        holds(&mut client, "grep", &arguments);
    }
    let nothing = format!("nothing {}", "of this ".repeat(100));
    holds(&mut client, "grep", &json!({ "pattern": nothing }));
}

#[test]
fn the_budget_of_symbol_holds() {
    let (_sample, mut client) = client();
    for relation in ["definition", "references", "callers", "callees", "implementors", "tests"] {
        let arguments = json!({ "name": "collect_orders", "relation": relation, "depth": 2 });
        holds(&mut client, "symbol", &arguments);
    }
    holds(&mut client, "symbol", &json!({ "name": "order_line_3" }));
    holds(&mut client, "symbol", &json!({ "name": "x".repeat(450) }));
}

#[test]
fn the_budget_of_outline_holds() {
    let (_sample, mut client) = client();
    for path in
        ["", "orders", "orders/collect.py", "orders/members.py", "orders/long.py", "order_file"]
    {
        holds(&mut client, "outline", &json!({ "path": path }));
    }
}
