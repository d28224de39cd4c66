//! The members of a file, and the map of a folder.

use crate::budget::Budget;
use crate::page::{Line, Page};
use crate::place::{counted, place_json, push_members, signature};
use groma_core::RelPath;
use groma_engine::{FolderMap, MappedFile, Outlined, Place};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Files that are listed for a part of a path.
const MAX_FILES: usize = 40;

/// The outline of a target as lines.
pub fn outline_page(target: &str, outlined: &Outlined, budget: Budget) -> Page {
    match outlined {
        Outlined::File { outline, members } => {
            members_page(&outline.path, outline.facts.line_count, members, budget)
        }
        Outlined::Folder(map) => map_page(map, budget),
        Outlined::Files(files) => files_page(target, files),
    }
}

/// The outline of a target as JSON, with the content of [`outline_page`].
pub fn outline_json(outlined: &Outlined, budget: Budget) -> Value {
    match outlined {
        Outlined::File { outline, members } => {
            members_json(&outline.path, outline.facts.line_count, members, budget)
        }
        Outlined::Folder(map) => map_json(map, budget),
        Outlined::Files(files) => {
            json!({ "files": files.iter().map(RelPath::as_str).collect::<Vec<_>>() })
        }
    }
}

fn files_page(part: &str, files: &[RelPath]) -> Page {
    let mut page = Page::default();
    page.push(Line::Summary(format!(
        "{} with {part:?} in the path:",
        counted(files.len(), "files")
    )));
    for path in files.iter().take(MAX_FILES) {
        page.push(Line::Path(path.to_string()));
    }
    if files.len() > MAX_FILES {
        page.push(Line::Note(counted(files.len() - MAX_FILES, "more files")));
    }
    page
}

/// The members of a file as lines. The last ones are left out if there is no room.
fn members_page(path: &RelPath, line_count: u32, members: &[Place], budget: Budget) -> Page {
    let mut page = Page::default();
    page.push(Line::Path(format!("{path} {}", counted(line_count as usize, "lines"))));
    let (shown, left_out) = fitting(members, budget.chars());
    push_members(&mut page, &members[..shown]);
    if left_out > 0 {
        page.push(Line::Note(format!("{}: raise max_tokens", counted(left_out, "more members"))));
    }
    page
}

/// How many members fit, and how many do not.
fn fitting(members: &[Place], chars: usize) -> (usize, usize) {
    let mut room = chars;
    let fits = members.iter().take_while(|place| {
        let price = signature(place).len() + 12;
        let fits = price <= room;
        room = room.saturating_sub(price);
        fits
    });
    let shown = fits.count().max(1).min(members.len());
    (shown, members.len() - shown)
}

/// The members of a file as JSON.
fn members_json(path: &RelPath, line_count: u32, members: &[Place], budget: Budget) -> Value {
    let (shown, left_out) = fitting(members, budget.chars());
    json!({
        "path": path.as_str(),
        "line_count": line_count,
        "members": members[..shown].iter().map(place_json).collect::<Vec<_>>(),
        "left_out": left_out,
    })
}

/// The map of a folder as lines: sub-folders, then the files that matter most.
fn map_page(map: &FolderMap, budget: Budget) -> Page {
    let mut page = Page::default();
    let name = if map.folder.is_empty() { "project" } else { &map.folder };
    let (shown, left_out) = fitting_files(map, budget);
    page.push(Line::Path(format!("{name}: {}", counted(map.file_count, "files"))));
    if !map.folders.is_empty() {
        page.push(Line::Heading(folders(map, budget)));
    }
    if !shown.is_empty() {
        page.push(Line::Summary("Files with the most used definitions:".into()));
    }
    for file in shown {
        let names: Vec<&str> = file.members.iter().map(short).collect();
        let location = format!("{} ({})", file.path, counted(file.line_count as usize, "lines"));
        page.push(Line::Place { location, text: names.join(", ") });
    }
    if left_out > 0 {
        let more = counted(left_out, "more source files");
        page.push(Line::Note(format!("{more}: outline a sub-folder")));
    }
    page
}

/// The sub-folders that fit into a third of the budget, those with most files first; and the number of the others.
fn fitting_folders(map: &FolderMap, budget: Budget) -> (BTreeMap<&str, usize>, usize) {
    let mut folders: Vec<(&str, usize)> =
        map.folders.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    folders.sort_by_key(|(_, count)| Reverse(*count));
    let mut room = budget.chars() / 3;
    let fits = folders.iter().take_while(|(name, _)| {
        let price = name.len() + 8;
        let fits = price <= room;
        room = room.saturating_sub(price);
        fits
    });
    let shown: BTreeMap<&str, usize> = fits.copied().collect();
    let left_out = map.folders.len() - shown.len();
    (shown, left_out)
}

fn folders(map: &FolderMap, budget: Budget) -> String {
    let (shown, left_out) = fitting_folders(map, budget);
    let mut folders: Vec<String> =
        shown.iter().map(|(name, count)| format!("{name}/ {count}")).collect();
    if left_out > 0 {
        folders.push(format!("{left_out} more folders"));
    }
    folders.join(", ")
}

/// The last part of a name.
fn short(place: &Place) -> &str {
    place.name.rsplit(['.', ':', '#', '/', '\\']).next().unwrap_or(&place.name)
}

/// The files that fit into the budget, best first, in the order of their paths; and the number of the others.
fn fitting_files(map: &FolderMap, budget: Budget) -> (Vec<&MappedFile>, usize) {
    let mut room = budget.chars().saturating_sub(folders(map, budget).len() + 120);
    let price = |file: &MappedFile| {
        let names: usize = file.members.iter().map(|place| short(place).len() + 2).sum();
        file.path.as_str().len() + names + 16
    };
    let fits = map.files.iter().take_while(|file| {
        let price = price(file);
        let fits = price <= room;
        room = room.saturating_sub(price);
        fits
    });
    let mut shown: Vec<&MappedFile> = fits.collect();
    let left_out = map.files.len() - shown.len();
    shown.sort_by(|a, b| a.path.cmp(&b.path));
    (shown, left_out)
}

/// The map of a folder as JSON.
fn map_json(map: &FolderMap, budget: Budget) -> Value {
    let (shown, left_out) = fitting_files(map, budget);
    json!({
        "folder": map.folder,
        "file_count": map.file_count,
        "folders": fitting_folders(map, budget).0,
        "folder_count": map.folders.len(),
        "files": shown.iter().map(|file| json!({
            "path": file.path.as_str(),
            "line_count": file.line_count,
            "members": file.members.iter().map(place_json).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "left_out": left_out,
    })
}
