//! What only one process does for a project at a time, and the right to do it.

/// What only one process does for a project at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Commits to the index.
    Writer,
    /// Runs a job.
    Job,
    /// Watches the tree and indexes what changes.
    Keeper,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 3] = [Self::Writer, Self::Job, Self::Keeper];
}

/// The right to a role. It is given back when this is dropped or its process ends, however it ends.
pub struct Turn(#[expect(dead_code, reason = "held, never read")] Box<dyn Send + Sync>);

impl Turn {
    /// A turn that lasts as long as `held`.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        Self(Box::new(held))
    }
}
