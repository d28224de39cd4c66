//! A search answer.

use crate::page::{Line, Page};
use crate::place::{excerpt_json, named, place_json, range, ranges, signature};
use groma_engine::{
    AbsentName, Confidence, FilePlaces, FileSnippets, SearchAnswer, Snippet, Snippets,
};
use serde_json::{Value, json};

/// The answer as lines.
pub fn search_page(answer: &SearchAnswer, snippets: &Snippets) -> Page {
    let mut page = Page::default();
    page.push(Line::Summary(summary(snippets)));
    for absent in &snippets.absent {
        page.push(Line::Note(absence(absent)));
    }
    for file in &snippets.files {
        push_file(&mut page, file);
    }
    if !snippets.places.is_empty() {
        page.push(Line::Summary("Other places:".into()));
    }
    for file in &snippets.places {
        push_places(&mut page, file);
    }
    page.push_notes(&answer.notes);
    page
}

fn summary(snippets: &Snippets) -> String {
    let mut text = match snippets.confidence {
        _ if snippets.files.is_empty() && snippets.places.is_empty() => {
            "nothing found: try other words, or grep for exact text".to_string()
        }
        Confidence::None => "nothing here is about this; nearest:".to_string(),
        Confidence::Weak => "weak match".to_string(),
        Confidence::Likely => "likely match".to_string(),
        Confidence::Strong => "strong match".to_string(),
    };
    if snippets.has_tests {
        text.push_str(" (tests left out)");
    }
    text
}

fn absence(absent: &AbsentName) -> String {
    // A secret in the question stays out of the answer, too.
    let name = groma_secrets::redact(&absent.name);
    match &*absent.similar {
        [] => format!("`{name}` does not occur here"),
        similar => format!("`{name}` does not occur here; similar: {}", similar.join(", ")),
    }
}

fn push_file(page: &mut Page, file: &FileSnippets) {
    page.push(Line::Path(file.path.to_string()));
    for snippet in &file.snippets {
        page.push(Line::Heading(heading(snippet)));
        page.push_excerpts(&snippet.excerpts);
    }
    if !file.members.is_empty() {
        let members: Vec<String> = file.members.iter().map(named).collect();
        page.push(Line::Heading(format!("also: {}", members.join(", "))));
    }
}

/// `fn match 43-196, shown 43, 150-171`.
fn heading(snippet: &Snippet) -> String {
    let what = named(&snippet.place);
    if snippet.is_whole() {
        return what;
    }
    format!("{what}, shown {}", ranges(&snippet.excerpts))
}

fn push_places(page: &mut Page, file: &FilePlaces) {
    for place in &file.places {
        let location = format!("{}:{}", file.path, range(place.lines));
        page.push(Line::Place { location, text: signature(place) });
    }
}

/// The answer as JSON, with the content of [`search_page`].
pub fn search_json(answer: &SearchAnswer, snippets: &Snippets) -> Value {
    json!({
        "confidence": snippets.confidence.as_str(),
        "files": snippets.files.iter().map(|file| json!({
            "path": file.path.as_str(),
            "snippets": file.snippets.iter().map(snippet_json).collect::<Vec<_>>(),
            "also": file.members.iter().map(place_json).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "places": snippets.places.iter().map(|file| json!({
            "path": file.path.as_str(),
            "places": file.places.iter().map(place_json).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
        "absent": snippets.absent.iter().map(|absent| json!({
            "name": absent.name,
            "similar": absent.similar,
        })).collect::<Vec<_>>(),
        "tests_left_out": snippets.has_tests,
        "notes": answer.notes,
    })
}

fn snippet_json(snippet: &Snippet) -> Value {
    let mut value = place_json(&snippet.place);
    value["excerpts"] = snippet.excerpts.iter().map(excerpt_json).collect();
    value
}
