//! A symbol query: a definition with its body, and what relates to it, to a depth.

use crate::engine::Engine;
use crate::error::EngineError;
use groma_core::{Cancel, Observer};
use groma_search::{
    ImpactOf, ImpactRequest, LocateAnswer, LocateRequest, Location, PathKind, PlaceView, Relation,
    Usage, path_kind, place_of,
};

/// Usages whose own usages are followed.
const FOLLOWED: usize = 8;

/// Usages that are looked up if only those in tests are returned.
const TEST_USAGES: usize = 1000;

/// Steps from a definition to the tests that use it through other code.
const TEST_STEPS: usize = 3;

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
    pub further: Vec<Vec<FurtherUsage>>,
    /// The body of the best definition, if definitions are looked up.
    pub bodies: Vec<PlaceView>,
}

/// A usage of a usage.
#[derive(Clone, Debug)]
pub struct FurtherUsage {
    /// The usage.
    pub usage: Usage,
    /// Which usage of the level before it belongs to, by index.
    pub of: usize,
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
            self.add_reaching_tests(&locate, &mut located, observer, cancel)?;
            located.total_usages = located.usages.len();
            located.possible_usages = located.usages.iter().filter(|one| one.is_possible).count();
            located.usages.truncate(request.locate.limit);
        }
        let further = self.further_usages(request, &located, observer, cancel)?;
        let bodies = self.best_body(request, &located, observer, cancel);
        Ok(SymbolAnswer { located, further, bodies })
    }

    /// Adds the tests that use the definitions through other code, nearest first, before those that only possibly do.
    fn add_reaching_tests(
        &self,
        locate: &LocateRequest,
        located: &mut LocateAnswer,
        observer: &dyn Observer,
        cancel: &Cancel,
    ) -> Result<(), EngineError> {
        if located.definitions.is_empty() {
            return Ok(());
        }
        let request = ImpactRequest { of: ImpactOf::Name(locate.clone()), steps: TEST_STEPS };
        let reached = self.impact(&request, observer, cancel)?;
        let known = |usage: &Usage, usages: &[Usage]| {
            usages.iter().any(|one| one.path == usage.path && one.enclosing == usage.enclosing)
        };
        let possible = located.usages.iter().position(|one| one.is_possible);
        let mut at = possible.unwrap_or(located.usages.len());
        for dependent in reached.steps.into_iter().flatten().filter(|one| one.is_test) {
            if !known(&dependent.usage, &located.usages) {
                located.usages.insert(at, dependent.usage);
                at += 1;
            }
        }
        Ok(())
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
    ) -> Result<Vec<Vec<FurtherUsage>>, EngineError> {
        let relation = request.locate.relation;
        if !matches!(relation, Relation::Callers | Relation::Callees) {
            return Ok(Vec::new());
        }
        let definitions = located.definitions.iter();
        let mut seen: Vec<Location> = definitions
            .map(|one| Location { path: one.path.clone(), line: one.symbol.name_line })
            .collect();
        let mut levels: Vec<Vec<FurtherUsage>> = Vec::new();
        for _ in 1..request.depth {
            let next = match levels.last() {
                Some(level) => {
                    next_definitions(level.iter().map(|one| &one.usage), relation, &mut seen)
                }
                None => next_definitions(located.usages.iter(), relation, &mut seen),
            };
            let mut level = Vec::new();
            for (of, name, at) in next {
                let mut next = LocateRequest::new(name);
                (next.at, next.relation, next.limit) = (Some(at), relation, FOLLOWED);
                let usages = self.locate(&next, observer, cancel)?.usages;
                level.extend(usages.into_iter().map(|usage| FurtherUsage { usage, of }));
            }
            if level.is_empty() {
                break;
            }
            levels.push(level);
        }
        Ok(levels)
    }
}

/// The definitions to follow from some usages, each once, with the index of the usage. Only what is certain is followed: a
/// guess about a guess says nothing.
fn next_definitions<'u>(
    usages: impl Iterator<Item = &'u Usage>,
    relation: Relation,
    seen: &mut Vec<Location>,
) -> Vec<(usize, String, Location)> {
    let mut found = Vec::new();
    for (of, usage) in usages.enumerate().filter(|(_, usage)| !usage.is_possible) {
        let next = match relation {
            Relation::Callees => {
                usage.definitions.first().map(|at| (usage.name.clone(), at.clone()))
            }
            _ => usage.enclosing.as_ref().map(|symbol| {
                let at = Location { path: usage.path.clone(), line: symbol.name_line };
                (symbol.name.clone(), at)
            }),
        };
        if let Some((name, at)) = next.filter(|(_, at)| !seen.contains(at)) {
            seen.push(at.clone());
            found.push((of, name, at));
        }
        if found.len() == FOLLOWED {
            break;
        }
    }
    found
}
