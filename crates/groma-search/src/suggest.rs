//! Names and paths that are nearly the one asked for, for an answer that would otherwise be empty.

use crate::error::SearchError;
use crate::locate::resolution::symbols;
use groma_core::{NameLike, RelPath, Snapshot, edits, folded};
use groma_files::SourceTree;

/// Names defined in the project that are spelled much like `name`, nearest first.
pub fn similar_names(
    snapshot: &dyn Snapshot,
    name: &str,
    limit: usize,
) -> Result<Vec<String>, SearchError> {
    let like = NameLike::new(name);
    let near = snapshot.similar(&like, limit)?;
    let mut written: Vec<String> = symbols(snapshot, &near, &|_, _, _| true)?
        .into_iter()
        .map(|(_, facts, index)| facts.symbols[index as usize].name.clone())
        .collect();
    let order = |name: &String| (like.nearness(&folded(name)), name.clone());
    written.sort_by_cached_key(order);
    written.dedup();
    written.truncate(limit);
    Ok(written)
}

/// Files of the project whose paths are much like `path`: of the same name first, the nearest folder first.
pub fn similar_paths(
    source: &SourceTree,
    path: &str,
    limit: usize,
) -> Result<Vec<String>, SearchError> {
    let asked = Asked::new(path);
    let walked = source.walk()?;
    let mut near: Vec<_> = walked
        .files
        .iter()
        .filter_map(|file| Some((asked.distance(&file.path)?, file.path.as_str())))
        .collect();
    near.sort_unstable();
    Ok(near.into_iter().take(limit).map(|(_, path)| path.to_string()).collect())
}

/// A path that names no file.
struct Asked {
    stem: Vec<char>,
    name: String,
    folders: Vec<String>,
}

impl Asked {
    fn new(path: &str) -> Self {
        let lower = path.to_lowercase();
        let mut parts: Vec<String> = lower.split('/').map(str::to_string).collect();
        let name = parts.pop().unwrap_or_default();
        let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
        Self { stem: stem.chars().collect(), name, folders: parts }
    }

    /// How far away a file is: by its name, then by the folders that are not the same. A name may be wrong in a
    /// third of its letters.
    fn distance(&self, path: &RelPath) -> Option<(usize, usize)> {
        let name = path.file_name().to_lowercase();
        let stem: Vec<char> = path.stem().to_lowercase().chars().collect();
        let slips = edits(&self.stem, &stem, self.stem.len() / 3)?;
        let shared = path
            .folders()
            .zip(&self.folders)
            .take_while(|(folder, asked)| folder.to_lowercase() == **asked)
            .count();
        let apart = path.folders().count() + self.folders.len() - 2 * shared;
        // Another extension is as much as a slip.
        let wrong = 2 * slips + usize::from(name != self.name && slips == 0);
        Some((wrong, apart))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_name_is_nearer_than_another() {
        let asked = Asked::new("src/auth/Token.ts");
        let distance = |path: &str| asked.distance(&RelPath::new(path).unwrap());
        assert_eq!(distance("src/auth/token.ts"), Some((0, 0)));
        assert!(distance("src/token.ts") < distance("web/token.ts"));
        assert!(distance("web/token.ts") < distance("src/auth/token.js"));
        assert!(distance("src/auth/token.js") < distance("src/auth/tokn.ts"));
        assert_eq!(distance("src/auth/cart.ts"), None);
    }
}
