//! Overviews of a project and of its modules.

use crate::access::access_score;
use crate::module::{FileRole, Modules};
use groma_core::{Access, Discovery, RelPath, Snapshot, StoreError};
use groma_search::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

/// Maximum number of most-read files listed.
const MAX_READ: usize = 10;

/// Maximum number of files of a module whose imports are resolved.
const MAX_RESOLVED: usize = 500;

/// An overview of a project.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// The name of its folder.
    pub name: String,
    /// How many files are indexed.
    pub files: usize,
    /// File counts by language, largest first.
    pub languages: Vec<(String, usize)>,
    /// File counts by module, ordered by name.
    pub modules: Vec<(String, usize)>,
    /// The files with the highest access scores.
    pub read: Vec<(Access, f64)>,
    /// Its discoveries, recorded ones first.
    pub discoveries: Vec<Discovery>,
}

/// An overview of a module.
#[derive(Clone, Debug, Default)]
pub struct ModuleView {
    /// Its name.
    pub name: String,
    /// Its files.
    pub files: Vec<RelPath>,
    /// Its discoveries.
    pub discoveries: Vec<Discovery>,
    /// Other modules its files import.
    pub imports: Vec<String>,
}

impl ModuleView {
    /// Its files of a role.
    pub fn files_of(&self, role: FileRole) -> impl Iterator<Item = &RelPath> {
        self.files.iter().filter(move |path| FileRole::of(path) == role)
    }
}

impl Overview {
    /// The overview of the project at `root`; without a reader it has no files.
    pub(crate) fn new(root: &Path, discoveries: Vec<Discovery>) -> Self {
        let name = root.file_name();
        let name =
            name.map_or_else(|| "project".to_string(), |name| name.to_string_lossy().into_owned());
        Self { name, discoveries, ..Self::default() }
    }

    /// Adds the data of the index.
    pub(crate) fn add(&mut self, reader: &Reader, modules: &Modules, accesses: Vec<Access>) {
        let snapshot = &*reader.snapshot;
        self.files = snapshot.manifest().files.len();
        self.languages = languages(snapshot);
        self.modules = count_modules(modules, snapshot);
        self.read = most_read(accesses, snapshot);
    }
}

impl ModuleView {
    /// The module of a name, from all discoveries.
    pub(crate) fn new(name: &str, mut discoveries: Vec<Discovery>) -> Self {
        discoveries.retain(|one| is_named(name, one.module.as_deref()));
        Self { name: name.to_string(), discoveries, ..Self::default() }
    }

    /// Adds the data of the index.
    pub(crate) fn add(&mut self, reader: &Reader, modules: &Modules) -> Result<(), StoreError> {
        let files = reader.manifest().files.keys();
        let own = files.filter(|path| is_named(&self.name, modules.of(path)));
        self.files = own.cloned().collect();
        self.imports = imported_modules(&self.files, reader, modules)?;
        Ok(())
    }

    /// Whether any file or discovery belongs to it.
    pub(crate) fn exists(&self) -> bool {
        !self.files.is_empty() || !self.discoveries.is_empty()
    }
}

fn is_named(name: &str, module: Option<&str>) -> bool {
    module.is_some_and(|one| one.eq_ignore_ascii_case(name))
}

/// The existing files with the highest access scores.
fn most_read(accesses: Vec<Access>, snapshot: &dyn Snapshot) -> Vec<(Access, f64)> {
    let now = SystemTime::now();
    let mut read: Vec<(Access, f64)> = accesses
        .into_iter()
        .filter(|access| snapshot.manifest().files.contains_key(&access.path))
        .map(|access| {
            let score = access_score(&access, now);
            (access, score)
        })
        .collect();
    read.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.path.cmp(&b.path)));
    read.truncate(MAX_READ);
    read
}

fn imported_modules(
    files: &[RelPath],
    reader: &Reader,
    modules: &Modules,
) -> Result<Vec<String>, StoreError> {
    let map = reader.import_map();
    let own = files.first().and_then(|path| modules.of(path));
    let mut imported = BTreeSet::new();
    for path in files.iter().take(MAX_RESOLVED) {
        let Some(facts) = reader.snapshot.file_facts(path)? else { continue };
        for import in &facts.imports {
            let files = map.resolve(path, &facts.language, import);
            let named = files.iter().filter_map(|path| modules.of(path));
            imported.extend(named.map(str::to_string));
        }
    }
    Ok(imported.into_iter().filter(|module| Some(&**module) != own).collect())
}

fn languages(snapshot: &dyn Snapshot) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in snapshot.manifest().files.keys() {
        *counts.entry(groma_syntax::detect(path, b"").name).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> =
        counts.into_iter().map(|(name, files)| (name.to_string(), files)).collect();
    counts.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    counts
}

fn count_modules(modules: &Modules, snapshot: &dyn Snapshot) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for module in snapshot.manifest().files.keys().filter_map(|path| modules.of(path)) {
        *counts.entry(module.to_string()).or_default() += 1;
    }
    counts.into_iter().collect()
}
