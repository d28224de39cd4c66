//! The Context Tool contract: examples, errors, files it refuses to read, parameters, documents.

mod errors;
mod examples;
mod notebook;
mod parameters;
mod resources;
mod security;

use crate::client::Client;
use crate::sample::Sample;
use groma_engine::notebook::NewDiscovery;
use groma_mcp::Host;
use serde_json::{Value, json};
use std::fs::File;
use std::time::{Duration, UNIX_EPOCH};

/// The project of the document's examples: a service that imports two others.
struct Web {
    sample: Sample,
}

const TOKEN_MANAGER: &str = "\
import jwt from 'jsonwebtoken';

/** Signs and checks tokens. */
export class TokenManager {
  sign(payload: object) {
    return jwt.sign(payload, SECRET);
  }
  refresh(payload: object) {
    return JWT.SIGN(payload, SECRET);
  }
}
";

const USER_REPOSITORY: &str = "\
/** Finds users. */
export class UserRepository {
  find(name: string) {
    return this.users.get(name);
  }
}

export interface UserContext {
  name: string;
}
";

/// As many files as the document's example searches.
const FILES: usize = 127;

impl Web {
    fn new() -> Self {
        let web = Self { sample: Sample::bare() };
        web.write("src/server/auth/AuthService.ts", &auth_service());
        web.write("src/server/auth/TokenManager.ts", TOKEN_MANAGER);
        web.write("src/server/users/UserRepository.ts", USER_REPOSITORY);
        web.write("src/index.ts", "export function handleAuth() {\n  return true;\n}\n");
        web
    }

    /// The same with as many files as the document's example searches.
    fn large() -> Self {
        let web = Self::new();
        for number in 4..FILES {
            web.write(&format!("src/pages/page{number}.ts"), "export const page = 1;\n");
        }
        web
    }

    /// The same with the discoveries of the document's examples.
    fn with_discoveries() -> Self {
        let web = Self::new();
        for (kind, text) in [
            ("pattern", "Use JWT tokens stored in httpOnly cookies for auth"),
            ("pattern", "Implement token refresh with mutex locks to prevent race conditions"),
            ("issue", "Token refresh race condition fixed with mutex lock"),
        ] {
            web.remember(text, kind, "auth");
        }
        web
    }

    /// The same in a project without an embedder.
    fn new_without_embeddings() -> Self {
        let web = Self::new();
        web.sample.host.disable_embeddings();
        web.remember("Token refresh race condition fixed with mutex lock", "issue", "auth");
        web
    }

    fn remember(&self, text: &str, kind: &str, module: &str) {
        let mut discovery = NewDiscovery::new(text);
        discovery.kind = Some(kind.parse().unwrap());
        discovery.module = Some(module.into());
        let project = self.sample.host.open(&self.sample.root()).unwrap();
        project.engine.notebook().remember(&discovery).unwrap();
        // Discoveries are ordered by their date, which is stored in milliseconds.
        std::thread::sleep(Duration::from_millis(2));
    }

    fn write(&self, path: &str, text: &str) {
        self.sample.write(path, text);
        let file = File::options().write(true).open(self.sample.root().join(path)).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_736_931_600)).unwrap();
    }

    fn client(&self) -> Client {
        Client::start(&self.sample, &["--contract", "context"])
    }
}

/// 75 lines and 2048 bytes, as in the document, with its five lines where it has them.
fn auth_service() -> String {
    let mut lines = vec![String::new(); 75];
    lines[0] = "import { TokenManager } from './TokenManager';".into();
    lines[1] = "import { UserRepository } from '../users/UserRepository';".into();
    lines[2] = "import jwt from 'jsonwebtoken';".into();
    lines[4] = "export class AuthService {".into();
    lines[5] =
        "  constructor(private tokens: TokenManager, private users: UserRepository) {}".into();
    lines[6] = "}".into();
    lines[38] = "export namespace tokens {".into();
    lines[39] = "  // Generate JWT token".into();
    lines[40] = "  function generateToken(payload) {".into();
    lines[41] = "  const token = jwt.sign(payload, SECRET);".into();
    lines[42] = "    return token;".into();
    lines[43] = "  }".into();
    lines[44] = "}".into();
    let missing = 2048 - lines.iter().map(|line| line.len() + 1).sum::<usize>();
    lines[74] = format!("// {}", "-".repeat(missing - 3));
    lines.join("\n") + "\n"
}

/// Calls a tool that must fail as the contract defines it: in the result, as one block of JSON.
fn failure(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.call(tool, arguments);
    assert_eq!(answer["result"]["isError"], true, "{answer:#}");
    assert_eq!(answer["result"]["content"].as_array().map(Vec::len), Some(1), "{answer:#}");
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    serde_json::from_str(text).unwrap()
}

/// The value with what differs from run to run replaced.
fn masked(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                *field = match (name.as_str(), &*field) {
                    ("searchTime", Value::Number(_)) => json!("[TIME]"),
                    ("score", Value::Number(score)) => {
                        assert!((0.0..=1.0).contains(&score.as_f64().unwrap()), "{score}");
                        json!("[SCORE]")
                    }
                    ("date", Value::String(date)) if date.len() == 20 => json!("[DATE]"),
                    ("id", Value::String(id)) if id.starts_with("discovery-") => {
                        assert_eq!(id.len(), 26);
                        json!("discovery-[ID]")
                    }
                    _ => masked(field.take()),
                };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = masked(item.take())),
        _ => {}
    }
    value
}

/// The answer to a call, as it stands in its one block of text.
fn transcript(client: &mut Client, tool: &str, arguments: Value) -> String {
    let answer = client.call(tool, arguments);
    let result = &answer["result"];
    assert_eq!(result["content"].as_array().map(Vec::len), Some(1), "{answer:#}");
    assert_eq!(result["content"][0]["type"], "text");
    assert!(result.get("structuredContent").is_none(), "{answer:#}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(text, format!("{value:#}"), "indented by two");
    format!("{:#}", masked(value))
}

/// The texts of a search's results.
fn contents(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap();
    results.iter().map(|result| result["content"].as_str().unwrap()).collect()
}
