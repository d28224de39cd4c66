//! Questions that name what they want: paths, traces, messages, keys, names, kinds of things.

use groma_core::Cancel;
use groma_engine::{Confidence, SearchAnswer, SearchRequest, SnippetOptions, Snippets, Tests};
use groma_testkit::Sandbox;

const PROJECT: &str = "\
//- src/shop/cart.py
\"\"\"The cart of a customer.\"\"\"

class CartService:
    def add_item(self, item, count):
        if count < 1:
            raise ValueError(f\"cannot add {count} pieces of {item.name} to the cart\")
        self.items.append((item, count))

    def remove_item(self, item):
        if item not in self.items:
            raise KeyError(\"there is no such item in the cart, \"
                           \"it was removed by another session\")
        self.items.remove(item)
//- src/shop/checkout.py
from shop.cart import CartService


def check_out(customer):
    service = CartService()
    service.add_item(customer.item, 1)
    return pay(customer)


def pay(customer):
    limit = read_setting(\"max-order-value\")
    return customer.balance < limit
//- src/shop/settings.conf
# The largest order that is accepted.
max-order-value 500
currency EUR
//- src/shop/Ledger.java
package org.shop;

public class Ledger {
    public void book(String account) {
        if (account == null) {
            throw new IllegalArgumentException(\"Account [\" + account + \"] is not open\");
        }
    }
}
//- tests/test_cart.py
from shop.cart import CartService

def test_items_are_counted():
    service = CartService()
    service.add_item(\"pear\", 2)
    assert service.items
//- docs/orders.md
# Orders

An order above max-order-value is refused. A `CartService` has the items.
";

fn asked(query: &str) -> (SearchAnswer, Snippets) {
    let sandbox = Sandbox::new(PROJECT);
    let mut request = SearchRequest::new(query);
    request.limit = 30;
    let options = SnippetOptions { chars: 3000, places: 5, tests: Tests::Auto };
    let engine = sandbox.engine();
    engine.search_snippets(&request, &options, &(), &Cancel::default()).unwrap()
}

/// The first hit with lines: `path:start-end`.
fn first(query: &str) -> String {
    let (answer, _) = asked(query);
    let hit = answer.hits.iter().find(|hit| hit.symbol.is_some()).unwrap();
    format!("{}:{}-{}", hit.path, hit.lines.start, hit.lines.end)
}

fn shown(snippets: &Snippets) -> Vec<String> {
    let code = snippets.files.iter().flat_map(|file| {
        file.snippets.iter().map(|one| format!("{}:{}", file.path, one.place.lines.start))
    });
    code.collect()
}

#[test]
fn a_path_is_answered_by_its_file_and_nothing_else() {
    for query in [
        "src/shop/cart.py",
        "shop/cart.py",
        "cart.py",
        "https://forge.example/o/r/blob/main/src/shop/cart.py",
    ] {
        let (answer, snippets) = asked(query);
        assert_eq!(answer.hits[0].path.as_str(), "src/shop/cart.py", "{query}");
        assert_eq!(snippets.files.len(), 1, "{query}");
        assert_eq!(snippets.files[0].path.as_str(), "src/shop/cart.py", "{query}");
        assert!(snippets.places.is_empty(), "{query}: no filler");
        assert_eq!(snippets.confidence, Confidence::Strong, "{query}");
        assert_eq!((answer.named > 0, answer.named_by), (true, Some("path")), "{query}");
    }
}

#[test]
fn the_definition_around_a_line_is_shown() {
    for query in [
        "src/shop/cart.py:12",
        "cart.py:12:5",
        "src/shop/cart.py#L12",
        "why does it fail in src/shop/cart.py:12",
        "what happens at cart.py line 12?",
    ] {
        assert_eq!(first(query), "src/shop/cart.py:9-13", "{query}");
        assert_eq!(shown(&asked(query).1), ["src/shop/cart.py:9"], "{query}");
    }
}

#[test]
fn a_folder_is_answered_by_what_is_in_it() {
    let (_, snippets) = asked("src/shop/");
    assert!(snippets.files.is_empty());
    let paths: Vec<&str> = snippets.places.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths.len(), 4, "{paths:?}");
    assert!(paths.iter().all(|path| path.starts_with("src/shop/")), "{paths:?}");
}

#[test]
fn a_trace_is_answered_by_its_innermost_frame_in_the_project() {
    let python = "Traceback (most recent call last):\n  File \"/srv/src/shop/checkout.py\", line 6, in check_out\n    \
                  service.add_item()\n  File \"/srv/src/shop/cart.py\", line 6, in add_item\n  File \
                  \"/usr/lib/python3/json/decoder.py\", line 355, in decode\nValueError: bad";
    let (answer, _) = asked(python);
    let frames: Vec<&str> = answer.hits[..2].iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(frames, ["src/shop/cart.py", "src/shop/checkout.py"]);
    assert_eq!(first(python), "src/shop/cart.py:4-7");
    let java = "java.lang.IllegalArgumentException: x\n\tat java.base/java.util.Objects.check(Objects.java:1)\n\tat \
                org.shop.Ledger.book(Ledger.java:6)";
    assert_eq!(asked(java).0.hits[0].path.as_str(), "src/shop/Ledger.java");
}

#[test]
fn a_message_is_found_with_its_values() {
    for (query, lines) in [
        ("cannot add 12 pieces of pear to the cart", "src/shop/cart.py:4-7"),
        ("ValueError: cannot add -3 pieces of 'green tea' to the cart", "src/shop/cart.py:4-7"),
        (
            "there is no such item in the cart, it was removed by another session",
            "src/shop/cart.py:9-13",
        ),
    ] {
        assert_eq!(first(query), lines, "{query}");
    }
    let (answer, _) = asked("Account [4711-x] is not open");
    assert_eq!(answer.hits[0].path.as_str(), "src/shop/Ledger.java");
    assert_eq!(answer.named_by, Some("message"));
}

#[test]
fn a_text_that_occurs_nowhere_is_said() {
    let (_, snippets) = asked("\"the moon is made of green cheese\"");
    let absent: Vec<&str> = snippets.absent.iter().map(|absent| absent.name.as_str()).collect();
    assert_eq!(absent, ["the moon is made of green cheese"]);
    let (_, snippets) = asked("\"there is no such item in the cart\"");
    assert!(snippets.absent.is_empty());
}

#[test]
fn a_key_is_found_whole() {
    let (answer, _) = asked("max-order-value");
    let paths: Vec<&str> = answer.hits[..3].iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(answer.named_by, Some("key"));
    for path in ["src/shop/settings.conf", "src/shop/checkout.py", "docs/orders.md"] {
        assert!(paths.contains(&path), "{path}: {paths:?}");
    }
}

#[test]
fn a_name_is_found_in_any_spelling() {
    for query in
        ["CartService", "cartservice", "cart service", "cart-service", "CartServce", "CratService"]
    {
        let (answer, snippets) = asked(query);
        assert_eq!(answer.hits[0].path.as_str(), "src/shop/cart.py", "{query}");
        assert!(
            answer.hits[0].symbol.as_ref().is_some_and(|one| one.name == "CartService"),
            "{query}"
        );
        assert!(snippets.confidence >= Confidence::Likely, "{query}");
    }
    assert_eq!(first("CartService.remove_item"), "src/shop/cart.py:9-13");
    assert_eq!(asked("CartServce").0.named_by, Some("similar_name"));
}

#[test]
fn the_kind_that_is_asked_for_comes_first() {
    let path = |query: &str| asked(query).0.hits[0].path.to_string();
    assert_eq!(path("tests for CartService"), "tests/test_cart.py");
    assert_eq!(path("docs about CartService"), "docs/orders.md");
    assert_eq!(path("who calls check_out"), "src/shop/checkout.py");
    assert_eq!(first("who calls add_item"), "src/shop/checkout.py:4-7");
    assert_eq!(path("where is max-order-value configured"), "src/shop/settings.conf");
}

#[test]
fn a_pattern_is_matched_as_one() {
    let (answer, _) = asked("def \\w+_item\\(");
    assert_eq!(answer.named_by, Some("pattern"));
    assert_eq!(answer.hits[0].path.as_str(), "src/shop/cart.py");
}

#[test]
fn nonsense_is_said_to_be_nothing() {
    for query in ["zzqqxxkjw", "hqzvkx wqpzzk", "trombone sourdough glacier"] {
        let (_, snippets) = asked(query);
        assert_eq!(snippets.confidence, Confidence::None, "{query}");
        assert!(snippets.files.is_empty(), "{query}");
    }
    for query in ["where are items added to the cart", "how is the order limit read"] {
        assert!(asked(query).1.confidence > Confidence::None, "{query}");
    }
}

#[test]
fn a_question_in_another_language_says_so() {
    let (answer, _) = asked("wo wird der Wert von check_out geprüft");
    assert!(answer.notes.iter().any(|note| note.contains("German")), "{:?}", answer.notes);
    assert!(asked("where is check_out").0.notes.is_empty());
}

#[test]
fn answers_are_the_same_every_time() {
    let hits = |query: &str| -> Vec<String> {
        asked(query).0.hits.iter().map(|hit| format!("{}:{}", hit.path, hit.lines.start)).collect()
    };
    for query in
        ["max-order-value", "cannot add 12 pieces of pear to the cart", "tests for CartService"]
    {
        assert_eq!(hits(query), hits(query), "{query}");
    }
}
