//! Keyword scores of a snapshot: the files first, then those of their chunks that can be among the best.
//!
//! A chunk's score is its own and a share of its file's. A common term occurs in every third chunk, and nearly all
//! of those are never returned. So all files are scored, which is cheap, and then the terms are added to the chunks from
//! the largest weight to the smallest (MaxScore). A file is skipped as soon as the remaining terms cannot lift its best
//! chunk above the threshold. The remaining chunks are scored again in the order of the query, so that the result is
//! to the bit that of an exhaustive evaluation.

use super::fetch::AHEAD;
use super::segment::Segment;
use super::snapshot::{Admitted, EmbeddedSnapshot, TermPostings, View, join, split};
use crate::bm25::Scorer;
use crate::matching::{add_to_file, coverage, order};
use groma_core::{
    ChunkId, ChunkKind, Field, KeywordHit, KeywordQuery, Scored, StoreError, TermQuery,
};
use std::ops::Range;

/// Thresholds are multiplied by this before pruning: sums in another order differ in the last digits.
const ROUNDING: f32 = 1.0 - 1e-5;

/// The admitted chunks that contain a term of the query, best first. `admitted` is by view.
pub(super) fn hits(
    snapshot: &EmbeddedSnapshot,
    query: &KeywordQuery,
    admitted: &[Admitted<'_>],
) -> Result<Vec<KeywordHit>, StoreError> {
    let scoring = Scoring::new(snapshot, query, admitted);
    let terms = scoring.terms()?;
    let mut scores = Scores::of(snapshot);
    terms.iter().for_each(|term| term.score_files(&scoring, &mut scores));
    let least = scoring.score_chunks(&terms, &mut scores);
    let likely = scoring.likely(&scores, least);
    let hit = |hit: Scored| {
        let (index, doc) = split(hit.chunk);
        let owner = snapshot.views[index].segment.file_of(doc);
        scoring.describe(&terms, hit.chunk, scores[index].file[owner as usize])
    };
    let mut hits: Vec<KeywordHit> = likely.into_iter().map(hit).collect();
    hits.sort_unstable_by(|a, b| {
        order(a.score, b.score, || (snapshot.sort_key(a.chunk), snapshot.sort_key(b.chunk)))
    });
    hits.truncate(query.limit);
    snapshot.scores.give_back(scores);
    Ok(hits)
}

/// The scores of given chunks, the same to the bit as in [`hits`]; `None` for a chunk without a term of the query.
pub(super) fn scores(
    snapshot: &EmbeddedSnapshot,
    query: &KeywordQuery,
    chunks: &[ChunkId],
) -> Result<Vec<Option<KeywordHit>>, StoreError> {
    let scoring = Scoring::new(snapshot, query, &[]);
    let terms = scoring.terms()?;
    let score = |chunk: &ChunkId| {
        snapshot.locate(*chunk)?;
        let (index, doc) = split(*chunk);
        let owner = snapshot.views[index].segment.file_of(doc);
        let file = terms.iter().map(|term| term.file_strength(&scoring, index, owner));
        let hit = scoring.describe(&terms, *chunk, file.fold(0.0, |sum, one| sum + one));
        Ok((hit.own > 0.0).then_some(hit))
    };
    chunks.iter().map(score).collect()
}

/// What stays the same for all terms of a query.
struct Scoring<'a> {
    snapshot: &'a EmbeddedSnapshot,
    query: &'a KeywordQuery,
    admitted: &'a [Admitted<'a>],
    chunks: Scorer,
    files: Scorer,
}

impl<'a> Scoring<'a> {
    fn new(
        snapshot: &'a EmbeddedSnapshot,
        query: &'a KeywordQuery,
        admitted: &'a [Admitted<'a>],
    ) -> Self {
        let chunks = Scorer::new(&query.chunk_fields, &snapshot.chunks);
        let files = Scorer::new(&query.file_fields, &snapshot.files);
        Self { snapshot, query, admitted, chunks, files }
    }

    /// The terms of the query with their postings.
    fn terms(&self) -> Result<Vec<Found>, StoreError> {
        self.query.terms.iter().map(|term| Found::new(self, term)).collect()
    }

    /// Adds the terms to the chunks that can be among the best; returns the threshold those reach.
    fn score_chunks(&self, terms: &[Found], scores: &mut [Scores]) -> f32 {
        let mut terms: Vec<&Found> = terms.iter().collect();
        terms.sort_by(|a, b| b.chunk_weight.total_cmp(&a.chunk_weight));
        let mut least = 0.0;
        for (index, term) in terms.iter().enumerate() {
            // A term adds at most its weight.
            let left = terms[index..].iter().map(|term| term.chunk_weight).sum();
            term.score_chunks(self, scores, left, least * ROUNDING);
            // Computing the threshold pays off only if the next term has many chunks.
            let next = terms.get(index + 1).map_or(usize::MAX, |next| next.chunk_count());
            if next > scores.iter().map(|view| view.best.len()).sum() {
                least = self.least(scores);
            }
        }
        least
    }

    /// A lower bound of the last score to be returned: the `limit`-th of the best scores by file.
    fn least(&self, scores: &[Scores]) -> f32 {
        let mut best: Vec<f32> = Vec::new();
        for view in scores {
            let files = view.best.iter().zip(&view.file).filter(|(best, _)| **best > 0.0);
            best.extend(files.map(|(best, file)| best + self.query.file_share * file));
        }
        let Some(last) = self.query.limit.checked_sub(1).filter(|last| *last < best.len()) else {
            return 0.0;
        };
        *best.select_nth_unstable_by(last, |a, b| b.total_cmp(a)).1
    }

    /// The best chunks by their running scores, and a quarter more.
    fn likely(&self, scores: &[Scores], least: f32) -> Vec<Scored> {
        let (mut found, least) = (Vec::new(), least * ROUNDING);
        for (index, view) in scores.iter().enumerate() {
            let segment = &self.snapshot.views[index].segment;
            for (file, (best, own)) in (0..).zip(view.best.iter().zip(&view.file)) {
                let share = self.query.file_share * own;
                if *best <= 0.0 || best + share < least {
                    continue;
                }
                let docs = segment.docs(file).map(|doc| (doc, view.own[doc as usize]));
                let docs = docs.filter(|(_, own)| *own > 0.0 && own + share >= least);
                found.extend(
                    docs.map(|(doc, own)| Scored { chunk: join(index, doc), score: own + share }),
                );
            }
        }
        self.snapshot.best(found, self.query.limit.saturating_add(self.query.limit / 4))
    }

    /// A chunk with the components of its score, summed in the order of the query; `file` is the score of its file.
    fn describe(&self, terms: &[Found], chunk: ChunkId, file: f32) -> KeywordHit {
        let (index, doc) = split(chunk);
        let owner = self.snapshot.views[index].segment.file_of(doc);
        let mut own = 0.0;
        for term in terms {
            own += term.strength(self, index, doc);
        }
        KeywordHit {
            chunk,
            score: own + self.query.file_share * file,
            own,
            file,
            coverage: coverage(self.query, |term| terms[term].occurs(index, doc, owner)),
        }
    }
}

/// Running scores of one view.
pub(super) struct Scores {
    /// Each chunk's own score; those that cannot be among the best may lack terms.
    own: Vec<f32>,
    /// Of each file.
    file: Vec<f32>,
    /// The best own score of the admitted chunks of each file.
    best: Vec<f32>,
}

impl Scores {
    /// Zero scores, for each view.
    fn of(snapshot: &EmbeddedSnapshot) -> Vec<Self> {
        match snapshot.scores.take() {
            Some(mut scores) => {
                scores.iter_mut().for_each(Scores::clear);
                scores
            }
            None => snapshot.views.iter().map(|view| Scores::new(&view.segment)).collect(),
        }
    }

    fn new(segment: &Segment) -> Self {
        let (docs, files) = (segment.doc_count as usize, segment.file_count as usize);
        Self { own: vec![0.0; docs], file: vec![0.0; files], best: vec![0.0; files] }
    }

    fn clear(&mut self) {
        for scores in [&mut self.own, &mut self.file, &mut self.best] {
            scores.fill(0.0);
        }
    }
}

/// A term with its postings and weights.
struct Found {
    views: Vec<InView>,
    chunk_weight: f32,
    file_weight: f32,
}

/// The postings of a term in one view.
struct InView {
    view: usize,
    term: TermPostings,
    files: Vec<InFile>,
}

/// The postings of a term in one file.
struct InFile {
    file: u32,
    counts: [u32; Field::COUNT],
    /// Their range among the postings of the view.
    postings: Range<u32>,
}

impl Found {
    fn new(scoring: &Scoring<'_>, term: &TermQuery) -> Result<Self, StoreError> {
        let in_view = |found: TermPostings| {
            let files = by_file(&scoring.snapshot.views[found.view], &found);
            InView { view: found.view, term: found, files }
        };
        let found = scoring.snapshot.postings(&term.term)?;
        let views: Vec<InView> = found.into_iter().map(in_view).collect();
        let in_files: usize = views.iter().map(|view| view.files.len()).sum();
        let mut found = Self { views, chunk_weight: 0.0, file_weight: 0.0 };
        found.chunk_weight = term.weight * scoring.chunks.rarity(found.chunk_count() as u64);
        found.file_weight = term.weight * scoring.files.rarity(in_files as u64);
        Ok(found)
    }

    fn chunk_count(&self) -> usize {
        self.views.iter().map(|view| view.term.postings.len()).sum()
    }

    /// Adds the term's contribution to the scores of the files.
    fn score_files(&self, scoring: &Scoring<'_>, scores: &mut [Scores]) {
        for here in &self.views {
            let lengths = &scoring.snapshot.views[here.view].lengths;
            for one in &here.files {
                let file = one.file as usize;
                let strength = scoring.files.strength(one.counts, lengths[file]);
                scores[here.view].file[file] += self.file_weight * strength;
            }
        }
    }

    /// The term's contribution to the score of one file.
    fn file_strength(&self, scoring: &Scoring<'_>, view: usize, file: u32) -> f32 {
        let found = self.in_view(view).and_then(|here| {
            let index = here.files.binary_search_by_key(&file, |one| one.file).ok()?;
            Some(here.files[index].counts)
        });
        found.map_or(0.0, |counts| {
            let lengths = scoring.snapshot.views[view].lengths[file as usize];
            self.file_weight * scoring.files.strength(counts, lengths)
        })
    }

    /// Adds the term's contribution to the chunks of files that can reach `least` with the weights that are `left`.
    fn score_chunks(&self, scoring: &Scoring<'_>, scores: &mut [Scores], left: f32, least: f32) {
        for here in &self.views {
            let segment = &scoring.snapshot.views[here.view].segment;
            let admitted = &scoring.admitted[here.view];
            let scores = &mut scores[here.view];
            for one in &here.files {
                let best = &mut scores.best[one.file as usize];
                let share = scoring.query.file_share * scores.file[one.file as usize];
                if *best + left + share < least {
                    continue;
                }
                for index in one.postings.start as usize..one.postings.end as usize {
                    let posting = here.term.postings[index];
                    if let Some(ahead) = here.term.postings.get(index + AHEAD) {
                        segment.fetch_row(ahead.chunk);
                    }
                    if admitted.has(posting.chunk) {
                        let lengths = segment.lengths(posting.chunk);
                        let counts = posting.counts.map(u32::from);
                        let own = &mut scores.own[posting.chunk as usize];
                        *own += self.chunk_weight * scoring.chunks.strength(counts, lengths);
                        *best = best.max(*own);
                    }
                }
            }
        }
    }

    fn in_view(&self, view: usize) -> Option<&InView> {
        self.views.iter().find(|here| here.view == view)
    }

    /// The term's contribution to the score of a chunk.
    fn strength(&self, scoring: &Scoring<'_>, view: usize, doc: u32) -> f32 {
        let posting = self.in_view(view).and_then(|here| {
            let found = here.term.postings.binary_search_by_key(&doc, |posting| posting.chunk);
            Some(here.term.postings[found.ok()?])
        });
        posting.map_or(0.0, |posting| {
            let lengths = scoring.snapshot.views[view].segment.lengths(doc);
            let counts = posting.counts.map(u32::from);
            self.chunk_weight * scoring.chunks.strength(counts, lengths)
        })
    }

    /// Whether it occurs in a chunk, or in the path or the names of its file.
    fn occurs(&self, view: usize, doc: u32, owner: u32) -> bool {
        let Some(here) = self.in_view(view) else { return false };
        let file = || here.files.binary_search_by_key(&owner, |one| one.file);
        let names = |counts: &[u32; Field::COUNT]| {
            counts[Field::Path as usize] + counts[Field::Name as usize] > 0
        };
        here.term.postings.binary_search_by_key(&doc, |posting| posting.chunk).is_ok()
            || file().is_ok_and(|index| names(&here.files[index].counts))
    }
}

/// Sums a term's counts by file; postings of a file are neighbours.
fn by_file(view: &View, term: &TermPostings) -> Vec<InFile> {
    let mut files: Vec<InFile> = Vec::new();
    let (mut file, mut start, postings) = (0, 0, &term.postings);
    while let Some(first) = postings.get(start) {
        let end_of_file;
        (file, end_of_file) = view.file_from(file, first.chunk);
        let (mut end, mut counts) = (start, [0; Field::COUNT]);
        while let Some(posting) = postings.get(end).filter(|one| one.chunk < end_of_file) {
            let kind = if view.is_overview(file, posting.chunk) {
                ChunkKind::Overview
            } else {
                ChunkKind::Code
            };
            add_to_file(&mut counts, posting.counts.map(u32::from), kind);
            end += 1;
        }
        files.push(InFile { file: file as u32, counts, postings: start as u32..end as u32 });
        start = end;
    }
    files
}
