//! The Cortex contract: its examples, its errors, its parameter, and chunk files.

mod errors;
mod examples;
mod parameters;

use crate::client::Client;
use crate::sample::Sample;
use serde_json::{Value, json};

const FILES: &[(&str, &str)] = &[
    (
        "internal/auth/handler.go",
        "package auth\n\nimport (\n\t\"context\"\n\t\"encoding/json\"\n\t\"errors\"\n\t\"net/http\"\n\t\"time\"\n)\n\
         // AuthHandler handles authentication requests.\ntype AuthHandler struct {\n\tsessions map[string]Session\n\
         \tsecret   string\n\ttimeout  time.Duration\n}\n\n// Session is a user who was let in.\n\
         type Session struct {\n\tUser    string\n\tExpires time.Time\n}\n\n\
         // NewAuthHandler makes a handler.\nfunc NewAuthHandler(secret string) *AuthHandler {\n\
         \thandler := &AuthHandler{secret: secret}\n\thandler.sessions = map[string]Session{}\n\treturn handler\n}\n\n\
         // Login checks a password and begins a session.\n\
         func (h *AuthHandler) Login(w http.ResponseWriter, r *http.Request) {\n\
         \tif r.Method != http.MethodPost {\n\t\thttp.Error(w, \"wrong method\", 405)\n\t\treturn\n\t}\n\
         \tjson.NewEncoder(w).Encode(h.sessions)\n}\n\n\
         // Authenticate finds the session behind a token.\n\
         func (h *AuthHandler) Authenticate(ctx context.Context, token string) (*Session, error) {\n\
         \tsession, ok := h.sessions[token]\n\tif !ok {\n\t\treturn nil, errors.New(\"unknown token\")\n\t}\n\
         \treturn &session, nil\n}\n",
    ),
    (
        "internal/config/database.go",
        "package config\n\n// DatabaseHost is where database connections go.\n\
         const DatabaseHost = \"localhost\"\n\n// DatabaseTimeout is how many seconds a database connection may take.\n\
         const DatabaseTimeout = 30\n",
    ),
    (
        "docs/adr/auth.md",
        "---\ntags: [architecture, design]\n---\n# Authentication design decisions\n\n\
         Tokens were chosen over sessions in a database, because servers come and go. #auth #users\n",
    ),
    (
        "web/errors.ts",
        "/** Handles errors of a request: tells the user and logs the rest. */\n\
         export function handleRequestError(error: Error): string {\n  console.log(error.stack);\n  return error.message;\n}\n",
    ),
    (
        "tools/errors.py",
        "def handle_error(error):\n    \"\"\"Error handling patterns for scripts.\"\"\"\n    raise error\n",
    ),
];

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
