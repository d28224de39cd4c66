//! Places by name, and places that were read.

use crate::page::{Line, Page};
use groma_core::Lines;
use groma_engine::{Excerpt, Place, PlaceView};
use serde_json::{Value, json};

/// Maximum number of characters of a signature.
const MAX_SIGNATURE: usize = 80;

/// `3 lines`, or `1 line`.
pub(crate) fn counted(count: usize, plural: &str) -> String {
    let noun = if count == 1 { plural.strip_suffix('s').unwrap_or(plural) } else { plural };
    format!("{count} {noun}")
}

/// `43-196`, or `43` for one line.
pub(crate) fn range(lines: Lines) -> String {
    if lines.start == lines.end {
        lines.start.to_string()
    } else {
        format!("{}-{}", lines.start, lines.end)
    }
}

/// `43, 150-171`.
pub(crate) fn ranges(excerpts: &[Excerpt]) -> String {
    excerpts.iter().map(|excerpt| range(excerpt.lines)).collect::<Vec<_>>().join(", ")
}

/// `method Router::match 43-196`.
pub(crate) fn named(place: &Place) -> String {
    let kind = place.kind.map_or("", |kind| kind.as_str());
    let words = [kind, &place.name].into_iter().filter(|word| !word.is_empty());
    let name = words.collect::<Vec<_>>().join(" ");
    match &*name {
        "" => format!("lines {}", range(place.lines)),
        name => format!("{name} {}", range(place.lines)),
    }
}

/// The first line of a signature, or else the name.
pub(crate) fn signature(place: &Place) -> String {
    let line = place.signature.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_SIGNATURE) {
        _ if line.is_empty() => place.name.clone(),
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

/// A place as JSON.
pub(crate) fn place_json(place: &Place) -> Value {
    json!({
        "start_line": place.lines.start,
        "end_line": place.lines.end,
        "kind": place.kind.map(|kind| kind.as_str()),
        "name": place.name,
        "signature": place.signature,
    })
}

/// Consecutive lines as JSON.
pub(crate) fn excerpt_json(excerpt: &Excerpt) -> Value {
    json!({
        "start_line": excerpt.lines.start,
        "end_line": excerpt.lines.end,
        "text": excerpt.text.join("\n"),
    })
}

/// Adds a place that was read.
pub fn push_place(page: &mut Page, view: &PlaceView) {
    let lines = counted(view.line_count as usize, "lines");
    let head = match &view.place {
        Some(place) if view.omitted.is_empty() => {
            format!("{} {} of {lines}", view.path, named(place))
        }
        Some(place) => {
            let shown = ranges(&view.excerpts);
            format!("{} {} of {lines}, shown {shown}", view.path, named(place))
        }
        None if !view.members.is_empty() => format!(
            "{} has {lines}, more than the budget; its members (read {}#NAME or raise max_tokens):",
            view.path, view.path
        ),
        None if view.excerpts.is_empty() => format!("{} {lines}", view.path),
        None => format!("{} {} of {lines}", view.path, ranges(&view.excerpts)),
    };
    page.push(Line::Path(head));
    page.push_excerpts(&view.excerpts);
    push_members(page, &view.members);
    for lines in &view.omitted {
        page.push(Line::Note(format!("{} not shown: read {}:{0}", range(*lines), view.path)));
    }
    page.push_notes(&view.notes);
}

/// Adds members, one line each.
pub(crate) fn push_members(page: &mut Page, members: &[Place]) {
    for place in members {
        page.push(Line::Place { location: range(place.lines), text: signature(place) });
    }
}

/// A place that was read, as JSON.
pub fn place_view_json(view: &PlaceView) -> Value {
    json!({
        "path": view.path.as_str(),
        "line_count": view.line_count,
        "place": view.place.as_ref().map(place_json),
        "excerpts": view.excerpts.iter().map(excerpt_json).collect::<Vec<_>>(),
        "omitted": view.omitted.iter().map(|lines| json!({
            "start_line": lines.start,
            "end_line": lines.end,
        })).collect::<Vec<_>>(),
        "members": view.members.iter().map(place_json).collect::<Vec<_>>(),
        "notes": view.notes,
    })
}
