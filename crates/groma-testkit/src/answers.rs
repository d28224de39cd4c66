//! Everything that a snapshot answers, as text.
//!
//! Two snapshots that give the same text agree in every retriever, to the bit of every score. Chunks are named
//! by path and lines, since ids of different snapshots are not comparable.

use crate::{embed, trigrams};
use groma_core::{
    ChunkFilter, ChunkId, ChunkKind, FieldWeights, KeywordQuery, NameGlob, NameLike, Snapshot,
    StoreError, SymbolKind, SymbolPredicate, TermQuery,
};
use std::fmt::Write;

/// Words that the fixtures are asked for.
const WORDS: &[&str] = &["pool", "connect", "pars", "config", "user", "getuser", "rar", "nowhere"];

/// Everything that the snapshot answers about itself and to a fixed set of questions.
pub fn answers(snapshot: &dyn Snapshot) -> Result<String, StoreError> {
    let mut out = String::new();
    let _ = writeln!(out, "{:#?}", snapshot.manifest().without_stats());
    let _ = writeln!(out, "{} chunks, {:?}", snapshot.chunk_count(), snapshot.symbol_counts()?);
    for path in snapshot.manifest().files.keys() {
        let _ = writeln!(out, "{path}: {:?}", snapshot.file_facts(path)?);
        let _ = writeln!(out, "{path}: {:?}", snapshot.vectors(std::slice::from_ref(path))?);
    }
    let _ = writeln!(out, "{} vectors", snapshot.vector_count()?);
    for word in WORDS {
        let _ = writeln!(out, "{word} in {}", snapshot.frequency(word)?);
    }
    for name in ["pol", "user", "getusr", "round_service", "config", "qqq"] {
        for limit in [1, 3, 1000] {
            let names = snapshot.similar(&NameLike::new(name), limit)?;
            let _ = writeln!(out, "{limit} like {name}: {names:?}");
        }
    }
    for text in ["pool", "fn parse", "User", "config: x", "qqq"] {
        let two = [trigrams(text), trigrams("retry")];
        let _ = writeln!(out, "{text} may be in {:?}", snapshot.candidates(&two[..1])?);
        let _ = writeln!(out, "{text} or retry may be in {:?}", snapshot.candidates(&two)?);
    }
    for (name, filter) in filters() {
        retrieved(&mut out, snapshot, name, &filter)?;
    }
    Ok(out)
}

fn retrieved(
    out: &mut String,
    snapshot: &dyn Snapshot,
    name: &str,
    filter: &ChunkFilter,
) -> Result<(), StoreError> {
    for limit in [2, 1000] {
        for terms in [WORDS, &WORDS[..1], &["user", "user", "pool"]] {
            let _ = writeln!(out, "keyword {terms:?} {name} {limit}");
            for hit in snapshot.keyword(&query(terms, limit), filter)? {
                let scores = [hit.score, hit.own, hit.file, hit.coverage].map(f32::to_bits);
                let _ = writeln!(out, "  {} {scores:08x?}", describe_chunk(snapshot, hit.chunk)?);
            }
        }
        for text in ["pool of connections", "parse the config"] {
            let _ = writeln!(out, "nearest {text} {name} {limit}");
            for hit in snapshot.nearest(&embed(text), filter, limit)? {
                let _ = writeln!(
                    out,
                    "  {} {:08x}",
                    describe_chunk(snapshot, hit.chunk)?,
                    hit.score.to_bits()
                );
            }
        }
    }
    let names = ["get_user", "PARSE", "Pool", "x", "Nobody"].map(String::from);
    let _ = writeln!(out, "definitions {name}");
    for chunk in snapshot.definitions(&names, filter)? {
        let _ = writeln!(out, "  {}", describe_chunk(snapshot, chunk)?);
    }
    Ok(())
}

/// A chunk by path and lines.
pub fn describe_chunk(snapshot: &dyn Snapshot, chunk: ChunkId) -> Result<String, StoreError> {
    let chunks = snapshot.chunks(&[chunk])?;
    let [stored] = chunks.as_slice() else { panic!("one chunk was asked for") };
    let lines = stored.chunk().lines;
    Ok(format!("{}:{}-{}:{}", stored.path, lines.start, lines.end, stored.chunk().kind))
}

/// A keyword query with weights that make every field and every length count.
pub fn query(terms: &[&str], limit: usize) -> KeywordQuery {
    let fields = |scale: f32| FieldWeights {
        weights: [4.0 * scale, 2.0, 1.5, 1.0],
        length: [0.3, 0.4, 0.6, 0.75],
        saturation: 1.2 * scale,
    };
    let term = |(index, term): (usize, &&str)| TermQuery {
        term: term.to_string(),
        weight: 1.0 / (1.0 + index as f32),
    };
    KeywordQuery {
        terms: terms.iter().enumerate().map(term).collect(),
        chunk_fields: fields(1.0),
        file_fields: fields(0.7),
        file_share: 0.4,
        limit,
    }
}

/// Admits services and what they hold.
fn of_a_service() -> SymbolPredicate {
    SymbolPredicate::new("of a service", |symbol| {
        symbol.name.ends_with("Service") || symbol.container.is_some_and(|n| n.ends_with("Service"))
    })
}

/// A filter for each thing that can be filtered by, and none.
pub fn filters() -> Vec<(&'static str, ChunkFilter)> {
    let by = |set: fn(&mut ChunkFilter)| {
        let mut filter = ChunkFilter::default();
        set(&mut filter);
        filter
    };
    vec![
        ("everything", ChunkFilter::default()),
        ("by language", by(|filter| filter.languages = vec!["rust".into()])),
        ("by symbol kind", by(|filter| filter.symbol_kinds = vec![SymbolKind::Struct])),
        ("by symbol name", by(|filter| filter.symbol_name = NameGlob::new("*user*").ok())),
        ("by package", by(|filter| filter.packages = vec!["store".into()])),
        ("by chunk kind", by(|filter| filter.chunk_kinds = vec![ChunkKind::Code])),
        ("by tags", by(|filter| filter.tags = vec!["code".into(), "go".into()])),
        ("by predicate", by(|filter| filter.symbol = Some(of_a_service()))),
        ("by path", by(|filter| filter.set_paths(&["src", "*.md"]).expect("sound globs"))),
        ("by nothing there", by(|filter| filter.languages = vec!["cobol".into()])),
    ]
}
