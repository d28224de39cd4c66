//! Every number that shapes ranking, in one place.

use groma_core::FieldWeights;

/// The numbers. One configuration serves every project and every question.
///
/// They were chosen by changing one at a time and keeping what raised the sum of the figures of all three open
/// benchmarks (`cargo xtask eval`) in hybrid mode, then taking back what lowered keyword mode. Scores alone
/// (`score_share` 1) gave 0.006 more in that sum; ranks keep a share because they do not depend on how a
/// retriever's scores are spread.
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
    /// How much the retrievers' own scores count beside their ranks.
    pub score_share: f32,
    /// What a question whose terms are all present is worth over one where some are missing.
    pub coverage: f32,
    /// What a definition of a name in the question gains.
    pub exact_name: f32,
    /// How much more that is when what is defined is a type or module.
    pub type_name: f32,
    /// What a file whose name is made of the question's words gains.
    pub file_name: f32,
    /// What a name made of the question's words gains.
    pub name_overlap: f32,
    /// What is left of a test.
    pub tests: f32,
    /// What is left of an example, benchmark or script.
    pub examples: f32,
    /// What is left of a document.
    pub docs: f32,
    /// What is left of configuration and data.
    pub data: f32,
    /// What is left of a file's opening lines, where they define nothing.
    pub loose: f32,
    /// What is left of code that only declares (type stubs, interfaces kept for old versions).
    pub stubs: f32,
    /// What is left of each further chunk of a file.
    pub saturation: f32,
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
            score_share: 0.85,
            coverage: 0.3,
            exact_name: 0.8,
            type_name: 1.5,
            file_name: 0.3,
            name_overlap: 0.2,
            tests: 0.5,
            examples: 0.75,
            docs: 0.3,
            data: 0.6,
            loose: 0.7,
            stubs: 0.8,
            saturation: 0.85,
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
            "type_name" => &mut self.type_name,
            "file_name" => &mut self.file_name,
            "name_overlap" => &mut self.name_overlap,
            "tests" => &mut self.tests,
            "examples" => &mut self.examples,
            "docs" => &mut self.docs,
            "data" => &mut self.data,
            "loose" => &mut self.loose,
            "stubs" => &mut self.stubs,
            "saturation" => &mut self.saturation,
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
