//! The project's paths, indexed by their last components, so that resolving an import needs no scan.

use groma_core::RelPath;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::cmp::Reverse;
use std::hash::BuildHasher;
use std::sync::Arc;

/// All paths: by themselves, by folder, and by their last one and two components.
pub(crate) struct Files {
    exact: FxHashSet<RelPath>,
    folders: FxHashMap<Arc<str>, Vec<RelPath>>,
    /// Keyed by the hash of a tail; look-ups compare the paths, too.
    file_tails: FxHashMap<u64, Vec<RelPath>>,
    folder_tails: FxHashMap<u64, Vec<Arc<str>>>,
}

impl Files {
    pub fn new(paths: impl IntoIterator<Item = RelPath>) -> Self {
        let mut files = Self {
            exact: FxHashSet::default(),
            folders: FxHashMap::default(),
            file_tails: FxHashMap::default(),
            folder_tails: FxHashMap::default(),
        };
        for path in paths {
            files.add(path);
        }
        files
    }

    fn add(&mut self, path: RelPath) {
        if !self.exact.insert(path.clone()) {
            return;
        }
        for tail in tails(path.as_str()) {
            self.file_tails.entry(hash(tail)).or_default().push(path.clone());
        }
        for folder in ancestors(path.folder()) {
            if self.folders.contains_key(folder) {
                break;
            }
            self.add_folder(folder.into());
        }
        if let Some(inside) = self.folders.get_mut(path.folder()) {
            inside.push(path);
        }
    }

    fn add_folder(&mut self, folder: Arc<str>) {
        for tail in tails(&folder).filter(|tail| !tail.is_empty()) {
            self.folder_tails.entry(hash(tail)).or_default().push(folder.clone());
        }
        self.folders.insert(folder, Vec::new());
    }

    /// The file at exactly this path.
    pub fn get(&self, path: &str) -> Option<RelPath> {
        self.exact.get(path).cloned()
    }

    pub fn has(&self, path: &str) -> bool {
        self.exact.contains(path)
    }

    pub fn has_folder(&self, folder: &str) -> bool {
        self.folders.contains_key(folder)
    }

    /// The first file that is `stem` with one of the endings.
    pub fn first(&self, stem: &str, endings: &[&str]) -> Option<RelPath> {
        let mut path = String::with_capacity(stem.len() + 16);
        path.push_str(stem);
        endings.iter().find_map(|ending| {
            path.truncate(stem.len());
            path.push_str(ending);
            self.get(&path)
        })
    }

    /// The files directly in a folder.
    pub fn inside(&self, folder: &str) -> &[RelPath] {
        self.folders.get(folder).map_or(&[], Vec::as_slice)
    }

    /// Every folder with the files directly in it; the root is the empty one.
    pub fn folders(&self) -> impl Iterator<Item = (&str, &[RelPath])> {
        self.folders.iter().map(|(folder, inside)| (&**folder, inside.as_slice()))
    }

    /// The files whose path ends with these components.
    pub fn ending<'a>(&'a self, suffix: &'a str) -> impl Iterator<Item = &'a RelPath> {
        let known = self.file_tails.get(&hash(longest_tail(suffix)));
        known.into_iter().flatten().filter(move |path| ends_with(path.as_str(), suffix))
    }

    /// The folders whose path ends with these components.
    pub fn folders_ending<'a>(&'a self, suffix: &'a str) -> impl Iterator<Item = &'a str> {
        let known = self.folder_tails.get(&hash(longest_tail(suffix)));
        known
            .into_iter()
            .flatten()
            .map(|folder| &**folder)
            .filter(move |path| ends_with(path, suffix))
    }
}

fn hash(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
}

/// The last component, and the last two where there are as many.
fn tails(path: &str) -> impl Iterator<Item = &str> {
    let last = path.rfind('/').map_or(path, |slash| &path[slash + 1..]);
    let two = longest_tail(path);
    std::iter::once(last).chain((two.len() > last.len()).then_some(two))
}

/// The last two components, or the only one.
fn longest_tail(path: &str) -> &str {
    let mut slashes = path.rmatch_indices('/');
    slashes.next();
    slashes.next().map_or(path, |(slash, _)| &path[slash + 1..])
}

/// Whether the last components of a path are those of `suffix`.
pub(crate) fn ends_with(path: &str, suffix: &str) -> bool {
    path.strip_suffix(suffix).is_some_and(|root| root.is_empty() || root.ends_with('/'))
}

/// The part of a path before `suffix`, without the slash between them.
pub(crate) fn root_of<'a>(path: &'a str, suffix: &str) -> &'a str {
    path[..path.len() - suffix.len()].trim_end_matches('/')
}

/// The last component.
pub(crate) fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A folder and those above it, up to the project's root, which is empty.
pub(crate) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |inner| (!inner.is_empty()).then(|| parent(inner)))
}

/// The folder above.
pub(crate) fn parent(path: &str) -> &str {
    path.rfind('/').map_or("", |slash| &path[..slash])
}

/// Whether a file is somewhere below a folder.
pub(crate) fn contains(folder: &str, path: &RelPath) -> bool {
    let rest = path.as_str().strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
}

/// A path relative to a folder; `None` if it leaves the project.
pub(crate) fn join(folder: &str, path: &str) -> Option<String> {
    let mut joined = String::with_capacity(folder.len() + path.len() + 1);
    joined.push_str(folder);
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if joined.is_empty() => return None,
            ".." => joined.truncate(joined.rfind('/').unwrap_or(0)),
            _ => {
                if !joined.is_empty() {
                    joined.push('/');
                }
                joined.push_str(part);
            }
        }
    }
    Some(joined)
}

/// The number of leading folders that two folders have in common.
pub(crate) fn shared(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
    let ends = |path: &str| path.len() == same || path.as_bytes()[same] == b'/';
    let whole = same > 0 && ends(one) && ends(other);
    depth(&one[..same]) + usize::from(whole)
}

/// The number of slashes in a path.
fn depth(path: &str) -> usize {
    memchr::memchr_iter(b'/', path.as_bytes()).count()
}

/// The candidates with the highest score.
pub(crate) fn keep_best<T, S: Ord>(
    items: impl Iterator<Item = T>,
    score: impl Fn(&T) -> S,
) -> Vec<T> {
    let mut best: Option<S> = None;
    let mut kept = Vec::new();
    for item in items {
        let score = score(&item);
        match best.as_ref().map(|best| score.cmp(best)) {
            Some(std::cmp::Ordering::Less) => {}
            Some(std::cmp::Ordering::Equal) => kept.push(item),
            _ => {
                kept.clear();
                kept.push(item);
                best = Some(score);
            }
        }
    }
    kept
}

/// The nearest candidate, or of several the one nearest to the root; `None` if two are equal in both.
pub(crate) fn only_nearest<'a>(
    from: &RelPath,
    candidates: impl Iterator<Item = &'a RelPath>,
) -> Option<RelPath> {
    let kept = keep_best(candidates, |path| {
        (shared(from.folder(), path.folder()), Reverse(depth(path.as_str())))
    });
    match kept.as_slice() {
        [only] => Some((*only).clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_stay_inside() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("a", "..").as_deref(), Some(""));
        assert_eq!(join("a", "../../b"), None);
    }

    #[test]
    fn suffixes_match_whole_components() {
        let files = Files::new(
            ["x/net/pool.h", "y/subnet/pool.h", "pool.h"].map(|p| RelPath::new(p).unwrap()),
        );
        let ending = |suffix| {
            let mut found: Vec<_> = files.ending(suffix).map(RelPath::as_str).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(ending("net/pool.h"), ["x/net/pool.h"]);
        assert_eq!(ending("x/net/pool.h"), ["x/net/pool.h"]);
        assert_eq!(ending("pool.h"), ["pool.h", "x/net/pool.h", "y/subnet/pool.h"]);
        assert_eq!(ending("z/x/net/pool.h"), [""; 0]);
        assert_eq!(files.folders_ending("net").collect::<Vec<_>>(), ["x/net"]);
    }

    #[test]
    fn folders_are_counted_from_the_root() {
        assert_eq!(shared("a/b/c", "a/b"), 2);
        assert_eq!(shared("a/b", "ab"), 0);
        assert_eq!(shared("a/bc/d", "a/bd/d"), 1);
        assert_eq!(shared("", "a"), 0);
        assert_eq!(shared("", ""), 0);
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
    }
}
