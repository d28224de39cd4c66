//! Code-aware reranking: small signals, each a factor on the fused score.

use super::analysis::Boost;
use super::breadth::Breadth;
use super::coherence::cohere;
use super::copies::Copies;
use super::fuse::Fused;
use super::overlap::SignificantTerms;
use super::plan::{Plan, QueryKind};
use super::ranking::Ranking;
use crate::path_kind::{self, PathKind};
use groma_core::{ChunkKind, ChunkOutline, RelPath, SymbolKind, folded};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// Signal: the chunk defines a name of the query.
const EXACT_NAME: &str = "exact_name";

/// Signal: better chunks of the same file come first.
const SATURATION: &str = "saturation";

/// Minimum candidates per task; scoring fewer is cheaper than waking another thread.
const MIN_BATCH: usize = 64;

/// A scored chunk that may become a hit.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub chunk: ChunkOutline,
    pub fused: Fused,
    pub score: f32,
    /// The factor of each signal, in order of application.
    pub signals: Vec<(&'static str, f32)>,
}

/// How overview chunks are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overviews {
    /// Dropped, unless nothing else of the file was found.
    Never,
    /// Returned instead of the chunks of their files.
    Instead,
    /// Returned beside the chunks of their files, if those are code.
    Beside,
}

/// Scores, sorts and deduplicates the candidates. Scores are 0..1.
pub(crate) fn rerank(
    plan: &Plan,
    ranking: &Ranking,
    candidates: Vec<(Fused, ChunkOutline)>,
    reads: &FxHashMap<RelPath, f32>,
    overviews: Overviews,
) -> Vec<Candidate> {
    let scorer = Scorer::new(plan, ranking, &candidates, reads);
    let candidates = candidates.into_par_iter().with_min_len(MIN_BATCH);
    let mut ranked: Vec<Candidate> =
        candidates.map(|(fused, chunk)| scorer.score(fused, chunk)).collect();
    sort(&mut ranked);
    cohere(&mut ranked, ranking, plan.breadth.topic);
    match overviews {
        Overviews::Never => drop_overviews(&mut ranked),
        Overviews::Instead => prefer_overviews(&mut ranked),
        Overviews::Beside => ranked.retain(|one| !is_overview(one) || is_code(&one.chunk.path)),
    }
    sort(&mut ranked);
    saturate(&mut ranked, saturation(plan, ranking));
    normalise(&mut ranked);
    ranked
}

/// Effect of the boost for definitions of names in the query, compared with the order without it.
pub(crate) fn boost(ranked: &[Candidate], plan: &Plan, ranking: &Ranking) -> Boost {
    let boost_of = |candidate: &Candidate| {
        candidate.signals.iter().find(|(name, _)| *name == EXACT_NAME).map_or(1.0, |one| one.1)
    };
    let mut unboosted = ranked.to_vec();
    for candidate in &mut unboosted {
        candidate.signals.retain(|(name, _)| ![EXACT_NAME, SATURATION].contains(name));
        candidate.score = candidate.signals.iter().map(|(_, factor)| factor).product();
    }
    sort(&mut unboosted);
    saturate(&mut unboosted, saturation(plan, ranking));
    Boost {
        factor: ranked.iter().map(boost_of).fold(1.0, f32::max),
        count: ranked.iter().filter(|candidate| boost_of(candidate) > 1.0).count(),
        moved: ranked.iter().zip(&unboosted).filter(|(a, b)| a.chunk.id != b.chunk.id).count(),
    }
}

/// Sorts by score, then by location, so that the order is deterministic.
fn sort(ranked: &mut [Candidate]) {
    ranked.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| location_of(a).cmp(&location_of(b)))
    });
}

fn location_of(candidate: &Candidate) -> (&str, u32, u32) {
    let chunk = &candidate.chunk;
    (chunk.path.as_str(), chunk.lines.start, chunk.ordinal)
}

/// Scores the candidates of one query.
struct Scorer<'a> {
    plan: &'a Plan,
    ranking: &'a Ranking,
    terms: SignificantTerms<'a>,
    /// The names in the query, without case and separators.
    names: Vec<String>,
    /// Paths of C and C++ implementations among the candidates, without their extensions.
    implementations: FxHashSet<String>,
    /// Where the candidates are copied from.
    copies: Copies,
    /// Whether both keywords and vectors found something.
    hybrid: bool,
    /// Access score of files that were read recently, 0..1.
    reads: &'a FxHashMap<RelPath, f32>,
}

impl<'a> Scorer<'a> {
    fn new(
        plan: &'a Plan,
        ranking: &'a Ranking,
        candidates: &[(Fused, ChunkOutline)],
        reads: &'a FxHashMap<RelPath, f32>,
    ) -> Self {
        let terms = SignificantTerms::new(plan);
        let any = |found: fn(&Fused) -> bool| candidates.iter().any(|(fused, _)| found(fused));
        let hybrid = any(|fused| fused.keyword.is_some()) && any(|fused| fused.vector.is_some());
        let names = plan.names.iter().map(|name| folded(name)).collect();
        let implementations = candidates
            .iter()
            .filter_map(|(_, chunk)| path_kind::implementation(&chunk.path).map(str::to_string))
            .collect();
        let copies = Copies::among(candidates.iter().map(|(_, chunk)| chunk));
        Self { plan, ranking, terms, names, implementations, copies, hybrid, reads }
    }

    fn score(&self, fused: Fused, chunk: ChunkOutline) -> Candidate {
        let mut signals = vec![
            ("relevance", self.relevance(&fused)),
            ("coverage", self.coverage(&fused)),
            (EXACT_NAME, self.exact_name(&fused, &chunk)),
            ("name_overlap", self.name_overlap(&chunk)),
            ("file_name", self.file_name(&chunk)),
            ("place", self.path_factor(&chunk)),
            ("kind", self.kind_factor(&chunk)),
        ];
        if self.copies.contains(&chunk) {
            signals.push(("copy", self.ranking.copies));
        }
        // Without recorded reads this is no signal at all.
        if let Some(score) = self.reads.get(&chunk.path) {
            signals.push(("read", 1.0 + self.ranking.read * score));
        }
        let score = signals.iter().map(|(_, factor)| factor).product();
        Candidate { chunk, fused, score, signals }
    }

    /// Combines the ranks and scores of the retrievers.
    fn relevance(&self, fused: &Fused) -> f32 {
        let keyword = fused.keyword.unwrap_or(0.0);
        let (k, v) = if self.hybrid {
            (self.ranking.keyword_weight, self.ranking.vector_weight)
        } else if fused.vector.is_some() {
            (0.0, 1.0)
        } else {
            (1.0, 0.0)
        };
        let scores = (k * keyword + v * self.nearness(fused)) / (k + v);
        self.ranking.score_share * scores + (1.0 - self.ranking.score_share) * fused.rank
    }

    /// The vector score relative to the best one; for actions with more contrast.
    fn nearness(&self, fused: &Fused) -> f32 {
        let share = fused.vector_share;
        let contrast = if self.plan.breadth.action { self.ranking.action_contrast } else { 0.0 };
        share * (1.0 - contrast + contrast * share)
    }

    fn coverage(&self, fused: &Fused) -> f32 {
        match fused.keyword {
            Some(_) => 1.0 - self.ranking.coverage * (1.0 - fused.coverage),
            None => 1.0,
        }
    }

    /// Boosts a definition of a name in the query; the more definitions there are, the less.
    fn exact_name(&self, fused: &Fused, chunk: &ChunkOutline) -> f32 {
        if fused.definitions == 0 {
            return 1.0;
        }
        let confidence = if self.plan.kind == QueryKind::Name { 2.0 } else { 1.0 };
        let rarity = 1.0 / (1.0 + (fused.definitions as f32).log2() / 4.0);
        let action = if self.plan.breadth.action { self.ranking.action_name } else { 1.0 };
        1.0 + confidence
            * action
            * rarity
            * self.primary_definition(chunk)
            * self.ranking.exact_name
    }

    /// How much a chunk is the primary definition of a name: a field `table` or a parameter counts less for `Table`
    /// than the type does, and a file with that name counts most.
    fn primary_definition(&self, chunk: &ChunkOutline) -> f32 {
        let is_queried = |name: &str| self.names.contains(&folded(name));
        let as_written = chunk.names.iter().any(|name| self.plan.names.contains(name));
        let leads = chunk.names.first().is_some_and(|name| is_queried(name));
        let spelling = if as_written { 1.0 } else { self.ranking.other_spelling };
        let rank = if leads { 1.0 } else { self.ranking.inner_name };
        let named_file = leads && is_queried(chunk.path.stem());
        spelling * rank * if named_file { 1.0 + self.ranking.named_file } else { 1.0 }
    }

    /// Boosts a definition whose name shares words with the query.
    fn name_overlap(&self, chunk: &ChunkOutline) -> f32 {
        let best = chunk.names.iter().map(|name| self.terms.overlap(name)).fold(0.0, f32::max);
        1.0 + self.ranking.name_overlap * best
    }

    /// Boosts a file whose name shares words with the query.
    fn file_name(&self, chunk: &ChunkOutline) -> f32 {
        let stem = chunk.path.stem();
        let named = if self.plan.breadth.is_topic() {
            self.ranking.topic_file * self.terms.share(stem)
        } else {
            0.0
        };
        1.0 + self.ranking.file_name * self.terms.overlap(stem) + named
    }

    /// Factor of the file's kind, judged by its path.
    fn path_factor(&self, chunk: &ChunkOutline) -> f32 {
        let requested = self.plan.requested;
        let kind = match path_kind::kind(&chunk.path) {
            PathKind::Source if chunk.defines(|kind| kind == SymbolKind::Test) => PathKind::Test,
            kind => kind,
        };
        match kind {
            // In a project about testing, `test` in a query need not ask for tests.
            PathKind::Test if requested.tests => self.ranking.tests.sqrt(),
            PathKind::Test => self.ranking.tests,
            PathKind::Example if !requested.examples && !requested.docs => self.ranking.examples,
            PathKind::Record if !requested.docs => self.ranking.docs * self.ranking.docs,
            _ if self.has_implementation(&chunk.path) => self.ranking.headers,
            _ => 1.0,
        }
    }

    /// Whether a file is a header whose implementation is a candidate, too.
    fn has_implementation(&self, path: &RelPath) -> bool {
        path_kind::header(path).is_some_and(|stem| self.implementations.contains(stem))
    }

    /// Factor of the chunk's kind and of what it defines.
    fn kind_factor(&self, chunk: &ChunkOutline) -> f32 {
        if self.plan.kind == QueryKind::Path {
            return 1.0;
        }
        let factor = self.content_factor(chunk);
        if self.plan.breadth.action && !chunk.defines(SymbolKind::is_callable) {
            factor.min(self.ranking.not_callable)
        } else {
            factor
        }
    }

    fn content_factor(&self, chunk: &ChunkOutline) -> f32 {
        let requested = self.plan.requested;
        match chunk.kind {
            _ if self.plan.breadth.callable && chunk.defines(SymbolKind::is_container) => {
                self.ranking.containers
            }
            ChunkKind::Prose if !requested.docs => self.ranking.docs,
            ChunkKind::Data
                if !requested.config && !chunk.defines(|kind| kind != SymbolKind::Key) =>
            {
                self.ranking.loose
            }
            // Imports, constants and a file's opening comment describe the code below; that code is the answer.
            ChunkKind::Code | ChunkKind::Data if is_opening(chunk) => self.ranking.loose,
            _ => 1.0,
        }
    }
}

/// Whether a chunk is the first lines of a file and defines neither functions nor types.
pub(crate) fn is_opening(chunk: &ChunkOutline) -> bool {
    chunk.lines.start < 3 && !chunk.defines(|kind| kind.is_callable() || kind.is_container())
}

/// Drops overviews. One is kept if nothing else of its file was found, and is then presented as the file's largest
/// definition.
fn drop_overviews(ranked: &mut Vec<Candidate>) {
    let other = paths(ranked, |candidate| !is_overview(candidate));
    ranked.retain(|c| !is_overview(c) || !other.contains(&c.chunk.path));
}

/// Drops the chunks of files whose overview was found, because the overview covers them.
fn prefer_overviews(ranked: &mut Vec<Candidate>) {
    let covered = paths(ranked, is_overview);
    ranked.retain(|c| is_overview(c) || !covered.contains(&c.chunk.path));
}

fn is_code(path: &RelPath) -> bool {
    groma_syntax::detect(path, b"").kind != groma_syntax::LanguageKind::Prose
}

pub(crate) fn is_overview(candidate: &Candidate) -> bool {
    candidate.chunk.kind == ChunkKind::Overview
}

fn paths(ranked: &[Candidate], fits: impl Fn(&Candidate) -> bool) -> FxHashSet<RelPath> {
    ranked.iter().filter(|one| fits(one)).map(|one| one.chunk.path.clone()).collect()
}

/// The decay per further chunk of a file. Similar functions are often neighbours, so a query for an action decays less,
/// and a detailed one even less.
fn saturation(plan: &Plan, ranking: &Ranking) -> f32 {
    let Breadth { action, detail, .. } = plan.breadth;
    if action {
        let (short, detailed) = (ranking.action_saturation, ranking.detailed_saturation);
        short + (detailed - short) * detail
    } else {
        ranking.saturation
    }
}

/// Ranks down each further chunk of a file.
fn saturate(ranked: &mut [Candidate], decay: f32) {
    let mut seen: FxHashMap<RelPath, i32> = FxHashMap::default();
    for candidate in ranked.iter_mut() {
        let count = seen.entry(candidate.chunk.path.clone()).or_default();
        let factor = decay.powi(*count);
        *count += 1;
        candidate.score *= factor;
        candidate.signals.push((SATURATION, factor));
    }
    ranked.sort_by(|a, b| match b.score.total_cmp(&a.score) {
        Ordering::Equal => location_of(a).cmp(&location_of(b)),
        other => other,
    });
}

/// Divides by the best score if it exceeds 1. The divisor is recorded as a signal, so that the product of the factors
/// is the score.
fn normalise(ranked: &mut [Candidate]) {
    let highest = ranked.first().map_or(1.0, |best| best.score.max(1.0));
    for candidate in ranked {
        candidate.score = (candidate.score / highest).clamp(0.0, 1.0);
        candidate.signals.push(("scale", 1.0 / highest));
    }
}
