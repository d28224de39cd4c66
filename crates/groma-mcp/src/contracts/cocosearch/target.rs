//! The index a call names, or else that of the project the client works in.

use super::answers::Error;
use crate::host::{NamedIndex, Project, Workspace, WorkspaceSource};
use crate::surface::Call;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The index of a call.
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its project.
    pub project: Arc<Project>,
    /// How the project was found, if the call names no index.
    pub source: Option<WorkspaceSource>,
}

/// Finds the index of a call.
pub fn target(call: &Call<'_>, index_name: Option<&str>) -> Result<Target, Error> {
    let names = call.context.host.names()?;
    let (named, source) = match index_name {
        Some(name) => (named(call, &names, name)?, None),
        None => {
            let workspace = workspace(call)?;
            (detected(call, &names, workspace)?, Some(workspace.source))
        }
    };
    let NamedIndex { name, root, exists, .. } = named;
    if !exists {
        let message = format!(
            "The folder of index '{name}', {}, is gone, so nothing of it can be shown. \
             clear_index(index_name='{name}') removes the index; index_codebase indexes the folder at its new place",
            root.display()
        );
        return Err(Error::message("Project folder not found", message));
    }
    let project = call.context.host.open(root)?;
    Ok(Target { name: name.clone(), project, source })
}

/// The project the client works in.
pub fn workspace<'a>(call: &Call<'a>) -> Result<&'a Workspace, Error> {
    call.context.workspace.as_ref().map_err(|error| {
        let advice = "name an index with index_name, or index a folder with index_codebase";
        Error::not_found(format!("No project was found: {error}; {advice}"), None)
    })
}

/// The index of that name: an exact match, or else one after normalisation.
pub fn find<'n>(names: &'n [NamedIndex], name: &str) -> Result<Option<&'n NamedIndex>, Error> {
    let exactly: Vec<&NamedIndex> = names.iter().filter(|one| one.name == name).collect();
    let meant = if exactly.is_empty() {
        names.iter().filter(|one| one.matches(name)).collect()
    } else {
        exactly
    };
    let Some(first) = meant.first() else { return Ok(None) };
    if meant.iter().all(|one| one.root == first.root) {
        return Ok(Some(first));
    }
    let roots: Vec<String> = meant.iter().map(|one| one.root.display().to_string()).collect();
    Err(Error::collision(format!(
        "'{name}' could be the index of {}. Give one of them another name: \
         index_codebase(path='{}', index_name='...'), or an indexName in its cocosearch.yaml",
        roots.join(" or "),
        meant[1].root.display()
    )))
}

fn named<'n>(
    call: &Call<'_>,
    names: &'n [NamedIndex],
    name: &str,
) -> Result<&'n NamedIndex, Error> {
    find(names, name)?.ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|one| one.name.as_str()).collect();
        let known = if known.is_empty() {
            "There are no indexes yet".to_string()
        } else {
            format!("The indexes are {}", known.join(", "))
        };
        let message =
            format!("Index '{name}' not found. {known}. index_codebase(path='...') makes one");
        Error::not_found(message, suggestion(call, names))
    })
}

/// The client's root, and the name of its index or the one it would get.
fn suggestion(call: &Call<'_>, names: &[NamedIndex]) -> Option<(PathBuf, String)> {
    let root = workspace(call).ok()?.root.clone();
    let name = of_root(call, names, &root).map(|one| one.name.clone());
    let name = name.unwrap_or_else(|| call.context.host.default_name(&root));
    Some((root, name))
}

fn detected<'n>(
    call: &Call<'_>,
    names: &'n [NamedIndex],
    workspace: &Workspace,
) -> Result<&'n NamedIndex, Error> {
    let root = &workspace.root;
    if let Some(named) = of_root(call, names, root) {
        return Ok(named);
    }
    let name = call.context.host.default_name(root);
    let path = root.display();
    if let Some(other) = names.iter().find(|one| one.matches(&name)) {
        return Err(Error::collision(format!(
            "The project at {path} is not indexed, and the name it would get, '{name}', is that of {}. \
             Index it under another: index_codebase(path='{path}', index_name='...'), \
             or with an indexName in its cocosearch.yaml",
            other.root.display()
        )));
    }
    let message = format!(
        "The project at {path} is not indexed. Index it first: index_codebase(path='{path}'), \
         or `groma index` there in a terminal"
    );
    Err(Error::not_found(message, Some((root.clone(), name))))
}

/// A name of a project, if it has an index; preferably the default one.
fn of_root<'n>(call: &Call<'_>, names: &'n [NamedIndex], root: &Path) -> Option<&'n NamedIndex> {
    let default = call.context.host.default_name(root);
    let mut own = names.iter().filter(|one| one.root == root);
    own.clone().find(|one| one.name == default).or_else(|| own.next())
}
