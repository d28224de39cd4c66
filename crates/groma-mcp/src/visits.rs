//! What connections do in projects, noted in their notebooks.

use crate::host::Project;
use crate::surface::{Call, Session};
use groma_engine::core::RelPath;
use groma_engine::notebook::Activity;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Where each connection works, for when it ends.
#[derive(Default)]
pub struct Visits(Mutex<HashMap<String, Vec<Arc<Project>>>>);

impl Visits {
    /// Notes a call, what it asked about and which files it read. Its answer is worth having even if that fails.
    pub fn note(
        &self,
        call: &Call<'_>,
        project: Arc<Project>,
        topic: Option<&str>,
        files: &[RelPath],
    ) {
        let connection = &*call.visit.session.id;
        project.engine.notebook().record_access(files);
        project.engine.notebook().record_activity(&Activity {
            connection,
            tool: call.tool.name,
            topic,
            files,
        });
        let mut visited = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let projects = visited.entry(connection.to_string()).or_default();
        if !projects.iter().any(|known| Arc::ptr_eq(known, &project)) {
            projects.push(project);
        }
    }

    /// Ends the sessions of a connection that has ended.
    pub fn ended(&self, session: &Session) {
        let visited = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&session.id);
        for project in visited.into_iter().flatten() {
            // The session will be taken for ended all the same, half an hour later.
            let _ = project.engine.notebook().end_session(&session.id);
        }
    }
}
