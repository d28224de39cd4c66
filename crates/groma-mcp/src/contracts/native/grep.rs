//! `grep_codebase`.

use super::error::Error;
use super::render::{self, Budget};
use super::tools::GrepCodebase;
use super::{NativeTool, Reply, engine, project};
use crate::contracts::filter;
use crate::surface::{Answer, Call};
use groma_engine::{Case, GrepAnswer, GrepMatch, GrepRequest};
use serde_json::{Value, json};

impl NativeTool for GrepCodebase {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let request = self.request()?;
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let answer = engine.grep(&request, call.observer, call.cancel)?;
        drop(engine);
        let shown = if self.format == "json" {
            render::data(as_json(&request, &answer))
        } else {
            let text = as_text(&request, &answer, Budget::tokens(self.max_tokens));
            Answer::text(render::with_notes(text, &answer.notes))
        };
        Ok(Reply::about(project, Some(self.pattern), shown))
    }
}

impl GrepCodebase {
    fn request(&self) -> Result<GrepRequest, Error> {
        let mut request = GrepRequest::new(&self.pattern);
        request.literal = self.literal;
        request.case = match self.case_sensitive {
            Some(true) => Case::Sensitive,
            Some(false) => Case::Insensitive,
            None => Case::Smart,
        };
        request.paths = self.paths.clone();
        request.languages = filter::languages(&self.languages)
            .map_err(|reason| Error::argument("language", reason))?;
        (request.before, request.after) = (self.context as u32, self.context as u32);
        request.limit = self.limit;
        Ok(request)
    }
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

/// A match in grep's format: `:` after the number of a matching line, `-` after that of a context line.
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
