//! An embedder that texts wait at.

use crate::WordEmbedder;
use groma_core::{EmbedError, Embedder, EmbedderIdentity, TextRole, Vector};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

/// [`WordEmbedder`] behind a gate: while it is shut, passages wait at it, and questions pass.
#[derive(Default)]
pub struct Gate {
    is_shut: Mutex<bool>,
    opened: Condvar,
    arrived: AtomicUsize,
    /// Only passages with this word are held; all where it is empty.
    word: &'static str,
}

impl Gate {
    /// A gate that is open.
    pub fn open() -> Arc<Self> {
        Arc::default()
    }

    /// A gate that is shut for passages with a word.
    pub fn shut_for(word: &'static str) -> Arc<Self> {
        Arc::new(Self { is_shut: Mutex::new(true), word, ..Self::default() })
    }

    /// Shuts it, or opens it for all waiting threads.
    pub fn set_shut(&self, is_shut: bool) {
        *self.is_shut.lock().unwrap() = is_shut;
        self.opened.notify_all();
    }

    /// How often passages came to it.
    pub fn arrived(&self) -> usize {
        self.arrived.load(Ordering::SeqCst)
    }
}

impl Embedder for Gate {
    fn identity(&self) -> EmbedderIdentity {
        WordEmbedder.identity()
    }

    fn embed(&self, role: TextRole, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        if role == TextRole::Passage && texts.iter().any(|text| text.contains(self.word)) {
            self.arrived.fetch_add(1, Ordering::SeqCst);
            let is_shut = self.is_shut.lock().unwrap();
            drop(self.opened.wait_while(is_shut, |is_shut| *is_shut).unwrap());
        }
        WordEmbedder.embed(role, texts)
    }
}
