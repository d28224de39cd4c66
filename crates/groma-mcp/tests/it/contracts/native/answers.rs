//! What the answers of the tools contain.

use super::{ask, client, client_with, data, failure};
use serde_json::{Value, json};

/// The lines of code of a text answer: numbers with their text.
fn numbered(text: &str) -> Vec<(u32, String)> {
    let line = |line: &str| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line[digits..].strip_prefix([':', '-'])?;
        Some((line[..digits].parse().ok()?, rest.to_string()))
    };
    text.lines().filter_map(line).collect()
}

/// The numbered lines in the excerpts of a JSON answer.
fn excerpts(value: &Value) -> Vec<(u32, String)> {
    let mut lines = Vec::new();
    if let (Some(start), Some(text)) = (value["start_line"].as_u64(), value["text"].as_str()) {
        lines.extend((start as u32..).zip(text.lines().map(str::to_string)));
    }
    match value {
        Value::Array(items) => lines.extend(items.iter().flat_map(excerpts)),
        Value::Object(fields) => lines.extend(fields.values().flat_map(excerpts)),
        _ => {}
    }
    lines
}

/// A class with a long method, of which a question is about one line.
fn long_method() -> (&'static str, String) {
    let before: String = (0..120).map(|n| format!("        step_{n} = {n}\n")).collect();
    let after: String = (0..120).map(|n| format!("        last_{n} = {n}\n")).collect();
    let text = format!(
        "class Invoice:\n    def settle(self, account):\n{before}        if account.frozen:\n            \
         raise FrozenAccount(\"frozen accounts cannot settle\")\n{after}        return account\n\n    \
         def void(self):\n        self.voided = True\n"
    );
    ("billing/invoice.py", text)
}

#[test]
fn a_search_shows_numbered_lines_and_says_what_they_are_a_piece_of() {
    let (path, text) = long_method();
    let (_sample, mut client) = client_with(&[(path, &text)]);
    let found = client.text("search", json!({ "query": "frozen accounts cannot settle" }));
    assert!(found.contains("strong match\nbilling/invoice.py\n"), "{found}");
    let heading = "method Invoice.settle 2-245, shown ";
    let heading = found.lines().find(|line| line.starts_with(heading)).expect(&found);
    let of_file = found.split("\nsrc/limit.rs\n").next().unwrap();
    let shown = numbered(of_file);
    let line = |number: u32| text.lines().nth(number as usize - 1).unwrap().to_string();
    assert!(shown.contains(&(124, line(124))), "{found}");
    for (number, text) in shown.iter().filter(|(number, _)| (2..=245).contains(number)) {
        assert_eq!(*text, line(*number), "{found}");
    }
    let ranges: Vec<(u32, u32)> =
        heading.split_once("shown ").unwrap().1.split(", ").map(range).collect();
    let all = (2..=245).filter(|number| ranges.iter().any(|(a, b)| (a..=b).contains(&number)));
    let all: Vec<u32> = all.collect();
    let numbers: Vec<u32> = shown.iter().map(|(number, _)| *number).filter(|n| *n <= 245).collect();
    assert!(all.iter().all(|number| numbers.contains(number)), "{found}");
}

fn range(text: &str) -> (u32, u32) {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    (start.parse().unwrap(), end.parse().unwrap())
}

#[test]
fn a_search_says_what_does_not_occur() {
    let (_sample, mut client) = client();
    let text = client.text("search", json!({ "query": "where is verify_tokens called" }));
    assert!(
        text.contains("note: `verify_tokens` does not occur here; similar: verify_token"),
        "{text}"
    );
    let asked = json!({ "query": "where is verify_tokens called", "format": "json" });
    let found = client.json("search", asked);
    assert_eq!(found["absent"][0]["name"], "verify_tokens", "{found}");
    assert_eq!(found["absent"][0]["similar"][0], "verify_token", "{found}");
}

#[test]
fn json_has_the_content_of_the_text() {
    let (path, text) = long_method();
    let (_sample, mut client) = client_with(&[(path, &text)]);
    for (tool, mut arguments) in [
        ("search", json!({ "query": "verify a token" })),
        ("read", json!({ "places": ["auth/token.py", "src/limit.rs:3-9", "FindOrder"] })),
        ("symbol", json!({ "name": "RateLimiter" })),
        ("notes", json!({ "query": "verify a token", "type": "code" })),
    ] {
        arguments["max_tokens"] = 20_000.into();
        let shown = numbered(&client.text(tool, arguments.clone()));
        arguments["format"] = "json".into();
        let value = client.json(tool, arguments);
        assert!(!shown.is_empty() && value.get("truncated").is_none(), "{tool}: {value}");
        let (mut a, mut b) = (shown, excerpts(&value));
        a.sort();
        b.sort();
        assert_eq!(a, b, "{tool}");
    }
    let text = client.text("grep", json!({ "pattern": "frozen", "context": 1 }));
    let found = client.json("grep", json!({ "pattern": "frozen", "context": 1, "format": "json" }));
    let matches = found["files"][0]["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 2, "{found}");
    for one in matches {
        assert!(
            text.contains(&format!("{}:{}", one["line"], one["text"].as_str().unwrap())),
            "{text}"
        );
        assert_eq!(one["in"]["name"], "Invoice.settle", "{found}");
    }
    let text = client.text("outline", json!({ "path": path }));
    let found = client.json("outline", json!({ "path": path, "format": "json" }));
    let members = found["members"].as_array().unwrap();
    assert_eq!(members.len() + 1, text.lines().count(), "{text} {found}");
    for member in members {
        assert!(text.contains(member["signature"].as_str().unwrap()), "{text} {found}");
    }
}

#[test]
fn read_takes_files_lines_members_and_names() {
    let (path, text) = long_method();
    let (_sample, mut client) = client_with(&[(path, &text)]);
    let places =
        json!(["billing/invoice.py#Invoice.void", "FindOrder", "auth/token.py:4,6", "none.rs"]);
    let found = client.text("read", json!({ "places": places }));
    let expected = "\
billing/invoice.py method Invoice.void 247-248 of 248 lines
247:    def void(self):
248:        self.voided = True
store/order.go method OrderRepository.FindOrder 6-9 of 9 lines
6:// FindOrder finds an order by its number.
7:func (r *OrderRepository) FindOrder(number int) string {
8:\treturn \"order\"
9:}
auth/token.py 4, 6 of 6 lines
4:def verify_token(token):
...
6:    return token.startswith(\"ok\")
";
    let (read, error) = found.split_at(expected.len().min(found.len()));
    assert_eq!(read, expected);
    assert!(
        error.starts_with("note: ") && error.contains("none.rs") && error.lines().count() == 1,
        "{error}"
    );
    let found = client.json("read", json!({ "places": places, "format": "json" }));
    assert!(found["places"][3]["error"].as_str().unwrap().contains("none.rs"), "{found}");
    let message =
        failure(&mut client, "read", json!({ "places": "billing/invoice.py#Invoice.pay" }));
    assert!(
        message.contains("has no member Invoice.pay; it has Invoice, settle, void"),
        "{message}"
    );
    failure(&mut client, "read", json!({ "places": [] }));
}

#[test]
fn a_file_larger_than_the_budget_comes_as_its_outline() {
    let (path, text) = long_method();
    let (_sample, mut client) = client_with(&[(path, &text)]);
    let found = client.text("read", json!({ "places": path, "max_tokens": 300 }));
    let expected = "\
billing/invoice.py has 248 lines, more than the budget; its members (read billing/invoice.py#NAME or raise max_tokens):
1-248 class Invoice
2-245 def settle(self, account)
247-248 def void(self)
";
    assert_eq!(found, expected);
    let found = client.json("read", json!({ "places": path, "max_tokens": 300, "format": "json" }));
    let view = &found["places"][0]["views"][0];
    assert_eq!(view["members"].as_array().unwrap().len(), 3, "{found}");
    assert_eq!(view["excerpts"], json!([]));
    // A member of it is a piece that says so, and names the rest.
    let found =
        client.text("read", json!({ "places": format!("{path}#settle"), "max_tokens": 300 }));
    let head = "billing/invoice.py method Invoice.settle 2-245 of 248 lines, shown 2-";
    assert!(found.starts_with(head), "{found}");
    let last = numbered(&found).last().unwrap().0;
    assert!(
        found.ends_with(&format!("note: {0}-245 not shown: read {path}:{0}-245\n", last + 1)),
        "{found}"
    );
}

#[test]
fn grep_merges_context_and_names_definitions() {
    let (path, text) = long_method();
    let (_sample, mut client) = client_with(&[(path, &text)]);
    let found =
        client.text("grep", json!({ "pattern": "frozen|step_119|self.voided", "context": 1 }));
    let expected = "\
billing/invoice.py
method Invoice.settle 2-245
121-        step_118 = 118
122:        step_119 = 119
123:        if account.frozen:
124:            raise FrozenAccount(\"frozen accounts cannot settle\")
125-        last_0 = 0
method Invoice.void 247-248
247-    def void(self):
248:        self.voided = True
";
    assert_eq!(found, expected);
}

#[test]
fn files_share_the_budget_of_grep() {
    let many: String = (0..100).map(|n| format!("total_{n} = price + {n}\n")).collect();
    let files: Vec<(String, String)> =
        (0..40).map(|n| (format!("shop/part_{n:02}.py"), many.clone())).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
    let (_sample, mut client) = client_with(&files);
    let found = client.text("grep", json!({ "pattern": "price", "max_tokens": 400 }));
    let first = found.lines().next().unwrap();
    assert!(first.contains(" of 4000 lines in 40 files"), "{found}");
    assert!(found.matches("\nshop/part_").count() > 5, "each file shows a line: {found}");
    let found = client.text("grep", json!({ "pattern": "price", "max_tokens": 400, "limit": 2 }));
    assert!(
        found.contains("shop/part_00.py (1 of ") && found.contains("shop/part_01.py (1 of "),
        "{found}"
    );
    assert!(found.contains("note: also in shop/part_02.py"), "{found}");
    assert!(found.contains("note: also on lines 2, 3, 4,"), "{found}");
}

#[test]
fn grep_without_a_match_counts_those_of_another_case() {
    let text = ask("grep", json!({ "pattern": "RATELIMITER" }));
    let expected =
        "no match for \"RATELIMITER\" in 4 files\nnote: 2 lines match if case is ignored\n";
    assert_eq!(text, expected);
    let text = ask("grep", json!({ "pattern": "qqqzzz" }));
    assert_eq!(text, "no match for \"qqqzzz\" in 4 files\n");
    let found = data("grep", json!({ "pattern": "RATELIMITER" }));
    assert_eq!(found["notes"][0], "2 lines match if case is ignored", "{found}");
}

#[test]
fn outlines_are_of_files_classes_folders_and_parts_of_names() {
    let (path, text) = long_method();
    let (_sample, mut client) =
        client_with(&[(path, &text), ("billing/cash/till.py", "def open_till(): pass\n")]);
    let mut outline = |path: &str| client.text("outline", json!({ "path": path }));
    let members = "2-245 def settle(self, account)\n247-248 def void(self)\n";
    assert_eq!(
        outline("billing/invoice.py"),
        format!("billing/invoice.py 248 lines\n1-248 class Invoice\n{members}")
    );
    let of_class = outline("billing/invoice.py#Invoice");
    assert!(of_class.ends_with(members), "{of_class}");
    assert_eq!(outline("src/limit.rs#allow").lines().count(), 2);
    let folder = outline("billing");
    assert!(folder.starts_with("billing: 2 files\ncash/ 1\n"), "{folder}");
    assert!(folder.contains("billing/invoice.py (248 lines) Invoice"), "{folder}");
    for project in ["", "."] {
        let project = outline(project);
        assert!(
            project.starts_with("project: 6 files\nauth/ 1, billing/ 2, src/ 1, store/ 1\n"),
            "{project}"
        );
        assert!(project.contains("store/order.go (9 lines)"), "{project}");
    }
    assert_eq!(outline("till"), "1 file with \"till\" in the path:\nbilling/cash/till.py\n");
    let text = failure(&mut client, "outline", json!({ "path": "qqqzzz" }));
    assert!(text.contains("\"qqqzzz\""), "{text}");
    let message = failure(&mut client, "outline", json!({ "path": "src/limit.rs#Nothing" }));
    assert!(message.contains("has no member Nothing"), "{message}");
}

#[test]
fn a_symbol_that_is_not_defined_leads_on() {
    let text = ask("symbol", json!({ "name": "qqqzzzqqq" }));
    assert!(text.starts_with("no definitions of \"qqqzzzqqq\"; search finds it"), "{text}");
    let text = ask("symbol", json!({ "name": "verify_tokn" }));
    assert!(text.starts_with("no definition of verify_tokn; these names are similar:\n"), "{text}");
    assert!(text.contains("def verify_token"), "{text}");
    let text = ask("symbol", json!({ "name": "FindOrder", "relation": "callers" }));
    assert!(text.contains("store/order.go:6-9") && text.contains("no callers found"), "{text}");
}

#[test]
fn notes_show_decisions_and_numbered_code() {
    let (_sample, mut client) = client();
    let decision = "We decided to verify tokens at the edge.\nThe services behind it trust them.";
    client.text("notes", json!({ "remember": decision }));
    let text = client.text("notes", json!({ "query": "where are tokens verified" }));
    assert!(
        text.contains("\n  We decided to verify tokens at the edge.\n  The services behind"),
        "{text}"
    );
    assert!(text.contains("\n4:def verify_token(token):\n"), "{text}");
    let text = client.text("notes", json!({ "query": "qqqzzz", "type": "rule" }));
    assert!(text.starts_with("nothing is known about that yet"), "{text}");
    let message = failure(&mut client, "notes", json!({ "module": "auth" }));
    assert!(message.contains("unless `remember` is given"), "{message}");
    let again = client.text("notes", json!({ "remember": decision }));
    assert!(again.starts_with("Known already as decision"), "{again}");
}
