//! Isolation of entries: what fails on one text must not cost the others.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `work`; `None` if it panics. Only for work whose state is dropped with it.
pub(crate) fn isolated<T>(work: impl FnOnce() -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(work));
    done.inspect_err(|_| tracing::error!("an entry was skipped: reading it failed inside")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_costs_its_own_entry_only() {
        let length =
            |text: &str| isolated(|| if text == "bad" { panic!("bad entry") } else { text.len() });
        let kept: Vec<usize> = ["a", "bad", "ccc"].into_iter().filter_map(length).collect();
        assert_eq!(kept, [1, 3]);
    }
}
