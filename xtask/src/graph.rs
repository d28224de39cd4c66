//! `cargo xtask graph`: are the references, callers and implementors those that a compiler or language server finds?
//!
//! An oracle's occurrence list (`graph/README.md` has the format, and the programs that make such lists) is compared with
//! the engine's answers about the same definitions. A reference is a file and a line.

use anyhow::{Context, Result};
use clap::Args;
use groma_core::Pipeline;
use groma_engine::{Engine, PIPELINE_VERSION, Parts, Ranking, Relation, WalkOptions};
use groma_store::EmbeddedStore;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod answer;
mod list;
mod occurrences;
mod score;
use answer::Answer;
use list::List;
use score::Tally;

/// Compare references, callers and implementors with a compiler's or language server's
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// An occurrence list; several are compared with as many projects, in order
    #[arg(long = "oracle", value_name = "FILE", required = true)]
    oracles: Vec<PathBuf>,
    /// The project it is about
    #[arg(long = "project", alias = "tree", value_name = "DIR", required = true)]
    projects: Vec<PathBuf>,
    /// Where the indexes are kept
    #[arg(long, value_name = "DIR", default_value = "target/graph")]
    index: PathBuf,
    /// Definitions with the most mistakes to list
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    list: usize,
}

/// Compares and prints.
pub fn run(args: &GraphArgs) -> Result<()> {
    anyhow::ensure!(
        args.oracles.len() == args.projects.len(),
        "give a --project for each --oracle"
    );
    let mut all = Tally::default();
    for (oracle, project) in args.oracles.iter().zip(&args.projects) {
        let list = List::read(oracle)?;
        let tally = compare(&list, project, &args.index)?;
        all.add(tally.print(&project.display().to_string(), args.list));
    }
    if args.oracles.len() > 1 {
        all.print("all projects", 0);
    }
    Ok(())
}

fn compare(list: &List, project: &Path, indexes: &Path) -> Result<Tally> {
    let root =
        project.canonicalize().with_context(|| format!("cannot read {}", project.display()))?;
    let engine = open(&root, indexes)?;
    let mut tally = Tally::default();
    for definition in &list.definitions {
        let references = Answer::ask(&engine, definition, Relation::References)?;
        let callers = Answer::ask(&engine, definition, Relation::Callers)?;
        let implementors = match definition.kind.as_str() {
            "type" => Some(Answer::ask(&engine, definition, Relation::Implementors)?),
            _ => None,
        };
        tally.definition(list, definition, &references, &callers, implementors.as_ref());
    }
    Ok(tally)
}

/// Opens the index of a project without vectors, which no reference needs.
fn open(root: &Path, indexes: &Path) -> Result<Arc<Engine>> {
    let name = root.file_name().context("the project has no name")?;
    let pipeline = Pipeline { version: PIPELINE_VERSION, embedder: None };
    let store = EmbeddedStore::open(&indexes.join(name), pipeline)?;
    let parts = Parts {
        root: root.to_path_buf(),
        store: Arc::new(store),
        notebook: None,
        embedder: None,
        walk: WalkOptions::default(),
        ranking: Ranking::default(),
    };
    Ok(Engine::shared(parts, None))
}
