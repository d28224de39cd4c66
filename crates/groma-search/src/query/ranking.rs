//! Every number that shapes ranking, in one place.

use groma_core::FieldWeights;

/// The numbers. One configuration serves every project and every question.
///
/// They were chosen by changing one at a time over the three open benchmarks (`cargo xtask eval`) and two sets of
/// other questions: 454 commit subjects with the files they changed, and 601 first sentences of doc comments,
/// taken out of the code, with their functions. What was kept wins on both halves of the repositories where it
/// acts at all. `docs/ranking.md` holds the figures; a number's own experiment stands beside it, in points of
/// NDCG@10 (semble whole checkouts, semble sub-folders, csn, cosqa, commits, doc comments).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranking {
    /// How terms count in a chunk.
    pub chunk_fields: FieldWeights,
    /// How terms count in a file.
    pub file_fields: FieldWeights,
    /// How much a chunk's file adds to it.
    pub file_share: f32,
    /// How many candidates each retriever is asked for.
    pub depth: usize,
    /// The constant of reciprocal rank fusion.
    pub fusion_constant: f32,
    /// How much keywords count in the fusion.
    pub keyword_weight: f32,
    /// How much vectors count in the fusion.
    pub vector_weight: f32,
    /// How much the retrievers' own scores count beside their ranks. Scores alone (1) against 0.85: +.4 +.3 .0
    /// .0 +.1 +.4; ranks keep a share because they do not depend on how a retriever's scores are spread.
    pub score_share: f32,
    /// What a question whose terms are all present is worth over one where some are missing. 0.15 against 0.3:
    /// .0 +.3 .0 +.4 +.4 +1.1.
    pub coverage: f32,
    /// What a definition of a name in the question gains.
    pub exact_name: f32,
    /// What is left of that where the question says what is done: its names are what it is done to. 0.5 against 1: .0
    /// .0 .0 .0 .0 +.5, on both halves.
    pub action_name: f32,
    /// What is left of it for a name spelled otherwise in the question (`from_request` for `FromRequest`).
    pub other_spelling: f32,
    /// What is left of it where the chunk defines something else first, and the name inside of that.
    pub inner_name: f32,
    /// How much more it is where the file is called so too. The three together: +1.0 +1.1 .0 .0 +.3 +.8.
    pub named_file: f32,
    /// What a file whose name is made of the question's words gains. 0.25 against 0.3: +.1 .0 +.2 .0 -.2 +.1.
    pub file_name: f32,
    /// What the best chunk of the file that says most about a topic gains. 1 against 0: +2.5 +2.2 -.9 -.3 +.2
    /// -1.0; for every question alike it would be +3.3 +2.7 -5.8 -.5 +.8 -4.9, hence `Scope`. 0.7 against 1: .0 -.2
    /// +.3 .0 .0 +.4; 0.6 costs .2 more on the first.
    pub coherence: f32,
    /// What a name made of the question's words gains. 0.12 against 0.2, now that vectors hear signatures: +.1 -.1 +.1 +.8 .0 -.3.
    pub name_overlap: f32,
    /// What is left of a test.
    pub tests: f32,
    /// What is left of an example, benchmark or script.
    pub examples: f32,
    /// What is left of a document.
    pub docs: f32,
    /// What is left of configuration, data and a file's opening lines, where they define nothing.
    pub loose: f32,
    /// What is left of a type or module where the question says that it wants a function. No question of the open sets
    /// does; of the small corpus's, "which method saves an order" has the interface first without it.
    pub containers: f32,
    /// What is left of a header whose implementation was found too. +.2 +.4 .0 .0 -.1 .0.
    pub headers: f32,
    /// What a file gains that was just read, and often: enough to decide between two that answer alike, not more. The
    /// open benchmarks read nothing, so it does nothing there.
    pub read: f32,
    /// What is left of each further chunk of a file. 0.88 against 0.85: -.1 .0 +.3 .0 .0 +.4.
    pub saturation: f32,
    /// The same where the question says what is done in a few words, which functions of many files may fit.
    pub action_saturation: f32,
    /// The same where it says so in a sentence: those that do nearly the same stand side by side, and one of them is
    /// it. Both against 0.92 for all: .0 .0 +.2 .0 .0 +1.2. Without saturation, actions of up to three terms lose (csn
    /// -1.4), those of six and more gain (doc comments +1.4), hence `Scope::detail`.
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
            score_share: 0.95,
            coverage: 0.15,
            exact_name: 0.8,
            action_name: 0.5,
            other_spelling: 0.3,
            inner_name: 0.3,
            named_file: 1.0,
            file_name: 0.25,
            coherence: 0.7,
            name_overlap: 0.12,
            tests: 0.5,
            examples: 0.75,
            docs: 0.3,
            loose: 0.7,
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
    /// Sets a number by name, for experiments. Fields of [`FieldWeights`] are `chunk.name`, `file.path.b` and
    /// so on.
    pub fn set(&mut self, name: &str, value: f32) -> Result<(), String> {
        let slot = match name {
            "file_share" => &mut self.file_share,
            "fusion_constant" => &mut self.fusion_constant,
            "keyword_weight" => &mut self.keyword_weight,
            "vector_weight" => &mut self.vector_weight,
            "score_share" => &mut self.score_share,
            "coverage" => &mut self.coverage,
            "exact_name" => &mut self.exact_name,
            "action_name" => &mut self.action_name,
            "other_spelling" => &mut self.other_spelling,
            "inner_name" => &mut self.inner_name,
            "named_file" => &mut self.named_file,
            "file_name" => &mut self.file_name,
            "coherence" => &mut self.coherence,
            "name_overlap" => &mut self.name_overlap,
            "tests" => &mut self.tests,
            "examples" => &mut self.examples,
            "docs" => &mut self.docs,
            "loose" => &mut self.loose,
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
        let unknown = || format!("no ranking number is called `{name}`");
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
        let place = names.iter().position(|known| *known == field).ok_or_else(unknown)?;
        if length {
            fields.length[place] = value
        } else {
            fields.weights[place] = value
        }
        Ok(())
    }
}
