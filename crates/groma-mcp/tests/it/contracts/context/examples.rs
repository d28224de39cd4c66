//! Every example of the document, as a client sees it.

use super::{Web, auth_service, contents, transcript};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

fn check(web: &Web, tool: &str, arguments: Value, expected: Expect) {
    expected.assert_eq(&transcript(&mut web.client(), tool, arguments));
}

#[test]
fn the_server_names_itself_and_its_tools() {
    let web = Web::new();
    let mut client = crate::client::Client::spawn(&web.sample, &["--contract", "context"]);
    let greeting = client.greet("2024-11-05", json!({}));
    let server = &greeting["result"]["serverInfo"];
    assert_eq!((&server["name"], &server["version"]), (&json!("context-tool"), &json!("1.0.0")));
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let shown: Vec<String> = tools
        .iter()
        .map(|tool| format!("{}: {}\n{:#}", tool["name"], tool["description"], tool["inputSchema"]))
        .collect();
    expect![[r#"
        "context_search": "Search project context semantically using RAG. Returns relevant discoveries, patterns, rules, and past decisions."
        {
          "type": "object",
          "properties": {
            "query": {
              "type": "string",
              "minLength": 3,
              "maxLength": 500,
              "description": "Search query describing what to find"
            },
            "type": {
              "type": "string",
              "enum": [
                "all",
                "pattern",
                "rule",
                "decision",
                "issue"
              ],
              "description": "Filter by discovery type",
              "default": "all"
            },
            "module": {
              "type": "string",
              "description": "Filter by module name"
            },
            "limit": {
              "type": "integer",
              "minimum": 1,
              "maximum": 20,
              "description": "Maximum number of results to return",
              "default": 5
            }
          },
          "required": [
            "query"
          ]
        }
        "read_file": "Read file content with optional dependency tree. Tracks access for context scoring."
        {
          "type": "object",
          "properties": {
            "path": {
              "type": "string",
              "minLength": 1,
              "description": "File path relative to project root"
            },
            "includeDeps": {
              "type": "boolean",
              "description": "Include level 1 dependencies (imports)",
              "default": false
            },
            "maxDepth": {
              "type": "integer",
              "minimum": 0,
              "maximum": 1,
              "description": "Dependency tree depth (MVP: max 1)",
              "default": 1
            }
          },
          "required": [
            "path"
          ]
        }
        "grep_codebase": "Fast text search across codebase using regex. Good for exact matches and when semantic search unavailable."
        {
          "type": "object",
          "properties": {
            "pattern": {
              "type": "string",
              "minLength": 1,
              "maxLength": 200,
              "description": "Regex pattern to search for"
            },
            "filePattern": {
              "type": "string",
              "description": "Glob pattern to filter files (e.g., \"**/*.ts\")"
            },
            "caseSensitive": {
              "type": "boolean",
              "description": "Case-sensitive search",
              "default": false
            },
            "limit": {
              "type": "integer",
              "minimum": 1,
              "maximum": 100,
              "description": "Maximum number of matches to return",
              "default": 50
            }
          },
          "required": [
            "pattern"
          ]
        }"#]].assert_eq(&shown.join("\n"));
}

#[test]
fn context_search_output_format() {
    let web = Web::new();
    web.remember("Use JWT tokens in httpOnly cookies", "pattern", "auth");
    let arguments = json!({ "query": "JWT authentication", "type": "pattern" });
    check(
        &web,
        "context_search",
        arguments,
        expect![[r#"
        {
          "results": [
            {
              "id": "discovery-[ID]",
              "type": "pattern",
              "content": "Use JWT tokens in httpOnly cookies",
              "module": "auth",
              "session": null,
              "date": "[DATE]",
              "score": "[SCORE]",
              "source": "discovery"
            }
          ],
          "query": "JWT authentication",
          "totalFound": 1,
          "searchTime": "[TIME]"
        }"#]],
    );
}

#[test]
fn context_search_general() {
    let arguments = json!({ "query": "how does authentication work", "type": "all", "limit": 5 });
    check(
        &Web::with_discoveries(),
        "context_search",
        arguments,
        expect![[r#"
            {
              "results": [
                {
                  "id": "discovery-[ID]",
                  "type": "pattern",
                  "content": "Use JWT tokens stored in httpOnly cookies for auth",
                  "module": "auth",
                  "session": null,
                  "date": "[DATE]",
                  "score": "[SCORE]",
                  "source": "discovery"
                },
                {
                  "id": "src/server/auth/AuthService.ts:1-7",
                  "type": "code",
                  "content": "import { TokenManager } from './TokenManager';\nimport { UserRepository } from '../users/UserRepository';\nimport jwt from 'jsonwebtoken';\n\nexport class AuthService {\n  constructor(private tokens: TokenManager, private users: UserRepository) {}\n}",
                  "module": "auth",
                  "session": null,
                  "date": "[DATE]",
                  "score": "[SCORE]",
                  "source": "code",
                  "file": "src/server/auth/AuthService.ts",
                  "line": 1
                },
                {
                  "id": "discovery-[ID]",
                  "type": "issue",
                  "content": "Token refresh race condition fixed with mutex lock",
                  "module": "auth",
                  "session": null,
                  "date": "[DATE]",
                  "score": "[SCORE]",
                  "source": "discovery"
                },
                {
                  "id": "discovery-[ID]",
                  "type": "pattern",
                  "content": "Implement token refresh with mutex locks to prevent race conditions",
                  "module": "auth",
                  "session": null,
                  "date": "[DATE]",
                  "score": "[SCORE]",
                  "source": "discovery"
                },
                {
                  "id": "src/server/auth/AuthService.ts:39-45",
                  "type": "code",
                  "content": "export namespace tokens {\n  // Generate JWT token\n  function generateToken(payload) {\n  const token = jwt.sign(payload, SECRET);\n    return token;\n  }\n}",
                  "module": "auth",
                  "session": null,
                  "date": "[DATE]",
                  "score": "[SCORE]",
                  "source": "code",
                  "file": "src/server/auth/AuthService.ts",
                  "line": 39
                }
              ],
              "query": "how does authentication work",
              "totalFound": 8,
              "searchTime": "[TIME]"
            }"#]],
    );
}

#[test]
fn context_search_filtered() {
    let arguments =
        json!({ "query": "token refresh issue", "type": "issue", "module": "auth", "limit": 3 });
    check(
        &Web::with_discoveries(),
        "context_search",
        arguments,
        expect![[r#"
        {
          "results": [
            {
              "id": "discovery-[ID]",
              "type": "issue",
              "content": "Token refresh race condition fixed with mutex lock",
              "module": "auth",
              "session": null,
              "date": "[DATE]",
              "score": "[SCORE]",
              "source": "discovery"
            }
          ],
          "query": "token refresh issue",
          "totalFound": 1,
          "searchTime": "[TIME]"
        }"#]],
    );
}

#[test]
fn context_search_of_the_document_s_tests() {
    let answer = Web::with_discoveries()
        .client()
        .json("context_search", json!({ "query": "JWT authentication", "limit": 5 }));
    assert_eq!(contents(&answer)[0], "Use JWT tokens stored in httpOnly cookies for auth");
}

/// The transcript without the text of files, which the test compares by itself.
fn without_content(text: &str) -> String {
    let mut value: Value = serde_json::from_str(text).unwrap();
    value["file"]["content"] = json!("... file content ...");
    for dependency in value["dependencies"].as_array_mut().unwrap() {
        assert!(dependency["content"].as_str().unwrap().contains("export class"));
        dependency["content"] = json!("... file content ...");
    }
    format!("{value:#}")
}

#[test]
fn read_file_by_itself() {
    let web = Web::new();
    let mut client = web.client();
    let path = "src/server/auth/AuthService.ts";
    let arguments = json!({ "path": path, "includeDeps": false });
    let text = transcript(&mut client, "read_file", arguments);
    expect![[r#"
        {
          "file": {
            "path": "src/server/auth/AuthService.ts",
            "content": "... file content ...",
            "size": 2048,
            "lines": 75,
            "language": "typescript"
          },
          "dependencies": [],
          "metadata": {
            "module": "auth",
            "role": "core",
            "lastModified": "2025-01-15T09:00:00Z"
          }
        }"#]]
    .assert_eq(&without_content(&text));
    let answer = client.json("read_file", json!({ "path": path }));
    assert_eq!(answer["file"]["content"], auth_service());
}

#[test]
fn read_file_with_dependencies() {
    let arguments = json!({
        "path": "src/server/auth/AuthService.ts", "includeDeps": true, "maxDepth": 1,
    });
    let text = transcript(&mut Web::new().client(), "read_file", arguments);
    expect![[r#"
        {
          "file": {
            "path": "src/server/auth/AuthService.ts",
            "content": "... file content ...",
            "size": 2048,
            "lines": 75,
            "language": "typescript"
          },
          "dependencies": [
            {
              "path": "src/server/auth/TokenManager.ts",
              "type": "import",
              "level": 1,
              "content": "... file content ..."
            },
            {
              "path": "src/server/users/UserRepository.ts",
              "type": "import",
              "level": 1,
              "content": "... file content ..."
            }
          ],
          "metadata": {
            "module": "auth",
            "role": "core",
            "lastModified": "2025-01-15T09:00:00Z"
          }
        }"#]]
    .assert_eq(&without_content(&text));
}

#[test]
fn read_file_of_the_document_s_tests() {
    let answer = Web::new().client().json("read_file", json!({ "path": "src/index.ts" }));
    assert!(answer["file"]["content"].is_string());
    assert_eq!(answer["metadata"]["module"], Value::Null);
    assert_eq!(answer["metadata"]["role"], "entry");
}

#[test]
fn grep_output_format() {
    let arguments = json!({ "pattern": "jwt\\.sign", "limit": 1 });
    check(
        &Web::large(),
        "grep_codebase",
        arguments,
        expect![[r#"
        {
          "matches": [
            {
              "file": "src/server/auth/AuthService.ts",
              "line": 42,
              "column": 17,
              "text": "  const token = jwt.sign(payload, SECRET);",
              "context": {
                "before": [
                  "  // Generate JWT token",
                  "  function generateToken(payload) {"
                ],
                "after": [
                  "    return token;",
                  "  }"
                ]
              }
            }
          ],
          "pattern": "jwt\\.sign",
          "totalMatches": 3,
          "filesSearched": 127,
          "searchTime": "[TIME]"
        }"#]],
    );
}

#[test]
fn grep_simple_text() {
    let arguments = json!({ "pattern": "jwt.sign", "caseSensitive": false });
    check(
        &Web::new(),
        "grep_codebase",
        arguments,
        expect![[r#"
        {
          "matches": [
            {
              "file": "src/server/auth/AuthService.ts",
              "line": 42,
              "column": 17,
              "text": "  const token = jwt.sign(payload, SECRET);",
              "context": {
                "before": [
                  "  // Generate JWT token",
                  "  function generateToken(payload) {"
                ],
                "after": [
                  "    return token;",
                  "  }"
                ]
              }
            },
            {
              "file": "src/server/auth/TokenManager.ts",
              "line": 6,
              "column": 12,
              "text": "    return jwt.sign(payload, SECRET);",
              "context": {
                "before": [
                  "export class TokenManager {",
                  "  sign(payload: object) {"
                ],
                "after": [
                  "  }",
                  "  refresh(payload: object) {"
                ]
              }
            },
            {
              "file": "src/server/auth/TokenManager.ts",
              "line": 9,
              "column": 12,
              "text": "    return JWT.SIGN(payload, SECRET);",
              "context": {
                "before": [
                  "  }",
                  "  refresh(payload: object) {"
                ],
                "after": [
                  "  }",
                  "}"
                ]
              }
            }
          ],
          "pattern": "jwt.sign",
          "totalMatches": 3,
          "filesSearched": 4,
          "searchTime": "[TIME]"
        }"#]],
    );
}

#[test]
fn grep_typescript_only() {
    let web = Web::new();
    web.write("notes.md", "interface UserContext\n");
    let arguments =
        json!({ "pattern": "interface.*Context", "filePattern": "**/*.ts", "limit": 20 });
    check(
        &web,
        "grep_codebase",
        arguments,
        expect![[r#"
        {
          "matches": [
            {
              "file": "src/server/users/UserRepository.ts",
              "line": 8,
              "column": 8,
              "text": "export interface UserContext {",
              "context": {
                "before": [
                  "}",
                  ""
                ],
                "after": [
                  "  name: string;",
                  "}"
                ]
              }
            }
          ],
          "pattern": "interface.*Context",
          "totalMatches": 1,
          "filesSearched": 4,
          "searchTime": "[TIME]"
        }"#]],
    );
}

#[test]
fn grep_case_sensitive_function() {
    let web = Web::new();
    web.write(
        "src/server/http/routes.ts",
        "export function handleAuth() {}\nFUNCTION HANDLEAUTH\n",
    );
    let arguments = json!({
        "pattern": "function handleAuth",
        "caseSensitive": true,
        "filePattern": "src/server/**/*.ts",
    });
    check(
        &web,
        "grep_codebase",
        arguments,
        expect![[r#"
        {
          "matches": [
            {
              "file": "src/server/http/routes.ts",
              "line": 1,
              "column": 8,
              "text": "export function handleAuth() {}",
              "context": {
                "before": [],
                "after": [
                  "FUNCTION HANDLEAUTH"
                ]
              }
            }
          ],
          "pattern": "function handleAuth",
          "totalMatches": 1,
          "filesSearched": 4,
          "searchTime": "[TIME]"
        }"#]],
    );
}

#[test]
fn grep_of_the_document_s_tests() {
    let web = Web::new();
    let mut client = web.client();
    let answer = client.json("grep_codebase", json!({ "pattern": "function", "limit": 10 }));
    assert!(!answer["matches"].as_array().unwrap().is_empty());
    let answer = client.json("grep_codebase", json!({ "pattern": "xyznonexistent123" }));
    assert_eq!(answer["totalMatches"], 0);
}
