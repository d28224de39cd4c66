//! The Cortex contract: its examples, its errors, its parameter, and chunk files.

mod errors;
mod examples;
mod parameters;

use crate::client::Client;
use crate::sample::Sample;
pub use groma_testkit::CORTEX_FILES as FILES;
use serde_json::{Value, json};

/// A project with code, documents and configuration.
fn sample() -> Sample {
    let sample = Sample::new();
    FILES.iter().for_each(|(path, text)| sample.write(path, text));
    sample
}

fn start(sample: &Sample) -> Client {
    Client::start(sample, &["--contract", "cortex"])
}

/// What a search answers.
fn search(client: &mut Client, arguments: Value) -> Value {
    client.json("cortex_search", arguments)
}

fn chunks(answer: &Value) -> Vec<&Value> {
    answer["results"].as_array().unwrap().iter().map(|one| &one["chunk"]).collect()
}

fn ids(answer: &Value) -> Vec<&str> {
    chunks(answer).iter().map(|chunk| chunk["id"].as_str().unwrap()).collect()
}

fn kinds(answer: &Value) -> Vec<&str> {
    chunks(answer).iter().map(|chunk| chunk["chunk_type"].as_str().unwrap()).collect()
}

/// The first result, without what differs from run to run.
fn steady(answer: &Value) -> String {
    let mut first = answer["results"][0].clone();
    for moment in ["created_at", "updated_at"] {
        let text = first["chunk"][moment].as_str().unwrap();
        let shape: String =
            text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
        first["chunk"][moment] = json!(shape);
    }
    first["combined_score"] = json!(0);
    serde_json::to_string_pretty(&first).unwrap()
}
