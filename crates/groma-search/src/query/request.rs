//! What is asked, and what is answered.

use groma_core::{
    ChunkFilter, ChunkKind, FileFacts, GenerationInfo, Lines, RelPath, SymbolKind, Visibility,
};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::analysis::Analysis;
use super::further::FurtherFile;
use super::plan::Plan;

/// Which retrievers answer.
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

/// What is shown around a hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Context {
    /// Nothing.
    #[default]
    None,
    /// So many lines before and after, exactly.
    Lines {
        /// Lines before.
        before: u32,
        /// Lines after.
        after: u32,
    },
    /// Up to the ends of the enclosing definition, 50 lines at most.
    Enclosing,
    /// What one reads a definition with: the file's package and imports before, the beginning of the next
    /// definition after.
    Surroundings,
}

/// How many places beyond the hits are named to who did not say how many hits are wanted.
pub const FURTHER_PLACES: usize = 60;

/// A search.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The question: words, a name, a path or an error message.
    pub query: String,
    /// Most hits to answer with.
    pub limit: usize,
    /// Which retrievers answer.
    pub mode: SearchMode,
    /// Which chunks may be found.
    pub filter: ChunkFilter,
    /// Hits below this score are left out.
    pub min_score: f32,
    /// What is shown around a hit.
    pub context: Context,
    /// How many places beyond the hits are named.
    pub further: usize,
    /// Whether overviews of code files are hits like any other, beside what they are overviews of.
    pub overviews: bool,
    /// Whether to keep what each stage found.
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
            further: 0,
            overviews: false,
            explain: false,
        }
    }
}

/// The definition a hit shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HitSymbol {
    /// Its name.
    pub name: String,
    /// What it defines.
    pub kind: SymbolKind,
    /// The name with its module and parents.
    pub qualified: String,
    /// The names of the definitions around it, outermost first.
    pub parents: Vec<String>,
    /// The definition without its body.
    pub signature: String,
    /// Its comment.
    pub doc: String,
    /// Who may use it.
    pub visibility: Visibility,
    /// Its lines.
    pub lines: Lines,
    /// The line that holds the name.
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

/// A place that answers the question.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The file.
    pub path: RelPath,
    /// The lines of the chunk.
    pub lines: Lines,
    /// What the chunk is made of.
    pub kind: ChunkKind,
    /// The file's language.
    pub language: String,
    /// The package the file declares.
    pub package: Option<String>,
    /// The headings above, for a document.
    pub title: String,
    /// The definition it shows.
    pub symbol: Option<HitSymbol>,
    /// The file's tags.
    pub tags: Vec<String>,
    /// Everything that is known of the file.
    pub facts: Arc<FileFacts>,
    /// The chunk's place in [`FileFacts::chunks`].
    pub ordinal: u32,
    /// When the file was changed last.
    pub modified: SystemTime,
    /// 0..1; larger is better.
    pub score: f32,
    /// Keyword score relative to the best, if keywords found it.
    pub keyword_score: Option<f32>,
    /// Cosine similarity, if vectors found it.
    pub vector_score: Option<f32>,
    /// Which retrievers found it.
    pub match_type: MatchType,
    /// The text of the lines; the overview for an overview.
    pub content: String,
    /// The text before.
    pub context_before: String,
    /// The text after.
    pub context_after: String,
    /// What each signal made of its score, when asked to explain.
    pub signals: Vec<(&'static str, f32)>,
}

/// What one stage of a query found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The stage's name.
    pub name: &'static str,
    /// What it took.
    pub duration: Duration,
    /// How many it found.
    pub count: usize,
    /// The best of them, `path:start-end`, with their scores, when asked to explain.
    pub best: Vec<(String, f32)>,
}

/// The answer to a search.
#[derive(Clone, Debug)]
pub struct SearchAnswer {
    /// How the question was understood.
    pub plan: Plan,
    /// The places, best first.
    pub hits: Vec<Hit>,
    /// Places beyond them, by name alone.
    pub further: Vec<FurtherFile>,
    /// How many were considered.
    pub candidates: usize,
    /// How many of them are worth showing: not shown by another, and not below the lowest score wanted.
    pub matching: usize,
    /// What each stage did.
    pub stages: Vec<Stage>,
    /// The same in figures, when asked to explain.
    pub analysis: Option<Analysis>,
    /// The generation that answered.
    pub generation: GenerationInfo,
    /// Whether the answer came from the cache.
    pub cached: bool,
    /// Whether changes of the tree are missing, as far as that was looked for.
    pub is_behind: bool,
    /// Why vectors took no part, where the embedder failed.
    pub embed_failure: Option<String>,
    /// What the reader should know: vectors missing, index behind, and the like.
    pub notes: Vec<String>,
}

impl SearchAnswer {
    /// The hits as one reads them: where the question is about a topic, neighbours in the ranking that are of one
    /// file are in order of their lines. Bringing all hits of a file together would read better still, and costs a
    /// tenth more tokens up to the first answer (`docs/ranking.md`).
    pub fn in_reading_order(&self) -> Vec<&Hit> {
        let mut hits: Vec<&Hit> = self.hits.iter().collect();
        if self.plan.scope.is_topic() {
            for run in hits.chunk_by_mut(|a, b| a.path == b.path) {
                run.sort_by_key(|hit| hit.lines.start);
            }
        }
        hits
    }
}
