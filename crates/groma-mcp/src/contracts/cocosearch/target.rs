//! Which index a call is about: the one it names, else that of the project where the client works.

use super::answers::Trouble;
use crate::host::{Named, Place, Project, Source};
use crate::surface::Call;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The index a call is about.
pub struct Target {
    /// What it is called.
    pub name: String,
    /// Its project.
    pub project: Arc<Project>,
    /// How the project was found, where no index was named.
    pub source: Option<Source>,
}

/// The index a call is about.
pub fn target(call: &Call<'_>) -> Result<Target, Trouble> {
    let names = call.visit.host.names()?;
    let (named, source) = match call.arguments.text("index_name")? {
        Some(name) => (named(call, &names, name)?, None),
        None => {
            let place = place(call)?;
            (detected(call, &names, &place)?, Some(place.source))
        }
    };
    let Named { name, root, exists, .. } = named;
    if !exists {
        let message = format!(
            "The folder of index '{name}', {}, is gone, so nothing of it can be shown. \
             clear_index(index_name='{name}') removes the index; index_codebase indexes the folder at its new place",
            root.display()
        );
        return Err(Trouble::told("Project folder not found", message));
    }
    let project = call.visit.host.open(root)?;
    Ok(Target { name: name.clone(), project, source })
}

/// Where the client works.
pub fn place(call: &Call<'_>) -> Result<Place, Trouble> {
    match call.visit.place {
        Some(place) => Ok(place.clone()),
        None => call.visit.host.place(None).map_err(|error| {
            let advice = "name an index with index_name, or index a folder with index_codebase";
            Trouble::not_found(format!("No project was found: {error}; {advice}"), None)
        }),
    }
}

/// The one project that goes by a name. As it is written comes first, then whatever its case and signs.
pub fn find<'n>(names: &'n [Named], name: &str) -> Result<Option<&'n Named>, Trouble> {
    let exactly: Vec<&Named> = names.iter().filter(|one| one.name == name).collect();
    let meant = match exactly.is_empty() {
        true => names.iter().filter(|one| one.answers_to(name)).collect(),
        false => exactly,
    };
    let Some(first) = meant.first() else { return Ok(None) };
    if meant.iter().all(|one| one.root == first.root) {
        return Ok(Some(first));
    }
    let roots: Vec<String> = meant.iter().map(|one| one.root.display().to_string()).collect();
    Err(Trouble::collision(format!(
        "'{name}' could be the index of {}. Give one of them another name: \
         index_codebase(path='{}', index_name='...'), or an indexName in its cocosearch.yaml",
        roots.join(" or "),
        meant[1].root.display()
    )))
}

fn named<'n>(call: &Call<'_>, names: &'n [Named], name: &str) -> Result<&'n Named, Trouble> {
    find(names, name)?.ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(|one| one.name.as_str()).collect();
        let known = match known.is_empty() {
            true => "There are no indexes yet".to_string(),
            false => format!("The indexes are {}", known.join(", ")),
        };
        let message =
            format!("Index '{name}' not found. {known}. index_codebase(path='...') makes one");
        Trouble::not_found(message, suggestion(call, names))
    })
}

/// Where the client works, and what its index is or would be called.
fn suggestion(call: &Call<'_>, names: &[Named]) -> Option<(PathBuf, String)> {
    let root = place(call).ok()?.root;
    let name = of_root(call, names, &root).map(|one| one.name.clone());
    let name = name.unwrap_or_else(|| call.visit.host.usual_name(&root));
    Some((root, name))
}

fn detected<'n>(call: &Call<'_>, names: &'n [Named], place: &Place) -> Result<&'n Named, Trouble> {
    let root = &place.root;
    if let Some(named) = of_root(call, names, root) {
        return Ok(named);
    }
    let name = call.visit.host.usual_name(root);
    let path = root.display();
    if let Some(other) = names.iter().find(|one| one.answers_to(&name)) {
        return Err(Trouble::collision(format!(
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
    Err(Trouble::not_found(message, Some((root.clone(), name))))
}

/// The name of a project, if it has an index: the usual one where it goes by several.
fn of_root<'n>(call: &Call<'_>, names: &'n [Named], root: &Path) -> Option<&'n Named> {
    let usual = call.visit.host.usual_name(root);
    let mut own = names.iter().filter(|one| one.root == root);
    own.clone().find(|one| one.name == usual).or_else(|| own.next())
}
