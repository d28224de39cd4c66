//! The map of a folder: its files and sub-folders, and in them what matters most.
//!
//! What matters is what is used: a definition counts by the number of chunks that its name occurs in.

use crate::error::SearchError;
use crate::path_kind::{PathKind, kind as path_kind};
use crate::place::place_of;
use crate::reader::Reader;
use crate::snippet::Place;
use groma_core::{FileFacts, RelPath, Snapshot, StoreError, folded};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Maximum number of files whose definitions are compared. In a larger folder only the first files of each sub-folder
/// are.
const MAX_FILES: usize = 3000;

/// Definitions of a file that are named.
const MAX_MEMBERS: usize = 5;

/// Names of fewer characters are rarely references to one definition.
const MIN_NAME: usize = 4;

/// A file of a map.
#[derive(Clone, Debug)]
pub struct MappedFile {
    /// The file.
    pub path: RelPath,
    /// Its number of lines.
    pub line_count: u32,
    /// What it defines that is used most, in the order of its lines.
    pub members: Vec<Place>,
    /// How much its definitions are used.
    pub weight: f32,
}

/// The map of a folder.
#[derive(Clone, Debug)]
pub struct FolderMap {
    /// The folder; empty for the whole project.
    pub folder: String,
    /// The number of files in it and its sub-folders.
    pub file_count: usize,
    /// Its direct sub-folders, with the number of files in each.
    pub folders: BTreeMap<String, usize>,
    /// Its source files, those with the most used definitions first.
    pub files: Vec<MappedFile>,
}

/// Maps a folder; `None` if it has no indexed files.
pub fn map(reader: &Reader, folder: &str) -> Result<Option<FolderMap>, SearchError> {
    let folder = folder.trim_matches('/');
    let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let paths: Vec<&RelPath> =
        reader.manifest().files.keys().filter(|path| path.as_str().starts_with(&below)).collect();
    if paths.is_empty() {
        return Ok(None);
    }
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for path in &paths {
        if let Some((name, _)) = path.as_str()[below.len()..].split_once('/') {
            *folders.entry(name.to_string()).or_default() += 1;
        }
    }
    let sources: Vec<RelPath> = paths
        .iter()
        .filter(|path| path_kind(path) == PathKind::Source)
        .map(|path| (*path).clone())
        .collect();
    let sources = thin(sources);
    let facts = reader.snapshot.facts(&sources)?;
    let mut uses = Uses { snapshot: &*reader.snapshot, known: FxHashMap::default() };
    let mut files = Vec::new();
    for (path, facts) in sources.into_iter().zip(facts) {
        if let Some(facts) = facts {
            files.push(mapped(path, &facts, &mut uses)?);
        }
    }
    files.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.path.cmp(&b.path)));
    Ok(Some(FolderMap { folder: folder.to_string(), file_count: paths.len(), folders, files }))
}

/// Takes every n-th file if there are too many.
fn thin(paths: Vec<RelPath>) -> Vec<RelPath> {
    let step = paths.len().div_ceil(MAX_FILES).max(1);
    paths.into_iter().step_by(step).collect()
}

/// How often names are used, looked up once each.
struct Uses<'a> {
    snapshot: &'a dyn Snapshot,
    known: FxHashMap<String, f32>,
}

impl Uses<'_> {
    fn of(&mut self, name: &str) -> Result<f32, StoreError> {
        let name = folded(name);
        if name.len() < MIN_NAME {
            return Ok(0.0);
        }
        if let Some(known) = self.known.get(&name) {
            return Ok(*known);
        }
        let weight = (self.snapshot.frequency(&name)? as f32).ln_1p();
        self.known.insert(name, weight);
        Ok(weight)
    }
}

fn mapped(
    path: RelPath,
    facts: &FileFacts,
    uses: &mut Uses<'_>,
) -> Result<MappedFile, SearchError> {
    let mut weighed = Vec::new();
    let outer = facts.symbols.iter().filter(|symbol| {
        symbol.kind.is_type() || (symbol.parent.is_none() && !symbol.kind.is_value())
    });
    for symbol in outer {
        weighed.push((uses.of(&symbol.name)?, symbol));
    }
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    weighed.truncate(MAX_MEMBERS);
    let weight = weighed.iter().map(|(weight, _)| weight).sum();
    let mut members: Vec<Place> = weighed.iter().map(|(_, symbol)| place_of(symbol)).collect();
    members.sort_by_key(|place| place.lines);
    Ok(MappedFile { path, line_count: facts.line_count, members, weight })
}

/// Indexed files whose path contains a text, ignoring case; the shortest first.
pub fn files_named(reader: &Reader, part: &str) -> Vec<RelPath> {
    let part = part.to_lowercase();
    let mut found: Vec<RelPath> = reader
        .manifest()
        .files
        .keys()
        .filter(|path| path.as_str().to_lowercase().contains(&part))
        .cloned()
        .collect();
    found.sort_by_key(|path| {
        let name = path.as_str().rsplit('/').next().unwrap_or_default().to_lowercase();
        (!name.contains(&part), path.as_str().len(), path.clone())
    });
    found
}
