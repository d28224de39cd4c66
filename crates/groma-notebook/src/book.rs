//! The notebook of one project.

use crate::access::{Accesses, Reads};
use crate::derive::Derivation;
use crate::error::Error;
use crate::module::Modules;
use crate::nearness::NearnessCache;
use crate::overview::{ModuleView, Overview};
use crate::recall::{Sources, code_request, current_discoveries};
use crate::remember::{Change, Imported, Memory, Remembered, Replacement, Telling};
use crate::request::{RecallAnswer, RecallRequest};
use crate::session::{Activity, Sessions};
use crate::transcript::{Ingested, Listener, ingest};
use groma_core::{
    Access, Discovery, Embedder, Notebook, RelPath, SessionRecord, Snapshot, TranscriptMark,
};
use groma_search::{Hit, Reader, SearchRequest};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// The notebook of one project: what was told, what its files and commits state, and what was done in sessions.
pub struct ProjectNotebook {
    root: PathBuf,
    notebook: Option<Arc<dyn Notebook>>,
    modules: Modules,
    accesses: Accesses,
    derivation: Derivation,
    nearness: NearnessCache,
    sessions: Sessions,
}

impl ProjectNotebook {
    /// The notebook of the project at `root`. Without storage nothing is remembered, but what files and commits state
    /// is still known.
    pub fn new(root: &Path, notebook: Option<Arc<dyn Notebook>>, modules: Modules) -> Self {
        Self {
            root: root.into(),
            accesses: Accesses::new(notebook.clone()),
            derivation: Derivation::new(root, notebook.clone(), modules.clone()),
            nearness: NearnessCache::default(),
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

    /// Keeps something that was told. What is known already is not kept twice.
    pub fn remember(&self, telling: &Telling) -> Result<Remembered, Error> {
        self.memory()?.remember(telling)
    }

    /// Replaces what no longer holds: `old` answers nothing from now on, and names what superseded it. What files and
    /// commits state can be superseded, too.
    pub fn supersede(&self, old: &Discovery, by: &Replacement) -> Result<Discovery, Error> {
        self.memory()?.supersede(old, by)
    }

    /// Changes something that was told.
    pub fn revise(&self, id: &str, change: &Change) -> Result<Discovery, Error> {
        self.memory()?.revise(id, change)
    }

    /// Deletes something that was told and returns it.
    pub fn forget(&self, id: &str) -> Result<Discovery, Error> {
        self.memory()?.forget(id)
    }

    /// Imports what was told elsewhere. Doing it twice changes nothing.
    pub fn take_in(&self, discoveries: &[Discovery]) -> Result<Imported, Error> {
        self.memory()?.take_in(discoveries)
    }

    /// Everything that was told, oldest first.
    pub fn told(&self) -> Result<Vec<Discovery>, Error> {
        Ok(self.notebook.as_ref().map_or(Ok(Vec::new()), |notebook| notebook.discoveries())?)
    }

    /// How far a transcript of this name was read.
    pub fn heard(&self, name: &str) -> Result<Option<TranscriptMark>, Error> {
        Ok(self.notebook.as_ref().map_or(Ok(None), |notebook| notebook.transcript(name))?)
    }

    /// Takes in what was said in a transcript, and stores how far it was read. Where it was read on from an earlier
    /// `mark` its session goes on, too.
    pub fn ingest(
        &self,
        listener: Listener,
        mark: Option<&TranscriptMark>,
        goes_on: bool,
    ) -> Result<Ingested, Error> {
        ingest(self.memory()?, listener, mark, goes_on)
    }

    /// Records what a client did, in the session of its connection. A failure is returned as a note.
    pub fn record_activity(&self, activity: &Activity<'_>) -> Option<String> {
        self.sessions.record(activity)
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

    /// How much files matter that were read before.
    pub fn reads(&self) -> Arc<Reads> {
        self.accesses.reads()
    }

    /// Records that files were read. A failure is returned as a note.
    pub fn record_access(&self, paths: &[RelPath]) -> Option<String> {
        self.accesses.record(paths)
    }

    /// Every file that was ever recorded, in order of path.
    pub fn accesses(&self) -> Result<Vec<Access>, Error> {
        Ok(self.accesses.all()?)
    }

    /// Everything that was told and stated and still holds, near-duplicates merged; what was told comes first.
    pub fn discoveries(&self, reader: Option<&Reader>) -> Result<Vec<Discovery>, Error> {
        let derived = self.derivation.discoveries(reader, &mut Vec::new())?;
        Ok(current_discoveries(self.told()?, &derived))
    }

    /// Deletes what is stored of commits; the next question reads them again.
    pub fn forget_history(&self) {
        self.derivation.forget_history();
    }

    /// The project at a glance.
    pub fn overview(&self, reader: Option<&Reader>) -> Result<Overview, Error> {
        let mut overview = Overview::new(&self.root, self.discoveries(reader)?);
        if let Some(reader) = reader {
            overview.add(reader, &self.modules, self.accesses()?);
        }
        Ok(overview)
    }

    /// A module at a glance; `None` where no file and no discovery belongs to one of that name.
    pub fn module(&self, name: &str, reader: Option<&Reader>) -> Result<Option<ModuleView>, Error> {
        let mut view = ModuleView::new(name, self.discoveries(reader)?);
        if let Some(reader) = reader {
            view.add(reader, &self.modules)?;
        }
        Ok(view.exists().then_some(view))
    }

    /// The search whose hits may answer a question; `None` where no code can.
    pub fn code_request(
        &self,
        request: &RecallRequest,
        snapshot: Option<&dyn Snapshot>,
    ) -> Option<SearchRequest> {
        code_request(request, &self.modules, snapshot)
    }

    /// Answers a question from everything the project knows; `hits` are the places in code that may answer it.
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
            nearness: &self.nearness,
            sessions: &self.sessions,
            reader,
            embedder,
        };
        sources.recall(request, hits)
    }
}
