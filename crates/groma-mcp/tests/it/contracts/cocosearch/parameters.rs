//! Every parameter has an effect.

use super::{Shop, entries, object, results, texts, with_index, write};
use crate::client::Client;
use crate::contracts::{Shown, every_parameter_is_shown};
use serde_json::{Value, json};

#[test]
fn every_parameter_has_an_effect() {
    let shown = |tool, parameter, test| Shown { tool, parameter, test };
    every_parameter_is_shown(
        "cocosearch",
        &[
            shown("search_code", "query", || query(results)),
            shown("search_code", "index_name", search_index),
            shown("search_code", "limit", || limit(results)),
            shown("search_code", "language", || language(results)),
            shown("search_code", "use_hybrid_search", || hybrid(results)),
            shown("search_code", "symbol_type", || symbol_type(results)),
            shown("search_code", "symbol_name", || symbol_name(results)),
            shown("search_code", "context_before", context_before),
            shown("search_code", "context_after", context_after),
            shown("search_code", "smart_context", smart_context),
            shown("analyze_query", "query", || query(analyzed)),
            shown("analyze_query", "index_name", analyze_index),
            shown("analyze_query", "limit", || limit(analyzed)),
            shown("analyze_query", "language", || language(analyzed)),
            shown("analyze_query", "use_hybrid_search", || {
                hybrid(analyzed);
                analyzed_hybrid();
            }),
            shown("analyze_query", "symbol_type", || {
                symbol_type(analyzed);
                analyzed_filters();
            }),
            shown("analyze_query", "symbol_name", || symbol_name(analyzed)),
            shown("index_stats", "index_name", stats_index),
            shown("index_stats", "include_failures", include_failures),
            shown("clear_index", "index_name", clear_index),
            shown("index_codebase", "path", index_path),
            shown("index_codebase", "index_name", index_name),
        ],
    );
}

/// Asks a tool for results.
type Ask = fn(&mut Client, Value) -> Vec<Value>;

fn analyzed(client: &mut Client, arguments: Value) -> Vec<Value> {
    let answer = object(client, "analyze_query", with_index(arguments));
    answer["results"].as_array().unwrap_or_else(|| panic!("{answer:#}")).clone()
}

fn query(ask: Ask) {
    let (_shop, mut client) = Shop::indexed();
    for name in ["getUserById", "validate_jwt_token"] {
        assert_eq!(ask(&mut client, json!({ "query": name }))[0]["symbol_name"], name);
    }
}

fn search_index() {
    let shop = two_indexes();
    let mut client = shop.client();
    let found =
        entries(&mut client, "search_code", json!({ "query": "start_ui", "index_name": "ui" }));
    assert_eq!(found[0]["symbol_name"], "start_ui");
    let found =
        entries(&mut client, "search_code", json!({ "query": "start_ui", "index_name": null }));
    assert_eq!(found[0]["index_name"], "my-api");
    assert!(!texts(&found, "symbol_name").contains(&"start_ui"));
}

fn analyze_index() {
    let shop = two_indexes();
    let mut client = shop.client();
    let mut first = |index: Option<&str>| {
        let arguments = json!({ "query": "start_ui", "index_name": index });
        object(&mut client, "analyze_query", arguments)["results"][0]["symbol_name"].clone()
    };
    assert_eq!(first(Some("ui")), "start_ui");
    assert_ne!(first(None), "start_ui");
}

/// The project, and another called `ui`.
fn two_indexes() -> Shop {
    let shop = Shop::new();
    write(&shop.beside("ui").join("main.py"), "def start_ui():\n    pass\n");
    let mut client = shop.client();
    for root in [shop.root(), shop.beside("ui")] {
        object(&mut client, "index_codebase", json!({ "path": root }));
    }
    shop
}

fn limit(ask: Ask) {
    let (shop, mut client) = Shop::indexed();
    for number in 0..15 {
        shop.write(&format!("more/m{number}.py"), &format!("def token_{number}():\n    pass\n"));
    }
    let mut count =
        |limit: Value| ask(&mut client, json!({ "query": "token", "limit": limit })).len();
    assert_eq!(count(json!(1)), 1);
    assert_eq!(count(json!(3)), 3);
    assert_eq!(count(json!(null)), 10);
    assert!(count(json!(40)) > 10);
}

fn language(ask: Ask) {
    let (shop, mut client) = Shop::indexed();
    shop.write("deploy.sh", "deploy_bucket() {\n  echo token\n}\n");
    let mut found = |language: &str| {
        let found = ask(&mut client, json!({ "query": "token bucket user", "language": language }));
        let mut languages: Vec<String> =
            texts(&found, "language_id").into_iter().map(str::to_string).collect();
        languages.sort();
        languages.dedup();
        languages.join(",")
    };
    assert_eq!(found("python"), "python");
    assert_eq!(found("terraform"), "hcl");
    assert_eq!(found("shell"), "bash");
    assert_eq!(found("sh"), "bash");
    assert_eq!(found("python, typescript"), "python,typescript");
}

fn hybrid(ask: Ask) {
    let (_shop, mut client) = Shop::indexed();
    let mut found = |query: &str, flag: Value| {
        let arguments = json!({ "query": query, "use_hybrid_search": flag });
        let found = ask(&mut client, arguments);
        assert!(!found.is_empty());
        let has = |name: &str| found.iter().all(|one| one.get(name).is_some());
        let all = ["match_type", "vector_score", "keyword_score"].map(has);
        assert!(all == [true; 3] || all == [false; 3], "{found:?}");
        all[0]
    };
    assert!(found("where do tokens expire", json!(true)));
    assert!(!found("getUserById", json!(false)));
    for query in ["getUserById", "find UserService", "refresh_token", "JWT token validation"] {
        assert!(found(query, json!(null)), "{query}");
    }
    assert!(!found("where do tokens expire", json!(null)));
}

fn analyzed_hybrid() {
    let (_shop, mut client) = Shop::indexed();
    let mut mode = |query: &str, flag: Value| {
        let arguments = with_index(json!({ "query": query, "use_hybrid_search": flag }));
        let mode = object(&mut client, "analyze_query", arguments)["search_mode"].clone();
        assert_eq!(mode["use_hybrid_flag"], flag);
        format!("{}: {}", mode["mode"].as_str().unwrap(), mode["reason"].as_str().unwrap())
    };
    let auto = "hybrid: Auto-detected identifier pattern in query";
    assert_eq!(mode("getUserById", json!(null)), auto);
    assert_eq!(mode("tokens", json!(null)), "vector-only: No identifier pattern in query");
    assert_eq!(mode("tokens", json!(true)), "hybrid: Enabled by use_hybrid_search=true");
    let off = "vector-only: Disabled by use_hybrid_search=false";
    assert_eq!(mode("getUserById", json!(false)), off);
}

fn analyzed_filters() {
    let (_shop, mut client) = Shop::indexed();
    let mut ask = |arguments: Value| object(&mut client, "analyze_query", with_index(arguments));
    let all = ask(json!({ "query": "JWT token" }));
    let some = ask(json!({
        "query": "JWT token", "language": "python", "symbol_type": ["function"], "symbol_name": "*token*",
    }));
    let filter = &some["filtering"];
    assert_eq!(filter["language_filter"], "python");
    assert_eq!(filter["symbol_type_filter"], json!(["function"]));
    assert_eq!(filter["symbol_name_filter"], "*token*");
    let count = |answer: &Value| answer["filtering"]["post_filter_count"].as_u64().unwrap();
    assert!(count(&some) == 2 && count(&all) > 2, "{some:#}");
    assert!(
        some["vector_search"]["result_count"].as_u64()
            < all["vector_search"]["result_count"].as_u64()
    );
}

fn symbol_type(ask: Ask) {
    let (shop, mut client) = Shop::indexed();
    shop.write("shape.rs", "pub struct UserShape {\n    id: u32,\n}\n");
    shop.write("role.rs", "pub trait UserRole {\n    fn id(&self);\n}\n");
    let mut found = |kind: Value| {
        let arguments = json!({ "query": "user token", "symbol_type": kind, "limit": 50 });
        let found = ask(&mut client, arguments);
        let mut names: Vec<String> =
            texts(&found, "symbol_name").into_iter().map(str::to_string).collect();
        names.sort();
        (names.join(" "), texts(&found, "symbol_type").join(" "))
    };
    let (names, types) = found(json!("function"));
    assert_eq!(names, "parse refresh_token validate_jwt_token");
    assert_eq!(types, "function function function");
    assert_eq!(found(json!("class")).0, "UserService UserShape", "a struct is a class");
    assert_eq!(found(json!("interface")).0, "User UserRole", "a trait is an interface");
    assert_eq!(found(json!("method")).0, "getUserById id removeUser");
    assert_eq!(found(json!(["class", "interface"])).0, "User UserRole UserService UserShape");
    assert_eq!(found(json!([])), found(json!(null)), "no type is no filter");
}

fn symbol_name(ask: Ask) {
    let (_shop, mut client) = Shop::indexed();
    let mut found = |glob: &str| {
        let found = ask(&mut client, json!({ "query": "user token", "symbol_name": glob }));
        let mut names: Vec<String> =
            texts(&found, "symbol_name").into_iter().map(str::to_string).collect();
        names.sort();
        names.join(" ")
    };
    assert_eq!(found("get*"), "getUserById");
    assert_eq!(found("GET*"), "getUserById", "case does not matter");
    assert_eq!(found("*Service"), "UserService");
    assert_eq!(found("*_token"), "refresh_token validate_jwt_token");
    assert_eq!(found("nothing*"), "");
}

/// The first result of a question about a method in the middle of a class.
fn method(client: &mut Client, mut arguments: Value) -> Value {
    arguments["query"] = json!("getUserById");
    results(client, arguments).remove(0)
}

fn lines(value: &Value) -> usize {
    value.as_str().map_or(0, |text| text.matches('\n').count())
}

fn context_before() {
    let (_shop, mut client) = Shop::indexed();
    let hit = method(&mut client, json!({ "context_before": 2 }));
    assert_eq!(hit["context_before"], "  private users = new Map<string, User>();\n\n");
    assert!(hit.get("context_after").is_none(), "it overrides what is around");
    let hit = method(&mut client, json!({ "context_before": 0 }));
    assert!(hit.get("context_before").is_none() && hit.get("context_after").is_none());
}

fn context_after() {
    let (_shop, mut client) = Shop::indexed();
    let hit = method(&mut client, json!({ "context_after": 2 }));
    assert_eq!(hit["context_after"], "\n\n  /** Forgets the user with this id. */");
    assert!(hit.get("context_before").is_none());
    let hit = method(&mut client, json!({ "context_before": 1000, "context_after": 1000 }));
    assert_eq!((lines(&hit["context_before"]), lines(&hit["context_after"])), (10, 11));
}

fn smart_context() {
    let (_shop, mut client) = Shop::indexed();
    let smart = method(&mut client, json!({}));
    assert!(smart["context_before"].as_str().unwrap().starts_with("/** Finds users. */\n"));
    assert!(smart["context_after"].as_str().unwrap().ends_with("\n}"));
    assert_eq!(method(&mut client, json!({ "smart_context": true })), smart);
    let plain = method(&mut client, json!({ "smart_context": false }));
    assert!(plain.get("context_before").is_none() && plain.get("context_after").is_none());
    assert_eq!(plain["content"], smart["content"]);
    let exact = method(&mut client, json!({ "smart_context": false, "context_before": 2 }));
    assert_eq!(lines(&exact["context_before"]), 2);
}

fn stats_index() {
    let shop = two_indexes();
    let mut client = shop.client();
    let mut files = |index: &str| {
        let stats = object(&mut client, "index_stats", json!({ "index_name": index }));
        stats["file_count"].clone()
    };
    assert_eq!((files("ui"), files("my-api")), (json!(1), json!(5)));
}

fn include_failures() {
    let (_shop, mut client) = Shop::indexed();
    let mut ask = |flag: bool| {
        let arguments = with_index(json!({ "include_failures": flag }));
        object(&mut client, "index_stats", arguments)["parse_failures"].clone()
    };
    let failure = json!([{
        "file_path": "src/legacy/parser.py",
        "language": "python",
        "parse_status": "partial",
        "error_message": "syntax error at line 1",
    }]);
    assert_eq!((ask(false), ask(true)), (Value::Null, failure.clone()));
    let all = entries(&mut client, "index_stats", json!({ "include_failures": true }));
    assert_eq!(all[0]["parse_failures"], failure);
}

fn clear_index() {
    let shop = two_indexes();
    let mut client = shop.client();
    object(&mut client, "clear_index", json!({ "index_name": "ui" }));
    let left = entries(&mut client, "list_indexes", json!({}));
    assert_eq!(texts(&left, "name"), ["my-api"]);
    assert!(shop.beside("ui").join("main.py").exists(), "the files of the project stay");
}

fn index_path() {
    let shop = Shop::new();
    let mut client = shop.client();
    let mut added = |path: &str| {
        let answer = object(&mut client, "index_codebase", json!({ "path": path }));
        (answer["index_name"].clone(), answer["stats"]["files_added"].clone())
    };
    assert_eq!(added("."), (json!("my-api"), json!(5)));
    assert_eq!(added("web"), (json!("web"), json!(1)), "a folder is indexed as it is named");
    let absolute = shop.root().join("auth").to_string_lossy().into_owned();
    assert_eq!(added(&absolute), (json!("auth"), json!(1)));
}

fn index_name() {
    let shop = Shop::new();
    let mut client = shop.client();
    for name in ["first", "second"] {
        let arguments = json!({ "path": shop.root(), "index_name": name });
        assert_eq!(object(&mut client, "index_codebase", arguments)["index_name"], name);
    }
    let listed = entries(&mut client, "list_indexes", json!({}));
    assert_eq!(texts(&listed, "name"), ["first", "second"]);
}
