//! Any settings of a repository are read or rejected with an error, and what is read narrows: no limit is raised and no
//! service is used before the user trusts them.
#![no_main]

#[allow(dead_code, reason = "what commands need of the settings is not used here")]
#[path = "../../crates/groma/src/config.rs"]
mod config;
#[allow(dead_code, reason = "as above")]
#[path = "../../crates/groma/src/cortex_settings.rs"]
mod cortex_settings;
#[allow(dead_code, unused_imports, reason = "as above")]
#[path = "../../crates/groma/src/embedding.rs"]
mod embedding;
#[allow(dead_code, reason = "as above")]
#[path = "../../crates/groma/src/variables.rs"]
mod variables;

use config::Config;
use groma_files::WalkOptions;
use libfuzzer_sys::fuzz_target;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

static ROOT: LazyLock<TempDir> = LazyLock::new(|| {
    let root = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(root.path().join(".cortex")).expect("a folder");
    root
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(mut config) = Config::parse(Path::new(".groma.toml"), text) {
        narrows(&mut config);
    }
    fs::write(ROOT.path().join(".cortex/config.yml"), bytes).expect("a file");
    let _ = cortex_settings::embedding_settings(ROOT.path());
    let _ = cortex_settings::chunk_folder(ROOT.path());
});

/// What remains of settings that nobody trusts.
fn narrows(config: &mut Config) {
    let ignored = config.restrict();
    assert!(config.index.max_file_size <= WalkOptions::default().max_file_size);
    assert!(config.index.include.is_empty() || config.index.skip_secrets);
    assert!(!config.embeddings.is_trusted);
    assert_eq!(config.embeddings.provider.is_some(), ignored.contains(&"embeddings.provider"));
    config.modules();
    config.to_json();
}
