//! What indexes are called.
//!
//! Clients of the CocoSearch contract ask for an index by a name, not by a folder. A name that was given stands
//! on the project's card; a project without one is called by its `cocosearch.yaml`, else by its folder.

use crate::card::{self, Card};
use crate::config;
use crate::project::{Known, folder_of, known};
use anyhow::Result;
use groma_mcp::NamedIndex;
use std::path::{Path, PathBuf};

/// CocoSearch's settings file. Its one key that matters to a server is `indexName`: the rest is about its
/// database and its command line.
pub const SETTINGS: &str = "cocosearch.yaml";

/// Every name a project with an index goes by, in order.
pub fn all(data: &Path) -> Result<Vec<NamedIndex>> {
    let mut names: Vec<NamedIndex> =
        known(data)?.iter().filter(|known| known.is_made()).flat_map(names_of).collect();
    names.sort_by(|a, b| (&a.name, &a.root).cmp(&(&b.name, &b.root)));
    Ok(names)
}

fn names_of(known: &Known) -> Vec<NamedIndex> {
    let given = match known.names.is_empty() {
        true => vec![usual(&known.root)],
        false => known.names.clone(),
    };
    let named = |name| NamedIndex {
        name,
        root: known.root.clone(),
        exists: known.root.is_dir(),
        created: known.created,
    };
    given.into_iter().map(named).collect()
}

/// Lets the project at `root` go by `name`, besides the names it has; the root of another that goes by it already.
pub fn give(data: &Path, root: &Path, name: &str) -> Result<Option<PathBuf>> {
    let _lock = card::lock(data)?;
    let taken = all(data)?.into_iter().find(|one| one.root != root && one.matches(name));
    if let Some(other) = taken {
        return Ok(Some(other.root));
    }
    let folder = folder_of(root, data);
    let mut card = Card::read(&folder).unwrap_or_else(|| Card::new(root));
    if !card.names.iter().any(|known| groma_mcp::same_name(known, name)) {
        card.names.push(name.to_string());
        card.write(&folder)?;
    }
    Ok(None)
}

/// Takes a name away from the project at `root`.
pub fn take(data: &Path, root: &Path, name: &str) -> Result<()> {
    let _lock = card::lock(data)?;
    let folder = folder_of(root, data);
    let Some(mut card) = Card::read(&folder) else { return Ok(()) };
    card.names.retain(|known| !groma_mcp::same_name(known, name));
    card.write(&folder)
}

/// What the project at `root` is called when nobody named it.
pub fn usual(root: &Path) -> String {
    let set = config::read(&root.join(SETTINGS)).ok().and_then(|text| index_name(&text));
    let folder = || root.file_name().map(|name| name.to_string_lossy().into_owned());
    set.or_else(folder).unwrap_or_else(|| "root".to_string())
}

/// The `indexName` that a settings file sets. The file is YAML and only this line of it is read: a whole parser
/// for one name would be the largest dependency of the program's settings. A variable (`${...}`) is no name.
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
    use std::fs;

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
        let tree = tempfile::TempDir::new().unwrap();
        let root = tree.path().join("my-api");
        fs::create_dir(&root).unwrap();
        assert_eq!(usual(&root), "my-api");
        fs::write(root.join(SETTINGS), "indexName: server\n").unwrap();
        assert_eq!(usual(&root), "server");
        fs::write(root.join(SETTINGS), b"\xff\xfe").unwrap();
        assert_eq!(usual(&root), "my-api");
        assert_eq!(usual(Path::new("/")), "root");
    }

    /// A folder of the data directory with an index, as far as a listing looks.
    fn indexed(data: &Path, root: &Path) {
        let folder = folder_of(root, data);
        fs::create_dir_all(folder.join("parts")).unwrap();
        fs::write(folder.join("index.db"), "").unwrap();
        fs::write(folder.join("parts/1.part"), "").unwrap();
        Card::new(root).write(&folder).unwrap();
    }

    fn shown(data: &Path) -> Vec<String> {
        let names = all(data).unwrap();
        names.iter().map(|one| format!("{} {}", one.name, one.root.display())).collect()
    }

    #[test]
    fn names_are_given_once_and_taken_away() {
        let data = tempfile::TempDir::new().unwrap();
        let data = data.path();
        let (one, two) = (Path::new("/one/app"), Path::new("/two/app"));
        indexed(data, one);
        assert_eq!(shown(data), ["app /one/app"]);
        assert_eq!(give(data, one, "my-app").unwrap(), None);
        assert_eq!(give(data, one, "My_App").unwrap(), None, "the same name, once");
        indexed(data, two);
        assert_eq!(give(data, two, "my_app").unwrap(), Some(one.to_path_buf()));
        assert_eq!(give(data, two, "other").unwrap(), None);
        assert_eq!(give(data, two, "second").unwrap(), None);
        assert_eq!(shown(data), ["my-app /one/app", "other /two/app", "second /two/app"]);
        take(data, two, "Other").unwrap();
        take(data, two, "second").unwrap();
        assert_eq!(shown(data), ["app /two/app", "my-app /one/app"]);
    }

    #[test]
    fn two_threads_lose_no_name() {
        let data = tempfile::TempDir::new().unwrap();
        let (data, root) = (data.path(), Path::new("/one/app"));
        indexed(data, root);
        std::thread::scope(|scope| {
            for half in ["a", "b"] {
                scope.spawn(move || {
                    for number in 0..20 {
                        give(data, root, &format!("{half}{number}")).unwrap();
                    }
                });
            }
        });
        assert_eq!(all(data).unwrap().len(), 40);
    }

    #[test]
    fn what_was_never_indexed_has_no_name() {
        let data = tempfile::TempDir::new().unwrap();
        let root = Path::new("/one/app");
        indexed(data.path(), root);
        fs::remove_file(folder_of(root, data.path()).join("parts/1.part")).unwrap();
        assert!(all(data.path()).unwrap().is_empty());
        fs::write(folder_of(root, data.path()).join(card::NAME), "{ broken").unwrap();
        assert!(all(data.path()).unwrap().is_empty());
    }
}
