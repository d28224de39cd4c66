//! A symbol query: a definition with its body, and what relates to it, to a depth.

use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{Cancel, Observer};
use groma_search::{
    LocateAnswer, LocateRequest, PathKind, PlaceView, Relation, Usage, path_kind, place_of,
};

/// Usages whose own usages are followed.
const FOLLOWED: usize = 8;

/// Usages that are looked up if only those in tests are returned.
const TEST_USAGES: usize = 1000;

/// A symbol query.
#[derive(Clone, Debug)]
pub struct SymbolRequest {
    /// The name, the relation, the filters and the number of usages.
    pub locate: LocateRequest,
    /// Maximum number of definitions.
    pub definitions: usize,
    /// Whether only usages in tests are returned.
    pub only_tests: bool,
    /// How far callers and callees are followed; 1 for those of the name itself.
    pub depth: usize,
    /// Maximum number of characters of the body of the best definition.
    pub body_chars: usize,
}

impl SymbolRequest {
    /// What is looked up, in a word.
    pub fn what(&self) -> &'static str {
        if self.only_tests { "tests" } else { self.locate.relation.as_str() }
    }
}

/// The answer to a symbol query.
#[derive(Clone, Debug)]
pub struct SymbolAnswer {
    /// The definitions, and the usages nearest to them.
    pub located: LocateAnswer,
    /// Usages of the usages by their distance: callers of callers.
    pub further: Vec<Vec<Usage>>,
    /// The body of the best definition, if definitions are looked up.
    pub bodies: Vec<PlaceView>,
}

impl Engine {
    /// Looks up a name in the tree as it is now.
    pub fn symbol(
        &self,
        request: &SymbolRequest,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<SymbolAnswer, EngineError> {
        let mut locate = request.locate.clone();
        locate.check()?;
        if request.only_tests {
            locate.limit = TEST_USAGES;
        }
        let mut located = self.locate(&locate, observer, cancel)?;
        located.definitions.truncate(request.definitions);
        if request.only_tests {
            located.usages.retain(|usage| path_kind(&usage.path) == PathKind::Test);
            located.total_usages = located.usages.len();
            located.usages.truncate(request.locate.limit);
        }
        let further = self.further_usages(request, &located, observer, cancel)?;
        let bodies = self.best_body(request, &located, observer, cancel);
        Ok(SymbolAnswer { located, further, bodies })
    }

    fn best_body(
        &self,
        request: &SymbolRequest,
        located: &LocateAnswer,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Vec<PlaceView> {
        let is_wanted = request.locate.relation == Relation::Definitions;
        let Some(best) = located.definitions.first().filter(|_| is_wanted) else {
            return Vec::new();
        };
        let lines = best.symbol.lines;
        let place = format!("{}:{}-{}", best.path, lines.start, lines.end);
        let read = self.read_places(&[place], request.body_chars, observer, cancel);
        let mut views: Vec<PlaceView> = read.into_iter().flatten().flatten().collect();
        for view in &mut views {
            view.place = Some(place_of(&best.symbol));
        }
        views
    }

    /// Callers of the callers, or callees of the callees, up to the requested depth.
    fn further_usages(
        &self,
        request: &SymbolRequest,
        located: &LocateAnswer,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<Usage>>, EngineError> {
        let relation = request.locate.relation;
        if !matches!(relation, Relation::Callers | Relation::Callees) {
            return Ok(Vec::new());
        }
        let mut seen: Vec<String> = vec![request.locate.name.clone()];
        let mut levels: Vec<Vec<Usage>> = Vec::new();
        for _ in 1..request.depth {
            let from = levels.last().unwrap_or(&located.usages);
            let mut level = Vec::new();
            for name in next_names(from, relation, &mut seen) {
                let mut next = LocateRequest::new(name);
                (next.relation, next.limit) = (relation, FOLLOWED);
                level.extend(self.locate(&next, observer, cancel)?.usages);
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
