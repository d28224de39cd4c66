//! How much of a query a piece of text contains.

use crate::query::plan::Plan;
use groma_core::{Snapshot, StoreError, Word, stem, words};
use rustc_hash::FxHashMap;

/// Minimum weight of a term of the plan that counts as evidence.
const MIN_WEIGHT: f32 = 0.3;

/// A set of terms, by their index. A plan has at most 32 of them.
pub(crate) type TermSet = u32;

/// The terms of a query, weighted by how rare they are in the project.
pub(crate) struct Evidence {
    indices: FxHashMap<String, usize>,
    weights: Vec<f32>,
    total: f32,
    /// Whether one of the terms occurs in the project.
    occurs: bool,
}

impl Evidence {
    /// Weighs the terms of a plan. A term that occurs nowhere counts toward the total, so that a query about
    /// something else is never covered.
    pub fn new(plan: &Plan, snapshot: &dyn Snapshot) -> Result<Self, StoreError> {
        let chunks = snapshot.chunk_count().max(1) as f32;
        let (mut indices, mut weights) = (FxHashMap::default(), Vec::new());
        let mut occurs = false;
        for term in plan.terms.iter().filter(|term| term.weight >= MIN_WEIGHT) {
            let frequency = snapshot.frequency(&term.term)? as f32;
            occurs |= frequency > 0.0;
            indices.insert(term.term.clone(), weights.len());
            weights.push(term.weight * (1.0 + chunks / (1.0 + frequency)).ln());
        }
        let total = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        Ok(Self { indices, weights, total, occurs })
    }

    /// Weighs the terms of a plan by the plan alone: enough to compare the definitions of one chunk.
    pub fn unweighted(plan: &Plan) -> Self {
        let terms = plan.terms.iter().filter(|term| term.weight >= MIN_WEIGHT);
        let weights: Vec<f32> = terms.clone().map(|term| term.weight).collect();
        let indices = terms.map(|term| term.term.clone()).zip(0..).collect();
        let total = weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        Self { indices, weights, total, occurs: true }
    }

    /// Whether one of the terms occurs in the project.
    pub fn occurs(&self) -> bool {
        self.occurs
    }

    /// The terms that occur in a text.
    pub fn terms(&self, text: &str) -> TermSet {
        let mut found = 0;
        words(text, |word| {
            let term = match word {
                Word::Part(part) => stem(part),
                Word::Whole(whole) => whole,
            };
            if let Some(index) = self.indices.get(term) {
                found |= 1 << (index % 32);
            }
        });
        found
    }

    /// The share of the query, by weight, that a set of terms covers, 0..1.
    pub fn coverage(&self, terms: TermSet) -> f32 {
        let weighed = self.weights.iter().enumerate();
        weighed.filter(|(index, _)| terms & (1 << (index % 32)) != 0).map(|(_, w)| w).sum::<f32>()
            / self.total
    }
}
