//! The notebook of one project.

use crate::access::{Accesses, Reads};
use crate::derive::Derivation;
use crate::error::Error;
use crate::isolation::isolated;
use crate::module::Modules;
use crate::overview::{ModuleView, Overview};
use crate::recall::{Sources, code_request, current_discoveries};
use crate::remember::{
    Change, Imported, Memory, NewDiscovery, Remembered, Replacement, similar_to,
};
use crate::request::{RecallAnswer, RecallRequest};
use crate::session::{Activity, Sessions};
use crate::similarity::SimilarityCache;
use crate::transcript::{Ingested, TranscriptBuilder, ingest};
use groma_core::{
    Access, Discovery, Embedder, Notebook, RelPath, SessionRecord, Snapshot, TranscriptMark,
};
use groma_search::{Hit, Reader, SearchRequest};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The notebook of one project: recorded discoveries, those derived from its files and commits, and sessions.
pub struct ProjectNotebook {
    root: PathBuf,
    notebook: Option<Arc<dyn Notebook>>,
    modules: Modules,
    accesses: Accesses,
    derivation: Derivation,
    similarity: SimilarityCache,
    sessions: Sessions,
}

impl ProjectNotebook {
    /// The notebook of the project at `root`. Without storage it has only derived discoveries, and recording fails.
    pub fn new(root: &Path, notebook: Option<Arc<dyn Notebook>>, modules: Modules) -> Self {
        Self {
            root: root.into(),
            accesses: Accesses::new(notebook.clone()),
            derivation: Derivation::new(root, notebook.clone(), modules.clone()),
            similarity: SimilarityCache::default(),
            sessions: Sessions::new(notebook.clone()),
            notebook,
            modules,
        }
    }

    /// The modules of the project.
    pub fn modules(&self) -> &Modules {
        &self.modules
    }

    /// The storage.
    pub fn storage(&self) -> Option<&Arc<dyn Notebook>> {
        self.notebook.as_ref()
    }

    fn memory(&self) -> Result<Memory<'_>, Error> {
        let none = || Error::invalid("project", "has no notebook");
        let notebook = self.notebook.as_deref().ok_or_else(none)?;
        Ok(Memory { notebook, modules: &self.modules })
    }

    /// Records a discovery; if the same statement was recorded already, it is merged into that one.
    pub fn remember(&self, new: &NewDiscovery) -> Result<Remembered, Error> {
        self.memory()?.remember(new)
    }

    /// Marks `old` as superseded: it is no longer returned, and refers to its replacement. Derived discoveries can be
    /// superseded, too.
    pub fn supersede(&self, old: &Discovery, by: &Replacement) -> Result<Discovery, Error> {
        self.memory()?.supersede(old, by)
    }

    /// Changes a recorded discovery.
    pub fn revise(&self, id: &str, change: &Change) -> Result<Discovery, Error> {
        self.memory()?.revise(id, change)
    }

    /// Deletes a recorded discovery and returns it.
    pub fn forget(&self, id: &str) -> Result<Discovery, Error> {
        self.memory()?.forget(id)
    }

    /// Imports discoveries that another notebook exported. Idempotent.
    pub fn import(&self, discoveries: &[Discovery]) -> Result<Imported, Error> {
        self.memory()?.import(discoveries)
    }

    /// Recorded discoveries in nearly the same words as this one.
    pub fn similar(&self, one: &Discovery) -> Result<Vec<Discovery>, Error> {
        Ok(similar_to(one, &self.recorded()?))
    }

    /// All recorded discoveries, oldest first.
    pub fn recorded(&self) -> Result<Vec<Discovery>, Error> {
        Ok(self.notebook.as_ref().map_or(Ok(Vec::new()), |notebook| notebook.discoveries())?)
    }

    /// Up to where the transcript of this name was read.
    pub fn read_position(&self, name: &str) -> Result<Option<TranscriptMark>, Error> {
        Ok(self.notebook.as_ref().map_or(Ok(None), |notebook| notebook.transcript(name))?)
    }

    /// Imports the discoveries of a transcript and stores its read position. `continues` if it was read from an earlier
    /// position: then its session is continued, too.
    pub fn ingest(
        &self,
        transcript: TranscriptBuilder,
        mark: Option<&TranscriptMark>,
        continues: bool,
    ) -> Result<Ingested, Error> {
        ingest(self.memory()?, transcript, mark, continues)
    }

    /// Records a call in the session of its connection. A failure is returned as a note.
    pub fn record_activity(&self, activity: &Activity<'_>) -> Option<String> {
        isolated(|| self.sessions.record(activity)).flatten()
    }

    /// Records that a client has disconnected.
    pub fn end_session(&self, connection: &str) -> Result<(), Error> {
        Ok(self.sessions.end(connection)?)
    }

    /// The session of a connection that began at `started`; `None` once it has been idle for too long.
    pub fn current_session(
        &self,
        connection: &str,
        started: SystemTime,
    ) -> Result<Option<SessionRecord>, Error> {
        Ok(self.sessions.current(connection, started)?)
    }

    /// The newest sessions, newest first.
    pub fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, Error> {
        Ok(self.sessions.newest(limit)?)
    }

    /// The access scores of files.
    pub fn reads(&self) -> Arc<Reads> {
        self.accesses.reads()
    }

    /// Records that files were read. A failure is returned as a note.
    pub fn record_access(&self, paths: &[RelPath]) -> Option<String> {
        self.accesses.record(paths)
    }

    /// The accesses of all recorded files, ordered by path.
    pub fn accesses(&self) -> Result<Vec<Access>, Error> {
        Ok(self.accesses.all()?)
    }

    /// All discoveries that are not superseded, near-duplicates merged, recorded ones first.
    pub fn discoveries(&self, reader: Option<&Reader>) -> Result<Vec<Discovery>, Error> {
        let derived = self.derivation.discoveries(reader, &mut Vec::new())?;
        Ok(current_discoveries(self.recorded()?, &derived))
    }

    /// Deletes the stored commit history; the next request reads it again.
    pub fn forget_history(&self) {
        self.derivation.forget_history();
    }

    /// An overview of the project.
    pub fn overview(&self, reader: Option<&Reader>) -> Result<Overview, Error> {
        let mut overview = Overview::new(&self.root, self.discoveries(reader)?);
        if let Some(reader) = reader {
            overview.add(reader, &self.modules, self.accesses()?);
        }
        Ok(overview)
    }

    /// An overview of a module; `None` if no file and no discovery belongs to it.
    pub fn module(&self, name: &str, reader: Option<&Reader>) -> Result<Option<ModuleView>, Error> {
        let mut view = ModuleView::new(name, self.discoveries(reader)?);
        if let Some(reader) = reader {
            view.add(reader, &self.modules)?;
        }
        Ok(view.exists().then_some(view))
    }

    /// The code search to run for a request; `None` if code cannot match it.
    pub fn code_request(
        &self,
        request: &RecallRequest,
        snapshot: Option<&dyn Snapshot>,
    ) -> Option<SearchRequest> {
        code_request(request, &self.modules, snapshot)
    }

    /// Answers a request from discoveries, sessions and code; `hits` are the results of [`Self::code_request`].
    pub fn recall(
        &self,
        request: &RecallRequest,
        hits: Vec<Hit>,
        reader: Option<&Reader>,
        embedder: Option<&dyn Embedder>,
    ) -> Result<RecallAnswer, Error> {
        let sources = Sources {
            notebook: self.notebook.as_deref(),
            modules: &self.modules,
            accesses: &self.accesses,
            derivation: &self.derivation,
            similarity: &self.similarity,
            sessions: &self.sessions,
            reader,
            embedder,
        };
        sources.recall(request, hits)
    }
}
