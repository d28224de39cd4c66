//! `read_file`.

use super::Done;
use super::trouble::Trouble;
use crate::host::Project;
use crate::surface::Call;
use groma_engine::core::iso;
use groma_engine::notebook::FileRole;
use groma_engine::{Dependency, FileView, ReadRequest};
use serde_json::{Value, json};

/// Reads a file, with the files it imports where they are asked for.
pub fn read_file(call: &Call<'_>, project: &Project) -> Result<Done, Trouble> {
    let arguments = &call.arguments;
    let mut request = ReadRequest::new(arguments.required_text("path").unwrap_or_default());
    let deep_enough = arguments.count("maxDepth").ok().flatten() != Some(0);
    request.dependencies = arguments.is_set("includeDeps").unwrap_or(false) && deep_enough;
    let view = project.engine.read(&request).map_err(Trouble::reading)?;
    if let Some(details) = &view.import_error {
        return Err(Trouble::of(json!({
            "error": "Failed to parse imports",
            "path": request.path,
            "details": capital(details),
        })));
    }
    let mut files = vec![view.path.clone()];
    files.extend(view.dependencies.iter().map(|one| one.path.clone()));
    let module = project.engine.notebook().modules().of(&view.path);
    Ok(Done { shown: shown(&view, module), topic: None, files })
}

fn shown(view: &FileView, module: Option<&str>) -> Value {
    json!({
        "file": {
            "path": view.path.as_str(),
            "content": view.content,
            "size": view.bytes,
            "lines": view.line_count,
            "language": view.language,
        },
        "dependencies": view.dependencies.iter().map(dependency).collect::<Vec<_>>(),
        "metadata": {
            "module": module,
            "role": FileRole::of(&view.path).as_str(),
            "lastModified": iso(view.modified),
        },
    })
}

fn dependency(one: &Dependency) -> Value {
    json!({ "path": one.path.as_str(), "type": "import", "level": 1, "content": one.content })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
