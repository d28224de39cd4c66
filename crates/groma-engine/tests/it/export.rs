//! Everything in an index handed over, and overviews among the hits.

use groma_core::{ChunkKind, Embedder, GenerationInfo, TextRole};
use groma_engine::{EngineError, FileChunks, SearchRequest};
use groma_testkit::{Sandbox, WordEmbedder};

const PROJECT: &str = "\
//- auth/handler.go
package auth

import \"errors\"

// Handler lets users in.
type Handler struct {
	names []string
	limit int
}

// Login checks who a user is.
func (h *Handler) Login(name string) error {
	if name == \"\" {
		return errors.New(\"who?\")
	}
	return nil
}
//- docs/auth.md
# Login

How users log in, and why.
//- empty.txt
";

fn export(sandbox: &Sandbox) -> (Vec<FileChunks>, Option<usize>) {
    let mut files = Vec::new();
    let exported = sandbox.engine().export(|_: &GenerationInfo, file| {
        files.push(file);
        Ok::<(), EngineError>(())
    });
    (files, exported.unwrap().map(|exported| exported.outdated))
}

#[test]
fn every_chunk_is_handed_over_with_text_and_vector() {
    let sandbox = Sandbox::new(PROJECT);
    assert!(matches!(export(&sandbox), (files, None) if files.is_empty()));
    let report = sandbox.index();
    let (files, outdated) = export(&sandbox);
    assert_eq!(outdated, Some(0));
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["auth/handler.go", "docs/auth.md", "empty.txt"]);
    assert_eq!(sandbox.engine().indexed_paths().unwrap().len(), 3);
    let chunks: usize = files.iter().map(|file| file.texts.len()).sum();
    assert_eq!(chunks, report.chunks);
    let go = &files[0];
    assert_eq!(go.modified, sandbox.time("auth/handler.go"));
    assert!(go.texts[0].starts_with("Package: auth\n\nImports: 1 packages\n\nTypes:\n  - Handler"));
    let login = go.texts.iter().position(|text| text.contains("func (h *Handler) Login")).unwrap();
    assert_eq!(go.bytes, std::fs::read(sandbox.path("auth/handler.go")).unwrap());
    let signature = go.texts[login].lines().find(|line| line.starts_with("func")).unwrap();
    let signature = signature.trim_end_matches([' ', '{']);
    let passage =
        format!("auth/handler.go\n{signature}\nauth.Handler.Login\n{}\n", go.texts[login]);
    let expected = WordEmbedder.embed(TextRole::Passage, &[&passage]).unwrap();
    assert_eq!(go.vectors[login].as_ref(), expected.first());
}

#[test]
fn files_that_changed_since_are_left_out() {
    let sandbox = Sandbox::new(PROJECT);
    sandbox.index();
    sandbox.write("docs/auth.md", "# Something else\n");
    let (files, outdated) = export(&sandbox);
    assert_eq!((files.len(), outdated), (2, Some(1)));
}

#[test]
fn a_consumer_may_stop_early() {
    let sandbox = Sandbox::new(PROJECT);
    sandbox.index();
    let mut taken = 0;
    let stopped = sandbox.engine().export(|_: &GenerationInfo, _| {
        taken += 1;
        Err(EngineError::Cancelled)
    });
    assert!(matches!(stopped, Err(EngineError::Cancelled)));
    assert_eq!(taken, 1);
}

#[test]
fn overviews_stand_beside_the_chunks_of_their_files() {
    let sandbox = Sandbox::new(PROJECT);
    let kinds = |overviews: bool| {
        let request = SearchRequest { overviews, ..SearchRequest::new("how do users login") };
        let answer = sandbox.ask(&request);
        answer.hits.iter().map(|hit| (hit.kind, hit.path.to_string())).collect::<Vec<_>>()
    };
    let code = || "auth/handler.go".to_string();
    let mixed = kinds(true);
    assert!(mixed.contains(&(ChunkKind::Overview, code())), "{mixed:?}");
    assert!(mixed.contains(&(ChunkKind::Code, code())), "{mixed:?}");
    assert!(mixed.contains(&(ChunkKind::Prose, "docs/auth.md".into())), "{mixed:?}");
    // A document says itself what it is about.
    assert!(!mixed.contains(&(ChunkKind::Overview, "docs/auth.md".into())), "{mixed:?}");
    assert!(!kinds(false).contains(&(ChunkKind::Overview, code())));
}

#[test]
fn a_hit_knows_its_file() {
    let sandbox = Sandbox::new(PROJECT);
    let answer = sandbox.search("Login");
    let hit = &answer.hits[0];
    assert_eq!(hit.facts.imports.len(), 1);
    assert_eq!(hit.facts.chunks[hit.ordinal as usize].lines, hit.lines);
    assert_eq!(hit.modified, sandbox.time(hit.path.as_str()));
}
