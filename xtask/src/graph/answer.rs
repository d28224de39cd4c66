//! What the engine answers about a definition of the oracle.

use super::list::{Definition, Place};
use anyhow::Result;
use groma_core::{Lines, RelPath, SymbolKind};
use groma_engine::{Cancel, Engine, LocateRequest, Location, Relation, Usage};

/// As many usages as one answer may have.
const LIMIT: usize = 1000;

/// The usages in one relation to a definition.
pub struct Answer {
    /// Whether the definition is known.
    pub known: bool,
    pub usages: Vec<Found>,
}

/// One usage.
pub struct Found {
    pub place: Place,
    /// Whether it is said to mean this definition, rather than perhaps.
    pub certain: bool,
    /// The path and the lines of the definition around it.
    pub enclosing: Option<(String, Lines)>,
}

impl Answer {
    /// Asks for the usages of one definition.
    pub fn ask(engine: &Engine, definition: &Definition, relation: Relation) -> Result<Self> {
        let mut request = LocateRequest::new(&definition.name);
        request.relation = relation;
        request.limit = LIMIT;
        let (path, line) = &definition.place;
        request.at = Some(Location { path: RelPath::new(path)?, line: *line });
        let answer = engine.locate(&request, &(), &Cancel::default())?;
        let known = !answer.definitions.is_empty();
        // Without the definition the answer would be about others of its name.
        let usages = answer.usages.iter().filter(|_| known).map(|usage| Found {
            place: (usage.path.to_string(), usage.line),
            certain: !usage.is_possible,
            enclosing: enclosing(usage, relation),
        });
        Ok(Self { known, usages: usages.collect() })
    }
}

/// The function around a call, or the type that implements. What a variable is initialised with is in no function.
fn enclosing(usage: &Usage, relation: Relation) -> Option<(String, Lines)> {
    let around = usage.enclosing.as_ref()?;
    let counts = relation == Relation::Implementors
        || around.kind.is_callable()
        || around.kind == SymbolKind::Property;
    counts.then(|| (usage.path.to_string(), around.lines))
}
