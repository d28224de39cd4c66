//! `groma embed`: the vectors that the project's model computes for texts.

use super::Call;
use crate::config::ConfigError;
use crate::embedding::{Embedding, EmbeddingSettings};
use crate::failure::{Exit, Failure, Kind};
use crate::project::Models;
use anyhow::{Context, Result};
use clap::Args;
use groma_core::{Embedder, TextRole, Vector};
use serde_json::{Value, json};
use std::io::{self, Read, Write};

const AFTER: &str = "\
Vectors have unit length and are quantised as in an index, to eight bits per dimension. Outside of
a project the settings come from the environment.

With --json:
  model, dimensions, role, vectors [[number]]
Otherwise one vector per line, as a JSON array.

Examples:
  groma embed \"where are requests rate limited\" --json
  groma embed --passage < src/limit.rs
  GROMA_EMBEDDING_PROVIDER=ollama groma embed one two --json | jq .dimensions";

/// The longest standard input, in bytes.
const MAX_INPUT: u64 = 16_000_000;

/// Print the vectors of texts
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct EmbedArgs {
    /// Texts; without any, standard input is embedded
    pub text: Vec<String>,
    /// Embed them as queries; this is the default for arguments
    #[arg(long, conflicts_with = "passage")]
    pub query: bool,
    /// Embed them as passages; this is the default for standard input
    #[arg(long)]
    pub passage: bool,
    /// Use the environment variables of this contract
    #[arg(long, value_name = "NAME", value_parser = Embedding::CONTRACTS)]
    pub contract: Option<String>,
}

/// Prints the vectors.
pub fn run(args: &EmbedArgs, call: &mut Call) -> Result<Exit> {
    let texts = texts(args, call)?;
    let embedder = embedder(args, call)?;
    let as_query = args.query || (!args.passage && !args.text.is_empty());
    let role = if as_query { TextRole::Query } else { TextRole::Passage };
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(role, &texts)?;
    let vectors: Vec<Value> = vectors.iter().map(components).collect();
    if call.global.json {
        let identity = embedder.identity();
        call.printer.json(&json!({
            "model": identity.name,
            "dimensions": identity.dimensions,
            "role": if as_query { "query" } else { "passage" },
            "vectors": vectors,
        }))?;
    } else {
        for vector in vectors {
            writeln!(call.printer, "{vector}")?;
        }
    }
    Ok(Exit::Fine)
}

fn texts(args: &EmbedArgs, call: &Call) -> Result<Vec<String>> {
    let texts = if args.text.is_empty() { vec![standard_input(call)?] } else { args.text.clone() };
    if texts.iter().any(|text| text.trim().is_empty()) {
        let failure = Failure::new(Kind::Usage, "an empty text has no vector");
        return Err(failure.hint("give a text, or pipe one in").into());
    }
    Ok(texts)
}

fn standard_input(call: &Call) -> Result<String> {
    if call.environment.stdin_is_terminal {
        let failure = Failure::new(Kind::Usage, "there is no text to embed");
        return Err(failure.hint("give a text, or pipe one in").into());
    }
    let mut text = String::new();
    io::stdin()
        .take(MAX_INPUT + 1)
        .read_to_string(&mut text)
        .context("standard input cannot be read as text")?;
    if text.len() as u64 > MAX_INPUT {
        let failure = Failure::new(Kind::Usage, "standard input is larger than 16 MB");
        return Err(failure.hint("shorten it").into());
    }
    Ok(text)
}

/// The project's model; outside of a project, that of the environment.
fn embedder(args: &EmbedArgs, call: &Call) -> Result<Box<dyn Embedder>> {
    let is_about_settings = |error: &anyhow::Error| error.is::<ConfigError>();
    let environment = &call.environment;
    let models = match (call.project(None), args.contract.as_deref()) {
        (Err(error), contract) if call.global.project.is_none() && !is_about_settings(&error) => {
            let none = EmbeddingSettings::default();
            let models = Models::new(&none, environment);
            contract.map_or(models.clone(), |name| models.on_surface(name, &none, environment))
        }
        (project, Some(contract)) => project?.on_surface(contract, environment).models,
        (project, None) => project?.models,
    };
    models.embedder()?.ok_or_else(|| {
        let failure = Failure::new(Kind::Usage, "embeddings are off");
        failure.hint("set `enabled = true` under [embeddings] in .groma.toml").into()
    })
}

/// A vector as numbers. They are quantised, so six decimals are exact enough.
fn components(vector: &Vector) -> Value {
    let number = |value: &i8| (f64::from(vector.scale) * f64::from(*value) * 1e6).round() / 1e6;
    vector.values.iter().map(number).collect()
}
