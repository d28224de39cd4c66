//! `cargo xtask graph`: references compared with those of a compiler.
//!
//! An oracle is a file of JSON lines, made by a program that a compiler's own library resolves names for. A line is an
//! identifier: its path `p`, line `l`, column `c` and name `n`, its role `r` (`def`, `ref`, `ext` for a library's, `?` if
//! the compiler could not tell), the kind `k` of a definition, and the id `d` of the definition that it is or means. A
//! line with `file` names a file that was compiled; nothing is compared elsewhere. A reference is a file and a line.

use anyhow::{Context, Result};
use clap::Args;
use groma_core::{Pipeline, RelPath};
use groma_engine::{
    Cancel, Engine, LocateRequest, Location, PIPELINE_VERSION, Parts, Ranking, Relation,
    WalkOptions,
};
use groma_store::EmbeddedStore;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Compare the references of definitions with those of a compiler
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// The tree
    #[arg(long, value_name = "DIR")]
    tree: PathBuf,
    /// What the compiler says about the tree, as JSON lines
    #[arg(long, value_name = "FILE")]
    oracle: PathBuf,
    /// Definitions to ask about, of each kind
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    count: usize,
    /// Wrong and missing references to list
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    list: usize,
    /// Which sample of definitions is taken
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
}

/// A file and a line.
type Place = (String, u32);

/// A definition that the compiler knows.
struct Known {
    id: String,
    name: String,
    kind: String,
    place: Place,
}

#[derive(Default)]
struct Oracle {
    files: BTreeSet<String>,
    definitions: Vec<Known>,
    references: HashMap<String, BTreeSet<Place>>,
    /// Names that the compiler could not resolve; they count for nothing.
    unclear: BTreeSet<(String, Place)>,
    /// How many definitions each name has.
    names: HashMap<String, usize>,
}

/// How many references were right, wrong and missing.
#[derive(Clone, Copy, Default)]
struct Score {
    definitions: usize,
    right: usize,
    wrong: usize,
    missing: usize,
    possible_right: usize,
    possible_wrong: usize,
}

impl Score {
    fn add(&mut self, other: Score) {
        self.definitions += other.definitions;
        self.right += other.right;
        self.wrong += other.wrong;
        self.missing += other.missing;
        self.possible_right += other.possible_right;
        self.possible_wrong += other.possible_wrong;
    }

    fn print(&self, what: &str) {
        let share = |part: usize, rest: usize| part as f64 / (part + rest).max(1) as f64;
        let (precision, recall) = (share(self.right, self.wrong), share(self.right, self.missing));
        let f1 = 2.0 * precision * recall / (precision + recall).max(f64::MIN_POSITIVE);
        println!(
            "{what:16} {:5} definitions  P {precision:.3}  R {recall:.3}  F1 {f1:.3}  \
             (right {}, wrong {}, missing {}; possible: {} right, {} wrong)",
            self.definitions,
            self.right,
            self.wrong,
            self.missing,
            self.possible_right,
            self.possible_wrong
        );
    }
}

/// Prints precision, recall and F1 by kind of definition and by how common its name is.
pub fn run(args: &GraphArgs) -> Result<()> {
    let oracle = Oracle::read(&args.oracle)?;
    let index = tempfile::tempdir()?;
    let engine = engine(&args.tree, index.path())?;
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let mut times: Vec<Duration> = Vec::new();
    let (mut listed, mut unknown) = (0, 0);
    for definition in oracle.sample(args.count, args.seed) {
        let start = Instant::now();
        let Some((certain, possible)) = ask(&engine, definition)? else {
            unknown += 1;
            continue;
        };
        times.push(start.elapsed());
        let expected = oracle.expected(definition);
        let counts = |place: &&Place| oracle.counts(definition, place);
        let certain: BTreeSet<&Place> = certain.iter().filter(counts).collect();
        let possible: BTreeSet<&Place> =
            possible.iter().filter(counts).filter(|place| !certain.contains(place)).collect();
        let right = certain.iter().filter(|place| expected.contains(**place)).count();
        let possible_right = possible.iter().filter(|place| expected.contains(**place)).count();
        let score = Score {
            definitions: 1,
            right,
            wrong: certain.len() - right,
            missing: expected.len() - right,
            possible_right,
            possible_wrong: possible.len() - possible_right,
        };
        for place in certain.iter().filter(|place| !expected.contains(**place)) {
            list(&mut listed, args.list, "wrong", definition, place);
        }
        for place in expected.iter().filter(|place| !certain.contains(place)) {
            let how = if possible.contains(place) { "possible" } else { "missing" };
            list(&mut listed, args.list, how, definition, place);
        }
        let common = match oracle.names[&definition.name] {
            1 => "unique name",
            2..=4 => "2-4 definitions",
            _ => "5+ definitions",
        };
        for group in ["all", &definition.kind, common] {
            scores.entry(group.to_string()).or_default().add(score);
        }
    }
    scores.iter().for_each(|(group, score)| score.print(group));
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).map_or(0.0, Duration::as_secs_f64);
    println!(
        "{unknown} definitions of the sample are not known; {:.1} ms median, {:.1} ms p95",
        at(50) * 1e3,
        at(95) * 1e3
    );
    Ok(())
}

fn list(listed: &mut usize, limit: usize, how: &str, definition: &Known, place: &Place) {
    if *listed < limit {
        println!("{how:9} {}:{} for {} ({})", place.0, place.1, definition.id, definition.kind);
        *listed += 1;
    }
}

fn engine(tree: &Path, index: &Path) -> Result<Arc<Engine>> {
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: None };
    let parts = Parts {
        root: tree.to_path_buf(),
        store: Arc::new(EmbeddedStore::open(index, pipeline)?),
        notebook: None,
        embedder: None,
        walk: WalkOptions::default(),
        ranking: Ranking::default(),
    };
    let engine = Engine::shared(parts, None);
    engine.locate(&LocateRequest::new("main"), &(), &Cancel::default())?;
    Ok(engine)
}

/// The certain and the possible references of a definition; `None` if it is not known.
#[expect(clippy::type_complexity, reason = "two sets of the same kind")]
fn ask(engine: &Engine, known: &Known) -> Result<Option<(BTreeSet<Place>, BTreeSet<Place>)>> {
    let path = RelPath::new(&known.place.0)?;
    let request = LocateRequest {
        at: Some(Location { path, line: known.place.1 }),
        relation: Relation::References,
        limit: 1000,
        ..LocateRequest::new(&known.name)
    };
    let answer = engine.locate_indexed(&request)?;
    if answer.definitions.iter().all(|one| one.symbol.name != known.name) {
        return Ok(None);
    }
    let (mut certain, mut possible) = (BTreeSet::new(), BTreeSet::new());
    for usage in answer.usages {
        let place = (usage.path.to_string(), usage.line);
        if usage.is_possible { &mut possible } else { &mut certain }.insert(place);
    }
    Ok(Some((certain, possible)))
}

impl Oracle {
    fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let mut oracle = Self::default();
        for line in text.lines() {
            oracle.add(&serde_json::from_str(line)?);
        }
        oracle.definitions.sort_by(|a, b| a.id.cmp(&b.id));
        oracle.definitions.dedup_by(|a, b| a.id == b.id);
        for definition in &oracle.definitions {
            *oracle.names.entry(definition.name.clone()).or_default() += 1;
        }
        Ok(oracle)
    }

    fn add(&mut self, line: &Value) {
        let text = |key: &str| line[key].as_str().unwrap_or_default().to_string();
        if line["file"].is_string() {
            self.files.insert(text("file"));
            return;
        }
        let place = (text("p"), line["l"].as_u64().unwrap_or_default() as u32);
        match line["r"].as_str() {
            Some("def") => {
                let (id, name, kind) = (text("d"), text("n"), text("k"));
                self.definitions.push(Known { id, name, kind, place });
            }
            Some("ref") => {
                self.references.entry(text("d")).or_default().insert(place);
            }
            Some("?" | "pkg" | "pkgdecl") => {
                self.unclear.insert((text("n"), place));
            }
            _ => {}
        }
    }

    /// Definitions of each kind that are used somewhere, spread over the project.
    fn sample(&self, count: usize, seed: u64) -> Vec<&Known> {
        let mut kinds: BTreeMap<&str, Vec<(u64, &Known)>> = BTreeMap::new();
        for one in &self.definitions {
            let local = matches!(
                one.kind.as_str(),
                "" | "local" | "local_type" | "label" | "pkgname" | "other" | "parameter"
            );
            if !local && !self.expected(one).is_empty() {
                kinds.entry(&one.kind).or_default().push((spread(&one.id, seed), one));
            }
        }
        let taken = kinds.into_values().flat_map(|mut list| {
            list.sort_by_key(|(order, one)| (*order, &one.id));
            list.into_iter().take(count).map(|(_, one)| one)
        });
        taken.collect()
    }

    fn expected(&self, definition: &Known) -> BTreeSet<Place> {
        let found = self.references.get(&definition.id).into_iter().flatten();
        found.filter(|place| self.counts(definition, place)).cloned().collect()
    }

    /// Whether a place says anything about a definition.
    fn counts(&self, definition: &Known, place: &Place) -> bool {
        self.files.contains(&place.0)
            && *place != definition.place
            && !self.unclear.contains(&(definition.name.clone(), place.clone()))
    }
}

/// A number that orders definitions without regard to their path (FNV-1a).
fn spread(text: &str, seed: u64) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
