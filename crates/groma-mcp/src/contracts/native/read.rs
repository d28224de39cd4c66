//! `read_file`.

use super::render::{self, Budget};
use super::trouble::Trouble;
use super::{argument, engine, project};
use crate::surface::{Answer, Call};
use groma_engine::core::{Lines, RelPath};
use groma_engine::{FileView, ReadRequest};
use serde_json::{Value, json};

/// Shows a file, or some lines of it.
pub fn read_file(call: &Call<'_>, files: &mut Vec<RelPath>) -> Result<Answer, Trouble> {
    let arguments = &call.arguments;
    let mut request = ReadRequest::new(arguments.required_text("path")?);
    let start = arguments.integer("start_line")?;
    let end = arguments.integer("end_line")?;
    if start.is_some() || end.is_some() {
        let (start, end) = (start.unwrap_or(1) as u32, end.map_or(u32::MAX, |end| end as u32));
        if end < start {
            return Err(argument("end_line", format!("must be {start} or more")));
        }
        request.lines = Some(Lines::new(start, end));
    }
    request.dependencies = arguments.is_set("dependencies")?;
    let project = project(call)?;
    let view = engine(call, &project)?.read(&request)?;
    files.push(view.path.clone());
    if arguments.text("format")? == Some("json") {
        return Ok(render::data(as_json(&view)));
    }
    let budget = Budget::tokens(arguments.count("max_tokens")?.unwrap_or(6000));
    Ok(Answer::text(render::with_notes(as_text(&view, budget), &view.notes)))
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
