//! Code-aware reranking: small signals, each a factor on the fused score.

use super::analysis::Boost;
use super::coherence::cohere;
use super::fuse::Fused;
use super::overlap::Telling;
use super::path_kind::{self, PathKind};
use super::plan::{Intent, Plan};
use super::ranking::Ranking;
use super::scope::Scope;
use groma_core::{ChunkKind, ChunkOutline, RelPath, SymbolKind, folded};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Ordering;

/// The signal of a definition of a name in the question.
const EXACT_NAME: &str = "exact_name";

/// The signal of a further chunk of a file.
const SATURATION: &str = "saturation";

/// To judge fewer candidates takes less time than to wake another thread for them.
const JUDGED_TOGETHER: usize = 64;

/// A chunk on its way to being a hit.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub chunk: ChunkOutline,
    pub fused: Fused,
    pub score: f32,
    /// What each signal did, in order.
    pub signals: Vec<(&'static str, f32)>,
}

/// What becomes of overviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overviews {
    /// The answer is a place, not a list of places.
    Never,
    /// They stand for the chunks of their files.
    Instead,
    /// They stand beside the chunks of their files, if those are code.
    Beside,
}

/// Scores, sorts and thins out the candidates. Scores are 0..1.
pub(crate) fn rerank(
    plan: &Plan,
    ranking: &Ranking,
    candidates: Vec<(Fused, ChunkOutline)>,
    reads: &FxHashMap<RelPath, f32>,
    overviews: Overviews,
) -> Vec<Candidate> {
    let judge = Judge::new(plan, ranking, &candidates, reads);
    let candidates = candidates.into_par_iter().with_min_len(JUDGED_TOGETHER);
    let mut ranked: Vec<Candidate> =
        candidates.map(|(fused, chunk)| judge.judge(fused, chunk)).collect();
    sort(&mut ranked);
    cohere(&mut ranked, ranking, plan.scope.breadth);
    match overviews {
        Overviews::Never => drop_overviews(&mut ranked),
        Overviews::Instead => keep_overviews(&mut ranked),
        Overviews::Beside => ranked.retain(|one| !is_overview(one) || is_code(&one.chunk.path)),
    }
    sort(&mut ranked);
    saturate(&mut ranked, saturation(plan, ranking));
    normalise(&mut ranked);
    ranked
}

/// What definitions of the question's names gained: the order is compared with the one they would have without.
pub(crate) fn boost(ranked: &[Candidate], plan: &Plan, ranking: &Ranking) -> Boost {
    let gained = |candidate: &Candidate| {
        candidate.signals.iter().find(|(name, _)| *name == EXACT_NAME).map_or(1.0, |one| one.1)
    };
    let mut plain = ranked.to_vec();
    for candidate in &mut plain {
        candidate.signals.retain(|(name, _)| ![EXACT_NAME, SATURATION].contains(name));
        candidate.score = candidate.signals.iter().map(|(_, factor)| factor).product();
    }
    sort(&mut plain);
    saturate(&mut plain, saturation(plan, ranking));
    Boost {
        factor: ranked.iter().map(gained).fold(1.0, f32::max),
        count: ranked.iter().filter(|candidate| gained(candidate) > 1.0).count(),
        moved: ranked.iter().zip(&plain).filter(|(a, b)| a.chunk.id != b.chunk.id).count(),
    }
}

/// Equal scores are in order of place, whatever order they came in.
fn sort(ranked: &mut [Candidate]) {
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| place_of(a).cmp(&place_of(b))));
}

fn place_of(candidate: &Candidate) -> (&str, u32, u32) {
    let chunk = &candidate.chunk;
    (chunk.path.as_str(), chunk.lines.start, chunk.ordinal)
}

/// What is the same for all candidates of a question.
struct Judge<'a> {
    plan: &'a Plan,
    ranking: &'a Ranking,
    telling: Telling<'a>,
    /// The names in the question, without case and separators.
    names: Vec<String>,
    /// Paths of C and C++ implementations found, without their endings.
    implementations: FxHashSet<String>,
    /// Whether both keywords and vectors found something.
    hybrid: bool,
    /// How much files matter that were looked at.
    reads: &'a FxHashMap<RelPath, f32>,
}

impl<'a> Judge<'a> {
    fn new(
        plan: &'a Plan,
        ranking: &'a Ranking,
        candidates: &[(Fused, ChunkOutline)],
        reads: &'a FxHashMap<RelPath, f32>,
    ) -> Self {
        let telling = Telling::new(plan);
        let any = |found: fn(&Fused) -> bool| candidates.iter().any(|(fused, _)| found(fused));
        let hybrid = any(|fused| fused.keyword.is_some()) && any(|fused| fused.vector.is_some());
        let names = plan.names.iter().map(|name| folded(name)).collect();
        let implementations = candidates
            .iter()
            .filter_map(|(_, chunk)| path_kind::implementation(&chunk.path).map(str::to_string))
            .collect();
        Self { plan, ranking, telling, names, implementations, hybrid, reads }
    }

    fn judge(&self, fused: Fused, chunk: ChunkOutline) -> Candidate {
        let mut signals = vec![
            ("relevance", self.relevance(&fused)),
            ("coverage", self.coverage(&fused)),
            (EXACT_NAME, self.exact_name(&fused, &chunk)),
            ("name_overlap", self.name_overlap(&chunk)),
            ("file_name", self.file_name(&chunk)),
            ("place", self.place(&chunk)),
            ("kind", self.kind(&chunk)),
        ];
        // Where nothing was looked at this is no signal at all.
        if let Some(score) = self.reads.get(&chunk.path) {
            signals.push(("read", 1.0 + self.ranking.read * score));
        }
        let score = signals.iter().map(|(_, factor)| factor).product();
        Candidate { chunk, fused, score, signals }
    }

    /// Ranks and scores of the retrievers.
    fn relevance(&self, fused: &Fused) -> f32 {
        let keyword = fused.keyword.unwrap_or(0.0);
        let (k, v) = match self.hybrid {
            true => (self.ranking.keyword_weight, self.ranking.vector_weight),
            false if fused.vector.is_some() => (0.0, 1.0),
            false => (1.0, 0.0),
        };
        let scores = (k * keyword + v * fused.vector_share) / (k + v);
        self.ranking.score_share * scores + (1.0 - self.ranking.score_share) * fused.rank
    }

    fn coverage(&self, fused: &Fused) -> f32 {
        match fused.keyword {
            Some(_) => 1.0 - self.ranking.coverage * (1.0 - fused.coverage),
            None => 1.0,
        }
    }

    /// A definition of a name in the question; the more there are of it, the less each one says.
    fn exact_name(&self, fused: &Fused, chunk: &ChunkOutline) -> f32 {
        if fused.definitions == 0 {
            return 1.0;
        }
        let sure = if self.plan.intent == Intent::Symbol { 2.0 } else { 1.0 };
        let rare = 1.0 / (1.0 + (fused.definitions as f32).log2() / 4.0);
        let meant = if self.plan.scope.action { self.ranking.action_name } else { 1.0 };
        1.0 + sure * meant * rare * self.home(chunk) * self.ranking.exact_name
    }

    /// How much a chunk that defines a name is the home of what the name stands for: a field `table` or a
    /// parameter says less about `Table` than the type does, and the file called so says most.
    fn home(&self, chunk: &ChunkOutline) -> f32 {
        let asked = |name: &str| self.names.contains(&folded(name));
        let as_written = chunk.names.iter().any(|name| self.plan.names.contains(name));
        let leads = chunk.names.first().is_some_and(|name| asked(name));
        let spelling = if as_written { 1.0 } else { self.ranking.other_spelling };
        let rank = if leads { 1.0 } else { self.ranking.inner_name };
        let named_file = leads && asked(chunk.path.stem());
        spelling * rank * if named_file { 1.0 + self.ranking.named_file } else { 1.0 }
    }

    /// How far the name of the definition and the question are made of the same words.
    fn name_overlap(&self, chunk: &ChunkOutline) -> f32 {
        let best = chunk.names.iter().map(|name| self.telling.overlap(name)).fold(0.0, f32::max);
        1.0 + self.ranking.name_overlap * best
    }

    /// A file called what the question is about.
    fn file_name(&self, chunk: &ChunkOutline) -> f32 {
        1.0 + self.ranking.file_name * self.telling.overlap(chunk.path.stem())
    }

    fn place(&self, chunk: &ChunkOutline) -> f32 {
        let wants = self.plan.wants;
        let kind = match path_kind::kind(&chunk.path) {
            PathKind::Source if chunk.defines(|kind| kind == SymbolKind::Test) => PathKind::Test,
            kind => kind,
        };
        match kind {
            // Where testing is the subject, `test` in a question need not ask for tests.
            PathKind::Test if wants.tests => self.ranking.tests.sqrt(),
            PathKind::Test => self.ranking.tests,
            PathKind::Example if !wants.examples && !wants.docs => self.ranking.examples,
            PathKind::Record if !wants.docs => self.ranking.docs * self.ranking.docs,
            _ if self.is_declared_elsewhere(&chunk.path) => self.ranking.headers,
            _ => 1.0,
        }
    }

    /// Whether a file is a header whose implementation was found too.
    fn is_declared_elsewhere(&self, path: &RelPath) -> bool {
        path_kind::header(path).is_some_and(|stem| self.implementations.contains(stem))
    }

    fn kind(&self, chunk: &ChunkOutline) -> f32 {
        let wants = self.plan.wants;
        if self.plan.intent == Intent::Path {
            return 1.0;
        }
        match chunk.kind {
            _ if self.plan.scope.callable && chunk.defines(SymbolKind::is_container) => {
                self.ranking.containers
            }
            ChunkKind::Documentation if !wants.docs => self.ranking.docs,
            ChunkKind::Data if !wants.config && !chunk.defines(|kind| kind != SymbolKind::Key) => {
                self.ranking.loose
            }
            // Imports, constants and a file's opening comment say what the code below does; that code is the
            // answer.
            ChunkKind::Definitions | ChunkKind::Data if is_opening(chunk) => self.ranking.loose,
            _ => 1.0,
        }
    }
}

/// Whether a chunk is the first lines of a file and holds neither code nor types.
pub(crate) fn is_opening(chunk: &ChunkOutline) -> bool {
    chunk.lines.start < 3 && !chunk.defines(|kind| kind.is_callable() || kind.is_container())
}

/// The answer is a place, not a list of places: an overview stays only for a file nothing else of which was
/// found, and is then shown by that file's largest definition.
fn drop_overviews(ranked: &mut Vec<Candidate>) {
    let found = paths(ranked, |candidate| !is_overview(candidate));
    ranked.retain(|c| !is_overview(c) || !found.contains(&c.chunk.path));
}

/// Where overviews are asked for, one shows all that its file's chunks would show again.
fn keep_overviews(ranked: &mut Vec<Candidate>) {
    let shown = paths(ranked, is_overview);
    ranked.retain(|c| is_overview(c) || !shown.contains(&c.chunk.path));
}

fn is_code(path: &RelPath) -> bool {
    groma_syntax::detect(path, b"").kind != groma_syntax::LanguageKind::Prose
}

pub(crate) fn is_overview(candidate: &Candidate) -> bool {
    candidate.chunk.kind == ChunkKind::Symbols
}

fn paths(ranked: &[Candidate], fits: impl Fn(&Candidate) -> bool) -> FxHashSet<RelPath> {
    ranked.iter().filter(|one| fits(one)).map(|one| one.chunk.path.clone()).collect()
}

/// Functions that do nearly the same stand side by side, so who asks for an action may find several of a file, and the
/// more so the more is said of it.
fn saturation(plan: &Plan, ranking: &Ranking) -> f32 {
    let Scope { action, detail, .. } = plan.scope;
    match action {
        true => {
            let (few, all) = (ranking.action_saturation, ranking.detailed_saturation);
            few + (all - few) * detail
        }
        false => ranking.saturation,
    }
}

/// Each further chunk of a file says less than the first.
fn saturate(ranked: &mut [Candidate], left: f32) {
    let mut seen: FxHashMap<RelPath, i32> = FxHashMap::default();
    for candidate in ranked.iter_mut() {
        let count = seen.entry(candidate.chunk.path.clone()).or_default();
        let factor = left.powi(*count);
        *count += 1;
        candidate.score *= factor;
        candidate.signals.push((SATURATION, factor));
    }
    ranked.sort_by(|a, b| match b.score.total_cmp(&a.score) {
        Ordering::Equal => place_of(a).cmp(&place_of(b)),
        other => other,
    });
}

/// Scores leave as 0..1: the best one is the measure, where it is more. What they are divided by is a factor like any
/// other, so that the factors shown make up the score shown.
fn normalise(ranked: &mut [Candidate]) {
    let most = ranked.first().map_or(1.0, |best| best.score.max(1.0));
    for candidate in ranked {
        candidate.score = (candidate.score / most).clamp(0.0, 1.0);
        candidate.signals.push(("scale", 1.0 / most));
    }
}
