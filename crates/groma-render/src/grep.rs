//! Lines that match a pattern, by file and enclosing definition.
//!
//! The budget is shared over the files: each shows its first matches before any shows all of them.

use crate::budget::Budget;
use crate::page::{Line, Page};
use crate::place::{counted, named, place_json};
use groma_core::RelPath;
use groma_engine::{GrepAnswer, GrepMatch, GrepRequest, PathKind, Place, path_kind};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Files that are named with their counts beyond those with lines.
const MAX_NAMED_FILES: usize = 20;

/// Characters of a line that are shown around its match.
const MAX_LINE: usize = 240;

/// Gives the definition that encloses a line of a file.
pub type Enclosing<'a> = &'a dyn Fn(&RelPath, u32) -> Option<Place>;

/// A matching line, its context, and the definition that encloses it.
struct Found<'a> {
    found: &'a GrepMatch,
    enclosing: Option<Place>,
}

/// The matches of a file, with those that are shown first.
struct FileMatches<'a> {
    path: &'a RelPath,
    matches: Vec<Found<'a>>,
    shown: usize,
}

/// The answer as lines.
pub fn grep_page(
    request: &GrepRequest,
    answer: &GrepAnswer,
    limit: usize,
    budget: Budget,
    enclosing: Enclosing<'_>,
) -> Page {
    let mut page = Page::default();
    if answer.matches.is_empty() {
        let files = counted(answer.files_searched, "files");
        let text = format!("no match for {:?} in {files}", request.pattern);
        page.push(Line::Summary(text));
        page.push_notes(&answer.notes);
        return page;
    }
    let files = choose(answer, limit, budget, enclosing);
    let shown: usize = files.iter().map(|file| file.shown).sum();
    if shown < answer.total || !answer.is_total_exact {
        let at_least = if answer.is_total_exact { "" } else { "at least " };
        let total = answer.total;
        let files = counted(answer.files_matched, "files");
        page.push(Line::Summary(format!("{shown} of {at_least}{total} lines in {files}")));
    }
    for file in files.iter().filter(|file| file.shown > 0) {
        push_file(&mut page, file);
    }
    push_others(&mut page, answer, &files, budget.chars() / 8);
    page.push_notes(&answer.notes);
    page
}

/// Groups the matches by file, code before tests and documents, and shares the budget over the files.
fn choose<'a>(
    answer: &'a GrepAnswer,
    limit: usize,
    budget: Budget,
    enclosing: Enclosing<'_>,
) -> Vec<FileMatches<'a>> {
    let mut files: Vec<(&RelPath, Vec<&GrepMatch>)> = Vec::new();
    for found in &answer.matches {
        match files.last_mut() {
            Some((path, matches)) if **path == found.path => matches.push(found),
            _ => files.push((&found.path, vec![found])),
        }
    }
    files.sort_by_key(|(path, _)| path_kind(path) != PathKind::Source);
    let mut counts = vec![0; files.len()];
    // The summary, and the files that are only named.
    let mut room = budget.chars().saturating_sub(60 + budget.chars() / 8);
    let mut left = limit;
    let mut is_full = false;
    let mut last: BTreeMap<&RelPath, Place> = BTreeMap::new();
    // Round after round, each file shows one more match.
    while !is_full && left > 0 {
        let mut added = false;
        for (count, (path, matches)) in counts.iter_mut().zip(&files) {
            let Some(found) = matches.get(*count) else { continue };
            let place = enclosing(path, found.line);
            let heading = match (&place, last.get(path)) {
                (Some(place), known) if known != Some(place) && place.lines.count() > 1 => {
                    named(place).len() + 1
                }
                _ => 0,
            };
            // The path with its counts, and the lines that are only named.
            let file = if *count == 0 { path.as_str().len() + 90 } else { 0 };
            let price = price(found) + heading + file;
            if price > room || left == 0 {
                is_full = true;
                break;
            }
            (room, left, added) = (room - price, left - 1, true);
            *count += 1;
            if let Some(place) = place {
                last.insert(path, place);
            }
        }
        is_full |= !added;
    }
    // One match is shown whatever it costs.
    if counts.iter().all(|count| *count == 0) {
        counts[0] = 1;
    }
    let files = files.into_iter().zip(counts).map(|((path, matches), shown)| FileMatches {
        path,
        shown,
        matches: matches
            .into_iter()
            .enumerate()
            .map(|(index, found)| Found {
                found,
                enclosing: (index < shown).then(|| enclosing(path, found.line)).flatten(),
            })
            .collect(),
    });
    files.collect()
}

fn price(found: &GrepMatch) -> usize {
    let lines = found.before.iter().chain(&found.after).chain([&found.text]);
    lines.map(|line| line.len().min(MAX_LINE) + 6).sum()
}

fn push_file(page: &mut Page, file: &FileMatches<'_>) {
    let hidden = file.matches.len() - file.shown;
    let more = if hidden > 0 {
        format!(" ({} of {})", file.shown, file.matches.len())
    } else {
        String::new()
    };
    page.push(Line::Path(format!("{}{more}", file.path)));
    let mut lines: BTreeMap<u32, (String, bool)> = BTreeMap::new();
    let mut headings: BTreeMap<u32, String> = BTreeMap::new();
    let mut last: Option<&Place> = None;
    for Found { found, enclosing } in file.matches.iter().take(file.shown) {
        let first = found.line - found.before.len() as u32;
        if enclosing.is_some() && enclosing.as_ref() != last {
            // A definition of one line needs no heading: the line says what it is.
            if enclosing.as_ref().is_some_and(|place| place.lines.count() > 1) {
                headings.insert(first, enclosing.as_ref().map(named).unwrap_or_default());
            }
            last = enclosing.as_ref();
        }
        let context = (first..).zip(&found.before).chain((found.line + 1..).zip(&found.after));
        for (number, text) in context {
            lines.entry(number).or_insert_with(|| (cut(text, 0), false));
        }
        lines.insert(found.line, (cut(&found.text, found.column as usize), true));
    }
    let mut before = None;
    let has_context = lines.values().any(|(_, is_match)| !is_match);
    for (number, (text, is_match)) in lines {
        match headings.remove(&number) {
            Some(heading) => page.push(Line::Heading(heading)),
            None if has_context && before.is_some_and(|before: u32| before + 1 < number) => {
                page.push(Line::Gap);
            }
            None => {}
        }
        before = Some(number);
        page.push(Line::Code { number, text, is_match });
    }
    if hidden > 0 && file.shown > 0 {
        let rest: Vec<String> = file.matches[file.shown..]
            .iter()
            .take(20)
            .map(|one| one.found.line.to_string())
            .collect();
        let dots = if hidden > 20 { ", ..." } else { "" };
        page.push(Line::Note(format!("also on lines {}{dots}", rest.join(", "))));
    }
}

/// The part of a line around its match.
fn cut(text: &str, column: usize) -> String {
    if text.chars().count() <= MAX_LINE {
        return text.to_string();
    }
    let start = column.saturating_sub(MAX_LINE / 2);
    let part: String = text.chars().skip(start).take(MAX_LINE).collect();
    let dots = if start > 0 { "…" } else { "" };
    format!("{dots}{part}…")
}

/// The files without a shown line, with their counts.
fn push_others(page: &mut Page, answer: &GrepAnswer, files: &[FileMatches<'_>], chars: usize) {
    let others: Vec<&FileMatches<'_>> = files.iter().filter(|file| file.shown == 0).collect();
    let known = answer.files_matched.saturating_sub(files.len());
    if others.is_empty() && known == 0 {
        return;
    }
    let mut room = chars.saturating_sub(30);
    let mut named: Vec<String> = Vec::new();
    for file in others.iter().take(MAX_NAMED_FILES) {
        let name = format!("{} {}", file.path, file.matches.len());
        let Some(left) = room.checked_sub(name.len() + 2) else { break };
        room = left;
        named.push(name);
    }
    let rest = others.len() - named.len() + known;
    if rest > 0 {
        named.push(counted(rest, "more files"));
    }
    page.push(Line::Note(format!("also in {}", named.join(", "))));
}

/// The answer as JSON, with the content of [`grep_page`].
pub fn grep_json(
    request: &GrepRequest,
    answer: &GrepAnswer,
    limit: usize,
    budget: Budget,
    enclosing: Enclosing<'_>,
) -> Value {
    let files = if answer.matches.is_empty() {
        Vec::new()
    } else {
        choose(answer, limit, budget, enclosing)
    };
    let one = |one: &Found<'_>| {
        json!({
            "line": one.found.line,
            "column": one.found.column,
            "text": cut(&one.found.text, one.found.column as usize),
            "before": one.found.before,
            "after": one.found.after,
            "in": one.enclosing.as_ref().map(place_json),
        })
    };
    json!({
        "pattern": request.pattern,
        "files": files.iter().map(|file| json!({
            "path": file.path.as_str(),
            "total": file.matches.len(),
            "matches": file.matches.iter().take(file.shown).map(one).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "total": answer.total,
        "is_total_exact": answer.is_total_exact,
        "files_matched": answer.files_matched,
        "files_searched": answer.files_searched,
        "notes": answer.notes,
    })
}
