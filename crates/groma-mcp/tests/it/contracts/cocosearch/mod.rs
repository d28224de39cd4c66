//! The CocoSearch contract, call by call, on the project of its document.

mod age;
mod errors;
mod examples;
mod names;
mod parameters;

use crate::client::Client;
use crate::sample::Sample;
use groma_mcp::contracts::Contract;
pub use groma_testkit::write_file as write;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The project of the document.
pub struct Shop {
    sample: Sample,
}

const FILES: &[(&str, &str)] = &[
    (
        "auth/jwt.py",
        "import jwt\nfrom .exceptions import AuthError\n\n\
         def validate_jwt_token(token: str) -> dict:\n    \"\"\"Validate JWT and return claims.\"\"\"\n    try:\n        \
         payload = jwt.decode(token, SECRET_KEY, algorithms=['HS256'])\n        return payload\n    \
         except jwt.ExpiredSignatureError:\n        raise AuthError('Token expired')\n    \
         except jwt.InvalidTokenError:\n        raise AuthError('Invalid token')\n\n\
         def refresh_token(user_id: int) -> str:\n    return generate_jwt(user_id)\n",
    ),
    (
        "web/users.ts",
        "/** A user of the shop. */\nexport interface User {\n  id: string;\n  name: string;\n}\n\n\
         /** Finds users. */\nexport class UserService {\n  private users = new Map<string, User>();\n\n  \
         /** The user with this id. */\n  getUserById(id: string): User | undefined {\n    \
         const found = this.users.get(id);\n    if (found === undefined) {\n      console.warn(`no user ${id}`);\n      \
         return undefined;\n    }\n    console.debug(`found ${found.name}`);\n    return found;\n  }\n\n  \
         /** Forgets the user with this id. */\n  removeUser(id: string): boolean {\n    \
         const known = this.users.has(id);\n    if (!known) {\n      console.warn(`no user ${id}`);\n      \
         return false;\n    }\n    return this.users.delete(id);\n  }\n}\n",
    ),
    ("infra/main.tf", "resource \"aws_s3_bucket\" \"logs\" {\n  bucket = \"shop-logs\"\n}\n"),
    ("src/legacy/parser.py", "def parse(:\n    return )\n"),
    ("README.md", "# Shop\n\n## Tokens\n\nTokens expire after an hour.\n"),
];

impl Shop {
    /// The project, written but not indexed.
    pub fn new() -> Self {
        Self::of(Sample::new())
    }

    /// The same with indexes on disk.
    pub fn on_disk() -> Self {
        Self::of(Sample::on_disk(&[]))
    }

    fn of(sample: Sample) -> Self {
        let shop = Self { sample };
        for (path, text) in FILES {
            shop.write(path, text);
        }
        shop
    }

    /// The same, indexed under the name it has in the document, and a client that works in it.
    pub fn indexed() -> (Self, Client) {
        Self::new().index()
    }

    fn index(self) -> (Self, Client) {
        let shop = self;
        let mut client = shop.client();
        let arguments = json!({ "path": shop.root(), "index_name": "my-api-server" });
        let answer = object(&mut client, "index_codebase", arguments);
        assert_eq!(answer["success"], true, "{answer}");
        (shop, client)
    }

    pub fn root(&self) -> PathBuf {
        self.beside("my-api")
    }

    /// The folder of its index on disk.
    pub fn data(&self) -> PathBuf {
        self.sample.host.index_folder(&self.root())
    }

    /// A folder beside the project.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.sample.root().with_file_name(name)
    }

    pub fn write(&self, path: &str, text: &str) {
        write(&self.root().join(path), text);
    }

    /// A client that works in the project and names no roots.
    pub fn client(&self) -> Client {
        self.client_in(&self.root())
    }

    /// A client of a server that was started in a folder.
    pub fn client_in(&self, folder: &Path) -> Client {
        let mut client = Client::over(self.sample.host.started_in(folder), Contract::Cocosearch);
        let answer = client.greet("2025-06-18", json!({}));
        assert_eq!(answer["result"]["serverInfo"]["name"], "cocosearch");
        client
    }

    /// The value as text, with what changes from run to run replaced.
    pub fn shown(&self, value: &Value) -> String {
        let text = serde_json::to_string_pretty(&steady(value.clone())).unwrap();
        let base = self.beside("").to_string_lossy().trim_end_matches('/').to_string();
        text.replace(&base, "[BASE]")
    }
}

/// The value without measured numbers, moments and hashes.
fn steady(mut value: Value) -> Value {
    const MEASURED: &[&str] = &[
        "score",
        "vector_score",
        "keyword_score",
        "top_score",
        "bottom_score",
        "top_ts_rank",
        "storage_size",
        "storage_size_pretty",
        "created_at",
        "updated_at",
        "last_indexed_at",
        "cache_key_prefix",
    ];
    match &mut value {
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                let is_measured = MEASURED.contains(&name.as_str())
                    || name.ends_with("_ms") && name != "cache_check_ms";
                *field = match is_measured && !field.is_null() {
                    true => json!("[...]"),
                    false => steady(field.take()),
                };
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = steady(item.take())),
        _ => {}
    }
    value
}

/// Calls a tool that answers with a list: each block is an element, and the structured form is the same.
pub fn entries(client: &mut Client, tool: &str, arguments: Value) -> Vec<Value> {
    let answer = client.call(tool, arguments);
    let result = &answer["result"];
    let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    let entries: Vec<Value> = blocks.iter().map(parsed).collect();
    assert_eq!(result["structuredContent"], json!({ "result": entries }), "{answer:#}");
    assert_eq!(result["isError"], false, "{answer:#}");
    entries
}

/// Calls a tool that answers with an object: one block, and the structured form is the same.
pub fn object(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.call(tool, arguments);
    let result = &answer["result"];
    let blocks = result["content"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    assert_eq!(blocks.len(), 1, "{answer:#}");
    assert_eq!(result["structuredContent"], parsed(&blocks[0]), "{answer:#}");
    assert_eq!(result["isError"], false, "{answer:#}");
    parsed(&blocks[0])
}

/// The JSON of a block, which is indented by two.
fn parsed(block: &Value) -> Value {
    let text = block["text"].as_str().unwrap();
    let value: Value = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string_pretty(&value).unwrap(), text);
    value
}

/// Searches the index of the document; only the results.
pub fn results(client: &mut Client, arguments: Value) -> Vec<Value> {
    entries(client, "search_code", with_index(arguments))
}

/// The arguments with the index of the document named.
pub fn with_index(mut arguments: Value) -> Value {
    arguments["index_name"] = json!("my-api-server");
    arguments
}

/// A field of each, where it is a text.
pub fn texts<'v>(values: &'v [Value], field: &str) -> Vec<&'v str> {
    values.iter().filter_map(|value| value[field].as_str()).collect()
}
