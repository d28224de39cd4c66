//! `symbol`.

use super::error::Error;
use super::tools::Symbol;
use super::{Form, NativeTool, Reply, engine, project};
use crate::surface::Call;
use groma_engine::{LocateRequest, Relation, SymbolRequest};
use groma_render::{Budget, symbol_json, symbol_page};

/// Definitions that are listed.
const DEFINITIONS: usize = 5;

/// Usages that are looked up at each distance.
const USAGES: usize = 40;

impl NativeTool for Symbol {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let form = Form::new(self.format, self.max_tokens);
        let request = self.request(form.content());
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let answer = engine.symbol(&request, call.observer, call.cancel)?;
        drop(engine);
        let shown = form.answer(
            || symbol_json(&request, &answer),
            || symbol_page(&request, &answer, form.content()),
        );
        Ok(Reply::about(project, Some(self.name), shown))
    }
}

impl Symbol {
    fn request(&self, budget: Budget) -> SymbolRequest {
        let relation = match self.relation {
            "definition" => Relation::Definitions,
            "tests" => Relation::References,
            other => other.parse().unwrap_or_default(),
        };
        let mut locate = LocateRequest::new(&self.name);
        locate.relation = relation;
        locate.paths = self.paths.clone();
        locate.limit = if relation == Relation::Definitions { DEFINITIONS } else { USAGES };
        SymbolRequest {
            locate,
            definitions: DEFINITIONS,
            only_tests: self.relation == "tests",
            depth: self.depth.clamp(1, 3) as usize,
            // The heading, and the other definitions.
            body_chars: budget.chars().saturating_sub(250 + budget.chars() / 10),
        }
    }
}
