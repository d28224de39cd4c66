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
        chunks: Scorer::new(&query.chunk_fields, &snapshot.chunks),
        files: Scorer::new(&query.file_fields, &snapshot.files),
    };
    let mut scores: Vec<Option<Scores>> = snapshot.views.iter().map(|_| None).collect();
    let mut terms = Vec::with_capacity(query.terms.len());
    for term in &query.terms {
        let found = Found::new(snapshot, &term.term)?;
        found.score(snapshot, &scoring, term.weight, &mut scores);
        terms.push(found);
    }
    let mut best = Best { snapshot, limit: query.limit, least: 0.0, kept: Vec::new() };
    for (index, scores) in scores.iter().enumerate() {
        let Some(scores) = scores else { continue };
        let part = &snapshot.views[index].part;
        for (doc, own) in (0..).zip(scores.own.iter().copied()) {
            if own > 0.0 && admitted[index].has(doc) {
                let file = scores.file[part.file_of(doc) as usize];
                best.add(Scored { chunk: join(index, doc), score: own + query.file_share * file });
            }
        }
    }
    let best = snapshot.best(best.kept, query.limit);
    Ok(best.into_iter().map(|hit| describe(snapshot, query, &terms, &scores, hit)).collect())
}

/// The best so far, and few more: of a common word's chunks most are never wanted.
struct Best<'a> {
    snapshot: &'a EmbeddedSnapshot,
    limit: usize,
    /// What is below this is not among the best.
    least: f32,
    kept: Vec<Scored>,
}

impl Best<'_> {
    /// How many times the limit is kept before the worst of them are let go.
    const SLACK: usize = 8;

    fn add(&mut self, hit: Scored) {
        if hit.score < self.least {
            return;
        }
        self.kept.push(hit);
        if self.kept.len() > Self::SLACK * self.limit.max(1) {
            self.kept = self.snapshot.best(std::mem::take(&mut self.kept), self.limit);
            self.least = self.kept.last().map_or(f32::INFINITY, |worst| worst.score);
        }
    }
}

/// What a chunk's score is made of, worked out only for those that are wanted.
fn describe(
    snapshot: &EmbeddedSnapshot,
    query: &KeywordQuery,
    terms: &[Found],
    scores: &[Option<Scores>],
    hit: Scored,
) -> KeywordHit {
    let (index, doc) = split(hit.chunk);
    let scores = scores[index].as_ref().expect("a scored chunk is of a view with scores");
    let owner = snapshot.views[index].part.file_of(doc);
    KeywordHit {
        chunk: hit.chunk,
        score: hit.score,
        own: scores.own[doc as usize],
        file: scores.file[owner as usize],
        coverage: coverage(query, |term| terms[term].stands(index, doc, owner)),
    }
}

/// What stays the same for all terms of a query.
struct Scoring {
    chunks: Scorer,
    files: Scorer,
}

/// Running scores of one view.
struct Scores {
    own: Vec<f32>,
    file: Vec<f32>,
}

impl Scores {
    fn new(part: &Part) -> Self {
        Self { own: vec![0.0; part.doc_count as usize], file: vec![0.0; part.file_count as usize] }
    }
}

/// Where a term stands, view by view.
struct Found {
    terms: Vec<TermPostings>,
    /// The counts of each file, in the order of `terms`.
    files: Vec<Vec<(u32, [u32; Field::COUNT])>>,
}

impl Found {
    fn new(snapshot: &EmbeddedSnapshot, term: &str) -> Result<Self, StoreError> {
        let terms = snapshot.postings(term)?;
        let files = terms.iter().map(|term| by_file(snapshot, term)).collect();
        Ok(Self { terms, files })
    }

    /// Adds the term's part to the running scores.
    fn score(
        &self,
        snapshot: &EmbeddedSnapshot,
        scoring: &Scoring,
        weight: f32,
        scores: &mut [Option<Scores>],
    ) {
        let in_chunks: u64 = self.terms.iter().map(|term| term.postings.len() as u64).sum();
        let in_files: u64 = self.files.iter().map(|files| files.len() as u64).sum();
        let chunk_weight = weight * scoring.chunks.rarity(in_chunks);
        let file_weight = weight * scoring.files.rarity(in_files);
        for (term, files) in self.terms.iter().zip(&self.files) {
            let view = &snapshot.views[term.view];
            let scores = scores[term.view].get_or_insert_with(|| Scores::new(&view.part));
            for posting in &term.postings {
                let lengths = view.part.lengths(posting.chunk);
                let strength = scoring.chunks.strength(posting.counts.map(u32::from), lengths);
                scores.own[posting.chunk as usize] += chunk_weight * strength;
            }
            for (file, counts) in files {
                let strength = scoring.files.strength(*counts, view.lengths[*file as usize]);
                scores.file[*file as usize] += file_weight * strength;
            }
        }
    }

    /// Whether it stands in a chunk, or in the path or the names of its file.
    fn stands(&self, view: usize, doc: u32, owner: u32) -> bool {
        let Some(place) = self.terms.iter().position(|term| term.view == view) else {
            return false;
        };
        let (postings, files) = (&self.terms[place].postings, &self.files[place]);
        let file = || files.binary_search_by_key(&owner, |(file, _)| *file);
        let names = |counts: &[u32; Field::COUNT]| {
            counts[Field::Path as usize] + counts[Field::Name as usize] > 0
        };
        postings.binary_search_by_key(&doc, |posting| posting.chunk).is_ok()
            || file().is_ok_and(|place| names(&files[place].1))
    }
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
