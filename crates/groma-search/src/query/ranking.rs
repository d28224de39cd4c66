//! All ranking parameters.

use groma_core::FieldWeights;

/// The ranking parameters. One configuration serves every project and every query.
///
/// They were tuned one at a time on the three open benchmarks (`cargo xtask eval`) and two other query sets: commit
/// subjects with the files they changed, and first sentences of doc comments, removed from the code, with their
/// functions. A value was kept if it wins on both halves of the repositories on which it has an effect.
/// `docs/ranking.md` has the figures; the experiment for a parameter is given beside it, in points of NDCG@10 (semble
/// whole checkouts, semble sub-folders, csn, cosqa, commits, doc comments).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// BM25F weights of the fields of a chunk.
    pub chunk_fields: FieldWeights,
    /// BM25F weights of the fields of a file.
    pub file_fields: FieldWeights,
    /// Share of the file's score that is added to a chunk's.
    pub file_share: f32,
    /// Number of candidates requested from each retriever.
    pub depth: usize,
    /// The constant of reciprocal rank fusion.
    pub fusion_constant: f32,
    /// Weight of keywords in the fusion.
    pub keyword_weight: f32,
    /// Weight of vectors in the fusion.
    pub vector_weight: f32,
    /// How far the similarity of vectors is squared if the query describes an action, 0..1. Cosines of a project's
    /// functions lie close together, and the nearest one is the answer; a topic is answered by many of them. 1 against
    /// 0: .0 +.1 -.1 +1.0 -.3 +.9, descriptions of functions +2.8; for all queries -.6 -.1 +.1 +.9 -.6 +1.5.
    pub action_contrast: f32,
    /// Share of the retrievers' scores, the rest being their ranks. Scores alone (1) against 0.85: +.4 +.3 .0
    /// .0 +.1 +.4; ranks keep a share because they do not depend on the distribution of a retriever's scores.
    pub score_share: f32,
    /// Penalty for chunks that lack query terms. 0.15 against 0.3:
    /// .0 +.3 .0 +.4 +.4 +1.1.
    pub coverage: f32,
    /// Boost of a definition of a name in the query.
    pub exact_name: f32,
    /// Factor on that boost if the query describes an action: its names are the objects of the action. 0.5 against 1:
    /// .0 .0 .0 .0 .0 +.5, on both halves.
    pub action_name: f32,
    /// Factor on it for a name spelled differently in the query (`from_request` for `FromRequest`).
    pub other_spelling: f32,
    /// Factor on it if the name is defined inside another definition of the chunk.
    pub inner_name: f32,
    /// Additional boost if the file has the same name. The three together: +1.0 +1.1 .0 .0 +.3 +.8.
    pub named_file: f32,
    /// Boost of a file whose name consists of words of the query. 0.25 against 0.3: +.1 .0 +.2 .0 -.2 +.1.
    pub file_name: f32,
    /// Additional boost of a file all words of whose name are in a question about a topic. 0.2 against 0: +.4 +.4 .0 .0
    /// .0 .0; for statements, too, it would be +.2 +.9 -1.0 .0 -.6 +.2.
    pub topic_file: f32,
    /// Boost of the best chunk of the file with most matches on a topic. 1 against 0: +2.5 +2.2 -.9 -.3 +.2
    /// -1.0; for all queries alike it would be +3.3 +2.7 -5.8 -.5 +.8 -4.9, hence `Breadth`. 0.7 against 1: .0 -.2
    /// +.3 .0 .0 +.4; 0.6 costs .2 more on the first.
    pub coherence: f32,
    /// Boost of a name that consists of words of the query. 0.12 against 0.2, since vectors include signatures: +.1 -.1
    /// +.1 +.8 .0 -.3.
    pub name_overlap: f32,
    /// Factor on tests.
    pub tests: f32,
    /// Factor on examples, benchmarks and scripts.
    pub examples: f32,
    /// Factor on documents.
    pub docs: f32,
    /// Factor on configuration, data and a file's opening lines, if they define nothing.
    pub loose: f32,
    /// Factor on chunks that define nothing that runs, if the query describes an action: types, constants and prose are
    /// about what the function does and are not the function. 0.8 against 1: .0 .0 +.8 .0 -.2 +2.0, descriptions of
    /// functions +2.3.
    pub not_callable: f32,
    /// Factor on a built or vendored copy and on an old version, if what it is a copy of is a candidate, too.
    pub copies: f32,
    /// Factor on types and modules if the query asks for a function explicitly. No query of the open benchmarks does;
    /// in the small corpus, "which method saves an order" returns the interface first without it.
    pub containers: f32,
    /// Factor on a header whose implementation is a candidate, too. +.2 +.4 .0 .0 -.1 .0.
    pub headers: f32,
    /// Boost of a file that was read recently and often: enough to break near-ties. The open benchmarks record no
    /// reads, so it has no effect there.
    pub read: f32,
    /// Decay for each further chunk of a file. 0.88 against 0.85: -.1 .0 +.3 .0 .0 +.4.
    pub saturation: f32,
    /// The same if the query describes an action in a few words, which functions of many files may match.
    pub action_saturation: f32,
    /// The same if it does so in a sentence: similar functions are neighbours, and one of them is the answer. Both
    /// against 0.92 for all: .0 .0 +.2 .0 .0 +1.2. Without saturation, actions of up to three terms lose (csn -1.4),
    /// those of six and more gain (doc comments +1.4), hence `Breadth::detail`.
    pub detailed_saturation: f32,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            chunk_fields: FieldWeights {
                weights: [3.0, 1.0, 1.5, 1.0],
                length: [0.4, 0.5, 0.6, 0.7],
                saturation: 1.8,
            },
            file_fields: FieldWeights {
                weights: [2.0, 4.0, 1.0, 0.6],
                length: [0.4, 0.4, 0.5, 0.6],
                saturation: 1.2,
            },
            file_share: 0.45,
            depth: 200,
            fusion_constant: 60.0,
            keyword_weight: 1.0,
            vector_weight: 2.0,
            action_contrast: 1.0,
            score_share: 0.95,
            coverage: 0.15,
            exact_name: 0.8,
            action_name: 0.5,
            other_spelling: 0.3,
            inner_name: 0.3,
            named_file: 1.0,
            file_name: 0.25,
            topic_file: 0.2,
            coherence: 0.7,
            name_overlap: 0.12,
            tests: 0.5,
            examples: 0.75,
            docs: 0.3,
            loose: 0.7,
            not_callable: 0.8,
            copies: 0.7,
            containers: 0.7,
            headers: 0.8,
            read: 0.05,
            saturation: 0.88,
            action_saturation: 0.86,
            detailed_saturation: 0.98,
        }
    }
}

impl Ranking {
    /// The order of the retrievers' scores, without any signal of code: for texts that are not files of a project.
    pub fn retrieval_only() -> Self {
        Self {
            file_share: 0.0,
            coverage: 0.0,
            exact_name: 0.0,
            action_contrast: 0.0,
            file_name: 0.0,
            topic_file: 0.0,
            coherence: 0.0,
            name_overlap: 0.0,
            tests: 1.0,
            examples: 1.0,
            docs: 1.0,
            loose: 1.0,
            not_callable: 1.0,
            copies: 1.0,
            containers: 1.0,
            headers: 1.0,
            read: 0.0,
            saturation: 1.0,
            action_saturation: 1.0,
            detailed_saturation: 1.0,
            ..Self::default()
        }
    }

    /// Sets a parameter by name, for experiments. Fields of [`FieldWeights`] are `chunk.name`, `file.path.b` and
    /// so on.
    pub fn set(&mut self, name: &str, value: f32) -> Result<(), String> {
        let slot = match name {
            "file_share" => &mut self.file_share,
            "fusion_constant" => &mut self.fusion_constant,
            "keyword_weight" => &mut self.keyword_weight,
            "vector_weight" => &mut self.vector_weight,
            "action_contrast" => &mut self.action_contrast,
            "score_share" => &mut self.score_share,
            "coverage" => &mut self.coverage,
            "exact_name" => &mut self.exact_name,
            "action_name" => &mut self.action_name,
            "other_spelling" => &mut self.other_spelling,
            "inner_name" => &mut self.inner_name,
            "named_file" => &mut self.named_file,
            "file_name" => &mut self.file_name,
            "topic_file" => &mut self.topic_file,
            "coherence" => &mut self.coherence,
            "name_overlap" => &mut self.name_overlap,
            "tests" => &mut self.tests,
            "examples" => &mut self.examples,
            "docs" => &mut self.docs,
            "loose" => &mut self.loose,
            "not_callable" => &mut self.not_callable,
            "copies" => &mut self.copies,
            "containers" => &mut self.containers,
            "headers" => &mut self.headers,
            "read" => &mut self.read,
            "saturation" => &mut self.saturation,
            "action_saturation" => &mut self.action_saturation,
            "detailed_saturation" => &mut self.detailed_saturation,
            "depth" => {
                self.depth = value as usize;
                return Ok(());
            }
            _ => return self.set_field(name, value),
        };
        *slot = value;
        Ok(())
    }

    fn set_field(&mut self, name: &str, value: f32) -> Result<(), String> {
        let unknown = || format!("no ranking parameter is named `{name}`");
        let (collection, rest) = name.split_once('.').ok_or_else(unknown)?;
        let fields = match collection {
            "chunk" => &mut self.chunk_fields,
            "file" => &mut self.file_fields,
            _ => return Err(unknown()),
        };
        if rest == "k" {
            fields.saturation = value;
            return Ok(());
        }
        let (field, length) = match rest.split_once('.') {
            Some((field, "b")) => (field, true),
            None => (rest, false),
            _ => return Err(unknown()),
        };
        let names = ["name", "path", "doc", "body"];
        let index = names.iter().position(|known| *known == field).ok_or_else(unknown)?;
        if length {
            fields.length[index] = value;
        } else {
            fields.weights[index] = value;
        }
        Ok(())
    }
}
