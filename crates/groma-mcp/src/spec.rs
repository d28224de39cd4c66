//! A tool as clients see it.

use crate::parameter::{Parameter, object_schema};
use rmcp::model::{JsonObject, ToolAnnotations};

/// A tool as clients see it.
#[derive(Clone, Copy, Debug)]
pub struct ToolSpec {
    /// Its name.
    pub name: &'static str,
    /// Its name for people. A surface that saves tokens has none, and lists only the hints that say something.
    pub title: &'static str,
    /// What it does, for a model to choose by.
    pub description: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What it does to the index and the notebook.
    pub effect: Effect,
}

/// What a tool does to the index and the notebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It changes nothing a user would miss.
    Reads,
    /// It adds or refreshes; doing it twice is as doing it once.
    Refreshes,
    /// It adds; doing it twice adds twice.
    Adds,
    /// It removes.
    Removes,
}

impl ToolSpec {
    /// The schema of its arguments.
    pub fn schema(&self) -> JsonObject {
        object_schema(self.parameters)
    }

    /// As the protocol lists it.
    pub fn listed(&self) -> rmcp::model::Tool {
        let reads = self.effect == Effect::Reads;
        let tool = rmcp::model::Tool::new(self.name, self.description, self.schema());
        // The other hints are about tools that write, and the protocol takes those for destructive.
        if self.title.is_empty() {
            let hints = ToolAnnotations::new().open_world(false);
            return tool.with_annotations(match self.effect {
                Effect::Reads => hints.read_only(true),
                effect => hints.destructive(effect == Effect::Removes),
            });
        }
        let hints = ToolAnnotations::new()
            .read_only(reads)
            .destructive(self.effect == Effect::Removes)
            .idempotent(self.effect != Effect::Adds)
            .open_world(false);
        tool.with_title(self.title).with_annotations(hints)
    }
}
