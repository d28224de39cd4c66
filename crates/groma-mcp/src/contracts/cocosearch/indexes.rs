//! `list_indexes`, `clear_index` and `index_codebase`.
//!
//! A project has one index and any number of names. Clearing any of them deletes the index, and with it the others.

use super::CocoTool;
use super::answers::{self, Error};
use super::target::{find, workspace};
use super::tools::{ClearIndex, IndexCodebase, ListIndexes};
use crate::host::{NamedIndex, normalized_name};
use crate::surface::{Answer, Call};
use serde_json::json;
use std::path::{Path, PathBuf};

impl CocoTool for ListIndexes {
    fn answer(self, call: &Call<'_>) -> Result<Answer, Error> {
        let entry = |named: &NamedIndex| {
            let table = format!("cocosearch_{}", normalized_name(&named.name));
            json!({ "name": named.name, "table_name": table })
        };
        Ok(answers::list(call.context.host.names()?.iter().map(entry).collect()))
    }
}

impl CocoTool for ClearIndex {
    fn answer(self, call: &Call<'_>) -> Result<Answer, Error> {
        let name = self.index_name;
        let host = call.context.host;
        let names = host.names()?;
        let named = find(&names, &name)?
            .ok_or_else(|| Error::not_found(format!("Index '{name}' not found"), None))?;
        let cleared = host.delete_index(&named.root);
        cleared.map_err(|error| Error::from(error).during("Failed to clear index"))?;
        let others = names.iter().filter(|one| one.root == named.root && one.name != named.name);
        let others: Vec<String> = others.map(|one| format!("'{}'", one.name)).collect();
        let mut message = format!("Index '{name}' cleared successfully");
        if !others.is_empty() {
            message.push_str(&format!(", also known as {}", others.join(", ")));
        }
        Ok(answers::object(json!({ "success": true, "message": message })))
    }
}

impl CocoTool for IndexCodebase {
    fn answer(self, call: &Call<'_>) -> Result<Answer, Error> {
        self.index(call).map_err(|error| error.during("Failed to index codebase"))
    }
}

impl IndexCodebase {
    fn index(&self, call: &Call<'_>) -> Result<Answer, Error> {
        let host = call.context.host;
        let path = Path::new(&self.path);
        let folder = folder(call, path)?;
        let project = host.open(&folder)?;
        let names = host.names()?;
        let given = self.index_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
        let name = given.map_or_else(|| host.default_name(&project.root), str::to_string);
        // Checked before the index run, which would be of no use under a name that is taken.
        if let Some(other) = names.iter().find(|one| one.root != project.root && one.matches(&name))
        {
            return Err(taken(&name, &other.root));
        }
        let report = project.engine.index(call.observer, call.cancel)?;
        for known in names.iter().filter(|one| one.root == project.root) {
            // Its default name becomes an explicit one, unless another project has it.
            host.add_name(&project.root, &known.name)?;
        }
        if let Some(other) = host.add_name(&project.root, &name)? {
            return Err(taken(&name, &other));
        }
        let shown = if folder == path { &folder } else { &project.root };
        Ok(answers::object(json!({
            "success": true,
            "index_name": name,
            "path": shown.to_string_lossy(),
            "stats": {
                "files_added": report.added,
                "files_removed": report.removed,
                "files_updated": report.updated,
            },
        })))
    }
}

/// The folder to index; a relative path is relative to the client's root.
fn folder(call: &Call<'_>, given: &Path) -> Result<PathBuf, Error> {
    let path =
        if given.is_absolute() { given.to_path_buf() } else { workspace(call)?.root.join(given) };
    let wrong = |what: &str| Error::message("Invalid path", format!("{what}: {}", path.display()));
    if !path.exists() {
        return Err(wrong("Path does not exist"));
    }
    if !path.is_dir() {
        return Err(wrong("Path is not a directory"));
    }
    Ok(path)
}

fn taken(name: &str, root: &Path) -> Error {
    Error::collision(format!(
        "'{name}' is already the index of {}. Choose another index_name, or clear_index that one first",
        root.display()
    ))
}
