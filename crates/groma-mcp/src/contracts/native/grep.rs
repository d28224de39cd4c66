//! `grep_codebase`.

use super::render::{self, Budget};
use super::trouble::Trouble;
use super::{argument, engine, project};
use crate::contracts::filter;
use crate::surface::{Answer, Call};
use groma_engine::{Case, GrepAnswer, GrepMatch, GrepRequest};
use serde_json::{Value, json};

/// Finds exact text.
pub fn grep_codebase(call: &Call<'_>) -> Result<Answer, Trouble> {
    let arguments = &call.arguments;
    let mut request = GrepRequest::new(arguments.required_text("pattern")?);
    request.literal = arguments.is_set("literal")?;
    request.case = match arguments.flag("case_sensitive")? {
        Some(true) => Case::Sensitive,
        Some(false) => Case::Insensitive,
        None => Case::Smart,
    };
    request.paths = arguments.texts("path")?;
    request.languages = filter::languages(&arguments.texts("language")?)
        .map_err(|why| argument("language", why))?;
    let context = arguments.count("context")?.unwrap_or(0) as u32;
    (request.before, request.after) = (context, context);
    request.limit = arguments.count("limit")?.unwrap_or(50);
    let project = project(call)?;
    let answer = engine(call, &project)?.grep(&request, call.observer, call.cancel)?;
    if arguments.text("format")? == Some("json") {
        return Ok(render::data(as_json(&request, &answer)));
    }
    let budget = Budget::tokens(arguments.count("max_tokens")?.unwrap_or(6000));
    Ok(Answer::text(render::with_notes(as_text(&request, &answer, budget), &answer.notes)))
}

fn as_text(request: &GrepRequest, answer: &GrepAnswer, budget: Budget) -> String {
    if answer.matches.is_empty() {
        return format!(
            "No line of {} files matches {:?}. search_code finds code by meaning.",
            answer.files_searched, request.pattern
        );
    }
    let blocks: Vec<String> = answer.matches.iter().map(block).collect();
    let shown = budget.blocks(&blocks);
    let mut text = blocks[..shown].concat();
    let at_least = if answer.is_total_exact { "" } else { "at least " };
    if shown < answer.total {
        text.push_str(&format!(
            "[{shown} of {at_least}{} matching lines in {} files shown: raise limit or max_tokens, or narrow by path]\n",
            answer.total, answer.files_matched
        ));
    }
    text
}

/// A match as grep shows it: `:` after the number of a line that matches, `-` after that of one around it.
fn block(found: &GrepMatch) -> String {
    let mut text = String::new();
    let first = found.line - found.before.len() as u32;
    for (number, line) in (first..).zip(&found.before) {
        text.push_str(&format!("{}-{number}-{line}\n", found.path));
    }
    text.push_str(&format!("{}:{}:{}\n", found.path, found.line, found.text));
    for (number, line) in (found.line + 1..).zip(&found.after) {
        text.push_str(&format!("{}-{number}-{line}\n", found.path));
    }
    if !found.before.is_empty() || !found.after.is_empty() {
        text.push_str("--\n");
    }
    text
}

fn as_json(request: &GrepRequest, answer: &GrepAnswer) -> Value {
    json!({
        "pattern": request.pattern,
        "matches": answer.matches.iter().map(|found| json!({
            "path": found.path.as_str(),
            "line": found.line,
            "column": found.column,
            "text": found.text,
            "before": found.before,
            "after": found.after,
        })).collect::<Vec<_>>(),
        "total": answer.total,
        "is_total_exact": answer.is_total_exact,
        "files_matched": answer.files_matched,
        "files_searched": answer.files_searched,
        "notes": answer.notes,
    })
}
