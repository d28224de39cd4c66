//! Vector similarity of notebook texts to a query.
//!
//! A notebook is small, so its vectors are not stored: each process embeds each text once.

use groma_core::{Embedder, Locked, TextRole, Vector};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Maximum number of texts embedded for one query; the rest is scored by words alone.
const MAX_EMBEDDED: usize = 8192;

/// Maximum number of cached vectors.
const MAX_CACHED: usize = 65_536;

/// Vectors of texts, by hash.
#[derive(Default)]
pub(crate) struct SimilarityCache(Locked<FxHashMap<u64, Vector>>);

impl SimilarityCache {
    /// The cosine of each text to a vector, or the embedder's error. If not all texts can be embedded at once, those of
    /// the highest `priority` are.
    pub fn cosines(
        &self,
        embedder: &dyn Embedder,
        vector: &Vector,
        texts: &[String],
        priority: impl Fn(&str) -> f32,
    ) -> Result<Vec<Option<f32>>, String> {
        let mut cached = self.0.lock();
        if cached.len() > MAX_CACHED {
            cached.clear();
        }
        let keys: Vec<u64> = texts.iter().map(|text| hash(text)).collect();
        let mut missing: Vec<usize> =
            (0..texts.len()).filter(|at| !cached.contains_key(&keys[*at])).collect();
        // A request makes at most one remote call; the next one embeds more.
        let limit = embedder.remote().map_or(MAX_EMBEDDED, |remote| remote.batch);
        if missing.len() > limit {
            let mut order: Vec<(f32, usize)> =
                missing.iter().map(|at| (priority(&texts[*at]), *at)).collect();
            order.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
            missing = order.into_iter().take(limit).map(|(_, at)| at).collect();
        }
        let inputs: Vec<&str> = missing.iter().map(|at| &*texts[*at]).collect();
        if !inputs.is_empty() {
            let vectors =
                embedder.embed(TextRole::Passage, &inputs).map_err(|error| error.to_string())?;
            cached.extend(missing.iter().map(|at| keys[*at]).zip(vectors));
        }
        Ok(keys.iter().map(|key| cached.get(key).map(|one| one.similarity(vector))).collect())
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}
