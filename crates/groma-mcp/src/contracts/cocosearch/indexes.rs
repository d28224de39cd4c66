//! `list_indexes`, `clear_index` and `index_codebase`.
//!
//! A project has one index however many names it goes by. Clearing a name clears the index only when no other name
//! is left for it.

use super::answers::{self, Trouble};
use super::target::{find, place};
use crate::host::{Named, plain_name};
use crate::surface::{Answer, Call};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Lists the indexes.
pub fn list_indexes(call: &Call<'_>) -> Result<Answer, Trouble> {
    let entry = |named: &Named| {
        let table = format!("cocosearch_{}", plain_name(&named.name));
        json!({ "name": named.name, "table_name": table })
    };
    Ok(answers::list(call.visit.host.names()?.iter().map(entry).collect()))
}

/// Deletes an index.
pub fn clear_index(call: &Call<'_>) -> Result<Answer, Trouble> {
    let name = call.arguments.required_text("index_name")?;
    let host = call.visit.host;
    let names = host.names()?;
    let named = find(&names, name)?
        .ok_or_else(|| Trouble::not_found(format!("Index '{name}' not found"), None))?;
    let has_another =
        names.iter().any(|one| one.root == named.root && !one.answers_to(&named.name));
    let cleared = match has_another {
        true => host.unname(&named.root, &named.name),
        false => host.forget(&named.root).map(drop),
    };
    cleared.map_err(|error| Trouble::from(error).during("Failed to clear index"))?;
    let message = format!("Index '{name}' cleared successfully");
    Ok(answers::object(json!({ "success": true, "message": message })))
}

/// Indexes a folder, and lets it go by a name.
pub fn index_codebase(call: &Call<'_>) -> Result<Answer, Trouble> {
    indexed(call).map_err(|trouble| trouble.during("Failed to index codebase"))
}

fn indexed(call: &Call<'_>) -> Result<Answer, Trouble> {
    let host = call.visit.host;
    let path = call.arguments.required_text("path")?;
    let folder = folder(call, Path::new(path))?;
    let project = host.open(&folder)?;
    let names = host.names()?;
    let given = call.arguments.text("index_name")?.map(str::trim).filter(|name| !name.is_empty());
    let name = given.map_or_else(|| host.usual_name(&project.root), str::to_string);
    // Before the long work: a name that is another's makes it useless.
    if let Some(other) = names.iter().find(|one| one.root != project.root && one.answers_to(&name))
    {
        return Err(taken(&name, &other.root));
    }
    let report = project.engine.index(call.observer, call.cancel)?;
    for known in names.iter().filter(|one| one.root == project.root) {
        // A name it went by without being given one stays; one it shares with another is no use to anybody.
        host.name(&project.root, &known.name)?;
    }
    if let Some(other) = host.name(&project.root, &name)? {
        return Err(taken(&name, &other));
    }
    let shown = if folder == Path::new(path) { &folder } else { &project.root };
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

/// The folder to index; a path that is not absolute begins where the client works.
fn folder(call: &Call<'_>, given: &Path) -> Result<PathBuf, Trouble> {
    let path = match given.is_absolute() {
        true => given.to_path_buf(),
        false => place(call)?.root.join(given),
    };
    let wrong = |what: &str| Trouble::told("Invalid path", format!("{what}: {}", path.display()));
    if !path.exists() {
        return Err(wrong("Path does not exist"));
    }
    if !path.is_dir() {
        return Err(wrong("Path is not a directory"));
    }
    Ok(path)
}

fn taken(name: &str, root: &Path) -> Trouble {
    Trouble::collision(format!(
        "'{name}' is already the index of {}. Choose another index_name, or clear_index that one first",
        root.display()
    ))
}
