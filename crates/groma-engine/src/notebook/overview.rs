//! A project at a glance, and one of its modules.

use super::module::{FileRole, Modules};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::index::progress::{Cancel, Observer};
use groma_core::{Access, Discovery, RelPath, Snapshot};
use std::collections::{BTreeMap, BTreeSet};
use std::time::SystemTime;

/// Files that are named as those read most.
const MOST_READ: usize = 10;

/// Files of a module whose imports are followed.
const MOST_FOLLOWED: usize = 500;

/// A project at a glance.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// The name of its folder.
    pub name: String,
    /// How many files are indexed.
    pub files: usize,
    /// Languages with how many files each, the largest first.
    pub languages: Vec<(String, usize)>,
    /// Modules with how many files each, by name.
    pub modules: Vec<(String, usize)>,
    /// Files that are read most and latest, with how often and the score of that.
    pub read: Vec<(Access, f64)>,
    /// What is known about the project, what was told first.
    pub discoveries: Vec<Discovery>,
}

/// A module at a glance.
#[derive(Clone, Debug, Default)]
pub struct ModuleView {
    /// Its name.
    pub name: String,
    /// Its files.
    pub files: Vec<RelPath>,
    /// What is known about it.
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

impl Engine {
    /// The project at a glance, as it is now.
    pub fn overview(
        &self,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Overview, EngineError> {
        let discoveries = self.discoveries(observer, cancel)?;
        let mut overview =
            Overview { discoveries, name: self.project_name(), ..Overview::default() };
        let Some(snapshot) = self.newest()? else { return Ok(overview) };
        overview.files = snapshot.manifest().files.len();
        overview.languages = languages(&*snapshot);
        overview.modules = modules(self.modules(), &*snapshot);
        overview.read = self.read_most(&*snapshot)?;
        Ok(overview)
    }

    /// A module at a glance; `None` where no file and no discovery belongs to one of that name.
    pub fn module(
        &self,
        name: &str,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Option<ModuleView>, EngineError> {
        let mut discoveries = self.discoveries(observer, cancel)?;
        let is_named =
            |module: Option<&str>| module.is_some_and(|one| one.eq_ignore_ascii_case(name));
        discoveries.retain(|one| is_named(one.module.as_deref()));
        let mut view = ModuleView { name: name.to_string(), discoveries, ..ModuleView::default() };
        if let Some(snapshot) = self.newest()? {
            let files = snapshot.manifest().files.keys();
            view.files = files.filter(|path| is_named(self.modules().of(path))).cloned().collect();
            view.imports = self.imported_modules(&view.files, &*snapshot)?;
        }
        let exists = !view.files.is_empty() || !view.discoveries.is_empty();
        Ok(exists.then_some(view))
    }

    fn project_name(&self) -> String {
        let name = self.root().file_name();
        name.map_or_else(|| "project".to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// Files that are read most and latest, those that are still there.
    fn read_most(&self, snapshot: &dyn Snapshot) -> Result<Vec<(Access, f64)>, EngineError> {
        let now = SystemTime::now();
        let mut read: Vec<(Access, f64)> = self
            .accesses()?
            .into_iter()
            .filter(|access| snapshot.manifest().files.contains_key(&access.path))
            .map(|access| {
                let score = super::access_score(&access, now);
                (access, score)
            })
            .collect();
        read.sort_by(|(a, x), (b, y)| y.total_cmp(x).then_with(|| a.path.cmp(&b.path)));
        read.truncate(MOST_READ);
        Ok(read)
    }

    fn imported_modules(
        &self,
        files: &[RelPath],
        snapshot: &dyn Snapshot,
    ) -> Result<Vec<String>, EngineError> {
        let map = self.import_map(snapshot);
        let own = files.first().and_then(|path| self.modules().of(path));
        let mut modules = BTreeSet::new();
        for path in files.iter().take(MOST_FOLLOWED) {
            let Some(facts) = snapshot.file_facts(path)? else { continue };
            for import in &facts.imports {
                let imported = map.resolve(path, &facts.language, import);
                let named = imported.iter().filter_map(|path| self.modules().of(path));
                modules.extend(named.map(str::to_string));
            }
        }
        Ok(modules.into_iter().filter(|module| Some(&**module) != own).collect())
    }
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

fn modules(modules: &Modules, snapshot: &dyn Snapshot) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for module in snapshot.manifest().files.keys().filter_map(|path| modules.of(path)) {
        *counts.entry(module.to_string()).or_default() += 1;
    }
    counts.into_iter().collect()
}
