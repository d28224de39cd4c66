//! Names that are nearly the one asked for, for an answer that would otherwise be empty.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::locate::names::symbols;
use groma_core::{NameLike, folded};

impl Engine {
    /// Names defined in the project that are spelled much like `name`, nearest first.
    pub fn similar_names(&self, name: &str, limit: usize) -> Result<Vec<String>, EngineError> {
        let Some(snapshot) = self.newest()? else { return Ok(Vec::new()) };
        let like = NameLike::new(name);
        let near = snapshot.similar(&like, limit)?;
        let mut written: Vec<String> = symbols(&*snapshot, &near, &|_, _, _| true)?
            .into_iter()
            .map(|(_, facts, index)| facts.symbols[index as usize].name.clone())
            .collect();
        let order = |name: &String| (like.nearness(&folded(name)), name.clone());
        written.sort_by_cached_key(order);
        written.dedup();
        written.truncate(limit);
        Ok(written)
    }
}
