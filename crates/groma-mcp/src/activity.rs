//! The activity of one connection, recorded in the notebooks of the projects it works in.

use crate::host::Project;
use groma_core::{Locked, RelPath};
use groma_engine::notebook::Activity;
use std::sync::Arc;

/// What a call did in a project.
pub struct Entry {
    /// The project.
    pub project: Arc<Project>,
    /// What the call asked about.
    pub topic: Option<String>,
    /// The files it read.
    pub files: Vec<RelPath>,
}

/// Records the calls of one connection and remembers the projects, to end its sessions there.
#[derive(Debug, Default)]
pub struct ActivityLog(Locked<Vec<Arc<Project>>>);

impl ActivityLog {
    /// Records a call. A failure to do so must not cost the call its answer, so there is none to report.
    pub fn record(&self, connection: &str, tool: &str, entry: &Entry) {
        let Entry { project, topic, files } = entry;
        project.engine.notebook().record_access(files);
        project.engine.notebook().record_activity(&Activity {
            connection,
            tool,
            topic: topic.as_deref(),
            files,
        });
        let mut projects = self.0.lock();
        if !projects.iter().any(|known| Arc::ptr_eq(known, project)) {
            projects.push(project.clone());
        }
    }

    /// Ends the sessions of the connection.
    pub fn end(&self, connection: &str) {
        let projects = std::mem::take(&mut *self.0.lock());
        for project in projects {
            // A session that cannot be ended now counts as ended once it has been idle for long enough.
            let _ = project.engine.notebook().end_session(connection);
        }
    }
}
