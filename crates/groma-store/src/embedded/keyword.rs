//! Keyword scores of a snapshot: one pass over the postings of each term, then one over the scored chunks.

use super::part::Part;
use super::snapshot::{Admitted, EmbeddedSnapshot, TermPostings, join, split};
use crate::bm25::Scorer;
use crate::matching::{add_to_file, coverage};
use groma_core::{Field, KeywordHit, KeywordQuery, Scored, StoreError};

/// The admitted chunks that a query's terms stand in, best first. `admitted` is by view.
pub(super) fn hits(
    snapshot: &EmbeddedSnapshot,
    query: &KeywordQuery,
    admitted: &[Admitted<'_>],
) -> Result<Vec<KeywordHit>, StoreError> {
    let scoring = Scoring {
        query,
        chunks: Scorer::new(&query.chunk_fields, &snapshot.chunks),
        files: Scorer::new(&query.file_fields, &snapshot.files),
    };
    let mut scores: Vec<Option<Scores>> = snapshot.views.iter().map(|_| None).collect();
    for number in 0..query.terms.len() {
        score_term(snapshot, &scoring, number, &mut scores)?;
    }
    let mut scored = Vec::new();
    for (index, scores) in scores.iter().enumerate() {
        let Some(scores) = scores else { continue };
        for (doc, own) in (0..).zip(scores.own.iter().copied()) {
            if own > 0.0 && admitted[index].has(doc) {
                let file = scores.file[snapshot.views[index].part.file_of(doc) as usize];
                scored
                    .push(Scored { chunk: join(index, doc), score: own + query.file_share * file });
            }
        }
    }
    let best = snapshot.best(scored, query.limit);
    Ok(best.into_iter().map(|hit| describe(snapshot, query, &scores, hit)).collect())
}

/// What a chunk's score is made of, worked out only for those that are wanted.
fn describe(
    snapshot: &EmbeddedSnapshot,
    query: &KeywordQuery,
    scores: &[Option<Scores>],
    hit: Scored,
) -> KeywordHit {
    let (index, doc) = split(hit.chunk);
    let scores = scores[index].as_ref().expect("a scored chunk is of a view with scores");
    let owner = snapshot.views[index].part.file_of(doc);
    let stands =
        |term: usize| scores.own_terms.has(doc, term) || scores.file_terms.has(owner, term);
    KeywordHit {
        chunk: hit.chunk,
        score: hit.score,
        own: scores.own[doc as usize],
        file: scores.file[owner as usize],
        coverage: coverage(query, stands),
    }
}

/// What stays the same for all terms of a query.
struct Scoring<'a> {
    query: &'a KeywordQuery,
    chunks: Scorer,
    files: Scorer,
}

/// Running scores of one view.
struct Scores {
    own: Vec<f32>,
    file: Vec<f32>,
    own_terms: TermSets,
    file_terms: TermSets,
}

impl Scores {
    fn new(part: &Part, terms: usize) -> Self {
        let (docs, files) = (part.doc_count as usize, part.file_count as usize);
        Self {
            own: vec![0.0; docs],
            file: vec![0.0; files],
            own_terms: TermSets::new(docs, terms),
            file_terms: TermSets::new(files, terms),
        }
    }
}

/// Which terms of a query stand in each chunk or file.
struct TermSets {
    words: usize,
    bits: Vec<u64>,
}

impl TermSets {
    fn new(items: usize, terms: usize) -> Self {
        let words = terms.div_ceil(64);
        Self { words, bits: vec![0; items * words] }
    }

    fn insert(&mut self, item: u32, term: usize) {
        self.bits[item as usize * self.words + term / 64] |= 1 << (term % 64);
    }

    fn has(&self, item: u32, term: usize) -> bool {
        self.bits[item as usize * self.words + term / 64] & 1 << (term % 64) != 0
    }
}

/// Adds one term's part to the running scores.
fn score_term(
    snapshot: &EmbeddedSnapshot,
    scoring: &Scoring<'_>,
    number: usize,
    scores: &mut [Option<Scores>],
) -> Result<(), StoreError> {
    let query = &scoring.query.terms[number];
    let found = snapshot.postings(&query.term)?;
    let in_chunks: u64 = found.iter().map(|term| term.postings.len() as u64).sum();
    let grouped: Vec<_> = found.iter().map(|term| by_file(snapshot, term)).collect();
    let in_files: u64 = grouped.iter().map(|files| files.len() as u64).sum();
    let chunk_weight = query.weight * scoring.chunks.rarity(in_chunks);
    let file_weight = query.weight * scoring.files.rarity(in_files);
    for (term, files) in found.iter().zip(&grouped) {
        let view = &snapshot.views[term.view];
        let scores = scores[term.view]
            .get_or_insert_with(|| Scores::new(&view.part, scoring.query.terms.len()));
        for posting in &term.postings {
            let lengths = view.part.lengths(posting.chunk);
            let strength = scoring.chunks.strength(posting.counts.map(u32::from), lengths);
            scores.own[posting.chunk as usize] += chunk_weight * strength;
            scores.own_terms.insert(posting.chunk, number);
        }
        for (file, counts) in files {
            let strength = scoring.files.strength(*counts, view.lengths[*file as usize]);
            scores.file[*file as usize] += file_weight * strength;
            if counts[Field::Path as usize] + counts[Field::Name as usize] > 0 {
                scores.file_terms.insert(*file, number);
            }
        }
    }
    Ok(())
}

/// Sums a term's counts by file; postings of a file are neighbours.
fn by_file(snapshot: &EmbeddedSnapshot, term: &TermPostings) -> Vec<(u32, [u32; Field::COUNT])> {
    let part = &snapshot.views[term.view].part;
    let mut files: Vec<(u32, [u32; Field::COUNT])> = Vec::new();
    for posting in &term.postings {
        let row = part.doc(posting.chunk);
        if files.last().is_none_or(|(file, _)| *file != row.file) {
            files.push((row.file, [0; Field::COUNT]));
        }
        let counts = &mut files.last_mut().expect("just pushed").1;
        add_to_file(counts, posting.counts.map(u32::from), row.kind);
    }
    files
}
