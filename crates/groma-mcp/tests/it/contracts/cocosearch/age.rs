//! The age of an index that was not written for a week.

use super::{FILES, Shop, entries, object, with_index};
use crate::client::Client;
use expect_test::expect;
use groma_core::{Embedder, Pipeline, Store};
use groma_embed::StaticEmbedder;
use groma_engine::{Cancel, Engine, PIPELINE_VERSION, Parts, Ranking, WalkOptions};
use groma_store::EmbeddedStore;
use serde_json::{Value, json};
use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The shop with an index that was written nine days ago.
fn aged() -> (Shop, Client) {
    let (shop, client) = Shop::on_disk().index();
    for (path, _) in FILES {
        // A file changed just before it was indexed is checked again.
        let file = File::options().write(true).open(shop.root().join(path)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    }
    let embedder = StaticEmbedder::default();
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: Some(embedder.identity()) };
    let mut store = EmbeddedStore::open(&shop.data(), pipeline).unwrap();
    store.set_clock(|| SystemTime::now() - Duration::from_secs(9 * 24 * 60 * 60));
    store.clear().unwrap();
    let engine = Engine::new(Parts {
        root: shop.root(),
        store: Arc::new(store),
        notebook: None,
        embedder: Some(Arc::new(embedder)),
        walk: WalkOptions::default(),
        ranking: Ranking::default(),
    });
    engine.index(&(), &Cancel::default()).unwrap();
    (shop, client)
}

fn footer(client: &mut Client) -> Option<Value> {
    let found = entries(client, "search_code", with_index(json!({ "query": "getUserById" })));
    found.last().filter(|last| last["type"] == "staleness_warning").cloned()
}

#[test]
fn a_stale_index_adds_a_footer_to_a_search() {
    let (shop, mut client) = aged();
    expect![[r#"
        {
          "type": "staleness_warning",
          "warning": "Index was stale",
          "message": "Index was last updated 9 days ago; no indexed file has changed since, so the results are current",
          "staleness_days": 9
        }"#]].assert_eq(&shop.shown(&json!(footer(&mut client))));
    shop.write("new.py", "def new():\n    pass\n");
    expect![[r#"
        {
          "type": "staleness_warning",
          "warning": "Index was stale",
          "message": "Index was last updated 9 days ago; it was brought up to date before this search, so the results are current",
          "staleness_days": 9
        }"#]].assert_eq(&shop.shown(&json!(footer(&mut client))));
    assert_eq!(footer(&mut client), None, "it is up to date now");
}

#[test]
fn a_stale_index_adds_a_warning_to_its_statistics() {
    let (shop, mut client) = aged();
    let mut stats = || {
        let stats = object(&mut client, "index_stats", json!({ "index_name": "my-api-server" }));
        assert_eq!((&stats["is_stale"], &stats["staleness_days"]), (&json!(true), &json!(9)));
        stats["warnings"].clone()
    };
    let stale = "Index is stale (9 days since last update)";
    assert_eq!(stats(), json!([stale, "No file has changed since: the index is current"]));
    shop.write("new.py", "def new():\n    pass\n");
    let changed = "1 file has changed since: the next search indexes it first";
    assert_eq!(stats(), json!([stale, changed]));
}

#[test]
fn a_new_index_has_no_footer() {
    let (_shop, mut client) = Shop::on_disk().index();
    assert_eq!(footer(&mut client), None);
    let stats = object(&mut client, "index_stats", json!({ "index_name": "my-api-server" }));
    let size = stats["storage_size"].as_u64().unwrap();
    assert!(size > 0);
    assert_eq!(stats["storage_size_pretty"], format!("{:.1} KB", size as f64 / 1024.0));
}
