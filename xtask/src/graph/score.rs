//! Precision, recall and F1, in all and by classes of definitions and uses.

use super::answer::{Answer, Found};
use super::list::{Definition, List, Place, Use};
use std::collections::{BTreeMap, BTreeSet};

/// What was found rightly, wrongly and not at all.
#[derive(Clone, Copy, Default)]
pub struct Score {
    right: usize,
    wrong: usize,
    missed: usize,
}

impl Score {
    fn add(&mut self, other: Self) {
        self.right += other.right;
        self.wrong += other.wrong;
        self.missed += other.missed;
    }

    fn ratio(part: usize, rest: usize) -> f64 {
        if part + rest == 0 { 1.0 } else { part as f64 / (part + rest) as f64 }
    }

    fn row(self, label: &str) -> String {
        format!(
            "  {label:<32} {:>6} {:>5.3} {:>5.3} {:>5.3}",
            self.right + self.missed,
            Self::ratio(self.right, self.wrong),
            Self::ratio(self.right, self.missed),
            Self::ratio(2 * self.right, self.wrong + self.missed),
        )
    }
}

/// The scores of some definitions.
#[derive(Default)]
pub struct Tally {
    definitions: usize,
    known: usize,
    rows: BTreeMap<(u8, String), Score>,
    /// Uses that the oracle knows, by kind: found and missed.
    uses: BTreeMap<String, Score>,
    /// The number of mistakes of each definition, and what they are.
    mistakes: Vec<(usize, String)>,
}

impl Tally {
    /// Adds what was answered about a definition.
    pub fn definition(
        &mut self,
        list: &List,
        definition: &Definition,
        references: &Answer,
        callers: &Answer,
        implementors: Option<&Answer>,
    ) {
        self.definitions += 1;
        self.known += usize::from(references.known);
        let counted = |found: &&Found| is_counted(list, definition, &found.place);
        let found: Vec<&Found> = references.usages.iter().filter(counted).collect();
        let score = self.references(definition, &found);
        let namesakes = match definition.namesakes {
            0 | 1 => "1 definition of the name",
            2..=4 => "2 to 4 definitions",
            _ => "5 and more definitions",
        };
        self.row(0, "references", score);
        self.row(4, namesakes, score);
        self.row(5, &format!("of a {}", definition.kind), score);
        if definition.references.iter().any(|one| one.enclosing.is_none()) {
            return;
        }
        let callers: Vec<&Found> =
            callers.usages.iter().filter(counted).filter(|one| one.certain).collect();
        let score = around(&callers, definition.references.iter().filter(|one| is_call(one)));
        self.row(2, "callers", score);
        if let Some(answer) = implementors {
            let types: Vec<&Found> = answer.usages.iter().filter(counted).collect();
            let bases = definition.references.iter().filter(|one| one.kind == "base");
            self.row(3, "implementors", around(&types, bases));
        }
    }

    fn references(&mut self, definition: &Definition, found: &[&Found]) -> Score {
        let all: BTreeSet<&Place> = found.iter().map(|one| &one.place).collect();
        let places: BTreeSet<&Place> =
            found.iter().filter(|one| one.certain).map(|one| &one.place).collect();
        let wanted: BTreeMap<&Place, &Use> = definition
            .references
            .iter()
            .filter(|one| !definition.declarations.contains(&one.place))
            .filter(|one| one.place != definition.place)
            .map(|one| (&one.place, one))
            .collect();
        for (place, one) in &wanted {
            let score = self.uses.entry(one.kind.clone()).or_default();
            score.add(Score {
                right: usize::from(places.contains(place)),
                wrong: 0,
                missed: usize::from(!places.contains(place)),
            });
        }
        let wanted: BTreeSet<&Place> = wanted.into_keys().collect();
        self.row(1, "with possible ones", compare(&all, &wanted));
        let score = compare(&places, &wanted);
        let show = |places: Vec<&&Place>| -> String {
            places.iter().take(4).map(|(path, line)| format!(" {path}:{line}")).collect()
        };
        let wrong = show(places.difference(&wanted).collect());
        let missed = show(wanted.difference(&places).collect());
        let possible = wanted.difference(&places).filter(|place| all.contains(*place)).count();
        let (path, line) = &definition.place;
        self.mistakes.push((
            score.wrong + score.missed,
            format!(
                "{path}:{line} {} {}: {} right, {} wrong{wrong}, {} missed ({possible} possible){missed}",
                definition.kind, definition.name, score.right, score.wrong, score.missed
            ),
        ));
        score
    }

    fn row(&mut self, order: u8, label: &str, score: Score) {
        self.rows.entry((order, label.to_string())).or_default().add(score);
    }

    /// Adds the scores of another project.
    pub fn add(&mut self, other: Self) {
        self.definitions += other.definitions;
        self.known += other.known;
        for ((order, label), score) in other.rows {
            self.row(order, &label, score);
        }
        for (kind, score) in other.uses {
            self.uses.entry(kind).or_default().add(score);
        }
    }

    /// Prints the table, and the definitions with the most mistakes.
    pub fn print(mut self, title: &str, worst: usize) -> Self {
        println!("{title}: {} definitions, {} known", self.definitions, self.known);
        println!("  {:<32} {:>6} {:>5} {:>5} {:>5}", "", "n", "P", "R", "F1");
        for ((_, label), score) in &self.rows {
            println!("{}", score.row(label));
        }
        for (kind, score) in &self.uses {
            let (n, recall) = (score.right + score.missed, Score::ratio(score.right, score.missed));
            println!("  {:<32} {n:>6}       {recall:>5.3}", format!("used as {kind}"));
        }
        self.mistakes.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        for (_, text) in self.mistakes.iter().filter(|(count, _)| *count > 0).take(worst) {
            println!("    {text}");
        }
        self
    }
}

/// Whether a use calls what it names; a decorator is called.
fn is_call(one: &Use) -> bool {
    matches!(one.kind.as_str(), "call" | "decorator")
}

/// Whether the oracle has an opinion about a place.
fn is_counted(list: &List, definition: &Definition, place: &Place) -> bool {
    let is_use = || definition.references.iter().any(|one| one.place == *place);
    list.files.contains(&place.0)
        && *place != definition.place
        && !definition.declarations.contains(place)
        && (!definition.undecided.contains(place) || is_use())
}

fn compare(found: &BTreeSet<&Place>, wanted: &BTreeSet<&Place>) -> Score {
    Score {
        right: found.intersection(wanted).count(),
        wrong: found.difference(wanted).count(),
        missed: wanted.difference(found).count(),
    }
}

/// Compares the definitions around usages: those found have lines, those of the oracle the line of their name.
fn around<'a>(found: &[&Found], uses: impl Iterator<Item = &'a Use>) -> Score {
    let wanted: BTreeSet<(&str, u32)> =
        uses.filter_map(|one| Some((one.place.0.as_str(), one.enclosing?))).collect();
    let found: BTreeSet<(&str, u32, u32)> = found
        .iter()
        .map(|one| match &one.enclosing {
            Some((path, lines)) => (path.as_str(), lines.start, lines.end),
            None => (one.place.0.as_str(), 0, 0),
        })
        .collect();
    let fits = |(path, line): &(&str, u32), (other, start, end): &(&str, u32, u32)| {
        path == other && (*start..=*end).contains(line)
    };
    let right = wanted.iter().filter(|one| found.iter().any(|other| fits(one, other))).count();
    let wrong = found.iter().filter(|other| !wanted.iter().any(|one| fits(one, other))).count();
    Score { right, wrong, missed: wanted.len() - right }
}
