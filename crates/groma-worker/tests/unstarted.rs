//! Where no process can be started, a grammar reads nothing: a file is indexed by lines and tried again.
//!
//! A file of its own, because what parses is set once for a process.

use groma_core::{ParseStatus, RelPath};
use groma_syntax::parse;
use groma_worker::{Isolation, isolate_grammars, isolation};

#[test]
fn without_workers_files_are_indexed_by_lines() {
    isolate_grammars("/nonexistent/program".into(), "parse-worker");
    let path = RelPath::new("a.py").unwrap();
    let parsed = parse(&path, "def found():\n    pass\n");
    assert_eq!(parsed.facts.health.status, ParseStatus::Interrupted);
    assert!(parsed.facts.symbols.is_empty() && parsed.facts.chunks.len() > 1);
    assert!(matches!(isolation(), Isolation::Failed(_)));
    // Go is parsed by Rust code.
    let go = parse(&RelPath::new("a.go").unwrap(), "package a\nfunc Found() {}\n");
    assert_eq!(go.facts.symbols.len(), 1);
}
