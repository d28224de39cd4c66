//! How near texts of the notebook are to a question, by their vectors.
//!
//! A notebook is small, so its vectors are not stored: each text is embedded once in the life of a process.

use groma_core::{Embedder, TextRole, Vector};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::sync::{Mutex, PoisonError};

/// Most texts that are embedded for one question; the rest is judged by words alone.
const MAX_EMBEDDED: usize = 8192;

/// Most vectors that are kept.
const MAX_KEPT: usize = 65_536;

/// Vectors of texts that were asked about, by hash.
#[derive(Default)]
pub(crate) struct NearnessCache(Mutex<FxHashMap<u64, Vector>>);

impl NearnessCache {
    /// The cosine of each text to a vector; what went wrong where the embedder failed. Where not all texts can be
    /// embedded at once, those that promise most are.
    pub fn of(
        &self,
        embedder: &dyn Embedder,
        vector: &Vector,
        texts: &[String],
        promise: impl Fn(&str) -> f32,
    ) -> Result<Vec<Option<f32>>, String> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() > MAX_KEPT {
            known.clear();
        }
        let keys: Vec<u64> = texts.iter().map(|text| hash(text)).collect();
        let mut missing: Vec<usize> =
            (0..texts.len()).filter(|at| !known.contains_key(&keys[*at])).collect();
        // A request makes at most one call over a network; the next question goes on from there.
        let most = embedder.remote().map_or(MAX_EMBEDDED, |remote| remote.batch);
        if missing.len() > most {
            let mut order: Vec<(f32, usize)> =
                missing.iter().map(|at| (promise(&texts[*at]), *at)).collect();
            order.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
            missing = order.into_iter().take(most).map(|(_, at)| at).collect();
        }
        let wanted: Vec<&str> = missing.iter().map(|at| &*texts[*at]).collect();
        if !wanted.is_empty() {
            let made =
                embedder.embed(TextRole::Passage, &wanted).map_err(|error| error.to_string())?;
            known.extend(missing.iter().map(|at| keys[*at]).zip(made));
        }
        Ok(keys.iter().map(|key| known.get(key).map(|one| one.similarity(vector))).collect())
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}
