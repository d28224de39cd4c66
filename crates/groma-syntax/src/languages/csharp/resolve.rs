//! C#: by convention, not by rule, a namespace follows the folders.
//!
//! A folder contains the namespace that its path ends with, where `My.App/Net` reads as `My.App.Net`; below a
//! project file the namespace starts with the name of that file.

use crate::resolve::{Files, ImportRules, Resolver, join, keep_best, only_nearest, shared};
use groma_core::RelPath;
use rustc_hash::FxHashMap;

pub(super) static RULES: ImportRules =
    ImportRules { manifests: &[], load: |files, _| Box::new(Namespaces::new(files)) };

/// The folders with C# files, by the namespaces they may contain.
#[derive(Default)]
struct Namespaces {
    /// By the last two parts of the folder.
    tails: FxHashMap<String, Vec<Folder>>,
    /// Folders of project files, by their names.
    projects: FxHashMap<String, Vec<String>>,
}

struct Folder {
    path: String,
    /// The path with dots.
    dotted: String,
}

impl Namespaces {
    fn new(files: &Files) -> Self {
        let mut namespaces = Self::default();
        for (path, inside) in files.folders() {
            if inside.iter().any(|path| path.extension() == Some("cs")) {
                let folder = Folder { path: path.to_string(), dotted: path.replace('/', ".") };
                if let Some(tail) = last_two(&folder.dotted) {
                    namespaces.tails.entry(tail.to_string()).or_default().push(folder);
                }
            }
            for project in inside.iter().filter(|path| path.extension() == Some("csproj")) {
                namespaces
                    .projects
                    .entry(project.stem().to_string())
                    .or_default()
                    .push(path.to_string());
            }
        }
        namespaces
    }

    /// The folders that contain a namespace, the nearest if several do.
    fn folders(&self, files: &Files, from: &RelPath, name: &str) -> Vec<String> {
        let below_project = self.below_project(files, from, name);
        if !below_project.is_empty() {
            return below_project;
        }
        // One part alone is ambiguous: many folders are called `System` or `Models`.
        let Some(tail) = last_two(name) else { return Vec::new() };
        let known = self.tails.get(tail).into_iter().flatten();
        let fitting = known.filter(|folder| {
            folder
                .dotted
                .strip_suffix(name)
                .is_some_and(|root| root.is_empty() || root.ends_with('.'))
        });
        let nearest = keep_best(fitting, |folder| shared(from.folder(), &folder.path));
        nearest.into_iter().map(|folder| folder.path.clone()).collect()
    }

    /// `My.App.Net` is `Net` beside `My.App.csproj`.
    fn below_project(&self, files: &Files, from: &RelPath, name: &str) -> Vec<String> {
        let ends = name.rmatch_indices('.').map(|(dot, _)| dot);
        for end in std::iter::once(name.len()).chain(ends) {
            let Some(projects) = self.projects.get(&name[..end]) else { continue };
            let inside = name[end..].replace('.', "/");
            let folders = projects.iter().filter_map(|project| join(project, &inside));
            let known = folders.filter(|folder| files.has_folder(folder));
            return keep_best(known, |folder| shared(from.folder(), folder));
        }
        Vec::new()
    }
}

impl Resolver for Namespaces {
    fn resolve(&self, files: &Files, from: &RelPath, import: &str) -> Vec<RelPath> {
        let name = import.rsplit('=').next().unwrap_or(import).trim();
        let name = name.trim_start_matches("static ").trim_start_matches("global::").trim();
        let found = sources(files, &self.folders(files, from, name));
        if !found.is_empty() {
            return found;
        }
        let Some((outer, last)) = name.rsplit_once('.') else { return Vec::new() };
        let file = format!("{last}.cs");
        let folders = self.folders(files, from, outer);
        let found: Vec<_> =
            folders.iter().filter_map(|folder| files.get(&join(folder, &file)?)).collect();
        if !found.is_empty() {
            return found;
        }
        let beside = outer.replace('.', "/");
        only_nearest(from, files.ending(&format!("{beside}/{file}"))).into_iter().collect()
    }
}

/// The last two parts of a dotted name, if it has as many.
fn last_two(name: &str) -> Option<&str> {
    let (outer, _) = name.rsplit_once('.')?;
    Some(outer.rfind('.').map_or(name, |dot| &name[dot + 1..]))
}

fn sources(files: &Files, folders: &[String]) -> Vec<RelPath> {
    let inside = folders.iter().flat_map(|folder| files.inside(folder));
    inside.filter(|path| path.extension() == Some("cs")).cloned().collect()
}

#[cfg(test)]
mod tests {
    use crate::import_map::tests::check;

    #[test]
    fn imports_resolve() {
        check(
        "csharp",
        "src/Shop.Core/Cart.cs src/Shop.Core/Net/Pool.cs src/Shop.Core/Net/Conn.cs src/web/Startup.cs
         src/web/Pages/Home.cs src/web/Shop.Web.csproj src/Legacy/Data/Store.cs tools/System/Clock.cs",
        &[],
        &[
            ("src/web/Startup.cs", "Shop.Core", "src/Shop.Core/Cart.cs"),
            ("src/web/Startup.cs", "Shop.Core.Net", "src/Shop.Core/Net/Conn.cs src/Shop.Core/Net/Pool.cs"),
            ("src/web/Startup.cs", "static Shop.Core.Net.Pool", "src/Shop.Core/Net/Pool.cs"),
            ("src/web/Startup.cs", "Alias = Shop.Core.Net.Pool", "src/Shop.Core/Net/Pool.cs"),
            ("src/Shop.Core/Cart.cs", "Shop.Web.Pages", "src/web/Pages/Home.cs"),
            ("src/Shop.Core/Cart.cs", "Shop.Web", "src/web/Startup.cs"),
            ("src/web/Startup.cs", "Legacy.Data", "src/Legacy/Data/Store.cs"),
            ("src/web/Startup.cs", "Data.Store", "src/Legacy/Data/Store.cs"),
            ("src/web/Startup.cs", "System", ""),
            ("src/web/Startup.cs", "System.Collections.Generic", ""),
        ],
    );
    }
}
