//! The other form of a list: every identifier that a compiler resolved, from which definitions are sampled here.
//!
//! A line is an identifier: its path `p`, line `l` and name `n`, its role `r` (`def`, `ref`, `ext` for a library's, `?` if the
//! compiler could not tell), the kind `k` of a definition, and the id `d` of the definition that it is or means. A line with
//! `file` names a file that was compiled.

use super::list::{Definition, List, Place, Use};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Definitions of each kind that are asked about.
const QUOTA: usize = 40;

/// Kinds of definitions that are not asked about.
const LEFT_OUT: &[&str] = &["", "local", "local_type", "label", "pkgname", "other", "parameter"];

/// A definition: its id, name, kind and place.
struct Known {
    id: String,
    name: String,
    kind: String,
    place: Place,
}

#[derive(Default)]
pub struct Occurrences {
    files: BTreeSet<String>,
    definitions: BTreeMap<String, Known>,
    references: HashMap<String, BTreeSet<Place>>,
    /// Where names are used that the compiler could not resolve.
    undecided: HashMap<String, BTreeSet<Place>>,
}

impl Occurrences {
    /// Whether a line is of this form.
    pub fn has_form(line: &Value) -> bool {
        line["file"].is_string() || line["r"].is_string()
    }

    pub fn add(&mut self, line: &Value) {
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_string();
        if line["file"].is_string() {
            self.files.insert(text("file"));
            return;
        }
        let place = (text("p"), line["l"].as_u64().unwrap_or_default() as u32);
        match line["r"].as_str() {
            Some("def") => {
                let known = Known { id: text("d"), name: text("n"), kind: text("k"), place };
                self.definitions.entry(known.id.clone()).or_insert(known);
            }
            Some("ref") => {
                self.references.entry(text("d")).or_default().insert(place);
            }
            Some("?" | "pkg" | "pkgdecl") => {
                self.undecided.entry(text("n")).or_default().insert(place);
            }
            _ => {}
        }
    }

    /// A list of definitions that are used somewhere, spread over the project.
    pub fn sample(self) -> List {
        let mut namesakes: HashMap<&str, u64> = HashMap::new();
        let mut kinds: BTreeMap<&str, Vec<(u64, &Known)>> = BTreeMap::new();
        for one in self.definitions.values() {
            *namesakes.entry(&one.name).or_default() += 1;
            let is_used = self.references.get(&one.id).is_some_and(|uses| !uses.is_empty());
            if is_used && !LEFT_OUT.contains(&one.kind.as_str()) {
                kinds.entry(&one.kind).or_default().push((spread(&one.id), one));
            }
        }
        let mut definitions = Vec::new();
        for (_, mut known) in kinds {
            known.sort_by_key(|(order, one)| (*order, &one.id));
            for (_, one) in known.into_iter().take(QUOTA) {
                definitions.push(self.definition(one, namesakes[one.name.as_str()]));
            }
        }
        List { files: self.files.clone(), definitions }
    }

    fn definition(&self, one: &Known, namesakes: u64) -> Definition {
        let uses = self.references.get(&one.id).into_iter().flatten();
        let undecided = self.undecided.get(&one.name).cloned().unwrap_or_default();
        Definition {
            place: one.place.clone(),
            name: one.name.clone(),
            kind: one.kind.clone(),
            namesakes,
            declarations: BTreeSet::new(),
            references: uses
                .filter(|place| !undecided.contains(*place))
                .map(|place| Use { place: place.clone(), kind: "use".into(), enclosing: None })
                .collect(),
            undecided,
        }
    }
}

/// A number that orders definitions without regard to their path (FNV-1a).
fn spread(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn definitions_that_are_used_are_sampled_with_their_uses() {
        let mut found = Occurrences::default();
        for line in [
            json!({"file": "a.go"}),
            json!({"p": "a.go", "l": 1, "n": "Run", "r": "def", "k": "function", "d": "a:Run"}),
            json!({"p": "a.go", "l": 2, "n": "Idle", "r": "def", "k": "function", "d": "a:Idle"}),
            json!({"p": "a.go", "l": 7, "n": "Run", "r": "ref", "d": "a:Run"}),
            json!({"p": "a.go", "l": 9, "n": "Run", "r": "?"}),
        ] {
            assert!(Occurrences::has_form(&line));
            found.add(&line);
        }
        let list = found.sample();
        let [run] = &list.definitions[..] else { panic!("{}", list.definitions.len()) };
        assert_eq!((run.name.as_str(), run.namesakes), ("Run", 1));
        assert_eq!(run.references[0].place, ("a.go".to_string(), 7));
        assert!(run.undecided.contains(&("a.go".to_string(), 9)));
        assert!(list.files.contains("a.go"));
    }
}
