//! `read_file`.

use super::error::Error;
use super::tools::ReadFile;
use super::{ContextCall, Reply};
use crate::host::Project;
use crate::surface::Call;
use groma_core::iso;
use groma_engine::notebook::FileRole;
use groma_engine::{Dependency, FileView, ReadRequest};
use serde_json::{Value, json};

impl ContextCall for ReadFile {
    fn answer(self, _: &Call<'_>, project: &Project) -> Result<Reply, Error> {
        let mut request = ReadRequest::new(self.path);
        request.dependencies = self.include_deps && self.max_depth > 0;
        let view = project.engine.read(&request).map_err(Error::reading)?;
        if let Some(details) = &view.import_error {
            return Err(Error::of(json!({
                "error": "Failed to parse imports",
                "path": request.path,
                "details": capitalized(details),
            })));
        }
        let mut files = vec![view.path.clone()];
        files.extend(view.dependencies.iter().map(|one| one.path.clone()));
        let module = project.engine.notebook().modules().of(&view.path);
        Ok(Reply { result: shown(&view, module), found: None, topic: None, files })
    }
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

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}
