//! Names of indexes.
//!
//! Clients of the CocoSearch contract name an index instead of a folder. Names that were given are in the
//! catalog; a project without one is called after its `cocosearch.yaml`, else after its folder.

use crate::config;
use anyhow::Result;
use groma_core::{Catalog, ProjectRecord};
use groma_mcp::{NamedIndex, same_name};
use std::path::{Path, PathBuf};

/// CocoSearch's settings file. Only its key `indexName` matters here: the rest is about its database and its
/// command line.
pub const SETTINGS: &str = "cocosearch.yaml";

/// The names of all indexed projects, in order.
pub fn all(catalog: &dyn Catalog) -> Result<Vec<NamedIndex>> {
    let mut names = names_of(catalog, &catalog.list()?);
    names.sort_by(|a, b| (&a.name, &a.root).cmp(&(&b.name, &b.root)));
    Ok(names)
}

fn names_of(catalog: &dyn Catalog, records: &[ProjectRecord]) -> Vec<NamedIndex> {
    let indexed = records.iter().filter(|record| catalog.is_indexed(&record.id));
    let names = indexed.flat_map(|record| {
        let names = match &record.names[..] {
            [] => vec![default_name(&record.root)],
            given => given.to_vec(),
        };
        names.into_iter().map(|name| NamedIndex {
            name,
            root: record.root.clone(),
            exists: record.root.is_dir(),
            created: record.created,
        })
    });
    names.collect()
}

/// Adds a name to those of the project at `root`. Returns the root of another project that has the name already;
/// then nothing changes.
pub fn add(catalog: &dyn Catalog, root: &Path, name: &str) -> Result<Option<PathBuf>> {
    let mut taken = None;
    catalog.rename(root, &mut |own, records| {
        let others = names_of(catalog, records).into_iter().filter(|other| other.root != root);
        taken = others.into_iter().find(|other| other.matches(name)).map(|other| other.root);
        let is_known = own.iter().any(|known| same_name(known, name));
        let is_free = taken.is_none() && !is_known;
        is_free.then(|| own.iter().cloned().chain([name.to_string()]).collect())
    })?;
    Ok(taken)
}

/// The name of the project at `root` if none was given.
pub fn default_name(root: &Path) -> String {
    let set = config::read(&root.join(SETTINGS)).ok().and_then(|text| index_name(&text));
    let folder = || root.file_name().map(|name| name.to_string_lossy().into_owned());
    set.or_else(folder).unwrap_or_else(|| "root".to_string())
}

/// The `indexName` of a settings file. The file is YAML, and only this line of it is read: a YAML parser for one
/// key would be the largest dependency of the settings. A variable (`${...}`) does not count as a name.
fn index_name(text: &str) -> Option<String> {
    let value = text.trim_start_matches('\u{feff}').lines().find_map(|line| {
        let value = line.strip_prefix("indexName:")?;
        value.starts_with([' ', '\t']).then(|| value.trim())
    })?;
    let name = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split_once(quote)?.0,
        '#' | '~' | '|' | '>' | '[' | '{' | '&' | '*' | '!' => return None,
        _ => value.split(" #").next()?.trim_end(),
    };
    let is_name = !name.is_empty() && name != "null" && !name.contains("${");
    is_name.then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use groma_core::{IndexId, OpenOptions, RefName, VectorSource};
    use groma_store::EmbeddedCatalog;
    use groma_testkit::{Tree, pipeline};
    use std::fs;
    use tempfile::TempDir;

    #[test]
    fn the_name_in_the_settings_is_read() {
        let cases = [
            ("indexName: api", Some("api")),
            ("# ours\nindexing:\n  chunkSize: 3\nindexName:  'my api' # old\n", Some("my api")),
            ("\u{feff}indexName: \"a#b\"\r\n", Some("a#b")),
            ("indexName: my-api # comment", Some("my-api")),
            ("  indexName: nested", None),
            ("indexName:api", None),
            ("indexName:", None),
            ("indexName: ${NAME}", None),
            ("indexName: # nothing", None),
            ("indexName: null", None),
            ("indexName: \"open", None),
            ("\u{0}\u{1}", None),
        ];
        for (text, expected) in cases {
            assert_eq!(index_name(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_project_is_called_by_its_settings_or_its_folder() {
        let tree = TempDir::new().unwrap();
        let root = tree.path().join("my-api");
        fs::create_dir(&root).unwrap();
        assert_eq!(default_name(&root), "my-api");
        fs::write(root.join(SETTINGS), "indexName: server\n").unwrap();
        assert_eq!(default_name(&root), "server");
        fs::write(root.join(SETTINGS), b"\xff\xfe").unwrap();
        assert_eq!(default_name(&root), "my-api");
        assert_eq!(default_name(Path::new("/")), "root");
    }

    fn catalog() -> (TempDir, EmbeddedCatalog) {
        let data = TempDir::new().unwrap();
        let catalog = EmbeddedCatalog::new(data.path());
        (data, catalog)
    }

    /// Indexes a small tree as the project at `root`.
    fn index(catalog: &EmbeddedCatalog, root: &Path) {
        let project = catalog.resolve(root);
        let index = IndexId { project, sub_index: None, vectors: VectorSource::BuiltIn };
        let store = catalog.open(&index, &pipeline(), &OpenOptions::default()).unwrap();
        let mut tree = Tree::default();
        tree.write("a.rs", "fn a() {}\n").commit(&*store, &RefName::live()).unwrap();
        catalog.create(root).unwrap();
    }

    fn shown(catalog: &EmbeddedCatalog) -> Vec<String> {
        let names = all(catalog).unwrap();
        names.iter().map(|one| format!("{} {}", one.name, one.root.display())).collect()
    }

    #[test]
    fn names_are_unique() {
        let (_data, catalog) = catalog();
        let (one, two) = (Path::new("/one/app"), Path::new("/two/app"));
        index(&catalog, one);
        assert_eq!(shown(&catalog), ["app /one/app"]);
        assert_eq!(add(&catalog, one, "my-app").unwrap(), None);
        assert_eq!(add(&catalog, one, "My_App").unwrap(), None, "the same name, once");
        index(&catalog, two);
        assert_eq!(add(&catalog, two, "my_app").unwrap(), Some(one.to_path_buf()));
        assert_eq!(add(&catalog, two, "other").unwrap(), None);
        assert_eq!(add(&catalog, two, "second").unwrap(), None);
        assert_eq!(shown(&catalog), ["my-app /one/app", "other /two/app", "second /two/app"]);
    }

    #[test]
    fn two_threads_lose_no_name() {
        let (_data, catalog) = catalog();
        let root = Path::new("/one/app");
        index(&catalog, root);
        std::thread::scope(|scope| {
            for half in ["a", "b"] {
                let catalog = &catalog;
                scope.spawn(move || {
                    for number in 0..20 {
                        add(catalog, root, &format!("{half}{number}")).unwrap();
                    }
                });
            }
        });
        assert_eq!(all(&catalog).unwrap().len(), 40);
    }

    #[test]
    fn a_project_without_an_index_has_no_name() {
        let (_data, catalog) = catalog();
        let root = Path::new("/one/app");
        index(&catalog, root);
        catalog.remove(&catalog.resolve(root)).unwrap();
        let project = catalog.resolve(root);
        let opened = IndexId { project, sub_index: None, vectors: VectorSource::BuiltIn };
        catalog.open(&opened, &pipeline(), &OpenOptions::default()).unwrap();
        catalog.create(root).unwrap();
        assert!(all(&catalog).unwrap().is_empty());
    }
}
