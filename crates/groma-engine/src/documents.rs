//! An index of texts that are not files of a project, searched like any other index.

use crate::error::EngineError;
use groma_core::{Embedder, RefName, RelPath, Store, StoreError};
use groma_files::{MemoryTree, SourceTree, WalkOptions};
use groma_index::{Document, index_documents};
use groma_search::{Ranking, Reader, SearchAnswer, SearchMode, SearchRequest};
use groma_search::{embed_query, search};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Documents in a store. They are immutable: changed documents are another index.
pub struct DocumentIndex {
    reader: Reader,
    ranking: Ranking,
    /// The model behind the vectors; `None` if there are none.
    embedder: Option<Arc<dyn Embedder>>,
}

impl DocumentIndex {
    /// Commits documents to an empty store, which must have been opened for the vectors of `embedder`: the model that
    /// made those of the documents. Without one, vectors are ignored.
    pub fn build(
        store: &dyn Store,
        mut documents: Vec<Document>,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, EngineError> {
        if embedder.is_none() {
            documents.iter_mut().for_each(|document| document.vector = None);
        }
        index_documents(store, &documents)?;
        let snapshot = store.snapshot(&RefName::live())?;
        let snapshot = snapshot.ok_or_else(StoreError::superseded)?;
        let files = documents.into_iter().map(|one| (one.path, one.content.into()));
        let files: BTreeMap<RelPath, Arc<str>> = files.collect();
        let options = WalkOptions { max_file_size: u64::MAX, ..WalkOptions::default() };
        let source = SourceTree::new(Path::new(""), Arc::new(MemoryTree::new(files)), options);
        let has_vectors = snapshot.vector_count()? > 0;
        Ok(Self {
            reader: Reader { snapshot, source: Arc::new(source), imports: Arc::default() },
            ranking: Ranking::retrieval_only(),
            embedder: embedder.filter(|_| has_vectors),
        })
    }

    /// The number of documents.
    pub fn len(&self) -> usize {
        self.reader.manifest().files.len()
    }

    /// Whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The mode that ranks by one score: vectors where there are some, else keywords.
    pub fn mode(&self) -> SearchMode {
        if self.embedder.is_some() { SearchMode::Vector } else { SearchMode::Keyword }
    }

    /// Answers a search by the retrievers' scores alone. The content of a hit is that of its document.
    pub fn search(&self, request: &SearchRequest) -> Result<SearchAnswer, EngineError> {
        request.check()?;
        let mut query = embed_query(self.embedder.as_deref(), request, None);
        // A zero vector, of a query without a known word, is as far from everything: keywords may find something.
        query.vector = query.vector.take().filter(|vector| vector.scale != 0.0);
        let (answer, _) =
            search(&self.reader, &self.ranking, request, query, &FxHashMap::default())?;
        Ok(answer)
    }
}
