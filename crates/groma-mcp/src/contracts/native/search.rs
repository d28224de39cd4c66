//! `search`.

use super::error::Error;
use super::tools::Search;
use super::{Form, NativeTool, Reply, engine, project};
use crate::surface::Call;
use groma_engine::{SearchRequest, SnippetOptions};
use groma_render::{search_json, search_page};

/// Hits from which the lines are chosen. More of them cost time and no tokens.
const HITS: usize = 40;

/// Results that are only named.
const MAX_PLACES: usize = 6;

impl NativeTool for Search {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let mut request = SearchRequest::new(&self.query);
        request.limit = HITS;
        request.filter.set_paths(&self.paths).map_err(|reason| Error::argument("path", reason))?;
        let form = Form::new(self.format, self.max_tokens);
        let options = SnippetOptions {
            chars: form.content().chars(),
            places: MAX_PLACES.min(form.content().chars() / 300),
            tests: self.tests.parse().unwrap_or_default(),
        };
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let (answer, snippets) =
            engine.search_snippets(&request, &options, call.observer, call.cancel)?;
        drop(engine);
        let shown =
            form.answer(|| search_json(&answer, &snippets), || search_page(&answer, &snippets));
        Ok(Reply::about(project, Some(self.query), shown))
    }
}
