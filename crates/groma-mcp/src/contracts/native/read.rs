//! `read_file`.

use super::error::Error;
use super::render::{self, Budget};
use super::tools::ReadFile;
use super::{NativeTool, Reply, engine, project};
use crate::activity::Entry;
use crate::surface::{Answer, Call};
use groma_core::Lines;
use groma_engine::{FileView, ReadRequest};
use serde_json::{Value, json};

impl NativeTool for ReadFile {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let request = self.request()?;
        let project = project(call, self.project.as_deref())?;
        let view = engine(&project, self.reference.as_deref())?.read(&request)?;
        let answer = if self.format == "json" {
            render::data(as_json(&view))
        } else {
            let text = as_text(&view, Budget::tokens(self.max_tokens));
            Answer::text(render::with_notes(text, &view.notes))
        };
        let activity = Entry { project, topic: None, files: vec![view.path] };
        Ok(Reply { answer, activity: Some(activity) })
    }
}

impl ReadFile {
    fn request(&self) -> Result<ReadRequest, Error> {
        let mut request = ReadRequest::new(&self.path);
        if self.start_line.is_some() || self.end_line.is_some() {
            let start = self.start_line.unwrap_or(1) as u32;
            let end = self.end_line.map_or(u32::MAX, |end| end as u32);
            if end < start {
                return Err(Error::argument("end_line", format!("must be {start} or more")));
            }
            request.lines = Some(Lines::new(start, end));
        }
        request.dependencies = self.dependencies;
        Ok(request)
    }
}

fn as_text(view: &FileView, budget: Budget) -> String {
    let (shown, last) = budget.lines(&view.content, view.lines.start);
    let shown = shown.strip_suffix('\n').unwrap_or(shown);
    let mut text = format!(
        "{}:{}-{last} of {} lines  {}\n{shown}\n",
        view.path, view.lines.start, view.line_count, view.language
    );
    if last < view.lines.end {
        text.push_str(&format!(
            "[lines {} to {} not shown: start_line={} goes on, or raise max_tokens]\n",
            last + 1,
            view.lines.end,
            last + 1
        ));
    }
    if !view.dependencies.is_empty() {
        text.push_str("\nImports of this project:\n");
        for dependency in &view.dependencies {
            text.push_str(&format!("{} (line {})\n", dependency.path, dependency.line));
        }
    }
    text
}

fn as_json(view: &FileView) -> Value {
    json!({
        "path": view.path.as_str(),
        "start_line": view.lines.start,
        "end_line": view.lines.end,
        "line_count": view.line_count,
        "bytes": view.bytes,
        "language": view.language,
        "content": view.content,
        "dependencies": view.dependencies.iter().map(|dependency| json!({
            "path": dependency.path.as_str(),
            "line": dependency.line,
            "content": dependency.content,
        })).collect::<Vec<_>>(),
        "notes": view.notes,
    })
}
