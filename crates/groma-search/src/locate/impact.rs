//! What depends on definitions, over several steps: what uses them, what uses that, and the tests among these.
//!
//! Only certain usages are followed. Where a language does not link references, those are all usages by name. A call
//! through an interface leads to the method of the interface, not to those that implement it.

use super::present::Presenter;
use super::request::{Definition, LocateRequest, NameMatch, Relation, Usage};
use super::resolution::{DefinitionMatch, LocatedSymbol, QueryName};
use super::usages::{Candidate, Subject};
use super::{find_definitions, retain_subjects};
use crate::error::SearchError;
use crate::path_kind::{PathKind, kind as path_kind};
use crate::reader::Reader;
use groma_core::{Cancel, ChunkFilter, FileFacts, Lines, RelPath, SymbolKind};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of steps.
pub const MAX_STEPS: usize = 8;

/// Definitions of one step that are followed; more depend on something that half of the project uses.
const MAX_FOLLOWED: usize = 400;

/// A question about what depends on something.
#[derive(Clone, Debug)]
pub struct ImpactRequest {
    /// What is changed.
    pub of: ImpactOf,
    /// How many steps are followed.
    pub steps: usize,
}

/// What is changed.
#[derive(Clone, Debug)]
pub enum ImpactOf {
    /// The definitions of a name.
    Name(LocateRequest),
    /// Files, with the lines that are changed in each; all of it if there are none. A definition is changed if it is the
    /// innermost that holds all lines of a range.
    Files(Vec<(RelPath, Vec<Lines>)>),
}

/// Something that depends on what is changed.
#[derive(Clone, Debug)]
pub struct Dependent {
    /// The first place that uses it, with the definition around that.
    pub usage: Usage,
    /// What it uses: the index in the step before, or in the definitions for the first step.
    pub of: usize,
    /// Whether it is a test.
    pub is_test: bool,
}

/// What depends on something.
#[derive(Clone, Debug)]
pub struct ImpactAnswer {
    /// What is changed.
    pub definitions: Vec<Definition>,
    /// Changed files without a changed definition.
    pub other_files: Vec<RelPath>,
    /// What depends on it, by the number of steps.
    pub steps: Vec<Vec<Dependent>>,
    /// How many dependents there are in all.
    pub total: usize,
    /// How many of them are tests.
    pub tests: usize,
    /// Notes for the reader.
    pub notes: Vec<String>,
}

impl ImpactAnswer {
    /// The test files to run: those that reach what is changed, and those that are changed.
    pub fn test_files(&self) -> BTreeSet<&RelPath> {
        let reaching = self.steps.iter().flatten().filter(|one| one.is_test);
        let changed = self.definitions.iter().map(|one| (&one.path, one.symbol.kind));
        let changed = changed
            .filter(|(path, kind)| *kind == SymbolKind::Test || path_kind(path) == PathKind::Test);
        let others = self.other_files.iter().filter(|path| path_kind(path) == PathKind::Test);
        reaching
            .map(|one| &one.usage.path)
            .chain(changed.map(|(path, _)| path))
            .chain(others)
            .collect()
    }
}

/// Follows usages from definitions, step by step. Files that changed since they were indexed are left out; their number
/// is returned beside the answer.
pub fn impact(
    reader: &Reader,
    request: &ImpactRequest,
    cancel: &Cancel,
) -> Result<(ImpactAnswer, usize), SearchError> {
    if request.steps == 0 || request.steps > MAX_STEPS {
        return Err(SearchError::invalid("steps", format!("must be 1 to {MAX_STEPS}")));
    }
    let roots = roots(reader, &request.of)?;
    let located = |one: &DefinitionMatch| (one.path.clone(), one.facts.clone(), one.index);
    let mut walk = Walk {
        reader,
        cancel,
        seen: roots.iter().map(|one| (one.path.clone(), Some(one.index))).collect(),
        presenter: Presenter::new(reader, usize::MAX),
    };
    // What is followed, and where it is in the step before.
    let mut level: Vec<(usize, LocatedSymbol)> = roots.iter().map(located).enumerate().collect();
    let mut steps: Vec<Vec<Dependent>> = Vec::new();
    for _ in 0..request.steps {
        let (step, next) = walk.step(&level)?;
        if step.is_empty() {
            break;
        }
        steps.push(step);
        level = next;
    }
    let total = steps.iter().map(Vec::len).sum();
    let tests = steps.iter().flatten().filter(|one| one.is_test).count();
    let other_files = other_files(&request.of, &roots);
    let definitions = walk.presenter.definitions(roots);
    let (notes, outdated) = (walk.presenter.notes, walk.presenter.outdated.len());
    Ok((ImpactAnswer { definitions, other_files, steps, total, tests, notes }, outdated))
}

/// The definitions that are changed.
fn roots(reader: &Reader, of: &ImpactOf) -> Result<Vec<DefinitionMatch>, SearchError> {
    match of {
        ImpactOf::Name(request) => {
            request.check()?;
            let request = LocateRequest { relation: Relation::References, ..request.clone() };
            let (name, files) = (QueryName::new(&request.name), ChunkFilter::default());
            let mut found = find_definitions(&*reader.snapshot, &name, &request, &files)?;
            retain_subjects(&mut found, Relation::References);
            Ok(found)
        }
        ImpactOf::Files(files) => {
            let mut found = Vec::new();
            for (path, lines) in files {
                let facts = reader.snapshot.file_facts(path)?;
                facts.into_iter().for_each(|facts| add_changed(&mut found, path, &facts, lines));
            }
            Ok(found)
        }
    }
}

/// The changed files that have none of the changed definitions.
fn other_files(of: &ImpactOf, roots: &[DefinitionMatch]) -> Vec<RelPath> {
    let ImpactOf::Files(files) = of else { return Vec::new() };
    let with: FxHashSet<&RelPath> = roots.iter().map(|one| &one.path).collect();
    files.iter().map(|(path, _)| path).filter(|path| !with.contains(path)).cloned().collect()
}

/// Adds the definitions of a file that hold one of the lines; the innermost, since what is around them is not changed.
fn add_changed(
    found: &mut Vec<DefinitionMatch>,
    path: &RelPath,
    facts: &Arc<FileFacts>,
    lines: &[Lines],
) {
    let code = || {
        // Nothing refers to a heading or a key.
        let is_code = |kind| !matches!(kind, SymbolKind::Section | SymbolKind::Key);
        (0u32..).zip(&facts.symbols).filter(move |(_, one)| is_code(one.kind))
    };
    let innermost = |lines: &Lines| {
        let around = code().filter(|(_, one)| one.lines.encloses(*lines));
        around.min_by_key(|(_, one)| one.lines.count()).map(|(index, _)| index)
    };
    let mut indexes: Vec<u32> = match lines {
        [] => code().map(|(index, _)| index).collect(),
        lines => lines.iter().filter_map(innermost).collect(),
    };
    indexes.sort_unstable();
    indexes.dedup();
    let (matched, score) = (NameMatch::Exact, 1.0);
    found.extend(indexes.into_iter().map(|index| {
        let (path, facts) = (path.clone(), facts.clone());
        DefinitionMatch { path, facts, index, matched, score }
    }));
}

/// A definition to follow, with the index of the dependent that it comes from.
type Followed = (usize, LocatedSymbol);

/// The state between two steps.
struct Walk<'a> {
    reader: &'a Reader,
    cancel: &'a Cancel,
    /// What is part of the answer, by file and symbol; a use outside of definitions has none.
    seen: FxHashSet<(RelPath, Option<u32>)>,
    presenter: Presenter<'a>,
}

impl Walk<'_> {
    /// What uses the definitions and was not seen before, and the definitions to follow from there.
    fn step(&mut self, level: &[Followed]) -> Result<(Vec<Dependent>, Vec<Followed>), SearchError> {
        let (mut found, mut next) = (Vec::new(), Vec::new());
        for one in self.uses(level)? {
            let around = definition_around(&one);
            if one.is_possible() || !self.seen.insert((one.path.clone(), around)) {
                continue;
            }
            let (of, path, facts) = (level[one.of].0, one.path.clone(), one.facts.clone());
            let is_test = path_kind(&path) == PathKind::Test
                || around.is_some_and(|index| is_in_test(&facts, index));
            let usages = self.presenter.usages(vec![one], Relation::References)?;
            let Some(usage) = usages.into_iter().next() else { continue };
            if let Some(index) = around {
                next.push((found.len(), (path, facts, index)));
            }
            found.push(Dependent { usage, of, is_test });
        }
        if next.len() > MAX_FOLLOWED {
            next.truncate(MAX_FOLLOWED);
            let note =
                format!("more than {MAX_FOLLOWED} definitions of a step: the rest is not followed");
            self.presenter.notes.push(note);
        }
        Ok((found, next))
    }

    /// All usages of the definitions, those in tests last.
    fn uses(&self, level: &[Followed]) -> Result<Vec<Candidate>, SearchError> {
        let definitions: Vec<LocatedSymbol> = level.iter().map(|(_, one)| one.clone()).collect();
        let name = |(_, facts, index): &LocatedSymbol| facts.symbols[*index as usize].name.clone();
        let mut names: Vec<String> = definitions.iter().map(name).collect();
        names.sort_unstable();
        names.dedup();
        let subject = Subject {
            reader: self.reader,
            snapshot: &*self.reader.snapshot,
            name: &QueryName::new(""),
            definitions: &[],
            names: Vec::new(),
            files: &ChunkFilter::default(),
            cancel: self.cancel,
        };
        let mut found = subject.uses(&names, &definitions, |_| true)?;
        let test = |one: &Candidate| path_kind(&one.path) == PathKind::Test;
        found.sort_by(|a, b| (test(a), &a.path, a.line).cmp(&(test(b), &b.path, b.line)));
        Ok(found)
    }
}

/// The definition around a usage that depends on it: a field or a parameter's type belongs to what holds it.
fn definition_around(one: &Candidate) -> Option<u32> {
    let mut index = one.enclosing?;
    let symbols = &one.facts.symbols;
    while symbols[index as usize].kind == SymbolKind::Field {
        index = symbols[index as usize].parent.filter(|parent| *parent < index)?;
    }
    Some(index)
}

/// Whether a symbol is a test or inside of one.
fn is_in_test(facts: &FileFacts, symbol: u32) -> bool {
    let mut at = Some(symbol);
    for _ in 0..=facts.symbols.len() {
        let Some(symbol) = at.and_then(|index| facts.symbols.get(index as usize)) else { break };
        if symbol.kind == SymbolKind::Test {
            return true;
        }
        at = symbol.parent;
    }
    false
}
