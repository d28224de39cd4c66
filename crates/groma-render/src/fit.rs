//! Cuts an answer to its budget.
//!
//! Each answer is laid out for its budget, with estimates of what headings and names cost. This enforces the budget: an
//! answer that still exceeds it is truncated at the end, and a note says so.

use crate::budget::Budget;
use crate::page::{Line, Page};
use serde_json::Value;

/// Characters kept of a line that is not code, if the page is too long.
const MAX_LINE: usize = 300;

/// Characters of the note on what was taken off.
const NOTE: usize = 60;

/// Characters kept of a text of a JSON answer that is too long.
const MIN_TEXT: usize = 30;

/// The page in at most the characters of its budget.
pub fn fit_page(page: Page, budget: Budget) -> Page {
    if page.chars() <= budget.chars() {
        return page;
    }
    let mut lines: Vec<Line> = page.lines.into_iter().map(shortened).collect();
    let is_note = |line: &Line| matches!(line, Line::Note(_));
    let notes =
        lines.split_off(lines.iter().rposition(|line| !is_note(line)).map_or(0, |at| at + 1));
    let room = budget.chars().saturating_sub(NOTE);
    // The notes at the end are about the whole answer; they get up to a third.
    let notes = Page { lines: first_lines(notes, room / 3) };
    let count = lines.len();
    let mut page = Page { lines: first_lines(lines, room.saturating_sub(notes.chars())) };
    let hidden = count - page.lines.len();
    if hidden > 0 {
        page.push(Line::Note(format!("{hidden} more lines: raise max_tokens")));
    }
    page.lines.extend(notes.lines);
    page
}

/// The first lines that fit into so many characters.
fn first_lines(lines: Vec<Line>, chars: usize) -> Vec<Line> {
    let mut room = chars;
    let fits = |line: &Line| {
        let price = line.to_string().len() + 1;
        let fits = price <= room;
        room = room.saturating_sub(price);
        fits
    };
    lines.into_iter().take_while(fits).collect()
}

fn shortened(line: Line) -> Line {
    match line {
        Line::Summary(text) => Line::Summary(cut(text)),
        Line::Path(text) => Line::Path(cut(text)),
        Line::Heading(text) => Line::Heading(cut(text)),
        Line::Code { number, text, is_match } => Line::Code { number, text: cut(text), is_match },
        Line::Gap => Line::Gap,
        Line::Place { location, text } => Line::Place { location: cut(location), text: cut(text) },
        Line::Note(text) => Line::Note(cut(text)),
    }
}

fn cut(text: String) -> String {
    if text.len() <= MAX_LINE {
        return text;
    }
    format!("{}…", &text[..text.floor_char_boundary(MAX_LINE)])
}

/// The JSON answer in at most the characters of its budget. What is taken off is the end of the longest lists, then of
/// the longest texts; `truncated` says so.
pub fn fit_json(mut value: Value, budget: Budget) -> Value {
    let mut length = value.to_string().len();
    if length <= budget.chars() {
        return value;
    }
    value["truncated"] = "raise max_tokens".into();
    drop_empty(&mut value);
    let room = budget.chars();
    loop {
        length = value.to_string().len();
        let is_shorter = length > room
            && (shorten_list(&mut value, length - room)
                || shorten_text(&mut value)
                || drop_last_field(&mut value));
        if !is_shorter {
            return value;
        }
    }
}

/// Drops the fields that say nothing.
fn drop_empty(value: &mut Value) {
    let is_empty = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    match value {
        Value::Array(items) => items.iter_mut().for_each(drop_empty),
        Value::Object(fields) => {
            fields.retain(|_, field| !is_empty(field));
            fields.values_mut().for_each(drop_empty);
        }
        _ => {}
    }
}

/// Takes as many elements off the longest list as the excess needs; false if no list has two.
fn shorten_list(value: &mut Value, excess: usize) -> bool {
    let mut longest = (0, String::new());
    visit(value, "", &mut |pointer, value| {
        if let Value::Array(items) = value
            && items.len() > 1
        {
            let length = value.to_string().len();
            if length > longest.0 {
                longest = (length, pointer.to_string());
            }
        }
    });
    let Some(Value::Array(items)) = value.pointer_mut(&longest.1) else { return false };
    let mut removed = 0;
    while items.len() > 1 && removed < excess {
        removed += items.pop().map_or(0, |item| item.to_string().len() + 1);
    }
    true
}

/// Halves the longest text; false if every text is short. Lines of code lose whole lines, and `end_line` follows.
fn shorten_text(value: &mut Value) -> bool {
    let mut longest = (MIN_TEXT, String::new());
    visit(value, "", &mut |pointer, value| {
        if let Value::String(text) = value
            && text.len() > longest.0
        {
            longest = (text.len(), pointer.to_string());
        }
    });
    let Some((parent, _)) = longest.1.rsplit_once('/') else { return false };
    let Some(Value::String(text)) = value.pointer(&longest.1) else { return false };
    let mut half = text[..text.floor_char_boundary(text.len() / 2)].to_string();
    match half.rfind('\n') {
        Some(end) => half.truncate(end),
        None => half.push('…'),
    }
    let lines = half.lines().count().max(1) as u64;
    if let Some(text) = value.pointer_mut(&longest.1) {
        *text = half.into();
    }
    if let Some(Value::Object(excerpt)) = value.pointer_mut(parent)
        && excerpt.len() == 3
        && let Some(start) = excerpt.get("start_line").and_then(Value::as_u64)
    {
        excerpt.insert("end_line".into(), (start + lines - 1).into());
    }
    true
}

/// Drops the last list or object of the answer; false if there is none.
fn drop_last_field(value: &mut Value) -> bool {
    let Value::Object(fields) = value else { return false };
    let is_nested = |field: &Value| field.is_array() || field.is_object();
    let last = fields
        .iter()
        .filter(|(_, field)| is_nested(field))
        .map(|(name, _)| name.clone())
        .next_back();
    last.is_some_and(|name| fields.remove(&name).is_some())
}

/// Visits every value with its JSON pointer.
fn visit(value: &Value, pointer: &str, visitor: &mut impl FnMut(&str, &Value)) {
    visitor(pointer, value);
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(item, &format!("{pointer}/{index}"), visitor);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let name = name.replace('~', "~0").replace('/', "~1");
                visit(field, &format!("{pointer}/{name}"), visitor);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_page_loses_its_end_and_keeps_its_notes() {
        let mut page = Page::default();
        page.push(Line::Path("a.rs".into()));
        for number in 1..=200 {
            page.push(Line::Code { number, text: "x".repeat(number as usize * 7), is_match: true });
        }
        page.push(Line::Note("the index is outdated".into()));
        for tokens in [200, 400, 3000] {
            let budget = Budget::tokens(tokens);
            let fitted = fit_page(page.clone(), budget);
            let text = fitted.to_string();
            assert!(text.len() <= budget.chars(), "{} of {}", text.len(), budget.chars());
            assert!(text.len() * 2 > budget.chars(), "{} of {}", text.len(), budget.chars());
            assert!(
                text.starts_with("a.rs\n1:") && text.ends_with("note: the index is outdated\n")
            );
            assert!(text.contains(" more lines: raise max_tokens\n"), "{text}");
        }
        assert_eq!(fit_page(page.clone(), Budget::UNLIMITED), page, "nothing is cut that fits");
    }

    #[test]
    fn json_loses_the_end_of_lists_and_keeps_line_numbers_true() {
        let text: Vec<String> = (10..60).map(|line| format!("line {line}")).collect();
        let excerpt = json!({ "start_line": 10, "end_line": 59, "text": text.join("\n") });
        let value = json!({ "files": [{ "excerpts": [excerpt] }], "a/b": vec!["name"; 500] });
        let fitted = fit_json(value.clone(), Budget::tokens(200));
        assert!(fitted.to_string().len() <= 600, "{fitted}");
        assert_eq!(fitted["truncated"], "raise max_tokens");
        let small = fit_json(value.clone(), Budget::tokens(100));
        assert!(small.to_string().len() <= 300, "{small}");
        let excerpt = &small["files"][0]["excerpts"][0];
        let text = excerpt["text"].as_str().unwrap();
        let last = text.lines().last().unwrap();
        assert_eq!(last, format!("line {}", excerpt["end_line"]), "{small}");
        assert_eq!(fit_json(value.clone(), Budget::UNLIMITED), value);
    }
}
