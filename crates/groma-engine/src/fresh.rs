//! Answering on the tree as it is now.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer};
use crate::update::Freshness;
use groma_core::StoreError;

/// How often a request is tried again because files changed under it.
const RETRIES: usize = 2;

impl Engine {
    /// Brings the index up to date and answers from it. `answer` also tells how many files were no longer what
    /// was indexed; then everything starts again, and in the end they are left out. Tells how up to date that is.
    pub(crate) fn fresh<T>(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
        answer: impl Fn() -> Result<(T, usize), EngineError>,
    ) -> Result<(T, Freshness), EngineError> {
        let mut notes = Vec::new();
        for _ in 0..RETRIES {
            let Freshness { notes: told, is_behind } = self.freshen(observer, cancel)?;
            notes.extend(told);
            match answer() {
                Ok((answer, outdated)) if outdated == 0 || is_behind => {
                    return Ok((answer, Freshness { notes, is_behind }));
                }
                // Some damage shows only where a request looks.
                Err(EngineError::Store(StoreError::Damaged(reason))) => {
                    notes.extend(self.remake(&reason, observer, cancel)?.notes);
                }
                other => drop(other?),
            }
            // What is shown must have been looked at.
            self.watching().unsettle();
        }
        let (answer, outdated) = answer()?;
        if outdated > 0 {
            notes.push(format!("{outdated} files keep changing and are left out"));
        }
        Ok((answer, Freshness { notes, is_behind: false }))
    }
}
