//! An in-memory collection of chunks from another tool.
//!
//! Chunks come with their texts and perhaps with vectors. If the query can be embedded by the same model, they are
//! ranked by exact cosine similarity, otherwise by BM25. Filters apply before ranking, so they never shorten an answer.

use groma_core::{EmbedError, Embedder, TextRole, Vector, Word, stem, words};
use rustc_hash::FxHashMap;

/// Saturation and length normalisation of BM25.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// A chunk to be added to a collection.
#[derive(Clone, Debug)]
pub struct CollectionEntry<T> {
    /// Its text.
    pub text: String,
    /// Its kind, as named by its producer.
    pub kind: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its vector.
    pub vector: Option<Vector>,
    /// Returned for a hit.
    pub payload: T,
}

/// A query of a collection.
#[derive(Clone, Debug, Default)]
pub struct CollectionQuery {
    /// The query text.
    pub text: String,
    /// Maximum number of hits.
    pub limit: usize,
    /// Kinds, any of which matches; all if empty.
    pub kinds: Vec<String>,
    /// Tags, all of which must match.
    pub tags: Vec<String>,
}

/// Chunks in memory.
pub struct Collection<T> {
    chunks: Vec<StoredEntry<T>>,
    /// Postings of each term: index of the chunk and term frequency.
    postings: FxHashMap<String, Vec<(u32, u32)>>,
    /// Average length of a chunk, in words.
    average_length: f32,
    embedder: Option<Box<dyn Embedder>>,
}

struct StoredEntry<T> {
    kind: String,
    tags: Vec<String>,
    vector: Option<Vector>,
    length: u32,
    payload: T,
}

impl<T> Collection<T> {
    /// Builds a collection. The embedder must be the one that made the chunks' vectors; without one, or without
    /// vectors, BM25 ranks.
    pub fn new(entries: Vec<CollectionEntry<T>>, embedder: Option<Box<dyn Embedder>>) -> Self {
        let mut postings: FxHashMap<String, Vec<(u32, u32)>> = FxHashMap::default();
        let mut chunks = Vec::with_capacity(entries.len());
        for (index, entry) in (0..).zip(entries) {
            let (terms, length) = term_frequencies(&entry.text);
            for (term, frequency) in terms {
                postings.entry(term).or_default().push((index, frequency));
            }
            let CollectionEntry { kind, tags, vector, payload, .. } = entry;
            let vector = vector.filter(|vector| vector.scale != 0.0);
            chunks.push(StoredEntry { kind, tags, vector, length, payload });
        }
        let total: u64 = chunks.iter().map(|chunk| u64::from(chunk.length)).sum();
        let average_length = (total as f32 / chunks.len().max(1) as f32).max(1.0);
        Self { chunks, postings, average_length, embedder }
    }

    /// The number of chunks.
    pub fn len(&self) -> usize {
        self.chunks.len()
    }

    /// Whether it has no chunks.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The best chunks that the filters admit, with their scores: cosine similarities, or BM25 scores relative to the
    /// best. Equal scores keep the order of the chunks.
    pub fn search(&self, query: &CollectionQuery) -> Result<Vec<(&T, f32)>, EmbedError> {
        let vector = match &self.embedder {
            Some(embedder) if self.has_vectors() => {
                embedder.embed(TextRole::Query, &[&query.text])?.into_iter().next()
            }
            _ => None,
        };
        let mut found = match vector {
            Some(vector) => self.by_vector(&vector, query),
            None => self.by_keywords(query),
        };
        found.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
        found.truncate(query.limit);
        Ok(found.into_iter().map(|(index, score)| (&self.chunks[index].payload, score)).collect())
    }

    fn has_vectors(&self) -> bool {
        self.chunks.iter().any(|chunk| chunk.vector.is_some())
    }

    fn admits(&self, index: usize, query: &CollectionQuery) -> bool {
        let chunk = &self.chunks[index];
        let has = |tag: &String| {
            chunk.kind.eq_ignore_ascii_case(tag)
                || chunk.tags.iter().any(|have| have.eq_ignore_ascii_case(tag))
        };
        (query.kinds.is_empty() || query.kinds.contains(&chunk.kind)) && query.tags.iter().all(has)
    }

    fn by_vector(&self, vector: &Vector, query: &CollectionQuery) -> Vec<(usize, f32)> {
        let score = |index: usize| {
            let own = self.chunks[index].vector.as_ref()?;
            let is_comparable = own.values.len() == vector.values.len() && vector.scale != 0.0;
            is_comparable.then(|| (index, vector.similarity(own).clamp(-1.0, 1.0)))
        };
        let admitted = (0..self.chunks.len()).filter(|index| self.admits(*index, query));
        admitted.filter_map(score).collect()
    }

    fn by_keywords(&self, query: &CollectionQuery) -> Vec<(usize, f32)> {
        let mut scores: FxHashMap<u32, f32> = FxHashMap::default();
        let (terms, _) = term_frequencies(&query.text);
        for term in terms.keys() {
            let Some(postings) = self.postings.get(term) else { continue };
            let (all, with) = (self.chunks.len() as f32, postings.len() as f32);
            let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
            for (index, frequency) in postings {
                let length = self.chunks[*index as usize].length as f32;
                let frequency = *frequency as f32;
                let divisor = frequency + K1 * (1.0 - B + B * length / self.average_length);
                *scores.entry(*index).or_default() += idf * frequency * (K1 + 1.0) / divisor;
            }
        }
        let found = scores.into_iter().map(|(index, score)| (index as usize, score));
        let mut found: Vec<_> = found.filter(|(index, _)| self.admits(*index, query)).collect();
        let best = found.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
        found.iter_mut().for_each(|(_, score)| *score /= best);
        found
    }
}

/// The terms of a text with their frequencies, sorted, and its length in words.
fn term_frequencies(text: &str) -> (std::collections::BTreeMap<String, u32>, u32) {
    let mut terms = std::collections::BTreeMap::new();
    let mut length = 0;
    words(text, |word| {
        let term = match word {
            Word::Part(part) => stem(part),
            Word::Whole(whole) => whole,
        };
        length += 1;
        *terms.entry(term.to_string()).or_default() += 1;
    });
    (terms, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::EmbedderIdentity;

    /// Points along the first axis for a text about cats, along the second for any other.
    struct Cats {
        works: bool,
    }

    fn direction(text: &str) -> Vector {
        Vector::quantise(if text.contains("cat") { &[1.0, 0.0] } else { &[0.0, 1.0] })
    }

    impl Embedder for Cats {
        fn identity(&self) -> EmbedderIdentity {
            EmbedderIdentity { name: "cats".into(), version: "1".into(), dimensions: 2 }
        }

        fn embed(&self, _: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
            if self.works {
                Ok(texts.iter().map(|text| direction(text)).collect())
            } else {
                Err(EmbedError::Unavailable("offline".into()))
            }
        }
    }

    fn entry(text: &str, kind: &str, tags: &[&str]) -> CollectionEntry<String> {
        CollectionEntry {
            text: text.into(),
            kind: kind.into(),
            tags: tags.iter().map(|tag| tag.to_string()).collect(),
            vector: Some(direction(text)),
            payload: text.into(),
        }
    }

    fn entries() -> Vec<CollectionEntry<String>> {
        vec![
            entry("dogs bark", "definitions", &["code", "go"]),
            entry("the cat purrs and the cat sleeps", "documentation", &["docs", "Pets"]),
            entry("a cat", "definitions", &["code", "rust"]),
        ]
    }

    fn ask(text: &str) -> CollectionQuery {
        CollectionQuery { text: text.into(), limit: 10, ..CollectionQuery::default() }
    }

    fn found(collection: &Collection<String>, query: &CollectionQuery) -> Vec<(String, f32)> {
        let found = collection.search(query).unwrap();
        found.into_iter().map(|(text, score)| (text.clone(), (score * 100.0).round())).collect()
    }

    #[test]
    fn vectors_rank_if_the_query_can_be_embedded() {
        let collection = Collection::new(entries(), Some(Box::new(Cats { works: true })));
        assert_eq!(collection.len(), 3);
        let all = found(&collection, &ask("cattle"));
        let expected = ["the cat purrs and the cat sleeps", "a cat", "dogs bark"];
        assert_eq!(all.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(), expected);
        assert_eq!(all.iter().map(|(_, score)| *score).collect::<Vec<_>>(), [100.0, 100.0, 0.0]);
        let offline = Collection::new(entries(), Some(Box::new(Cats { works: false })));
        assert!(offline.search(&ask("cattle")).is_err());
    }

    #[test]
    fn keywords_rank_otherwise() {
        let collection = Collection::new(entries(), None);
        assert_eq!(found(&collection, &ask("cat")).len(), 2);
        assert_eq!(
            found(&collection, &ask("sleeping cats"))[0].0,
            "the cat purrs and the cat sleeps"
        );
        assert!(found(&collection, &ask("horses")).is_empty());
        let mut without = entries();
        without.iter_mut().for_each(|entry| entry.vector = None);
        let collection = Collection::new(without, Some(Box::new(Cats { works: false })));
        assert_eq!(found(&collection, &ask("bark")), [("dogs bark".to_string(), 100.0)]);
        assert!(found(&Collection::new(Vec::new(), None), &ask("cat")).is_empty());
    }

    #[test]
    fn filters_apply_before_ranking() {
        let mut many = entries();
        many.extend((0..100).map(|_| entry("cat cat cat", "symbols", &["code", "c"])));
        for embedder in [None, Some(Box::new(Cats { works: true }) as Box<dyn Embedder>)] {
            let collection = Collection::new(many.clone(), embedder);
            let query = |kinds: &[&str], tags: &[&str]| CollectionQuery {
                limit: 1,
                kinds: kinds.iter().map(|kind| kind.to_string()).collect(),
                tags: tags.iter().map(|tag| tag.to_string()).collect(),
                ..ask("cat")
            };
            let first = |query: CollectionQuery| found(&collection, &query).remove(0).0;
            assert_eq!(first(query(&["documentation"], &[])), "the cat purrs and the cat sleeps");
            assert_eq!(first(query(&["definitions"], &["code", "rust"])), "a cat");
            assert_eq!(
                first(query(&[], &["pets", "documentation"])),
                "the cat purrs and the cat sleeps"
            );
            assert!(found(&collection, &query(&[], &["code", "pets"])).is_empty());
        }
    }
}
