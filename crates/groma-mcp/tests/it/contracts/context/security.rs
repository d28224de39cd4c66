//! What `read_file` and `grep_codebase` never show.

use super::{Web, failure};
use serde_json::{Value, json};

fn refused(web: &Web, path: &str) -> Value {
    failure(&mut web.client(), "read_file", json!({ "path": path }))
}

#[test]
fn absolute_paths() {
    let web = Web::new();
    let error = json!({ "error": "Absolute paths not allowed", "tool": "read_file" });
    let own = web.sample.root().join("src/index.ts").to_string_lossy().into_owned();
    for path in ["/etc/passwd", &own, "//etc/passwd", "C:\\windows\\win.ini", "~/.ssh/config"] {
        assert_eq!(refused(&web, path), error, "{path}");
    }
}

#[test]
fn path_traversal() {
    let web = Web::new();
    let error = json!({ "error": "Path traversal not allowed", "tool": "read_file" });
    for path in [
        "../../../etc/passwd",
        "../sample/src/index.ts",
        "src/../../b",
        "src/../src/index.ts",
        "src/..",
        "..",
        "..\\..\\etc\\passwd",
    ] {
        assert_eq!(refused(&web, path), error, "{path}");
    }
}

#[test]
fn encoded_paths_are_not_decoded() {
    let web = Web::new();
    for path in ["%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "src%2findex.ts"] {
        assert_eq!(refused(&web, path), json!({ "error": "File not found", "path": path }));
    }
    let error = refused(&web, "src/index.ts\0.png");
    assert_eq!(error["error"], "Invalid parameters", "{error}");
}

#[test]
fn secrets_and_tool_folders() {
    let web = Web::new();
    for path in [
        ".env",
        ".env.local",
        "config/.env",
        ".git/config",
        "node_modules/a/index.js",
        "src/node_modules/b.js",
    ] {
        web.write(path, "SECRET=1\n");
    }
    for path in [
        ".env",
        ".env.local",
        "config/.env",
        "./.env",
        ".git/config",
        ".git/missing",
        ".GIT/config",
        "node_modules/a/index.js",
        "src/node_modules/b.js",
    ] {
        let error = refused(&web, path);
        // A name in capitals is another file where case counts, and the same where it does not.
        let missing = json!({ "error": "File not found", "path": path });
        if path != ".GIT/config" || error != missing {
            assert_eq!(error, json!({ "error": "Permission denied", "path": path }));
        }
    }
}

#[test]
fn similar_names_are_readable() {
    let web = Web::new();
    let mut client = web.client();
    for path in [
        ".gitignore",
        ".github/workflows/ci.yml",
        "src/environment.ts",
        "src/my.environment.ts",
        "docs/node_modules.md",
    ] {
        web.write(path, "nothing: special\n");
        let answer = client.json("read_file", json!({ "path": path }));
        assert_eq!(answer["file"]["content"], "nothing: special\n", "{path}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_out() {
    use std::os::unix::fs::symlink;
    let web = Web::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.txt"), "secret\n").unwrap();
    web.write(".env", "SECRET=1\n");
    let root = web.sample.root();
    symlink(outside.path().join("secret.txt"), root.join("file.txt")).unwrap();
    symlink(outside.path(), root.join("folder")).unwrap();
    symlink(root.join(".env"), root.join("settings.txt")).unwrap();
    let out = json!({ "error": "Path traversal not allowed", "tool": "read_file" });
    assert_eq!(refused(&web, "file.txt"), out);
    assert_eq!(refused(&web, "folder/secret.txt"), out);
    let secret = json!({ "error": "Permission denied", "path": "settings.txt" });
    assert_eq!(refused(&web, "settings.txt"), secret);
    let answer = web.client().json("grep_codebase", json!({ "pattern": "secret" }));
    assert_eq!(answer["totalMatches"], 3, "only the code's own SECRETs: {answer}");
}

#[test]
fn binary_and_large_files() {
    let web = Web::new();
    std::fs::write(web.sample.root().join("logo.dat"), b"\x00\x01\x02").unwrap();
    web.write("large.txt", &"x".repeat((1 << 20) + 1));
    web.write("full.txt", &"x".repeat(1 << 20));
    let error = |path: &str| {
        let error = refused(&web, path);
        assert_eq!(error["path"], path);
        (error["error"].as_str().unwrap().to_string(), error["details"].is_string())
    };
    assert_eq!(error("logo.dat"), ("Not a text file".into(), true));
    assert_eq!(error("large.txt"), ("File too large".into(), true));
    assert_eq!(error("src"), ("Not a file".into(), true));
    assert_eq!(error("."), ("Not a file".into(), true));
    let answer = web.client().json("read_file", json!({ "path": "full.txt" }));
    assert_eq!(answer["file"]["size"], 1 << 20);
}

#[cfg(unix)]
#[test]
fn a_fifo_does_not_block() {
    let web = Web::new();
    let path = web.sample.root().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
    assert!(made.success());
    assert_eq!(refused(&web, "pipe")["error"], "Not a file");
    web.client().json("grep_codebase", json!({ "pattern": "jwt" }));
}

#[test]
fn ignored_files_are_neither_read_nor_searched() {
    let web = Web::new();
    web.write(".gitignore", "private/\n");
    web.write("private/notes.md", "jwt.sign is ours\n");
    let error = refused(&web, "private/notes.md");
    assert_eq!(error["error"], "Permission denied");
    assert!(error["details"].as_str().unwrap().contains(".gitignore"), "{error}");
    let answer = web.client().json("grep_codebase", json!({ "pattern": "is ours" }));
    assert_eq!(answer["totalMatches"], 0);
}

#[test]
fn excluded_folders_are_never_searched() {
    let web = Web::new();
    for folder in ["node_modules", ".git", "dist", "build", ".next", ".context", "packages/a/dist"]
    {
        web.write(&format!("{folder}/found.ts"), "export const needle = 1;\n");
    }
    web.write("distance/found.ts", "export const needle = 1;\n");
    web.write(".groma.toml", "[index]\nhidden = true\ngenerated = true\nvendored = true\n");
    let answer = web.client().json("grep_codebase", json!({ "pattern": "needle" }));
    assert_eq!(answer["totalMatches"], 1, "{answer}");
    assert_eq!(answer["matches"][0]["file"], "distance/found.ts");
    let named = json!({ "pattern": "needle", "filePattern": "dist/**" });
    assert_eq!(web.client().json("grep_codebase", named)["totalMatches"], 0);
}
