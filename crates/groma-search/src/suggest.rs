//! Suggests similar names and paths if the requested one does not exist.

use crate::error::SearchError;
use crate::locate::resolution::symbols;
use groma_core::{NameLike, RelPath, Snapshot, edits, folded};
use groma_files::SourceTree;

/// Names defined in the project that are similar to `name`, most similar first.
pub fn similar_names(
    snapshot: &dyn Snapshot,
    name: &str,
    limit: usize,
) -> Result<Vec<String>, SearchError> {
    let like = NameLike::new(name);
    let near = snapshot.similar(&like, limit)?;
    let mut names: Vec<String> = symbols(snapshot, &near, &|_, _, _| true)?
        .into_iter()
        .map(|(_, facts, index)| facts.symbols[index as usize].name.clone())
        .collect();
    let order = |name: &String| (like.nearness(&folded(name)), name.clone());
    names.sort_by_cached_key(order);
    names.dedup();
    names.truncate(limit);
    Ok(names)
}

/// Files of the project with similar paths: the same file name first, then the nearest folder.
pub fn similar_paths(
    source: &SourceTree,
    path: &str,
    limit: usize,
) -> Result<Vec<String>, SearchError> {
    let missing = MissingPath::new(path);
    let walked = source.walk()?;
    let mut near: Vec<_> = walked
        .files
        .iter()
        .filter_map(|file| Some((missing.distance(&file.path)?, file.path.as_str())))
        .collect();
    near.sort_unstable();
    Ok(near.into_iter().take(limit).map(|(_, path)| path.to_string()).collect())
}

/// A path that does not exist, split for comparison.
struct MissingPath {
    stem: Vec<char>,
    name: String,
    folders: Vec<String>,
}

impl MissingPath {
    fn new(path: &str) -> Self {
        let lower = path.to_lowercase();
        let mut parts: Vec<String> = lower.split('/').map(str::to_string).collect();
        let name = parts.pop().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
        Self { stem: stem.chars().collect(), name, folders: parts }
    }

    /// Distance to an existing file: edits of the name, then the number of different folders. `None` if more than a
    /// third of the letters differ.
    fn distance(&self, path: &RelPath) -> Option<(usize, usize)> {
        let name = path.file_name().to_lowercase();
        let stem: Vec<char> = path.stem().to_lowercase().chars().collect();
        let edit_count = edits(&self.stem, &stem, self.stem.len() / 3)?;
        let shared = path
            .folders()
            .zip(&self.folders)
            .take_while(|(folder, other)| folder.to_lowercase() == **other)
            .count();
        let folder_distance = path.folders().count() + self.folders.len() - 2 * shared;
        // A different extension alone costs less than an edit.
        let name_distance = 2 * edit_count + usize::from(name != self.name && edit_count == 0);
        Some((name_distance, folder_distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_is_nearer_than_another() {
        let missing = MissingPath::new("src/auth/Token.ts");
        let distance = |path: &str| missing.distance(&RelPath::new(path).unwrap());
        assert_eq!(distance("src/auth/token.ts"), Some((0, 0)));
        assert!(distance("src/token.ts") < distance("web/token.ts"));
        assert!(distance("web/token.ts") < distance("src/auth/token.js"));
        assert!(distance("src/auth/token.js") < distance("src/auth/tokn.ts"));
        assert_eq!(distance("src/auth/cart.ts"), None);
    }
}
