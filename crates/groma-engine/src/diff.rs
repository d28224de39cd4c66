//! What depends on the definitions that a diff changes.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::refs::Target;
use groma_core::{Cancel, Lines, Observer, RefName, RelPath};
use groma_files::{CommitTree, FileTree, Repository, changed_lines, source};
use groma_index::{Goal, Run};
use groma_search::{ImpactAnswer, ImpactOf, ImpactRequest, Reader};

/// Removed files that are named in a note.
const NAMED: usize = 10;

/// A range of commits in git's notation: `main..`, `HEAD~1`, `main...feature`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiffRange {
    /// The commit to compare with.
    pub base: String,
    /// Whether to compare with the common ancestor of the base and the changed tree instead.
    pub from_merge_base: bool,
    /// The ref that is changed; the working tree if there is none.
    pub to: Option<String>,
}

impl DiffRange {
    /// Reads a range; a side that is left out is `HEAD` on the left, and the working tree on the right.
    pub fn parse(text: &str) -> Self {
        let (base, to, from_merge_base) = match (text.split_once("..."), text.split_once("..")) {
            (Some((base, to)), _) => (base, to, true),
            (None, Some((base, to))) => (base, to, false),
            (None, None) => (text, "", false),
        };
        let base = if base.is_empty() { "HEAD" } else { base };
        let to = (!to.is_empty()).then(|| to.to_string());
        Self { base: base.to_string(), from_merge_base, to }
    }
}

/// The files that a diff changes.
#[derive(Default)]
struct Changed {
    files: Vec<(RelPath, Vec<Lines>)>,
    notes: Vec<String>,
}

impl Engine {
    /// What depends on the definitions that a range changes in the tree as it is now, over several steps. This engine is
    /// that of the right side of the range.
    pub fn impact_of_diff(
        &self,
        range: &DiffRange,
        steps: usize,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<ImpactAnswer, EngineError> {
        let wrong = |reason| EngineError::Ref { name: range.base.clone(), reason };
        let before = self.tree_before(range).map_err(wrong)?;
        let run = Run::new(Goal::Keywords, observer, cancel);
        let (mut answer, freshness) = self.fresh(&run, |resolved| {
            let changed = self.changed_since(&resolved.reader, &before)?;
            let request = ImpactRequest { of: ImpactOf::Files(changed.files), steps };
            let (mut answer, outdated) = groma_search::impact(&resolved.reader, &request, cancel)?;
            answer.notes.extend(changed.notes);
            Ok((answer, outdated))
        })?;
        answer.notes.splice(0..0, freshness.notes);
        Ok(answer)
    }

    /// The files of the left side of a range, or why there are none.
    fn tree_before(&self, range: &DiffRange) -> Result<CommitTree, String> {
        let repository = Repository::discover(self.root())
            .ok_or("this is not a git repository, so there is no diff; give a name or a path")?;
        let objects = self.refs().objects(&repository).map_err(|error| error.to_string())?;
        let mut base = self.commit_of(&repository, &objects, &range.base)?;
        if range.from_merge_base {
            let head = repository.head().commit;
            let after = self.source().commit().map(str::to_string).or(head);
            let after = after.ok_or("there is no commit yet to compare with")?;
            let after = self.commit_of(&repository, &objects, &after)?;
            let common = objects.merge_base(base.id, after.id);
            base = common
                .map_err(|error| error.to_string())?
                .ok_or("has no commit in common with the other side; use two dots")?;
        }
        let object = base.id.to_string();
        let (name, full) = (range.base.clone(), RefName::new(&object));
        self.tree_of(&Target { name, full, object })
    }

    fn changed_since(&self, reader: &Reader, before: &CommitTree) -> Result<Changed, EngineError> {
        let mut changed = Changed::default();
        for (path, entry) in &reader.manifest().files {
            let key = before.key(path);
            if key == Some(entry.key.unmarked()) {
                continue;
            }
            if key.is_none() {
                changed.files.push((path.clone(), Vec::new()));
                continue;
            }
            let old = before.load(path, self.source().options().max_file_size).ok();
            let old = old.and_then(|(bytes, _)| source::decode_accepted(path, bytes));
            if let (Some(old), Some(new)) = (old, reader.text(path)) {
                let lines = changed_lines(&old, &new);
                if !lines.is_empty() {
                    changed.files.push((path.clone(), lines));
                }
            }
        }
        let walked =
            before.walk(self.source().options()).map_err(groma_search::SearchError::from)?;
        let paths = walked.files.into_iter().map(|file| file.path);
        let removed: Vec<RelPath> =
            paths.filter(|path| !reader.manifest().files.contains_key(path)).collect();
        changed.notes.extend(removed_note(&removed));
        Ok(changed)
    }
}

fn removed_note(removed: &[RelPath]) -> Option<String> {
    let names: Vec<&str> = removed.iter().take(NAMED).map(RelPath::as_str).collect();
    let more = match removed.len().checked_sub(NAMED) {
        None | Some(0) => String::new(),
        Some(more) => format!(" and {more} more"),
    };
    let names = names.join(", ");
    (!removed.is_empty())
        .then(|| format!("removed, and what used them is not followed: {names}{more}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_git_reads_them() {
        let read = |text| {
            let range = DiffRange::parse(text);
            (range.base, range.from_merge_base, range.to.unwrap_or_default())
        };
        assert_eq!(read("main.."), ("main".into(), false, String::new()));
        assert_eq!(read("main...x"), ("main".into(), true, "x".into()));
        assert_eq!(read("..x"), ("HEAD".into(), false, "x".into()));
        assert_eq!(read("HEAD~1"), ("HEAD~1".into(), false, String::new()));
    }
}
