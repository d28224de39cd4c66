//! `grep`.

use super::error::Error;
use super::tools::Grep;
use super::{Form, NativeTool, Reply, engine, project};
use crate::surface::Call;
use groma_core::RelPath;
use groma_engine::{Case, GrepRequest};
use groma_render::{grep_json, grep_page};

/// Matches that are counted by file. More are counted in all.
const COUNTED: usize = 10_000;

/// Maximum number of lines around a match.
const MAX_CONTEXT: i64 = 20;

/// Maximum number of matches that are shown.
const MAX_LIMIT: i64 = 1000;

impl NativeTool for Grep {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let request = self.request();
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let mut answer = engine.grep(&request, call.observer, call.cancel)?;
        if answer.matches.is_empty() && request.case != Case::Insensitive {
            let insensitive = GrepRequest { case: Case::Insensitive, ..request.clone() };
            let others = engine.grep(&insensitive, call.observer, call.cancel)?.total;
            if others > 0 {
                answer.notes.push(format!("{others} lines match if case is ignored"));
            }
        }
        let limit = self.max_matches();
        let form = Form::new(self.format, self.max_tokens);
        let places = engine.enclosing_places();
        let enclosing = |path: &RelPath, line: u32| places.at(path, line);
        let shown = form.answer(
            || grep_json(&request, &answer, limit, form.content(), &enclosing),
            || grep_page(&request, &answer, limit, form.content(), &enclosing),
        );
        drop(places);
        drop(engine);
        Ok(Reply::about(project, Some(self.pattern), shown))
    }
}

impl Grep {
    fn request(&self) -> GrepRequest {
        let mut request = GrepRequest::new(&self.pattern);
        request.literal = self.literal == Some(true);
        request.case = match self.case_sensitive {
            Some(true) => Case::Sensitive,
            Some(false) => Case::Insensitive,
            None => Case::Smart,
        };
        request.paths = self.paths.clone();
        let context = self.context.clamp(0, MAX_CONTEXT) as u32;
        (request.before, request.after) = (context, context);
        request.limit = COUNTED.max(self.max_matches());
        request
    }

    fn max_matches(&self) -> usize {
        self.limit.clamp(1, MAX_LIMIT) as usize
    }
}
