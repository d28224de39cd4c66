//! The embedded model: a text's vector is the weighted sum of its tokens' rows.

use crate::table::Table;
use crate::tokens::{TokenCache, tokens};
use groma_core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
use std::cell::RefCell;

/// The model file, made by `model/build.sh`.
static MODEL: &[u8] = include_bytes!("../../../model/groma-embed.bin");

/// How often a passage repeats its file name and its first line; hyperparameters of the model, see `model/CARD.md`.
const STEM_WEIGHT: usize = 5;
const HEAD_WEIGHT: usize = 2;

/// The version of how passages are composed: vectors of different versions cannot be compared.
const PASSAGE_VERSION: u32 = 2;

/// The built-in model.
#[derive(Clone, Copy, Debug)]
pub struct StaticEmbedder {
    table: Table,
}

impl Default for StaticEmbedder {
    fn default() -> Self {
        Self { table: Table::new(MODEL) }
    }
}

/// Buffers for embedding a text, reused by each thread.
#[derive(Default)]
struct Scratch {
    /// The number of occurrences of each token in the text; all zero between texts.
    counts: Vec<u16>,
    /// Its distinct tokens, in order of first occurrence.
    seen: Vec<u32>,
    sum: Vec<f32>,
    cache: TokenCache,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl StaticEmbedder {
    /// The unit vector of a text, before it is quantised; zero for a text without words.
    pub fn components(&self, text: &str) -> Vec<f32> {
        SCRATCH.with_borrow_mut(|scratch| {
            self.sum(text, scratch);
            let norm = scratch.sum.iter().map(|x| x * x).sum::<f32>().sqrt();
            let norm = if norm > 0.0 { norm } else { 1.0 };
            scratch.sum.iter().map(|x| x / norm).collect()
        })
    }

    fn vector(&self, text: &str) -> Vector {
        SCRATCH.with_borrow_mut(|scratch| {
            self.sum(text, scratch);
            Vector::quantise(&scratch.sum)
        })
    }

    /// Composes a passage as in training: the last folder and the file name, then the name without its extension several
    /// times, because a short name must not drown in a long text, and for the same reason the first line, its signature,
    /// repeatedly.
    fn passage(&self, text: &str) -> Vector {
        let (path, rest) = text.split_once('\n').unwrap_or(("", text));
        let (head, body) = rest.split_once('\n').unwrap_or((rest, ""));
        let name = path.rsplit('/').next().unwrap_or(path);
        let folder =
            path[..path.len() - name.len()].trim_end_matches('/').rsplit('/').next().unwrap_or("");
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let more = STEM_WEIGHT * (stem.len() + 1) + HEAD_WEIGHT * (head.len() + 1);
        let mut named = String::with_capacity(text.len() + more);
        named.push_str(folder);
        named.push('/');
        let stems = [stem; STEM_WEIGHT];
        let heads = [head; HEAD_WEIGHT];
        for line in [name].iter().chain(&stems).chain(&heads) {
            named.push_str(line);
            named.push('\n');
        }
        named.push_str(body);
        self.vector(&named)
    }

    /// Sums the rows. Each component is summed in the same order everywhere, so the result is identical to the bit on
    /// every machine, whatever its vector width.
    fn sum(&self, text: &str, scratch: &mut Scratch) {
        let Scratch { counts, seen, sum, cache } = scratch;
        counts.resize(self.table.vocabulary, 0);
        seen.clear();
        tokens(&self.table, cache, text, |token| {
            let count = &mut counts[token as usize];
            if *count == 0 {
                seen.push(token);
            }
            *count += 1;
        });
        sum.clear();
        sum.resize(self.table.dimensions, 0.0);
        for token in seen.iter().copied() {
            let count = std::mem::take(&mut counts[token as usize]);
            let (row, scale) = self.table.row(token);
            add(sum, row, f32::from(count).sqrt() * scale);
        }
    }
}

/// Adds a row, weighted, to the sum.
#[allow(unsafe_code, reason = "CPU features are detected at run time")]
fn add(sum: &mut [f32], row: &[u8], weight: f32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the CPU feature that the function requires was just detected.
        return unsafe { add_wide(sum, row, weight) };
    }
    add_portable(sum, row, weight)
}

/// Compiled for wider registers; the result is identical to the bit, as multiply and add are not fused.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn add_wide(sum: &mut [f32], row: &[u8], weight: f32) {
    add_portable(sum, row, weight)
}

#[inline(always)]
fn add_portable(sum: &mut [f32], row: &[u8], weight: f32) {
    for (total, value) in sum.iter_mut().zip(row) {
        *total += weight * f32::from(*value as i8);
    }
}

impl Embedder for StaticEmbedder {
    fn identity(&self) -> EmbedderIdentity {
        EmbedderIdentity {
            name: "groma-static".into(),
            version: format!("{}.{PASSAGE_VERSION}", self.table.version),
            dimensions: self.table.dimensions,
        }
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let vector = |text: &&str| match role {
            TextRole::Query => self.vector(text),
            TextRole::Passage => self.passage(text),
        };
        Ok(texts.iter().map(vector).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference implementation's tokens and components for a dozen texts.
    #[test]
    fn agrees_with_the_reference() {
        let reference: serde_json::Value =
            serde_json::from_str(include_str!("../../../model/reference.json")).unwrap();
        let cases =
            reference["texts"].as_array().or(reference.as_array()).expect("a list of texts");
        assert!(cases.len() >= 10);
        let (embedder, mut known) = (StaticEmbedder::default(), TokenCache::default());
        for case in cases {
            let text = case["text"].as_str().unwrap();
            let expected: Vec<String> = case["tokens"]
                .as_array()
                .unwrap()
                .iter()
                .map(|t| t.as_str().unwrap().to_string())
                .collect();
            let mut found = Vec::new();
            tokens(&embedder.table, &mut known, text, |token| {
                found.push(String::from_utf8(embedder.table.entry(token).to_vec()).unwrap());
            });
            assert_eq!(found, expected, "{text}");
            let components = embedder.components(text);
            let key = if case.get("vector").is_some() { "vector" } else { "components" };
            for (value, wanted) in components.iter().zip(case[key].as_array().unwrap()) {
                assert!((f64::from(*value) - wanted.as_f64().unwrap()).abs() < 2e-5, "{text}");
            }
        }
    }

    #[test]
    fn sums_are_the_same_bits_on_every_path() {
        let row: Vec<u8> = (0..=255).collect();
        let (mut wide, mut portable) = (vec![0.1; 256], vec![0.1; 256]);
        for weight in [0.3, 1.7e-3, 2.0_f32.sqrt()] {
            add(&mut wide, &row, weight);
            add_portable(&mut portable, &row, weight);
        }
        assert_eq!(wide, portable);
    }

    #[test]
    fn cached_words_have_the_same_tokens() {
        let embedder = StaticEmbedder::default();
        let text = "returnValue return returned err errors qzxqzx internationalization_of_everything \
                    utf8 utf16 HTTPServer http a";
        let found = |known: &mut TokenCache| {
            let mut found = Vec::new();
            tokens(&embedder.table, known, text, |token| found.push(token));
            found
        };
        let mut known = TokenCache::default();
        let first = found(&mut known);
        assert!(first.len() > 10);
        assert_eq!(found(&mut known), first);
        let entries = first.iter().map(|token| embedder.table.entry(*token));
        assert!(entries.clone().any(|entry| entry == b"return"));
        assert!(entries.clone().any(|entry| entry == b"http"));
    }

    #[test]
    fn a_passage_is_about_its_file() {
        let embedder = StaticEmbedder::default();
        let query = embedder.embed(TextRole::Query, &["connection pool"]).unwrap().remove(0);
        let passages = ["src/net/connection_pool.rs\nfn get()", "src/net/date.rs\nfn get()"];
        let found = embedder.embed(TextRole::Passage, &passages).unwrap();
        assert!(query.similarity(&found[0]) > query.similarity(&found[1]) + 0.2);
    }

    #[test]
    fn a_passage_is_about_its_first_line() {
        let embedder = StaticEmbedder::default();
        let query = embedder.embed(TextRole::Query, &["parse a date"]).unwrap().remove(0);
        let lines = ["fn parse_date(text)", "let socket = open(host, port)", "send(socket, text)"];
        let passage = |lines: [&str; 3]| format!("src/a.rs\n{}", lines.join("\n"));
        let [a, b, c] = lines;
        let passages = [passage([a, b, c]), passage([c, b, a])];
        let passages = [passages[0].as_str(), passages[1].as_str()];
        let found = embedder.embed(TextRole::Passage, &passages).unwrap();
        assert!(query.similarity(&found[0]) > query.similarity(&found[1]) + 0.1);
    }

    #[test]
    fn similar_texts_are_near_and_empty_ones_have_no_direction() {
        let embedder = StaticEmbedder::default();
        let texts = [
            "open a network connection",
            "socket connect to host",
            "parse a date from a string",
            "",
        ];
        let vectors = embedder.embed(TextRole::Query, &texts).unwrap();
        assert!(vectors[0].similarity(&vectors[1]) > vectors[0].similarity(&vectors[2]));
        assert_eq!(vectors[3].scale, 0.0);
    }
}
