//! `read`.

use super::error::Error;
use super::tools::Read;
use super::{NativeTool, Reply, engine, formatted, project};
use crate::activity::Entry;
use crate::surface::Call;
use groma_core::RelPath;
use groma_engine::{EngineError, PlaceView, ReadRequest, RefEngine};
use groma_render::{Budget, Line, Page, place_view_json, push_place};
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
        let chars = Budget::tokens(self.max_tokens).chars();
        let mut read = engine.read_places(&self.places, chars, call.observer, call.cancel);
        // One place that cannot be read is the error of the call.
        if let [Err(_)] = &*read
            && let Some(Err(error)) = read.pop()
        {
            return Err(error.into());
        }
        let imports = if self.imports { imports(&engine, &read) } else { Vec::new() };
        drop(engine);
        let value = as_json(&self.places, &read, &imports);
        let shown = formatted(self.format, || value, || as_page(&read, &imports).to_string());
        let files = read.iter().flatten().flatten().map(|view| view.path.clone()).collect();
        Ok(Reply { answer: shown, activity: Some(Entry { project, topic: None, files }) })
    }
}

/// The views of a place, or why it cannot be read.
type Read1 = Result<Vec<PlaceView>, EngineError>;

/// The files of the project that the files which were read import.
fn imports(engine: &RefEngine<'_>, read: &[Read1]) -> Vec<(RelPath, Vec<String>)> {
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

fn as_page(read: &[Read1], imports: &[(RelPath, Vec<String>)]) -> Page {
    let mut page = Page::default();
    for one in read {
        match one {
            Ok(views) => views.iter().for_each(|view| push_place(&mut page, view)),
            Err(error) => page.push(Line::Note(error.to_string())),
        }
    }
    for (path, files) in imports {
        let files =
            if files.is_empty() { "nothing of this project".into() } else { files.join(", ") };
        page.push(Line::Note(format!("{path} imports {files}")));
    }
    page
}

fn as_json(places: &[String], read: &[Read1], imports: &[(RelPath, Vec<String>)]) -> Value {
    let place = |(place, read): (&String, &Read1)| match read {
        Ok(views) => json!({
            "place": place,
            "views": views.iter().map(place_view_json).collect::<Vec<_>>(),
        }),
        Err(error) => json!({ "place": place, "error": error.to_string() }),
    };
    json!({
        "places": places.iter().zip(read).map(place).collect::<Vec<_>>(),
        "imports": imports.iter().map(|(path, files)| json!({
            "path": path.as_str(),
            "files": files,
        })).collect::<Vec<_>>(),
    })
}
