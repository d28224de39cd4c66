//! Request and answer of a search.

use groma_core::{
    ChunkFilter, ChunkKind, FileFacts, GenerationInfo, Lines, RelPath, SymbolKind, Visibility,
};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::analysis::Analysis;
use super::more_results::MoreFile;
use super::plan::Plan;

/// Which retrievers run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SearchMode {
    /// Keyword, vector and symbol, fused.
    #[default]
    Hybrid,
    /// Vectors only.
    Vector,
    /// Keywords and symbols only.
    Keyword,
}

impl SearchMode {
    /// Every mode.
    pub const ALL: [SearchMode; 3] = [Self::Hybrid, Self::Vector, Self::Keyword];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Vector => "vector",
            Self::Keyword => "keyword",
        }
    }
}

impl std::str::FromStr for SearchMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|mode| mode.as_str() == text);
        found.ok_or_else(|| format!("`{text}` is none of hybrid, vector, keyword"))
    }
}

/// The context of a hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Context {
    /// Nothing.
    #[default]
    None,
    /// A fixed number of lines before and after.
    Lines {
        /// Lines before.
        before: u32,
        /// Lines after.
        after: u32,
    },
    /// The enclosing definition, at most 50 lines.
    Enclosing,
    /// The file's package clause and imports before, the beginning of the next definition after.
    Surroundings,
}

/// Default number of more results for clients that set no limit of hits.
pub const MORE_RESULTS: usize = 60;

/// A search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// Words, a name, a path or an error message.
    pub query: String,
    /// Maximum number of hits.
    pub limit: usize,
    /// Which retrievers run.
    pub mode: SearchMode,
    /// The filter on chunks.
    pub filter: ChunkFilter,
    /// Minimum score of a hit.
    pub min_score: f32,
    /// The context of each hit.
    pub context: Context,
    /// Maximum number of results after the hits that are returned by name only.
    pub more_results: usize,
    /// Whether overviews of code files can be hits beside the chunks of those files.
    pub overviews: bool,
    /// Whether a hit is always a whole chunk, also if only one definition in it answers.
    pub whole_chunks: bool,
    /// Whether to return the scores and timings of each stage.
    pub explain: bool,
}

impl SearchRequest {
    /// A search with the defaults.
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            limit: 10,
            mode: SearchMode::default(),
            filter: ChunkFilter::default(),
            min_score: 0.0,
            context: Context::default(),
            more_results: 0,
            overviews: false,
            whole_chunks: false,
            explain: false,
        }
    }
}

/// The definition of a hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitSymbol {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The name with its module and parents.
    pub qualified: String,
    /// The names of the enclosing definitions, outermost first.
    pub parents: Vec<String>,
    /// The definition without its body.
    pub signature: String,
    /// Its doc comment.
    pub doc: String,
    /// Its visibility.
    pub visibility: Visibility,
    /// Its lines.
    pub lines: Lines,
    /// The line of the name.
    pub name_line: u32,
}

/// Which retrievers found a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchType {
    /// Keyword or symbol only.
    Keyword,
    /// Vector only.
    Semantic,
    /// Both.
    Both,
}

impl MatchType {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keyword => "keyword",
            Self::Semantic => "semantic",
            Self::Both => "both",
        }
    }
}

/// A result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The file.
    pub path: RelPath,
    /// The lines of the chunk, or of the definition in it that answers.
    pub lines: Lines,
    /// The kind of chunk.
    pub kind: ChunkKind,
    /// The file's language.
    pub language: String,
    /// The package the file declares.
    pub package: Option<String>,
    /// The headings above it, in a document.
    pub title: String,
    /// The definition in it that answers; `None` for a document, an overview, or lines outside of definitions.
    pub symbol: Option<HitSymbol>,
    /// The file's tags.
    pub tags: Vec<String>,
    /// The facts of the file.
    pub facts: Arc<FileFacts>,
    /// The chunk's index in [`FileFacts::chunks`].
    pub ordinal: u32,
    /// Modification time of the file.
    pub modified: SystemTime,
    /// 0..1; larger is better.
    pub score: f32,
    /// Keyword score relative to the best, if keywords found it.
    pub keyword_score: Option<f32>,
    /// Cosine similarity, if vectors found it.
    pub vector_score: Option<f32>,
    /// Which retrievers found it.
    pub match_type: MatchType,
    /// The text of the lines, or the overview for an overview chunk.
    pub content: String,
    /// The lines that the query names: by a path, a message, a key or a name.
    pub focus: Option<Lines>,
    /// The context before.
    pub context_before: String,
    /// The context after.
    pub context_after: String,
    /// The factor of each ranking signal, if `explain` is set.
    pub signals: Vec<(&'static str, f32)>,
}

/// One stage of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The stage's name.
    pub name: &'static str,
    /// Its duration.
    pub duration: Duration,
    /// How many candidates it returned.
    pub count: usize,
    /// The best of them, `path:start-end`, with their scores, if `explain` is set.
    pub best: Vec<(String, f32)>,
}

/// The answer to a search.
#[derive(Clone, Debug)]
pub struct SearchAnswer {
    /// The plan of the query.
    pub plan: Plan,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How many of the first hits the query names: by a path, a message, a key or a name.
    pub named: usize,
    /// By what it names the first of them, as `--explain` calls it.
    pub named_by: Option<&'static str>,
    /// Quoted texts of the query that occur nowhere in the project.
    pub absent: Vec<String>,
    /// Results after the hits, by name only.
    pub more_results: Vec<MoreFile>,
    /// Number of candidates.
    pub candidates: usize,
    /// How many of them remain after deduplication and the minimum score.
    pub matching: usize,
    /// The stages.
    pub stages: Vec<Stage>,
    /// Statistics of the stages, if `explain` is set.
    pub analysis: Option<Analysis>,
    /// The generation that answered.
    pub generation: GenerationInfo,
    /// Whether the answer came from the cache.
    pub cached: bool,
    /// Whether the answer is known to miss changes of the tree.
    pub is_behind: bool,
    /// The embedder's error, if it failed and vectors were not used.
    pub embed_failure: Option<String>,
    /// Notes for the reader, such as missing vectors or an outdated index.
    pub notes: Vec<String>,
}

impl SearchAnswer {
    /// The hits in reading order: for a query about a topic, adjacent hits of the same file are sorted by line.
    /// Grouping all hits of a file would read better still, but costs a tenth more tokens up to the first answer
    /// (`docs/ranking.md`).
    pub fn in_reading_order(&self) -> Vec<&Hit> {
        let mut hits: Vec<&Hit> = self.hits.iter().collect();
        if self.plan.breadth.is_topic() {
            for run in hits.chunk_by_mut(|a, b| a.path == b.path) {
                run.sort_by_key(|hit| hit.lines.start);
            }
        }
        hits
    }
}
