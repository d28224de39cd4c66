//! Whether an answer shows what was asked for.

use super::questions::{Gold, Kind, Question};
use super::repository::Repository;
use anyhow::Result;
use groma_engine::PathKind;
use serde_json::Value;

/// How many places count as the top.
const TOP: usize = 3;

/// An answer of the native surface: its places in the order in which they are read.
pub struct Answer {
    places: Vec<Place>,
    /// "nothing here is about this".
    nothing: bool,
}

struct Place {
    path: String,
    start: u32,
    end: u32,
}

/// What an answer has.
pub struct Verdict {
    pub first: bool,
    pub top: bool,
    pub nothing: bool,
}

impl Verdict {
    /// Whether this is what the kind of question needs.
    pub fn is_right(&self, kind: Kind) -> bool {
        match kind {
            Kind::Nonsense => self.nothing,
            Kind::FullPath | Kind::PathLine | Kind::BaseName => self.first,
            _ => self.top,
        }
    }
}

impl Answer {
    pub fn parse(text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text)?;
        let mut places = Vec::new();
        for (list, inner) in [("files", "snippets"), ("places", "places")] {
            for file in value[list].as_array().into_iter().flatten() {
                let path = file["path"].as_str().unwrap_or_default();
                for place in file[inner].as_array().into_iter().flatten() {
                    let line = |name: &str| place[name].as_u64().unwrap_or(1) as u32;
                    let (start, end) = (line("start_line"), line("end_line"));
                    places.push(Place { path: path.to_string(), start, end });
                }
            }
        }
        Ok(Self { nothing: value["confidence"] == "none", places })
    }

    /// Judges the places. "first" looks at the first file, all places of which are read together.
    pub fn judge(&self, repository: &Repository, question: &Question) -> Verdict {
        let right = |place: &&Place| place.is_right(repository, &question.gold);
        let first = self.places.first().map(|place| place.path.as_str());
        Verdict {
            first: self
                .places
                .iter()
                .filter(|place| Some(&*place.path) == first)
                .any(|p| right(&p)),
            top: self.places.iter().take(TOP).any(|place| right(&place)),
            nothing: self.nothing,
        }
    }

    /// The first places, for reading.
    pub fn shown(&self) -> String {
        let shown = self.places.iter().take(TOP);
        let shown: Vec<String> =
            shown.map(|place| format!("{}:{}-{}", place.path, place.start, place.end)).collect();
        format!("{}{}", if self.nothing { "nothing; " } else { "" }, shown.join("  "))
    }
}

impl Place {
    fn is_right(&self, repository: &Repository, gold: &Gold) -> bool {
        let file = repository.files.get(&self.path);
        let has =
            |text: &str| file.is_some_and(|file| file.text(self.start, self.end).contains(text));
        match gold {
            Gold::File(path) => self.path == *path,
            Gold::Folder(path) => self.path.starts_with(path.as_str()),
            Gold::Line(path, line) => self.path == *path && (self.start..=self.end).contains(line),
            Gold::Text(text) => has(text),
            Gold::Definition(name) => file.is_some_and(|file| {
                file.facts.symbols.iter().any(|symbol| {
                    symbol.name == *name && (self.start..=self.end).contains(&symbol.name_line)
                })
            }),
            Gold::TestOf(name) => {
                let in_test = file.is_some_and(|file| {
                    file.kind == PathKind::Test
                        || file.facts.symbols.iter().any(|symbol| {
                            symbol.kind == groma_core::SymbolKind::Test
                                && (self.start..=self.end).contains(&symbol.name_line)
                        })
                });
                in_test && has(name)
            }
            Gold::ProseOf(name) => file.is_some_and(|file| file.is_prose()) && has(name),
            Gold::CallOf(name) => {
                let is_definition = file.is_some_and(|file| {
                    file.facts
                        .symbols
                        .iter()
                        .any(|symbol| symbol.name == *name && symbol.lines.start == self.start)
                });
                !is_definition && has(&format!("{name}("))
            }
            Gold::Nothing => false,
        }
    }
}
