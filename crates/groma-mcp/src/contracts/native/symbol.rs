//! `symbol`.

use super::error::Error;
use super::tools::Symbol;
use super::{NativeTool, Reply, engine, formatted, project};
use crate::surface::Call;
use groma_engine::{LocateAnswer, LocateRequest, PathKind, RefEngine, Relation, Usage, path_kind};
use groma_render::{Budget, SymbolView, symbol_json, symbol_page};

/// Definitions that are listed.
const DEFINITIONS: usize = 5;

/// Usages that are looked up at each distance.
const USAGES: usize = 40;

/// Usages whose own usages are followed.
const FOLLOWED: usize = 8;

impl NativeTool for Symbol {
    fn answer(self, call: &Call<'_>) -> Result<Reply, Error> {
        let relation = self.wanted();
        let project = project(call, self.project.as_deref())?;
        let engine = engine(&project, self.reference.as_deref())?;
        let mut request = LocateRequest::new(&self.name);
        request.relation = relation;
        request.paths = self.paths.clone();
        request.limit = if relation == Relation::Definitions { DEFINITIONS } else { USAGES };
        let mut answer = engine.locate(&request, call.observer, call.cancel)?;
        answer.definitions.truncate(DEFINITIONS);
        if self.relation == "tests" {
            retain_tests(&mut answer);
        }
        let further = self.further(&answer, &engine, call)?;
        let budget = Budget::tokens(self.max_tokens);
        let bodies = self.bodies(&answer, &engine, budget, call);
        drop(engine);
        let view = SymbolView {
            name: &self.name,
            relation,
            answer: &answer,
            further: &further,
            bodies: &bodies,
        };
        let shown = formatted(
            self.format,
            || symbol_json(&view),
            || symbol_page(&view, budget).to_string(),
        );
        Ok(Reply::about(project, Some(self.name.clone()), shown))
    }
}

impl Symbol {
    fn wanted(&self) -> Relation {
        match self.relation {
            "definition" => Relation::Definitions,
            "tests" => Relation::References,
            other => other.parse().unwrap_or_default(),
        }
    }

    /// The body of the best definition, if definitions are looked up.
    fn bodies(
        &self,
        answer: &LocateAnswer,
        engine: &RefEngine<'_>,
        budget: Budget,
        call: &Call<'_>,
    ) -> Vec<groma_engine::PlaceView> {
        let Some(best) = answer.definitions.first().filter(|_| self.relation == "definition")
        else {
            return Vec::new();
        };
        let lines = best.symbol.lines;
        let place = format!("{}:{}-{}", best.path, lines.start, lines.end);
        let read = engine.read_places(&[place], budget.chars(), call.observer, call.cancel);
        let mut views: Vec<_> = read.into_iter().flatten().flatten().collect();
        for view in &mut views {
            view.place = Some(groma_engine::Place {
                lines,
                kind: Some(best.symbol.kind),
                name: best.symbol.qualified.clone(),
                signature: best.symbol.signature.clone(),
            });
        }
        views
    }

    /// Callers of the callers, or callees of the callees, up to the requested depth.
    fn further(
        &self,
        answer: &LocateAnswer,
        engine: &RefEngine<'_>,
        call: &Call<'_>,
    ) -> Result<Vec<Vec<Usage>>, Error> {
        let relation = self.wanted();
        if !matches!(relation, Relation::Callers | Relation::Callees) {
            return Ok(Vec::new());
        }
        let mut seen: Vec<String> = vec![self.name.clone()];
        let mut levels: Vec<Vec<Usage>> = Vec::new();
        for _ in 1..self.depth {
            let from = levels.last().unwrap_or(&answer.usages);
            let names = next_names(from, relation, &mut seen);
            let mut level = Vec::new();
            for name in names {
                let mut request = LocateRequest::new(name);
                (request.relation, request.limit) = (relation, FOLLOWED);
                level.extend(engine.locate(&request, call.observer, call.cancel)?.usages);
            }
            if level.is_empty() {
                break;
            }
            levels.push(level);
        }
        Ok(levels)
    }
}

/// The definitions to follow from some usages, each once.
fn next_names(usages: &[Usage], relation: Relation, seen: &mut Vec<String>) -> Vec<String> {
    let mut names = Vec::new();
    for usage in usages {
        let name = match relation {
            Relation::Callees => (!usage.definitions.is_empty()).then(|| usage.name.clone()),
            _ => usage.enclosing.as_ref().map(|symbol| symbol.qualified.clone()),
        };
        if let Some(name) = name.filter(|name| !seen.contains(name)) {
            seen.push(name.clone());
            names.push(name);
        }
        if names.len() == FOLLOWED {
            break;
        }
    }
    names
}

/// Keeps the usages in tests.
fn retain_tests(answer: &mut LocateAnswer) {
    answer.usages.retain(|usage| path_kind(&usage.path) == PathKind::Test);
    answer.total_usages = answer.usages.len();
}
