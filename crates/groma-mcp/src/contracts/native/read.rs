//! `read`.

use super::error::Error;
use super::tools::Read;
use super::{Form, NativeTool, Reply, engine, project};
use crate::activity::Entry;
use crate::surface::Call;
use groma_core::RelPath;
use groma_engine::{ReadRequest, RefEngine};
use groma_render::{Line, Page, ReadPlace, read_json, read_page};
use serde_json::{Value, json};

/// Maximum number of places of one call.
const MAX_PLACES: usize = 30;

impl NativeTool for Read {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        if self.places.is_empty() {
            return Err(Error::argument("places", "is empty; name a file, lines or a member"));
        }
        if self.places.len() > MAX_PLACES {
            return Err(Error::argument("places", format!("has more than {MAX_PLACES} places")));
        }
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let form = Form::new(self.format, self.max_tokens);
        let chars = form.content().chars().saturating_sub(self.headings());
        let mut read = engine.read_places(&self.places, chars, call.observer, call.cancel);
        // One place that cannot be read is the error of the call.
        if let [Err(_)] = &*read
            && let Some(Err(error)) = read.pop()
        {
            return Err(error.into());
        }
        let imports = if self.imports == Some(true) { imports(&engine, &read) } else { Vec::new() };
        drop(engine);
        let shown =
            form.answer(|| as_json(&self.places, &read, &imports), || as_page(&read, &imports));
        let files = read.iter().flatten().flatten().map(|view| view.path.clone()).collect();
        Ok(Reply { answer: shown, activity: Some(Entry { project, topic: None, files }) })
    }
}

impl Read {
    /// About how many characters the headings and the notes on omitted lines take.
    fn headings(&self) -> usize {
        self.places.iter().map(|place| 2 * place.len() + HEADING).sum()
    }
}

/// Characters of a heading and of the note on omitted lines, besides their paths.
const HEADING: usize = 100;

/// The files of the project that the files which were read import.
fn imports(engine: &RefEngine<'_>, read: &[ReadPlace]) -> Vec<(RelPath, Vec<String>)> {
    let mut files: Vec<(RelPath, Vec<String>)> = Vec::new();
    for view in read.iter().flatten().flatten() {
        if files.iter().any(|(path, _)| *path == view.path) {
            continue;
        }
        let mut request = ReadRequest::new(view.path.as_str());
        request.dependencies = true;
        let dependencies = engine.read(&request).map(|view| view.dependencies).unwrap_or_default();
        let paths = dependencies.iter().map(|one| one.path.to_string()).collect();
        files.push((view.path.clone(), paths));
    }
    files
}

fn as_page(read: &[ReadPlace], imports: &[(RelPath, Vec<String>)]) -> Page {
    let mut page = read_page(read);
    for (path, files) in imports {
        let files =
            if files.is_empty() { "nothing of this project".into() } else { files.join(", ") };
        page.push(Line::Note(format!("{path} imports {files}")));
    }
    page
}

fn as_json(places: &[String], read: &[ReadPlace], imports: &[(RelPath, Vec<String>)]) -> Value {
    let mut value = read_json(places, read);
    let imports = imports.iter().map(|(path, files)| {
        json!({
            "path": path.as_str(),
            "files": files,
        })
    });
    value["imports"] = imports.collect();
    value
}
