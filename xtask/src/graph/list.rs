//! An occurrence list, as README.md describes it.

use super::occurrences::Occurrences;
use anyhow::{Context, Result};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// A file and a line.
pub type Place = (String, u32);

/// What an oracle knows.
pub struct List {
    pub files: BTreeSet<String>,
    pub definitions: Vec<Definition>,
}

/// A definition with its uses.
pub struct Definition {
    pub place: Place,
    pub name: String,
    pub kind: String,
    /// How many definitions of the project have this name.
    pub namesakes: u64,
    /// Where it is declared besides; uses there are not counted.
    pub declarations: BTreeSet<Place>,
    pub references: Vec<Use>,
    /// Where the oracle does not know what the name means.
    pub undecided: BTreeSet<Place>,
}

/// A use of a definition.
pub struct Use {
    pub place: Place,
    pub kind: String,
    /// The line of the function around it, or of the class that it is a base of; 0 for none. `None` if the oracle does not
    /// say.
    pub enclosing: Option<u32>,
}

impl List {
    /// Reads a list.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let mut lines = text.lines().map(serde_json::from_str::<Value>);
        let first = lines.next().context("the list is empty")??;
        if Occurrences::has_form(&first) {
            let mut occurrences = Occurrences::default();
            occurrences.add(&first);
            for line in lines {
                occurrences.add(&line?);
            }
            return Ok(occurrences.sample());
        }
        let files = first["files"].as_array().context("the first line has no files")?;
        let files = files.iter().filter_map(Value::as_str).map(str::to_string).collect();
        let definitions = lines.map(|value| definition(&value?)).collect::<Result<_>>()?;
        Ok(Self { files, definitions })
    }
}

fn definition(value: &Value) -> Result<Definition> {
    let uses = value["references"].as_array().into_iter().flatten();
    let references = uses.map(|one| {
        let enclosing = one["enclosing"].as_u64().map(|line| line as u32);
        Ok(Use { place: place(one)?, kind: text(one, "kind")?, enclosing })
    });
    Ok(Definition {
        place: place(value)?,
        name: text(value, "name")?,
        kind: text(value, "kind")?,
        namesakes: value["namesakes"].as_u64().unwrap_or(1),
        declarations: places(&value["declarations"]),
        references: references.collect::<Result<_>>()?,
        undecided: places(&value["undecided"]),
    })
}

fn text(value: &Value, field: &str) -> Result<String> {
    let text = value[field].as_str().with_context(|| format!("no {field} in {value}"))?;
    Ok(text.to_string())
}

fn place(value: &Value) -> Result<Place> {
    let line = value["line"].as_u64().with_context(|| format!("no line in {value}"))?;
    Ok((text(value, "path")?, line as u32))
}

fn places(value: &Value) -> BTreeSet<Place> {
    let pair = |one: &Value| Some((one[0].as_str()?.to_string(), one[1].as_u64()? as u32));
    value.as_array().into_iter().flatten().filter_map(pair).collect()
}
