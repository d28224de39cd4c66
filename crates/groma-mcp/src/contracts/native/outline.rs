//! `outline`.

use super::error::Error;
use super::tools::Outline;
use super::{NativeTool, Reply, engine, formatted, project};
use crate::surface::{Answer, Call};
use groma_core::RelPath;
use groma_engine::{Place, RefEngine, outline_places};
use groma_render::{Budget, Line, Page, map_json, map_page, outline_json, outline_page};
use serde_json::json;

/// Files that are listed for a part of a name.
const MAX_FILES: usize = 40;

impl NativeTool for Outline {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let shown = self.shown(&engine, call)?;
        drop(engine);
        Ok(Reply::about(project, self.path, shown))
    }
}

impl Outline {
    fn shown(&self, engine: &RefEngine<'_>, call: &Call<'_>) -> Result<Answer, Error> {
        let budget = Budget::tokens(self.max_tokens);
        let target = self.path.as_deref().unwrap_or_default().trim().trim_start_matches("./");
        let (path, member) = target.split_once('#').unwrap_or((target, ""));
        if let Ok(file) = RelPath::new(path)
            && let Some(outline) = engine.outline(&file, call.observer, call.cancel)?
        {
            let facts = &outline.facts;
            let members = inside(outline_places(facts), member)
                .ok_or_else(|| Error::argument("path", format!("{file} has no member {member}")))?;
            let count = facts.line_count;
            return Ok(formatted(
                self.format,
                || outline_json(&file, count, &members, budget),
                || outline_page(&file, count, &members, budget).to_string(),
            ));
        }
        if let Some(map) = engine.map(path, call.observer, call.cancel)? {
            return Ok(formatted(
                self.format,
                || map_json(&map, budget),
                || map_page(&map, budget).to_string(),
            ));
        }
        let files = engine.files_named(path)?;
        if files.is_empty() {
            return Err(Error::Message(format!(
                "No file or folder of the index is named {path:?}."
            )));
        }
        let value = || json!({ "files": files.iter().map(RelPath::as_str).collect::<Vec<_>>() });
        Ok(formatted(self.format, value, || files_page(path, &files).to_string()))
    }
}

/// The members inside the one that is named; all of them without a name.
fn inside(members: Vec<Place>, name: &str) -> Option<Vec<Place>> {
    if name.is_empty() {
        return Some(members);
    }
    let last =
        |place: &Place| place.name.rsplit(['.', ':', '#']).next().unwrap_or_default() == name;
    let outer = members.iter().find(|place| last(place) || place.name.ends_with(name))?.lines;
    Some(members.into_iter().filter(|place| outer.encloses(place.lines)).collect())
}

fn files_page(part: &str, files: &[RelPath]) -> Page {
    let mut page = Page::default();
    page.push(Line::Summary(format!("{} files have {part:?} in their path:", files.len())));
    for path in files.iter().take(MAX_FILES) {
        page.push(Line::Path(path.to_string()));
    }
    if files.len() > MAX_FILES {
        page.push(Line::Note(format!("{} more files", files.len() - MAX_FILES)));
    }
    page
}
